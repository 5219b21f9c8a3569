package algorithms_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

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
		xs := [][]float64{nearest(s.set, make([]float64, s.n))}
		space := &convex.Ball{Center: make([]float64, s.n), Radius: 1e3}
		none := slices.Repeat([]float64{math.Inf(1)}, s.m)
		for i, r := range s.rounds {
			eta := p.Step / math.Pow(float64(i+1), p.Beta)
			if p.Losses == "strongly-convex" {
				eta = 1 / (sigma * float64(i+1))
			}
			y := moved(xs[i], -eta, r.loss.gradient(xs[i]))
			if p.Variant == "joint" {
				xs = append(xs, byDual(s.set, 0.5, y, r.constraints, none))
			} else {
				xs = append(xs, nearest(s.set, byDual(space, 0.5, y, r.constraints, none)))
			}
		}
		return xs
	}
}

func TestCLASPTwin(t *testing.T) {
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
			agree(t, where+"/"+p.Variant+"/"+p.Losses, l, s, twinCLASP(p, p.Curvature)(s),
				max(tol, programAccuracy))
		}
	})
}

// The first of the next actions satisfies the round that was seen, as the proof uses,
// in the joint variant; in turn it may not.
func TestCLASPSatisfiesTheRound(t *testing.T) {
	in := map[string]float64{}
	everyScript(40, func(where string, s script, tol float64) {
		s = s.feasible()
		for _, variant := range []string{"joint", "in-turn"} {
			l := newLearner(t, "clasp", claspParams(func(p *algorithms.CLASPParams) { p.Variant = variant }),
				s.setup())
			x := make([]float64, s.n)
			for i, r := range s.rounds {
				l.Act(x)
				if err := l.Observe(x, r.real); err != nil {
					t.Fatalf("%s: round %d: %v", where, i+1, err)
				}
				l.Act(x)
				for _, g := range r.constraints {
					in[variant] = max(in[variant], g.value(x))
				}
			}
		}
	})
	if in["joint"] > 1e-9 || in["in-turn"] < 0.1 {
		t.Errorf("the largest violation of the round just seen is %v", in)
	}
}

// Constraints that leave no action end the game, of each round by themselves: x ≥ ½
// after x ≤ 0 is no such round.
func TestCLASPEmptyRound(t *testing.T) {
	for _, variant := range []string{"joint", "in-turn"} {
		l := newLearner(t, "clasp", claspParams(func(p *algorithms.CLASPParams) {
			p.Variant, p.Step = variant, 1
		}),
			algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 2})
		xs := played(t, l, 1, round(affine(0, -1), affine(0, 1), affine(-1, 0)),
			round(affine(0, 0), affine(0.5, -1), affine(-1, 0)))
		wantNear(t, xs, 1e-12, 0, 0, 0.5)
		err := l.Observe(xs[2], round(affine(0, 0), affine(0.5, -1), affine(0, 1)))
		if err == nil || !strings.Contains(err.Error(),
			"no action satisfies the constraints of round 3") {
			t.Errorf("%s: x ≥ ½ and x ≤ 0 in one round: %v", variant, err)
		}
	}
}

// A feasible action in every round is not enough for the violation, and the bound says
// so: x ≤ 0 and x ≥ 1 in turn.
func TestCLASPNeedsACommonPoint(t *testing.T) {
	s := algorithms.Setup{Set: convex.Cube(1, 0, 1), Constraints: 1,
		Facts: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 1, Feasible: true}}
	l := newLearner(t, "clasp", nil, s)
	squared, x := 0.0, make([]float64, 1)
	for i := range 100 {
		g := affine(0, 1)
		if i%2 == 1 {
			g = affine(1, -1)
		}
		l.Act(x)
		squared += math.Pow(max(0, g.Value(x)), 2)
		if err := l.Observe(x, round(affine(0, 0), g)); err != nil {
			t.Fatal(err)
		}
	}
	if squared != 99 {
		t.Errorf("the squared violation of 100 rounds is %v, by hand 99", squared)
	}
	if unmet := entry(t, "clasp").Unmet(s.Facts); len(unmet) > 0 {
		t.Errorf("unmet: %v", unmet)
	}
	if _, err := entry(t, "clasp").Claims[1].Bound(s); err == nil ||
		!strings.Contains(err.Error(), "strictly feasible") {
		t.Errorf("the bound's error is %v", err)
	}
}

