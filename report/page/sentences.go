package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/table"
	"ocobench/stats"
)

// settingsText describes the experiment: the numbers of algorithms, problems, pairs and replicates,
// the horizon and the seed.
func (b *builder) settingsText() string {
	e := b.Experiment
	text := fmt.Sprintf("%s on %s (%s played", input.Plural(len(b.Algorithms), "algorithm"),
		input.Plural(len(b.Problems), "problem"), input.Plural(len(b.Pairs), "pair"))
	ignored := 0 // pairs that were played although an assumption is not met
	for _, p := range b.Pairs {
		if len(p.Unmet) > 0 {
			ignored++
		}
	}
	if ignored > 0 {
		text += fmt.Sprintf(", %d of them although an assumption is not met", ignored)
	}
	if n := len(b.Unmet) - ignored; n > 0 {
		text += fmt.Sprintf("; %d not, as an assumption is not met", n)
	}
	replicates := input.Plural(e.Replicates, "replicate")
	if report.Deterministic(b.Analysis) {
		replicates = "Deterministic"
	}
	text += fmt.Sprintf("). %s, T = %d", replicates, e.Last())
	if n := len(e.Horizon) - 1; n > 0 {
		text += fmt.Sprintf(" and %s", input.Plural(n, "shorter horizon"))
	}
	return text + fmt.Sprintf(", seed %d.", e.Seed)
}

// resultSentences returns what was found, one sentence each: who keeps both regret and violation at
// √t, the notes of the tables of a run, and who has the least. The page shows the first ones and
// hides the others.
func (b *builder) resultSentences() []string {
	return nonNil(slices.Concat(b.besideSentences(), b.answerSentences(), report.Sentences(b.Analysis),
		b.leadSentences(), b.classSentences(), b.leadLimitSentences()))
}

// besideSentences says how the two stores differ, or returns nil for one store.
func (b *builder) besideSentences() (words []string) {
	if b.beside == nil {
		return nil
	}
	alpha := 1 - b.Experiment.Confidence
	equal, tested, significant := b.beside.Counts(alpha)
	text := fmt.Sprintf("%s beside %s: %s of final means, %d of them equal to the last bit; ",
		b.beside.Sources[0], b.beside.Sources[1],
		input.Plural(len(b.beside.Differences), "comparison"), equal)
	if tested == 0 {
		text += "none is tested."
	} else {
		text += fmt.Sprintf("%d of the %d that are tested are significant (Holm's correction; were "+
			"there no difference, one or more would be in at most about %s of experiments).", significant,
			tested, percentText(alpha))
	}
	words = append(words, text)
	if names := b.significantDifferences(alpha); len(names) > 0 {
		words = append(words, "They differ in: "+input.Few(names, "; ")+".")
	}
	return append(words, b.beside.Warnings...)
}

// significantDifferences names the differences that are significant or deterministic, in the order
// of their p-values and, for equal ones, of their share of the larger mean.
func (b *builder) significantDifferences(alpha float64) (names []string) {
	var all []analysis.Comparison
	for _, d := range b.beside.Differences {
		p := d.Difference.Adjusted
		if float64(p) <= alpha || !p.Defined() && !d.Equal && d.Difference.Value != 0 {
			all = append(all, d)
		}
	}
	p := func(d analysis.Comparison) float64 {
		if !d.Difference.Adjusted.Defined() {
			return 0
		}
		return float64(d.Difference.Adjusted)
	}
	relativeSize := func(d analysis.Comparison) float64 {
		return math.Abs(float64(d.Difference.Value)) /
			max(math.Abs(float64(d.MeanA)), math.Abs(float64(d.MeanB)), math.SmallestNonzeroFloat64)
	}
	slices.SortStableFunc(all, func(d, e analysis.Comparison) int {
		return cmp.Or(cmp.Compare(p(d), p(e)), cmp.Compare(relativeSize(e), relativeSize(d)))
	})
	number := func(v analysis.Number) string {
		return table.Number(float64(v), math.NaN()).Plain
	}
	for _, d := range all {
		names = append(names, fmt.Sprintf("%s of %s on %s (%s against %s)", b.Metric(d.Metric).Title,
			b.displayName(d.A), b.displayName(d.Problem), number(d.MeanA), number(d.MeanB)))
	}
	return names
}

