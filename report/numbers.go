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

// estimateFields returns the names of the CSV columns of an estimate.
func estimateFields(name string) []string {
	return []string{name, name + "_lower", name + "_upper"}
}

// estimateValues returns the values of these columns.
func estimateValues(e analysis.Estimate) []string {
	return []string{table.Value(float64(e.Value)), table.Value(float64(e.Lower)),
		table.Value(float64(e.Upper))}
}

// rounding is the share of its scale below which a number is a rounding error.
const rounding = 1e-12

// rounded returns v, or 0 if it is below 1e-12 of the largest number of its scale.
func rounded(v float64, scale ...float64) float64 {
	largest := 0.0
	for _, s := range scale {
		if s = math.Abs(s); s > largest && !math.IsInf(s, 1) {
			largest = s
		}
	}
	if math.Abs(v) < rounding*largest {
		return 0
	}
	return v
}

// exact returns an estimate without rounding errors: of its numbers, and of its width.
func exact(e analysis.Estimate) analysis.Estimate {
	value, lower, upper := float64(e.Value), float64(e.Lower), float64(e.Upper)
	scale := []float64{value, lower, upper}
	if rounded(upper-lower, scale...) == 0 {
		lower, upper = value, value
	}
	return analysis.Estimate{Value: analysis.Number(rounded(value, scale...)),
		Lower: analysis.Number(rounded(lower, scale...)),
		Upper: analysis.Number(rounded(upper, scale...))}
}

// valueText formats an estimate of a metric, or a difference of two, with its interval.
func valueText(e analysis.Estimate) table.Text {
	shown := exact(e)
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
	shown := exact(e)
	text := table.Number(float64(shown.Value), float64(shown.Upper-shown.Value))
	text.CSV = estimateValues(e)
	return text
}

// probability formats a p-value.
func probability(p analysis.Number) table.Text {
	text := table.PValue(float64(p))
	text.CSV = []string{table.Value(float64(p))}
	return text
}

// percent formats the largest ratio of a metric to its bound. One that is not positive
// says that the metric never was.
func percent(v float64) string {
	switch {
	case v <= 0:
		return "≤ 0"
	case v > 1 && v < 1.005:
		return "> 100 %"
	}
	return table.Number(100*v, math.NaN()).Plain + " %"
}

// digits formats a number of a sentence, which has up to four digits.
func digits(v float64) string { return table.Trimmed(v, 4) }

// fixed formats an exponent.
func fixed(v float64) string { return table.Exponent(v, math.NaN(), math.NaN()).Plain }

func optional(v *float64) string {
	if v == nil {
		return "–"
	}
	return digits(*v)
}

// power formats a power of t, the exponent with its interval.
func power(e *diagnosis.Exponent) string {
	switch {
	case e.Value == nil:
		return "–"
	case e.Lower == nil || e.Upper == nil:
		return "t^" + fixed(*e.Value)
	}
	return fmt.Sprintf("t^%s [%s, %s]", fixed(*e.Value), fixed(*e.Lower), fixed(*e.Upper))
}

// coordinates formats the first coordinates of a point, and their number if there
// are more.
func coordinates(x []float64) string {
	const shown = 3
	var parts []string
	for i, v := range x {
		v = rounded(v, x...)
		if i == shown {
			parts = append(parts, fmt.Sprintf("… (%d)", len(x)))
			break
		}
		parts = append(parts, digits(v))
	}
	return strings.Join(parts, " ")
}

// notPlayed stands in a cell whose pair was not played.
const notPlayed = "·"

// judgedFields returns the names of the CSV columns of [judgedExponent]: the estimate, the two
// bounds, the verdict, and the number of replicates n.
func judgedFields(name string) []string {
	return append(estimateFields(name), name+"_verdict", name+"_n")
}

