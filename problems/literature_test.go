package problems

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// TestNormalDrawsHaveTheirLaw: moments and tails of a normal variable, within five standard
// errors of 4·10⁵ draws, and the bound.
func TestNormalDrawsHaveTheirLaw(t *testing.T) {
	const draws = 400_000
	rng := rand.New(rand.NewPCG(31, 1))
	var sums [6]float64 // of z, z², z³, z⁴, and how many are beyond 1 and 3
	lagged, last := 0.0, 0.0
	for range draws {
		z := normal(rng)
		if !(math.Abs(z) <= maxNormal) {
			t.Fatalf("got %v, want at most %v", z, maxNormal)
		}
		power := 1.0
		for k := range 4 {
			power *= z
			sums[k] += power
		}
		if math.Abs(z) > 1 {
			sums[4]++
		}
		if z > 3 {
			sums[5]++
		}
		lagged += z * last
		last = z
	}
	for k, want := range []struct {
		what           string
		mean, variance float64
	}{
		{"z", 0, 1}, {"z²", 1, 2}, {"z³", 0, 15}, {"z⁴", 3, 96},
		{"|z| > 1", math.Erfc(1 / math.Sqrt2), 0.22}, {"z > 3", math.Erfc(3/math.Sqrt2) / 2, 0.00135},
	} {
		t.Run(want.what, func(t *testing.T) {
			if got := sums[k] / draws; math.Abs(got-want.mean) > 5*math.Sqrt(want.variance/draws) {
				t.Errorf("mean of %s is %v, want %v", want.what, got, want.mean)
			}
		})
	}
	if math.Abs(lagged/draws) > 5/math.Sqrt(draws) {
		t.Errorf("got correlation %v of neighbours, want 0", lagged/draws)
	}
	if most := math.Sqrt(-2 * math.Log(0x1p-53)); most > maxNormal || most < maxNormal-1e-3 {
		t.Errorf("got the largest draw %v, want just below %v as declared", most, maxNormal)
	}
}

// TestCostsHaveTheirLaw: the parts of c_t are in their ranges, the signs of a period are
// those of a permutation, and the means swing, over two periods that begin
// alike.
func TestCostsHaveTheirLaw(t *testing.T) {
	const period, instances = 500, 400
	means := make([][2]float64, 2*period) // of c_t, and of c_t's first times second
	for seed := range uint64(instances) {
		c := newCosts(Costs{Period: period}, rand.New(rand.NewPCG(seed, 3)))
		x := make([]float64, 2)
		for i := 1; i <= 2*period; i++ {
			c.draw(x, i)
			if k := (i-1)%period + 1; max(math.Abs(x[0]), math.Abs(x[1])) > math.Pow(float64(k), 0.1)+2 {
				t.Fatalf("round %d: got %v, want at most k^0.1 + 2 in round k of its period", i, x)
			}
			means[i-1][0] += (x[0] + x[1]) / 2 / instances
			means[i-1][1] += x[0] * x[1] / instances
		}
	}
	// By the paper's intervals, scaled from 5000 rounds to 500.
	for p := range 2 {
		for _, c := range []struct {
			from, to int
			mean     float64
		}{{1, 150, -.5}, {151, 199, .5}, {200, 350, -.5}, {351, 399, .5}, {400, 500, -.5}} {
			mean, product, n := 0.0, 0.0, float64(c.to-c.from+1)
			for _, m := range means[p*period+c.from-1 : p*period+c.to] {
				mean += m[0] / n
				product += m[1] / n
			}
			// Standard deviations are at most 1.5 and 4. The two coordinates
			// share the sign and nothing else.
			if off := mean - c.mean; math.Abs(off) > 5*1.5/math.Sqrt(n*instances) {
				t.Errorf("period %d, rounds %d to %d: the mean is %v, want %v", p, c.from, c.to, mean, c.mean)
			}
			if off := product - 1.25; math.Abs(off) > 5*4/math.Sqrt(n*instances) {
				t.Errorf("period %d, rounds %d to %d: the mean product is %v, want 1.25", p, c.from, c.to,
					product)
			}
		}
	}
	for _, period := range []int{1, 2, 7, 10} {
		c := newCosts(Costs{Period: period}, rand.New(rand.NewPCG(5, 3)))
		first := make(map[float64]int)
		for range 2000 {
			sum := 0.0
			for k := range period {
				s := c.sign()
				sum += s
				if k == 0 {
					first[s]++
				}
			}
			if sum != -float64(period%2) {
				t.Fatalf("period %d: got sum %v of the signs, want %d", period, sum, -(period % 2))
			}
		}
		odd := float64((period+1)/2) / float64(period)
		if z := (float64(first[-1]) - 2000*odd) / (math.Sqrt(2000*odd*(1-odd)) + 1e-9); math.Abs(z) > 5 {
			t.Errorf("period %d: got −1 first in %d of 2000, want about %.0f", period, first[-1],
				2000*odd)
		}
	}
}

