package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// D = [−1, 1]², steps 1/√t; P_t is S_t.
//
//	t=1, −(2, 1)·x:     y = Π(2, 1) = (1, 1); x_1+x_2 ≤ 1 takes off ½(1, 1):        x_2 = (½, ½).
//	t=2, −√2x_1:        (3/2, ½) less ½(1, 1) is y = (1, 0); x_1−x_2 ≤ ½ takes off
//	                    ¼(1, −1), and leaves the sum 1:                             x_3 = (¾, ¼).
//	t=3, √3x_2:         (¾, −¾) less ½(1, −1) is y = (¼, −¼); x_1 ≤ 0:              x_4 = (0, −¼).
//	t=4, (−2, 3)·x:     (1, −7/4) less 9/8·(1, −1) is y = (−1/8, −5/8); −5 ≤ 0:     x_5 = y.
func TestVazeSinhaByHand(t *testing.T) {
	l := newLearner(t, "vaze-sinha", algorithms.VazeSinhaParams{Step: 1}, algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1})
	wantNear(t, played(t, l, 2,
		round(affine(0, -2, -1), affine(-1, 1, 1)),
		round(affine(0, -math.Sqrt2, 0), affine(-0.5, 1, -1)),
		round(affine(0, 0, math.Sqrt(3)), affine(0, 1, 0)),
		round(affine(0, -2, 3), affine(-5, 0, 0)),
	), programAccuracy, 0, 0, 0.5, 0.5, 0.75, 0.25, 0, -0.25, -0.125, -0.625)
}

// The default step is Δ/G: on [−2, 2] with G = 8 it is ½.
//
//	t=1, −4x, x ≤ 1:   y = 2, x_2 = 1.   t=2, 4√2x, −x ≤ 2:  y = x_3 = −1.
//	t=3, −8√3x, x ≤ 9: 3 is stopped at 1 by round 1: x_4 = 1.
func TestVazeSinhaOnALineByHand(t *testing.T) {
	setup := algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1, Facts: convex.Facts{LossLipschitz: 8}}
	wantActions(t, played(t, newLearner(t, "vaze-sinha", nil, setup), 1,
		round(affine(0, -4), affine(-1, 1)),
		round(affine(0, 4*math.Sqrt2), affine(-2, -1)),
		round(affine(0, -8*math.Sqrt(3)), affine(-9, 1)),
	), 0, 1, -1, 1)
}

// polygon is a convex polygon by its corners.
type polygon [][]float64

// cut leaves of it what satisfies a·x + c ≤ 0.
func (p polygon) cut(g smooth) (q polygon) {
	for i, a := range p {
		b := p[(i+1)%len(p)]
		va, vb := g.value(a), g.value(b)
		if va <= 0 {
			q = append(q, a)
		}
		if va < 0 && vb > 0 || va > 0 && vb < 0 {
			s := va / (va - vb)
			q = append(q, []float64{a[0] + s*(b[0]-a[0]), a[1] + s*(b[1]-a[1])})
		}
	}
	return q
}

// nearest is the point of it nearest to x: x, or on an edge.
func (p polygon) nearest(x []float64) []float64 {
	inside := true
	var best []float64
	for i, a := range p {
		b := p[(i+1)%len(p)]
		e := []float64{b[0] - a[0], b[1] - a[1]}
		r := []float64{x[0] - a[0], x[1] - a[1]}
		inside = inside && e[0]*r[1]-e[1]*r[0] >= 0 // counterclockwise
		s := 0.0
		if length := e[0]*e[0] + e[1]*e[1]; length > 0 {
			s = math.Max(0, math.Min(1, (e[0]*r[0]+e[1]*r[1])/length))
		}
		at := []float64{a[0] + s*e[0], a[1] + s*e[1]}
		if best == nil || distance(x, at) < distance(x, best) {
			best = at
		}
	}
	if inside {
		return x
	}
	return best
}

