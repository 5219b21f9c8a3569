package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// indices plays rounds first, …, last of a stream of families and calls f with
// the index of the function that constraint j had in round t, found by pointer.
func indices(t *testing.T, s Stream, last int, f func(t, j, k int)) {
	t.Helper()
	families := s.(*familyStream).families
	for i := 1; i <= last; i++ {
		for j, g := range s.Reveal(i, nil).Constraints {
			k := slices.Index(families[j], g)
			if k < 0 {
				t.Fatalf("round %d: constraint %d: got another function, want one of its family", i, j+1)
			}
			f(i, j, k)
		}
	}
}

// TestBalancedCountsStayNearTheirFrequencies compares counts with p_k·(t + w_k·s_t) in every round:
// they are behind by at most 1/2 + … + 1/K, and ahead by less than 1. So the rate is attained: in a
// decade, in which the sine comes to ±1, the largest |p_{k,t} − p_k|·t^r is at least p_k·|w_k|·A
// less what that may take away. For r = 1 the largest |n_k − p_k·t| is at least (1−p_k)/2, since a
// visit moves it by 1−p_k.
func TestBalancedCountsStayNearTheirFrequencies(t *testing.T) {
	const last = 50000
	omega := 2 * math.Pi / math.Ln10
	amplitude := 1 / math.Hypot(1, omega)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, K := range []int{2, 3, 7} {
		behind := 0.0
		for k := 2; k <= K; k++ {
			behind += 1 / float64(k)
		}
		for _, r := range []float64{0.1, 0.25, 0.5, 0.75, 1} {
			freq, phase := drawFrequencies(K, rng), uniform(rng, 0, 2*math.Pi)
			if sum := vec.Sum(freq); math.Abs(sum-1) > 1e-12 || slices.Min(freq) < 0.5/(1.5*float64(K)) {
				t.Fatalf("got frequencies %v, want a sum of 1 and none below 1/(3K)", freq)
			}
			weights := centredOffsets(freq)
			most := max(weights[0], -weights[K-1])
			index, count, sups := balancedIndices(freq, r, phase), make([]float64, K), make([]float64, K)
			for i := 1; i <= last; i++ {
				count[index(i)]++
				n := float64(i)
				swing := amplitude * math.Pow(n, 1-r) * math.Sin(omega*math.Log(n)+phase)
				for k, p := range freq {
					if ahead := count[k] - p*(n+weights[k]/most*swing); ahead < -behind-1e-6 || ahead >= 1+1e-6 {
						t.Fatalf("K=%d r=%v: function %d is %v ahead after %d rounds, want from %v to 1", K, r, k+1,
							ahead, i, -behind)
					}
					if i > last/10 {
						sups[k] = max(sups[k], math.Abs(count[k]/n-p)*math.Pow(n, r))
					}
				}
			}
			for k, p := range freq {
				least := p*math.Abs(weights[k])/most*amplitude - max(behind, 1)*math.Pow(last/10, r-1)
				if r == 1 {
					least = (1 - p) / 2
				}
				if sups[k] < least {
					t.Errorf("K=%d r=%v: |p_t − p|·t^r is at most %v for function %d, want %v", K, r, sups[k], k+1,
						least)
				}
			}
		}
	}
}

// TestFamilyDrawsFollowTheirLaw compares independent draws with their law: counts over 400
// instances have mean 0 and variance 1 in their own units, within five
// standard errors.
func TestFamilyDrawsFollowTheirLaw(t *testing.T) {
	const instances, rounds = 400, 500
	p := family.Params.(FamilyParams)
	p.Draw = "iid"
	sum, squares := make([]float64, p.Functions), make([]float64, p.Functions)
	for seed := range uint64(instances) {
		s := testInstance{"", family, p}.stream(t, seed).(*familyStream)
		count := make([]float64, p.Functions)
		indices(t, s, rounds, func(_, _, k int) { count[k]++ })
		for k, f := range s.laws[0].freq {
			z := (count[k] - f*rounds) / math.Sqrt(f*(1-f)*rounds)
			sum[k] += z
			squares[k] += z * z
		}
	}
	for k := range sum {
		if z := sum[k] / math.Sqrt(instances); math.Abs(z) > 5 {
			t.Errorf("function %d: got %.1f standard errors off its frequency, want at most 5", k+1, z)
		}
		if z := (squares[k] - instances) / math.Sqrt(2*instances); math.Abs(z) > 5 {
			t.Errorf("the count of function %d has the variance %v, want 1", k+1, squares[k]/instances)
		}
	}
}

