package claims_test

// The Introduction, Lemmas 1 to 4 and fixed constraints: claims 1 to 13.

import (
	"math"
	"slices"
	"testing"
)

// Claim 1: the action set must be fixed, which is intrinsic to the proof.
//
// The induction of Be-the-leader needs only w_{t+1} in X_t and X_t in X_{t-1}:
// FTRL over sets that shrink, as Xhat^max_t does, has against every y of X_T
//
//	R_T <= sqrt(T) y^2 + 2L + sum_{t=2}^T L^2/(4 sqrt(t-1)) <= 1.5 sqrt(T) + 2
//
// at L = 1 on [-1, 1]. Sets that do not nest do break it: X_t = [0, 1] and
// [-1, 0] in turn share y = 0; a sum of slopes held near -sqrt(t) makes the
// learner play 1/2 at the odd rounds, and losses x there and -x at the even
// ones, where it plays 0, cost T/4.
func TestWorked01FixedSet(t *testing.T) {
	const T = 4000
	r := seeded(1)
	for range 20 {
		lo, hi, sum, loss, x := -1.0, 1.0, 0.0, 0.0, 0.0
		for i := 1; i <= T; i++ {
			c := 1.0
			if x < 0 || x == 0 && r.IntN(2) == 0 {
				c = -1
			}
			if r.IntN(4) == 0 {
				c = -c
			}
			loss += c * x
			sum += c
			if r.IntN(T/10) == 0 { // the set shrinks by a jump
				lo, hi = lo+(hi-lo)*r.Float64()/3, hi-(hi-lo)*r.Float64()/3
			}
			x = clip(-sum/(2*math.Sqrt(float64(i))), lo, hi)
		}
		if regret := loss - min(sum*lo, sum*hi); regret > 1.5*math.Sqrt(T)+2 {
			t.Errorf("nested sets: regret %.1f", regret)
		}
	}
	sum, loss := 0.0, 0.0
	for i := 1; i <= T; i++ {
		root := math.Sqrt(float64(max(1, i-1)))
		if i%2 == 1 {
			if x := clip(-sum/(2*root), 0, 1); sum+1 <= -root {
				loss += x
				sum++
			}
		} else {
			x := clip(-sum/(2*root), -1, 0)
			loss -= x
			sum--
		}
	}
	if loss < 0.2*T {
		t.Errorf("sets in turn: regret %.1f against 0, want about T/4", loss)
	}
}

// Claim 5: X^max_t = Xhat^max_t = [0, 1] for x <= 1/sqrt(t) on [0, 1].
//
// At t = 2 the sum at x = 1 is 2 - 1 - 1/sqrt(2) = 0.2929 > 0. Both sets are
// [0, a_t], a_t = (1/t) sum_{k<=t} k^{-1/2}: a_2 = 0.85355, a_100 = 0.18590.
func TestWorked05Shrinking(t *testing.T) {
	sum, least := 0.0, 1.0
	for k := 1; k <= 100; k++ {
		sum += 1 / math.Sqrt(float64(k))
		a := sum / float64(k)
		if a > least {
			t.Errorf("a_%d = %v exceeds an earlier prefix: the two sets differ", k, a)
		}
		least = a
		if k == 2 && math.Abs(a-0.85355) > 1e-5 || k == 100 && math.Abs(a-0.18590) > 1e-5 {
			t.Errorf("a_%d = %v", k, a)
		}
	}
}

