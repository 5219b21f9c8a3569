package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// The twins below are second derivations of the updates: transcriptions of the
// equations that store every round and look at all of them again in each, with
// solvers of their own. They share with package algorithms the functions of
// the rounds and nothing else.

// smooth is a function of the twins' own: c + a·x + ½w‖x−z‖² + u‖x−y‖.
type smooth struct {
	c, w, u float64
	a, z, y []float64
}

// value returns the value at x.
func (f smooth) value(x []float64) float64 {
	v := f.c
	var square, dist float64
	for i := range x {
		v += f.a[i] * x[i]
		square += (x[i] - f.z[i]) * (x[i] - f.z[i])
		dist += (x[i] - f.y[i]) * (x[i] - f.y[i])
	}
	return v + f.w*square/2 + f.u*math.Sqrt(dist)
}

// gradient returns the gradient at x, and a subgradient at the kink y.
func (f smooth) gradient(x []float64) []float64 {
	g := make([]float64, len(x))
	dist := distance(x, f.y)
	for i := range x {
		g[i] = f.a[i] + f.w*(x[i]-f.z[i])
		if dist > 0 {
			g[i] += f.u * (x[i] - f.y[i]) / dist
		}
	}
	return g
}

// distance returns ‖x−y‖.
func distance(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		s += (x[i] - y[i]) * (x[i] - y[i])
	}
	return math.Sqrt(s)
}

// twinRound is a round in both forms: that of the twins, and that of learners.
type twinRound struct {
	loss        smooth
	constraints []smooth
	real        convex.Round
}

// script is a random game of one kind of constraints.
type script struct {
	set    convex.Set
	n, m   int
	rounds []twinRound
}

// newScript draws a game. Losses are affine or squared distances; constraints
// are affine, or curved (with a quadratic part), perturbed (one quadratic
// function each, shifted) or norms (the same of a distance).
func newScript(rng *rand.Rand, domain, kind string, n, m, rounds int) script {
	vector := func(scale float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = scale * rng.NormFloat64()
		}
		return v
	}
	zero := make([]float64, n)
	s := script{n: n, m: m}
	var err error
	switch domain {
	case "box":
		lo, hi := make([]float64, n), make([]float64, n)
		for i := range lo {
			lo[i], hi[i] = -1-rng.Float64(), 0.5+rng.Float64()
		}
		s.set, err = convex.NewBox(lo, hi)
	case "ball":
		s.set, err = convex.NewBall(vector(0.2), 1.3)
	case "simplex":
		s.set, err = convex.NewSimplex(n, 1.5)
	}
	if err != nil {
		panic(err)
	}

	drift := vector(0.7)
	normals := make([][]float64, m)
	bases := make([]*convex.Basis, m)
	base := make([]smooth, m)
	for j := range m {
		normals[j] = vector(1)
		base[j] = smooth{a: zero, z: vector(0.5), y: zero, w: 0.5 + rng.Float64()}
		bases[j] = convex.NewBasis(&convex.HalfSquaredDistance{Weight: base[j].w, Center: base[j].z})
		if kind == "norm" {
			base[j] = smooth{a: zero, z: zero, y: vector(0.5), u: 0.5 + rng.Float64()}
			bases[j] = convex.NewBasis(&convex.Distance{Weight: base[j].u, Center: base[j].y})
		}
	}
	for range rounds {
		var r twinRound
		a := vector(1)
		for i := range a {
			a[i] += drift[i]
		}
		if rng.IntN(3) == 0 {
			w := rng.Float64()
			r.loss = smooth{a: zero, z: a, y: zero, w: w}
			r.real.Loss = &convex.HalfSquaredDistance{Weight: w, Center: slices.Clone(a)}
		} else {
			r.loss = smooth{a: a, z: zero, y: zero, c: 1}
			r.real.Loss = &convex.Affine{A: slices.Clone(a), B: 1}
		}
		for j := range m {
			b := -0.3 + 0.5*rng.NormFloat64()
			switch kind {
			case "affine":
				a := vector(0.6)
				for i := range a {
					a[i] += normals[j][i]
				}
				r.constraints = append(r.constraints, smooth{a: a, z: zero, y: zero, c: b})
				r.real.Constraints = append(r.real.Constraints, &convex.Affine{A: slices.Clone(a), B: b})
			case "curved":
				z, w := vector(0.5), rng.Float64()
				r.constraints = append(r.constraints, smooth{a: zero, z: z, y: zero, w: w, c: b})
				r.real.Constraints = append(r.real.Constraints,
					&convex.HalfSquaredDistance{Weight: w, Center: slices.Clone(z), Offset: b})
			default:
				f := base[j]
				if kind == "norm" {
					b = -math.Abs(b) // the kink of the norm is feasible
				}
				f.c = b
				r.constraints = append(r.constraints, f)
				r.real.Constraints = append(r.real.Constraints, &convex.Shifted{Base: bases[j], Shift: b})
			}
		}
		s.rounds = append(s.rounds, r)
	}
	return s
}

