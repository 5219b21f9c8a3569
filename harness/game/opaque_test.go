package game

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/harnesstest"
	"ocobench/internal/errtest"
	"ocobench/internal/long"
	"ocobench/problems"
)

// distanceStream returns a stream of squared distances or of norms from random points, with one
// affine constraint.
func distanceStream(kind string, n int) problems.Stream {
	rng := rand.New(rand.NewPCG(1, 2))
	vector := func(s float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = s * rng.NormFloat64()
		}
		return v
	}
	set := convex.Cube(n, -1, 1)
	reveal := func(t int, _ []float64) convex.Round {
		target := vector(1)
		f := convex.Func(&convex.HalfSquaredDistance{Weight: 1, Center: target})
		if kind == "norm" {
			f = convex.NewBasis(&convex.Distance{Weight: 1, Center: target})
		}
		g := convex.Func(&convex.Affine{A: vector(1), B: -0.3})
		if kind == "balls" {
			target[0] += 2
			ball := convex.Lower(&convex.HalfSquaredDistance{Weight: 1, Center: vector(0.1)}, n)
			ball.Const -= 0.5
			g = ball
		}
		return convex.Round{Loss: f, Constraints: []convex.Func{g}}
	}
	return &harnesstest.Stream{Domain: set, Count: 1, Round: reveal}
}

// The hindsight evaluates a small multiple of the number T of rounds: all checkpoints and sets
// together take no more than a few passes over T rounds.
func TestOpaqueHindsightTakesFewPasses(t *testing.T) {
	const horizon = 300
	for _, c := range []struct {
		kind   string
		untold bool
		most   float64
	}{{"quadratic", false, 100}, {"norm", false, 150}, {"balls", false, 250}, {"balls", true, 600}} {
		t.Run(fmt.Sprintf("%s, rounds of maxima untold: %v", c.kind, c.untold), func(t *testing.T) {
			s := &harnesstest.OpaqueStream{Stream: distanceStream(c.kind, 10), HideRounds: c.untold}
			for i := range horizon {
				s.Reveal(i+1, nil)
			}
			if _, err := newOpaqueHindsight(s).solveAll(Checkpoints(horizon)); err != nil {
				t.Fatal(err)
			}
			if passes := s.Rounds / horizon; passes > c.most {
				t.Errorf("%.0f passes over the rounds, want at most %v", passes, c.most)
			}
		})
	}
}

// The rounds as forms and the same rounds known by values and subgradients have the same best
// values, up to a millionth of them or of the first loss.
func TestOpaqueHindsightIsThatOfForms(t *testing.T) {
	long.Run(t, func(t *testing.T, whole bool) {
		specs := []string{"shrinking", "decaying-frequency", "mannor", "conflicting", "online-qp",
			"iid:dim=2,set=ball,constraints=2", "family:dim=2,set=box,kind=quadratic",
			"perturbed:dim=2,set=box,kind=norm", "logistic:dim=3,nonzeros=1,rho=50", "portfolio:dim=4",
			"job-scheduling:servers=10,zones=3,jobs=100", "fixed:constraints=2,kind=quadratic"}
		if whole {
			specs = probedProblems()
		}
		for _, spec := range specs {
			t.Run(spec, func(t *testing.T) { compareOpaque(t, spec, 60) })
		}
	})
}

// compareOpaque compares the best values of a problem of at most 10 dimensions with those of the
// same rounds as opaque functions.
func compareOpaque(t *testing.T, spec string, horizon int) {
	s := harnesstest.Start(t, spec)
	if s.Set().Dim() > 10 {
		return
	}
	play := func(s problems.Stream) ([]string, [][]float64) {
		h := NewHindsightRecorder(s, Checkpoints(horizon))
		x := make([]float64, s.Set().Dim())
		s.Set().Project(x, x)
		for i := range horizon {
			if err := h.Round(i+1, x, s.Reveal(i+1, x)); err != nil {
				t.Fatal(err)
			}
		}
		return h.Kept()
	}
	columns, want := play(s)
	for _, untold := range []bool{false, true} {
		hidden := &harnesstest.OpaqueStream{Stream: harnesstest.Start(t, spec), HideRounds: untold}
		_, got := play(hidden)
		h := newOpaqueHindsight(hidden)
		h.checkpoints, h.excess = []int{1}, []float64{0}
		if err := h.evaluateFirstPoints(); err != nil {
			t.Fatal(err)
		}
		for k, row := range want {
			for i, name := range columns {
				if !strings.HasSuffix(name, "_value") {
					continue
				}
				a, b := row[i], got[k][i]
				if math.IsNaN(a) != math.IsNaN(b) || math.Abs(a-b) > 1e-6*max(math.Abs(a), h.lossUnit) {
					t.Errorf("%s after %v rounds, maxima untold %v, is %v, want %v, as of forms", name, row[0],
						untold, b, a)
				}
			}
		}
	}
}

