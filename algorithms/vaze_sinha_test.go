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

// nearest returns the point of it nearest to x: x, or on an edge.
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
		rows = append(rows, smooth{a: up, c: -box.Upper[i], z: zero, y: zero},
			smooth{a: down, c: box.Lower[i], z: zero, y: zero})
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

// nested are parameters of vaze-sinha for twins.
var nested = []algorithms.VazeSinhaParams{
	{Step: 0.6},
	{Projections: "once", Step: 0.6},
	{Losses: "strongly-convex", Curvature: 1.7},
	{Projections: "once", Losses: "strongly-convex", Curvature: 1.7},
}

// twinNested plays the update with one or two projections on all constraints so far.
func twinNested(p algorithms.VazeSinhaParams,
	project func(s script, seen []twinRound, x []float64) []float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearest(s.set, make([]float64, s.n))}
		for i, r := range s.rounds {
			step := 0.6 / math.Sqrt(float64(i+1))
			if p.Curvature > 0 {
				step = 1 / (1.7 * float64(i+1))
			}
			y := moved(xs[i], -step, r.loss.gradient(xs[i]))
			if p.Projections != "once" {
				y = project(s, s.rounds[:i], y)
			}
			xs = append(xs, project(s, s.rounds[:i+1], y))
		}
		return xs
	}
}

// Time-varying half-planes and -spaces in boxes, by polygons and by Hildreth's
// method; on a line, intervals.
func TestVazeSinhaTwin(t *testing.T) {
	play := func(where string, s script,
		project func(s script, seen []twinRound, x []float64) []float64) {
		for _, p := range nested {
			agree(t, fmt.Sprintf("%s/%+v", where, p), newLearner(t, "vaze-sinha", p, s.setup()), s,
				twinNested(p, project)(s), 1e-9)
		}
	}
	for m := range 4 {
		for seed := range uint64(4) {
			rng := func() *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(m))) }
			line := newScript(rng(), "box", "affine", 1, m, 80).feasible()
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
			plane := newScript(rng(), "box", "affine", 2, m, 80).feasible()
			play(fmt.Sprintf("plane/m=%d", m), plane,
				func(s script, seen []twinRound, x []float64) []float64 {
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
			play(fmt.Sprintf("space/m=%d", m), space,
				func(s script, seen []twinRound, x []float64) []float64 {
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
				for _, p := range nested {
					agree(t, fmt.Sprintf("%s/n=%d/m=%d/%+v", domain, n, m, p),
						newLearner(t, "vaze-sinha", p, s.setup()), s, twinNested(p, project)(s), tol)
				}
			}
		}
	}
}

// The inequality of the document of the parameters, in the plane: with ρ = 1/2 and
// H_t(ξ) = max_{s≥t} ξ·x_s − 6E_{t,s}, of which the mean over the unit disc is taken,
//
//	d_t/128 ≤ mean H_t − mean H_{t+1} + 6e_t.
//
// Half-planes about a point cut off what the action is in, from directions at random
// or ones that turn, without gradients and with small ones.
func TestVazeSinhaCurve(t *testing.T) {
	t.Parallel()
	const T = 60
	u := []float64{0.1, 0.05}
	var disc [][]float64
	for i := -20; i <= 20; i++ {
		for j := -20; j <= 20; j++ {
			if i*i+j*j <= 400 {
				disc = append(disc, []float64{float64(i) / 20, float64(j) / 20})
			}
		}
	}
	nearest := 0.0
	for k := range 24 {
		rng := rand.New(rand.NewPCG(uint64(k), 5))
		p := algorithms.VazeSinhaParams{Projections: []string{"once", "twice"}[k%2], Step: 1}
		start := 2 * math.Pi * rng.Float64()
		p.X0 = []float64{0.9 * math.Cos(start), 0.9 * math.Sin(start)}
		l := newLearner(t, "vaze-sinha", p, algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1})
		size := []float64{0, 0, 1e-3, 1e-2}[k/2%4]
		var xs [][]float64
		var cuts, moves []float64 // d_t, at least, and e_t
		x := make([]float64, 2)
		for i := 1; i <= T+1; i++ {
			l.Act(x)
			xs = append(xs, slices.Clone(x))
			angle := math.Atan2(x[1]-u[1], x[0]-u[0]) + 0.45*math.Pi*(2*rng.Float64()-1)
			if k%3 == 0 {
				angle = math.Atan2(x[1]-u[1], x[0]-u[0]) + 0.4*math.Pi
			}
			nu := []float64{math.Cos(angle), math.Sin(angle)}
			cut := 0.2 * ((x[0]-u[0])*nu[0] + (x[1]-u[1])*nu[1])
			cuts, moves = append(cuts, cut), append(moves, size/math.Sqrt(float64(i)))
			turn := rng.Float64() * 2 * math.Pi
			r := round(affine(0, size*math.Cos(turn), size*math.Sin(turn)),
				affine(cut-x[0]*nu[0]-x[1]*nu[1], nu...))
			if err := l.Observe(x, r); err != nil {
				t.Fatal(err)
			}
		}
		mean := make([]float64, T+1)
		for _, xi := range disc {
			h := math.Inf(-1)
			for i := T; i >= 0; i-- {
				h = max(h-6*moves[i], xi[0]*xs[i][0]+xi[1]*xs[i][1])
				mean[i] += h / float64(len(disc))
			}
		}
		for i := range T {
			fall := mean[i] - mean[i+1] + 6*moves[i]
			if cuts[i]/128 > fall+1e-9 {
				t.Errorf("game %d, round %d: %v from the set, the mean falls by %v", k, i+1, cuts[i], fall)
			}
			if cuts[i] > 1e-6 {
				nearest = max(nearest, cuts[i]/128/fall)
			}
		}
	}
	t.Logf("up to %.3f of the bound", nearest)
	if nearest < 0.02 {
		t.Errorf("no round comes nearer to the bound than a factor %.3f", nearest)
	}
}

// For every u in X^min regret ≤ (3/2)GΔ√T; actions satisfy all constraints
// seen; on a line Σ_t max_j [g_j]₊ ≤ LΔ.
func TestVazeSinhaBounds(t *testing.T) {
	regret, line, next := atMost{kind: "regret"}, atMost{kind: "violation on a line"},
		atMost{kind: "violation after the step, of 1e-9 a round"}
	for k, a := range venues(0) {
		s := stream(t, a.name, a.params, uint64(k))
		playBounds(t, a.String(), newLearner(t, "vaze-sinha", nil, setupOf(s, 0)), s,
			[]int{1, 20, 200, 1000}, func(t *testing.T, where string, v tally) {
				regret.check(t, where, v.regret, 1.5*v.facts.LossLipschitz*v.facts.Diameter*math.Sqrt(
					float64(v.t)))
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
	setup := algorithms.Setup{Set: convex.Cube(n, 0, 1), Constraints: 1,
		Facts: convex.Facts{LossLipschitz: math.Sqrt(n)}}
	l := newLearner(t, "vaze-sinha", algorithms.VazeSinhaParams{
		Step: 0.5, FirstAction: algorithms.FirstAction{X0: []float64{1}},
	}, setup)
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
	l := newLearner(t, "vaze-sinha", algorithms.VazeSinhaParams{Step: 1},
		algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1})
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
		agree(t, where, newLearner(t, "vaze-sinha", nil, setup), s.scaled(3, 0.2), want,
			max(tol, programAccuracy))
	})
}
