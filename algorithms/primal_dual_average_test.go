package algorithms_test

import (
	"fmt"
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/long"
)

// The theorem of primal-dual-average as printed (docs/mathematics.md, "The averaged primal-dual
// update") is checked with its constants: on one stream by hand, on planted streams, and against
// an adversary.

// averagedConstants holds the constants of the theorem, for steps a/√t and averages that are at
// most −η at z from round late+1 on.
type averagedConstants struct {
	a, m, L, F, B, H, delta, eta, late float64
}

// slope returns η − a²mBH², by which multipliers are pushed back; the steps are small enough if
// it is positive.
func (c averagedConstants) slope() float64 { return c.eta - c.a*c.a*c.m*c.B*c.H*c.H }

// multipliers returns Λ, the bound of ‖λ_t‖.
func (c averagedConstants) multipliers() float64 {
	s := (c.F + 2*c.a*c.a*c.m*c.B*c.L*c.H + c.a*(c.L*c.L+c.m*c.B*c.B)/2) / c.slope()
	return math.Sqrt(c.delta*c.delta +
		max(s*s, 2*c.a*c.slope()*s, 4*c.a*c.a*c.m*c.B*c.B*c.late))
}

// regretBound returns the bound of the regret against X̂^max.
func (c averagedConstants) regretBound(t int) float64 {
	top := c.multipliers()
	steep := c.L + c.H*math.Sqrt(c.m)*top
	return math.Sqrt(float64(t)) *
		((c.delta*c.delta+top*top)/(2*c.a) + c.a*(steep*steep+c.m*c.B*c.B))
}

// signed returns the bound of Σ_{i≤t} ḡ_{i,j}(x_i).
func (c averagedConstants) signed(t int) float64 {
	n := float64(t)
	return c.multipliers()*math.Sqrt(n)/c.a + c.B*(1+2*math.Log(n))
}

// averagedRatios hold the largest values of a game over their bounds.
type averagedRatios struct{ multipliers, regret, signed, soft float64 }

// Worked by hand, on D = [−2, 2] with f = −x: L = 1, Δ = 4.
//
//   - g = x, affine, so H = 0 and every step is small. z = −2: η = 2, F = 4, B = 2. With a = 1,
//     S = (4 + ½(1 + 4))/2 = 13/4, of which max{S², 2aηS} = max{169/16, 13} = 13, Λ² = 29, and the
//     regret is at most ((16 + 29)/2 + 1 + 4)√t = 27.5√t.
//   - g = |x| − ½, with subgradients −1 and 1: H = 2. z = 0: η = ½, F = 2, B = 3/2. With a = 1/6,
//     a²BH² = 1/6 and η' = 1/3; S = 3(2 + 2·(1/36)·(3/2)·2 + (1/12)(1 + 9/4)) = 117/16, and
//     Λ² = 16 + S².
func TestAveragedTheoremByHand(t *testing.T) {
	line := averagedConstants{a: 1, m: 1, L: 1, F: 4, B: 2, delta: 4, eta: 2}
	if got := line.multipliers(); math.Abs(got-math.Sqrt(29)) > 1e-12 {
		t.Errorf("g = x: Λ = %v, by hand it is √29", got)
	}
	kink := averagedConstants{a: 1. / 6, m: 1, L: 1, F: 2, B: 1.5, H: 2, delta: 4, eta: 0.5}
	if got, want := kink.multipliers(), math.Sqrt(16+117*117./256); math.Abs(got-want) > 1e-12 {
		t.Errorf("g = |x| − ½: Λ = %v, by hand it is %v", got, want)
	}
	// The registry has the same bound: the problem declares F ≤ LΔ = 4, and 2G = 2.
	for _, c := range []struct {
		constants averagedConstants
		facts     convex.Facts
		want      float64 // of the regret at t = 4
	}{
		{line, convex.Facts{LossLipschitz: 1, LossRange: 4, ConstraintLipschitz: 1, ConstraintBound: 2,
			Slater: 2, Affine: true}, 55},
		{kink, convex.Facts{LossLipschitz: 1, LossRange: 2, ConstraintLipschitz: 1,
			ConstraintBound: 1.5, Slater: 0.5}, kink.regretBound(4)},
	} {
		claim := averageParams(c.constants.a, nil, false).Claims()[0]
		bound, err := claim.Bound(algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1,
			Facts: c.facts})
		if err != nil || math.Abs(bound(4)-c.want) > 1e-9 ||
			math.Abs(c.constants.regretBound(4)-c.want) > 1e-9 {
			t.Errorf("the bound of the regret at t = 4 is %v, %v, by hand %v (%v)", bound(4),
				c.constants.regretBound(4), c.want, err)
		}
	}
	// With a² = η/(mBH²) = 1/12 there is none.
	claim := averageParams(math.Sqrt(1./12)+1e-9, nil, false).Claims()[0]
	if _, err := claim.Bound(algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1,
		Facts: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 1, ConstraintBound: 1.5,
			Slater: 0.5}}); err == nil {
		t.Error("steps that are too large have a bound")
	}
}

