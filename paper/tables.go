package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/harness"
	"ocobench/paper/table"
	"ocobench/stats"
)

// Metric is a metric as a paper names it.
type Metric struct {
	Name   string // in an export
	Symbol string // TeX
	Plain  string
}

// metrics are what tables and figures show, in order.
var metrics = []Metric{
	{"regret_xhat", `$\mathcal{R}_t(\hat{X}^{\max}_t)$`, "regret vs X̂max"},
	{"violation_soft", `$\sum_j[\sum_i g_i^{(j)}(x_i)]_+$`, "soft violation"},
	{"violation_penalty", `$\sum_i h_i(x_i)$`, "penalty violation"},
	{"violation_hard", `$\sum_i\sum_j[g_i^{(j)}(x_i)]_+$`, "hard violation"},
	{"violation_signed", `$\sum_i\sum_j g_i^{(j)}(x_i)$`, "signed sum"},
	{"violation_running", `$\max_{\tau\le t}\sum_j[\sum_{i\le\tau} g_i^{(j)}(x_i)]_+$`, "running maximum"},
}

// exponentMetrics are those whose growth is fitted.
var exponentMetrics = metrics[:4]

// hasNaN tells whether a curve is undefined somewhere, which a regret is
// where its comparator set is empty.
func hasNaN(c stats.Curve) bool {
	for _, y := range c.Y {
		for _, v := range y {
			if math.IsNaN(v) {
				return true
			}
		}
	}
	return false
}

