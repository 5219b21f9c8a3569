package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/diagnosis"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// Every number, sign and word in a cell is made in this file: means, exponents with the sign of
// their verdict, claims, bounds, comparisons, and what stands where there is no number. The other
// files say which cells a table has. A [table.Text] has Plain for terminals and Markdown, TeX, or
// Number with Small beside it, for LaTeX, and CSV for its fields in CSV.

// estimateFields returns the names of the CSV columns of an estimate.
func estimateFields(name string) []string {
	return []string{name, name + "_lower", name + "_upper"}
}

// estimateValues returns the values of the columns of [estimateFields].
func estimateValues(e analysis.Estimate) []string {
	return []string{table.Value(float64(e.Value)), table.Value(float64(e.Lower)),
		table.Value(float64(e.Upper))}
}

// roundingShare is the share of its scale below which a number is taken for a rounding error.
const roundingShare = 1e-12

// zeroIfRounding returns v, or 0 if |v| is below [roundingShare] of the largest finite |s| of
// scale.
func zeroIfRounding(v float64, scale ...float64) float64 {
	largest := 0.0
	for _, s := range scale {
		if s = math.Abs(s); s > largest && !math.IsInf(s, 1) {
			largest = s
		}
	}
	if math.Abs(v) < roundingShare*largest {
		return 0
	}
	return v
}

// zeroRoundingErrors returns an estimate whose numbers are 0, and whose interval is a point, where
// they are rounding errors.
func zeroRoundingErrors(e analysis.Estimate) analysis.Estimate {
	value, lower, upper := float64(e.Value), float64(e.Lower), float64(e.Upper)
	scale := []float64{value, lower, upper}
	if zeroIfRounding(upper-lower, scale...) == 0 {
		lower, upper = value, value
	}
	return analysis.Estimate{Value: analysis.Number(zeroIfRounding(value, scale...)),
		Lower: analysis.Number(zeroIfRounding(lower, scale...)),
		Upper: analysis.Number(zeroIfRounding(upper, scale...))}
}

// valueText formats an estimate of a metric, or a difference of two, with its interval.
func valueText(e analysis.Estimate) table.Text {
	shown := zeroRoundingErrors(e)
	text := table.Interval(float64(shown.Value), float64(shown.Lower), float64(shown.Upper))
	text.CSV = estimateValues(e)
	return text
}

// exponentText formats an exponent, or a share, with its interval.
func exponentText(e analysis.Estimate) table.Text {
	text := table.Exponent(float64(e.Value), float64(e.Lower), float64(e.Upper))
	text.CSV = estimateValues(e)
	return text
}

// plusMinus formats a mean and the half-width of its interval, if it has one.
func plusMinus(e analysis.Estimate) table.Text {
	shown := zeroRoundingErrors(e)
	text := table.Number(float64(shown.Value), float64(shown.Upper-shown.Value))
	text.CSV = estimateValues(e)
	return text
}

// pValueCell formats a p-value.
func pValueCell(p analysis.Number) table.Text {
	text := table.PValue(float64(p))
	text.CSV = []string{table.Value(float64(p))}
	return text
}

// boundPercent formats the largest ratio of a metric to its bound in per cent. A ratio that is not
// positive means that the metric was never positive.
func boundPercent(v float64) string {
	switch {
	case v <= 0:
		return "≤ 0"
	case v > 1 && v < 1.005: // broken, and would be rounded to 100 %
		return "> 100 %"
	}
	return table.Number(100*v, math.NaN()).Plain + " %"
}

// fourDigits formats a number of a sentence, with up to four digits.
func fourDigits(v float64) string { return table.Trimmed(v, 4) }

// plainExponent formats an exponent without an interval, as plain text.
func plainExponent(v float64) string { return table.Exponent(v, math.NaN(), math.NaN()).Plain }

// optionalNumber formats a number that may be missing.
func optionalNumber(v *float64) string {
	if v == nil {
		return nothing
	}
	return fourDigits(*v)
}

// powerOfT formats a power of t, the exponent with its interval.
func powerOfT(e *diagnosis.Exponent) string {
	switch {
	case e.Value == nil:
		return nothing
	case e.Lower == nil || e.Upper == nil:
		return "t^" + plainExponent(*e.Value)
	}
	return fmt.Sprintf("t^%s [%s, %s]", plainExponent(*e.Value), plainExponent(*e.Lower),
		plainExponent(*e.Upper))
}

