package claims

import (
	"errors"
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/harness/game"
)

// Claim 15: the per-round hinge corresponds to the penalty of the primal-dual literature, so that
// it is no wonder that those results are confined to X^min.
//
//   - windows, conflicting: a bound O(√T) that a primal-dual algorithm keeps against points
//     outside of X^min_T refutes that its results are confined to X^min.
//   - means: a primal-dual update whose mean action differs from that with per-round hinges
//     refutes that the two penalties correspond.
var perRoundHinge = checks{
	"windows":     windowsOfTwo,
	"conflicting": func(l *Lab) (Finding, error) { return conflictingMeans(l, "yu-neely-wei") },
	"means":       meanActions,
}

// windowsOfTwo plays liakopoulos with windows of two rounds on alternating, where X^min_T = {0}.
// Its regret is against X_2, the actions that satisfy every two rounds in a row, 1/2 among them.
// It must keep both bounds, and its loss must be below that of 0 by more than 0.1 a round.
func windowsOfTwo(l *Lab) (Finding, error) {
	var worst Worst
	var ahead, soft, loss float64 // at the last T; loss is that of the best action of X_2 a round
	for _, T := range []int{64, 256, 1024, 4096, 16384} {
		s, err := l.Stream("alternating", 1)
		if err != nil {
			return Finding{}, err
		}
		h, played := game.NewHindsight(s), &sums{}
		h.Window = 2
		if err := l.Play("liakopoulos:window=2", "alternating", 1, T, h, played); err != nil {
			return Finding{}, err
		}
		best, err := h.Solve()
		if err != nil {
			return Finding{}, err
		}
		regret, violation := windowBounds(s, 2, T)
		windows := best[len(best)-1] // X_K
		worst.Add((played.loss-windows.Value)/regret, "$T=%d$, regret", T)
		worst.Add(played.soft/violation, "$T=%d$, violation", T)
		ahead, soft = (best[overXMin].Value-played.loss)/float64(T), played.soft
		loss = windows.Value / float64(T)
	}
	return Finding{
		Outcome: refutesIf(worst.Ratio <= 1 && ahead > 0.1),
		Text:    fmt.Sprintf(`on \texttt{alternating}, where $X^{\min}_T=\{0\}$, \texttt{liakopoulos} has regret against $X_2$ and soft violation of at most %.4g times the bounds $O(\sqrt{T})$ and $O(T^{3/4})$, at %s; at $T=16384$ its loss is %.4g a round below that of $0$, with a soft violation of %.4g`, worst.Ratio, worst.At, ahead, soft),
		Values:  []Value{{"ahead-of-xmin", ahead}, {"soft", soft}, {"loss-of-windows", loss}},
	}.withWorst(&worst), nil
}

// conflictingMeans compares mean regret and violation of the algorithm played with the bounds of
// yu-neely-wei on i.i.d. rounds, of which X^min_T is empty. The comparator z is the best point of
// X^E, on which the mean constraint holds. A test passes another algorithm.
func conflictingMeans(l *Lab, algorithm string) (Finding, error) {
	const T = 1 << 17
	n, empty := l.Repeat(10), 0
	regrets, soft, bound, allowed := 0.0, 0.0, 0.0, 0.0
	err := l.eachTrial(10, []string{"conflicting"}, func(p *trial) error {
		// The mean loss is −(x_1+x_2)/√2 and X^E is 0.35(x_1+x_2) ≤ 0.275.
		z := []float64{0.275 / 0.7, 0.275 / 0.7}
		set, played, fixed := convex.NewProgram(p.Set()), &sums{}, 0.0
		err := p.play(algorithm, T, played, roundObserver(func(t int, _ []float64, r *convex.Round) {
			fixed += r.Loss.Value(z)
			if t <= 100 { // enough rounds to empty X^min
				set.Constrain(convex.Lower(r.Constraints[0], 2))
			}
		}))
		if _, err := set.Minimize(make([]float64, 2), convex.NewForm(2)); errors.Is(err,
			convex.ErrEmpty) {
			empty++
		}
		bound, allowed = windowBounds(p, 1, T) // with V = √T and α = T, as here
		regrets += (played.loss - fixed) / float64(n)
		soft += played.soft / float64(n)
		return err
	})
	ratio := max(regrets/bound, soft/allowed)
	return Finding{
		Outcome: refutesIf(ratio <= 1 && empty == n), Values: []Value{{"ratio", ratio}},
		Text: fmt.Sprintf(`on \texttt{conflicting}, where $X^{\min}$ is empty in %d of %d streams, \texttt{%s} has after %d rounds the mean regret $%.4g$ against $X^E$, with a bound of %.4g that is $O(\sqrt{T})$, and the mean soft violation %.4g, %.3g a round`,
			empty, n, algorithm, T, regrets, bound, soft, soft/T),
	}, err
}

// meanActions compares the mean actions of primal-dual and of Penalised FTRL with per-round hinges.
func meanActions(l *Lab) (Finding, error) {
	const T = 4096
	var mean [2]float64
	for k, algorithm := range []string{"primal-dual:step=1", "penalised-ftrl:penalty=per-round"} {
		played := &sums{}
		if err := l.Play(algorithm, "alternating:swing=0", 1, T, played); err != nil {
			return Finding{}, err
		}
		mean[k] = played.action[0] / T
	}
	return Finding{
		Outcome: refutesIf(math.Abs(mean[0]-mean[1]) > 0.25),
		Text:    fmt.Sprintf(`on \texttt{alternating:swing=0}, \texttt{primal-dual:step=1} has the mean action %.3f, near the end of $X^{\max}_T$, and Penalised FTRL with the per-round hinge %.3f, the end of $X^{\min}_T$`, mean[0], mean[1]),
	}, nil
}
