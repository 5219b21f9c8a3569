package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// affine is a·x + b.
func affine(b float64, a ...float64) *convex.Affine { return &convex.Affine{A: a, B: b} }

func round(loss convex.Func, constraints ...convex.Func) convex.Round {
	return convex.Round{Loss: loss, Constraints: constraints}
}

// played returns x_1, …, x_{T+1}.
func played(t *testing.T, l algorithms.Learner, n int, rounds ...convex.Round) [][]float64 {
	t.Helper()
	xs := [][]float64{make([]float64, n)}
	l.Act(xs[0])
	for i, r := range rounds {
		if err := l.Observe(xs[i], r); err != nil {
			t.Fatalf("round %d: %v", i+1, err)
		}
		xs = append(xs, make([]float64, n))
		l.Act(xs[i+1])
	}
	return xs
}

// wantActions compares all coordinates of all actions, one after the other.
func wantActions(t *testing.T, got [][]float64, want ...float64) {
	t.Helper()
	k := 0
	for i, x := range got {
		for _, v := range x {
			if k < len(want) && !(math.Abs(v-want[k]) <= 1e-14) {
				t.Errorf("action %d is %v, by hand it is %v", i+1, x, want[k:k+len(x)])
				return
			}
			k++
		}
	}
	if k != len(want) {
		t.Errorf("%d numbers were played, %d were worked by hand", k, len(want))
	}
}