// answerSentences says how many pairs keep both regret and violation at √t, and on how many
// problems each algorithm does so: the baseline first, and then those with the most. For a single
// problem it returns nil, since the table of answers says the same.
func (b *builder) answerSentences() (words []string) {
	atMost, undecided, above := 0, 0, 0
	kept, played := make(map[int]int), make(map[int]int)
	for _, row := range b.out.answers {
		atMost, undecided = atMost+len(row.AtMost), undecided+len(row.Undecided)
		above += len(row.Above)
		for _, a := range row.AtMost {
			kept[a]++
		}
		for _, a := range slices.Concat(row.AtMost, row.Undecided, row.Above) {
			played[a]++
		}
	}
	n := atMost + undecided + above
	if n == 0 || len(b.Problems) < 2 {
		return nil
	}
	words = append(words, fmt.Sprintf("%s and %s both grow at most like √t for %d of %s; one or both "+
		"are above or slowing for %d, and %d are undecided.", input.Capital(b.regretNames()),
		b.Metric(b.Focus.Violation).Title, atMost, input.Plural(n, "pair"), above, undecided))
	order := slices.Sorted(maps.Keys(played))
	slices.SortStableFunc(order, func(i, j int) int { return kept[j] - kept[i] })
	if k := slices.Index(order, b.out.Baseline); k > 0 {
		order = slices.Insert(slices.Delete(order, k, k+1), 0, b.out.Baseline)
	}
	var parts []string
	for k, a := range order {
		part := fmt.Sprintf("%s on %d of %d", b.out.Algorithms[a].Title, kept[a], played[a])
		if k == 0 {
			part += " problems"
		}
		parts = append(parts, part)
	}
	return append(words, "Both are kept by "+withFullStop(input.Few(parts, "; ")))
}

// regretNames names the regrets that the page shows.
func (b *builder) regretNames() string {
	if len(b.Focus.Regrets()) > 1 {
		return "regret"
	}
	return b.Metric(b.Focus.Regret).Title
}

// methodSentences says over which window the growth is judged, and how often a verdict is wrong by
// chance. It returns nil if nothing is judged.
func (b *builder) methodSentences() []string {
	if !slices.ContainsFunc(b.Pairs, func(p analysis.Pair) bool { return p.SqrtVerdict != "" }) {
		return nil
	}
	exact := ""
	if slices.ContainsFunc(b.Pairs, func(p analysis.Pair) bool { return p.Deterministic }) {
		exact = " Where a pair is deterministic, its bounds are the exponent itself."
	}
	window := b.windowsText()
	if window != "" {
		window = "The window is " + window + ". "
	}
	return []string{
		fmt.Sprintf("%sEach bound has confidence %s.%s", window, percentText(b.Experiment.Confidence),
			exact),
		fmt.Sprintf("A verdict is about its own cell: of exponents that equal %g, %s are %s or %s by "+
			"chance. No window shows the limit t → ∞.", 0.5+stats.Beyond,
			percentText(1-b.Experiment.Confidence), stats.Above.Sign(), stats.Slowing.Sign()),
	}
}

// classSentences says which algorithms keep both at √t on every problem of a class that has several
// problems.
func (b *builder) classSentences() (words []string) {
	byClass := make(map[string][]int) // the indices of problems
	var classes []string
	for k, p := range b.Problems {
		for _, class := range p.Facts {
			if byClass[class] == nil {
				classes = append(classes, class)
			}
			byClass[class] = append(byClass[class], k)
		}
	}
	seen := make(map[string]bool) // classes of the same problems are named once
	for _, class := range classes {
		problems := byClass[class]
		all := slices.Clone(b.out.answers[problems[0]].AtMost)
		for _, k := range problems[1:] {
			all = slices.DeleteFunc(all, func(a int) bool {
				return !slices.Contains(b.out.answers[k].AtMost, a)
			})
		}
		if key := fmt.Sprint(problems); len(problems) > 1 && len(all) > 0 && !seen[key] {
			seen[key] = true
			words = append(words, fmt.Sprintf("Both grow at most like √t on every problem of the class "+
				"“%s” (%d): %s", class, len(problems),
				withFullStop(input.Few(b.algorithmNames(all), "; "))))
		}
	}
	return words
}

// withFullStop returns a text with a full stop at its end.
func withFullStop(text string) string { return strings.TrimSuffix(text, ".") + "." }

