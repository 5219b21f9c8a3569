package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/errtest"
)

// twinVazeSinhaParams are the parameters of vaze-sinha that its twin plays with.
var twinVazeSinhaParams = []algorithms.VazeSinhaParams{
	{Step: 0.6},
	{Projections: "once", Step: 0.6},
	{Losses: "strongly-convex", Curvature: 1.7},
	{Projections: "once", Losses: "strongly-convex", Curvature: 1.7},
}

// twinVazeSinha plays the update with one or two projections on all constraints so far.
func twinVazeSinha(p algorithms.VazeSinhaParams,
	project func(s script, seen []twinRound, x []float64) []float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, make([]float64, s.n))}
		for i, r := range s.rounds {
			step := 0.6 / math.Sqrt(float64(i+1))
			if p.Curvature > 0 {
				step = 1 / (1.7 * float64(i+1))
			}
			y := movedBy(xs[i], -step, r.loss.gradient(xs[i]))
			if p.Projections != "once" {
				y = project(s, s.rounds[:i], y)
			}
			xs = append(xs, project(s, s.rounds[:i+1], y))
		}
		return xs
	}
}

// On a line all constraints so far leave an interval.
func TestVazeSinhaAgreesWithTwinOnALine(t *testing.T) {
	project := func(s script, seen []twinRound, x []float64) []float64 {
		box := s.set.(*convex.Box)
		lo, hi := box.Lower[0], box.Upper[0]
		for _, r := range seen {
			for _, g := range r.constraints {
				if g.a[0] > 0 {
					hi = math.Min(hi, -g.c/g.a[0])
				} else {
					lo = math.Max(lo, -g.c/g.a[0])
				}
			}
		}
		return []float64{math.Max(lo, math.Min(hi, x[0]))}
	}
	for m := range 4 {
		for seed := range uint64(4) {
			s := newScript(rand.New(rand.NewPCG(seed, uint64(m))), "box", "affine", 1, m, 80).feasible()
			for _, p := range twinVazeSinhaParams {
				checkTwin(t, fmt.Sprintf("m=%d/%+v", m, p), newLearner(t, "vaze-sinha", p, s.setup()), s,
					twinVazeSinha(p, project)(s), 1e-9)
			}
		}
	}
}

// Constraints that do not change in shape, on all domains: only the tightest of
// each counts, and the dual has no more than two multipliers.
func TestVazeSinhaAgreesWithTwinIfPerturbed(t *testing.T) {
	for _, domain := range []string{"box", "ball", "simplex"} {
		for n := 1; n <= 4; n++ {
			for m := 1; m <= 2; m++ {
				s := newScript(rand.New(rand.NewPCG(uint64(n), uint64(m))), domain, "perturbed", n, m,
					60).feasible()
				tol := 1e-4 // of a curved program
				if n == 1 {
					tol = 1e-9
				}
				project := func(s script, seen []twinRound, x []float64) []float64 {
					var rows []smooth
					for _, r := range seen {
						if rows == nil {
							rows = slices.Clone(r.constraints)
						}
						for j, g := range r.constraints {
							rows[j].c = math.Max(rows[j].c, g.c)
						}
					}
					return byDual(s.set, 1, x, rows, slices.Repeat([]float64{math.Inf(1)}, len(rows)))
				}
				for _, p := range twinVazeSinhaParams {
					checkTwin(t, fmt.Sprintf("%s/n=%d/m=%d/%+v", domain, n, m, p),
						newLearner(t, "vaze-sinha", p, s.setup()), s, twinVazeSinha(p, project)(s), tol)
				}
			}
		}
	}
}

// What a constraint took away stays away, for however long it is not seen
// again, and an empty set is said to be one.
func TestVazeSinhaRemembersPastConstraints(t *testing.T) {
	l := newLearner(t, "vaze-sinha", algorithms.VazeSinhaParams{Step: 1},
		algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1})
	rounds := []convex.Round{newRound(affine(0, -1, -1), affine(-0.25, 1, 0))}
	for range 50 {
		rounds = append(rounds, newRound(affine(0, -1, -1), affine(-1, 0, 0)))
	}
	xs := playedActions(t, l, 2, rounds...)
	if last := xs[len(xs)-1]; distance(last, []float64{0.25, 1}) > programAccuracy {
		t.Errorf("after x_1 ≤ 1/4 once it goes to %v, want (1/4, 1)", last)
	}
	err := l.Observe(xs[len(xs)-1], newRound(affine(0, 0, 0), affine(0.5, -1, 0)))
	errtest.Contains(t, err, "no action", "constraints that leave no action")
}
