package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/table"
	"ocobench/stats"
)

// symbols are the symbols of the metrics in figures and TeX.
var symbols = map[algorithms.Metric]string{
	algorithms.RegretXMin:       `$\mathcal{R}_t(X^{\min}_t)$`,
	algorithms.RegretXHat:       `$\mathcal{R}_t(\hat{X}^{\max}_t)$`,
	algorithms.RegretXMax:       `$\mathcal{R}_t(X^{\max}_t)$`,
	algorithms.RegretXE:         `$\mathcal{R}_t(X^E)$`,
	algorithms.RegretDynamic:    `$\mathcal{R}^{\mathrm{d}}_t$`,
	"path_length":               `$P_t$`,
	"constraint_variation":      `$V_t$`,
	algorithms.SoftViolation:    `$\sum_j[\sum_i g_i^{(j)}(x_i)]_+$`,
	algorithms.HardViolation:    `$\sum_i\sum_j[g_i^{(j)}(x_i)]_+$`,
	algorithms.PenaltyViolation: `$\sum_i h_i(x_i)$`,
	algorithms.SquaredViolation: `$\sum_i\sum_j[g_i^{(j)}(x_i)]_+^2$`,
	algorithms.MaxViolation:     `$\max_{i,j}[g_i^{(j)}(x_i)]_+$`,
	"violation_signed":          `$\sum_i\sum_j g_i^{(j)}(x_i)$`,
	"violation_running":         `$\max_{\tau\le t}\sum_j[\sum_{i\le\tau} g_i^{(j)}(x_i)]_+$`,
}

// metricText returns the name of a metric in a table.
func metricText(m analysis.Metric) table.Text {
	if symbol := setSymbols[m.Set]; symbol != "" {
		return table.Text{Plain: m.Title, TeX: "regret vs " + symbol}
	}
	return table.Plain(m.Title)
}

// short returns the name of a metric without its kind, such as xhat or soft.
func short(m algorithms.Metric) string {
	_, name, _ := strings.Cut(string(m), "_")
	return name
}

// note returns a note in which TeX sets t^p and t^q as mathematics.
func note(s string) table.Text {
	return table.Text{Plain: s, TeX: powers.Replace(table.Prose(s))}
}

var powers = strings.NewReplacer(table.EscapeTeX("t^p"), "$t^p$", table.EscapeTeX("t^q"), "$t^q$")

// growthColumn returns a column of exponents. In CSV it is five columns: the
// estimate, the two ends of its interval, the shape of the growth, and the number of
// Replicates n.
func growthColumn(heading table.Text, name string) table.Column {
	return table.Column{Name: heading, Align: table.Right, CSV: append(estimateFields(name), name+"_shape", name+"_n")}
}

// estimateFields returns the names of the CSV columns of an estimate.
func estimateFields(name string) []string { return []string{name, name + "_lower", name + "_upper"} }

// estimateValues returns the values of these columns.
func estimateValues(e analysis.Estimate) []string {
	return []string{table.Value(float64(e.Value)), table.Value(float64(e.Lower)), table.Value(float64(e.Upper))}
}

// growth returns the cell of a series in a column of exponents.
func growth(s *analysis.Series) table.Text {
	blank := func(plain, shape string) table.Text {
		return table.Text{Plain: plain, CSV: []string{"", "", "", shape, fmt.Sprint(s.Replicates)}}
	}
	switch {
	case s == nil:
		return table.Plain("–")
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
		text, shape = table.Text{Plain: "0 (rounding)", TeX: "$0$", Small: []string{"rounding"}}, string(s.State)
	case f.Shape == stats.NonPositive && f.Negated != nil && f.Negated.Exponent.Value.Defined():
		f, shape = *f.Negated, "negative"
		text = interval(f)
		text.Plain = "−t^" + text.Plain
		text.Small = append(text.Small, `of $-t^p$`)
	default:
		text = fitText(f)
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
			text.TeX = table.EscapeTeX(strings.TrimSuffix(text.Plain, mark))
		}
	}
	return text
}

// fitText formats the fit of a mean that is not negative throughout.
func fitText(f analysis.Fit) table.Text {
	switch {
	case f.Shape == stats.NonPositive:
		share := fmt.Sprintf("%.0f", 100*f.NonPositive)
		return table.Text{Plain: "≤ 0 (" + share + " %)", TeX: `$\le 0$`, Small: []string{`at ` + share + `\,\%`}}
	case !f.Exponent.Value.Defined():
		return table.Plain("–")
	}
	n := interval(f)
	switch f.Shape {
	case stats.Bounded, stats.Transient:
		n.Plain += " " + string(f.Shape)
		n.Small = append(n.Small, string(f.Shape))
	case stats.Logarithmic:
		n.Plain += " log t"
		n.Small = append(n.Small, `$\log t$`)
	case stats.OffsetPower:
		p := fmt.Sprintf("%.2f", float64(f.Increments.Value))
		n.Plain += " a + b·t^" + p
		n.Small = append(n.Small, "$a + b\\,t^{"+p+"}$")
	}
	return n
}

