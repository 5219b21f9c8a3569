package claims

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"ocobench/report/table"
)

// This file makes findings: from ratios to a bound ([Worst]), from several findings, and with
// numbers written as in tables.

// exact and rounding are the tolerances of [Worst.Finding] for ratios that are exact, or so far
// from 1 that rounding does not matter, and for those that rounding may lift above 1.
const exact, rounding = 0, 1e-9

// Worst keeps the largest ratio of what is measured to a bound, and where it was. NaN is
// larger than every number. The zero value is ready.
type Worst struct {
	Ratio float64
	At    string  // the place of the largest ratio, such as "$t=3$ of stream 7"; TeX
	seen  int     // how many ratios were added
	sum   float64 // of all ratios
}

// Add takes another ratio into account. At says where it is, and is formatted only if the ratio is
// the largest so far.
func (w *Worst) Add(ratio float64, at string, args ...any) {
	if w.seen == 0 || !math.IsNaN(w.Ratio) && !(ratio <= w.Ratio) {
		w.Ratio, w.At = ratio, fmt.Sprintf(at, args...)
	}
	w.seen++
	w.sum += ratio
}

// Finding returns a finding that survives if the largest ratio is at most 1 + tolerance, refutes if
// it is larger, and is undecided without ratios. Its text is the text given, the ratio and its
// place.
func (w *Worst) Finding(text string, tolerance float64) Finding {
	f := Finding{Outcome: Survives, Ratios: *w,
		Text: fmt.Sprintf("%s at most %.4g times the bound, at %s", text, w.Ratio, w.At)}
	if !(w.Ratio <= 1+tolerance) {
		f.Outcome, f.Text = Refutes, fmt.Sprintf("%s %.4g times the bound, at %s", text, w.Ratio, w.At)
	}
	if w.seen == 0 {
		f = Finding{Outcome: Undecided, Text: "nothing was looked at"}
	}
	return f
}

// withWorst returns the finding with Ratios set to the worst of several measurements.
func (f Finding) withWorst(parts ...*Worst) Finding {
	f.Ratios = worstOf(parts...)
	return f
}

// worstOf returns the worst over the ratios of several measurements.
func worstOf(parts ...*Worst) (worst Worst) {
	seen, sum := 0, 0.
	for _, w := range parts {
		if w.seen > 0 {
			worst.Add(w.Ratio, "%s", w.At)
		}
		seen, sum = seen+w.seen, sum+w.sum
	}
	worst.seen, worst.sum = seen, sum // not of the worst ones alone, which Add has counted
	return worst
}

// combine returns a finding with the texts of f and g. Its outcome is that of g, or that of f if g
// survives.
func (f Finding) combine(g Finding) Finding {
	f.Text += "; " + g.Text
	if g.Outcome != Survives {
		f.Outcome = g.Outcome
	}
	return f
}

// addSentence adds a sentence to the text, after the separator between if there is a text.
func (f *Finding) addSentence(between, format string, args ...any) {
	if f.Text != "" {
		f.Text += between
	}
	f.Text += fmt.Sprintf(format, args...)
}

// refutesIf returns Refutes if there is a counterexample, and else Survives.
func refutesIf(counterexample bool) Outcome { return refutesOr(counterexample, Survives) }

// refutesOr returns Refutes if there is a counterexample, and else the other outcome.
func refutesOr(counterexample bool, otherwise Outcome) Outcome {
	if counterexample {
		return Refutes
	}
	return otherwise
}

// numberWithE matches a number such as 9.2e+03, its second group, unless it is part of a word or
// the value of a parameter, as in gamma=1e+03.
var numberWithE = regexp.MustCompile(`(^|[^=\w.-])(-?\d(?:\.\d+)?e[+-]\d+)`)

// withoutE returns a text in TeX with numbers such as 9.2e+03 written as in tables, 9.2·10³.
func withoutE(text string) string {
	var out strings.Builder
	done := 0 // text[:done] is in out
	for _, at := range numberWithE.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[4], at[5] // the second group
		v, err := strconv.ParseFloat(text[from:to], 64)
		if err != nil {
			continue
		}
		mantissa, _, _ := strings.Cut(text[from:to], "e")
		digits := len(strings.Trim(strings.Replace(mantissa, ".", "", 1), "-"))
		number := table.Precise(v, digits).TeX
		if strings.Count(text[:from], "$")%2 == 1 { // inside of dollar signs already
			number = strings.Trim(number, "$")
		}
		out.WriteString(text[done:from] + number)
		done = to
	}
	return out.String() + text[done:]
}
