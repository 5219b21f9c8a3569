package analysis

import (
	"context"
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/harness/run/process"
	"ocobench/stats"
)

// Two algorithms are compared problem by problem: the verdicts of both first, since they say
// who keeps regret and violation small, and then how far apart they end, which verdicts do not
// say. The final values of the replicates are in the analysis, and nothing else is read.

// Outcome says which of two algorithms keep both regret and violation at √t on a problem.
type Outcome string

const (
	FirstKeeps  Outcome = "first"  // the first one does, and the second is not shown to
	SecondKeeps Outcome = "second" // the reverse
	BothKeep    Outcome = "both"   // both are shown to
	// Tie: one of them does, the other one is open, and is not shown to end with more of what it is
	// open on. Verdicts are of growth, and say nothing of how much there is.
	Tie          Outcome = "tie"
	NeitherKeeps Outcome = "neither" // neither is shown to
	// NotJudged: one of them was not played, or has no verdict.
	NotJudged Outcome = "not judged"
)

// Against compares two algorithms of an analysis on every problem.
type Against struct {
	First  string `json:"first"` // SPECs
	Second string `json:"second"`
	// Needs is the number of pairs below which no difference is significant.
	Needs    int         `json:"needs"`
	Problems []AgainstOn `json:"problems"` // in the order of the analysis
}

// AgainstOn compares them on one problem.
type AgainstOn struct {
	Problem string  `json:"problem"` // SPEC
	Outcome Outcome `json:"outcome"`
	// Root is what [Pair.Root] says of the first and of the second.
	Root [2]stats.Verdict `json:"root"`
	// Equal reports that both play the same games, bit for bit.
	Equal bool `json:"equal,omitempty"`
	// Regret and Violation are those of [Analysis.Focus].
	Regret    AgainstBy `json:"regret"`
	Violation AgainstBy `json:"violation"`
}

// AgainstBy compares them on one problem by one metric.
type AgainstBy struct {
	Metric algorithms.Metric `json:"metric"`
	// State is [Measured] if both have the metric, and otherwise what one of them has in its
	// place.
	State State            `json:"state"`
	Root  [2]stats.Verdict `json:"root"` // those of [Series.Root]
	Mean  [2]Number        `json:"mean"` // of the pairs
	// Difference is the mean of first − second over pairs of replicates at the last round, with
	// the test of [Compare]. Adjusted is corrected by joint sign flips for all problems and both
	// metrics.
	Difference Difference `json:"difference"`
	Replicates int        `json:"replicates"` // pairs, of Of that were to be played
	Of         int        `json:"of"`
	Warnings   []string   `json:"warnings"`

	row []float64 // the differences by replicate
}

// Keeps reports whether both regret and violation of a pair are shown to grow at most like √t,
// or are never positive.
func (p *Pair) Keeps() bool { return p.SqrtVerdict == stats.AtMost }