// judgedExponent returns the cell of the exponent by which the growth of a series is judged, with
// its bounds and the sign of a verdict: "0.73 [0.64, 0.82] ▲". What is never positive is "≤ 0 ✓".
// It is a dash where there is too little evidence, and the state of a series without a value.
func judgedExponent(s *analysis.Series, v stats.Verdict) table.Text {
	if s == nil {
		return table.Plain(notPlayed)
	}
	e, ok := s.Judged()
	text := table.Plain("–")
	switch {
	case s.NeverPositive():
		text = table.Text{Plain: "≤ 0 ✓", TeX: tex.LaTeX("≤ 0 ✓")}
	case s.State == analysis.Empty, s.State == analysis.Failed:
		text.Plain = string(s.State)
	case ok && v != stats.TooLittle:
		text = exponentText(e)
		if sign := v.Sign(); v != "" {
			text.Plain += " " + sign
			text.Small = append(slices.Clip(text.Small), tex.LaTeX(sign))
		}
	}
	text.CSV = append(estimateValues(e), string(cmp.Or(v, stats.Verdict(s.State))),
		fmt.Sprint(s.Replicates))
	return partial(text, s.Replicates, s.Of)
}

// shortExponent returns [judgedExponent] without the bounds: "t^0.73 ▲". The exponent is left out
// where its bounds are further apart than [widest], and the verdict undecided.
func shortExponent(s *analysis.Series) string {
	sign := s.SqrtVerdict.Sign()
	e, ok := s.Judged()
	switch {
	case s.NeverPositive():
		return "≤ 0 " + sign
	case !ok, s.SqrtVerdict == stats.TooLittle,
		s.SqrtVerdict == stats.Undecided && !(e.Upper-e.Lower <= widest) && s.Replicates > 1:
		return sign
	}
	return fmt.Sprintf("t^%s %s", fixed(float64(e.Value)), sign)
}

// widest is how far the bounds of an undecided exponent that is printed by itself may lie apart.
const widest = 0.5

// windowFields returns the names of the CSV columns of the growth over the whole window: the
// estimate, the two ends of its interval, the shape of the growth, and the number of replicates n.
func windowFields(name string) []string {
	return append(estimateFields(name), name+"_shape", name+"_n")
}

// windowGrowth returns the cell of the exponent over the whole window, with its interval and the
// shape of the growth. No verdict is about it.
func windowGrowth(s *analysis.Series) table.Text {
	blank := func(plain, shape string) table.Text {
		return table.Text{Plain: plain, CSV: []string{"", "", "", shape, fmt.Sprint(s.Replicates)}}
	}
	switch {
	case s == nil:
		return table.Plain(notPlayed)
	case s.State == analysis.Empty, s.State == analysis.Failed:
		return blank(string(s.State), string(s.State))
	case s.Fit == nil:
		return blank("–", string(s.State))
	}
	f := *s.Fit
	shape := string(f.Shape)
	var text table.Text
	switch {
	case s.State == analysis.Rounding:
		text, shape = table.Text{Plain: "≤ 0", TeX: `$\le 0$`}, string(s.State)
	case f.Shape == stats.NonPositive && f.Negated != nil && f.Negated.Exponent.Value.Defined():
		f, shape = *f.Negated, "negative"
		text = windowInterval(f)
		text.Plain = "−t^" + text.Plain
		text.Small = append(text.Small, `of $-t^p$`)
	default:
		text = shapedInterval(f)
	}
	if unresolved(f) {
		text = table.Text{Plain: "– (unresolved)", TeX: `\textendash{}`, Small: []string{"unresolved"}}
	}
	text.CSV = append(estimateValues(f.Exponent), shape, fmt.Sprint(f.Replicates))
	return partial(text, f.Replicates, s.Of)
}

// partial marks a cell whose numbers are from fewer replicates than were to be
// played.
func partial(text table.Text, have, of int) table.Text {
	if have > 0 && have < of {
		mark := fmt.Sprintf(" (%d of %d)", have, of)
		text.Plain += mark
		if text.Small = append(slices.Clip(text.Small), strings.TrimSpace(mark)); text.TeX == "" {
			text.TeX = tex.Escape(strings.TrimSuffix(text.Plain, mark))
		}
	}
	return text
}