// coordinatesText formats the first coordinates of a point with the given digits, and says how many
// there are if it leaves some out.
func coordinatesText(x []float64, shown, digits int) string {
	var parts []string
	for i, v := range x {
		if i == shown {
			parts = append(parts, fmt.Sprintf("… (%d)", len(x)))
			break
		}
		parts = append(parts, table.Trimmed(zeroIfRounding(v, x...), digits))
	}
	return strings.Join(parts, " ")
}

// gameDigits is the number of significant digits of a value of a single game.
const gameDigits = 10

// gapText formats the gap of a value with two digits. A gap below the rounding of the value, its
// distance to the next number, is that rounding: "≤ 1.1·10⁻¹³".
func gapText(gap, value float64) string {
	rounding := math.Nextafter(math.Abs(value), math.Inf(1)) - math.Abs(value)
	if gap != 0 && math.Abs(gap) < rounding {
		return "≤ " + gapDigits(rounding)
	}
	return gapDigits(gap)
}

// gapDigits formats a gap or a residual with two digits.
func gapDigits(v float64) string {
	if v == 0 {
		return "0"
	}
	return table.Precise(v, 2).Plain
}

// What stands in a cell in place of a number, one word for each reason.
const (
	notPlayed  = "·"
	failedText = "failed"
	emptySet   = "empty set"
	overflow   = "overflow"
	nothing    = "–" // too little evidence, or not measured, or not claimed
)

// noNumber returns the word in place of the numbers of a series, or "" where it has numbers.
func noNumber(s *analysis.Series) string {
	if s == nil {
		return notPlayed
	}
	return stateWord(s.State)
}

// stateWord returns the word in place of numbers with a state, or "" for one that has numbers.
func stateWord(s analysis.State) string {
	switch s {
	case analysis.Measured, analysis.Rounding:
		return ""
	case analysis.Failed:
		return failedText
	case analysis.Empty:
		return emptySet
	case analysis.Overflow:
		return overflow
	}
	return nothing
}

// signOf returns the sign of a verdict, or a dash if there is none.
func signOf(v stats.Verdict) string {
	if v == "" {
		return nothing
	}
	return v.Sign()
}

// judgedFields returns the names of the CSV columns of [judgedExponent]: the estimate, the two
// bounds, the verdict, and the number of replicates n.
func judgedFields(name string) []string {
	return append(estimateFields(name), name+"_verdict", name+"_n")
}

// judgedExponent returns the cell of the exponent by which the growth of a series is judged, with
// its bounds and the sign of the verdict v: "0.73 [0.64, 0.82] ▲". A series that is never positive
// has "≤ 0 ✓", one with too little evidence a dash, and one without values [noNumber].
func judgedExponent(s *analysis.Series, v stats.Verdict) table.Text {
	if s == nil {
		return table.Plain(notPlayed)
	}
	e, ok := s.Judged()
	text := table.Plain(nothing)
	switch word := noNumber(s); {
	case s.NeverPositive():
		text = addSign(table.Plain("≤ 0"), stats.AtMost.Sign())
	case word != "":
		text.Plain = word
	case ok && v != stats.TooLittle:
		if text = exponentText(e); v != "" {
			text = addSign(text, v.Sign())
		}
	}
	text.CSV = append(estimateValues(e), string(cmp.Or(v, stats.Verdict(s.State))),
		fmt.Sprint(s.Replicates))
	return markPartial(text, s.Replicates, s.Of)
}

// addSign ends a text with the sign of a verdict.
func addSign(text table.Text, sign string) table.Text {
	text = withTeX(text)
	text.Plain, text.Sign = strings.TrimLeft(text.Plain+" "+sign, " "), sign
	return text
}

// growthBase returns T for growth that is fitted across horizons, and else t.
func growthBase(f *analysis.Fit) string {
	if f != nil && f.Design == stats.AcrossT {
		return "T"
	}
	return "t"
}

// exponentWithBase returns [judgedExponent] with the verdict on √t as a power: "t^0.73 …".
func exponentWithBase(s *analysis.Series) table.Text {
	text := judgedExponent(s, s.SqrtVerdict)
	if strings.IndexAny(text.Plain, "-0123456789") == 0 {
		text.Plain = growthBase(s.Fit) + "^" + text.Plain
	}
	return text
}

