package algorithms_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/algorithms"
)

// twinYuNeely plays the update of Algorithm 1.
func twinYuNeely(gamma, alpha float64) func(script) path {
	return func(s script) path {
		p := startPath(s, nil)
		for t, r := range s.rounds {
			queue, coef := make([]float64, s.m), make([]float64, s.m)
			for k, g := range r.constraints {
				v := gamma * g.value(p.xs[t])
				queue[k] = math.Max(-v, p.duals[t][k]+v)
				coef[k] = gamma * (queue[k] + v)
			}
			next := proximalStep(s, r, p.xs[t], coef, alpha)
			if next == nil {
				return path{}
			}
			p.xs, p.duals = append(p.xs, next), append(p.duals, queue)
		}
		return p
	}
}

func TestYuNeelyTwin(t *testing.T) {
	t.Parallel()
	queueGames(100, func(where string, s script) {
		for _, s := range []script{s, s.fixedConstraints()} {
			T := float64(len(s.rounds))
			gamma, alpha := math.Pow(T, 0.25), (9+1)*math.Sqrt(T)/2
			p := twinYuNeely(gamma, alpha)(s)
			agree(t, where, newLearner(t, "yu-neely", algorithms.YuNeelyParams{Beta: 3}, s.horizon()), s,
				p.xs, proximalTolerance(where))
			p = twinYuNeely(0.5, 2)(s)
			agree(t, where, newLearner(t, "yu-neely", algorithms.YuNeelyParams{Gamma: 0.5, Alpha: 2},
				s.horizon()), s, p.xs, proximalTolerance(where))
		}
	})
}

// The lemmas of the analysis on fixed affine constraints, round by round:
// Q_t ≥ 0, Q_t + g̃(x_t) ≥ 0, ‖Q_t‖ ≥ ‖g̃(x_t)‖, and for every z of the domain,
// with c = Q_t + g̃(x_t) and β the norm of the matrix of the constraints,
//
//	f_t(x_t) − f_t(z) + ½‖Q_{t+1}‖² − ½‖Q_t‖²
//	    ≤ c·g̃(z) + α(‖z−x_t‖² − ‖z−x_{t+1}‖²) + ½‖g̃(x_{t+1})‖² − ½‖g̃(x_t)‖² + ‖∂f_t(x_t)‖²/(4α − 2γ²β²).
func TestYuNeelyDriftInequality(t *testing.T) {
	t.Parallel()
	queueGames(60, func(where string, s script) {
		s = s.fixedConstraints()
		const gamma, alpha = 0.7, 20
		p := twinYuNeely(gamma, alpha)(s)
		if p.xs == nil || s.m > 0 && s.rounds[0].constraints[0].w != 0 {
			return
		}
		beta2 := 0.0 // the Frobenius norm, squared
		for _, g := range s.rounds[0].constraints {
			beta2 += inner(g.a, g.a) + g.u*g.u
		}
		slope := 4*alpha - 2*gamma*gamma*beta2
		if slope <= 0 {
			t.Fatalf("%s: α is too small for β² = %v", where, beta2)
		}
		rng := rand.New(rand.NewPCG(uint64(s.n), 22))
		for i := range len(s.rounds) - 1 {
			r, x, next := s.rounds[i], p.xs[i], p.xs[i+1]
			queue, after := p.duals[i+1], p.duals[i+2]
			z := randomPoint(s.set, rng, s.n)
			var now, then, weight, product float64
			for k, g := range r.constraints {
				v, w := gamma*g.value(x), gamma*g.value(next)
				now += v * v
				then += w * w
				weight += queue[k] * queue[k]
				product += (queue[k] + v) * gamma * g.value(z)
				if queue[k] < 0 || queue[k]+v < -1e-12 {
					t.Fatalf("%s: round %d: Q=%v, g̃=%v", where, i+1, queue[k], v)
				}
			}
			if weight < now-1e-12 {
				t.Fatalf("%s: round %d: ‖Q‖² = %v is less than ‖g̃‖² = %v", where, i+1, weight, now)
			}
			left := r.loss.value(x) - r.loss.value(z) + (square(after)-square(queue))/2
			right := product + alpha*(distance(z, x)*distance(z, x)-distance(z, next)*distance(z, next)) +
				(then-now)/2 + square(r.loss.gradient(x))/slope
			if left > right+1e-9*(1+math.Abs(right)) {
				t.Fatalf("%s: round %d: %v > %v", where, i+1, left, right)
			}
		}
	})
}

// With doubling, epochs of 1, 2, 4, … rounds are games of the twin with γ and
// α of their lengths.
func TestYuNeelyDoubling(t *testing.T) {
	t.Parallel()
	queueGames(63, func(where string, s script) {
		var want [][]float64
		for length, from := 1, 0; from < len(s.rounds); from, length = from+length, 2*length {
			epoch := s
			epoch.rounds = s.rounds[from : from+length]
			T := float64(length)
			p := twinYuNeely(math.Pow(T, 0.25), 5*math.Sqrt(T))(epoch)
			if p.xs == nil {
				return
			}
			want = append(want, p.xs[:length]...)
		}
		setup := s.setup()
		agree(t, where, newLearner(t, "yu-neely",
			algorithms.YuNeelyParams{Beta: 3, Epochs: algorithms.Epochs{Doubling: true}}, setup), s, want,
			proximalTolerance(where))
	})
}
