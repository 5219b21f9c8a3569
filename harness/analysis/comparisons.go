package analysis

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/run/process"
	"ocobench/stats"
)

// Comparisons answer one question: does A end with less of a metric than B on a problem? All views
// show the same rows: the table against a baseline, the table of A against B, the star that marks
// the algorithm with the least, and sentences that count problems.
//
//  1. Every two algorithms that were played on a problem are compared by a metric, replicate by
//     replicate on the same rounds ([Analysis.Compare]). Nothing is read but the final values,
//     which are in the JSON form.
//  2. The p-values are corrected by joint sign flips ([stats.JointFlips]). The rows of a metric are
//     two families: those with the baseline that the experiment was recorded with, on all problems,
//     and all others. Rivals that are compared with each other thus cost the comparisons with the
//     baseline nothing. Where differences are symmetric, the probability that any row of a family
//     is shown by mistake is at most 1 − confidence, whichever rows a view selects and whichever
//     baseline it shows.
//  3. [Comparison.Sign] is the answer. A selection or a count of rows needs no other correction.

// Comparison compares A with B on one problem by one metric, of which less is better. A and B are
// two algorithms of an experiment, or the same one in two stores.
type Comparison struct {
	Problem string            `json:"problem"` // SPEC
	A       string            `json:"a"`       // SPEC
	B       string            `json:"b"`       // SPEC
	Metric  algorithms.Metric `json:"metric"`
	// State is [Measured] if both have the metric, and otherwise what one of them has in its place.
	State State `json:"state"`
	// Paired reports that replicate r of A and replicate r of B play the same rounds, and the test is
	// of pairs; otherwise it is of two independent samples.
	Paired bool `json:"paired"`
	// Replicates is the number of pairs, and Of the number that was to be played. For two samples it
	// is the size of A's, and ReplicatesB the size of B's; for pairs ReplicatesB is 0.
	Replicates  int `json:"replicates"`
	ReplicatesB int `json:"replicates_b,omitempty"`
	Of          int `json:"of"`
	// MeanA and MeanB are the means at the last round of the replicates that are compared.
	MeanA Number `json:"mean_a"`
	MeanB Number `json:"mean_b"`
	// Difference is the mean of A − B at the last round.
	Difference Difference `json:"difference"`
	// ProbabilityLess is the probability that a replicate of A ends below its partner of B.
	ProbabilityLess Estimate `json:"probability_less"`
	// Equal reports that both play the same games, bit for bit: there is nothing to test.
	Equal bool `json:"equal,omitempty"`
	// Sign is −1 if A is shown to have less than B, 1 if it is shown to have more, and 0 otherwise.
	// A difference is shown if its adjusted p-value is at most 1 − confidence. A difference of
	// deterministic games is shown if it is not 0.
	Sign     int      `json:"sign"`
	Warnings []string `json:"warnings,omitempty"`
}

// IsDoubtful reports whether a difference is shown, but by a p-value that is right only if the
// paired differences are symmetric: they are skewed, have few distinct values, or are too few to
// see a skew ([stats.LeastForSkew]).
func (c Comparison) IsDoubtful() bool { return c.Sign != 0 && len(c.Warnings) > 0 }

// Difference is an estimated difference with its p-value.
type Difference struct {
	Estimate
	P Number `json:"p"` // of no difference
	// Adjusted is P corrected for the family of the comparison. It is at least P.
	Adjusted Number `json:"p_adjusted"`
}

// Comparisons holds the comparisons of an analysis.
type Comparisons struct {
	Correction string `json:"correction"` // of the p-values: "max-t", by joint sign flips
	// Needs is the number of pairs below which no difference is shown.
	Needs   int                 `json:"needs"`
	Metrics []algorithms.Metric `json:"metrics"`
	// Rows are in the order of the problems and the metrics, with A before B in the order of the
	// algorithms.
	Rows []Comparison `json:"rows"`
}

var (
	none         = Number(math.NaN())
	noEstimate   = Estimate{none, none, none}
	noDifference = Difference{noEstimate, none, none}

	noComparisons = Comparisons{Metrics: []algorithms.Metric{}, Rows: []Comparison{}}
)

