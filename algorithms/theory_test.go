package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/convex"
)

// Lemma 4 of the paper: with Φ_τ = Σ_{i≤τ} F_i of strong convexity σ_τ and F_τ
// L-Lipschitz, ‖x_{τ+1} − x_τ‖ ≤ 2L/(σ_τ + σ_{τ−1}). Here F_τ is
//
//	κ(√τ − √(τ−1))‖x−x_0‖² + f_τ + γh_τ,   σ_τ = 2κ√τ,
//
// and the L of its three parts are known, round by round.
func TestPenalisedFTRLIsStable(t *testing.T) {
	t.Parallel()
	nearest := 0.0 // how near the bound comes to being met
	for _, penalty := range []string{"average", "per-round"} {
		for _, domain := range []string{"box", "ball", "simplex"} {
			for n := 1; n <= 4; n++ {
				for m := range 3 {
					for _, gamma := range []float64{0, 1, 25} {
						s := newScript(rand.New(rand.NewPCG(uint64(n), uint64(m))), domain, "affine", n, m, 80)
						for i := range s.rounds { // hard ones: losses that turn, all affine
							a := slices.Repeat([]float64{3 * math.Pow(-1, float64(i/5))}, n)
							a[0] *= -1
							s.rounds[i].loss = smooth{a: a, z: make([]float64, n), y: make([]float64, n)}
							s.rounds[i].real.Loss = affine(0, a...)
						}
						p := ftrlParams(func(p *algorithms.PenalisedFTRLParams) {
							p.Penalty, p.Gamma.Value, p.X0 = penalty, gamma, []float64{0.2}
						})
						where := fmt.Sprintf("%s on %s/n=%d/m=%d/γ=%v", penalty, domain, n, m, gamma)
						nearest = max(nearest, stability(t, where, p, s))
					}
				}
			}
		}
	}
	t.Logf("the bound is met up to a factor %.3f", nearest)
	if nearest < 0.5 {
		t.Errorf("no move came nearer to the bound than a factor %.3f: the rounds are too easy", nearest)
	}
}

func stability(t *testing.T, where string, p algorithms.PenalisedFTRLParams,
	s script) (nearest float64) {
	l := newLearner(t, "penalised-ftrl", p, s.setup())
	center := slices.Repeat(p.X0, s.n)
	zero := make([]float64, s.n)
	reach := farthest(s.set, center)
	mean := make([][]float64, s.m)
	for j := range mean {
		mean[j] = make([]float64, s.n)
	}
	x, next := make([]float64, s.n), make([]float64, s.n)
	for i, r := range s.rounds {
		tau := float64(i + 1)
		l.Act(x)
		if err := l.Observe(x, r.real); err != nil {
			t.Fatalf("%s: round %d: %v", where, i+1, err)
		}
		l.Act(next)
		lipschitz := 2*p.Kappa*(math.Sqrt(tau)-math.Sqrt(tau-1))*reach + distance(r.loss.a, zero)
		for j, g := range r.constraints {
			for k := range mean[j] {
				mean[j][k] += g.a[k]
			}
			switch p.Penalty {
			case "average":
				lipschitz += p.Gamma.Value * distance(mean[j], zero) / tau
			case "per-round":
				lipschitz += p.Gamma.Value * distance(g.a, zero)
			}
		}
		bound := 2 * lipschitz / (2 * p.Kappa * (math.Sqrt(tau) + math.Sqrt(tau-1)))
		d := distance(x, next)
		if d > bound*(1+1e-12)+1e-12 {
			t.Errorf("%s: round %d: the action moves by %v, the Lemma allows %v", where, i+1, d, bound)
		}
		nearest = max(nearest, d/bound)
	}
	return nearest
}

// farthest bounds the distance of a point from those of a set.
func farthest(set convex.Set, x []float64) float64 {
	switch set := set.(type) {
	case *convex.Ball:
		return distance(x, set.Center) + set.Radius
	case *convex.Box:
		far := make([]float64, len(x))
		for i := range far {
			far[i] = max(math.Abs(set.Upper[i]-x[i]), math.Abs(set.Lower[i]-x[i]))
		}
		return distance(far, make([]float64, len(x)))
	case *convex.Simplex:
		d := 0.0
		for i := range x {
			vertex := make([]float64, len(x))
			vertex[i] = set.Scale
			d = max(d, distance(x, vertex))
		}
		return d
	}
	panic("a set of another kind")
}

