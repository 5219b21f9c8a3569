package algorithms_test

import (
	"errors"
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// With doubling the certificate is that of the learner of the epoch. Round 2 begins
// the epoch of two rounds: after it the action, and its certificate, are those of a
// learner that was told two rounds and has seen the second one only.
func TestDoublingPassesOnTheCertificate(t *testing.T) {
	entry, _ := algorithms.Lookup(algorithms.All, "coldq")
	params := entry.Params.(algorithms.COLDQParams)
	setup := algorithms.Setup{
		Set: convex.Cube(2, -1, 1), Constraints: 1, Horizon: 2,
		Facts: convex.Facts{LossLipschitz: 4, ConstraintLipschitz: 1, ConstraintBound: 2},
	}
	round := func(slope float64) convex.Round {
		disc := convex.NewBasis(&convex.Distance{Weight: 1, Center: []float64{0.25, 0}, Offset: -0.5})
		return convex.Round{Loss: &convex.Affine{A: []float64{-slope, 1}, B: 3},
			Constraints: []convex.Func{disc}}
	}
	start := func(doubling bool) algorithms.Certified {
		params.Doubling = doubling
		l, err := entry.Start(params, setup)
		if err != nil {
			t.Fatal(err)
		}
		return l.(algorithms.Certified)
	}
	observe := func(l algorithms.Learner, r convex.Round) []float64 {
		x := make([]float64, 2)
		l.Act(x)
		if err := l.Observe(x, r); err != nil {
			t.Fatal(err)
		}
		l.Act(x)
		return x
	}
	doubled, told := start(true), start(false)
	observe(doubled, round(2))
	x, y := observe(doubled, round(4)), observe(told, round(4))
	if x[0] != y[0] || x[1] != y[1] || doubled.Cert() != told.Cert() {
		t.Errorf("after round 2: %v with %+v, want %v with %+v", x, doubled.Cert(), y, told.Cert())
	}
	if c := told.Cert(); c.Value == 0 || c.Iterations == 0 {
		t.Errorf("got certificate %+v, want a value and iterations", c)
	}
}

// Epochs that are too short for a bound count in full: by the range F of the losses, which is GΔ if
// that is less or none is declared, and by the bound B of each of m constraints.
func TestShortEpochsCountInFull(t *testing.T) {
	const m, b, g = 4, 3, 2
	for declared, f := range map[float64]float64{0: g * 2 * math.Sqrt2, 1: 1, 1e3: g * 2 * math.Sqrt2} {
		setup := algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: m, Horizon: 15,
			Facts: convex.Facts{LossLipschitz: g, LossRange: declared, ConstraintBound: b}}
		for metric, each := range map[algorithms.Metric]float64{
			algorithms.RegretXMin: f, algorithms.RegretDynamic: f, algorithms.SoftViolation: m * b,
			algorithms.HardViolation: m * b, algorithms.PenaltyViolation: m * b,
			algorithms.CCViolation: b, algorithms.NormViolation: 2 * b,
			algorithms.SquaredViolation: m * b * b, algorithms.MaxViolation: b,
		} {
			a := algorithms.Algorithm{ClaimsAt: func(any) []algorithms.Claim {
				return []algorithms.Claim{{Metric: metric,
					Bound: func(s algorithms.Setup) (func(int) float64, error) {
						if s.Horizon < 4 {
							return nil, errors.New("too short")
						}
						return func(int) float64 { return 0 }, nil
					}}}
			}}
			bound, err := a.ClaimsOf(struct{ algorithms.Epochs }{epochs})[0].Limit(setup)
			if err != nil {
				t.Fatalf("%s: %v", metric, err)
			}
			for _, n := range []int{1, 2, 3, 4, 15} {
				want := each * float64(min(n, 3))
				if metric == algorithms.MaxViolation {
					want = b
				}
				if got := bound(n, algorithms.Motion{}); math.Abs(got-want) > 1e-12 {
					t.Errorf("%s after %d rounds, F = %v: %v, want %v", metric, n, declared, got, want)
				}
			}
		}
	}
}