// setup returns what a learner is told of a script.
func (s script) setup() algorithms.Setup {
	return algorithms.Setup{Set: s.set, Constraints: s.m, Facts: convex.Facts{LossLipschitz: 4}}
}

// nearestPoint returns the projection of a point as the twins compute it: by clipping, by scaling,
// and on the simplex by bisection for θ in Σ[x−θ]₊ = s.
func nearestPoint(set convex.Set, x []float64) []float64 {
	p := slices.Clone(x)
	switch set := set.(type) {
	case *convex.Box:
		for i := range p {
			p[i] = math.Max(set.Lower[i], math.Min(set.Upper[i], p[i]))
		}
	case *convex.Ball:
		if d := distance(x, set.Center); d > set.Radius {
			for i := range p {
				p[i] = set.Center[i] + (x[i]-set.Center[i])*set.Radius/d
			}
		}
	case *convex.Simplex:
		lo, hi := slices.Min(x)-set.Scale, slices.Max(x)
		for range 200 {
			theta := (lo + hi) / 2
			sum := 0.0
			for i := range p {
				p[i] = math.Max(0, x[i]-theta)
				sum += p[i]
			}
			if sum > set.Scale {
				lo = theta
			} else {
				hi = theta
			}
		}
	}
	return p
}

// twin plays a script and returns x_1, …, x_{T+1}.
type twin func(script) [][]float64

// twinOGD plays online gradient descent with the steps step/√t.
func twinOGD(step float64, x0 []float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, x0)}
		for t, r := range s.rounds {
			alpha := step / math.Sqrt(float64(t+1))
			xs = append(xs, descend(s.set, xs[t], alpha, r.loss.gradient(xs[t])))
		}
		return xs
	}
}

// descend returns the projection of a gradient step from x.
func descend(set convex.Set, x []float64, alpha float64, g []float64) []float64 {
	y := slices.Clone(x)
	for i := range y {
		y[i] -= alpha * g[i]
	}
	return nearestPoint(set, y)
}

// twinPrimalDual plays the primal-dual update on the constraints of a round or, if average is true,
// on the averages of the constraints so far.
func twinPrimalDual(step float64, x0 []float64, average bool) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, x0)}
		lambda := make([]float64, s.m)
		for t := 1; t <= len(s.rounds); t++ {
			alpha := step / math.Sqrt(float64(t))
			x := xs[t-1]
			seen := s.rounds[t-1 : t]
			if average {
				seen = s.rounds[:t]
			}
			g := s.rounds[t-1].loss.gradient(x)
			for j := range s.m {
				for _, r := range seen {
					for i, d := range r.constraints[j].gradient(x) {
						g[i] += lambda[j] * d / float64(len(seen))
					}
				}
			}
			next := descend(s.set, x, alpha, g)
			for j := range s.m {
				mean := 0.0
				for _, r := range seen {
					mean += r.constraints[j].value(next) / float64(len(seen))
				}
				lambda[j] = math.Max(0, lambda[j]+alpha*mean)
			}
			xs = append(xs, next)
		}
		return xs
	}
}