// Exponents is the table of growth exponents of an experiment: of the mean
// regret and of each notion of violation.
func Exponents(r *harness.Results) (*table.Table, error) {
	t := &table.Table{
		Title:   table.Plain(fmt.Sprintf("Growth exponents, experiment %s", r.Name)),
		Label:   "tab:" + r.Name + "-exponents",
		Columns: []table.Column{{Name: table.Plain("problem")}, {Name: table.Plain("algorithm")}},
	}
	for _, m := range exponentMetrics {
		t.Columns = append(t.Columns, table.Column{Name: table.Text{Plain: m.Plain, TeX: m.Symbol}, Align: table.Right})
	}
	designs := make(map[stats.Design]stats.Window)
	err := pairs(r, func(a harness.Entrant, problem, name string) error {
		row := table.Plains(problem, name)
		for _, m := range exponentMetrics {
			cell, f, err := growthOf(r, a, problem, m.Name)
			if err != nil {
				return err
			}
			if f.Points > 0 {
				designs[f.Design] = f.Window
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
		return nil
	})
	t.Notes = append(fitNotes(r, designs), unmetNotes(r)...)
	return t, err
}

// Overview is the table of growth exponents of a comparison: a column for each
// algorithm, and a row for each problem and metric. It is nil for other
// experiments.
func Overview(r *harness.Results) (*table.Table, error) {
	if !comparison(r) {
		return nil, nil
	}
	t := &table.Table{
		Title:   table.Plain(fmt.Sprintf("Growth exponents of regret and violation, experiment %s", r.Name)),
		Label:   "tab:" + r.Name + "-overview",
		Columns: []table.Column{{Name: table.Plain("problem")}, {Name: table.Plain("metric")}},
	}
	for _, a := range r.Algorithms {
		t.Columns = append(t.Columns, table.Column{Name: table.Plain(a.Spec), Align: table.Right})
	}
	designs := make(map[stats.Design]stats.Window)
	for _, p := range r.Problems {
		for _, m := range exponentMetrics[:3] {
			row := []table.Text{table.Plain(p.Spec), {Plain: m.Plain, TeX: m.Symbol}}
			for _, a := range r.Algorithms {
				name, shown := entry(r, a.Spec, p.Spec)
				if !shown {
					row = append(row, table.Plain("not played"))
					continue
				}
				cell, f, err := growthOf(r, a, p.Spec, m.Name)
				if err != nil {
					return nil, err
				}
				if f.Points > 0 {
					designs[f.Design] = f.Window
				}
				if name != a.Spec {
					if cell.Plain += " *"; cell.TeX != "" {
						cell.TeX += " *"
					}
				}
				row = append(row, cell)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = append(fitNotes(r, designs), unmetNotes(r)...)
	return t, nil
}

// pairs calls yield for every pair of an algorithm and a problem that was
// played, with the algorithm's name in a table.
func pairs(r *harness.Results, yield func(a harness.Entrant, problem, name string) error) error {
	for _, p := range r.Problems {
		for _, a := range r.Algorithms {
			if name, shown := entry(r, a.Spec, p.Spec); shown {
				if err := yield(a, p.Spec, name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// growthOf fits the growth of one metric of a pair and says it in a cell.
func growthOf(r *harness.Results, a harness.Entrant, problem, metric string) (table.Text, stats.Fit, error) {
	c, d := r.Growth(a, problem, metric)
	cell, f, err := exponent(c, stats.Growth{Design: d, Decades: r.Window, Confidence: r.Confidence})
	if err != nil {
		return cell, f, fmt.Errorf("%s of %s on %s: %w", metric, a.Spec, problem, err)
	}
	return cell, f, nil
}

// note is a note with t^p and t^q set as mathematics.
func note(s string) table.Text {
	return table.Text{Plain: s, TeX: powers.Replace(table.EscapeTeX(s))}
}

var powers = strings.NewReplacer(table.EscapeTeX("t^p"), "$t^p$", table.EscapeTeX("t^q"), "$t^q$")

// readings say what stands for an exponent in a cell.
const readings = "bounded: no growth that the interval admits; log t: the mean grows as a + b·log t; a + b·t^q: as that, rather than as t^p; transient: the local exponent drifts along the window; −t^p: the mean is negative and its size grows so; ≤ 0: the mean is not positive at that share of the window's points, and has no exponent"

// fitNotes say what the exponents of a table are.
func fitNotes(r *harness.Results, designs map[stats.Design]stats.Window) (notes []table.Text) {
	for _, d := range []stats.Design{stats.AlongT, stats.AcrossT} {
		w, ok := designs[d]
		if !ok {
			continue
		}
		how := fmt.Sprintf("along t, horizon %d", r.Horizon[len(r.Horizon)-1])
		if d == stats.AcrossT {
			how = fmt.Sprintf("across %d horizons, each with parameters of its own", len(r.Horizon))
			if len(designs) > 1 {
				how += ", for algorithms that need the horizon"
			}
		}
		notes = append(notes, note(fmt.Sprintf("Exponent p of mean ~ t^p on [%g, %g], %s; %g %% interval over %s.", w.From, w.To, how, 100*r.Confidence, replicates(r))))
	}
	return append(notes,
		note(readings+"; 0 (rounding): at most 1e-9 a round; empty: there is no comparator."),
		provenance(r))
}

// entry is how a table names an algorithm on a problem, with a star where the
// problem does not meet its assumptions, and whether it is in tables: a pair
// whose games failed is, one that was not to be played is not.
func entry(r *harness.Results, algorithm, problem string) (name string, shown bool) {
	if !slices.ContainsFunc(r.Unmet, func(u harness.Unmet) bool { return u.Algorithm == algorithm && u.Problem == problem }) {
		return algorithm, true
	}
	played := slices.ContainsFunc(r.Games, func(g *harness.Game) bool { return g.Algorithm == algorithm && g.Problem == problem })
	return algorithm + " *", played
}

// unmetNotes say which pairs were not played, or are starred.
func unmetNotes(r *harness.Results) (notes []table.Text) {
	for _, u := range r.Unmet {
		note := "Not played: "
		if _, played := entry(r, u.Algorithm, u.Problem); played {
			note = "* "
		}
		notes = append(notes, table.Plain(note+u.String()+"."))
	}
	return notes
}

func replicates(r *harness.Results) string {
	if r.Replicates == 1 {
		return "1 replicate"
	}
	return fmt.Sprintf("%d replicates", r.Replicates)
}

// negligible tells that a curve is rounding errors that add up: nowhere more
// than what is negligible.
func negligible(c stats.Curve) bool {
	nonzero := false
	for _, y := range c.Y {
		for k, v := range y {
			if math.Abs(v) > harness.Negligible*c.T[k] {
				return false
			}
			nonzero = nonzero || v != 0
		}
	}
	return nonzero
}

// exponent fits one curve and says it in a cell.
func exponent(c stats.Curve, g stats.Growth) (table.Text, stats.Fit, error) {
	switch {
	case len(c.Y) == 0 || len(c.T) < 2:
		return table.Plain("–"), stats.Fit{}, nil
	case hasNaN(c):
		return table.Plain("empty"), stats.Fit{}, nil
	}
	f, err := g.Fit(c)
	if err != nil {
		return table.Text{}, f, err
	}
	if negligible(c) {
		f.Verdict, f.Exponent, f.Lower, f.Upper, f.Negated = stats.Bounded, 0, 0, 0, nil
		clear(f.Own)
		return table.Plain("0 (rounding)"), f, nil
	}
	return growthText(f), f, nil
}

// interval is an exponent with its interval. An end beyond ±100, which a
// bootstrap may come to, is no bound.
func interval(f stats.Fit) table.Text {
	const none = 100
	lower, upper := f.Lower, f.Upper
	if lower < -none {
		lower = math.Inf(-1)
	}
	if upper > none {
		upper = math.Inf(1)
	}
	return table.Interval(f.Exponent, lower, upper, 2)
}

// growthText says in a cell how a curve grows.
func growthText(f stats.Fit) table.Text {
	switch {
	case f.Verdict == stats.NonPositive && f.Negated != nil && !math.IsNaN(f.Negated.Exponent):
		n := interval(*f.Negated)
		return table.Text{Plain: "−t^" + n.Plain, TeX: `$-t^p$, ` + n.TeX}
	case f.Verdict == stats.NonPositive:
		share := fmt.Sprintf("%.0f", 100*f.NonPositive)
		return table.Text{Plain: "≤ 0 (" + share + " %)", TeX: `$\le 0$ (` + share + `\,\%)`}
	case math.IsNaN(f.Exponent):
		return table.Plain("–")
	}
	n := interval(f)
	switch f.Verdict {
	case stats.Bounded, stats.Transient:
		n.Plain += " " + string(f.Verdict)
		n.TeX += " " + string(f.Verdict)
	case stats.Logarithmic:
		n.Plain += " log t"
		n.TeX += ` $\log t$`
	case stats.OffsetPower:
		p := fmt.Sprintf("%.2f", f.Increments.Value)
		n.Plain += " a + b·t^" + p
		n.TeX += " $a + b\\,t^{" + p + "}$"
	}
	return n
}

// Means is the table of the means of a metric at the powers of ten, with the
// half-widths of their intervals.
func Means(r *harness.Results, m Metric) (*table.Table, error) {
	t := &table.Table{
		Title:   table.Text{Plain: fmt.Sprintf("Mean %s, experiment %s", m.Plain, r.Name)},
		Label:   "tab:" + r.Name + "-" + m.Name,
		Columns: []table.Column{{Name: table.Plain("problem")}, {Name: table.Plain("algorithm")}},
	}
	last := r.Horizon[len(r.Horizon)-1]
	var at []float64
	for p := 100; p < last; p *= 10 {
		at = append(at, float64(p))
	}
	at = append(at, float64(last))
	for _, v := range at {
		t.Columns = append(t.Columns, table.Column{Name: table.Plain(fmt.Sprintf("t = %g", v)), Align: table.Right})
	}
	err := pairs(r, func(a harness.Entrant, problem, name string) error {
		row := table.Plains(problem, name)
		ts, y := r.Curve(a.Spec, problem, last, m.Name)
		c := stats.Curve{T: ts, Y: y}
		var band stats.Band
		empty := hasNaN(c)
		if !empty && len(y) > 0 {
			var err error
			if band, err = c.Band(r.Confidence); err != nil {
				return fmt.Errorf("%s of %s on %s: %w", m.Name, a.Spec, problem, err)
			}
		}
		for _, v := range at {
			cell := table.Plain("–")
			for k, t := range ts {
				switch {
				case t != v:
				case empty:
					cell = table.Plain("empty")
				default:
					cell = plusMinus(band.Mean[k], band.Upper[k]-band.Mean[k])
				}
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
		return nil
	})
	t.Notes = append(t.Notes,
		table.Plain(fmt.Sprintf("Mean and half-width of its %g %% interval over %s.", 100*r.Confidence, replicates(r))),
		provenance(r))
	return t, err
}

// plusMinus writes a mean with as many digits as its half-width deserves.
func plusMinus(mean, half float64) table.Text {
	if math.IsNaN(half) {
		return table.Number(mean, 1)
	}
	d := decimals(half)
	return table.Text{
		Plain: fmt.Sprintf("%.*f ± %.*f", d, mean, d, half),
		TeX:   fmt.Sprintf("$%.*f \\pm %.*f$", d, mean, d, half),
	}
}

// decimals show two digits of a half-width, within reason.
func decimals(half float64) int {
	if !(half > 0) {
		return 0
	}
	return min(max(0, 1-int(math.Floor(math.Log10(half)))), 6)
}

// provenance is the note that every table ends with.
func provenance(r *harness.Results) table.Text {
	p := harness.Provenance()
	return table.Plain(fmt.Sprintf("Experiment %s, seed %d; ocobench %s, %s, %s.", r.Name, r.Seed, p.Version, p.Go, p.GOARCH) + tunedNote(r))
}
