package claims_test

// The penalty, §4.2: claims 15 to 19.

import (
	"math"
	"testing"
)

// Claim 15: the primal-dual literature penalises per-round hinges, so that
// its results are confined to X^min.
//
// D = [0, 1], g = x-1 and x+0.2 in turn, f = -x: X^min is empty,
// Xhat^max = [0, 0.4]. The sum of the per-round hinges has slope gamma t/2 on (0, 1],
// so at gamma = 25 that FTRL plays 0, regret 0.4 a round. The
// primal-dual update adds g with its sign to lambda; with step 1/sqrt T it
// circles (0.4, 1) at the distance |(0, 0) - (0.4, 1)| = 1.08 of its start, so lambda <= 2.08:
// its signed sum, at most sqrt(T) lambda, and its regret against 0.4 are below 2.2 sqrt(T).
func TestWorked15SignedDual(t *testing.T) {
	for _, T := range []int{2500, 10000, 40000} {
		root := math.Sqrt(float64(T))
		x, lambda, regret, sum := 0.0, 0.0, 0.0, 0.0
		for i := 1; i <= T; i++ {
			b := -1.0
			if i%2 == 0 {
				b = 0.2
			}
			regret += 0.4 - x
			sum += x + b
			x = clip(x-(lambda-1)/root, 0, 1)
			lambda = max(0, lambda+(x+b)/root)
		}
		if regret > 2.2*root || sum > 2.2*root {
			t.Errorf("T %d: regret %v, signed sum %v", T, regret, sum)
		}
	}
	for n := 2.0; n <= 1000; n += 2 {
		x := argminBySlope(0, 1, func(x float64) float64 { return 2*math.Sqrt(n)*x - n + 25*n/2 })
		if x != 0 {
			t.Errorf("per-round hinges play %v", x)
		}
	}
}

// Claim 16: the difference penalty is not uniformly Lipschitz, which prevents
// regret O(sqrt t).
//
// D = [-2, 2], g_i = x+1 and x-1 in turn, f = -x, gamma = 2: G_i = i x + 1 (i odd), i x (i even).
// On (-1/i, 0) the slope of h_i is i, i odd: the first half holds. FTRL plays 0 after even and -1/i
// after odd rounds: the regret of the losses against 0, in X^max_T, is at most 1 + ln(T)/2, the
// signed sum at most 1, although the regret of F = f + gamma h is at least gamma T/2: what fails is
// the proof.
func TestWorked16DifferencePenalty(t *testing.T) {
	const T, gamma = 4000, 2
	G := func(i int, x float64) float64 { return float64(i)*x + float64(i%2) }
	h := func(i int, x float64) float64 { return max(0, G(i, x)) - max(0, G(i-1, x)) }
	if slope := (h(101, -0.25/101) - h(101, -0.75/101)) / (0.5 / 101); math.Abs(slope-101) > 1e-9 {
		t.Errorf("slope %v, want 101", slope)
	}
	x, regret, penalty, sum := 0.0, 0.0, 0.0, 0.0
	for i := 1; i <= T; i++ {
		regret -= x
		penalty += h(i, x)
		sum += G(i, x) - G(i-1, x)
		n := float64(i)
		x = argminBySlope(-2, 2, func(x float64) float64 {
			s := 2*math.Sqrt(n)*x - n
			if G(i, x) >= 0 {
				s += gamma * n
			}
			return s
		})
	}
	if regret > 1+math.Log(T)/2 || sum > 1+1e-6 {
		t.Errorf("regret of the losses %v, signed sum %v", regret, sum)
	}
	if penalty < 0.49*T {
		t.Errorf("the difference penalty sums to %v", penalty)
	}
}

// Claim 17: h_i is L_g-Lipschitz. With g^(1) = g^(2) = x, h = 2 max(0, x) has
// constant 2 = m L_g, and m L_g always suffices.
func TestWorked17LipschitzOfPenalty(t *testing.T) {
	h := func(x float64) float64 { return max(0, x) + max(0, x) }
	if (h(1)-h(0))/1 != 2 {
		t.Error("the constant is not 2")
	}
	r := seeded(17)
	for range 2000 {
		var a, b [3]float64
		for j := range a {
			a[j], b[j] = 2*r.Float64()-1, r.NormFloat64()
		}
		x, y, d := r.NormFloat64(), r.NormFloat64(), 0.0
		for j := range a {
			d += max(0, a[j]*x+b[j]) - max(0, a[j]*y+b[j])
		}
		if math.Abs(d) > 3*math.Abs(x-y)+1e-12 {
			t.Errorf("%v > 3 |x-y|", d)
		}
	}
}