// Learners that use values and subgradients of the last round play the same actions on opaque
// functions as on forms: those of first order to the last digits, those that minimise to the
// accuracy of their solutions. All others say what the problem lacks.
func TestLearnersPlayOpaqueFunctions(t *testing.T) {
	const horizon, spec = 20, "fixed:dim=2,kind=quadratic"
	for _, a := range algorithms.All {
		t.Run(a.Name, func(t *testing.T) {
			play := func(s problems.Stream) (actions [][]float64) {
				l, err := a.Start(a.Params, algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(),
					Facts: s.Facts(), Horizon: horizon, Replicate: 1, Seed: 1})
				if err != nil {
					return nil // it lacks another fact
				}
				err = Play(t.Context(), l, s, horizon, observer(func(x []float64) {
					actions = append(actions, slices.Clone(x))
				}))
				if err != nil {
					t.Fatal(err)
				}
				return actions
			}
			hidden := &harnesstest.OpaqueStream{Stream: harnesstest.Start(t, spec)}
			if slices.Contains(a.AssumptionNames(), algorithms.WholeFunctions.Name) {
				if !slices.Contains(a.Unmet(hidden.Facts()), algorithms.WholeFunctions.Name) {
					t.Error("got no assumption against opaque functions, want one")
				}
				return
			}
			tolerance := 1e-12
			if a.Feedback == algorithms.FullInfo {
				tolerance = 1e-5
			}
			want, got := play(harnesstest.Start(t, spec)), play(hidden)
			for i, x := range want {
				if d := vec.Dist(x, got[i]); !(d <= tolerance) {
					t.Fatalf("round %d: %v on opaque functions, want %v; they are %.2g apart", i+1, got[i], x, d)
				}
			}
		})
	}
}

// observer calls a function with the actions.
type observer func(x []float64)

// Round implements [Observer].
func (o observer) Round(_ int, x []float64, _ *convex.Round) error {
	o(x)
	return nil
}

// A concave loss, and a subgradient that is none, are found at the points that are evaluated.
func TestOpaqueFunctionsThatAreNotConvexAreFound(t *testing.T) {
	for name, loss := range map[string]*harnesstest.Opaque{
		"concave": {F: func(x []float64) float64 { return -x[0] * x[0] },
			Grad: func(dst, x []float64) { dst[0] = -2 * x[0] }},
		"wrong subgradient": {F: func(x []float64) float64 { return x[0] * x[0] },
			Grad: func(dst, x []float64) { dst[0] = 1 + x[0] }},
	} {
		t.Run(name, func(t *testing.T) {
			s := &harnesstest.OpaqueStream{Stream: harnesstest.LineRounds(1, func(int) convex.Round {
				return convex.Round{Loss: convex.NewBasis(loss),
					Constraints: []convex.Func{harnesstest.Affine(1, -1)}}
			})()}
			s.Reveal(1, nil)
			_, err := newOpaqueHindsight(s).solveAll([]int{1})
			errtest.Contains(t, err, "the losses of 1 rounds is not convex")
		})
	}
}

// What needs whole functions is refused: windows, burn-in, the best actions of single rounds, and
// the largest constraint as one.
func TestOpaqueStreamsRefuseWhatNeedsWholeFunctions(t *testing.T) {
	s := &harnesstest.OpaqueStream{Stream: harnesstest.Start(t, "iid:dim=2,constraints=2")}
	r := s.Reveal(1, nil)
	window, burnIn := NewHindsight(s), NewHindsight(s)
	window.Window, burnIn.BurnIn = 2, 2
	for name, o := range map[string]Observer{"window": window, "burn-in": burnIn,
		"moving": NewMoving(s)} {
		t.Run(name, func(t *testing.T) {
			errtest.Contains(t, o.Round(1, nil, r), "opaque")
		})
	}
	combined := problems.Problem{New: func(any, *rand.Rand) (problems.Stream, error) { return s, nil }}
	if _, err := combined.Combined().New(nil, nil); err == nil {
		t.Error("the largest of opaque constraints: got no error, want one")
	}
}
