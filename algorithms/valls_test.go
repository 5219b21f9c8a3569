package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
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
func TestVallsByHand(t *testing.T) {
	set := algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1}
	var line []convex.Round
	for i, slope := range []float64{-0.5, -1, -0.5, -3, 0} {
		line = append(line, round(affine(0, slope),
			&convex.Shifted{Base: affine(-0.5, 1), Shift: []float64{0, -0.25, 0.5, 0, 0}[i]}))
	}
	l := newLearner(t, "valls", algorithms.VallsParams{Step: 2}, set)
	wantActions(t, played(t, l, 1, line...), 0, 1, 1, -1, 2, -2)

	base := convex.NewBasis(&convex.HalfSquaredDistance{Weight: 1, Center: []float64{0}, Offset: -0.5})
	var curve []convex.Round
	for i, slope := range []float64{-1, -1, 0} {
		curve = append(curve, round(affine(0, slope),
			&convex.Shifted{Base: base, Shift: []float64{0.5, 0, 0}[i]}))
	}
	x3 := (1 + math.Sqrt2) / (0.5 + math.Sqrt2)
	lambda3 := 0.5 + (x3*x3/2-0.5)/math.Sqrt2
	x4 := math.Sqrt(3) * x3 / (math.Sqrt(3) + lambda3)
	l = newLearner(t, "valls", algorithms.VallsParams{Step: 1, Epsilon: 0.5}, set)
	wantActions(t, played(t, l, 1, curve...), 0, 1, x3, x4)
	for what, v := range map[string][2]float64{
		"x_3": {x3, 1.2612}, "λ_3": {lambda3, 0.7088}, "x_4": {x4, 0.8950},
	} {
		if math.Abs(v[0]-v[1]) > 5e-4 {
			t.Errorf("%s is %v, the comment says %v", what, v[0], v[1])
		}
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

func TestVallsTwin(t *testing.T) {
	t.Parallel()
	queueGames(150, func(where string, s script) {
		agree(t, where, newLearner(t, "valls", algorithms.VallsParams{Step: 0.6, Epsilon: 0.5},
			s.setup()), s, pathValls(0.6, 0.5, nil)(s).xs, proximalTolerance(where))
		setup := s.setup()
		setup.Facts.ConstraintBound = 7
		step := s.set.Diameter() / math.Sqrt(2*(16+float64(s.m)*49))
		if step > 0 {
			agree(t, where, newLearner(t, "valls", algorithms.VallsParams{Epsilon: 0.3}, setup), s,
				pathValls(step, 0.3, nil)(s).xs, proximalTolerance(where))
		}
	})
}

// The two ends of the comparator on perturbed constraints of size 0.8, more
// than the margin of 1/4. Against {g + max b ≤ 0} = X^min the regret is negative.
// Against {g + average of b ≤ 0} = X^max it is O(√T) where perturbations are
// independent or periodic, and linear where they drift in ever slower swings,
// which the multipliers follow: about 0.03·T. The violation is O(√T) in all.
func TestVallsAtBothEnds(t *testing.T) {
	t.Parallel()
	const seeds = 4
	for _, noise := range []string{"iid", "periodic", "drift"} {
		for _, T := range []int{1000, 4000} {
			var low, high, soft float64
			for seed := range uint64(seeds) {
				p := problems.PerturbedParams{
					Space:  problems.Space{Dim: 2, Set: "box", Radius: 1},
					Shapes: problems.Shapes{Constraints: 1, Kind: "affine", Margin: 0.25},
					Noise:  noise, Amplitude: 0.8, Period: 10, Losses: problems.Losses{LossNoise: 1},
				}
				stream := problemSpec{"perturbed", p}.seeded(t, seed)
				l := newLearner(t, "valls", nil, algorithms.Setup{
					Set: stream.Set(), Constraints: 1, Facts: stream.Facts(),
				})
				loss, cum := convex.NewForm(2), convex.NewForm(2)
				xmin, xmax := convex.NewProgram(stream.Set()), convex.NewProgram(stream.Set())
				x := make([]float64, 2)
				total, sum := 0.0, 0.0
				for i := 1; i <= T; i++ {
					r := stream.Reveal(i, nil)
					l.Act(x)
					total += r.Loss.Value(x)
					sum += r.Constraints[0].Value(x)
					r.Loss.AddTo(loss, 1)
					r.Constraints[0].AddTo(cum, 1)
					xmin.Constrain(convex.Lower(r.Constraints[0], 2))
					if err := l.Observe(x, *r); err != nil {
						t.Fatal(err)
					}
				}
				xmax.Constrain(cum)
				for end, p := range map[*float64]*convex.Program{&low: xmin, &high: xmax} {
					best, err := p.Minimize(x, loss)
					if err != nil {
						t.Fatal(err)
					}
					*end += (total - best.Value) / seeds
				}
				soft += max(0, sum) / seeds
			}
			root := math.Sqrt(float64(T))
			t.Logf("%s, T=%d: regret against X^min %.4g, against X^max %.4g = %.2g√T = %.2gT; "+
				"violation %.3g", noise, T, low, high, high/root, high/float64(T), soft)
			if low > 0 || soft > root {
				t.Errorf("%s, T=%d: regret against X^min %v, violation %v", noise, T, low, soft)
			}
			if linear := high > 0.02*float64(T); noise == "drift" && !linear ||
				noise != "drift" && high > root {
				t.Errorf("%s, T=%d: regret %v against X^max", noise, T, high)
			}
		}
	}
}