// plantedAverages is a stream of constraints whose averages are at most −η at z, with the
// constants of the theorem but a.
type plantedAverages struct {
	name      string
	constants averagedConstants
	set       convex.Set
	perturbed bool // g_{t,j} is one function plus numbers b_{t,j}
	// round returns the round t, and the numbers b_{t,j} where it is perturbed.
	round func(t int, x []float64) (r convex.Round, b []float64)
}

// swing returns b_t = t·m_t − (t−1)·m_{t−1}, where the averages m_t = −½A(1 − cos(ω·log t + φ))
// lie between −A and 0. Because b_t = m_t + (t−1)(m_t − m_{t−1}) and log t − log(t−1) ≤ 1/(t−1),
// |b_t| is at most A(1 + ω/2).
func swing(A, omega, phase float64) func(t int) float64 {
	sum := func(n int) float64 {
		if n == 0 {
			return 0
		}
		return -float64(n) * A / 2 * (1 - math.Cos(omega*math.Log(float64(n))+phase))
	}
	return func(t int) float64 { return sum(t) - sum(t-1) }
}

// planted returns streams of m = 2, …, 5 constraints in the plane, with losses of norm L = 1 that
// pull against the constraints. z is the centre of the disc of radius 1.
func planted(m int) (all []plantedAverages) {
	const eta, A, omega, radius = 0.2, 0.3, 2.5, 1.
	const number = eta + A*(1+omega/2) // bounds |b_t − η|
	disc, err := convex.NewBall([]float64{0, 0}, radius)
	if err != nil {
		panic(err)
	}
	angle := func(j int) float64 { return 2 * math.Pi * float64(j) / float64(3*m) }
	ray := func(phi float64) []float64 { return []float64{math.Cos(phi), math.Sin(phi)} }
	loss := func(t int) *convex.Affine { // turns among the directions of the constraints
		u := ray(math.Pi/3*(1+math.Sin(omega*math.Log(float64(t)))) + 0.5*float64(t%2))
		return affine(0, -u[0], -u[1])
	}
	var numbers []func(int) float64
	for j := range m {
		numbers = append(numbers, swing(A, omega, float64(2*j)))
	}
	base := averagedConstants{m: float64(m), L: 1, F: radius, delta: 2 * radius, eta: eta}
	add := func(name string, B, H float64, perturbed bool,
		constraint func(t, j int, b float64) convex.Func) {
		c := base
		c.B, c.H = B, H
		all = append(all, plantedAverages{name, c, disc, perturbed,
			func(t int, _ []float64) (convex.Round, []float64) {
				r, b := round(loss(t)), make([]float64, m)
				for j := range m {
					b[j] = numbers[j](t) - eta
					r.Constraints = append(r.Constraints, constraint(t, j, b[j]))
				}
				return r, b
			}})
	}
	// u·x + b_t
	add("affine with numbers that swing", radius+number, 0, true,
		func(_, j int, b float64) convex.Func { return affine(b, ray(angle(j))...) })
	// The averages are u(t)·x − η with the angle of u(t) growing like log t: the slopes are
	// t·u(t) − (t−1)·u(t−1), of norm at most 1.7.
	add("affine with slopes that turn", 1.7*radius+number, 0, false,
		func(t, j int, b float64) convex.Func {
			n := float64(t)
			u := ray(angle(j) + 0.7*math.Log(n))
			slope := []float64{n * u[0], n * u[1]}
			if t > 1 {
				v := ray(angle(j) + 0.7*math.Log(n-1))
				slope[0], slope[1] = slope[0]-(n-1)*v[0], slope[1]-(n-1)*v[1]
			}
			return affine(b, slope...)
		})
	// Of two norms, ‖x − c‖ − ‖c‖ + b_t, each for a while: the shares of both swing.
	var cones [2][]*convex.Basis
	for k, back := range []float64{0.2, 0.5} {
		for j := range m {
			u := ray(angle(j))
			cones[k] = append(cones[k], convex.NewBasis(&convex.Distance{Weight: 1,
				Center: []float64{-back * u[0], -back * u[1]}, Offset: -back}))
		}
	}
	add("norms in turn", radius+number, 2, false, func(t, j int, b float64) convex.Func {
		return &convex.Shifted{Base: cones[int(3*math.Log(float64(t)))%2][j], Shift: b}
	})
	// ½‖x‖² + u·x + b_t: the gradients x + u of the averages differ by 2 at most.
	add("quadratic", 1.5*radius+number, 2*radius, true, func(_, j int, b float64) convex.Func {
		u := ray(angle(j))
		return &convex.Shifted{Base: &convex.HalfSquaredDistance{Weight: 1,
			Center: []float64{-u[0], -u[1]}}, Shift: b - 0.5}
	})
	// Numbers that are 0.3 up to round 30 and −η' after it: at round 240 the averages are −η.
	c := base
	c.B, c.late = radius+0.3, 240
	after := (0.3*30 + eta*240) / (240 - 30)
	all = append(all, plantedAverages{"affine, late", c, disc, true,
		func(t int, _ []float64) (convex.Round, []float64) {
			r, b := round(loss(t)), make([]float64, m)
			for j := range m {
				if b[j] = 0.3; t > 30 {
					b[j] = -after
				}
				r.Constraints = append(r.Constraints, affine(b[j], ray(angle(j))...))
			}
			return r, b
		}})
	return all
}