// The losses of yu-neely-lp and online-qp are those of the documentation, by their gradients at 0,
// which are θ_t, or 18θ_t; and constraints are a·x ≤ b with a and b in their ranges.
func TestPlanarProgramsByEquations(t *testing.T) {
	for _, c := range []struct {
		name       string
		problem    Problem
		params     any
		lowA, most [2]float64
	}{
		{"yu-neely-lp", yuNeelyLP, yuNeelyLP.Params, [2]float64{0, 1}, [2]float64{0, 2}},
		{"online-qp", onlineQP, onlineQP.Params, [2]float64{.1, .5}, [2]float64{0, .3}},
		{"online-qp, linear", onlineQP, OnlineQPParams{"linear", Costs{5000}}, [2]float64{.1, .5},
			[2]float64{0, .3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			theta, x := make([]float64, 2), []float64{0.3, 0.7}
			for seed := range uint64(20) {
				s := testInstance{c.name, c.problem, c.params}.stream(t, seed)
				for i := 1; i <= 300; i++ {
					r := s.Reveal(i, nil)
					r.Loss.Subgrad(theta, []float64{0, 0})
					want := vec.Dot(theta, x)
					if p, ok := c.params.(OnlineQPParams); ok && p.Loss == "quadratic" {
						vec.Scale(theta, 1./18)
						want = math.Pow(vec.Dist(x, theta), 2) + 20*vec.Dot(theta, x)
					}
					if got := r.Loss.Value(x); math.Abs(got-want) > 1e-10 {
						t.Fatalf("seed %d, round %d: the loss is %v, want %v", seed, i, got, want)
					}
				}
				for _, g := range s.Reveal(301, nil).Constraints {
					f := convex.Lower(g, 2)
					if min(f.Lin[0], f.Lin[1]) < c.lowA[0] || max(f.Lin[0], f.Lin[1]) > c.lowA[1] ||
						-f.Const < c.most[0] || -f.Const > c.most[1] {
						t.Errorf("seed %d: the constraint is %v, want slopes in %v and a limit in %v", seed, f,
							c.lowA, c.most)
					}
				}
			}
		})
	}
}