// Four rounds on D = [−1, 1] with κ = 1, x_0 = 0, γ = 4, losses −2x three
// times and then −23/4·x, and the constraints
//
//	g_1 = x − 1/2,  g_2 = x − 1/4,  g_3 = x,  g_4 = −x,
//	G_1 = x − 1/2,  G_2 = 2x − 3/4,  G_3 = 3x − 3/4,  G_4 = 2x − 3/4.
//
// The slope of regulariser and losses at x is 2√τx − 2τ for τ ≤ 3 and
// 4x − 47/4 for τ = 4; hinges add their slopes beyond their breakpoints.
func TestPenalisedFTRLByHand(t *testing.T) {
	rounds := []convex.Round{
		round(affine(0, -2), affine(-0.5, 1)),
		round(affine(0, -2), affine(-0.25, 1)),
		round(affine(0, -2), affine(0, 1)),
		round(affine(0, -5.75), affine(0, -1)),
	}
	for _, c := range []struct {
		name   string
		change func(*algorithms.PenalisedFTRLParams)
		want   []float64
	}{
		// Averages: the hinges 4[x−1/2]₊, 4[x−3/8]₊, 4[x−1/4]₊, 4[x/2−3/16]₊.
		//
		//	τ=1: 1 − 2 = −1 at 1/2, 3 beyond: x_2 = 1/2.
		//	τ=2: 3√2/4 − 4 < 0 at 3/8, 3√2/4 > 0 beyond: x_3 = 3/8.
		//	τ=3: √3/2 − 2 < 0 beyond 1/4; 3√3/4 − 2 < 0 at 3/8, 3√3/4 + 2 > 0 beyond: x_4 = 3/8.
		//	τ=4: beyond 1/4 and 3/8 (twice) 4x − 47/4 + 4 + 4 + 2 = 4x − 7/4,
		//	     −1/4 at 3/8 and 1/4 at 1/2: x_5 = 7/16.
		{"average", nil, []float64{0, 1. / 2, 3. / 8, 3. / 8, 7. / 16}},

		// Rounds: the hinges 4[x−1/2]₊, 4[x−1/4]₊, 4[x]₊, 4[−x]₊.
		//
		//	τ=1: x_2 = 1/2 as before.
		//	τ=2: √2/2 − 4 < 0 at 1/4, √2/2 beyond: x_3 = 1/4.
		//	τ=3: −2 beyond 0; √3/2 − 2 < 0 at 1/4, √3/2 + 2 > 0 beyond: x_4 = 1/4.
		//	τ=4: beyond 0 and 1/4, 4x − 15/4 is −7/4 at 1/2, 9/4 beyond: x_5 = 1/2.
		{"per-round", func(p *algorithms.PenalisedFTRLParams) { p.Penalty = "per-round" }, []float64{0, 1. / 2, 1. / 4, 1. / 4, 1. / 2}},

		// Difference: one hinge, 4[G_τ]₊.
		//
		//	τ=1: x_2 = 1/2 as before.
		//	τ=2: 8 beyond 3/8, where 3√2/4 − 4 < 0 < 3√2/4 + 4: x_3 = 3/8.
		//	τ=3: 12 beyond 1/4, where √3/2 − 6 < 0 < √3/2 + 6: x_4 = 1/4.
		//	τ=4: 8 beyond 3/8, 4x − 15/4 = 0: x_5 = 15/16.
		{"difference", func(p *algorithms.PenalisedFTRLParams) { p.Penalty = "difference" }, []float64{0, 1. / 2, 3. / 8, 1. / 4, 15. / 16}},

		// Averages without the first two hinges.
		//
		//	τ=1: x_2 = 1.  τ=2: 2√2x − 4 < 0 on D, x_3 = 1.
		//	τ=3: beyond 1/4, 2√3x − 2 = 0: x_4 = 1/√3.
		//	τ=4: beyond 3/8, 4x − 47/4 + 6 < 0 on D: x_5 = 1.
		{"burn-in", func(p *algorithms.PenalisedFTRLParams) { p.BurnIn = 2 }, []float64{0, 1, 1, 1 / math.Sqrt(3), 1}},

		// x_0 = 3/2, beyond D: x_1 = Π(3/2) = 1; the slope is 2√τ(x−3/2) − 2τ,
		// and 4(x−3/2) − 47/4 for τ = 4.
		//
		//	τ=1: −4 at 1/2, 0 beyond: x_2 = 1/2.
		//	τ=2: −2√2 at 1/2, 4 − 2√2 > 0 beyond: x_3 = 1/2.
		//	τ=3: 2 − 2√3 < 0 at 1/2, 6 − 2√3 > 0 beyond: x_4 = 1/2.
		//	τ=4: beyond 1/2, 4x − 6 − 47/4 + 14 = 0: x_5 = 15/16.
		{"centre", func(p *algorithms.PenalisedFTRLParams) { p.X0 = []float64{1.5} }, []float64{1, 1. / 2, 1. / 2, 1. / 2, 15. / 16}},

		// The same with κ = 2, x_0 = 1/2: 4√τ(x−1/2) − 2τ, 8(x−1/2) − 47/4.
		//
		//	τ=1: −2 at 1/2, 2 beyond: x_2 = 1/2.
		//	τ=2: 0 at 1/2: x_3 = 1/2.
		//	τ=3: −√3/2 − 2 < 0 at 3/8, −√3/2 + 2 > 0 beyond: x_4 = 3/8.
		//	τ=4: −7/4 at 1/2, 9/4 beyond: x_5 = 1/2.
		{"weight", func(p *algorithms.PenalisedFTRLParams) { p.Kappa, p.X0 = 2, []float64{0.5} }, []float64{1. / 2, 1. / 2, 1. / 2, 3. / 8, 1. / 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := algorithms.PenalisedFTRLParams{Gamma: algorithms.Gamma{Value: 4}, Kappa: 1, Penalty: "average"}
			if c.change != nil {
				c.change(&p)
			}
			l := newLearner(t, "penalised-ftrl", p, algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1})
			wantActions(t, played(t, l, 1, rounds...), c.want...)
		})
	}
}