// Without constraints, or with ones that never bind, and with linear losses
// Penalised FTRL is lazy projection: x_{τ+1} = Π(x_0 − Σ∇f_i/(2κ√τ)).
func TestPenalisedFTRLWithoutConstraintsIsLazyProjection(t *testing.T) {
	t.Parallel()
	for _, domain := range []string{"box", "ball", "simplex"} {
		for n := 1; n <= 5; n++ {
			for name, g := range map[string][]convex.Func{
				"no constraint":   nil,
				"0 ≤ 0":           {affine(0, make([]float64, n)...)},
				"-1 ≤ 0":          {affine(-1, make([]float64, n)...)},
				"far from active": {affine(-100, slices.Repeat([]float64{1}, n)...)},
			} {
				rng := rand.New(rand.NewPCG(uint64(n), 5))
				s := newScript(rng, domain, "affine", n, 0, 0)
				p := ftrlParams(nil)
				l := newLearner(t, "penalised-ftrl", p, algorithms.Setup{Set: s.set, Constraints: len(g)})
				sum := make([]float64, n)
				x, want := make([]float64, n), make([]float64, n)
				for tau := 1; tau <= 300; tau++ {
					a := make([]float64, n)
					for i := range a {
						a[i] = rng.NormFloat64() + 0.1
						sum[i] += a[i]
						want[i] = p.X0[0] - sum[i]/(2*p.Kappa*math.Sqrt(float64(tau)))
					}
					l.Act(x)
					if err := l.Observe(x, round(affine(1, a...), g...)); err != nil {
						t.Fatal(err)
					}
					l.Act(x)
					if d := distance(x, nearest(s.set, want)); !(d <= 1e-10) {
						t.Fatalf("%s on %s, n=%d: x_%d is %v, want %v", name, domain, n, tau+1, x,
							nearest(s.set, want))
					}
				}
			}
		}
	}
}

// Zinkevich's Theorem 1: with non-increasing steps, for every u in D and T,
//
//	Σ_{t≤T} f_t(x_t) − f_t(u) ≤ Δ²/(2α_T) + (G²/2) Σ_{t≤T} α_t,
//
// and α_t = Δ/(G√t) makes this at most (3/2)GΔ√T. Losses are linear, ‖∇f_t‖ =
// G, so that the best u is at hand; they are random, constant, or turned by an
// adversary against the action.
func TestOGDRegretBound(t *testing.T) {
	const G = 2.0
	nearest := 0.0
	for _, domain := range []string{"box", "ball", "simplex"} {
		for n := 1; n <= 4; n++ {
			for _, step := range []float64{0, 0.1, 3} { // 0 is Δ/G
				for kind, loss := range map[string]func(rng *rand.Rand, t int, x []float64) []float64{
					"random": func(rng *rand.Rand, _ int, _ []float64) []float64 {
						return uniformVector(rng, n)
					},
					"constant":  func(_ *rand.Rand, _ int, _ []float64) []float64 { return unit(n, 0) },
					"adversary": func(_ *rand.Rand, t int, x []float64) []float64 { return against(x, n, t) },
				} {
					rng := rand.New(rand.NewPCG(uint64(n), 11))
					s := newScript(rng, domain, "affine", n, 0, 0)
					delta := s.set.Diameter()
					l := newLearner(t, "ogd", algorithms.OGDParams{Step: step},
						algorithms.Setup{Set: s.set, Facts: convex.Facts{LossLipschitz: G}})
					first := step
					if first == 0 {
						first = delta / G
					}
					if first == 0 { // one point
						continue
					}
					var total, steps float64
					sum, x, at := make([]float64, n), make([]float64, n), make([]float64, n)
					for i := 1; i <= 400; i++ {
						l.Act(x)
						a := loss(rng, i, x)
						norm := distance(a, make([]float64, n))
						for k := range a {
							a[k] *= G / norm
							sum[k] -= a[k]
						}
						total += inner(a, x)
						if err := l.Observe(x, round(affine(0, a...))); err != nil {
							t.Fatal(err)
						}
						alpha := first / math.Sqrt(float64(i))
						steps += alpha
						regret := total + s.set.Support(at, sum)
						bound := delta*delta/(2*alpha) + G*G/2*steps
						where := fmt.Sprintf("%s losses on %s/n=%d/step=%v, T=%d", kind, domain, n, step, i)
						if regret > bound*(1+1e-12) {
							t.Errorf("%s: regret %v, the bound is %v", where, regret, bound)
						}
						if short := 1.5 * G * delta * math.Sqrt(float64(i)); step == 0 && regret > short {
							t.Errorf("%s: regret %v, (3/2)GΔ√T is %v", where, regret, short)
						}
						if step == 0 && i > 10 {
							nearest = max(nearest, regret/bound)
						}
					}
				}
			}
		}
	}
	t.Logf("the bound is met up to a factor %.3f", nearest)
	if nearest < 0.2 {
		t.Errorf("no game came nearer to the bound than a factor %.3f: the losses are too easy", nearest)
	}
}