// shortExponent returns [judgedExponent] without the bounds: "t^0.73 ▲". The exponent is left out
// where its bounds are further apart than [maxUndecidedWidth], and the verdict undecided.
func shortExponent(s *analysis.Series) table.Text {
	power := ""
	e, ok := s.Judged()
	switch {
	case s.NeverPositive():
		power = "≤ 0"
	case !ok, s.SqrtVerdict == stats.TooLittle:
	case s.SqrtVerdict == stats.Undecided && s.Replicates > 1 &&
		!(e.Upper-e.Lower <= maxUndecidedWidth): // true for an open end, NaN, too
	default:
		power = growthBase(s.Fit) + "^" + plainExponent(float64(e.Value))
	}
	return addSign(titleText("%s", power), signOf(s.SqrtVerdict))
}

// growthSign returns what the summary shows of the growth of a metric: [shortExponent], or no text
// if the metric has no verdict.
func growthSign(p *analysis.Pair, m analysis.Metric) table.Text {
	s := p.Series[m.Name]
	if !s.Known() || s.SqrtVerdict == "" || m.OfRounds {
		return table.Text{}
	}
	return shortExponent(s)
}

// maxUndecidedWidth is the widest interval of an undecided exponent that is printed as one number.
const maxUndecidedWidth = 0.5

// windowFields returns the names of the CSV columns of the growth over the whole window: the
// estimate, the two ends of its interval, the shape of the growth, and the number of replicates n.
func windowFields(name string) []string {
	return append(estimateFields(name), name+"_shape", name+"_n")
}

// windowGrowth returns the cell of the exponent over the whole window, with its interval and the
// shape of the growth. No verdict is about it.
func windowGrowth(s *analysis.Series) table.Text {
	if s == nil {
		return table.Plain(notPlayed)
	}
	if word := noNumber(s); word != "" || s.Fit == nil {
		return table.Text{Plain: cmp.Or(word, nothing),
			CSV: []string{"", "", "", string(s.State), fmt.Sprint(s.Replicates)}}
	}
	f, shape := *s.Fit, string(s.Fit.Shape)
	isRounding := s.State == analysis.Rounding
	isNegative := !isRounding && f.Shape == stats.NonPositive && f.Negated != nil &&
		f.Negated.Exponent.Value.Defined()
	if isRounding {
		shape = string(s.State)
	}
	if isNegative {
		f, shape = *f.Negated, "negative"
	}
	var text table.Text
	switch {
	case isUnresolved(f):
		text = exponentText(f.Exponent)
		text.Plain, text.Small = plainExponent(float64(f.Exponent.Value))+" (unresolved)",
			[]string{"unresolved"}
	case isRounding:
		text = table.Text{Plain: "≤ 0", TeX: `$\le 0$`}
	case isNegative:
		text = windowInterval(f)
	default:
		text = shapedInterval(f)
	}
	if isNegative {
		power := growthBase(&f) + "^"
		text.Plain = "−" + power + text.Plain
		text.Small = append(text.Small, "of $-"+power+"p$")
	}
	text.CSV = append(estimateValues(f.Exponent), shape, fmt.Sprint(f.Replicates))
	return markPartial(text, f.Replicates, s.Of)
}

// withTeX returns the text with a TeX form, unless LaTeX has a number in its place.
func withTeX(text table.Text) table.Text {
	if text.TeX == "" && text.Number == "" {
		text.TeX = tex.Escape(text.Plain)
	}
	return text
}

// markPartial adds "(3 of 20)" to a cell whose numbers are from 3 of 20 replicates.
func markPartial(text table.Text, have, of int) table.Text {
	if have == 0 || have >= of {
		return text
	}
	text = withTeX(text)
	mark := fmt.Sprintf("(%d of %d)", have, of)
	text.Plain += " " + mark
	text.Small = append(slices.Clip(text.Small), mark)
	return text
}

// shapedInterval formats the exponent over the window with its interval and the shape of the
// growth, of a mean that is not negative throughout the window.
func shapedInterval(f analysis.Fit) table.Text {
	switch {
	case f.Shape == stats.NonPositive:
		share := fmt.Sprintf("%.0f", 100*f.NonPositive)
		return table.Text{Plain: "≤ 0 (" + share + " %)", TeX: `$\le 0$`,
			Small: []string{`at ` + share + `\,\%`}}
	case !f.Exponent.Value.Defined():
		return table.Plain(nothing)
	}
	n, base := windowInterval(f), growthBase(&f)
	switch f.Shape {
	case stats.Bounded, stats.Transient:
		n.Plain += " " + string(f.Shape)
		n.Small = append(n.Small, string(f.Shape))
	case stats.Logarithmic:
		n.Plain += " log " + base
		n.Small = append(n.Small, `$\log `+base+"$")
	case stats.OffsetPower:
		p := plainExponent(float64(f.Increments.Value))
		n.Plain += " a + b·" + base + "^" + p
		n.Small = append(n.Small, "$a + b\\,"+base+"^{"+p+"}$")
	}
	return n
}