// Grow, then freeze: D = [−1, 1], κ = 1, x_0 = 0, γ from 1, and the averages
// x − 1/2, x − 3/8, x − 1/4 and x/2 − 3/16.
//
//	τ=1, losses −4x:  at γ = 1 and 2, 2x − 4 + γ ≤ 0 up to x = 1, with a
//	     penalty of 1/2; at γ = 4 it is −3 at 1/2 and 1 beyond: x_2 = 1/2.
//	τ=2, −8x:  at γ = 4, 2√2x − 4 beyond 3/8 is negative at 1/2, and positive
//	     beyond it: x = 1/2, with a penalty of 1/8. At γ = 8, 3√2/4 > 0 beyond
//	     3/8: x_3 = 3/8.
//	τ=3, −10x:  at γ = 8, 2√3x − 2 beyond 1/4 is 3√3/4 − 2 < 0 at 3/8: x = 3/8,
//	     with a penalty of 1/8. At γ = 16, √3/2 + 6 > 0 beyond 1/4: x_4 = 1/4.
//	τ=4, −10x:  x_5 = 1/4. The first clean round, of 2 that are asked for.
//	τ=5, +0x:   the slope is 2√5x about 0: x_6 = 0. The second, of 3.
//	τ=6, +0x:   x_7 = 0. The third of 3: γ = 16 stays.
//	τ=7, −200x: x_8 = 1, with a penalty that would have doubled γ.
func TestPenalisedFTRLGrowsThenFreezesByHand(t *testing.T) {
	p := algorithms.PenalisedFTRLParams{Gamma: algorithms.Gamma{Adaptive: true}, Kappa: 1, Penalty: "average", GammaStart: 1, GammaMax: 1 << 20, Tolerance: 1e-6}
	set := algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1}
	rounds := []convex.Round{
		round(affine(0, -4), affine(-0.5, 1)),
		round(affine(0, -4), affine(-0.25, 1)),
		round(affine(0, -2), affine(0, 1)),
		round(affine(0, 0), affine(0, -1)),
		round(affine(0, 10), affine(-1, 0)),
		round(affine(0, 0), affine(-1, 0)),
		round(affine(0, -200), affine(-1, 0)),
	}
	want := []float64{0, 1. / 2, 3. / 8, 1. / 4, 1. / 4, 0, 0, 1}
	for k, gamma := range []float64{1, 4, 8, 16, 16, 16, 16, 16} {
		l := newLearner(t, "penalised-ftrl", p, set).(interface {
			algorithms.Learner
			Gamma() float64
		})
		wantActions(t, played(t, l, 1, rounds[:k]...), want[:k+1]...)
		if l.Gamma() != gamma {
			t.Errorf("after %d rounds γ is %v, by hand %v", k, l.Gamma(), gamma)
		}
	}
	// At most gamma-max, reached by doubling.
	p.GammaMax = 8
	l := newLearner(t, "penalised-ftrl", p, set).(interface {
		algorithms.Learner
		Gamma() float64
	})
	wantActions(t, played(t, l, 1, rounds[:3]...), 0, 1./2, 3./8, 3./8)
	if l.Gamma() != 8 {
		t.Errorf("γ is %v beyond its bound 8", l.Gamma())
	}
}