func uniformVector(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func unit(n, k int) []float64 {
	v := make([]float64, n)
	v[k] = 1
	return v
}

// against returns a loss that the action likes least, a coordinate at a time.
func against(x []float64, n, t int) []float64 {
	k := t % n
	v := unit(n, k)
	if x[k] < 0 || n > 1 && x[k] < 0.2 {
		v[k] = -1
	}
	return v
}

// scaledRound returns a round with losses and constraints times c and d.
func scaledRound(r convex.Round, n int, c, d float64) convex.Round {
	times := func(f convex.Func, by float64) convex.Func {
		form := convex.NewForm(n)
		f.AddTo(form, by)
		return form
	}
	s := round(times(r.Loss, c))
	for _, g := range r.Constraints {
		s.Constraints = append(s.Constraints, times(g, d))
	}
	return s
}

// Units do not matter, where the parameters are given in them: with losses
// times c and constraints times d, the same actions are played by
//
//	penalised-ftrl       with κ·c and γ·c/d (and a tolerance times d)
//	ogd                  with step/c
//	primal-dual(-average) with step/c if d = c: multipliers are the same
func TestScaling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ loss, constraint float64 }{{3, 3}, {0.1, 0.1}, {0.2, 30}} {
		for _, domain := range []string{"box", "ball", "simplex"} {
			for _, kind := range []string{"affine", "curved", "perturbed"} {
				for _, n := range []int{1, 3} {
					s := newScript(rand.New(rand.NewPCG(uint64(n), 21)), domain, kind, n, 2, 25)
					other := s
					other.rounds = slices.Clone(s.rounds)
					for i := range other.rounds {
						other.rounds[i].real = scaledRound(s.rounds[i].real, n, c.loss, c.constraint)
					}
					tol := 1e-9
					if kind != "affine" && n > 1 {
						tol = 1e-4 // the root of a relative gap of 1e-10
					}
					same := func(name string, one, two any, tol float64) {
						t.Helper()
						where := fmt.Sprintf("%s on %s/%s/n=%d, losses ×%v, constraints ×%v", name, domain, kind, n,
							c.loss, c.constraint)
						want := actions(t, newLearner(t, name, one, s.setup()), s)
						agree(t, where, newLearner(t, name, two, other.setup()), other, want, tol)
					}
					for _, v := range ftrlVariants {
						p := v.params
						p.Kappa *= c.loss
						p.Gamma.Value *= c.loss / c.constraint
						p.GammaStart *= c.loss / c.constraint
						p.GammaMax *= c.loss / c.constraint
						p.Tolerance *= c.constraint
						same("penalised-ftrl", v.params, p, tol)
					}
					same("ogd", algorithms.OGDParams{Step: 0.5}, algorithms.OGDParams{Step: 0.5 / c.loss}, 1e-9)
					if c.loss == c.constraint {
						same("primal-dual", algorithms.PrimalDualParams{Step: 0.5},
							algorithms.PrimalDualParams{Step: 0.5 / c.loss}, 1e-9)
						for _, clip := range []bool{false, true} {
							same("primal-dual-average", averageParams(0.5, nil, clip),
								averageParams(0.5/c.loss, nil, clip), 1e-9)
						}
					}
				}
			}
		}
	}
}

// actions plays a script.
func actions(t *testing.T, l algorithms.Learner, s script) [][]float64 {
	t.Helper()
	var rounds []convex.Round
	for _, r := range s.rounds {
		rounds = append(rounds, r.real)
	}
	return played(t, l, s.n, rounds...)
}

