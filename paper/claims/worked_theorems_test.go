package claims_test

// Theorems 1 and 2 and their corollaries: claims 20 to 26.

import (
	"math"
	"slices"
	"testing"
)

// Claim 20: gamma > (E+L+1)/beta puts x_{t+1} in Xhat_t for t > t_eps.
//
// (a) The signs: E and L bound R(y)-R(z) and f(y)-f(z), the proof needs R(z)-R(y) and f(z)-f(y).
// D = [-1, 1], g = x, f = -5x, z = -1, eta = beta = 0.9, k_t = t:
// E = max (y^2-1)/sqrt(i) = 0, L = max -5y-5 = 0, so gamma = 2 > 1/0.9 is
// allowed; the slope at x = 1 is 2 sqrt(t) - 5t + 2t < 0: x = 1 in every round.
// (b) The same with ties at both ends of the boundary in R: D = [-0.51, 3],
// g = max(-100(x+1/2), x-1/2), z = -0.49, eta = beta = 0.98, f = -5x,
// R = sqrt(t) (x-3)^2: E = 3.51^2-3.49^2 = 0.14, L = 5*0.02 = 0.1; gamma = 2 > 1.24/0.98.
// (c) Prefixes before t_eps, for every gamma: D = [-1, 1], A_1 = -x, A_i = x (i >= 2),
// z = -1, t_eps = 1: Xhat = {0}, both ties at 0, k_t = t; f = x: the slope left of
// 0 is t - gamma + 2 sqrt(t) x, so x < 0 once t is large: Theorem 1 fails whatever gamma.
// With the signs mended and z strict for all prefixes it holds.
func TestWorked20ThresholdOfTheoremOne(t *testing.T) {
	for n := 1.0; n <= 3000; n++ {
		root := math.Sqrt(n)
		x := argminBySlope(-1, 1, func(x float64) float64 {
			s := 2*root*x - 5*n
			if x >= 0 {
				s += 2 * n
			}
			return s
		})
		y := argminBySlope(-0.51, 3, func(x float64) float64 {
			s := 2*root*(x-3) - 5*n
			if x >= 0.5 {
				s += 2 * n
			} else if x < -0.5 {
				s -= 200 * n
			}
			return s
		})
		if x < 0.99 || y < 2.99 {
			t.Fatalf("x = %v, y = %v after %v rounds: feasible", x, y, n)
		}
	}
	for _, gamma := range []float64{5, 50, 500} {
		n := 2 * gamma
		x := argminBySlope(-1, 1, func(x float64) float64 {
			s := 2*math.Sqrt(n)*x + n
			if x < 0 {
				return s - gamma
			}
			return s + gamma*(n-1)
		})
		if x > -0.5 {
			t.Errorf("gamma %v: x = %v after %v rounds, in {0}", gamma, x, n)
		}
	}
	r := seeded(20)
	const T = 60
	for range 100 {
		right := 0.2 + 2*r.Float64() // D = [-1, right], z = -1, all ties at 0
		scale := 5 * r.Float64()
		var sa, sf, sh, E, L float64
		eta := math.Inf(1)
		var slopes, weights [T + 1]float64
		for i := 1; i <= T; i++ {
			a := 1 + 2*r.Float64()
			c := scale * (r.Float64() - 0.7)
			sa, sf, sh = sa+a, sf+c, sh+(sa+a)/float64(i)
			eta = min(eta, sa/float64(i))
			E = max(E, 1/math.Sqrt(float64(i)))
			L = max(L, c*(-1-right), 0)
			slopes[i], weights[i] = sf, sh
		}
		eta *= 0.999
		gamma := (E+L+1)/eta + 1e-9
		for i := 1; i <= T; i++ {
			x := argminBySlope(-1, right, func(x float64) float64 {
				s := 2*math.Sqrt(float64(i))*x + slopes[i]
				if x >= 0 {
					s += gamma * weights[i]
				}
				return s
			})
			if x > 1e-12 {
				t.Fatalf("x = %v after %d rounds at gamma %v", x, i, gamma)
			}
		}
	}
}