// Two dimensions and two constraints: D the ball about 0 of radius 1, κ = 1,
// γ = 2, losses −(4, 3)·x, constraints x_1 ≤ 1/5 and x_2 ≤ 9/10.
//
//	τ=1: ‖x‖² − (4,3)·x + 2[x_1−1/5]₊ + 2[x_2−9/10]₊. With the first hinge on,
//	     the gradient is 2x − (2, 3) and its zero (1, 3/2) outside; on the
//	     sphere x = (2, 3)/√13 ≈ (.55, .83), where the first is on and the
//	     second off.
//	τ=2: losses −(8, 6)·x, hinges twice: x = (4, 6)/√52, the same direction.
//	τ=3: loss (4, 6)·x − the sum is (−4, 0) –, penalties of averages 2·3[…]:
//	     along x_1 2√3x_1 − 4 < 0 < 2√3x_1 + 2 at 1/5, x_2 = 0: x = (1/5, 0).
func TestPenalisedFTRLOnABallByHand(t *testing.T) {
	p := algorithms.PenalisedFTRLParams{Gamma: algorithms.Gamma{Value: 2}, Kappa: 1, Penalty: "average"}
	ball, err := convex.NewBall([]float64{0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := newLearner(t, "penalised-ftrl", p, algorithms.Setup{Set: ball, Constraints: 2})
	one, two := affine(-0.2, 1, 0), affine(-0.9, 0, 1)
	xs := played(t, l, 2,
		round(affine(0, -4, -3), one, two),
		round(affine(0, -4, -3), one, two),
		round(affine(0, 4, 6), one, two),
	)
	r := math.Sqrt(13)
	wantActions(t, xs, 0, 0, 2/r, 3/r, 2/r, 3/r, 1./5, 0)
}

// The primal-dual updates, step 1/√t, on D = [−2, 2], x_1 = 0, λ_1 = 0.
var primalDualRounds = []convex.Round{
	round(affine(0, -1), affine(-0.5, 1)),
	round(affine(0, -1), affine(-1, 2)),
	round(affine(0, -1), affine(0, -1)),
	round(&convex.SquaredDistance{Weight: 1, Center: []float64{0}}, affine(-3, 1)),
	round(affine(0, 0), affine(0, 1)),
}

// On each round's constraint:
//
//	t=1: f' = −1, λ = 0: x_2 = 0 + 1 = 1, λ_2 = g_1(1) = 1/2.
//	t=2: −1 + ½·2 = 0: x_3 = 1, λ_3 = 1/2 + (1/√2)·1.
//	t=3: −1 − λ_3: x_4 = 1 + (1+λ_3)/√3 ≈ 2.27, clipped to 2; λ_4 = λ_3 − 2/√3 ≈ .0524.
//	t=4: f' = 2, 2 + λ_4: x_5 = 2 − ½(2+λ_4) = 1 − λ_4/2; λ_5 = [λ_4 + ½(x_5−3)]₊ = 0.
//	t=5: 0 + 0·1: x_6 = x_5.
func TestPrimalDualByHand(t *testing.T) {
	l := newLearner(t, "primal-dual", algorithms.PrimalDualParams{Step: 1}, algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1})
	lambda4 := 1./2 + 1/math.Sqrt2 - 2/math.Sqrt(3)
	wantActions(t, played(t, l, 1, primalDualRounds...), 0, 1, 1, 2, 1-lambda4/2, 1-lambda4/2)
}

// On the averages x − 1/2, (3x − 3/2)/2, (2x − 3/2)/3, (3x − 9/2)/4:
//
//	t=1: x_2 = 1, λ_2 = 1/2 as before.
//	t=2: −1 + ½·3/2 = −1/4: x_3 = 1 + 1/(4√2);
//	     λ_3 = 1/2 + (1/√2)(3/4 + 3/(8√2)) = 11/16 + 3/(4√2).
//	t=3: −1 + ⅔λ_3: x_4 = x_3 + (1 − ⅔λ_3)/√3, λ_4 = λ_3 + (2x_4 − 3/2)/(3√3).
//	t=4: x_4 + ¾λ_4: x_5 = ½x_4 − ⅜λ_4, λ_5 = [λ_4 + (3x_5 − 9/2)/8]₊,
//	     by numbers x_4 ≈ 1.285, λ_4 ≈ 1.424, x_5 ≈ .109, λ_5 ≈ .902.
//	t=5: (4x − 9/2)/5: x_6 = x_5 − ⅘λ_5/√5.
func TestPrimalDualAverageByHand(t *testing.T) {
	l := newLearner(t, "primal-dual-average", algorithms.PrimalDualParams{Step: 1}, algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1})
	x3 := 1 + 1/(4*math.Sqrt2)
	lambda3 := 11./16 + 3/(4*math.Sqrt2)
	x4 := x3 + (1-2*lambda3/3)/math.Sqrt(3)
	lambda4 := lambda3 + (2*x4-1.5)/(3*math.Sqrt(3))
	x5 := x4/2 - 3*lambda4/8
	lambda5 := lambda4 + (3*x5-4.5)/8
	wantActions(t, played(t, l, 1, primalDualRounds...), 0, 1, x3, x4, x5, x5-0.8*lambda5/math.Sqrt(5))
	for what, v := range map[string][2]float64{"x_4": {x4, 1.285}, "λ_4": {lambda4, 1.424}, "x_5": {x5, 0.109}, "λ_5": {lambda5, 0.902}} {
		if math.Abs(v[0]-v[1]) > 5e-4 {
			t.Errorf("%s is %v, the comment says %v", what, v[0], v[1])
		}
	}
}

// Steps 1/√t on the simplex {x ≥ 0, x_1 + x_2 = 1}, from Π(0) = (1/2, 1/2):
//
//	t=1, ∇f = (1, −1): (−1/2, 3/2) is projected to (0, 1).
//	t=2, (−1, 1): (1/√2, 1 − 1/√2) is in the simplex.
//	t=3, (1, 1): along the normal, no move.
//	t=4, ½‖x − (1,0)‖²: ∇f = (1/√2 − 1)(1, −1), and with half of it
//	     x_5 = (1/2 + 1/(2√2), 1/2 − 1/(2√2)).
//
// The constraint, x_1 + 10 ≤ 0, is not looked at.
func TestOGDByHand(t *testing.T) {
	simplex, err := convex.NewSimplex(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := newLearner(t, "ogd", algorithms.OGDParams{Step: 1}, algorithms.Setup{Set: simplex, Constraints: 1})
	g := affine(10, 1, 0)
	xs := played(t, l, 2,
		round(affine(0, 1, -1), g),
		round(affine(0, -1, 1), g),
		round(affine(0, 1, 1), g),
		round(&convex.SquaredDistance{Weight: 1, Center: []float64{1, 0}}, g),
	)
	h := 1 / math.Sqrt2
	wantActions(t, xs, 0.5, 0.5, 0, 1, h, 1-h, h, 1-h, (1+h)/2, (1-h)/2)
}
