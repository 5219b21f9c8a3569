package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/run"
	"ocobench/harness/run/process"
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
	// P is the largest of the p-values of no difference from one of them, corrected for all
	// of them by joint sign flips ([stats.JointFlips]): null where chance has no part.
	P Number `json:"p"`
	// Significant reports that P is at most 1 − confidence or, where chance has no part,
	// that the mean is less than all others.
	Significant bool `json:"significant"`
	// Needs is the number of replicates below which no lead is significant, where chance has a
	// part.
	Needs int `json:"needs"`
	// Warnings say why a significant lead may be none, such as skewed differences from
	// another algorithm.
	Warnings []string `json:"warnings"`
}

// leads returns the leading algorithm by every metric that is shown or fitted, on every problem on
// which two algorithms have the metric.
func (a *Analysis) leads(ctx context.Context, r *run.Results, g boundInputs) ([]Lead, error) {
	all := []Lead{}
	for _, problem := range a.Problems {
		for _, m := range a.Metrics {
			if !(m.Shown || m.Fitted) || m.OfRounds {
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
	return all, process.Each(ctx, len(all), func(i int) error {
		defer g.did(1)
		return all[i].test(a, r)
	})
}

// final is the mean of a metric at the last round, 0 if that is rounding.
func (p *Pair) final(m algorithms.Metric) Number {
	if s := p.Series[m]; s.State == Measured {
		return s.Mean.Last().Value
	}
	return 0
}

// test fills in what the paired tests say.
func (l *Lead) test(a *Analysis, r *run.Results) error {
	first := a.Pair(l.Algorithm, l.Problem)
	g := stats.Growth{Design: stats.AlongT, Confidence: r.Confidence}
	var ps []float64
	var rows [][]float64
	l.P, l.Significant = none, true
	l.Needs, l.Warnings = stats.LeastPairs(r.Confidence), []string{}
	for i := range a.Pairs {
		p := &a.Pairs[i]
		if s := p.Series[l.Metric]; p == first || p.Problem != l.Problem || !s.Known() {
			continue
		}
		if first.Deterministic && p.Deterministic {
			l.Significant = l.Significant && first.final(l.Metric) < p.final(l.Metric)
			continue
		}
		d, err := finalDifference(r, g, l.Metric, first, p)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", l.Metric, l.Problem, err)
		}
		pValue := math.NaN()
		if d.finals != nil {
			pValue = d.Final.P()
		}
		for _, w := range messages(d.Final.Warnings) {
			l.Warnings = append(l.Warnings, fmt.Sprintf("against %s: %s", p.Algorithm, w))
		}
		l.Significant = l.Significant && !math.IsNaN(pValue)
		ps, rows = append(ps, pValue), append(rows, d.finals)
	}
	for i, joint := range stats.JointFlips(rows) {
		p := math.Max(joint, ps[i])
		if !(float64(l.P) >= p) {
			l.P = Number(p)
		}
		l.Significant = l.Significant && p <= 1-r.Confidence
	}
	if !l.Significant {
		l.Warnings = []string{}
	}
	return nil
}

// finalDifference compares the final values of two pairs. The differences are by replicate, NaN
// where one of the two is missing, and nil where there are fewer than two.
func finalDifference(r *run.Results, g stats.Growth, m algorithms.Metric,
	p, q *Pair) (contrast, error) {
	curves, replicates, _ := r.Paired(p.Problem, m, p.entry, q.entry)
	if len(replicates) < 2 || len(curves[0].T) < 2 {
		return contrast{}, nil
	}
	for k, c := range curves {
		curves[k] = ending(c)
	}
	c, err := contrastOf(g, curves[0], curves[1])
	c.finals = byReplicate(c.finals, replicates, r.Replicates)
	return c, err
}

// byReplicate returns the values of these replicates, and NaN for the other ones of n.
func byReplicate(values []float64, replicates []int, n int) []float64 {
	if values == nil {
		return nil
	}
	row := slices.Repeat([]float64{math.NaN()}, n)
	for k, replicate := range replicates {
		row[replicate-1] = values[k]
	}
	return row
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
	_, leads := a.lead(algorithm, problem, m)
	return leads
}

// Doubts are the warnings of a lead that is significant.
func (a *Analysis) Doubts(algorithm, problem string, m algorithms.Metric) []string {
	l, _ := a.lead(algorithm, problem, m)
	return l.Warnings
}

// lead returns the lead of an algorithm, if it is significant.
func (a *Analysis) lead(algorithm, problem string, m algorithms.Metric) (Lead, bool) {
	k := slices.IndexFunc(a.Leads, func(l Lead) bool {
		return l.Significant && l.Algorithm == algorithm && l.Problem == problem && l.Metric == m
	})
	if k < 0 {
		return Lead{}, false
	}
	return a.Leads[k], true
}