// play plays the learner with steps a/√t for T rounds, and holds multipliers, regret and signed
// sums against the theorem at rounds 1, 2, 4, … and T. The multipliers are those of the update, in
// terms of the averages at the actions played. The regret is against the best action at which
// some of the prefixes, every fiftieth of log t, sum to at most 0: it is at least that against
// X̂^max.
func (p plantedAverages) play(t *testing.T, a float64, T int) (most averagedRatios) {
	t.Helper()
	c, m, n := p.constants, int(p.constants.m), p.set.Dim()
	c.a = a
	if c.slope() <= 0 {
		t.Fatalf("%s: steps %v/√t are too large", p.name, a)
	}
	l := newLearner(t, "primal-dual-average", averageParams(a, nil, false),
		algorithms.Setup{Set: p.set, Constraints: m})
	x, lambda, losses, played := make([]float64, n), make([]float64, m), convex.NewForm(n), 0.
	signed, soft, spread := make([]float64, m), make([]float64, m), make([]float64, m)
	shifts := make([]float64, m) // Σ b_{i,j}
	var sums []*convex.Form
	prefixes := convex.NewProgram(p.set)
	for range m {
		sums = append(sums, convex.NewForm(n))
	}
	sampled, checkpoint := 0., 1
	for i := 1; i <= T; i++ {
		l.Act(x)
		r, b := p.round(i, x)
		r.Loss.AddTo(losses, 1)
		played += r.Loss.Value(x)
		count := float64(i)
		sample := math.Log(count) >= sampled+0.02 || i <= 8 || i == T
		if sample {
			sampled = math.Log(count)
		}
		for j, g := range r.Constraints {
			g.AddTo(sums[j], 1)
			if v := g.Value(x); math.Abs(v) > c.B+1e-9 {
				t.Fatalf("%s: round %d: |g(x)| = %v is above %v", p.name, i, v, c.B)
			}
			if v := sums[j].Value(make([]float64, n)) / count; count > c.late && v > -c.eta+1e-9 {
				t.Fatalf("%s: round %d: the average at z is %v", p.name, i, v)
			}
			signed[j] += sums[j].Value(x) / count
			soft[j] += g.Value(x)
			shifts[j] += b[j]
			spread[j] += b[j] - shifts[j]/count
			if sample {
				prefixes.Constrain(sums[j].Clone())
			}
		}
		if err := l.Observe(x, r); err != nil {
			t.Fatal(err)
		}
		l.Act(x)
		square := 0.
		for j := range lambda {
			lambda[j] = max(0, lambda[j]+a/math.Sqrt(count)*sums[j].Value(x)/count)
			square += lambda[j] * lambda[j]
		}
		most.multipliers = max(most.multipliers, math.Sqrt(square)/c.multipliers())
		if i != checkpoint && i != T {
			continue
		}
		checkpoint *= 2
		best, err := prefixes.Minimize(make([]float64, n), losses)
		if err != nil {
			t.Fatalf("%s: round %d: %v", p.name, i, err)
		}
		most.regret = max(most.regret, (played-best.Value+best.Gap)/c.regretBound(i))
		for j := range signed {
			most.signed = max(most.signed, signed[j]/c.signed(i))
			if p.perturbed {
				most.soft = max(most.soft, soft[j]/(c.signed(i)+max(0, spread[j])))
			}
		}
	}
	return most
}

// TestAveragedTheoremOnPlantedStreams plays two to five constraints whose averages drift for
// ever, to T = 3000, and where all tests run whole to 10⁶.
func TestAveragedTheoremOnPlantedStreams(t *testing.T) {
	long.Run(t, func(t *testing.T, whole bool) {
		T := 3000
		if whole {
			T = 1000000
		}
		for m := 2; m <= 5; m++ {
			for _, p := range planted(m) {
				steps := []float64{0.1, 1, 5} // every step is small where H is 0
				if h := p.constants.H; h > 0 {
					largest := math.Sqrt(p.constants.eta / (p.constants.m * p.constants.B * h * h))
					steps = []float64{0.3 * largest, 0.95 * largest}
				}
				for _, a := range steps {
					t.Run(fmt.Sprintf("%s, m=%d, a=%.3g", p.name, m, a), func(t *testing.T) {
						t.Parallel()
						r := p.play(t, a, T)
						t.Logf("of the bounds: multipliers %.3f, regret %.4f, signed sums %.3f, soft violation "+
							"%.3f", r.multipliers, r.regret, r.signed, r.soft)
						if !(max(r.multipliers, r.regret, r.signed, r.soft) <= 1+1e-9) {
							t.Error("a bound is broken")
						}
					})
				}
			}
		}
	})
}
