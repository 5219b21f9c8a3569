package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/run/process"
	"ocobench/stats"
)

// BaselineTable compares the algorithms of an experiment with one of them, the baseline, on
// the same rounds.
type BaselineTable struct {
	Baseline   string              `json:"baseline"` // SPEC
	Metrics    []algorithms.Metric `json:"metrics"`
	Correction string              `json:"correction"` // of the p-values: "max-t", by joint sign flips
	// Needs is the number of pairs below which no difference is significant.
	Needs   int       `json:"needs"`
	Versus  []Versus  `json:"comparisons"`
	Overall []Overall `json:"overall"` // over the problems
}

// Versus compares one algorithm with the baseline, replicate by replicate, on one problem
// and by one metric, of which less is better.
type Versus struct {
	Problem   string            `json:"problem"` // SPECs
	Algorithm string            `json:"algorithm"`
	Metric    algorithms.Metric `json:"metric"`
	State     State             `json:"state"`
	Design    stats.Design      `json:"design"`
	// Replicates is the number of pairs, and Of the number that was to be played.
	Replicates int `json:"replicates"`
	Of         int `json:"of"`
	// Mean and Baseline are the means of both at the last round.
	Mean     Number `json:"mean"`
	Baseline Number `json:"baseline_mean"`
	// Final and Exponents are the differences of the final means and of the growth
	// exponents, that of the algorithm minus that of the baseline; exponents are those
	// between From and To.
	Final     Difference `json:"difference"`
	Exponents Difference `json:"exponent_difference"`
	From      float64    `json:"from"`
	To        float64    `json:"to"`
	// Less is the probability that a replicate ends below its partner.
	Less     Estimate `json:"probability_less"`
	Warnings []string `json:"warnings"`

	curves     []stats.Curve // of the algorithm and of the baseline
	replicates []int         // that the rows of the curves are
	failed     bool          // some cells of one of the two
	// finals and exponents are the differences by replicate of the experiment: nil where there
	// are none.
	finals, exponents []float64
}

// Difference is an estimated difference.
type Difference struct {
	Estimate
	P Number `json:"p"` // of no difference
	// Adjusted is P corrected for all p-values of its family: by joint sign flips
	// ([stats.JointFlips]) for those of a BaselineTable, where it is at least P, and by Holm for
	// those of a Beside.
	Adjusted Number `json:"p_adjusted"`
}

var (
	none         = Number(math.NaN())
	noDifference = Difference{Estimate{none, none, none}, none, none}
)

func differenceOf(d stats.Difference) Difference {
	return Difference{EstimateOf(d.Estimate), Number(d.P()), none}
}

// Compare compares every other algorithm of an experiment with the baseline, a SPEC, by
// each of the metrics on every problem that both have played.
//
// Replicate is paired with replicate. If an algorithm of a pair needs the horizon and there
// are at least three horizons, both are followed across horizons; otherwise along t up to
// the last horizon. Where one of the two is without chance its one game is the partner of every
// replicate of the other. The p-values are corrected by joint sign flips: the signs of the
// differences of a replicate are flipped in all rows of the table at once, and so the largest
// statistic of all rows is what a row has to reach. Rows of equal games count once. The result
// does not depend on the number of processors.
//
// It is an error if no problem was played by the baseline and another algorithm. It panics if the
// baseline is not in the experiment.
func Compare(ctx context.Context, r *run.Results, baseline string,
	metrics []algorithms.Metric) (*BaselineTable, error) {
	c, err := compare(ctx, r, baseline, metrics)
	if err == nil && len(c.Versus) == 0 {
		err = fmt.Errorf("no problem of experiment %s was played by %s and another algorithm", r.Name,
			baseline)
	}
	return c, err
}

// Warnings joins those of all differences, each with the problem, the algorithm and the metric.
func (c *BaselineTable) Warnings() error {
	var all []error
	for _, v := range c.Versus {
		for _, warning := range v.Warnings {
			all = append(all, fmt.Errorf("%s, %s, %s: %s", v.Problem, v.Algorithm, v.Metric, warning))
		}
	}
	return errors.Join(all...)
}

