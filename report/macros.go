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
type macro struct{ name, value, comment string }

// settingSuffixes lists the ends of the names of macros for the settings of the experiment. They
// are provided, not defined, since another file of the same article may define them, too.
var settingSuffixes = []string{"Horizon", "Replicates", "Seed", "Confidence"}

// writeMacros writes a \newcommand for every number of the tables, so that prose can quote them. A
// name is
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
	for k, m := range numberMacros(v) {
		command := "newcommand"
		if k < len(settingSuffixes) { // the settings come first
			command = "providecommand"
		}
		fmt.Fprintf(&out, "\\%s{\\%s}{%s} %% %s\n", command, m.name, m.value,
			strings.Join(strings.Fields(m.comment), " "))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// numberMacros returns the macros of an experiment: its settings first, and then the numbers of the
// metrics and claims of every pair, of comparisons, chosen parameters and standings.
func numberMacros(v *analysisView) (all []macro) {
	var names, docs []string
	add := func(name, value, doc string) {
		if value != "" {
			name = "oco" + experimentLetters(v.Experiment.Name) + name
			names, docs = append(names, name), append(docs, doc)
			all = append(all, macro{name, value, doc})
		}
	}
	e := v.Experiment
	for k, setting := range [][2]string{
		{fmt.Sprint(e.Last()), "the horizon T"}, {fmt.Sprint(e.Replicates), "replicates"},
		{fmt.Sprint(e.Seed), "the seed"},
		{fmt.Sprintf("%g", 100*e.Confidence), "the confidence of the intervals in per cent"},
	} {
		add(settingSuffixes[k], setting[0], setting[1])
	}
	algorithms, problems := macroParts(v.Algorithms), macroParts(v.problems)
	for _, p := range v.Pairs {
		// adder returns a function that adds a quantity of a metric of the pair.
		adder := func(m analysis.Metric) func(quantity, value, doc string) {
			name := algorithms[p.Algorithm] + problems[p.Problem] + metricLetters(m)
			subject := fmt.Sprintf("%s of %s on %s: ", m.Title, v.labelAndSpec(p.Algorithm),
				v.labelAndSpec(p.Problem))
			return func(quantity, value, doc string) { add(name+quantity, value, subject+doc) }
		}
		for _, m := range v.metrics {
			addSeries(adder(m), v, p.Series[m.Name])
		}
		for _, j := range p.Judgements() {
			if j.Claim == nil {
				continue
			}
			m := v.Metric(j.Metric)
			add := adder(m)
			if !slices.ContainsFunc(v.metrics,
				func(other analysis.Metric) bool { return other.Name == m.Name }) {
				addSeries(add, v, p.Series[m.Name])
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
	for _, c := range v.Comparisons.Against(v.Experiment.Baseline).Rows {
		if c.State != analysis.Measured {
			continue
		}
		m := v.Metric(c.Metric)
		name := algorithms[c.A] + problems[c.Problem] + metricLetters(m) + "Difference"
		subject := fmt.Sprintf("%s of %s minus that of %s on %s: ", m.Title, v.labelAndSpec(c.A),
			v.labelAndSpec(c.B), v.labelAndSpec(c.Problem))
		d := zeroRoundingErrors(c.Difference.Estimate)
		text := table.Interval(float64(d.Value), float64(d.Lower), float64(d.Upper))
		add(name, macroText(text), subject+fmt.Sprintf("mean at T = %d", e.Last()))
		if lower, upper, ok := intervalEnds(text); ok {
			add(name+"Lower", macroText(table.TeX(lower)), subject+"lower end of its interval")
			add(name+"Upper", macroText(table.TeX(upper)), subject+"upper end of its interval")
		}
		add(name+"P", macroText(table.PValue(float64(c.Difference.Adjusted))),
			subject+"p-value of no difference, corrected for all comparisons")
	}
	for _, a := range v.Algorithms {
		for _, c := range chosenParams(a) {
			value := tex.Escape(c.value)
			if _, err := strconv.ParseFloat(c.value, 64); err == nil {
				value = macroText(table.TeX("$" + c.value + "$"))
			}
			add(algorithms[a.Spec]+"Chosen"+Letters(c.name), value,
				fmt.Sprintf("%s of %s, chosen from %s", c.name, v.labelAndSpec(a.Spec), joinNames(c.grid)))
		}
	}
	for _, s := range v.Standings {
		m := v.Metric(s.Metric)
		name := algorithms[s.Algorithm] + "Claim" + metricLetters(m)
		subject := fmt.Sprintf("claim of %s about %s: ", v.labelAndSpec(s.Algorithm), m.Title)
		for _, c := range []struct {
			verdict  stats.Verdict
			problems int
		}{{stats.AtMost, s.AtMost}, {stats.Above, s.Above}, {stats.Slowing, s.Slowing},
			{stats.Undecided, s.Undecided}} {
			add(name+Letters(string(c.verdict)), fmt.Sprint(c.problems),
				subject+"problems with the verdict "+string(c.verdict))
		}
		add(name+"Bound", macroNumber(100*float64(s.Ratio)),
			subject+"the largest value in per cent of the bound of the proof")
	}
	for k, name := range tex.Unique(docs, names, letterSuffix) {
		all[k].name = name
	}
	return all
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
