package claims

import (
	"errors"
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Claim 16: the penalty h_τ that is the hinge of the sum to τ less the hinge of the sum to τ−1 is
// τL_g-Lipschitz, not uniformly so, which prevents FTRL from achieving regret O(√t).
//
//   - quotients: the constant τL_g is reached on one stream, and exceeded on none.
//   - shrinking: if the claim is meant for every stream, one with regret O(√t) refutes it.
//   - alternating, swing: if it is meant for some streams, linear regret on these two confirms it.
var differencePenalty = checks{
	"quotients": differenceQuotients,
	"alternating": func(l *Lab) (Finding, error) {
		return differenceRegret(l, "perturbed:dim=1,noise=periodic,period=2,loss-noise=0", linearRate)
	},
	"swing":     differenceSwing,
	"shrinking": func(l *Lab) (Finding, error) { return differenceRegret(l, "shrinking", rootRate) },
}

// differenceQuotients measures difference quotients of h_τ over τL_g: between random points on
// streams of six classes, and on shrinking between the zeros of the last two sums, where the
// largest is found.
func differenceQuotients(l *Lab) (Finding, error) {
	const horizon = 1000
	var leastShrinking, largest float64 = math.Inf(1), 0
	largestAt := ""
	for _, problem := range []string{"shrinking", "perturbed:dim=3", "family:dim=3", "iid:dim=3",
		"decaying-frequency", "soft-gap"} {
		s, err := l.Stream(problem, 1)
		if err != nil {
			return Finding{}, err
		}
		n, lipschitz := s.Set().Dim(), s.Facts().ConstraintLipschitz
		rng := l.Rand("difference-penalty " + problem)
		draw := func() []float64 { return drawPoint(rng, s.Set()) }
		sum, before := convex.NewForm(n), convex.NewForm(n) // of the constraints to τ and to τ−1
		h := func(x []float64) float64 { return max(0, sum.Value(x)) - max(0, before.Value(x)) }
		quotient := func(t int, x, y []float64) float64 {
			return math.Abs(h(x)-h(y)) / (float64(t) * lipschitz * vec.Dist(x, y))
		}
		for t := 1; t <= horizon; t++ {
			before.Reset()
			sum.AddTo(before, 1)
			s.Reveal(t, make([]float64, n)).Constraints[0].AddTo(sum, 1)
			if q := quotient(t, draw(), draw()); q > largest {
				largest, largestAt = q, fmt.Sprintf(`\texttt{%s}, $\tau=%d$`, problem, t)
			}
			if problem == "shrinking" && t > 1 {
				q := quotient(t, []float64{-sum.Const / sum.Lin[0]}, []float64{-before.Const / before.Lin[0]})
				leastShrinking = min(leastShrinking, q)
				if q > largest {
					largest, largestAt = q, fmt.Sprintf(`\texttt{%s}, $\tau=%d$`, problem, t)
				}
			}
		}
	}
	f := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`on \texttt{shrinking} the difference quotient of $h_\tau$ is at least %.4f times $\tau L_g$ in every round from 2 to %d, and on six classes at most %.4f times that`, leastShrinking, horizon, largest),
		Values:  []Value{{"ratio", largest}, {"least-quotient", leastShrinking}},
	}
	const rounding = 1e-6
	if !(leastShrinking > 1-rounding) || !(largest < 1+rounding) {
		f.Outcome, f.Text = Refutes, fmt.Sprintf(
			`the quotient is between %.4g and %.4g times $\tau L_g$, the latter at %s`, leastShrinking, largest, largestAt)
	}
	return f, nil
}

// While t grows by 16, the regret per round falls to less than linearRate of what it was if the
// regret is not linear, and to less than rootRate if it grows about like √t: √t grows by 4, so that
// √t/t falls to 0.25; 0.4 is a growth by 6.4.
const linearRate, rootRate = 0.9, 0.4