// Against compares the algorithms with these SPECs. It reads only what the JSON form has. Its
// cost is that of 2·problems tests of paired differences, some milliseconds each. The error is
// the context's.
func (a *Analysis) Against(ctx context.Context, first, second string) (*Against, error) {
	out := &Against{First: first, Second: second, Needs: stats.LeastPairs(a.Experiment.Confidence),
		Problems: []AgainstOn{}}
	for _, problem := range a.Problems {
		on := AgainstOn{Problem: problem.Spec, Outcome: NotJudged}
		pairs := [2]*Pair{a.Pair(first, problem.Spec), a.Pair(second, problem.Spec)}
		view := a.Focus.On(problem.Spec)
		for _, by := range []struct {
			at     *AgainstBy
			metric algorithms.Metric
		}{{&on.Regret, view.Regret}, {&on.Violation, view.Violation}} {
			*by.at = AgainstBy{Metric: by.metric, State: Missing, Mean: [2]Number{none, none},
				Difference: noDifference, Warnings: []string{}}
			for k, p := range pairs {
				if p != nil && p.Series[by.metric] != nil {
					by.at.Root[k] = p.Series[by.metric].SqrtVerdict
				}
			}
		}
		if pairs[0] != nil && pairs[1] != nil {
			on.Root = [2]stats.Verdict{pairs[0].SqrtVerdict, pairs[1].SqrtVerdict}
			on.Outcome, on.Equal = outcome(pairs), equalGames(pairs[0], pairs[1])
		}
		out.Problems = append(out.Problems, on)
	}
	var all []*AgainstBy
	replicates := 0
	for _, p := range a.Pairs {
		for _, s := range p.Series {
			replicates = max(replicates, len(s.Finals))
		}
	}
	for i := range out.Problems {
		all = append(all, &out.Problems[i].Regret, &out.Problems[i].Violation)
	}
	err := process.Each(ctx, len(all), func(i int) error {
		problem := out.Problems[i/2].Problem
		p, q := a.Pair(first, problem), a.Pair(second, problem)
		if p == nil || q == nil {
			return nil
		}
		if err := all[i].compare(p, q, replicates, a.Experiment.Confidence); err != nil {
			return fmt.Errorf("%s of %s and %s on %s: %w", all[i].Metric, first, second, problem, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range out.Problems {
		if out.Problems[i].tied() {
			out.Problems[i].Outcome = Tie
		}
	}
	var rows [][]float64
	for _, by := range all {
		rows = append(rows, by.row)
	}
	for i, joint := range stats.JointFlips(rows) {
		all[i].Difference.Adjusted = max(Number(joint), all[i].Difference.P)
	}
	return out, nil
}

// outcome is what the verdicts of two pairs say.
func outcome(pairs [2]*Pair) Outcome {
	first, second := pairs[0].Keeps(), pairs[1].Keeps()
	switch {
	case pairs[0].SqrtVerdict == "" || pairs[1].SqrtVerdict == "":
		return NotJudged
	case first && second:
		return BothKeep
	case first:
		return FirstKeeps
	case second:
		return SecondKeeps
	}
	return NeitherKeeps
}

// tied reports whether the one that does not keep both is open, and whether by each metric that it
// is open on the interval of the difference, or the difference without an interval, does not lie
// on the side on which it has more.
func (on *AgainstOn) tied() bool {
	other, sign := 1, Number(-1)
	switch on.Outcome {
	case FirstKeeps:
	case SecondKeeps:
		other, sign = 0, 1
	default:
		return false
	}
	if on.Root[other] != stats.Undecided {
		return false
	}
	for _, by := range []*AgainstBy{&on.Regret, &on.Violation} {
		d := by.Difference
		more, end := sign*d.Value, d.Lower // the least that the other one has more
		if sign < 0 {
			end = -d.Upper
		}
		if !end.Defined() {
			end = more
		}
		if by.Root[other] == stats.Undecided && (by.State != Measured || end > 0) {
			return false
		}
	}
	return true
}

// compare tests the final values of two pairs on the same problem, replicate by replicate of n. A
// pair without chance has one game, which is the partner of every replicate of the other.
func (b *AgainstBy) compare(p, q *Pair, n int, confidence float64) error {
	x, y := p.Series[b.Metric], q.Series[b.Metric]
	b.Of = planned(*p, *q)
	for _, s := range []*Series{x, y} {
		if s == nil {
			return nil
		}
		if b.State = s.State; !s.Known() {
			return nil
		}
	}
	var values [2][]Number
	var replicates []int
	for r := range max(len(x.Finals), len(y.Finals)) {
		v, w := in(x.Finals, r, p.Deterministic), in(y.Finals, r, q.Deterministic)
		if !math.IsNaN(v) && !math.IsNaN(w) {
			values[0], values[1] = append(values[0], Number(v)), append(values[1], Number(w))
			replicates = append(replicates, r+1)
		}
	}
	b.Replicates = len(replicates)
	if b.State = Measured; len(replicates) == 0 {
		b.State = Missing
		return nil
	}
	g := stats.Growth{Design: stats.AlongT, Confidence: confidence}
	c, d := ended(values[0]), ended(values[1])
	test, err := contrastOf(g, c, d)
	if err != nil {
		return err
	}
	b.row = byReplicate(test.finals, replicates, n)
	b.Mean = [2]Number{finalMean(c), finalMean(d)}
	b.Difference, b.Warnings = differenceOf(test.Final), messages(test.Final.Warnings)
	return nil
}
