package claims

import (
	"fmt"
	"strings"

	"ocobench/harness"
)

var largestBenchmark = Claim{
	Name:     "largest-benchmark",
	Place:    "Abstract; Introduction, below the definition of the set",
	Sentence: `Without predictions or prior knowledge of the constraints, $\hat{X}^{\max}_t$ is probably the largest benchmark that one can reasonably hope for.`,
	Opinion: `it says what may be hoped for, not what is so. Against $X^{\max}_t$ nothing can be had for all sequences (claim 3); ` +
		`for some of them more is known: for i.i.d. constraints Yu, Neely and Wei have $O(\sqrt{t})$ against all actions that satisfy the mean constraints. ` +
		`Penalised FTRL itself has $O(\sqrt{t})$ against every action with $\sum_{i \le t} h_i = O(\sqrt{t})$, by the proof of claim 22`,
	Cost: "21 games of 2000 rounds",
	Checks: []Check{{
		Role:    Beside,
		What:    `regret of Penalised FTRL with $\gamma=25$ against both sets, where $\frac{1}{t}\sum_{i \le t} g_i$ tends to a limit and where an adversary chooses it, $t=2000$`,
		Command: "bench hindsight --problem perturbed:noise=adversarial --horizon 2000",
		Run:     regretsAgainstBoth,
	}},
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
