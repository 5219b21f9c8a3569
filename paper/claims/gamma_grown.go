package claims

import (
	"fmt"

	"ocobench/convex"
)

var gammaGrown = checks{
	"regime-switch": func(l *Lab) (Finding, error) {
		return frozenGamma(l, "regime-switch", 7, 1, 4000)
	},
	"example":      func(l *Lab) (Finding, error) { return frozenGamma(l, "decaying-frequency", 25, 10, 2000) },
	"never-frozen": neverFrozen,
}

func frozenGamma(l *Lab, problem string, enough float64, games, horizon int) (Finding, error) {
	fooled := 0
	games = l.Repeat(games)
	f := Finding{Outcome: Survives}
	for replicate := 1; replicate <= games; replicate++ {
		var at [2][2]float64 // at a quarter of the horizon and at its end: adaptive, enough
		for k, algorithm := range []string{"penalised-ftrl:gamma=adaptive", fmt.Sprintf("penalised-ftrl:gamma=%v", enough)} {
			var a averages
			err := l.Play(algorithm, problem, replicate, horizon, &a, Observe(func(t int, _ []float64, _ *convex.Round) error {
				if t == horizon/4 {
					at[0][k] = a.penalty
				}
				return nil
			}))
			if err != nil {
				return Finding{}, err
			}
			at[1][k] = a.penalty
		}
		adaptive, fixed := (at[1][0]-at[0][0])/at[0][0], (at[1][1]-at[0][1])/max(1e-9, at[0][1])
		if adaptive > 2.5 && fixed < 1 { // linear growth has 3
			if fooled++; fooled == 1 {
				f.Outcome = Refutes
				f.Values = []Value{{"violation-adaptive", at[1][0]}, {"violation-large-gamma", at[1][1]}}
				f.Text = fmt.Sprintf(`in game %d the violation is %.4g at $t=%d$ and %.4g at $t=%d$, where $\gamma=%v$ has %.4g and %.4g`, replicate, at[0][0], horizon/4, at[1][0], horizon, enough, at[0][1], at[1][1])
			}
		}
	}
	f.Text = fmt.Sprintf(`on \texttt{%s} the rule ends with too small a $\gamma$ in %d of %d games`, problem, fooled, games) + map[bool]string{true: ": " + f.Text}[fooled > 0]
	return f, nil
}

func neverFrozen(l *Lab) (Finding, error) {
	const horizon = 4000
	s, err := l.Stream("regime-switch", 1)
	if err != nil {
		return Finding{}, err
	}
	gamma := 1.
	var a averages
	f := newFollower(s, sqrt, func(_ int, r convex.Round, sum *convex.Sum) {
		sum.SetGamma(gamma)
		sum.Add(1, r.Loss)
		sum.AddHinge(1, convex.Lower(r.Constraints[0], 1)) // fixed: the average is the constraint
	})
	f.again = func(sum *convex.Sum, x []float64) bool {
		if sum.Hinges(x) <= 1e-6 {
			return false
		}
		gamma *= 2
		sum.SetGamma(gamma)
		return true
	}
	err = l.PlayLearner(f, s, horizon, &a)
	const threshold = 1 + 4 + 1 // z = −1, η = β = 1, E = 1, L = 2·2
	out := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`$\gamma$ ends at %.4g, with twice the threshold %d, and the violation of %d rounds is %.4g`, gamma, 2*threshold, horizon, a.penalty),
		Values:  []Value{{"gamma", gamma}},
	}
	if gamma > 2*threshold || a.penalty > 1e-3 {
		out.Outcome = Refutes
	}
	return out, err
}