// Claim 21: grow gamma until violations cease, then freeze it.
//
// D = [-1, 1], g = max(x, -x-1/2), whose ends 0 and -1/2 are inside of D, f = 0 for N rounds,
// then -10x. No rule that looks at the play sees a violation in the first N rounds, so it freezes
// gamma = 1. At t = 2N = 200 the slope at 1 is -1000 + 200 + 2 sqrt(200) < 0: x = 1 from there on.
func TestWorked21FreezeTheWeight(t *testing.T) {
	const N, gamma = 100, 1
	for i := 1; i <= 100*N; i++ {
		n := float64(i)
		x := argminBySlope(-1, 1, func(x float64) float64 {
			s := 2*math.Sqrt(n)*x - 10*max(0, n-N)
			if x >= 0 {
				s += gamma * n
			} else if x < -0.5 {
				s -= gamma * n
			}
			return s
		})
		if i <= N && x > 1e-9 || i >= 2*N && x < 0.99 {
			t.Fatalf("x = %v after %d rounds", x, i)
		}
	}
}

// Claim 22: Theorem 2's regret under Condition 1 as it is written.
//
// D = [-1, 1], g = |x| - 0.9 (Condition 2 with z = 0, and k_t = t at both ends), f = -x,
// R_t = t x^2: x = 1/2, regret 0.4 a round against 0.9. With R = sqrt(t) x^2 it holds for any
// fixed gamma, without Condition 2 and against every point of Xhat_T:
//
//	R_T <= sqrt(T) + 2L + L^2 sqrt(T)/2,  L = L_f + gamma L_g.
func TestWorked22RegretOfTheoremTwo(t *testing.T) {
	x, regret := 0.0, 0.0
	for i := 1; i <= 2000; i++ {
		n := float64(i)
		regret += 0.9 - x
		x = argminBySlope(-1, 1, func(x float64) float64 {
			s := 2*n*x - n
			if x >= 0.9 {
				s += 25 * n
			} else if x < -0.9 {
				s -= 25 * n
			}
			return s
		})
	}
	if math.Abs(regret-800.5) > 1e-6 {
		t.Errorf("R_t = t x^2: regret %v", regret)
	}
	const T = 120
	r := seeded(22)
	for range 20 {
		gamma := 3 * r.Float64()
		x, sum, loss, sb := 0.0, 0.0, 0.0, 0.0
		var kinks []float64
		for i := 1; i <= T; i++ {
			c := 1.0
			if x < 0 != (r.IntN(4) == 0) {
				c = -1
			}
			loss, sum, sb = loss+c*x, sum+c, sb+2*r.Float64()-1
			kinks = append(kinks, sb/float64(i)) // g = x - b
			x = argminBySlope(-1, 1, func(x float64) float64 {
				s := 2*math.Sqrt(float64(i))*x + sum
				for _, k := range kinks {
					if x >= k {
						s += gamma
					}
				}
				return s
			})
		}
		end := slices.Min(kinks)
		if end < -1 {
			continue
		}
		L := 1 + gamma
		if regret := loss - min(-sum, sum*min(1, end)); regret > (1+L*L/2)*math.Sqrt(T)+2*L {
			t.Errorf("regret %v at gamma %v", regret, gamma)
		}
	}
}

// playDrift plays Penalised FTRL on D = [-1, 1] with f = -x and
// A_i = x - i^{-r}, so that the hinges with kink below x number
// max(0, t - floor(x^{-1/r})), and returns the sums of h_i(x_i) and of x_i.
func playDrift(T int, gamma, r float64) (violation, sum float64) {
	x := 0.0
	for i := 1; i <= T; i++ {
		n := float64(i)
		violation += max(0, x-math.Pow(n, -r))
		sum += x
		x = argminBySlope(0, 1, func(x float64) float64 {
			return 2*math.Sqrt(n)*x - n + gamma*max(0, n-math.Floor(math.Pow(x, -1/r)))
		})
	}
	return violation, sum
}