// TestRegressionSumsNearItsQuadratic: the losses sum to a quadratic function near the one of
// the documentation, and constraints to (Σx_i − 1)/2.
func TestRegressionSumsNearItsQuadratic(t *testing.T) {
	const rounds = 20000
	p := RegressionParams{Dim: 3, Samples: 4, Constraints: 2, Noise: 1.5, Upper: 5, Slopes: 1}
	s := testInstance{"regression", regression, p}.stream(t, 8)
	loss, g := convex.NewForm(3), convex.NewForm(3)
	for i := 1; i <= rounds; i++ {
		r := s.Reveal(i, nil)
		r.Loss.AddTo(loss, 1./rounds)
		for _, f := range r.Constraints {
			f.AddTo(g, 1./rounds/2)
		}
	}
	// Five standard errors: a sum over 4 samples of products of entries of H
	// has a standard deviation of at most 2·½, a loss at 1 of 4½, and so on.
	within := func(what string, got, want, sd float64) {
		if math.Abs(got-want) > 5*sd/math.Sqrt(rounds) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	ones := []float64{1, 1, 1}
	within("the mean loss at 1", loss.Value(ones), 4*1.5*1.5/2, 1.5*1.5*math.Sqrt(2))
	grad := make([]float64, 3)
	loss.Subgrad(grad, ones)
	for i := range 3 {
		within("the mean gradient at 1", grad[i], 0, 2*1.5*math.Sqrt(1./3))
		for j := range 3 {
			want := 0.0
			if i == j {
				want = 4. / 3
			}
			within("the mean Hessian", loss.Quad[3*i+j], want, 1)
		}
		within("the mean slope", g.Lin[i], 0.5, math.Sqrt(1./24))
	}
	within("the mean of b", -g.Const, 0.5, math.Sqrt(1./24))
}

// TestPermutationsComeEquallyOften: Y_t is a permutation matrix, each equally often, and
// the constraints are those of a doubly stochastic matrix.
func TestPermutationsComeEquallyOften(t *testing.T) {
	const size, rounds = 3, 6000
	s := testInstance{"", doublyStochastic, DoublyStochasticParams{Size: size}}.stream(t, 6)
	if m := s.Constraints(); m != size*size+4*size {
		t.Fatalf("got %d constraints, want %d", m, size*size+4*size)
	}
	violations := func(x []float64) (worst float64, violated int) {
		worst = math.Inf(-1)
		for _, g := range s.(*doublyStochasticStream).Round.Constraints {
			v := g.Value(x)
			worst = max(worst, v)
			if v > 1e-12 {
				violated++
			}
		}
		return worst, violated
	}
	seen := make(map[[size * size]float64]int)
	y, at := make([]float64, size*size), make([]float64, size*size)
	for i := 1; i <= rounds; i++ {
		s.Reveal(i, nil).Loss.Subgrad(y, at) // 0 − Y_t
		vec.Scale(y, -1)
		seen[[size * size]float64(y)]++
		if worst, _ := violations(y); worst != 0 || math.Abs(vec.Dot(y, y)-size) > 0 ||
			s.Set().Residual(y) > 1e-12 {
			t.Fatalf("round %d: got Y = %v, want a permutation", i, y)
		}
	}
	if len(seen) != 6 {
		t.Errorf("got %d permutations, want 6", len(seen))
	}
	for y, n := range seen {
		if math.Abs(float64(n)-rounds/6) > 5*math.Sqrt(rounds*5./36) {
			t.Errorf("%v: got %d times of %d, want a sixth", y, n, rounds)
		}
	}
	for _, c := range []struct {
		change   map[int]float64 // of the matrix of thirds
		violated int
	}{
		{nil, 0},
		{map[int]float64{0: 0.4}, 2}, // row 1 and column 1 are too large
		{map[int]float64{5: 0.1}, 2}, // row 2 and column 3 are too small
		{map[int]float64{0: -0.1, 1: 23. / 30, 3: 23. / 30}, 3}, // an entry, row 2 and column 2
	} {
		x := make([]float64, size*size)
		for i := range x {
			x[i] = 1. / 3
		}
		for i, v := range c.change {
			x[i] = v
		}
		if _, violated := violations(x); violated != c.violated {
			t.Errorf("%v violates %d constraints, want %d", x, violated, c.violated)
		}
	}
}

// TestLogisticLabelsFollowTheWeights: losses are those of the documentation, labels follow the
// weights, the ball is the smallest that contains the constraint, and a round
// allocates nothing.
func TestLogisticLabelsFollowTheWeights(t *testing.T) {
	const rounds = 40000
	p := LogisticParams{Dim: 7, Nonzeros: 3, Rho: 2, Samples: "sparse", Constraint: "elastic-net"}
	s := testInstance{"logistic", logistic, p}.stream(t, 12).(*logisticStream)
	for i, w := range s.weights {
		if i%2 == 1 && w != 0 || i%2 == 0 && !(math.Abs(w) >= 0.5 && math.Abs(w) <= 2) {
			t.Errorf("got weights %v, want 0 at odd places, and from ½ to 2 elsewhere", s.weights)
		}
	}
	const seeds = 2000
	mean := 0.0 // of the sizes of all weights but those that are 0
	for seed := range uint64(seeds) {
		drawn := testInstance{"logistic", logistic, p}.stream(t, seed).(*logisticStream).weights
		for i := 0; i < p.Dim; i += 2 {
			mean += math.Abs(drawn[i]) / (4 * seeds)
		}
	}
	if sd := 1.5 / math.Sqrt(12); math.Abs(mean-1.25) > 5*sd/math.Sqrt(4*seeds) {
		t.Errorf("the sizes of weights have the mean %v, want 1.25, that of [0.5, 2]", mean)
	}
	x, grad, sum := []float64{.3, -.2, 0, .5, 1, -.1, .2}, make([]float64, p.Dim),
		make([]float64, p.Dim)
	places := make([]int, p.Dim)
	for i := 1; i <= rounds; i++ {
		r := s.Reveal(i, nil)
		a := s.margin.A // −y·u
		nonzeros := 0
		for k, v := range a {
			if v != 0 {
				nonzeros++
				places[k]++
			}
			if math.Abs(v) > 1 {
				t.Fatalf("round %d: got sample %v, want entries in [-1, 1]", i, a)
			}
		}
		if nonzeros != p.Nonzeros {
			t.Fatalf("round %d: got %d entries that are not 0, want %d", i, nonzeros, p.Nonzeros)
		}
		if got, want := r.Loss.Value(x), math.Log1p(math.Exp(vec.Dot(a, x))); math.Abs(got-
			want) > 1e-15*max(1, want) {
			t.Fatalf("round %d: the loss is %v, want %v", i, got, want)
		}
		r.Loss.Subgrad(grad, s.weights)
		vec.Axpy(sum, 1./rounds, grad)
	}
	for k, v := range sum { // the expected loss is least at the weights
		if sd := math.Sqrt(1. / 4 / 3 * 3 / 7); math.Abs(v) > 5*sd/math.Sqrt(rounds) {
			t.Errorf("got mean gradient %v at the weights, want 0", sum)
			break
		}
		if got, want := float64(places[k])/rounds, 3./7; math.Abs(got-want) > 5*0.5/math.Sqrt(rounds) {
			t.Errorf("entry %d is not 0 in %v of the samples, want %v", k+1, got, want)
		}
	}
	// On the axes the sphere meets {g = 0}; elsewhere it is outside.
	radius, rng := s.Domain.Diameter()/2, rand.New(rand.NewPCG(3, 3))
	g := s.Round.Constraints[0]
	x = make([]float64, p.Dim)
	x[2] = -radius
	if v := g.Value(x); math.Abs(v) > 1e-12 {
		t.Errorf("where the ball meets an axis: got g = %v, want 0", v)
	}
	if v := g.Value(make([]float64, p.Dim)); v != -p.Rho {
		t.Errorf("at 0: got g = %v, want %v", v, -p.Rho)
	}
	for range 1000 {
		for i := range x {
			x[i] = centredUniform(rng)
		}
		vec.Scale(x, radius/vec.Norm(x))
		if v := g.Value(x); v < 0 {
			t.Errorf("on the sphere, at %[2]v: got g = %[1]v, want at least 0", v, x)
		}
	}
	t1 := rounds
	if n := testing.AllocsPerRun(100, func() {
		t1++
		r := s.Reveal(t1, nil)
		r.Loss.Value(x)
		r.Loss.Subgrad(grad, x)
	}); n > 0 {
		t.Errorf("got %v allocations a round, want 0", n)
	}
}
