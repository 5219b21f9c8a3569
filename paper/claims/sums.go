package claims

import (
	"errors"
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game"
	"ocobench/problems"
)

// sums observes a game and adds up its losses, constraints and actions.
type sums struct {
	loss    float64   // Σ f_t(x_t)
	soft    float64   // Σ_j [Σ_t g_{t,j}(x_t)]₊
	hard    float64   // Σ_t Σ_j [g_{t,j}(x_t)]₊
	action  []float64 // Σ x_t
	signed  []float64 // Σ_t g_{t,j}(x_t)
	largest float64   // max_j g_{t,j}(x_t) of the last round
}

// Round implements [game.Observer].
func (s *sums) Round(_ int, x []float64, r *convex.Round) error {
	if s.signed == nil {
		s.action, s.signed = make([]float64, len(x)), make([]float64, len(r.Constraints))
	}
	vec.Axpy(s.action, 1, x)
	s.loss += r.Loss.Value(x)
	s.soft, s.largest = 0, math.Inf(-1)
	for j, g := range r.Constraints {
		v := g.Value(x)
		s.signed[j] += v
		s.soft += max(0, s.signed[j])
		s.hard += max(0, v)
		s.largest = max(s.largest, v)
	}
	return nil
}

// provenBounds returns the bounds that the theorem of an algorithm, by its SPEC, gives on a
// stream: of a regret and of a violation.
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

// overBounds plays a game to the horizon, and adds to worst its regret against X^min over the bound
// regret, and its soft violation over the bound violation.
func (p *trial) overBounds(worst *Worst, algorithm string, horizon int, regret,
	violation float64) error {
	empty := false
	err := p.play(algorithm, horizon, compareEvery(p, horizon,
		func(_ int, game *sums, best []game.Best) {
			if empty = best[0].Empty; empty {
				return
			}
			worst.See((game.loss-best[0].Value)/regret, `$T=%d$ of \texttt{%s} on %v, regret`, horizon,
				algorithm, p)
			worst.See(game.soft/violation, `$T=%d$ of \texttt{%s} on %v, violation`, horizon, algorithm, p)
		}))
	if empty {
		return errNoAction
	}
	return err
}

// largestDistance returns the largest distance of a point of the set from x.
func largestDistance(set convex.Set, x []float64) float64 {
	box, ok := set.(*convex.Box)
	if !ok {
		return set.Diameter()
	}
	corner := make([]float64, len(x))
	for i, v := range x {
		corner[i] = max(v-box.Lower[i], box.Upper[i]-v)
	}
	return vec.Norm(corner)
}

// combine returns a finding about two things, of which the second decides unless it survives.
func (f Finding) combine(g Finding) Finding {
	f.Text += "; " + g.Text
	if g.Outcome != Survives {
		f.Outcome = g.Outcome
	}
	return f
}

// addSentence adds a sentence to the text, after the separator between if there is a text.
func (f *Finding) addSentence(between, format string, args ...any) {
	if f.Text != "" {
		f.Text += between
	}
	f.Text += fmt.Sprintf(format, args...)
}

// refutesIf returns Refutes if there is a counterexample, and else Survives.
func refutesIf(counterexample bool) Outcome { return refutesOr(counterexample, Survives) }

// refutesOr returns Refutes if there is a counterexample, and else the other outcome.
func refutesOr(counterexample bool, otherwise Outcome) Outcome {
	if counterexample {
		return Refutes
	}
	return otherwise
}
