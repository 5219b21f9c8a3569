package claims

import (
	"fmt"

	"ocobench/convex/vec"
)

var onlyEarlierWorks = checks{
	"bounds": func(l *Lab) (Finding, error) { return neelyYuBounds(l, "neely-yu") },
}

// neelyYuBounds holds what an algorithm plays against the bounds of neely-yu.
func neelyYuBounds(l *Lab, played string) (Finding, error) {
	const algorithm, low, high = "neely-yu", 1e10, 1e12
	var worst Worst
	n, steepest := l.Repeat(10), 0.0
	for _, problem := range []string{"family", "periodic:constraints=2", "mannor", "soft-gap"} {
		for replicate := 1; replicate <= n; replicate++ {
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return Finding{}, err
			}
			facts := s.Facts()
			if facts.Perturbed || facts.IID || facts.Fixed || !(facts.Slater > 0) {
				return Finding{}, fmt.Errorf("%s is not what the check is for", problem)
			}
			if facts.Deterministic && replicate > 1 {
				break
			}
			var at [2][2]float64
			for k, t := range []int{low, high} {
				regret, violation, err := l.provenBounds(algorithm, s, t)
				if err != nil {
					return Finding{}, err
				}
				at[k] = [2]float64{regret(t), violation(t)}
			}
			for k := range at[0] {
				steepest = max(steepest, vec.Log(at[1][k]/at[0][k])/vec.Log(high/low))
			}
			for _, T := range []int{64, 512, 4096, 32768} {
				regret, violation, err := l.provenBounds(algorithm, s, T)
				if err != nil {
					return Finding{}, err
				}
				if err := l.overBounds(&worst, played, problem, replicate, T, regret(T), violation(T)); err != nil {
					return Finding{}, err
				}
			}
		}
	}
	return Finding{
		Outcome: refutesIf(worst.Ratio <= 1 && steepest <= 0.51), Ratio: &worst.Ratio,
		Text: fmt.Sprintf(`on families and against adversaries the regret against $X^{\min}_T$ and the soft violation of \texttt{%s} are at most %.4g times the bounds of Neely and Yu (2017), whose exponents are at most %.3f; the largest is at %s`, played, worst.Ratio, steepest, worst.At),
	}, nil
}
