package claims

import (
	"fmt"

	"ocobench/convex"
)

var twoViolations = checks{
	"linear": func(l *Lab) (Finding, error) { return softLinear(l, "soft-gap:opening=2000,walls=2") },
	"perturbed": func(l *Lab) (Finding, error) {
		return softPerturbed(l, "fixed:dim=3,constraints=2", "perturbed:dim=3,constraints=2",
			"perturbed:dim=3,constraints=2,noise=drift",
			"perturbed:dim=3,constraints=2,noise=periodic", "perturbed:dim=3,kind=norm,noise=adversarial")
	},
}

func softLinear(l *Lab, problem string) (Finding, error) {
	const horizon = 20000
	var a penalties
	var game sums
	var at [2][2]float64 // soft and penalty, at a quarter and at the end
	outside := 0
	err := l.Play("penalised-ftrl:gamma=80", problem, 1, horizon, &a, &game,
		watch(func(t int, x []float64, r *convex.Round) {
			// The conditions: all averages of the first constraint are negative on D.
			for _, end := range []float64{-1, 1} {
				if a.Value(0, []float64{end}) >= 0 {
					outside++
				}
			}
			if t == horizon/4 || t == horizon {
				at[t/horizon] = [2]float64{game.soft, a.penalty}
			}
		}))
	if outside > 0 {
		return Finding{Outcome: Undecided, Text: fmt.Sprintf(
				`an average is not negative on $D$ in %d rounds, so that the hypothesis is not met`, outside)},
			err
	}
	return Finding{
		Outcome: refutesIf(softAlone(at)),
		Text: fmt.Sprintf(`where the sign of the constraint is that of $x_i$, the soft violation is %.4g at $t=%d$ and %.4g at $t=%d$, the penalty violation %.4g and %.4g`,
			at[0][0], horizon/4, at[1][0], horizon, at[0][1], at[1][1]),
		Values: []Value{{"soft-per-round", at[1][0] / horizon}, {"penalty", at[1][1]}},
	}, err
}

// softAlone reports whether the soft violation is positive and grows by more than 3 from a
// quarter of the rounds to the end, whereas the penalty violation stays below 1. at has both,
// at these two rounds.
func softAlone(at [2][2]float64) bool {
	return at[1][0] > 3*at[0][0] && at[0][0] > 0 && at[1][1] < 1
}

func softPerturbed(l *Lab, specs ...string) (Finding, error) {
	var worst Worst
	err := l.trials(10, specs, func(p *trial) error {
		var a penalties
		var game sums
		var drifts [2]float64
		return p.play("penalised-ftrl", 400, &a, &game, watch(func(t int, x []float64, r *convex.Round) {
			most := a.penalty
			origin := make([]float64, len(x))
			for j, g := range r.Constraints {
				drifts[j] += g.Value(origin) - a.Value(j, origin) // b_t less its average, at whatever point
				most += max(0, drifts[j])
			}
			worst.See((game.soft-float64(1e-9*float64(t)))/(1e-9+most), `$t=%d$ of %v`, t, p)
		}))
	})
	return worst.Finding(`with the bound $\sum_i h_i(x_i)+\sum_j \max(0,\sum_i b_i^{(j)}-\bar{b}_i^{(j)})$, the soft violation is`, 1e-9), err
}
