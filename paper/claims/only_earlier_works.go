package claims

import (
	"errors"
	"fmt"

	"ocobench/convex/vec"
)

// Claim 7: Valls et al. (perturbed constraints) and Yu, Neely and Wei (i.i.d. constraints) are the
// only earlier works for time-varying constraints with regret and violation O(√t). Neely and Yu
// (2017) is another one if both bounds of its theorem have exponent ½ and are kept on constraints
// that are neither perturbed nor i.i.d., which refutes the claim.
var onlyEarlierWorks = checks{"bounds": func(l *Lab) (Finding, error) {
	return neelyYuBounds(l, "neely-yu")
}}

// neelyYuBounds compares regret and violation of the algorithm played, at four horizons, with the
// bounds of neely-yu, and measures the exponents of these bounds between two large horizons. A test
// passes another algorithm, which does not keep to the bounds.
func neelyYuBounds(l *Lab, played string) (Finding, error) {
	const algorithm, low, high = "neely-yu", 1e10, 1e12
	var worst Worst
	steepest := 0.0
	err := l.eachTrial(10, []string{"family", "periodic:constraints=2", "mannor", "soft-gap"},
		func(p *trial) error {
			facts := p.Facts()
			if facts.Perturbed || facts.IID || facts.Fixed || !(facts.Slater > 0) {
				return errors.New("it is not what the check is for")
			}
			if p.repeatsFirstReplicate() {
				return nil
			}
			var bounds [2][2]float64
			for k, t := range []int{low, high} {
				regret, violation, err := l.provenBounds(algorithm, p, t)
				if err != nil {
					return err
				}
				bounds[k] = [2]float64{regret(t), violation(t)}
			}
			for k := range bounds[0] {
				steepest = max(steepest, vec.Log(bounds[1][k]/bounds[0][k])/vec.Log(high/low))
			}
			for _, T := range []int{64, 512, 4096, 32768} {
				regret, violation, err := l.provenBounds(algorithm, p, T)
				if err != nil {
					return err
				}
				if err := p.compareWithBounds(&worst, played, T, regret(T), violation(T)); err != nil {
					return err
				}
			}
			return nil
		})
	return Finding{
		Outcome: refutesIf(worst.Ratio <= 1 && steepest <= 0.51),
		Text:    fmt.Sprintf(`on families and against adversaries regret and soft violation of \texttt{%s} are at most %.4g times the bounds of Neely and Yu, whose exponents are at most %.3f; the largest is at %s`, played, worst.Ratio, steepest, worst.At),
	}.withWorst(&worst), err
}