// compare is [Compare], and returns a comparison without differences where no problem was played.
func compare(ctx context.Context, r *run.Results, baseline string,
	metrics []algorithms.Metric) (*BaselineTable, error) {
	k := slices.IndexFunc(r.Algorithms, func(a experiment.Entry) bool { return a.Spec == baseline })
	if k < 0 {
		panic("analysis: Compare with a baseline that is not in the experiment")
	}
	out := &BaselineTable{Baseline: baseline, Metrics: metrics, Correction: "max-t",
		Needs: stats.LeastPairs(r.Confidence), Overall: []Overall{}}
	for _, p := range r.Problems {
		base, shown := pairOf(r, r.Algorithms[k], p)
		if !shown {
			continue
		}
		for _, a := range r.Algorithms {
			pair, shown := pairOf(r, a, p)
			if !shown || a.Spec == baseline {
				continue
			}
			for _, m := range metrics {
				v := Versus{
					Problem: p.Spec, Algorithm: a.Spec, Metric: m, State: Measured,
					Of:   planned(pair, base),
					Mean: none, Baseline: none, Final: noDifference, Exponents: noDifference,
					Less: Estimate{none, none, none}, Warnings: []string{},
				}
				v.failed = base.Failed+pair.Failed > 0
				v.curves, v.replicates, v.Design = r.Paired(p.Spec, m, a, r.Algorithms[k])
				out.Versus = append(out.Versus, v)
			}
		}
	}
	g := stats.Growth{Decades: r.Window, Confidence: r.Confidence}
	if err := process.Each(ctx, len(out.Versus),
		func(i int) error { return out.Versus[i].compare(g, r.Replicates) }); err != nil {
		return nil, err
	}
	var rows [][]float64
	for _, v := range out.Versus {
		rows = append(rows, v.finals, v.exponents)
	}
	ps := stats.JointFlips(rows)
	for i := range out.Versus {
		v := &out.Versus[i]
		v.Final.Adjusted = max(Number(ps[2*i]), v.Final.P)
		v.Exponents.Adjusted = max(Number(ps[2*i+1]), v.Exponents.P)
	}
	out.overall(r.Confidence)
	return out, nil
}

// planned is the number of pairs that were to be played.
func planned(p, q Pair) int {
	if p.Deterministic != q.Deterministic {
		return max(p.Replicates, q.Replicates)
	}
	return min(p.Replicates, q.Replicates)
}

// contrast is how two curves compare, with the differences by row.
type contrast struct {
	stats.Comparison
	finals, exponents []float64
}

// contrastOf compares two curves.
func contrastOf(g stats.Growth, a, b stats.Curve) (c contrast, err error) {
	if c.Comparison, err = g.Compare(a, b); err == nil {
		c.finals, c.exponents, err = g.Differences(a, b)
	}
	return c, err
}

// compare fills in what the curves say, of an experiment with n replicates.
func (v *Versus) compare(g stats.Growth, n int) error {
	a, b := v.curves[0], v.curves[1]
	v.Replicates = len(a.Y)
	switch {
	case len(a.Y) == 0 && v.failed:
		v.State = Failed
		return nil
	case len(a.Y) == 0 || len(a.T) < 2:
		v.State = Missing
		return nil
	case undefined(a) || undefined(b):
		v.State = Empty
		return nil
	case a.Validate() != nil || b.Validate() != nil:
		v.State = Overflow
		return nil
	}
	g.Design = v.Design
	c, err := contrastOf(g, a, b)
	if err != nil {
		return fmt.Errorf("%s of %s on %s: %w", v.Metric, v.Algorithm, v.Problem, err)
	}
	v.Mean, v.Baseline = finalMean(a), finalMean(b)
	v.Final, v.Exponents, v.Less = differenceOf(c.Final), differenceOf(c.Exponent),
		EstimateOf(c.Improvement)
	v.From, v.To, v.Warnings = c.Window.From, c.Window.To, messages(c.Warnings)
	v.finals = byReplicate(c.finals, v.replicates, n)
	v.exponents = byReplicate(c.exponents, v.replicates, n)
	return nil
}

// finalMean is the mean of the last values.
func finalMean(c stats.Curve) Number {
	sum := 0.0
	for _, y := range c.Y {
		sum += y[len(y)-1]
	}
	return Number(sum / float64(len(c.Y)))
}