// Claim 8: a Slater point gives a finite threshold (D any subset of R^n).
//
// D = {(-1, 0)} and the curve (u, sqrt u), 0 <= u <= 1, is compact; f = -v,
// g = u, z = (-1, 0), f* = 0 at (0, 0). At u = 1/(4 gamma^2)
// F = -1/(2 gamma) + 1/(4 gamma) < 0 for every gamma.
// Claim 9, the same at the explicit gamma_0: D = {0, 2}, g = x-1, f = -10x,
// z = 0: gamma_0 = (0-0-1)/(-1) = 1, F(2) = -20 + 1 < 0 = f*.
// With D = [-1, 1], two constraints and gamma = gamma_0 both hold.
func TestWorked08And09ExactPenalty(t *testing.T) {
	for _, gamma := range []float64{1, 10, 1e3, 1e6} {
		u := 1 / (4 * gamma * gamma)
		if F := -math.Sqrt(u) + gamma*u; F >= 0 {
			t.Errorf("gamma %v: F = %v", gamma, F)
		}
	}
	if gamma0 := (0.0 - 0 - 1) / -1.0; -10*2+gamma0*(2-1) >= 0 {
		t.Error("D of two points: the penalty is exact")
	}
	r := seeded(8)
	const N = 400
	for range 300 {
		var f, p [N + 1]float64 // loss and penalty on the grid -1+2n/N
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.Float64()
		a1, b1, a2, b2 := r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		best, depth, fz := math.Inf(1), 0.0, 0.0
		for n := range f {
			x := -1 + 2*float64(n)/N
			f[n] = 3*a*x + 2*math.Abs(x-b) + c*x*x
			g1, g2 := a1*x+b1, a2*x+b2
			p[n] = max(0, g1) + max(0, g2)
			if p[n] == 0 {
				best = min(best, f[n])
			}
			if d := -max(g1, g2); d > depth && r.IntN(3) == 0 {
				depth, fz = d, f[n]
			}
		}
		if depth == 0 {
			continue
		}
		// f* of the grid exceeds f* of the interval by its slope times a cell at most.
		slack := (3*math.Abs(a) + 2 + 2) * 2 / N
		gamma := (fz - best + 1) / depth
		for n := range f {
			if f[n]+gamma*p[n] < best-slack {
				t.Errorf("F = %v < f* = %v at gamma_0 = %v", f[n]+gamma*p[n], best, gamma)
			}
		}
	}
}

// Claim 11: Condition 1 gives regret O(sqrt t), as it is written.
//
// (a) R_t = sqrt(t) x^2 + t x has increments 2-Lipschitz on [-1, 1]; F = -x/2:
// x_{t+1} = -min(1, sqrt(t)/4), which is -1 from t = 16 on; regret against 1 is 1 a round.
// (b) R_t = t x^2 is sqrt(t)-strongly convex with Lipschitz increments; F = -x: x = 1/2.
// (c) D = {-1, 1} is bounded; slopes 1/2, -1, 1, -1, ... : R_t is constant on D,
// the leader is always wrong and the better point has loss O(1).
// With D convex and increments O(1/sqrt i)-Lipschitz (R = sqrt(t) x^2) it holds.
func TestWorked11ConditionOne(t *testing.T) {
	const T = 2000
	var a, b, c, sum float64
	x, y, w := 0.0, 0.0, 1.0
	for i := 1; i <= T; i++ {
		n := float64(i)
		a += -x/2 + 0.5
		x = argminBySlope(-1, 1, func(x float64) float64 { return 2*math.Sqrt(n)*x + n - n/2 })
		b += -y + 1
		y = argminBySlope(-1, 1, func(y float64) float64 { return 2*n*y - n })
		slope := 1.0
		if i == 1 {
			slope = 0.5
		} else if i%2 == 0 {
			slope = -1
		}
		c += slope * w
		sum += slope
		w = 1
		if sum > 0 {
			w = -1
		}
	}
	if a < T-20 || b < T/2-1 || c < T-2 || math.Abs(sum) > 1 {
		t.Errorf("regrets %v %v %v, want about T, T/2, T", a, b, c)
	}
	r := seeded(11)
	for range 20 {
		sum, loss, x := 0.0, 0.0, 0.0
		for i := 1; i <= T; i++ {
			s := math.Copysign(1, x)
			if r.IntN(3) == 0 {
				s = -s
			}
			loss, sum = loss+s*x, sum+s
			x = clip(-sum/(2*math.Sqrt(float64(i))), -1, 1)
		}
		if regret := loss + math.Abs(sum); regret > 1.5*math.Sqrt(T)+2 {
			t.Errorf("convex D: regret %v", regret)
		}
	}
}

// Claim 12: |w_{t+1} - w_t| <= 2L/(sigma_t + sigma_{t-1}), D any set.
//
// D = {-1, 1}, F_1 = 5x^2 + x/10, F_2 = -x/5: L = 1/5 on D, both sums
// 10-strongly convex, the bound 0.02; w_2 = -1, w_3 = 1: the step is 2.
// On a convex D it holds and is attained: F_1 = 5x^2, F_2 = -x/5 step 0.02.
func TestWorked12StepOfTheLeader(t *testing.T) {
	at := func(a, b, x float64) float64 { return a/2*x*x + b*x }
	w2, w3 := 1.0, 1.0
	if at(10, 0.1, -1) < at(10, 0.1, 1) {
		w2 = -1
	}
	if at(10, -0.1, -1) < at(10, -0.1, 1) {
		w3 = -1
	}
	if bound := 2 * 0.2 / 20; math.Abs(w3-w2) < 50*bound {
		t.Errorf("two points: step %v, bound %v", w3-w2, bound)
	}
	r := seeded(12)
	for range 2000 {
		var s, b, L, before, w float64
		for i := range 8 {
			si, bi := r.Float64()-0.3*float64(min(i, 1)), 2*r.NormFloat64()
			if s+si < 0.05 {
				si = 0.05
			}
			L = max(L, math.Abs(si)+math.Abs(bi))
			s, b = s+si, b+bi
			next := clip(-b/s, -1, 1)
			if i > 0 && math.Abs(next-w) > 2*L/(s+before)+1e-12 {
				t.Errorf("step %v, bound %v", math.Abs(next-w), 2*L/(s+before))
			}
			w, before = next, s
		}
	}
}