// Claim 18: 1 <= k_t <= t, and k_t = t for fixed constraints.
//
// D = [-1, 1], g = x: X = [-1, 0] has the boundary point -1 in R, where no
// constraint is active: k = 0. Two equal constraints: 2t > t ties at 0.
// On the boundary relative to D, 1 <= k_t <= m t.
func TestWorked18ActiveAtBoundary(t *testing.T) {
	const T = 9
	a, b := make([]int, T), make([]int, T)
	for i := range a {
		a[i] = i + 1
	}
	if k := activeAt(a, b, -1, 1); k != 0 {
		t.Errorf("%d active at the end of D", k)
	}
	if k := activeAt(append(a, a...), append(b, b...), 0, 1); k != 2*T {
		t.Errorf("%d active of two equal constraints", k)
	}
	r := seeded(18)
	ties := 0
	for range 2000 {
		a, b := []int{}, []int{} // prefix sums of two affine constraints
		for range 2 {
			sa, sb := 0, 0
			for range T {
				sa, sb = sa+1+r.IntN(2), sb+r.IntN(5)-2
				a, b = append(a, sa), append(b, sb)
			}
		}
		if p, q, ok := rightEnd(a, b, 3); ok {
			k := activeAt(a, b, p, q)
			if k < 1 || k > 2*T {
				t.Errorf("k = %d", k)
			}
			if k > 1 {
				ties++
			}
		}
	}
	if ties == 0 {
		t.Error("no instance with ties")
	}
}

// Claim 19: exactness of H at gamma_0 = (f* - f(z) - 1)/(-k_t eta).
//
// The proof displays the denominator +k_t eta: f = -x, g = x, D = [-1, 1],
// z = -1, eta = 0.9 give gamma_0 = (0-1-1)/0.9 < 0, and at gamma = 0 H(1) = -1 < 0 = f*.
// With the sign of the statement and k_t on the relative boundary it holds.
func TestWorked19ExactPenaltyOfPrefixes(t *testing.T) {
	if gamma0 := (0.0 - 1 - 1) / 0.9; gamma0 > 0 || -1+0*1.0 >= 0 {
		t.Error("the sign of the proof is harmless")
	}
	r := seeded(19)
	seen, tied := 0, 0
	for range 3000 {
		T := 1 + r.IntN(6)
		a, b := make([]int, T), make([]int, T)
		sa, sb := 0, 0
		for i := range a {
			sa, sb = sa+1+r.IntN(3), sb+(r.IntN(3)-1)*r.IntN(2)
			a[i], b[i] = sa, sb
		}
		const z = -3.0
		eta := math.Inf(1)
		for i := range a {
			eta = min(eta, -(float64(a[i])*z+float64(b[i]))/float64(i+1))
		}
		eta *= 0.999
		p, q, ok := rightEnd(a, b, 3)
		if !ok || eta <= 0 {
			continue
		}
		seen++
		k := activeAt(a, b, p, q)
		if k > 1 {
			tied++
		}
		slope, bend, c := 4*r.NormFloat64(), r.Float64(), 3*r.NormFloat64()
		f := func(x float64) float64 { return slope*x + bend*math.Abs(x-c) }
		end := float64(p) / float64(q)
		best := min(f(-3), f(end))
		if c < end && c > -3 {
			best = min(best, f(c))
		}
		gamma := (best - f(z) - 1) / (-float64(k) * eta)
		for n := range 601 {
			x := -3 + float64(n)/100
			H := f(x)
			for i := range a {
				H += gamma * max(0, (float64(a[i])*x+float64(b[i]))/float64(i+1))
			}
			if H < best-1e-9 || x > end+1e-9 && H <= best {
				t.Fatalf("H(%v) = %v, f* = %v, k = %d of %d", x, H, best, k, T)
			}
		}
	}
	if seen < 300 || tied < 50 {
		t.Errorf("%d instances, %d with ties", seen, tied)
	}
}