// Claim 23: Conditions 1 and 2 give sum h_i(x_i) = O(sqrt t).
//
// With Slater only from t_eps on it fails for every gamma: D = [-1, 1]^2, f = -v,
// A^(1)_1 = -u, A^(1)_i = u (i >= 2), A^(2)_i = v - i^{-1/4}, z = (-1, -1), t_eps = 1, eta < 1.
// Xhat = {0} x [-1, t^{-1/4}] has no interior: at each of its points all t prefixes
// of u tie, so k_t >= t and Condition 2 holds. In v the slope is -t + gamma #{i: i^{-1/4} < v}, so
// v = (1-1/gamma)^{-1/4} t^{-1/4} and
//
//	V_T = ((1-1/gamma)^{-1/4} - 1) (4/3) T^{3/4}: 0.252 T^{3/4} at gamma = 2, 0.0356 T^{3/4} at 10.
func TestWorked23ViolationOfTheoremTwo(t *testing.T) {
	for n := 2.0; n <= 200; n++ { // the part of u: gamma (max(0,-u) + (t-1) max(0,u))
		u := argminBySlope(-1, 1, func(u float64) float64 {
			if u < 0 {
				return 2*math.Sqrt(n)*u - 2
			}
			return 2*math.Sqrt(n)*u + 2*(n-1)
		})
		if math.Abs(u) > 1e-12 {
			t.Fatalf("u = %v", u)
		}
	}
	for _, gamma := range []float64{2, 10} {
		short, _ := playDrift(1000, gamma, 0.25)
		long, _ := playDrift(16000, gamma, 0.25)
		want := (math.Pow(1-1/gamma, -0.25) - 1) * 4 / 3 * math.Pow(16000, 0.75)
		if long < 0.8*want || long < 6*short { // O(sqrt t) would give a factor 4, t^{3/4} gives 8
			t.Errorf("gamma %v: V = %v and %v, want about %v", gamma, short, long, want)
		}
	}
}

// playSoftGap plays the stream of claim 24 and returns the losses r_i and signs s_i.
func playSoftGap(t *testing.T, T int) (losses, signs []float64) {
	const gamma, offset = 25, 30
	x, sum, drift, dir := 0.0, 0.0, 0.0, 1.0
	soft, penalty := 0.0, 0.0
	for i := 1; i <= T; i++ {
		n := float64(i)
		s := 1.0
		if x < 0 {
			s = -1
		}
		drift += s
		soft += s*x - 0.05
		mean := func(x float64) float64 { return (drift*x - 0.05*n - offset) / n }
		penalty += max(0, mean(x)) + max(0, x-0.5)
		if mean(-1) > 0 || mean(1) > 0 || mean(0) > -0.05 {
			t.Fatalf("a mean is positive on D after %d rounds", i)
		}
		if math.Abs(sum) >= math.Sqrt(n) && sum*dir > 0 {
			dir = -dir
		}
		sum += dir
		losses, signs = append(losses, dir), append(signs, s)
		x = argminBySlope(-1, 1, func(x float64) float64 {
			d := 2*math.Sqrt(n)*x + sum
			if x >= 0.5 {
				d += gamma * n
			}
			return d
		})
	}
	if soft-offset < 0.1*float64(T) || penalty > 0.01*math.Sqrt(float64(T)) {
		t.Errorf("soft violation %v, penalty violation %v", soft-offset, penalty)
	}
	return losses, signs
}

