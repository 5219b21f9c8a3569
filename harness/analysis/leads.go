package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/host"
	"ocobench/stats"
)

// Lead is the algorithm with the smallest final mean of a metric on a problem.
type Lead struct {
	Problem   string            `json:"problem"` // SPECs
	Metric    algorithms.Metric `json:"metric"`
	Algorithm string            `json:"algorithm"`
	// Others is the number of algorithms that it is tested against, replicate by
	// replicate on the same rounds.
	Others int `json:"others"`
	// P is the largest of the p-values of no difference from one of them, corrected by
	// Holm for all of them: null where chance has no part.
	P Number `json:"p"`
	// Significant reports that P is at most 1 − confidence or, where chance has no part,
	// that the mean is less than all others.
	Significant bool `json:"significant"`
}

// leads returns the leading algorithm by every metric that is shown or fitted, on every
// problem on which two algorithms have the metric.
func (a *Analysis) leads(ctx context.Context, r *harness.Results) ([]Lead, error) {
	all := []Lead{}
	for _, problem := range a.Problems {
		for _, m := range a.Metrics {
			if !m.Shown && !m.Fitted || m.OfRounds {
				continue
			}
			var with []*Pair
			for i := range a.Pairs {
				p := &a.Pairs[i]
				if s := p.Series[m.Name]; p.Problem == problem.Spec && s.Known() {
					with = append(with, p)
				}
			}
			if len(with) < 2 {
				continue
			}
			first := slices.MinFunc(with, func(p, q *Pair) int {
				return cmp.Compare(p.final(m.Name), q.final(m.Name))
			})
			all = append(all, Lead{Problem: problem.Spec, Metric: m.Name, Algorithm: first.Algorithm,
				Others: len(with) - 1})
		}
	}
	return all, host.Each(ctx, len(all), func(i int) error { return all[i].test(a, r) })
}

// final is the mean of a metric at the last round, 0 if that is rounding.
func (p *Pair) final(m algorithms.Metric) Number {
	if s := p.Series[m]; s.State == Measured {
		return s.Mean.Last().Value
	}
	return 0
}

// test fills in what the paired tests say.
func (l *Lead) test(a *Analysis, r *harness.Results) error {
	first := a.Pair(l.Algorithm, l.Problem)
	g := stats.Growth{Design: stats.AlongT, Confidence: r.Confidence}
	g.Resamples = max(stats.DefaultResamples, int(math.Ceil(float64(8*l.Others)/(1-r.Confidence)))-1)
	var ps []float64
	l.P, l.Significant = none, true
	for i := range a.Pairs {
		p := &a.Pairs[i]
		if s := p.Series[l.Metric]; p == first || p.Problem != l.Problem || !s.Known() {
			continue
		}
		if first.Deterministic && p.Deterministic {
			l.Significant = l.Significant && first.final(l.Metric) < p.final(l.Metric)
			continue
		}
		curves, _ := r.Growth(l.Problem, l.Metric, first.entrant, p.entrant)
		pValue := math.NaN()
		if len(curves[0].Y) > 1 && len(curves[0].T) > 1 {
			for k, of := range []*Pair{first, p} {
				if of.Series[l.Metric].State == Rounding {
					curves[k].Y = zeros(len(curves[k].Y), len(curves[k].T))
				}
				curves[k] = ending(curves[k])
			}
			c, err := g.Compare(curves[0], curves[1])
			if err != nil {
				return fmt.Errorf("%s on %s: %w", l.Metric, l.Problem, err)
			}
			pValue = c.Final.P()
		}
		l.Significant = l.Significant && !math.IsNaN(pValue)
		ps = append(ps, pValue)
	}
	for _, p := range stats.Holm(ps) {
		if !(float64(l.P) >= p) {
			l.P = Number(p)
		}
		l.Significant = l.Significant && p <= 1-r.Confidence
	}
	return nil
}

// ending returns the last two points of a curve, since a test of the final values uses no
// others and a curve has many points.
func ending(c stats.Curve) stats.Curve {
	last := len(c.T) - 2
	out := stats.Curve{T: c.T[last:]}
	for _, y := range c.Y {
		out.Y = append(out.Y, y[last:])
	}
	return out
}

// Leading reports whether an algorithm has significantly less of a metric on a problem than
// every other.
func (a *Analysis) Leading(algorithm, problem string, m algorithms.Metric) bool {
	return slices.ContainsFunc(a.Leads, func(l Lead) bool {
		return l.Significant && l.Algorithm == algorithm && l.Problem == problem && l.Metric == m
	})
}
