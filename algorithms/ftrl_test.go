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
		xs := [][]float64{nearestPoint(s.set, x0)}
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

func TestFTRLAgreesWithTwin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		s = s.feasible()
		x0 := slices.Repeat([]float64{0.4}, s.n)
		l := newLearner(t, "ftrl", algorithms.FTRLParams{
			Kappa: 0.7, FirstAction: algorithms.FirstAction{X0: x0},
		}, s.setup())
		if s.n > 1 {
			tol = max(tol, programAccuracy)
		}
		checkTwin(t, where, l, s, twinLeader(0.7, x0)(s), tol)
	})
}