// Claim 24: Theorem 2 bounds the violation of the Introduction.
//
// D = [-1, 1], g^(1) = x - 1/2, g^(2)_i = s_i x - 0.05 with s_i the sign of x_i, and 30 less in
// round 1; f_i = r_i x with r_i = +-1 turning round when |sum r| reaches sqrt(i). The sums of s
// stay within 0.05 i + 30, so every mean of g^(2) is negative on D: Xhat = [-1, 1/2], k_t = t, z =
// 0, eta < 0.05, Condition 2 holds. The play -sum r/(2 sqrt i) swings over
// [-1/2, 1/2] with mean modulus 1/4: sum g^(2)(x_i) is about 0.2 T, and sum h_i(x_i) about 0.
// (The play is deterministic, so the stream can be fixed in advance.)
//
// Claim 45: primal-dual with step 1/sqrt i on the same stream has a common
// Slater point, z = 0, and its soft violation and regret against X^min are
// O(sqrt T): in the soft sense Penalised FTRL loses problems that the literature solves.
func TestWorked24And45SoftViolation(t *testing.T) {
	const T = 20000
	losses, signs := playSoftGap(t, T)
	x, l1, l2, sum1, sum2, loss, slope := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range T {
		alpha := 1 / math.Sqrt(float64(i+1))
		b := -0.05
		if i == 0 {
			b = -30.05
		}
		loss += losses[i] * x
		slope += losses[i]
		sum1 += x - 0.5
		sum2 += signs[i]*x + b
		x = clip(x-alpha*(losses[i]+l1+l2*signs[i]), -1, 1)
		l1, l2 = max(0, l1+alpha*(x-0.5)), max(0, l2+alpha*(signs[i]*x+b))
	}
	regret := loss + 0.05*math.Abs(slope) // against X^min = [-0.05, 0.05]
	if sum1 > math.Sqrt(T) || sum2 > 10*math.Sqrt(T) || regret > 10*math.Sqrt(T) {
		t.Errorf("primal-dual: signed sums %v, %v, regret %v", sum1, sum2, regret)
	}
}