// Losses times c and constraints times d: the same actions, with G as declared.
func TestCLASPScaling(t *testing.T) {
	everyScript(40, func(where string, s script, tol float64) {
		s = s.feasible()
		setup := s.setup()
		want := actions(t, newLearner(t, "clasp", nil, setup), s)
		setup.Facts.LossLipschitz *= 3
		agree(t, where, newLearner(t, "clasp", nil, setup), s.scaled(3, 0.2), want,
			max(tol, programAccuracy))
	})
}

// rotation turns on the action in the disc of radius 1, whose middle is X^min: the loss
// pushes outwards, and a constraint through the middle, next to at a right angle, sends
// the action back to the same distance, sideways by s_t with s_t² ≈ 2η_tG. This is the
// worst that (1) allows with ‖u − p_t‖ = Δ/2.
func rotation(x []float64, eta, curvature float64) convex.Round {
	out := math.Sqrt(square(x))
	e := []float64{x[0] / out, x[1] / out}
	far := out + eta
	s := math.Sqrt(far*far - out*out)
	cos, sin := s/far, out/far
	a := []float64{cos*e[0] - sin*e[1], sin*e[0] + cos*e[1]}
	if curvature == 0 {
		return round(affine(0, -e[0], -e[1]), affine(0, a...))
	}
	c := []float64{x[0] + e[0]/curvature, x[1] + e[1]/curvature}
	return round(&convex.HalfSquaredDistance{Weight: curvature, Center: c}, affine(0, a...))
}

// The squared violation comes near to its bound: towards the half of it, and towards a
// sixth for strongly convex losses, whose gradients have norms of up to 3 where those at
// the actions have norm 1. In turn there are terms Σ η_t² besides.
func TestCLASPBoundIsSharp(t *testing.T) {
	const T = 2000
	for _, variant := range []string{"joint", "in-turn"} {
		for _, c := range []struct{ beta, curvature, g, share float64 }{
			{0.5, 0, 1, 0.5}, {0.25, 0, 1, 0.5}, {1, 1, 3, 1. / 6},
		} {
			p := claspParams(func(p *algorithms.CLASPParams) {
				p.Variant, p.Step, p.X0 = variant, 1, []float64{1, 0}
				if p.Beta = c.beta; c.curvature > 0 {
					p.Losses = "strongly-convex"
				}
			})
			s := algorithms.Setup{
				Set: &convex.Ball{Center: []float64{0, 0}, Radius: 1}, Constraints: 1, Horizon: T,
				Facts: convex.Facts{LossLipschitz: c.g, ConstraintLipschitz: 1, Curvature: c.curvature,
					Slater: 1e-9},
			}
			l := newLearner(t, "clasp", p, s)
			squared, x := 0.0, make([]float64, 2)
			for i := range T {
				l.Act(x)
				r := rotation(x, 1/math.Pow(float64(i+1), c.beta), c.curvature)
				squared += math.Pow(max(0, r.Constraints[0].Value(x)), 2)
				if err := l.Observe(x, r); err != nil {
					t.Fatal(err)
				}
			}
			b, err := p.Claims()[1].Bound(s)
			if err != nil {
				t.Fatal(err)
			}
			ratio := squared / b(T)
			t.Logf("%s, β = %v, σ = %v: %.3f of the bound", variant, c.beta, c.curvature, ratio)
			if ratio > 1 || ratio < 0.55*c.share {
				t.Errorf("%s, β = %v, σ = %v: the squared violation is %v, which is %.3f of its bound", variant,
					c.beta, c.curvature, squared, ratio)
			}
		}
	}
}
