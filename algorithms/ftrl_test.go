package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
)

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
			xs = append(xs, byDual(s.set, 1, center, s.rounds[0].constraints,
				slices.Repeat([]float64{math.Inf(1)}, s.m)))
		}
		return xs
	}
}

func TestFTRLTwin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		s = s.feasible()
		x0 := slices.Repeat([]float64{0.4}, s.n)
		l := newLearner(t, "ftrl", algorithms.FTRLParams{
			Kappa: 0.7, FirstAction: algorithms.FirstAction{X0: x0},
		}, s.setup())
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
				playBounds(t, a.String(), l, s, []int{1, 20, 200, 1000},
					func(t *testing.T, where string, v tally) {
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
		agree(t, where, newLearner(t, "ftrl", nil, setup), s.scaled(3, 0.2), want,
			max(tol, programAccuracy))
	})
}
