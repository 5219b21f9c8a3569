package paper

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"ocobench/harness"
	"ocobench/paper/table"
	"ocobench/stats"
)

// A Versus is one algorithm held against the baseline, on the same streams: by
// one metric, of which less is better, on one problem.
type Versus struct {
	Algorithm, Problem, Metric string
	Design                     stats.Design

	// Mean and Baseline are the means of both at the last round.
	Mean, Baseline float64
	// Comparison has the differences, the algorithm less the baseline. It is
	// nil where there are no games to compare, or, as Empty tells, no regret
	// since the comparator set is empty.
	*stats.Comparison
	Empty bool

	// PFinal and PExponent are the p-values of no difference, adjusted by Holm
	// for all of the same call that are not NaN.
	PFinal, PExponent float64
}

// Compare holds every other algorithm of an experiment against the baseline, a
// SPEC, by each of the metrics on every problem that both have played.
//
// Replicate is paired with replicate. Where an algorithm of a pair needs the
// horizon and there are three horizons at least, both are followed across
// horizons, and else along t up to the last one. A bootstrap has so many
// samples that the smallest adjusted p-value is at most half of
// 1 − confidence. The result does not depend on the number of processors.
func Compare(ctx context.Context, r *harness.Results, baseline string, metrics []string) ([]Versus, error) {
	var all []Versus
	var curves [][2]stats.Curve
	k := slices.IndexFunc(r.Algorithms, func(a harness.Entrant) bool { return a.Spec == baseline })
	if k < 0 {
		panic("paper: Compare with a baseline that is not in the experiment")
	}
	for _, p := range r.Problems {
		if _, shown := entry(r, baseline, p.Spec); !shown {
			continue
		}
		for _, a := range r.Algorithms {
			if _, shown := entry(r, a.Spec, p.Spec); !shown || a.Spec == baseline {
				continue
			}
			for _, m := range metrics {
				c, d := pairedCurves(r, a, r.Algorithms[k], p.Spec, m)
				all = append(all, Versus{Algorithm: a.Spec, Problem: p.Spec, Metric: m, Design: d})
				curves = append(curves, c)
			}
		}
	}
	g := stats.Growth{Decades: r.Window, Confidence: r.Confidence}
	g.Resamples = max(stats.DefaultResamples, int(math.Ceil(float64(8*len(all))/(1-r.Confidence)))-1)
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				errs[i] = all[i].compare(g, curves[i])
			}
		})
	}
	for i := range all {
		if ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var ps []float64
	for i, v := range all {
		if errs[i] != nil {
			return nil, fmt.Errorf("%s of %s on %s: %w", v.Metric, v.Algorithm, v.Problem, errs[i])
		}
		final, exponent := math.NaN(), math.NaN()
		if v.Comparison != nil {
			final, exponent = v.Final.P(), v.Exponent.P()
		}
		ps = append(ps, final, exponent)
	}
	ps = stats.Holm(ps)
	for i := range all {
		all[i].PFinal, all[i].PExponent = ps[2*i], ps[2*i+1]
	}
	return all, nil
}

// compare fills in what the curves, of the algorithm and of the baseline, say.
func (v *Versus) compare(g stats.Growth, c [2]stats.Curve) error {
	v.Mean, v.Baseline = math.NaN(), math.NaN()
	if v.Empty = hasNaN(c[0]) || hasNaN(c[1]); v.Empty || len(c[0].T) < 2 || len(c[0].Y) == 0 {
		return nil
	}
	g.Design = v.Design
	said, err := g.Compare(c[0], c[1])
	v.Comparison, v.Mean, v.Baseline = &said, finalMean(c[0]), finalMean(c[1])
	return err
}

// finalMean is the mean of the last values.
func finalMean(c stats.Curve) float64 {
	sum := 0.0
	for _, y := range c.Y {
		sum += y[len(y)-1]
	}
	return sum / float64(len(c.Y))
}

// pairedCurves are those of an algorithm and of the baseline, of the
// replicates of which both have all games. What is rounding errors is zero.
func pairedCurves(r *harness.Results, algorithm, baseline harness.Entrant, problem, metric string) (pair [2]stats.Curve, d stats.Design) {
	horizons, d := r.Horizon[len(r.Horizon)-1:], stats.AlongT
	if len(r.Horizon) >= 3 && !(algorithm.Anytime && baseline.Anytime) {
		horizons, d = r.Horizon, stats.AcrossT
	}
	type which struct {
		algorithm          string
		replicate, horizon int
	}
	values := make(map[which][]float64)
	for _, g := range r.Games {
		if g.Problem == problem && (g.Algorithm == algorithm.Spec || g.Algorithm == baseline.Spec) && slices.Contains(horizons, g.Horizon) {
			values[which{g.Algorithm, g.Replicate, g.Horizon}] = g.Metric(metric)
			if d == stats.AlongT {
				pair[0].T, pair[1].T = g.T, g.T
			}
		}
	}
	if d == stats.AcrossT {
		for _, h := range horizons {
			pair[0].T, pair[1].T = append(pair[0].T, float64(h)), append(pair[1].T, float64(h))
		}
	}
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		var rows [2][]float64
		for i, a := range []harness.Entrant{algorithm, baseline} {
			for _, h := range horizons {
				v := values[which{a.Spec, replicate, h}]
				if d == stats.AcrossT && v != nil {
					v = v[len(v)-1:]
				}
				rows[i] = append(rows[i], v...)
			}
		}
		if n := len(pair[0].T); len(rows[0]) == n && len(rows[1]) == n {
			pair[0].Y, pair[1].Y = append(pair[0].Y, rows[0]), append(pair[1].Y, rows[1])
		}
	}
	for i := range pair {
		if negligible(pair[i]) {
			for k := range pair[i].Y {
				pair[i].Y[k] = make([]float64, len(pair[i].T))
			}
		}
	}
	return pair, d
}

