package convex_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// TestWarmSumHasTheMinimumOfANewOne: a sum that is minimised round by round, and keeps the kinks,
// multipliers and Hessians of the last round, has in every round the minimiser and the certificate
// of a new sum of the same functions, which knows none of these. It takes few steps: the hinges of
// the last round's minimiser that are on, off or at their kinks begin so.
func TestWarmSumHasTheMinimumOfANewOne(t *testing.T) {
	const n, rounds = 6, 150
	separable := convex.NewBasis(&convex.Separable{
		Curve: convex.NegLog{}, Weight: 1, Rate: []float64{4, 4, 4, 4, 4, 4}, Offset: 1,
	})
	net := func(rho float64) *convex.Basis {
		return convex.NewBasis(&convex.ElasticNet{L1: 1, L2: 1, Offset: -rho})
	}
	tight, loose := net(0.5), net(20)
	margin := func(d draw, curve convex.Curve, size, b float64) convex.Func {
		a := d.vector(n)
		for i := range a {
			a[i] *= size
		}
		return convex.NewBasis(&convex.Ridge{Curve: curve, Weight: 1, A: a, B: b})
	}
	logistic := func(d draw) convex.Func { return margin(d, convex.Softplus{}, 1, 0) }
	wealth := func(d draw) convex.Func { return margin(d, convex.NegLog{}, .02, 1) }
	power := func(d draw) convex.Func {
		a := d.vector(n)
		for i := range a {
			a[i] = 3 + .3*a[i]
		}
		return &convex.Affine{A: a}
	}
	var flows, risks []*convex.Basis
	d := draw{rand.New(rand.NewPCG(5, 6)), "normal"}
	for range 3 {
		flows = append(flows, convex.NewBasis(&convex.Affine{A: d.vector(n)}))
	}
	for range 2 {
		risks = append(risks, convex.NewBasis(
			&convex.Quadratic{Q: d.psd(n), A: make([]float64, n), B: -.05}))
	}
	// price has few bases, each of one coordinate, with scales that grow.
	var prices []*convex.Basis
	for i := range n {
		prices = append(prices, convex.NewBasis(
			&convex.Separable{Curve: convex.Exp{}, Weight: 1, First: i, Rate: []float64{1}}))
	}
	price := func(d draw) convex.Func { return prices[d.IntN(n)] }

	for name, game := range map[string]struct {
		set         convex.Set
		loss        func(d draw) convex.Func
		constraints []convex.Func
		noise       float64
		choose      bool // one of the constraints a round
		kinks       bool // the minimisers are at kinks of hinges
		steps       int  // of the active-set method, at most, on average over the rounds
	}{
		"jobs": {convex.Cube(n, 0, 10), power,
			[]convex.Func{&convex.Shifted{Base: separable, Shift: 12}}, 2, false, true, 1},
		"flows": {convex.Cube(n, 0, 2), price, []convex.Func{flows[0], flows[1], flows[2]}, .5,
			false, true, 1},
		"logistic":       {ball(3, 0, 0, 0, 0, 0, 0), logistic, []convex.Func{loose}, 0, false, false, 1},
		"logistic tight": {ball(3, 0, 0, 0, 0, 0, 0), logistic, []convex.Func{tight}, 0, false, true, 4},
		"logistic moves": {ball(3, 0, 0, 0, 0, 0, 0), logistic, []convex.Func{tight}, .5, false, true, 1},
		"wealth":         {simplex(n, 1), wealth, []convex.Func{risks[0], risks[1]}, 0, true, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			d := draw{rand.New(rand.NewPCG(7, 8)), "normal"}
			s, twin := convex.NewSum(game.set), newTwinSum(game.set)
			s.SetGamma(25)
			twin.SetGamma(25)
			total := make([]*convex.Form, len(game.constraints))
			for j := range total {
				total[j] = convex.NewForm(n)
			}
			x, y, kinks, steps := make([]float64, n), make([]float64, n), 0, 0
			for round := 1; round <= rounds; round++ {
				f := game.loss(d)
				s.Add(1, f)
				twin.Add(1, f)
				chosen := d.IntN(len(total))
				for j, g := range game.constraints {
					if game.choose {
						if j > 0 {
							break
						}
						g = game.constraints[chosen]
					}
					(&convex.Shifted{Base: g, Shift: game.noise * d.NormFloat64()}).AddTo(total[j], 1)
					w := 1 / float64(round)
					s.AddHinge(w, total[j])
					twin.AddHinge(w, total[j])
				}
				prox := convex.Prox{Weight: math.Sqrt(float64(round)), Center: make([]float64, n)}
				cert, err := s.Minimize(x, prox)
				if err != nil {
					t.Fatal(round, err)
				}
				cold := convex.NewSum(game.set)
				twin.Replay(cold)
				want, err := cold.Minimize(y, prox)
				if err != nil {
					t.Fatal(round, err)
				}
				for _, h := range twin.hinges {
					if math.Abs(h.scale*h.f.Value(x)) < 1e-10 {
						kinks++
						break
					}
				}
				steps += cert.Iterations
				scale := max(1, math.Abs(want.Value))
				if cert.Gap > 1e-12*scale {
					t.Errorf("round %d: the gap is %g, of a new sum %g", round, cert.Gap, want.Gap)
				}
				if math.Abs(cert.Value-want.Value) > 1e-11*scale ||
					math.Abs(twin.Value(x, prox)-cert.Value) > 1e-11*scale {
					t.Errorf("round %d: the value is %v, of a new sum %v, from its definition %v", round,
						cert.Value, want.Value, twin.Value(x, prox))
				}
				// The sum is 2·Weight-strongly convex; the gaps may be 0 by rounding.
				far := 2 * math.Sqrt((cert.Gap+want.Gap+1e-14*scale)/prox.Weight)
				if dist := vec.Dist(x, y); dist > far {
					t.Errorf("round %d: the minimiser is %g away from that of a new sum, more than %g", round,
						dist, far)
				}
			}
			if (kinks > rounds/4) != game.kinks {
				t.Errorf("%d minimisers of %d are at kinks", kinks, rounds)
			}
			if steps > game.steps*rounds {
				t.Errorf("%d steps in %d rounds, want at most %d a round", steps, rounds, game.steps)
			}
		})
	}
}