// hildreth projects on a box within half-spaces by Hildreth's method:
// multipliers are improved one at a time until they stay.
func hildreth(box *convex.Box, rows []smooth, x []float64) []float64 {
	for i := range x {
		up, down := unit(len(x), i), unit(len(x), i)
		down[i] = -1
		zero := make([]float64, len(x))
		rows = append(rows, smooth{a: up, c: -box.Upper[i], z: zero, y: zero}, smooth{a: down, c: box.Lower[i], z: zero, y: zero})
	}
	mu := make([]float64, len(rows))
	p := slices.Clone(x)
	for range 200000 {
		change := 0.0
		for j, g := range rows {
			value, square := g.c, 0.0
			for i, a := range g.a {
				value += a * p[i]
				square += a * a
			}
			d := math.Max(value/square, -mu[j])
			mu[j] += d
			for i, a := range g.a {
				p[i] -= d * a
			}
			change = math.Max(change, math.Abs(d))
		}
		if change < 1e-14 {
			break
		}
	}
	return p
}

// twinNested is the update with a projection on all constraints so far.
func twinNested(step float64, project func(s script, seen []twinRound, x []float64) []float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearest(s.set, make([]float64, s.n))}
		for i, r := range s.rounds {
			y := project(s, s.rounds[:i], moved(xs[i], -step/math.Sqrt(float64(i+1)), r.loss.gradient(xs[i])))
			xs = append(xs, project(s, s.rounds[:i+1], y))
		}
		return xs
	}
}

// Time-varying half-planes and -spaces in boxes, by polygons and by Hildreth's
// method; on a line, intervals.
func TestVazeSinhaTwin(t *testing.T) {
	play := func(where string, s script, project func(s script, seen []twinRound, x []float64) []float64) {
		l := newLearner(t, "vaze-sinha", algorithms.VazeSinhaParams{Step: 0.6}, s.setup())
		agree(t, where, l, s, twinNested(0.6, project)(s), 1e-9)
	}
	for m := range 4 {
		for seed := range uint64(4) {
			rng := func() *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(m))) }
			line := newScript(rng(), "box", "affine", 1, m, 200).feasible()
			play(fmt.Sprintf("line/m=%d", m), line, func(s script, seen []twinRound, x []float64) []float64 {
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
			})
			plane := newScript(rng(), "box", "affine", 2, m, 200).feasible()
			play(fmt.Sprintf("plane/m=%d", m), plane, func(s script, seen []twinRound, x []float64) []float64 {
				box := s.set.(*convex.Box)
				p := polygon{box.Lower, {box.Upper[0], box.Lower[1]}, box.Upper, {box.Lower[0], box.Upper[1]}}
				for _, r := range seen {
					for _, g := range r.constraints {
						p = p.cut(g)
					}
				}
				return p.nearest(x)
			})
			space := newScript(rng(), "box", "affine", 3, m, 25).feasible()
			play(fmt.Sprintf("space/m=%d", m), space, func(s script, seen []twinRound, x []float64) []float64 {
				var rows []smooth
				for _, r := range seen {
					rows = append(rows, r.constraints...)
				}
				return hildreth(s.set.(*convex.Box), rows, x)
			})
		}
	}
}

// Constraints that do not change in shape, on all domains: only the tightest of
// each counts, and the dual has no more than two multipliers.
func TestVazeSinhaTwinPerturbed(t *testing.T) {
	for _, domain := range []string{"box", "ball", "simplex"} {
		for n := 1; n <= 4; n++ {
			for m := 1; m <= 2; m++ {
				s := newScript(rand.New(rand.NewPCG(uint64(n), uint64(m))), domain, "perturbed", n, m, 60).feasible()
				tol := 1e-4 // of a curved program
				if n == 1 {
					tol = 1e-9
				}
				l := newLearner(t, "vaze-sinha", algorithms.VazeSinhaParams{Step: 0.6}, s.setup())
				want := twinNested(0.6, func(s script, seen []twinRound, x []float64) []float64 {
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
				})(s)
				agree(t, fmt.Sprintf("%s/n=%d/m=%d", domain, n, m), l, s, want, tol)
			}
		}
	}
}

