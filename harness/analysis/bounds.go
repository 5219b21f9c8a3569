package analysis

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness"
)

// Bounds analyses nothing of an experiment but the bounds of the claims: the
// judgements of the pairs have no slopes, and the pairs no series.
func Bounds(c harness.Catalog, r *harness.Results) (*Analysis, error) {
	a := Describe(r)
	g := groundOf(c, r)
	for i := range a.Pairs {
		p := &a.Pairs[i]
		regret, violation := r.Watched(p.entrant, p.Problem)
		for _, side := range []struct {
			judge  *Judgement
			metric algorithms.Metric
			about  []algorithms.Metric
		}{{&p.Regret, regret, algorithms.Regrets}, {&p.Violation, violation, algorithms.Violations}} {
			*side.judge = Judgement{Metric: side.metric, P: none, Adjusted: none}
			claim, ok := algorithms.Claimed(g.claims[p.Algorithm], side.about)
			if !ok {
				continue
			}
			side.judge.Claim = &claim
			if claim.Bound == nil {
				continue
			}
			var err error
			if side.judge.Bound, err = p.bound(r, g, side.metric, claim); err != nil {
				return nil, fmt.Errorf("%s of %s on %s: %w", side.metric, p.Algorithm, p.Problem, err)
			}
		}
	}
	return a, nil
}