// Claim 25: Condition 2 on P_+ alone, P_- = {j: sum_i max(0, A_i^(j)(x)) = O(sqrt t)}.
//
// (a) x the play: D = [-1, 1], g = x, f = -x, gamma = 25 plays 0, so that j is in P_-, P_+ is
// empty, Xhat = D, and the regret against 1 is T. (b) every fixed x of D, the bound uniform: D the
// unit disc, u_i at the angle ln i, A_i(x) = <u_i, x> - (1 - i^{-1/3}), g_i = i A_i - (i-1) A_{i-1}
// 2-Lipschitz. A fixed x is within the cap of width i^{-1/6} for i^{5/6} rounds of each turn: sum_i
// h_i(x) = O(sqrt t). The losses with sum f = -t <u_t, x> keep x_{t+1} near u_t: V_t is about 1.5
// t^{2/3}. It holds if sum_i sup_D h_i^(j) = O(sqrt t), j in P_-; on a polytope the vertices
// suffice.
func TestWorked25Relaxation(t *testing.T) {
	x, regret := 0.0, 0.0
	for n := 1.0; n <= 1000; n++ {
		regret += 1 - x
		x = argminBySlope(-1, 1, func(x float64) float64 {
			s := 2*math.Sqrt(n)*x - n
			if x >= 0 {
				s += 25 * n
			}
			return s
		})
	}
	if regret < 999 || x > 1e-12 {
		t.Errorf("P_- from the play: regret %v", regret)
	}

	const T, gamma = 12000, 1
	var angle, depth [T + 1]float64
	for i := 1; i <= T; i++ {
		angle[i], depth[i] = math.Log(float64(i)), math.Pow(float64(i), -1.0/3)
	}
	for n := range 60 { // fixed points of the circle; h is largest on it
		sum, worst := 0.0, 0.0
		for i := 1; i <= T; i++ {
			sum += max(0, math.Cos(angle[i]-float64(n)*math.Pi/30)-1+depth[i])
			worst = max(worst, sum/math.Sqrt(float64(i)))
		}
		if worst > 4 {
			t.Errorf("sum h_i(x) = %v sqrt t", worst)
		}
	}
	for _, n := range []int{500, 1000, 2000, 4000, T - 1} {
		tangent := func(phi float64) (along, out float64) {
			out = 2*math.Sqrt(float64(n)) - float64(n)*math.Cos(phi-angle[n])
			along = float64(n) * math.Sin(phi-angle[n])
			for i := 1; i <= n; i++ {
				if c := math.Cos(phi - angle[i]); c > 1-depth[i] {
					out += gamma * c
					along -= gamma * math.Sin(phi-angle[i])
				}
			}
			return along, out
		}
		lo, hi := angle[n]-0.5, angle[n]+0.5
		for range 30 {
			mid := (lo + hi) / 2
			if along, _ := tangent(mid); along < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		if _, out := tangent(hi); out >= 0 {
			t.Fatalf("the play after %d rounds is inside the disc", n)
		}
		if h := math.Cos(hi-angle[n+1]) - 1 + depth[n+1]; h < 0.5*depth[n+1] {
			t.Errorf("h = %v after %d rounds, sup %v", h, n, depth[n+1])
		}
	}
}

// Claim 26: with h_i = sum_j hinge + delta_i, V = sum h_i(x_i) <= O(sqrt t) + sum delta_i(x).
//
// (a) delta = -hinge: D = [-1, 1], g = x, f = -x: h = 0 and x_t = 1 from t = 5 on, V = 0,
// whereas sum delta_i is -T at the play and at x = 1.
// (b) delta small: max(0, x - i^{-1/4}) = max(0, x) + delta_i, -i^{-1/4} <= delta_i <= 0: the play
// is that of claim 23, V = 0.252 T^{3/4} at gamma = 2 while sum delta_i <= 0.
// With |delta_i| = O(1/sqrt i) and gamma above its threshold it holds:
// x - i^{-1/2} gives V = ((1-1/gamma)^{-1/2} - 1) 2 sqrt(T) = 0.828 sqrt(T) at gamma = 2.
//
// Claim 32 is this case, b_i averaging to -i^{-1/2} and rising: the play exceeds 0 by 1.414
// i^{-1/2}. A falling average, A_i = x + i^{-1/2}, has Xhat = [-1, -1] and the median -1.414
// t^{-1/2}: V = 0 and the regret against 0 is 2.83 sqrt(T).
func TestWorked26And32Perturbation(t *testing.T) {
	x, hinge := 0.0, 0.0
	for n := 1.0; n <= 1000; n++ {
		hinge += max(0, x)
		x = argminBySlope(-1, 1, func(x float64) float64 { return 2*math.Sqrt(n)*x - n })
	}
	if hinge < 990 {
		t.Errorf("delta = -hinge: sum of -delta at the play %v", hinge)
	}
	short, sum := playDrift(1000, 2, 0.25)
	long, _ := playDrift(16000, 2, 0.25)
	if long < 6*short || sum < 0 {
		t.Errorf("V = %v, %v", short, long)
	}
	for _, T := range []int{1000, 16000} {
		if V, _ := playDrift(T, 2, 0.5); V > 0.9*math.Sqrt(float64(T)) {
			t.Errorf("1/sqrt i: V = %v after %d", V, T)
		}
		x, regret, V := 0.0, 0.0, 0.0
		for i := 1; i <= T; i++ {
			n := float64(i)
			regret -= x
			V += max(0, x+1/math.Sqrt(n))
			x = argminBySlope(-1, 1, func(x float64) float64 {
				s := 2*math.Sqrt(n)*x - n
				if x >= 0 {
					return s + 2*n
				}
				return s + 2*min(n, math.Floor(1/(x*x))) // kinks -i^{-1/2} <= x: i <= 1/x^2
			})
		}
		if regret > 3*math.Sqrt(float64(T)) || V > 5 {
			t.Errorf("falling average: regret %v, V %v after %d", regret, V, T)
		}
	}
}
