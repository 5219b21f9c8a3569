package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// D = [−1, 1], κ = 1, x_0 = 0, and x ≤ ½ in round 1; later constraints do not
// count.
//
//	t=1, −2x:  x² − 2x falls up to 1: x_2 = ½.     t=2, −2x:  √2x² − 4x too: x_3 = ½.
//	t=3, 4x:   √3x²: x_4 = 0.                      t=4, 2x:   2x² + 2x: x_5 = −½.
//
// From x_0 = 3/2: x_1 = 1; (x−3/2)² − 2x: ½; √2(x−3/2)² − 4x: ½; √3(x−3/2)²: ½;
// 2(x−3/2)² + 2x: 4x − 4 = 0 at 1: ½.
func TestFTRLByHand(t *testing.T) {
	rounds := []convex.Round{
		round(affine(0, -2), affine(-0.5, 1)),
		round(affine(0, -2), affine(5, 1)),
		round(affine(0, 4), affine(0, -1)),
		round(affine(0, 2), affine(-0.5, 1)),
	}
	setup := algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1}
	wantActions(t, played(t, newLearner(t, "ftrl", algorithms.FTRLParams{Kappa: 1}, setup), 1, rounds...), 0, 0.5, 0.5, 0, -0.5)
	wantActions(t, played(t, newLearner(t, "ftrl", algorithms.FTRLParams{Kappa: 1, FirstAction: algorithms.FirstAction{X0: []float64{1.5}}}, setup), 1, rounds...), 1, 0.5, 0.5, 0.5, 0.5)

	// The default with G = 2√2 and Δ = 2 is κ = 1.
	setup.Facts.LossLipschitz = 2 * math.Sqrt2
	wantActions(t, played(t, newLearner(t, "ftrl", nil, setup), 1, rounds...), 0, 0.5, 0.5, 0, -0.5)
}

// In the plane, on the disc ‖x‖ ≤ 1 with x_1 ≤ ½ and κ = 1:
//
//	t=1, −(1, 1)·x:      ‖x‖² − x_1 − x_2: x_2 = (½, ½).
//	t=2, −(3, 1)·x:      √2‖x‖² − 4x_1 − 2x_2: x_1 = ½, x_2 = 1/√2, within the disc.
//	t=3, −(0, 8)·x:      √3‖x‖² − 4x_1 − 10x_2: on the rim, x_4 = (4, 10)/√116, as 4/√116 ≈ 0.37.
func TestFTRLOnADiscByHand(t *testing.T) {
	disc, err := convex.NewBall([]float64{0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	g := affine(-0.5, 1, 0)
	l := newLearner(t, "ftrl", algorithms.FTRLParams{Kappa: 1}, algorithms.Setup{Set: disc, Constraints: 1})
	r := math.Sqrt(116)
	wantNear(t, played(t, l, 2,
		round(affine(0, -1, -1), g), round(affine(0, -3, -1), g), round(affine(0, 0, -8), g),
	), programAccuracy, 0, 0, 0.5, 0.5, 0.5, 1/math.Sqrt2, 4/r, 10/r)
}

// twinLeader completes the square of everything so far, losses being affine or
// isotropic, and projects on the first constraints by the dual.
func twinLeader(kappa float64, x0 []float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearest(s.set, x0)}
		for t := 1; t <= len(s.rounds); t++ {
			weight := 2 * kappa * math.Sqrt(float64(t))
			center := slices.Clone(x0)
			for i := range center {
				center[i] *= weight
			}
			for _, r := range s.rounds[:t] {
				weight += r.loss.w
				for i := range center {
					center[i] += r.loss.w*r.loss.z[i] - r.loss.a[i]
				}
			}
			for i := range center {
				center[i] /= weight
			}
			xs = append(xs, byDual(s.set, 1, center, s.rounds[0].constraints, slices.Repeat([]float64{math.Inf(1)}, s.m)))
		}
		return xs
	}
}

func TestFTRLTwin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		s = s.feasible()
		x0 := slices.Repeat([]float64{0.4}, s.n)
		l := newLearner(t, "ftrl", algorithms.FTRLParams{Kappa: 0.7, FirstAction: algorithms.FirstAction{X0: x0}}, s.setup())
		if s.n > 1 {
			tol = max(tol, programAccuracy)
		}
		agree(t, where, l, s, twinLeader(0.7, x0)(s), tol)
	})
}

// There is no violation after round 1 on problems with fixed constraints, their
// losses curved or not.
func TestFTRLViolatesOnce(t *testing.T) {
	for _, kappa := range []float64{0, 1, 5} {
		hard := atMost{kind: "violation after round 1, of 1e-9 a round"}
		for _, curvature := range []float64{0, 1} {
			for k, a := range venues(curvature) {
				if a.name != "fixed" {
					continue
				}
				s := stream(t, a.name, a.params, uint64(k))
				l := newLearner(t, "ftrl", algorithms.FTRLParams{Kappa: kappa}, setupOf(s, 0))
				playBounds(t, a.String(), l, s, []int{1, 20, 200, 1000}, func(t *testing.T, where string, v tally) {
					hard.check(t, where, v.hard-v.first, 1e-9*float64(v.t))
				})
			}
		}
		hard.log(t)
	}
}

func TestFTRLScaling(t *testing.T) {
	everyScript(40, func(where string, s script, tol float64) {
		s = s.feasible()
		setup := s.setup()
		want := actions(t, newLearner(t, "ftrl", nil, setup), s)
		setup.Facts.LossLipschitz *= 3
		agree(t, where, newLearner(t, "ftrl", nil, setup), s.scaled(3, 0.2), want, max(tol, programAccuracy))
	})
}