// windowsText names the windows of the growth of regret and violation.
func (b *builder) windowsText() string {
	var all []string
	for _, p := range b.Pairs {
		for _, m := range b.Focus.Metrics() {
			s := p.Series[m]
			if s == nil || s.Fit == nil || s.Fit.Points == 0 {
				continue
			}
			text := fmt.Sprintf("t = %s…%s", table.Tens(s.Fit.From).Plain, table.Tens(s.Fit.To).Plain)
			if s.Fit.Design == stats.AcrossT {
				text = strings.ToUpper(text) + " for algorithms that need the horizon"
			}
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	slices.SortFunc(all, func(x, y string) int { return strings.Compare(y, x) }) // t before T
	return strings.Join(all, " or ")
}

// leadSentences says on how many problems each algorithm has the least regret and the least
// violation.
func (b *builder) leadSentences() (words []string) {
	deterministic := report.Deterministic(b.Analysis)
	for _, m := range b.Focus.Metrics() {
		leads, significant := make(map[string]int), make(map[string]int) // by algorithm
		problems, shared := 0, 0
		for _, l := range b.leads {
			if l.Metric != m {
				continue
			}
			problems++
			if b.isTied(l) {
				shared++
			} else {
				leads[l.Algorithm]++
			}
			if l.Shown {
				significant[l.Algorithm]++
			}
		}
		var parts []string
		for _, e := range b.Algorithms {
			if k := leads[e.Spec]; k > 0 {
				part := fmt.Sprintf("%s on %d", b.displayName(e.Spec), k)
				if !deterministic {
					part += fmt.Sprintf(" (on %d significantly, or in deterministic games)", significant[e.Spec])
				}
				parts = append(parts, part)
			}
		}
		if shared > 0 {
			parts = append(parts, fmt.Sprintf("shared by several on %d", shared))
		}
		if problems > 0 {
			words = append(words, fmt.Sprintf("Least %s at T, on %s: %s.", b.Metric(m).Title,
				input.Plural(problems, "problem"), input.Few(parts, "; ")))
		}
	}
	return words
}

// leadLimitSentences says what keeps leads from being significant, or from being certain.
func (b *builder) leadLimitSentences() (words []string) {
	leads, doubtfulLeads := 0, 0
	var doubtful []analysis.Comparison
	for _, l := range b.leads {
		if l.Shown && l.Tested {
			leads++
			if l.Doubtful != nil {
				doubtfulLeads++
				doubtful = append(doubtful, l.Doubtful...)
			}
		}
	}
	n, needs := b.Experiment.Replicates, stats.LeastPairs(b.Experiment.Confidence)
	random := slices.ContainsFunc(b.leads, func(l analysis.Lead) bool { return l.Tested })
	if random {
		words = append(words, "Significant differences: "+report.SignificanceRule(b.Analysis)+".")
	}
	if random && n < needs {
		words = append(words, fmt.Sprintf("Where games are random, no lead is significant with %s: "+
			"%d are needed.", input.Plural(n, "replicate"), needs))
	}
	if doubtfulLeads > 0 {
		words = append(words, fmt.Sprintf("Of %s by any metric in random games, %d are right "+
			"only if the differences are symmetric, and %s.", input.Plural(leads, "significant lead"),
			doubtfulLeads, report.SymmetryDoubt(doubtful)))
	}
	return words
}

// isTied reports whether another algorithm has the same value as the leader.
func (b *builder) isTied(l analysis.Lead) bool {
	value := func(algorithm string) analysis.Number {
		if p := b.Pair(algorithm, l.Problem); p != nil {
			return finalEstimate(p.Series[l.Metric]).Value
		}
		return none
	}
	return slices.ContainsFunc(b.Algorithms, func(e experiment.Entry) bool {
		return e.Spec != l.Algorithm && value(e.Spec) == value(l.Algorithm)
	})
}

// algorithmNames returns the display names of algorithms, by their indices.
func (b *builder) algorithmNames(all []int) (names []string) {
	for _, k := range all {
		names = append(names, b.out.Algorithms[k].Title)
	}
	return names
}

// percentText formats a share of 1, such as 95 %.
func percentText(v float64) string { return strconv.FormatFloat(100*v, 'g', 3, 64) + " %" }

// typesetNumbers writes the numbers of a text, or of HTML, as the script does: with a minus sign,
// and from five digits on in groups of three. Seeds, and digits that are part of a word, such as a
// SPEC or a file name, stay as they are. A parameter and its value stay in one line.
func typesetNumbers(text string) string {
	var out strings.Builder
	done := 0
	for _, at := range wholePart.FindAllStringSubmatchIndex(text, -1) {
		sign, digits, end := at[2], at[4], at[5] // of the sign, the digits and what follows
		isPartOfWord := afterDigits.MatchString(text[end:])
		if isPartOfWord || strings.HasSuffix(text[:sign], "seed ") {
			continue
		}
		out.WriteString(text[done:sign])
		if sign < digits {
			out.WriteString("−")
		}
		out.WriteString(groupedDigits(text[digits:end]))
		done = end
	}
	return typographicSigns.Replace(out.String() + text[done:])
}

// groupedDigits returns five digits or more in groups of three, and fewer as they are.
func groupedDigits(digits string) string {
	if len(digits) < 5 {
		return digits
	}
	first := (len(digits)-1)%3 + 1 // the digits of the first group
	grouped := digits[:first]
	for k := first; k < len(digits); k += 3 {
		grouped += "\u202f" + digits[k:k+3]
	}
	return grouped
}

// typographicSigns writes the minus sign before ∞, and joins a parameter to its value with blanks
// that do not break.
var typographicSigns = strings.NewReplacer("-∞", "−∞", " = ", "\u00a0=\u00a0")

// wholePart matches the whole part of a number at the beginning of a word, with its sign.
// afterDigits matches what follows digits that are part of a word.
var (
	wholePart   = regexp.MustCompile(`(?:^|[\s(\[>±])(-?(\d+))`)
	afterDigits = regexp.MustCompile(`^(\.?[\pL_=/-]|:\S)`)
)