// windowInterval formats the exponent over the window with its interval. An exponent above 1 of a
// quantity that grows at most linearly cannot last: it is marked as passing.
func windowInterval(f analysis.Fit) table.Text {
	n := exponentText(f.Exponent)
	if f.Superlinear {
		n.Plain += " passing"
		n.Small = append(n.Small, "passing")
	}
	return n
}

// isUnresolved reports whether the replicates do not bound an exponent: the bootstrap then gives an
// infinite end of the interval, or one beyond ±100, which is as good as none.
func isUnresolved(f analysis.Fit) bool {
	return math.Abs(float64(f.Exponent.Lower)) > 100 || math.Abs(float64(f.Exponent.Upper)) > 100
}

// growthLabel returns the power over the whole window with the interval of its exponent, for a
// legend. Where the mean is negative, it is the power of its size, with a minus.
func growthLabel(f *analysis.Fit) string {
	minus := ""
	if f.Shape == stats.NonPositive && f.Negated != nil {
		minus, f = "-", f.Negated
	}
	if !f.Exponent.Value.Defined() {
		return ""
	}
	text := exponentText(f.Exponent)
	bounds := ""
	for _, end := range text.Small {
		bounds += `\;` + strings.Trim(end, "$")
	}
	return fmt.Sprintf(": $%s%s^{%s}%s$", minus, growthBase(f), strings.Trim(text.TeX, "$"), bounds)
}

// claimedRate formats a claim as t^p log^q t, or with T in place of t, or its other growth. CSV has
// the exponent p and the power q of the logarithm, or nothing.
func claimedRate(c algorithms.Claim, base string) table.Text {
	if c.Growth != "" {
		return table.Text{Plain: c.Growth, TeX: tex.OfUnicode(c.Growth), CSV: []string{"", ""}}
	}
	text := table.Text{Plain: strings.ReplaceAll(c.Rate(), "t", base),
		CSV: []string{table.Value(c.Exponent), table.Value(c.Log)}}
	power := fmt.Sprintf("%s^{%.3g}", base, c.Exponent)
	if c.Exponent == 0 {
		power = "1"
	}
	if c.Log != 0 {
		power = strings.TrimPrefix(power, "1") + `\log`
		if c.Log != 1 {
			power += fmt.Sprintf("^{%g}", c.Log)
		}
		power += " " + base
	}
	text.TeX = "$" + power + "$"
	return text
}

// verdictText formats the verdict on a claim: "▲ above t^0.5".
func verdictText(j analysis.Judgement) table.Text {
	text := table.Plain(nothing)
	if j.Verdict != "" {
		text.Plain = j.Verdict.Sign() + " " + j.Verdict.Word("the claim")
		text.TeX = tex.LaTeX(tex.Escape(text.Plain))
	}
	text.CSV = []string{string(j.Verdict), table.Value(float64(j.P)), "", ""}
	if f := j.Factor; f != nil {
		copy(text.CSV[2:], []string{table.Value(float64(f.Value)), table.Value(float64(f.Unit))})
	}
	return text
}

// boundCell formats how the values compare with the bound of a proof.
func boundCell(j analysis.Judgement) table.Text {
	b := j.Bound
	if b == nil {
		return table.Text{Plain: nothing, CSV: []string{"", "", "", "", "", ""}}
	}
	text := table.Plain(string(b.State))
	switch b.State {
	case analysis.Broken:
		text.Plain = fmt.Sprintf("broken at t = %g", b.T)
		if b.Replicate > 0 {
			text.Plain += fmt.Sprintf(", replicate %d", b.Replicate)
		}
		text.Plain += ": " + boundPercent(float64(b.Ratio.Value))
	case analysis.Held:
		text.Plain = "held"
		if b.Until > 0 {
			text.Plain += fmt.Sprintf(" to t = %d", b.Until)
		}
		text.Plain += fmt.Sprintf(", %s", boundPercent(float64(b.Ratio.Value)))
	case analysis.Unsettled:
		text.Plain = fmt.Sprintf("unsettled, %s", boundPercent(float64(b.Ratio.Value)))
	}
	where := []string{"", ""}
	if b.State != analysis.Unstated {
		where[0] = table.Value(b.T)
		if b.Replicate > 0 {
			where[1] = fmt.Sprint(b.Replicate)
		}
	}
	text.CSV = slices.Concat([]string{string(b.State)}, estimateValues(b.Ratio), where)
	return text
}

