package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/errtest"
)

// claspParams returns parameters of clasp with a change, which may be nil.
func claspParams(change func(p *algorithms.CLASPParams)) algorithms.CLASPParams {
	p := algorithms.CLASPParams{Variant: "joint", Beta: 0.5, Losses: "convex"}
	if change != nil {
		change(&p)
	}
	return p
}

// twinCLASP projects by the dual of each projection (byDual), on D∩C_t, or on C_t in a
// ball so large that it stands for ℝⁿ and then on D.
func twinCLASP(p algorithms.CLASPParams, sigma float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, make([]float64, s.n))}
		space := &convex.Ball{Center: make([]float64, s.n), Radius: 1e3}
		none := slices.Repeat([]float64{math.Inf(1)}, s.m)
		for i, r := range s.rounds {
			eta := p.Step / math.Pow(float64(i+1), p.Beta)
			if p.Losses == "strongly-convex" {
				eta = 1 / (sigma * float64(i+1))
			}
			y := movedBy(xs[i], -eta, r.loss.gradient(xs[i]))
			if p.Variant == "joint" {
				xs = append(xs, byDual(s.set, 0.5, y, r.constraints, none))
			} else {
				xs = append(xs, nearestPoint(s.set, byDual(space, 0.5, y, r.constraints, none)))
			}
		}
		return xs
	}
}

func TestCLASPAgreesWithTwin(t *testing.T) {
	t.Parallel()
	everyScript(60, func(where string, s script, tol float64) {
		s = s.feasible()
		for _, p := range []algorithms.CLASPParams{
			claspParams(func(p *algorithms.CLASPParams) { p.Step = 0.6 }),
			claspParams(func(p *algorithms.CLASPParams) { p.Step, p.Beta = 0.8, 0.25 }),
			claspParams(func(p *algorithms.CLASPParams) {
				p.Step, p.Beta, p.Variant = 0.6, 0.75, "in-turn"
			}),
			claspParams(func(p *algorithms.CLASPParams) { p.Losses, p.Curvature = "strongly-convex", 0.7 }),
			claspParams(func(p *algorithms.CLASPParams) {
				p.Losses, p.Curvature, p.Variant = "strongly-convex", 0.7, "in-turn"
			}),
		} {
			l := newLearner(t, "clasp", p, s.setup())
			checkTwin(t, where+"/"+p.Variant+"/"+p.Losses, l, s, twinCLASP(p, p.Curvature)(s),
				max(tol, programAccuracy))
		}
	})
}

// Constraints that leave no action end the game, of each round by themselves: x ≥ ½
// after x ≤ 0 is no such round.
func TestCLASPRefusesAnEmptyRoundOnly(t *testing.T) {
	for _, variant := range []string{"joint", "in-turn"} {
		l := newLearner(t, "clasp", claspParams(func(p *algorithms.CLASPParams) {
			p.Variant, p.Step = variant, 1
		}),
			algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 2})
		xs := playedActions(t, l, 1, newRound(affine(0, -1), affine(0, 1), affine(-1, 0)),
			newRound(affine(0, 0), affine(0.5, -1), affine(-1, 0)))
		wantNear(t, xs, 1e-12, 0, 0, 0.5)
		err := l.Observe(xs[2], newRound(affine(0, 0), affine(0.5, -1), affine(0, 1)))
		errtest.Contains(t, err, "no action satisfies the constraints of round 3",
			"%s: x ≥ ½ and x ≤ 0 in one round", variant)
	}
}
