package claims

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/analysis"
)

// The Example of the paper is the problem decaying-frequency: on D = [−10, 10] with the losses −2x,
// round τ reveals x ≤ 0 with probability 0.1c/τ^(1−c), and else the constant −0.01. n_{2,τ} is the
// number of rounds so far that reveal x ≤ 0. The paper writes it with one constraint that
// alternates, and in §4.5 with two, one of them 0 in each round.

// exampleSpecs returns the SPEC of the Example for each c, with one or two constraints.
func exampleSpecs(constraints int, cs ...float64) (specs []string) {
	others := ""
	if constraints > 1 { // one is the default
		others = fmt.Sprintf(",constraints=%d", constraints)
	}
	for _, c := range cs {
		specs = append(specs, fmt.Sprintf("decaying-frequency:c=%v%s", c, others))
	}
	return specs
}

// bindingRevealed returns 1 in the rounds of the Example that reveal x ≤ 0.
func bindingRevealed(r convex.Round) int {
	for _, g := range r.Constraints {
		if g.Value([]float64{1}) == 1 {
			return 1
		}
	}
	return 0
}

// revealCounter observes a game of the Example, and counts the rounds so far that reveal x ≤ 0, the
// rounds after the first of them, and those of the latter with an action x ≤ 0.
type revealCounter struct{ reveals, after, feasible int }

// Round implements [game.Observer].
func (c *revealCounter) Round(_ int, x []float64, r *convex.Round) error {
	if c.reveals > 0 {
		if c.after++; x[0] <= 1e-9 {
			c.feasible++
		}
	}
	c.reveals += bindingRevealed(*r)
	return nil
}

// experimentMean returns the mean of a metric in an experiment at the last checkpoint up to t.
func experimentMean(a *analysis.Analysis, algorithm, problem string, metric algorithms.Metric,
	t float64) (e analysis.Estimate) {
	band := a.Pair(algorithm, problem).Series[metric].Mean
	for _, checkpoint := range band.T {
		if checkpoint <= t {
			e, _ = band.At(checkpoint)
		}
	}
	return e
}