// claimLegend explains the signs of verdicts on claims.
func claimLegend() string {
	var all []string
	for _, v := range stats.Verdicts {
		all = append(all, v.Sign()+" "+v.Word("the claim"))
	}
	return strings.Join(all, " · ")
}

// claimCell returns a function that formats the judgement of a metric of a pair by format, or
// returns a dash if the algorithm claims nothing about the metric.
func claimCell(format func(*analysis.Pair, analysis.Judgement) table.Text) func(*analysisView,
	*analysis.Pair, analysis.Metric) table.Text {
	return func(_ *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
		j, ok := claimJudgement(p, m)
		if !ok {
			return table.Plain(nothing)
		}
		return format(p, j)
	}
}

// claimJudgement returns the judgement on what the algorithm of a pair claims about a metric; ok is
// false if it claims nothing.
func claimJudgement(p *analysis.Pair, m analysis.Metric) (j analysis.Judgement, ok bool) {
	for _, j := range p.Judgements() {
		if j.Metric == m.Name && j.Claim != nil {
			return *j, true
		}
	}
	return j, false
}

// finalMean formats the final mean of a metric of a pair, in bold if it leads significantly
// ([analysis.Analysis.LeadsOfKeepers]).
func finalMean(v *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
	s := p.Series[m.Name]
	if word := noNumber(s); word != "" {
		return table.Plain(word)
	}
	if s.State == analysis.Rounding {
		zero := s.Mean.Final()
		for _, number := range []*analysis.Number{&zero.Value, &zero.Lower, &zero.Upper} {
			if number.Defined() {
				*number = 0
			}
		}
		text := plusMinus(zero)
		text.CSV = estimateValues(s.Mean.Final())
		return markPartial(text, s.Replicates, s.Of)
	}
	text := markPartial(plusMinus(s.Mean.Final()), s.Replicates, s.Of)
	return boldIfLeading(v, text, p, m)
}

// boldIfLeading sets the text of a metric of a pair in bold if the pair leads by it, significantly
// and without warnings.
func boldIfLeading(v *analysisView, text table.Text, p *analysis.Pair,
	m analysis.Metric) table.Text {
	text.Bold = slices.ContainsFunc(v.leads, func(l analysis.Lead) bool {
		return l.Shown && l.Doubtful == nil && l.Algorithm == p.Algorithm && l.Problem == p.Problem &&
			l.Metric == m.Name
	})
	return text
}

// meanAt returns the text of the mean at t, in bold at the last round as [finalMean].
func meanAt(t float64) func(*analysisView, *analysis.Pair, analysis.Metric) table.Text {
	return func(v *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
		s := p.Series[m.Name]
		e, ok := s.Mean.At(t)
		if !ok {
			return table.Plain(cmp.Or(noNumber(s), nothing))
		}
		text := markPartial(plusMinus(e), s.Replicates, s.Of)
		if t == float64(v.Experiment.Last()) {
			text = boldIfLeading(v, text, p, m)
		}
		return text
	}
}

// claimText formats a claim about a metric as one of t or T.
func claimText(m analysis.Metric, c algorithms.Claim, base string) table.Text {
	text := claimedRate(c, base)
	text.Plain = shortMetric(m.Name) + " " + text.Plain
	text.TeX = strings.TrimPrefix(joinTexts(claimMetricText(m)).TeX, "vs ") + " " + text.TeX
	text.CSV = append([]string{string(m.Name)}, text.CSV...)
	return text
}

// standingBound formats how the values on all problems compare with the bound of a claim.
func standingBound(s analysis.Standing) table.Text {
	text := table.Plain(nothing)
	if s.Held+s.Broken+s.Unsettled > 0 {
		text.Plain = boundPercent(float64(s.Ratio))
		switch {
		case s.Broken > 0:
			text.Plain = "broken, " + text.Plain
		case s.Unsettled > 0:
			text.Plain = "unsettled, " + text.Plain
		}
	}
	text.CSV = []string{fmt.Sprint(s.Held), fmt.Sprint(s.Broken), fmt.Sprint(s.Unsettled),
		table.Value(float64(s.Ratio))}
	return text
}