// VersusTable is the table of a comparison with a baseline.
func VersusTable(r *harness.Results, baseline string, all []Versus) *table.Table {
	t := &table.Table{
		Title: table.Plain(fmt.Sprintf("Against %s on the same rounds, experiment %s", baseline, r.Name)),
		Label: "tab:" + r.Name + "-versus",
		Columns: []table.Column{
			{Name: table.Plain("problem")}, {Name: table.Plain("algorithm")}, {Name: table.Plain("metric")},
			{Name: table.Plain("baseline"), Align: table.Right}, {Name: table.Plain("difference"), Align: table.Right}, {Name: table.Plain("p"), Align: table.Right},
			{Name: table.Plain("of exponents"), Align: table.Right}, {Name: table.Plain("p"), Align: table.Right},
			{Name: table.Plain("P(less)"), Align: table.Right},
		},
	}
	tested := 0
	designs := make(map[stats.Design]stats.Window)
	for _, v := range all {
		name, _ := entry(r, v.Algorithm, v.Problem)
		row := []table.Text{table.Plain(v.Problem), table.Plain(name), metricText(v.Metric)}
		switch {
		case v.Empty:
			row = append(row, table.Plain("empty"), table.Plain(""), table.Plain(""), table.Plain(""), table.Plain(""), table.Plain(""))
		case v.Comparison == nil:
			row = append(row, table.Plains("–", "–", "–", "–", "–", "–")...)
		default:
			designs[v.Design] = v.Window
			final, exponent := v.Final.Estimate, v.Exponent.Estimate
			row = append(row, table.Number(v.Baseline, places(final)), table.Interval(final.Value, final.Lower, final.Upper, places(final)), pValue(v.PFinal))
			if math.IsNaN(exponent.Value) {
				row = append(row, table.Plain("–"), table.Plain("–"))
			} else {
				row = append(row, table.Interval(exponent.Value, exponent.Lower, exponent.Upper, 2), pValue(v.PExponent))
			}
			row = append(row, table.Interval(v.Improvement.Value, v.Improvement.Lower, v.Improvement.Upper, 2))
		}
		for _, p := range []float64{v.PFinal, v.PExponent} {
			if !math.IsNaN(p) {
				tested++
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for _, d := range []stats.Design{stats.AlongT, stats.AcrossT} {
		if w, ok := designs[d]; ok {
			how := "along t"
			if d == stats.AcrossT {
				how = fmt.Sprintf("across %d horizons, where one of the two needs the horizon", len(r.Horizon))
			}
			t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("Exponents on [%g, %g], %s.", w.From, w.To, how)))
		}
	}
	t.Notes = append(t.Notes,
		table.Plain(fmt.Sprintf("Mean of the baseline at T = %d, and the algorithm's mean less it: below 0 the algorithm is better. %g %% intervals over pairs of %s.", r.Horizon[len(r.Horizon)-1], 100*r.Confidence, replicates(r))),
		table.Plain(fmt.Sprintf("p: of no difference, adjusted by Holm for the %d p-values of the table. P(less): the probability that a replicate ends below its partner; –: no exponents, as a mean is not positive throughout.", tested)),
	)
	t.Notes = append(append(t.Notes, unmetNotes(r)...), provenance(r))
	return t
}

// metricText is how a table names a metric.
func metricText(name string) table.Text {
	for _, m := range metrics {
		if m.Name == name {
			return table.Text{Plain: m.Plain, TeX: m.Symbol}
		}
	}
	return table.Plain(name)
}

// pValue prints as many digits as a p-value deserves.
func pValue(p float64) table.Text {
	switch {
	case math.IsNaN(p):
		return table.Plain("–")
	case p > 0 && p < 0.001:
		return table.Text{Plain: "< 0.001", TeX: "$<0.001$"}
	}
	return table.Number(p, 3)
}

// places are the decimals that an estimate deserves, from its interval or, if
// that has no width, from its value.
func places(e stats.Estimate) int {
	half := (e.Upper - e.Lower) / 2
	if !(half > 0) || math.IsInf(half, 1) {
		half = math.Abs(e.Value) / 1000
	}
	return decimals(half)
}