// differenceRegret measures the regret of FTRL on f_i + γh_i over D. It refutes if the regret per
// round falls to less than leastRate of what it was while t grows by 16.
func differenceRegret(l *Lab, problem string, leastRate float64) (Finding, error) {
	const gamma, horizon = 25, 4000
	s, err := l.Stream(problem, 1)
	if err != nil {
		return Finding{}, err
	}
	n := s.Set().Dim()
	loss, sum := convex.NewForm(n), convex.NewForm(n)
	played := 0. // Σ F_i(x_i)
	var regrets []float64
	var failed error
	observe := roundObserver(func(t int, x []float64, r *convex.Round) {
		r.Loss.AddTo(loss, 1)
		played += r.Loss.Value(x)
		before := max(0, sum.Value(x))
		r.Constraints[0].AddTo(sum, 1)
		played += float64(gamma * (max(0, sum.Value(x)) - before))
		if t == horizon/16 || t == horizon {
			total := convex.NewSum(s.Set())
			total.Add(1, loss)
			total.SetGamma(gamma)
			total.AddHinge(1, sum)
			cert, err := total.Minimize(make([]float64, n), convex.Prox{})
			regrets, failed = append(regrets, played-cert.Value), errors.Join(failed, err)
		}
	})
	err = l.Play(fmt.Sprintf("penalised-ftrl:penalty=difference,gamma=%d", gamma), problem, 1, horizon,
		observe)
	if err = errors.Join(err, failed); err != nil {
		return Finding{}, err
	}
	rate := (regrets[1] / horizon) / (regrets[0] / (horizon / 16))
	return Finding{
		Outcome: refutesIf(rate < leastRate),
		Text:    fmt.Sprintf(`on \texttt{%s} the regret on $F_i$ is %.4g at $t=%d$ and %.4g at $t=%d$, %.3g times as much per round`, problem, regrets[0], horizon/16, regrets[1], horizon, rate),
		Values:  []Value{{"regret", regrets[1]}, {"regret-per-round", regrets[1] / horizon}},
	}, nil
}

// newSwing returns a stream that reveals x − b_t on [−1, 1], where the average of b_1, …, b_t is
// a_t = ¼ − ¼cos(2π log_4 t), and losses ±x that push outward while a_t is small, and inward while
// it is large and the losses so far still push outward.
func newSwing() *scripted {
	sumBefore, slopes := 0., 0. // of b_1, …, b_{t−1}, and of the slopes of the losses
	return newScripted(convex.Cube(1, -1, 1), 1, func(t int, _ []float64) *convex.Round {
		n := float64(t)
		// Ln2·2 is log 4
		a := 0.25 - float64(0.25*vec.Cos(float64(2*math.Pi/math.Ln2/2*vec.Log(n))))
		slope := -1.
		if a >= 0.25 && slopes < -3*sqrt(t) {
			slope = 1
		}
		slopes += slope
		sum := float64(n * a)
		b := sum - sumBefore
		sumBefore = sum
		return &convex.Round{Loss: affine(0, slope), Constraints: []convex.Func{affine(-b, 1)}}
	})
}

// differenceSwing plays on [newSwing] and measures the regret of the losses alone against y = 0, a
// point of X̂^max_t. Over the last period t grows by 4, √t by 2; a regret that grows by 3.5 is
// linear, as the claim says, and less refutes it.
func differenceSwing(l *Lab) (Finding, error) {
	const horizon = 16384
	regret := 0.
	var regrets [2]float64
	err := l.PlayOn("penalised-ftrl:penalty=difference", newSwing(), 1, horizon,
		roundObserver(func(_ int, x []float64, r *convex.Round) {
			regret += r.Loss.Value(x)
		}),
		atTwoRounds(horizon/4, horizon, func(k int) { regrets[k] = regret })) // a period apart
	f := excessFinding(`where the average threshold swings, the regret of the losses alone against $0\in \hat{X}^{\max}_t$`, regrets, horizon, 3.5)
	f.Outcome = refutesIf(f.Outcome != Refutes) // linear growth is what the claim says
	return f, err
}
