package claims

import (
	"fmt"
	"strings"

	"ocobench/harness"
)

var largestBenchmark = checks{
	"regrets": regretsAgainstBoth,
}

func regretsAgainstBoth(l *Lab) (Finding, error) {
	const T = 2000
	n := l.Repeat(10)
	text, values := fmt.Sprintf(`after %d rounds the mean regret of Penalised FTRL, $\gamma=25$, is`, T), []Value(nil)
	for k, problem := range []string{"iid", "perturbed:noise=adversarial", "mannor"} {
		var prefix, whole float64
		runs := 0
		for replicate := 1; replicate <= n; replicate++ {
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return Finding{}, err
			}
			if s.Facts().Deterministic && replicate > 1 {
				break
			}
			h, game := harness.NewHindsight(s), &sums{}
			if err := l.Play("penalised-ftrl", problem, replicate, T, game, h); err != nil {
				return Finding{}, err
			}
			best, err := h.Solve()
			if err != nil {
				return Finding{}, err
			}
			if best[1].Empty || best[2].Empty {
				continue
			}
			runs++
			prefix += game.loss - best[1].Value
			whole += game.loss - best[2].Value
		}
		prefix /= float64(runs)
		whole /= float64(runs)
		if k > 0 {
			text += ";"
		}
		text += fmt.Sprintf(` $%.3g$ against $\hat{X}^{\max}_t$ and $%.3g$ against $X^{\max}_t$ on \texttt{%s}`, prefix, whole, problem)
		name, _, _ := strings.Cut(problem, ":")
		values = append(values, Value{name + "-prefix", prefix}, Value{name + "-whole", whole})
	}
	return Finding{Outcome: Undecided, Text: text, Values: values}, nil
}
