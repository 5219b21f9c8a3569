package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// D = [−2, 2] and α_t = 2 (ε = 0), the constraint x − 1/2 + b_t: x_{t+1} =
// Π(x_t − 2(f' + λ_t)), and λ_{t+1} = [λ_t + 2(x_{t+1} − 1/2 + b_t)]₊ sees the
// next action.
//
//	t=1: f' = −1/2, b = 0: x_2 = 1, λ_2 = 1.
//	t=2: −1, b = −1/4: x_3 = 1 − 2·0 = 1, λ_3 = 1 + 2·¼ = 3/2.
//	t=3: −1/2, b = 1/2: x_4 = 1 − 2·1 = −1, λ_4 = 3/2 − 2 = [−1/2]₊ = 0.
//	t=4: −3, b = 0: x_5 = 2, λ_5 = 3.
//	t=5: 0: x_6 = 2 − 6, clipped to −2.
//
// The constraint ½x² − ½ + b_t, α_t = 1/√t:
//
//	t=1: f' = −1, λ_1 = 0: x_2 = 1; b = 1/2: λ_2 = 1/2.
//	t=2: −1 + ½x + √2(x − 1) = 0: x_3 = (1+√2)/(½+√2); b = 0:
//	     λ_3 = ½ + (½x_3² − ½)/√2.
//	t=3: λ_3x + √3(x − x_3) = 0: x_4 = √3x_3/(√3 + λ_3); by numbers
//	     x_3 ≈ 1.2612, λ_3 ≈ .7088, x_4 ≈ .8950.
func TestVallsPlaysAsByHand(t *testing.T) {
	set := algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1}
	var line []convex.Round
	for i, slope := range []float64{-0.5, -1, -0.5, -3, 0} {
		line = append(line, newRound(affine(0, slope),
			&convex.Shifted{Base: affine(-0.5, 1), Shift: []float64{0, -0.25, 0.5, 0, 0}[i]}))
	}
	l := newLearner(t, "valls", algorithms.VallsParams{Step: 2}, set)
	wantActions(t, playedActions(t, l, 1, line...), 0, 1, 1, -1, 2, -2)

	base := convex.NewBasis(&convex.HalfSquaredDistance{Weight: 1, Center: []float64{0}, Offset: -0.5})
	var curve []convex.Round
	for i, slope := range []float64{-1, -1, 0} {
		curve = append(curve, newRound(affine(0, slope),
			&convex.Shifted{Base: base, Shift: []float64{0.5, 0, 0}[i]}))
	}
	x3 := (1 + math.Sqrt2) / (0.5 + math.Sqrt2)
	lambda3 := 0.5 + (x3*x3/2-0.5)/math.Sqrt2
	x4 := math.Sqrt(3) * x3 / (math.Sqrt(3) + lambda3)
	l = newLearner(t, "valls", algorithms.VallsParams{Step: 1, Epsilon: 0.5}, set)
	wantActions(t, playedActions(t, l, 1, curve...), 0, 1, x3, x4)
	for what, v := range map[string][2]float64{
		"x_3": {x3, 1.2612}, "λ_3": {lambda3, 0.7088}, "x_4": {x4, 0.8950},
	} {
		t.Run(what, func(t *testing.T) {
			if math.Abs(v[0]-v[1]) > 5e-4 {
				t.Errorf("got %v, want %v as in the comment", v[0], v[1])
			}
		})
	}
}

// pathValls plays the primal-dual proximal gradient update.
func pathValls(step, epsilon float64, x0 []float64) func(script) path {
	return func(s script) path {
		p := startPath(s, x0)
		for t, r := range s.rounds {
			alpha := step / math.Pow(float64(t+1), epsilon)
			next := proximalStep(s, r, p.xs[t], p.duals[t], 1/(2*alpha))
			if next == nil {
				return path{}
			}
			lambda := make([]float64, s.m)
			for j, g := range r.constraints {
				lambda[j] = math.Max(0, p.duals[t][j]+alpha*g.value(next))
			}
			p.xs, p.duals = append(p.xs, next), append(p.duals, lambda)
		}
		return p
	}
}

func TestVallsAgreesWithTwin(t *testing.T) {
	t.Parallel()
	queueGames(150, func(where string, s script) {
		checkTwin(t, where, newLearner(t, "valls", algorithms.VallsParams{Step: 0.6, Epsilon: 0.5},
			s.setup()), s, pathValls(0.6, 0.5, nil)(s).xs, proximalTolerance(where))
		setup := s.setup()
		setup.Facts.ConstraintBound = 7
		step := s.set.Diameter() / math.Sqrt(2*(16+float64(s.m)*49))
		if step > 0 {
			checkTwin(t, where, newLearner(t, "valls", algorithms.VallsParams{Epsilon: 0.3}, setup), s,
				pathValls(step, 0.3, nil)(s).xs, proximalTolerance(where))
		}
	})
}