// interval formats an exponent with its interval.
func interval(f analysis.Fit) table.Text {
	lower, upper := float64(f.Exponent.Lower), float64(f.Exponent.Upper)
	n := table.Interval(float64(f.Exponent.Value), lower, upper, 2)
	if math.IsNaN(lower) && math.IsNaN(upper) { // one replicate
		n = table.Number(float64(f.Exponent.Value), 2)
	}
	if f.Passing {
		n.Plain += " passing"
		n.Small = append(n.Small, "passing")
	}
	return n
}

// unresolved tells whether the replicates leave an end of the interval of an exponent
// open. The bootstrap can give an end beyond ±100, which is no bound either.
func unresolved(f analysis.Fit) bool {
	return math.Abs(float64(f.Exponent.Lower)) > 100 || math.Abs(float64(f.Exponent.Upper)) > 100
}

// rate formats a claim as t^p log^q t, or its other growth. CSV has the exponent p and
// the power q of the logarithm, or nothing.
func rate(c algorithms.Claim) table.Text {
	if c.Growth != "" {
		return table.Text{Plain: c.Growth, TeX: "$" + growthTeX(c.Growth) + "$", CSV: []string{"", ""}}
	}
	text := table.Text{Plain: c.Rate(), CSV: []string{table.Value(c.Exponent), table.Value(c.Log)}}
	tex := fmt.Sprintf("t^{%.3g}", c.Exponent)
	if c.Exponent == 0 {
		tex = "1"
	}
	if c.Log != 0 {
		tex = strings.TrimPrefix(tex, "1") + `\log`
		if c.Log != 1 {
			tex += fmt.Sprintf("^{%g}", c.Log)
		}
		tex += " t"
	}
	text.TeX = "$" + tex + "$"
	return text
}

// growthTeX writes the formula of a growth in TeX, such as √t(1 + P_t).
func growthTeX(growth string) string {
	growth = roots.ReplaceAllString(growth, `\sqrt{$1}`)
	growth = exponentsInBrackets.ReplaceAllString(growth, `^{$1}`)
	return strings.ReplaceAll(growth, "log", `\log`)
}

var roots, exponentsInBrackets = regexp.MustCompile(`√(\w)`), regexp.MustCompile(`\^\(([^()]*)\)`)

// plusMinus formats a mean and the half-width of its interval, with two digits of
// the half-width.
func plusMinus(e analysis.Estimate) table.Text {
	mean, half := float64(e.Value), float64(e.Upper-e.Value)
	if math.IsNaN(half) {
		text := table.Number(mean, 1)
		text.CSV = estimateValues(e)
		return text
	}
	d := decimals(half)
	text := table.Number(mean, d)
	text.Plain = fmt.Sprintf("%.*f ± %.*f", d, mean, d, half)
	text.CSV = estimateValues(e)
	text.Small = []string{fmt.Sprintf("$\\pm %.*f$", d, half)}
	if text.Number == "" { // too long for a column
		text.TeX, text.Small = "$"+scientific(mean)+"$", []string{"$\\pm " + scientific(half) + "$"}
	}
	return text
}

// scientific formats a number with three digits and a power of ten, in TeX.
func scientific(v float64) string {
	digits, exponent, _ := strings.Cut(fmt.Sprintf("%.2e", v), "e")
	return fmt.Sprintf(`%s\cdot 10^{%s}`, digits, strings.TrimLeft(strings.Replace(exponent, "-0", "-", 1), "+0"))
}

// decimals returns the number of decimals that show two digits of a half-width, at
// most 6.
func decimals(half float64) int {
	if !(half > 0) {
		return 0
	}
	return min(max(0, 1-int(math.Floor(math.Log10(half)))), 6)
}

// decimal formats an estimate with its interval, with the given number of decimals.
func decimal(e analysis.Estimate, decimals int) table.Text {
	text := table.Interval(float64(e.Value), float64(e.Lower), float64(e.Upper), decimals)
	text.CSV = estimateValues(e)
	return text
}

// places returns the number of decimals for an estimate, from the width of its
// interval or, if that is zero or infinite, from its value.
func places(e analysis.Estimate) int {
	half := float64(e.Upper-e.Lower) / 2
	if !(half > 0) || math.IsInf(half, 1) {
		half = math.Abs(float64(e.Value)) / 1000
	}
	return decimals(half)
}

// probability formats a p-value with three decimals.
func probability(p analysis.Number) table.Text {
	text := table.Plain("–")
	switch {
	case p > 0 && p < 0.001:
		text = table.Text{Plain: "< 0.001", TeX: "$<0.001$"}
	case p.Defined():
		text = table.Number(float64(p), 3)
	}
	text.CSV = []string{table.Value(float64(p))}
	return text
}