// Reversed returns the comparison of B with A.
func (c Comparison) Reversed() Comparison {
	c.A, c.B, c.MeanA, c.MeanB, c.Sign = c.B, c.A, c.MeanB, c.MeanA, -c.Sign
	d, less := c.Difference.Estimate, c.ProbabilityLess
	// 0 − v rather than −v, since a difference of 0 is not to be shown as −0.
	c.Difference.Estimate = Estimate{0 - d.Value, 0 - d.Upper, 0 - d.Lower}
	c.ProbabilityLess = Estimate{1 - less.Value, 1 - less.Upper, 1 - less.Lower}
	if !c.Paired {
		c.Replicates, c.ReplicatesB = c.ReplicatesB, c.Replicates
	}
	return c
}

// Between returns the comparison of a with b, in this order; ok is false where there is none.
func (c Comparisons) Between(a, b, problem string, m algorithms.Metric) (row Comparison, ok bool) {
	for i := range c.Rows {
		row := &c.Rows[i]
		switch {
		case row.Metric != m || row.Problem != problem:
		case row.A == a && row.B == b:
			return *row, true
		case row.A == b && row.B == a:
			return row.Reversed(), true
		}
	}
	return Comparison{}, false
}

// Against returns the comparisons of the other algorithms with the baseline, which is B in every
// row.
func (c Comparisons) Against(baseline string) Comparisons {
	all := c.Rows
	c.Rows = []Comparison{}
	for _, row := range all {
		if row.A == baseline {
			row = row.Reversed()
		}
		if row.B == baseline {
			c.Rows = append(c.Rows, row)
		}
	}
	return c
}

// comparedMetrics returns the metrics by which an analysis compares algorithms: those that are
// fitted and either shown or in the focus.
func (a *Analysis) comparedMetrics() []algorithms.Metric {
	names := []algorithms.Metric{}
	for _, m := range a.Metrics {
		if (m.Shown || a.Focus.Has(m.Name)) && m.Fitted && !m.OfRounds {
			names = append(names, m.Name)
		}
	}
	return names
}

// Compare returns the comparisons of every two algorithms on every problem by metrics of the
// analysis; a metric that is named twice counts once. For a metric of a.Comparisons it returns the
// same rows. The result does not depend on the number of processors. The error is the context's, or
// names what could not be compared. It makes O(pairs · algorithms · metrics) tests, each of less
// than a millisecond.
func (a *Analysis) Compare(ctx context.Context, metrics []algorithms.Metric) (Comparisons, error) {
	distinct := []algorithms.Metric{}
	for _, m := range metrics {
		if !slices.Contains(distinct, m) {
			distinct = append(distinct, m)
		}
	}
	return a.compareAll(ctx, distinct, func(int) {})
}

// compareAll compares every two algorithms on every problem, like [Analysis.Compare]. No metric may
// be named twice. It calls tick with 1 after each metric on a problem.
func (a *Analysis) compareAll(ctx context.Context, metrics []algorithms.Metric,
	tick func(steps int)) (Comparisons, error) {
	// A group holds the comparisons on one problem by one metric.
	type group struct {
		pairs       []*Pair
		metric      algorithms.Metric
		rows        []Comparison
		differences [][]float64 // by row and replicate
	}
	var groups []group
	for _, problem := range a.Problems {
		pairs := a.pairsOn(problem.Spec)
		for _, m := range metrics {
			groups = append(groups, group{pairs: pairs, metric: m})
		}
	}
	err := process.Each(ctx, len(groups), func(k int) error {
		defer tick(1)
		g := &groups[k]
		for i, p := range g.pairs {
			for _, q := range g.pairs[i+1:] {
				row, differences, err := a.comparePairs(p, q, g.metric)
				if err != nil {
					return fmt.Errorf("%s of %s and %s on %s: %w", g.metric, p.Algorithm, q.Algorithm, p.Problem,
						err)
				}
				g.rows, g.differences = append(g.rows, row), append(g.differences, differences)
			}
		}
		return nil
	})
	out := Comparisons{Correction: "max-t", Needs: stats.LeastPairs(a.Experiment.Confidence),
		Metrics: metrics, Rows: []Comparison{}}
	if err != nil {
		return out, err
	}
	type family struct {
		metric       algorithms.Metric
		withBaseline bool
	}
	families := make(map[family][]int) // indices of rows
	baseline := a.Experiment.RecordedBaseline
	var differences [][]float64
	for _, g := range groups {
		for i, row := range g.rows {
			f := family{row.Metric, row.A == baseline || row.B == baseline}
			families[f] = append(families[f], len(out.Rows))
			out.Rows, differences = append(out.Rows, row), append(differences, g.differences[i])
		}
	}
	keys := slices.Collect(maps.Keys(families)) // their order changes nothing: no two share a row
	return out, process.Each(ctx, len(keys), func(k int) error {
		rows := families[keys[k]]
		ofFamily := make([][]float64, len(rows))
		for i, row := range rows {
			ofFamily[i] = differences[row]
		}
		for i, p := range stats.JointFlips(ofFamily) {
			row := &out.Rows[rows[i]]
			row.Difference.Adjusted = max(Number(p), row.Difference.P) // NaN if P is: there was no test
			if row.Difference.Adjusted <= Number(1-a.Experiment.Confidence) {
				row.Sign = cmp.Compare(row.Difference.Value, 0)
			}
		}
		return nil
	})
}

