package claims

import (
	"fmt"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Claim 23 (Theorem 2): with γ large the penalty violation V_t is O(√t).
//
//   - pinned: a violation that is linear refutes it. The first round leaves X̂^max one point.
//   - amended: the claim as amended, on streams that meet Condition 2, the Penalty Growth
//     Condition, from round 1 on with the rate β ([growingStream]). With m constraints, |g| ≤ B
//     and the margin η of the Slater point, V_t must be at most
//     Σ_{i≤t} (1/i)·Σ_j max(0, g_i^{(j)}(x_i)) ≤ mB(1 + log t), and no round after mη/β may add
//     to it.
var penaltyViolationRate = checks{
	"pinned":  func(l *Lab) (Finding, error) { return linearPenalty(l, "pinned", 13, 25) },
	"amended": func(l *Lab) (Finding, error) { return amendedPenalty(l, 1.001) },
}

// amendedPenalty compares V_t with both bounds of the amended claim, with γ = scale times the
// amended threshold.
func amendedPenalty(l *Lab, scale float64) (Finding, error) {
	var worst Worst
	overLogBound := 0. // max V_t/(mB(1 + log t))
	lateRise := 0.     // the largest V_t − V_{t−1} after round mη/β
	previous := 0.     // V_{t−1}
	err := l.playGrowing(scale, func(g growingStream, t int, _ float64, a *penaltyObserver) {
		if float64(t) > g.lastRise {
			lateRise = max(lateRise, a.penalty-previous)
		}
		previous = a.penalty
		worst.Add(a.penalty/(1e-9+a.weighted), `$t=%d$ of %s`, t, g.name)
		logBound := float64(float64(len(a.Sums)) * g.bound * (1 + vec.Log(float64(t))))
		overLogBound = max(overLogBound, a.penalty/logBound)
	})
	f := worst.Finding("", 1e-6) // actions are feasible up to certified gaps, which add up
	f.Text = fmt.Sprintf(`under the condition $V_t$ is at most %.4g times $\sum_{i\le t}\frac{1}{i}\sum_j \max(0,g_i^{(j)}(x_i))$ in every round, and at most %.4g times $mB(1+\log t)$`, worst.Ratio, overLogBound)
	if lateRise > 1e-9 {
		f.Outcome = Refutes
		f.Text += fmt.Sprintf(`; a round after $m\eta/\beta$ adds %.4g`, lateRise)
	} else {
		f.Text += `; no round after $m\eta/\beta$ adds to it`
	}
	return f, err
}

// linearPenalty plays Penalised FTRL on a problem, once with each γ, and refutes the claim if V_t
// is linear with every γ: V_t/t falls by less than a quarter from a tenth of the horizon to the
// horizon, where √t/t falls by two thirds. The rounds of pinned swing in log t with the period
// log 10, so that V_t/t is compared over a whole period.
func linearPenalty(l *Lab, problem string, gammas ...int) (Finding, error) {
	const horizon = 16000
	f := Finding{Outcome: Refutes}
	for _, gamma := range gammas {
		var a penaltyObserver
		var rates []float64
		err := l.Play(fmt.Sprintf("penalised-ftrl:gamma=%d", gamma), problem, 1, horizon, &a,
			roundObserver(func(t int, _ []float64, _ *convex.Round) {
				if t == horizon/100 || t == horizon/10 || t == horizon {
					rates = append(rates, a.penalty/float64(t))
				}
			}))
		if err != nil {
			return Finding{}, err
		}
		if !(rates[2] > 0.75*rates[1] && rates[1] > 0) {
			f.Outcome = Survives
		}
		f.addSentence("; ", `with $\gamma=%d$, $V_t/t$ is %.4g, %.4g and %.4g at $t=%d$, %d and %d`, gamma,
			rates[0], rates[1], rates[2], horizon/100, horizon/10, horizon)
		f.Values = append(f.Values, Value{fmt.Sprintf("violation-per-round-gamma-%d", gamma), rates[2]})
	}
	f.Text = fmt.Sprintf(`on \texttt{%s}, `, problem) + f.Text
	return f, nil
}
