package claims

import (
	"errors"
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/harness/game"
	"ocobench/problems"
)

// provenBounds returns the bounds that the theorem of an algorithm, by its SPEC, gives on a
// stream: of a regret and of a violation, which the claims of the algorithm list in this order.
func (l *Lab) provenBounds(algorithm string, s problems.Stream, horizon int) (regret,
	violation func(t int) float64, err error) {
	c, err := resolveOne(algorithm, l.Catalog.ResolveAlgorithms)
	if err != nil {
		return nil, nil, err
	}
	setup := algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts(),
		Horizon: horizon}
	var bounds []func(int) float64
	for _, claim := range c.ClaimsOf(c.Params) {
		if claim.Bound == nil {
			return nil, nil, fmt.Errorf("%s: the bound of %s depends on how the rounds move", algorithm,
				claim.Metric)
		}
		b, err := claim.Bound(setup)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", algorithm, err)
		}
		bounds = append(bounds, b)
	}
	if len(bounds) != 2 {
		return nil, nil, fmt.Errorf("%s has not two claims", algorithm)
	}
	return bounds[0], bounds[1], nil
}

// errNoAction is returned where a comparator set is empty and a check needs its best action.
var errNoAction = errors.New("no action satisfies the constraints")

// compareWithBounds plays a game to the horizon, and adds to worst its regret against X^min over
// the bound regret, and its soft violation over the bound violation. The error is errNoAction if
// X^min is empty.
func (p *trial) compareWithBounds(worst *Worst, algorithm string, horizon int, regret,
	violation float64) error {
	empty := false
	err := p.play(algorithm, horizon, compareEvery(p, horizon,
		func(_ int, played *sums, best []game.Best) {
			if empty = best[overXMin].Empty; empty {
				return
			}
			worst.Add((played.loss-best[overXMin].Value)/regret, `$T=%d$ of \texttt{%s} on %v, regret`, horizon,
				algorithm, p)
			worst.Add(played.soft/violation, `$T=%d$ of \texttt{%s} on %v, violation`, horizon, algorithm, p)
		}))
	if empty {
		return errNoAction
	}
	return err
}

// sqrt returns √t.
func sqrt(t int) float64 { return math.Sqrt(float64(t)) }

// root4 returns t^(1/4).
func root4(t int) float64 { return math.Sqrt(sqrt(t)) }