// For every u in X^min regret ≤ (3/2)GΔ√T; actions satisfy all constraints
// seen; on a line Σ_t max_j [g_j]₊ ≤ LΔ.
func TestVazeSinhaBounds(t *testing.T) {
	regret, line, next := atMost{kind: "regret"}, atMost{kind: "violation on a line"}, atMost{kind: "violation after the step, of 1e-9 a round"}
	for k, a := range venues(0) {
		s := stream(t, a.name, a.params, uint64(k))
		playBounds(t, a.String(), newLearner(t, "vaze-sinha", nil, setupOf(s, 0)), s, []int{1, 20, 200, 1000}, func(t *testing.T, where string, v tally) {
			regret.check(t, where, v.regret, 1.5*v.facts.LossLipschitz*v.facts.Diameter*math.Sqrt(float64(v.t)))
			next.check(t, where, v.next, 1e-9*float64(v.t))
			if s.Set().Dim() == 1 {
				line.check(t, where, v.worst, v.facts.ConstraintLipschitz*v.facts.Diameter)
			}
		})
	}
	regret.log(t)
	line.log(t)
	next.log(t)
}

// Where all sets are boxes, coordinates are games on lines of their own: the
// violation stays below LΣ_i(width i). An adversary shrinks the box in front of
// the action, a little at a time, and a bound with fewer widths would fail.
func TestVazeSinhaOnBoxes(t *testing.T) {
	const n, T = 3, 600
	setup := algorithms.Setup{Set: convex.Cube(n, 0, 1), Constraints: 1, Facts: convex.Facts{LossLipschitz: math.Sqrt(n)}}
	l := newLearner(t, "vaze-sinha", algorithms.VazeSinhaParams{Step: 0.5, FirstAction: algorithms.FirstAction{X0: []float64{1}}}, setup)
	x, violation := make([]float64, n), 0.0
	for i := range T {
		l.Act(x)
		k := i % n
		g := affine(-max(0, x[k]-0.02), unit(n, k)...)
		violation += max(0, g.Value(x))
		if err := l.Observe(x, round(affine(0, slices.Repeat([]float64{-1}, n)...), g)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("violation %.4f of at most %d", violation, n)
	if violation > n+1e-9 || violation < n-0.1 {
		t.Errorf("violation is %v; it should be near to its bound %d", violation, n)
	}
}

// What a constraint took away stays away, for however long it is not seen
// again, and an empty set is said to be one.
func TestVazeSinhaRemembers(t *testing.T) {
	l := newLearner(t, "vaze-sinha", algorithms.VazeSinhaParams{Step: 1}, algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1})
	rounds := []convex.Round{round(affine(0, -1, -1), affine(-0.25, 1, 0))}
	for range 50 {
		rounds = append(rounds, round(affine(0, -1, -1), affine(-1, 0, 0)))
	}
	xs := played(t, l, 2, rounds...)
	if last := xs[len(xs)-1]; distance(last, []float64{0.25, 1}) > programAccuracy {
		t.Errorf("after x_1 ≤ 1/4 once it goes to %v, want (1/4, 1)", last)
	}
	err := l.Observe(xs[len(xs)-1], round(affine(0, 0, 0), affine(0.5, -1, 0)))
	if err == nil || !strings.Contains(err.Error(), "no action") {
		t.Errorf("constraints that leave no action give the error %v", err)
	}
}

// Losses times c and constraints times d: the same actions, with G as declared.
func TestVazeSinhaScaling(t *testing.T) {
	everyScript(40, func(where string, s script, tol float64) {
		s = s.feasible()
		setup := s.setup()
		want := actions(t, newLearner(t, "vaze-sinha", nil, setup), s)
		setup.Facts.LossLipschitz *= 3
		agree(t, where, newLearner(t, "vaze-sinha", nil, setup), s.scaled(3, 0.2), want, max(tol, programAccuracy))
	})
}