// shapedInterval formats the growth over the window of a mean that is not negative throughout.
func shapedInterval(f analysis.Fit) table.Text {
	switch {
	case f.Shape == stats.NonPositive:
		share := fmt.Sprintf("%.0f", 100*f.NonPositive)
		return table.Text{Plain: "≤ 0 (" + share + " %)", TeX: `$\le 0$`,
			Small: []string{`at ` + share + `\,\%`}}
	case !f.Exponent.Value.Defined():
		return table.Plain("–")
	}
	n := windowInterval(f)
	switch f.Shape {
	case stats.Bounded, stats.Transient:
		n.Plain += " " + string(f.Shape)
		n.Small = append(n.Small, string(f.Shape))
	case stats.Logarithmic:
		n.Plain += " log t"
		n.Small = append(n.Small, `$\log t$`)
	case stats.OffsetPower:
		p := fixed(float64(f.Increments.Value))
		n.Plain += " a + b·t^" + p
		n.Small = append(n.Small, "$a + b\\,t^{"+p+"}$")
	}
	return n
}

// windowInterval formats the exponent over the window with its interval.
func windowInterval(f analysis.Fit) table.Text {
	n := exponentText(f.Exponent)
	if f.Superlinear {
		n.Plain += " passing"
		n.Small = append(n.Small, "passing")
	}
	return n
}

// unresolved reports whether the replicates leave an end of the interval of an exponent
// open. The bootstrap can give an end beyond ±100, which is no bound either.
func unresolved(f analysis.Fit) bool {
	return math.Abs(float64(f.Exponent.Lower)) > 100 || math.Abs(float64(f.Exponent.Upper)) > 100
}

// growthLabel returns the judged exponent of a series with its bounds, for a legend.
func growthLabel(s *analysis.Series) string {
	e, ok := s.Judged()
	if !ok || s.NeverPositive() {
		return ""
	}
	text := exponentText(e)
	bounds := ""
	for _, of := range text.Small {
		bounds += `\;` + strings.Trim(of, "$")
	}
	return fmt.Sprintf(": $t^{%s}%s$", strings.Trim(text.TeX, "$"), bounds)
}

// rate formats a claim as t^p log^q t, or its other growth. CSV has the exponent p and
// the power q of the logarithm, or nothing.
func rate(c algorithms.Claim) table.Text {
	if c.Growth != "" {
		return table.Text{Plain: c.Growth, TeX: tex.OfUnicode(c.Growth), CSV: []string{"", ""}}
	}
	text := table.Text{Plain: c.Rate(), CSV: []string{table.Value(c.Exponent), table.Value(c.Log)}}
	power := fmt.Sprintf("t^{%.3g}", c.Exponent)
	if c.Exponent == 0 {
		power = "1"
	}
	if c.Log != 0 {
		power = strings.TrimPrefix(power, "1") + `\log`
		if c.Log != 1 {
			power += fmt.Sprintf("^{%g}", c.Log)
		}
		power += " t"
	}
	text.TeX = "$" + power + "$"
	return text
}

// verdictText formats the verdict on a claim: "▲ above t^0.5".
func verdictText(j analysis.Judgement) table.Text {
	text := table.Plain("–")
	if j.Verdict != "" {
		text.Plain = j.Verdict.Sign() + " " + j.Verdict.Word("claim")
		text.TeX = tex.LaTeX(tex.Escape(text.Plain))
	}
	text.CSV = []string{string(j.Verdict), table.Value(float64(j.P)), "", ""}
	if f := j.Factor; f != nil {
		copy(text.CSV[2:], []string{table.Value(float64(f.Value)), table.Value(float64(f.Unit))})
	}
	return text
}