// bothVerdict returns the sign of the verdict on keeping both regret and violation at √t, with the
// one of the two that has this verdict, or both.
func (v *analysisView) bothVerdict(p *analysis.Pair) table.Text {
	if p == nil {
		return table.Plain(notPlayed)
	}
	if p.SqrtVerdict == "" || p.SqrtVerdict == stats.TooLittle {
		return table.Plain(nothing)
	}
	focus := v.Focus.On(p.Problem)
	byRegret := p.Keeps() || p.Series[focus.Regret].SqrtVerdict == p.SqrtVerdict
	byViolation := p.Keeps() || p.Series[focus.Violation].SqrtVerdict == p.SqrtVerdict
	by := ""
	switch {
	case byRegret && byViolation:
		by = "both"
	case byRegret:
		by = "regret"
	case byViolation:
		by = "violation"
	}
	return markPartial(table.Plain(p.SqrtVerdict.Sign()+" "+by), p.Played, p.Replicates)
}

// bothSigns returns the signs of the verdicts on the growth of regret and of violation like √t,
// such as "✓, ▲".
func (v *analysisView) bothSigns(p *analysis.Pair) table.Text {
	if p.SqrtVerdict == "" {
		return table.Plain(nothing)
	}
	focus := v.Focus.On(p.Problem)
	return markPartial(table.Plain(signOf(p.Series[focus.Regret].SqrtVerdict)+", "+
		signOf(p.Series[focus.Violation].SqrtVerdict)), p.Played, p.Replicates)
}

// less and more are the words of a cell that compares an algorithm with the baseline.
const less, more = "less", "more"

// againstBaseline says whether an algorithm ends with less of a metric than the baseline on the
// same rounds: [less] or [more] where the difference is significant, "?" where it is not.
func againstBaseline(v *analysisView, p *analysis.Pair, m analysis.Metric) string {
	if p.Algorithm == v.Experiment.Baseline {
		return "baseline"
	}
	c, ok := v.Comparisons.Between(p.Algorithm, v.Experiment.Baseline, p.Problem, m.Name)
	switch {
	case !ok || c.State != analysis.Measured:
		return nothing
	case c.Sign < 0:
		return less
	case c.Sign > 0:
		return more
	}
	return stats.Undecided.Sign()
}

// addAsterisk adds an asterisk to a text about a pair whose problem does not meet an assumption of
// the algorithm. CSV gets none.
func addAsterisk(text table.Text, p *analysis.Pair) table.Text {
	if p == nil || len(p.Unmet) == 0 {
		return text
	}
	text.Plain += " *"
	if text.TeX != "" {
		text.TeX += "$^*$"
	}
	if text.Number != "" {
		if text.Small = slices.Clone(text.Small); text.Small == nil {
			text.Small = []string{""}
		}
		text.Small[0] += "$^*$"
	}
	return text
}

// claimVerdictCell returns the sign of the verdict on the claims of a pair, beside the first of its
// claims.
func claimVerdictCell(p *analysis.Pair, j analysis.Judgement) table.Text {
	text := table.Text{CSV: []string{string(p.ClaimVerdict)}}
	all := p.Judgements()
	first := slices.IndexFunc(all, func(other *analysis.Judgement) bool { return other.Claim != nil })
	if all[first].Metric == j.Metric {
		text.Plain = signOf(p.ClaimVerdict)
		text.TeX = tex.LaTeX(text.Plain)
	}
	return text
}

// meanAboveExponent formats the final mean of a metric of a pair with the judged exponent below it.
func meanAboveExponent(v *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
	s, cell := p.Series[m.Name], finalMean(v, p, m)
	if noNumber(s) != "" || !m.Fitted {
		return cell
	}
	exponent := exponentWithBase(s)
	cell.Below = &exponent
	return cell
}

// exponentBesideClaim formats the judged exponent of a metric of a pair with the sign of the
// verdict on the claim. CSV has the verdict on √t, too.
func exponentBesideClaim(_ *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
	s := p.Series[m.Name]
	onClaim, ok := claimJudgement(p, m)
	if !ok {
		onClaim.P = analysis.Number(math.NaN())
	}
	text := judgedExponent(s, onClaim.Verdict)
	text.CSV = append(judgedExponent(s, s.SqrtVerdict).CSV, verdictText(onClaim).CSV...)
	return text
}
