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
	"ocobench/problems"
)

// longTermSetup returns the setup of a script for learners that are told constants.
// They need not be true of the script to tell one formula from another.
func longTermSetup(s script) algorithms.Setup {
	return algorithms.Setup{
		Set: s.set, Constraints: s.m, Horizon: len(s.rounds),
		Facts: convex.Facts{LossLipschitz: 2, ConstraintLipschitz: 1.5, LossRange: 7, ConstraintBound: 3,
			Slater: 0.4, Curvature: 0.5},
	}
}

// longTermScripts plays scripts on all kinds of domains and constraints.
func longTermScripts(t *testing.T, domains, kinds []string, check func(where string, s script)) {
	t.Helper()
	for _, domain := range domains {
		for _, kind := range kinds {
			for n := 1; n <= 4; n++ {
				for m := range 4 {
					rng := rand.New(rand.NewPCG(uint64(n), uint64(m)))
					check(fmt.Sprintf("%s/%s/n=%d/m=%d", domain, kind, n, m),
						newScript(rng, domain, kind, n, m, 250))
				}
			}
		}
	}
}

var (
	domainKinds     = []string{"box", "ball", "simplex"}
	constraintKinds = []string{"affine", "curved", "perturbed", "norm"}
)

// worstOf returns the index of the largest constraint of a round at x.
func worstOf(r twinRound, x []float64) (j int) {
	for k, g := range r.constraints {
		if g.value(x) > r.constraints[j].value(x) {
			j = k
		}
	}
	return j
}

// twinMahdavi plays Algorithm 1 of Mahdavi, Jin and Yang with the step eta and the damping delta.
func twinMahdavi(eta, delta float64, x0 []float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, x0)}
		lambda := make([]float64, s.m)
		for t, r := range s.rounds {
			x := xs[t]
			p := r.loss.gradient(x)
			for j, g := range r.constraints {
				for i, d := range g.gradient(x) {
					p[i] += lambda[j] * d
				}
			}
			for j, g := range r.constraints {
				lambda[j] = math.Max(0, lambda[j]+eta*(g.value(x)-eta*delta*lambda[j]))
			}
			xs = append(xs, descend(s.set, x, eta, p))
		}
		return xs
	}
}

func TestMahdaviAgreesWithTwin(t *testing.T) {
	t.Parallel()
	longTermScripts(t, domainKinds, constraintKinds, func(where string, s script) {
		setup := longTermSetup(s)
		x0 := slices.Repeat([]float64{0.4}, s.n)
		m, T := float64(s.m), float64(len(s.rounds))
		R := farthest(s.set, nearestPoint(s.set, x0))
		a := R * math.Sqrt((m+1)*2*2+2*m*3*3)
		eta := 0.
		if R > 0 {
			eta = R * R / (a * math.Sqrt(T))
		}
		checkTwin(t, where, newLearner(t, "mahdavi",
			algorithms.MahdaviParams{FirstAction: algorithms.FirstAction{X0: x0[:1]}}, setup), s,
			twinMahdavi(eta, 2*(m+1)*2*2, x0)(s), 1e-9)
		p := algorithms.MahdaviParams{Step: 0.1, Damping: 0.7,
			FirstAction: algorithms.FirstAction{X0: x0[:1]}}
		checkTwin(t, where, newLearner(t, "mahdavi", p, setup), s, twinMahdavi(0.1, 0.7, x0)(s), 1e-9)
	})
}

// testProblem is a problem of the registry with parameters, or a stream of these tests.
type testProblem struct {
	name   string
	params any
}

func (a testProblem) String() string { return fmt.Sprintf("%s %+v", a.name, a.params) }

// stream starts the problem with a seed. A name that ends in :combine=max stands for the problem
// with its constraints combined.
func (a testProblem) stream(t *testing.T, seed uint64) problems.Stream {
	t.Helper()
	if s, ok := a.params.(problems.Stream); ok {
		return s
	}
	name, combine := strings.CutSuffix(a.name, ":combine=max")
	for _, p := range problems.All {
		if p.Name == name {
			if combine {
				p = p.Combined()
			}
			s, err := p.New(a.params, rand.New(rand.NewPCG(seed, 77)))
			if err != nil {
				t.Fatalf("%v: %v", a, err)
			}
			return s
		}
	}
	t.Fatalf("got no problem %q, want one of the registry", a.name)
	return nil
}

func space(dim int, set string, radius float64) problems.Space {
	return problems.Space{Dim: dim, Set: set, Radius: radius}
}

func shapes(m int, kind string, margin float64) problems.Shapes {
	return problems.Shapes{Constraints: m, Kind: kind, Margin: margin}
}

// hostileStream plays on [−1, 1]² or on the simplex of two coordinates against the action: the loss
// rises where x_1 has gone, and the constraint is violated unless x_1 is in the middle, the only
// point of X^min.
type hostileStream struct {
	simplex   bool
	curvature float64
}