// comparePairs compares the final values of two pairs on the same problem. The one game of a
// deterministic pair is the partner of every replicate of the other pair. Element r of differences
// is the difference in replicate r+1 of the experiment, or NaN where there is none.
func (a *Analysis) comparePairs(p, q *Pair, m algorithms.Metric) (row Comparison,
	differences []float64, err error) {
	row = Comparison{Problem: p.Problem, A: p.Algorithm, B: q.Algorithm, Metric: m, State: Measured,
		Paired: true, Of: min(p.Replicates, q.Replicates), MeanA: none, MeanB: none,
		Difference: noDifference, ProbabilityLess: noEstimate, Equal: haveEqualGames(p, q)}
	if p.Deterministic != q.Deterministic {
		row.Of = max(p.Replicates, q.Replicates)
	}
	x, y := p.Series[m], q.Series[m]
	for _, s := range []*Series{x, y} {
		if !s.Known() {
			row.State = s.State
			return row, nil, nil
		}
	}
	// The test takes curves of two points or more and uses only their last values.
	c, d := stats.Curve{T: []float64{1, 2}}, stats.Curve{T: []float64{1, 2}}
	var replicates []int // counted from 0
	for r := range max(len(x.Finals), len(y.Finals)) {
		v, w := replicateValue(x.Finals, r, p.Deterministic), replicateValue(y.Finals, r, q.Deterministic)
		if math.IsNaN(v) || math.IsNaN(w) {
			continue
		}
		if x.State == Rounding {
			v = 0
		}
		if y.State == Rounding {
			w = 0
		}
		c.Y, d.Y = append(c.Y, []float64{v, v}), append(d.Y, []float64{w, w})
		replicates = append(replicates, r)
	}
	if row.Replicates = len(replicates); row.Replicates == 0 {
		row.State = Missing
		return row, nil, nil
	}
	growth := stats.Growth{Design: stats.AlongT, Confidence: a.Experiment.Confidence}
	test, err := growth.Compare(c, d)
	if err != nil {
		return row, nil, err
	}
	finals, err := growth.FinalDifferences(c, d)
	if err != nil {
		return row, nil, err
	}
	differences = slices.Repeat([]float64{math.NaN()}, a.Experiment.Replicates)
	for k, r := range replicates {
		differences[r] = finals[k]
	}
	row.MeanA, row.MeanB, row.ProbabilityLess = Number(c.FinalMean()), Number(d.FinalMean()),
		EstimateOf(test.Improvement)
	row.Difference = Difference{EstimateOf(test.Final.Estimate), Number(test.Final.P()), none}
	if test.Final.Warnings != nil {
		row.Warnings = errorTexts(test.Final.Warnings)
	}
	if p.Deterministic && q.Deterministic {
		row.Sign = cmp.Compare(finals[0], 0) // FinalDifferences sets rounding errors to 0
	}
	return row, differences, nil
}