// Claim 13: with fixed constraints and gamma large every x_t lies in X.
//
// D = [0, 1], g = 1/2 - x, f = x: x_1 = argmin R_0 = 0 violates by 1/2, so
// F_1(x_1) = f_1(x_1) + gamma/2. From round 2 on the slope below 1/2 is
// t + 2 sqrt(t) x - gamma t < 0 at gamma = 3, and x = 1/2.
func TestWorked13FixedConstraint(t *testing.T) {
	if x1 := argminBySlope(0, 1, func(float64) float64 { return 0 }); 0.5-x1 <= 0 {
		t.Error("the first play is feasible")
	}
	for n := 1.0; n <= 1000; n++ {
		x := argminBySlope(0, 1, func(x float64) float64 {
			s := n + 2*math.Sqrt(n)*x
			if x < 0.5 {
				s -= 3 * n
			}
			return s
		})
		if math.Abs(x-0.5) > 1e-12 {
			t.Fatalf("x = %v after %v rounds", x, n)
		}
	}
}

// Claim 3: sqrt(t) regret and violation against X^max is not achievable for all sequences.
//
// D = [0, 1]. A stage plays f = 1-2x, g = 2x-1 until the mean of x in it is at most
// 3/4, n rounds; then f = -x, g = -1 for n rounds. After each stage x = 1 is in
// X^max with mean loss -1, the learner's is at least (-n/2 - n)/2n = -3/4: regret
// t/4. A stage that does not end has signed sum at least n/2. It holds.
//
// Claim 10: Be-the-leader for arbitrary functions on arbitrary sets holds, by induction.
func TestWorked03And10(t *testing.T) {
	for which := range 4 {
		x, r, worst := 1.0, seeded(3), 0.0
		var loss, best, sum, sumF, sumG float64
		for i, n, left, total := 0, 0, 0, 0.0; i < 20000; i++ {
			if i > 0 {
				root := math.Sqrt(float64(i))
				switch which {
				case 0:
					x = 0.5
				case 1:
					x = r.Float64()
				case 2: // no constraint
					x = clip(-sumF/(2*root), 0, 1)
				case 3: // the hinge of the sum
					x = argminBySlope(0, 1, func(x float64) float64 {
						s := 2*root*x + sumF
						if sumG*x >= sum {
							s += 5 * sumG
						}
						return s
					})
				}
			}
			if left == 0 { // the first kind of round
				loss, best, n, total = loss+1-2*x, best-1, n+1, total+x
				sumF, sumG, sum = sumF-2, sumG+2, sum+1
				if total <= 0.75*float64(n) {
					left, n, total = n, 0, 0
				} else if n > 5000 {
					worst = max(worst, (2*total-float64(n))/float64(i+1))
				}
				continue
			}
			loss, best, left = loss-x, best-1, left-1
			sumF, sum = sumF-1, sum+1
			if left == 0 && i > 1000 {
				worst = max(worst, (loss-best)/float64(i+1))
			}
		}
		if worst < 0.2 {
			t.Errorf("learner %d: neither regret nor violation is linear: %v", which, worst)
		}
	}
	r := seeded(10)
	for range 500 {
		var sum [6]float64
		lead := 0.0
		for range 8 {
			var f [6]float64
			for k := range f {
				f[k] = r.NormFloat64()
				sum[k] += f[k]
			}
			w := 0
			for k := range sum {
				if sum[k] < sum[w] {
					w = k
				}
			}
			lead += f[w]
		}
		if lead > slices.Min(sum[:])+1e-12 {
			t.Errorf("the leader pays %v > %v", lead, slices.Min(sum[:]))
		}
	}
}