func (h hostileStream) Set() convex.Set {
	if h.simplex {
		return &convex.Simplex{N: 2, Scale: 1}
	}
	return convex.Cube(2, -1, 1)
}

func (hostileStream) Constraints() int { return 1 }

// Facts implements [problems.Stream].
func (h hostileStream) Facts() convex.Facts {
	return convex.Facts{
		LossLipschitz: math.Max(1, 4*h.curvature), ConstraintLipschitz: 1,
		LossRange: math.Max(2, 8*h.curvature), ConstraintBound: 1,
		Diameter: h.Set().Diameter(), Curvature: h.curvature, Affine: true, Adaptive: true,
	}
}

// Reveal implements [problems.Stream].
func (h hostileStream) Reveal(_ int, x []float64) *convex.Round {
	middle, side := 0., 1.
	if h.simplex {
		middle = 0.5
	}
	if x[0] < middle {
		side = -1
	}
	r := newRound(affine(0, side, 0), affine(-side*middle, side, 0))
	if h.curvature > 0 {
		r.Loss = &convex.HalfSquaredDistance{Weight: h.curvature, Center: []float64{middle - side, middle}}
	}
	return &r
}

// testProblems are instances of every problem of the registry, of all their kinds, and harder ones.
var testProblems = []testProblem{
	{"decaying-frequency", problems.DecayingFrequencyParams{C: 1, Constraints: 1}},
	{"decaying-frequency", problems.DecayingFrequencyParams{C: 0.5, Constraints: 1}},
	{"decaying-frequency", problems.DecayingFrequencyParams{C: 0.75, Constraints: 2}},
	{"shrinking", nil},
	{"fixed", problems.FixedParams{Space: space(1, "box", 1), Shapes: shapes(1, "affine", 0.25),
		Losses: problems.Losses{LossNoise: 1}}},
	{"fixed", problems.FixedParams{Space: space(2, "box", 1), Shapes: shapes(1, "affine", 0.25),
		Losses: problems.Losses{}}},
	{"fixed", problems.FixedParams{Space: space(5, "ball", 2), Shapes: shapes(3, "affine", 0.25),
		Losses: problems.Losses{LossNoise: 1}}},
	{"fixed", problems.FixedParams{Space: space(3, "ball", 1), Shapes: shapes(2, "quadratic", 0.1),
		Losses: problems.Losses{LossNoise: 1}}},
	{"fixed", problems.FixedParams{Space: space(4, "simplex", 3), Shapes: shapes(2, "norm", 0.1),
		Losses: problems.Losses{LossNoise: 0.5, Curvature: 1}}},
	{"fixed", problems.FixedParams{Space: space(2, "box", 1), Shapes: shapes(1, "affine", 0.25),
		Losses: problems.Losses{LossNoise: 0.2, Curvature: 2}}},
	{"fixed", problems.FixedParams{Space: space(2, "box", 100), Shapes: shapes(2, "affine", 60),
		Losses: problems.Losses{LossNoise: 0.2}}},
	{"perturbed", problems.PerturbedParams{
		Space: space(2, "box", 1), Shapes: shapes(1, "affine", 0.25), Noise: "iid", Amplitude: 0.2,
		Period: 10, Losses: problems.Losses{LossNoise: 1},
	}},
	{"perturbed", problems.PerturbedParams{
		Space: space(3, "ball", 1), Shapes: shapes(2, "norm", 0.25), Noise: "drift", Amplitude: 0.2,
		Period: 10, Losses: problems.Losses{LossNoise: 1},
	}},
	{"perturbed", problems.PerturbedParams{
		Space: space(3, "simplex", 2), Shapes: shapes(1, "quadratic", 0.2), Noise: "periodic",
		Amplitude: 0.2, Period: 10, Losses: problems.Losses{LossNoise: 0.1, Curvature: 0.5},
	}},
	{"perturbed", problems.PerturbedParams{
		Space: space(2, "box", 1), Shapes: shapes(2, "affine", 0.5), Noise: "adversarial", Amplitude: 0.3,
		Period: 10, Losses: problems.Losses{LossNoise: 1},
	}},
	{"iid", problems.IIDParams{Space: space(2, "box", 1), Constraints: 1, Slack: 0.25, Margin: 0.1,
		Spread: 0.5, LossNoise: 1, Direction: "random"}},
	{"hostile", hostileStream{}},
	{"hostile", hostileStream{simplex: true}},
	{"hostile", hostileStream{curvature: 1}},
	{"hostile", hostileStream{simplex: true, curvature: 0.25}},
	{"brink", brink{0.1}},
	{"brink", brink{1}},
	{"iid", problems.IIDParams{Space: space(5, "ball", 1), Constraints: 3, Slack: 0.25, Margin: 0.1,
		Spread: 0.3, LossNoise: 1, Direction: "random"}},
}