// averageParams holds the parameters of primal-dual-average.
func averageParams(step float64, x0 []float64, clip bool) algorithms.PrimalDualAverageParams {
	return algorithms.PrimalDualAverageParams{Clip: clip, PrimalDualParams: algorithms.PrimalDualParams{
		Step: step, FirstAction: algorithms.FirstAction{X0: x0},
	}}
}

// twinClipped plays the primal-dual update on h_t = Σ_j [ḡ_{t,j}]₊, all rounds summed anew.
func twinClipped(step float64, x0 []float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, x0)}
		lambda := 0.0
		for t := 1; t <= len(s.rounds); t++ {
			mean := func(j int, x []float64) (v float64) {
				for _, r := range s.rounds[:t] {
					v += r.constraints[j].value(x) / float64(t)
				}
				return v
			}
			alpha, x := step/math.Sqrt(float64(t)), xs[t-1]
			g := s.rounds[t-1].loss.gradient(x)
			for j := range s.m {
				if mean(j, x) <= 0 {
					continue
				}
				for _, r := range s.rounds[:t] {
					for i, d := range r.constraints[j].gradient(x) {
						g[i] += lambda * d / float64(t)
					}
				}
			}
			next := descend(s.set, x, alpha, g)
			for j := range s.m {
				lambda += alpha * math.Max(0, mean(j, next))
			}
			xs = append(xs, next)
		}
		return xs
	}
}

func TestGradientStepsAgreeWithTwins(t *testing.T) {
	t.Parallel()
	x0 := []float64{0.4}
	for _, domain := range []string{"box", "ball", "simplex"} {
		for n := 1; n <= 5; n++ {
			for m := range 4 {
				for _, kind := range []string{"affine", "curved", "perturbed", "norm"} {
					rng := rand.New(rand.NewPCG(uint64(n), uint64(m)))
					s := newScript(rng, domain, kind, n, m, 100)
					start := slices.Repeat(x0, n)
					for _, c := range []struct {
						name   string
						params any
						twin   twin
					}{
						{"ogd", algorithms.OGDParams{Step: 0.7, FirstAction: algorithms.FirstAction{X0: x0}},
							twinOGD(0.7, start)},
						{"ogd", algorithms.OGDParams{FirstAction: algorithms.FirstAction{X0: x0}},
							twinOGD(ogdStep(s), start)},
						{"primal-dual", algorithms.PrimalDualParams{
							Step: 0.3, FirstAction: algorithms.FirstAction{X0: x0},
						}, twinPrimalDual(0.3, start, false)},
						{"primal-dual-average", averageParams(0.3, x0, false),
							twinPrimalDual(0.3, start, true)},
						{"primal-dual-average", averageParams(0.3, x0, true), twinClipped(0.3, start)},
					} {
						where := fmt.Sprintf("%s on %s/%s/n=%d/m=%d", c.name, domain, kind, n, m)
						l := newLearner(t, c.name, c.params, s.setup())
						checkTwin(t, where, l, s, c.twin(s), 1e-9)
					}
				}
			}
		}
	}
}

// ogdStep returns the default: diameter over the declared Lipschitz constant.
func ogdStep(s script) float64 {
	if d := s.set.Diameter(); d > 0 {
		return d / s.setup().Facts.LossLipschitz
	}
	return 1
}

// checkTwin plays a script with a learner, and compares its actions with those of the twin.
func checkTwin(t *testing.T, where string, l algorithms.Learner, s script, want [][]float64,
	tol float64) {
	t.Helper()
	x := make([]float64, s.n)
	for i := range want {
		l.Act(x)
		if d := distance(x, want[i]); !(d <= tol) {
			t.Errorf("%s: action %d is %v, its twin plays %v: %.2g apart", where, i+1, x, want[i], d)
			return
		}
		if i < len(s.rounds) {
			if err := l.Observe(x, s.rounds[i].real); err != nil {
				t.Errorf("%s: round %d: %v", where, i+1, err)
				return
			}
		}
	}
}
