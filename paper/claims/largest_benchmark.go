package claims

import (
	"fmt"
	"strings"

	"ocobench/harness/game"
)

// Claim 4, an opinion: X̂^max_t is probably the largest benchmark that one can hope for without
// predictions. No check can refute "probably" and "hope", so that the claim gets no verdict. The
// regret of Penalised FTRL against X̂^max_t and against the larger X^max_t is reported, where the
// averages of the constraints converge and where an adversary chooses them.
var largestBenchmark = checks{"regrets": regretsAgainstBoth}

// regretsAgainstBoth reports the mean regrets of ten games on each of three problems, or of one on
// mannor, which is deterministic. Games at whose end one of the two sets is empty do not count.
func regretsAgainstBoth(l *Lab) (Finding, error) {
	const T = 2000
	text, values := fmt.Sprintf(`after %d rounds the mean regret of Penalised FTRL, $\gamma=25$, is`,
		T), []Value(nil)
	for k, problem := range []string{"iid", "perturbed:noise=adversarial", "mannor"} {
		var prefix, whole float64 // sums of regrets against X̂^max_t and X^max_t
		runs := 0
		err := l.eachTrial(10, []string{problem}, func(p *trial) error {
			if p.repeatsFirstReplicate() {
				return nil
			}
			return p.play("penalised-ftrl", T, compareEvery(p, T, func(_ int, played *sums,
				best []game.Best) {
				if best[overXHatMax].Empty || best[overXMax].Empty {
					return
				}
				runs++
				prefix += played.loss - best[overXHatMax].Value
				whole += played.loss - best[overXMax].Value
			}))
		})
		if err != nil {
			return Finding{}, err
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
