package claims

import (
	"fmt"

	"ocobench/convex"
)

var twoViolations = checks{
	"linear": softLinear,
	"perturbed": func(l *Lab) (Finding, error) {
		return softPerturbed(l, "fixed:dim=3,constraints=2", "perturbed:dim=3,constraints=2", "perturbed:dim=3,constraints=2,noise=drift",
			"perturbed:dim=3,constraints=2,noise=periodic", "perturbed:dim=3,kind=norm,noise=adversarial")
	},
}

func softLinear(l *Lab) (Finding, error) {
	const horizon = 20000
	var a averages
	var sums [3]float64
	var at [2][2]float64 // soft and penalty, at a quarter and at the end
	outside := 0
	err := l.Play("penalised-ftrl:gamma=80", "soft-gap:opening=2000,walls=2", 1, horizon, &a, Observe(func(t int, x []float64, r *convex.Round) error {
		soft := 0.
		for j, g := range r.Constraints {
			sums[j] += g.Value(x)
			soft += max(0, sums[j])
		}
		// The conditions: all averages of the first constraint are negative on D.
		for _, end := range []float64{-1, 1} {
			if a.value(0, []float64{end}) >= 0 {
				outside++
			}
		}
		if t == horizon/4 || t == horizon {
			at[t/horizon] = [2]float64{soft, a.penalty}
		}
		return nil
	}))
	f := Finding{
		Outcome: Survives,
		Text: fmt.Sprintf(`where the sign of the constraint is that of $x_i$, the soft violation is %.4g at $t=%d$ and %.4g at $t=%d$, the penalty violation %.4g and %.4g`,
			at[0][0], horizon/4, at[1][0], horizon, at[0][1], at[1][1]),
		Values: []Value{{"soft-per-round", at[1][0] / horizon}, {"penalty", at[1][1]}},
	}
	switch {
	case outside > 0:
		f.Outcome, f.Text = Undecided, fmt.Sprintf(`an average is not negative on $D$ in %d rounds, so that the hypothesis is not met`, outside)
	case at[1][0] > 3*at[0][0] && at[0][0] > 0 && at[1][1] < 1:
		f.Outcome = Refutes
	}
	return f, err
}

func softPerturbed(l *Lab, specs ...string) (Finding, error) {
	const horizon = 400
	var worst Worst
	for _, problem := range specs {
		for replicate := 1; replicate <= l.Repeat(10); replicate++ {
			var a averages
			var sums, drifts [2]float64
			err := l.Play("penalised-ftrl", problem, replicate, horizon, &a, Observe(func(t int, x []float64, r *convex.Round) error {
				soft, most := 0., a.penalty
				origin := make([]float64, len(x))
				for j, g := range r.Constraints {
					sums[j] += g.Value(x)
					soft += max(0, sums[j])
					drifts[j] += g.Value(origin) - a.value(j, origin) // b_t less its average, at whatever point
					most += max(0, drifts[j])
				}
				worst.See((soft-float64(1e-9*float64(t)))/(1e-9+most), `$t=%d$ of \texttt{%s}, replicate %d`, t, problem, replicate)
				return nil
			}))
			if err != nil {
				return Finding{}, err
			}
		}
	}
	return worst.Finding(`with the bound $\sum_i h_i(x_i)+\sum_j \max(0,\sum_i b_i^{(j)}-\bar{b}_i^{(j)})$, the soft violation is`, 1e-9), nil
}
