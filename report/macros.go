package report

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// A macro is a number of a table under a name of TeX.
type macro struct {
	name, value, comment string
	isSetting            bool // another file of the same article may define it, too
}

// writeMacros writes a \newcommand for every number of the tables, so that prose can quote them,
// and a \providecommand for every setting of the experiment. A name is
//
//	\oco Experiment Algorithm Problem Metric Quantity     such as \ocoFrequencyPenalisedFtrlCOneSoftFinal
//
// of letters only, with digits in words, and in the name of an experiment underscores too, so that
// a-b and a_b differ. An algorithm or a problem is its label or, without one, its name with the
// parameters in which it differs from others of the name. The name is left out if all algorithms,
// or all problems, share one and differ in parameters. The comment of each line says what the
// number is. What could not be measured has no macro.
func writeMacros(w io.Writer, v *analysisView) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%% Numbers of experiment %s for \\input in the preamble. Needs no package.\n",
		v.Experiment.Name)
	for _, m := range numberMacros(v) {
		command := "newcommand"
		if m.isSetting {
			command = "providecommand"
		}
		fmt.Fprintf(&out, "\\%s{\\%s}{%s} %% %s\n", command, m.name, m.value,
			strings.Join(strings.Fields(m.comment), " "))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// A macroList collects the macros of an experiment, whose names all begin alike.
type macroList struct {
	*analysisView
	begin                string            // of all names
	algorithms, problems map[string]string // the parts of names, by SPEC
	all                  []macro
}

// numberMacros returns the macros of an experiment: its settings first, and then the numbers of the
// metrics and claims of every pair, of comparisons, chosen parameters and standings.
func numberMacros(v *analysisView) []macro {
	l := &macroList{analysisView: v, begin: "oco" + experimentLetters(v.Experiment.Name),
		algorithms: macroParts(v.Algorithms), problems: macroParts(v.problems)}
	e := v.Experiment
	l.addMacro("Horizon", fmt.Sprint(e.Last()), "the horizon T")
	l.addMacro("Replicates", fmt.Sprint(e.Replicates), "replicates")
	l.addMacro("Seed", fmt.Sprint(e.Seed), "the seed")
	l.addMacro("Confidence", fmt.Sprintf("%g", 100*e.Confidence),
		"the confidence of the intervals in per cent")
	for k := range l.all {
		l.all[k].isSetting = true
	}
	for k := range v.Pairs {
		l.addPair(&v.Pairs[k])
	}
	for _, c := range v.Comparisons.Against(e.Baseline).Rows {
		if c.State == analysis.Measured {
			l.addComparison(c)
		}
	}
	for _, a := range v.Algorithms {
		for _, c := range chosenParams(a) {
			l.addChosen(a.Spec, c)
		}
	}
	for _, s := range v.Standings {
		l.addStanding(s)
	}
	var names, comments []string
	for _, m := range l.all {
		names, comments = append(names, m.name), append(comments, m.comment)
	}
	for k, name := range tex.Unique(comments, names, letterSuffix) {
		l.all[k].name = name
	}
	return l.all
}

// addMacro adds a macro whose name ends as given, unless the value is empty.
func (l *macroList) addMacro(name, value, comment string) {
	if value != "" {
		l.all = append(l.all, macro{name: l.begin + name, value: value, comment: comment})
	}
}

// addPair adds the numbers of the metrics of a pair, and of what its algorithm claims.
func (l *macroList) addPair(p *analysis.Pair) {
	// adder returns a function that adds a quantity of a metric.
	adder := func(m analysis.Metric) func(quantity, value, doc string) {
		name := l.algorithms[p.Algorithm] + l.problems[p.Problem] + metricLetters(m)
		subject := fmt.Sprintf("%s of %s on %s: ", m.Title, l.labelAndSpec(p.Algorithm),
			l.labelAndSpec(p.Problem))
		return func(quantity, value, doc string) { l.addMacro(name+quantity, value, subject+doc) }
	}
	for _, m := range l.metrics {
		addSeries(adder(m), l.analysisView, p.Series[m.Name])
	}
	for _, j := range p.Judgements() {
		if j.Claim == nil {
			continue
		}
		m := l.Metric(j.Metric)
		add := adder(m)
		if !slices.ContainsFunc(l.metrics,
			func(other analysis.Metric) bool { return other.Name == m.Name }) {
			addSeries(add, l.analysisView, p.Series[m.Name])
		}
		if j.Claim.Growth == "" {
			add("Claim", fmt.Sprintf("%.3g", j.Claim.Exponent), "the claimed exponent")
		}
		add("ClaimP", macroText(table.PValue(float64(j.P))), "p-value of the claimed exponent")
		if b := j.Bound; b != nil {
			add("Bound", macroNumber(100*float64(b.Ratio.Value)),
				"the largest value in per cent of the bound of the proof")
		}
	}
}

// addComparison adds the difference of an algorithm and the baseline, with its interval and
// p-value.
func (l *macroList) addComparison(c analysis.Comparison) {
	m := l.Metric(c.Metric)
	name := l.algorithms[c.A] + l.problems[c.Problem] + metricLetters(m) + "Difference"
	subject := fmt.Sprintf("%s of %s minus that of %s on %s: ", m.Title, l.labelAndSpec(c.A),
		l.labelAndSpec(c.B), l.labelAndSpec(c.Problem))
	text := valueText(c.Difference.Estimate)
	l.addMacro(name, macroText(text), subject+fmt.Sprintf("mean at T = %d", l.Experiment.Last()))
	if lower, upper, ok := intervalEnds(text); ok {
		l.addMacro(name+"Lower", macroText(table.TeX(lower)), subject+"lower end of its interval")
		l.addMacro(name+"Upper", macroText(table.TeX(upper)), subject+"upper end of its interval")
	}
	l.addMacro(name+"P", macroText(table.PValue(float64(c.Difference.Adjusted))),
		subject+"p-value of no difference, corrected for all comparisons")
}

// addChosen adds the value of a parameter that was chosen from a grid.
func (l *macroList) addChosen(algorithm string, c chosenParam) {
	value := tex.Escape(c.value)
	if _, err := strconv.ParseFloat(c.value, 64); err == nil {
		value = macroText(table.TeX("$" + c.value + "$"))
	}
	l.addMacro(l.algorithms[algorithm]+"Chosen"+Letters(c.name), value, fmt.Sprintf(
		"%s of %s, chosen from %s", c.name, l.labelAndSpec(algorithm), joinNames(c.grid)))
}

// addStanding adds on how many problems a claim has each verdict, and its largest ratio to the
// bound.
func (l *macroList) addStanding(s analysis.Standing) {
	m := l.Metric(s.Metric)
	name := l.algorithms[s.Algorithm] + "Claim" + metricLetters(m)
	subject := fmt.Sprintf("claim of %s about %s: ", l.labelAndSpec(s.Algorithm), m.Title)
	addCount := func(v stats.Verdict, problems int) {
		l.addMacro(name+Letters(string(v)), fmt.Sprint(problems),
			subject+"problems with the verdict "+string(v))
	}
	addCount(stats.AtMost, s.AtMost)
	addCount(stats.Above, s.Above)
	addCount(stats.Slowing, s.Slowing)
	addCount(stats.Undecided, s.Undecided)
	l.addMacro(name+"Bound", macroNumber(100*float64(s.Ratio)),
		subject+"the largest value in per cent of the bound of the proof")
}

// labelAndSpec returns what a comment calls an entry, such as ours (ogd:step=2), or only its SPEC
// if it has no label.
func (v *analysisView) labelAndSpec(spec string) string {
	if label := v.Entry(spec).Label; label != "" {
		return label + " (" + spec + ")"
	}
	return spec
}

// addSeries calls add for the numbers of a series: the means at the last round, at checkpoints and
// at other horizons, and the judged exponent.
func addSeries(add func(quantity, value, doc string), v *analysisView, s *analysis.Series) {
	if !s.Known() {
		return
	}
	addMean := func(quantity string, e analysis.Estimate, doc string) {
		text := plusMinus(e)
		add(quantity, macroText(text), doc)
		for _, half := range text.Small {
			add(quantity+"Half", macroText(table.TeX(strings.Replace(half, `\pm `, "", 1))),
				doc+", half-width of its interval")
		}
	}
	addMean("Final", s.Mean.Final(), fmt.Sprintf("mean at T = %d", v.Experiment.Last()))
	for _, t := range meanCheckpoints(v) {
		if e, ok := s.Mean.At(t); ok && t < float64(v.Experiment.Last()) {
			addMean("At"+Letters(fmt.Sprint(t)), e, fmt.Sprintf("mean at t = %g of games with T = %d", t,
				v.Experiment.Last()))
		}
	}
	for _, h := range v.Experiment.Horizon {
		if s.Across == nil {
			break
		}
		if e, ok := s.Across.At(float64(h)); ok {
			addMean("AtHorizon"+Letters(fmt.Sprint(h)), e,
				fmt.Sprintf("mean at the end of games with T = %d", h))
		}
	}
	if s.Fit == nil || s.State == analysis.Rounding {
		return
	}
	if e, ok := s.Judged(); ok && !s.NeverPositive() {
		add("Exponent", macroExponent(e.Value), "judged growth exponent")
		add("ExponentLower", macroExponent(e.Lower), "judged growth exponent, lower bound")
		add("ExponentUpper", macroExponent(e.Upper), "judged growth exponent, upper bound")
	}
}

// intervalEnds returns the ends of the interval that the text of an estimate has in small print; ok
// is false if it has none. They are read from the text so that prose has the digits of the table.
func intervalEnds(text table.Text) (lower, upper string, ok bool) {
	if len(text.Small) == 0 {
		return "", "", false
	}
	inside, _ := strings.CutPrefix(strings.Trim(text.Small[0], "$"), "[")
	lower, upper, ok = strings.Cut(strings.TrimSuffix(inside, "]"), `,\,`)
	return "$" + lower + "$", "$" + upper + "$", ok
}

// macroParts returns, by SPEC, the part of a macro's name that stands for an entry. No two are
// equal.
func macroParts(entries []experiment.Entry) map[string]string {
	byName := make(map[string][]experiment.Entry)
	for _, e := range entries {
		byName[e.Name] = append(byName[e.Name], e)
	}
	var specs, names []string
	for _, e := range entries {
		name := Letters(e.Label)
		if name == "" {
			for _, param := range experiment.Varying(byName[e.Name]) {
				name += Letters(param) + Letters(e.Param(param))
			}
			if len(byName) > 1 || name == "" {
				name = Letters(e.Name) + name
			}
		}
		specs, names = append(specs, e.Spec), append(names, name)
	}
	out := make(map[string]string)
	for k, name := range tex.Unique(specs, names, letterSuffix) {
		out[specs[k]] = name
	}
	return out
}

// letterSuffix returns the suffix of the k-th macro of one name, for k ≥ 2: B to Z, the 25 letters
// after A, then ZB to ZZ, and so on.
func letterSuffix(k int) string {
	return strings.Repeat("Z", (k-2)/25) + string(rune('B'+(k-2)%25))
}

// macroNumber returns a number without uncertainty as the value of a macro.
func macroNumber(v float64) string { return macroText(table.Number(v, math.NaN())) }

// macroExponent returns an exponent as the value of a macro.
func macroExponent(v analysis.Number) string {
	return macroText(table.Exponent(float64(v), math.NaN(), math.NaN()))
}

// macroText returns the value of a macro that prints the number of a cell both in text and in
// mathematics. It is empty if the cell has no finite number.
func macroText(t table.Text) string {
	value := strings.Trim(t.TeX, "$")
	switch {
	case strings.ContainsAny(t.Plain, "–∞"):
		return ""
	case strings.Trim(value, "0123456789.") == "":
		return value
	}
	return `\ensuremath{` + value + "}"
}

// metricLetters returns the part of a name that stands for a metric, such as RegretXhat
// or Soft.
func metricLetters(m analysis.Metric) string {
	return Letters(strings.TrimPrefix(string(m.Name), "violation_"))
}

// experimentLetters returns the name of an experiment in letters. An underscore becomes a word.
func experimentLetters(name string) string {
	return Letters(strings.ReplaceAll(name, "_", "-underscore-"))
}

// Letters returns a text in letters: each word with a capital, and digits, points and the signs of
// negative numbers as words. Other characters only end a word.
func Letters(s string) string {
	var out strings.Builder
	begin := true
	for k, r := range s {
		switch {
		case '0' <= r && r <= '9':
			out.WriteString([]string{"Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight",
				"Nine"}[r-'0'])
			begin = true
		case r == '.':
			out.WriteString("Point")
			begin = true
		case r == '-' && beforeMinus.MatchString(s[:k]) && k+1 < len(s) && '0' <= s[k+1] && s[k+1] <= '9':
			out.WriteString("Minus")
			begin = true
		case r < unicode.MaxASCII && unicode.IsLetter(r):
			if begin {
				r = unicode.ToUpper(r)
			}
			out.WriteRune(r)
			begin = false
		default:
			begin = true
		}
	}
	return out.String()
}

// beforeMinus matches the text before the minus sign of a number, as in -1 and 1e-3.
var beforeMinus = regexp.MustCompile(`(^|[0-9]e)$`)