// bound formats what the values say of the bound of a proof.
func bound(j analysis.Judgement) table.Text {
	b := j.Bound
	if b == nil {
		return table.Text{Plain: "–", CSV: []string{"", "", "", "", "", ""}}
	}
	text := table.Plain(string(b.State))
	switch b.State {
	case analysis.Broken:
		text.Plain = fmt.Sprintf("broken at t = %g", b.T)
		if b.Replicate > 0 {
			text.Plain += fmt.Sprintf(", replicate %d", b.Replicate)
		}
		text.Plain += ": " + percent(float64(b.Ratio.Value))
	case analysis.Held:
		text.Plain = "held"
		if b.Until > 0 {
			text.Plain += fmt.Sprintf(" to t = %d", b.Until)
		}
		text.Plain += fmt.Sprintf(", %s", percent(float64(b.Ratio.Value)))
	case analysis.Unsettled:
		text.Plain = fmt.Sprintf("unsettled, %s", percent(float64(b.Ratio.Value)))
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

// judged returns the text of the judgement of a metric of a pair; it is a dash if the
// algorithm claims nothing about the metric.
func judged(text func(*analysis.Pair, analysis.Judgement) table.Text) func(*subject, *analysis.Pair,
	analysis.Metric) table.Text {
	return func(_ *subject, p *analysis.Pair, m analysis.Metric) table.Text {
		for _, j := range p.Judgements() {
			if j.Metric == m.Name && j.Claim != nil {
				return text(p, *j)
			}
		}
		return table.Plain("–")
	}
}

// finalMean is the final mean of a metric of a pair, in bold if it is significantly less
// than that of every other algorithm on the problem.
func finalMean(x *subject, p *analysis.Pair, m analysis.Metric) table.Text {
	s := p.Series[m.Name]
	switch s.State {
	case analysis.Measured:
	case analysis.Rounding:
		return partial(table.Text{Plain: "0", TeX: "$0$",
			CSV: estimateValues(s.Mean.Final())}, s.Replicates, s.Of)
	case analysis.Empty, analysis.Failed:
		return table.Plain(string(s.State))
	default:
		return table.Plain("–")
	}
	text := partial(plusMinus(s.Mean.Final()), s.Replicates, s.Of)
	return leading(x, text, p, m)
}

// leading sets the text of a significant lead in bold, with a question mark if it has warnings.
func leading(x *subject, text table.Text, p *analysis.Pair, m analysis.Metric) table.Text {
	k := slices.IndexFunc(x.leads, func(l analysis.Lead) bool {
		return l.Shown && l.Algorithm == p.Algorithm && l.Problem == p.Problem && l.Metric == m.Name
	})
	if text.Bold = k >= 0; text.Bold && x.leads[k].Warnings != nil {
		text.Small = append(slices.Clip(text.Small), "?")
	}
	return text
}

// meanAt returns the text of the mean at t, in bold at the last round as [finalMean].
func meanAt(t float64) func(*subject, *analysis.Pair, analysis.Metric) table.Text {
	return func(x *subject, p *analysis.Pair, m analysis.Metric) table.Text {
		s := p.Series[m.Name]
		e, ok := s.Mean.At(t)
		switch {
		case ok:
			text := partial(plusMinus(e), s.Replicates, s.Of)
			if t == float64(x.Experiment.Last()) {
				text = leading(x, text, p, m)
			}
			return text
		case s.State == analysis.Empty, s.State == analysis.Failed:
			return table.Plain(string(s.State))
		}
		return table.Plain("–")
	}
}

// claimText is a claim about a metric.
func claimText(m analysis.Metric, c algorithms.Claim) table.Text {
	text := rate(c)
	text.Plain = short(m.Name) + " " + text.Plain
	text.TeX = strings.TrimPrefix(join(ofMetric(m)).TeX, "vs ") + " " + text.TeX
	text.CSV = append([]string{string(m.Name)}, text.CSV...)
	return text
}

// standingBound is what the values of all problems say of the bound of a claim.
func standingBound(s analysis.Standing) table.Text {
	text := table.Plain("–")
	if s.Held+s.Broken+s.Unsettled > 0 {
		text.Plain = percent(float64(s.Ratio))
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