// TestFamilyMeanHasItsMarginAndSlope: the family has at the centre the mean −slack and the maximum
// −margin, and its mean slope is a unit vector at most 45° from the drift; the
// mean Q of a quadratic family has the trace 1/radius.
func TestFamilyMeanHasItsMarginAndSlope(t *testing.T) {
	for i, set := range []string{"box", "ball", "simplex"} {
		for _, kind := range []string{"affine", "quadratic"} {
			p := family.Params.(FamilyParams)
			p.Dim, p.Set, p.Radius, p.Kind = 2+i, set, 2, kind
			p.Constraints, p.Functions, p.Margin = 3, 2+i, 0.1-0.2*float64(i)
			s := testInstance{"", family, p}.stream(t, 5).(*familyStream)
			space, err := p.Space.newSpace()
			if err != nil {
				t.Fatal(err)
			}
			z, grad := space.center, make([]float64, p.Dim)
			for j, mean := range s.Expectation() {
				where := fmt.Sprintf("%s %s, constraint %d", set, kind, j+1)
				if v := mean.Value(z); math.Abs(v+p.Slack) > 1e-12 {
					t.Errorf("%s: the mean at the centre is %v, want %v", where, v, -p.Slack)
				}
				worst := math.Inf(-1)
				for k, f := range s.families[j] {
					if slices.Index(s.families[j], f) != k {
						t.Errorf("%s: got a function twice, want each once", where)
					}
					worst = max(worst, f.Value(z))
				}
				if math.Abs(worst+p.Margin) > 1e-12 {
					t.Errorf("%s: the worst function at the centre is %v, want %v", where, worst, -p.Margin)
				}
				mean.Subgrad(grad, z)
				if cos := vec.Dot(grad, s.losses.drift); math.Abs(vec.Norm(grad)-1) > 1e-12 ||
					cos < math.Sqrt(0.5)-1e-12 {
					t.Errorf("%s: got mean slope %v of length %v and cosine %v to the drift, want 1 and at "+
						"least √½", where, grad, vec.Norm(grad), cos)
				}
				form := mean.(*convex.Form)
				if want := p.Functions; kind == "quadratic" && len(form.Terms) != want {
					t.Errorf("%s: the mean has %d terms, want one for each of %d functions", where,
						len(form.Terms), want)
				}
				trace := 0.0 // by the gradient's differences, which are exact but for rounding
				y, at := slices.Clone(z), make([]float64, p.Dim)
				for i := range y {
					y[i]++
					mean.Subgrad(at, y)
					trace += at[i] - grad[i]
					y[i]--
				}
				if want := map[string]float64{"affine": 0,
					"quadratic": 1 / p.Radius}[kind]; math.Abs(trace-want) > 1e-12 {
					t.Errorf("%s: the trace of Q is %v, want %v", where, trace, want)
				}
			}
		}
	}
}

// TestPeriodsBringEveryFunction: every P rounds bring the same functions, each of them, in
// patterns that differ by constraint, and a whole period sums to P times the mean.
func TestPeriodsBringEveryFunction(t *testing.T) {
	for _, P := range []int{3, 10, 101} {
		p := periodic.Params.(PeriodicParams)
		p.Period, p.Constraints, p.Kind = P, 2, "quadratic"
		s := testInstance{"", periodic, p}.stream(t, uint64(P)).(*familyStream)
		patterns := make([][]int, p.Constraints)
		count := make([][]float64, p.Constraints)
		for j := range count {
			count[j] = make([]float64, p.Functions)
		}
		indices(t, s, 5*P, func(i, j, k int) {
			patterns[j] = append(patterns[j], k)
			if k != patterns[j][(i-1)%P] {
				t.Fatalf("period %d: constraint %d: got function %d in round %d, want %d", P, j+1, k+1, i,
					patterns[j][(i-1)%P]+1)
			}
			count[j][k]++
			for k, f := range s.laws[j].freq {
				if off := math.Abs(count[j][k] - f*float64(i)); off >= float64(P) || i%P == 0 && off > 1e-9 {
					t.Fatalf("period %d: function %d: got %v off its frequency after %d rounds, want less than %d",
						P, k+1, off, i, P)
				}
			}
		})
		if P > 3 && slices.Equal(patterns[0], patterns[1]) {
			t.Errorf("period %d: got both constraints of the pattern %v, want two", P, patterns[0][:P])
		}
		x := []float64{0.3, -0.7}
		for j, mean := range s.Expectation() {
			if least := slices.Min(count[j]); least < 5 {
				t.Errorf("period %d: constraint %d: got a function left out, want each at least 5 times", P,
					j+1)
			}
			sum := 0.0
			for _, k := range patterns[j][:P] {
				sum += s.families[j][k].Value(x)
			}
			if want := float64(P) * mean.Value(x); math.Abs(sum-want) > 1e-9*float64(P) {
				t.Errorf("period %d: the constraints of a period sum to %v, P times the mean is %v", P, sum,
					want)
			}
		}
	}
}