// A constraint given twice weighs twice.
func TestPenalisedFTRLDuplicatedConstraint(t *testing.T) {
	for _, penalty := range []string{"average", "per-round", "difference"} {
		for _, kind := range []string{"affine", "curved", "perturbed"} {
			for _, n := range []int{1, 2, 3} {
				s := newScript(rand.New(rand.NewPCG(uint64(n), 31)), "box", kind, n, 1, 40)
				twice := s
				twice.m = 2
				twice.rounds = slices.Clone(s.rounds)
				for i := range twice.rounds {
					g := s.rounds[i].real.Constraints[0]
					twice.rounds[i].real.Constraints = []convex.Func{g, g}
				}
				p := ftrlParams(func(p *algorithms.PenalisedFTRLParams) { p.Penalty = penalty })
				half := p
				half.Gamma.Value /= 2
				tol := 1e-9
				if kind != "affine" && n > 1 {
					tol = 1e-4
				}
				want := actions(t, newLearner(t, "penalised-ftrl", p, s.setup()), s)
				agree(t, fmt.Sprintf("%s/%s/n=%d", penalty, kind, n),
					newLearner(t, "penalised-ftrl", half, twice.setup()), twice, want, tol)
			}
		}
	}
}

// Parameters belong to whoever gave them.
func TestParametersAreCopied(t *testing.T) {
	for _, name := range []string{"penalised-ftrl", "primal-dual", "ogd"} {
		x0 := []float64{0.25, -0.25}
		var params any
		switch name {
		case "penalised-ftrl":
			params = ftrlParams(func(p *algorithms.PenalisedFTRLParams) { p.X0 = x0 })
		case "primal-dual":
			params = algorithms.PrimalDualParams{Step: 1, FirstAction: algorithms.FirstAction{X0: x0}}
		case "ogd":
			params = algorithms.OGDParams{Step: 1, FirstAction: algorithms.FirstAction{X0: x0}}
		}
		s := algorithms.Setup{Set: convex.Cube(2, -1, 1)}
		rounds := []convex.Round{round(affine(0, 0.1, 0.2)), round(affine(0, 0.1, -0.2))}
		want := played(t, newLearner(t, name, params, s), 2, rounds...)
		l := newLearner(t, name, params, s)
		x0[0], x0[1] = 9, 9
		wantActions(t, played(t, l, 2, rounds...), slices.Concat(want...)...)
	}
}

// A start of another dimension is an error of New that says so.
func TestStartOfAnotherDimension(t *testing.T) {
	for name, params := range map[string]any{
		"penalised-ftrl": ftrlParams(func(p *algorithms.PenalisedFTRLParams) {
			p.X0 = []float64{1, 2}
		}),
		"primal-dual": algorithms.PrimalDualParams{
			Step: 1, FirstAction: algorithms.FirstAction{X0: []float64{1, 2}},
		},
		"primal-dual-average": averageParams(1, []float64{1, 2}, false),
		"ogd":                 algorithms.OGDParams{FirstAction: algorithms.FirstAction{X0: []float64{1, 2}}},
	} {
		_, err := entry(t, name).Start(params, algorithms.Setup{Set: convex.Cube(3, -1, 1)})
		if err == nil || !strings.Contains(err.Error(), "2 coordinates") ||
			!strings.Contains(err.Error(), "3") {
			t.Errorf("%s: a start with 2 coordinates in 3 dimensions gives the error %v", name, err)
		}
	}
}

func TestGammaText(t *testing.T) {
	for text, want := range map[string]algorithms.Gamma{
		"25": {Value: 25}, "0": {}, "1e-3": {Value: 0.001}, "adaptive": {Adaptive: true},
	} {
		var g algorithms.Gamma
		if err := g.UnmarshalText([]byte(text)); err != nil || g != want {
			t.Errorf("%q is read as %v, %v", text, g, err)
		}
		var again algorithms.Gamma
		if printed, err := g.MarshalText(); err != nil || again.UnmarshalText(printed) != nil ||
			again != g {
			t.Errorf("%v is printed as %q, %v", g, printed, err)
		}
	}
	for _, text := range []string{"", "-1", "NaN", "Inf", "Adaptive", "1,5"} {
		g := algorithms.Gamma{Value: 3}
		if err := g.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, g)
		} else if g.Value != 3 {
			t.Errorf("%q is refused, but changes the value to %v", text, g)
		}
	}
}

// The law holds first-order learners to it; where constraints are affine, these
// do not allocate either.
func TestAffineRoundsDoNotAllocate(t *testing.T) {
	for _, name := range []string{"primal-dual-average", "yu-neely", "valls", "chen", "guo", "coldq"} {
		allocs, err := algtest.Allocations(entry(t, name))
		if err != nil || allocs != 0 {
			t.Errorf("%s: a round makes %v allocations (%v)", name, allocs, err)
		}
	}
}
