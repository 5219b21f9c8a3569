package claims

import (
	"fmt"
	"math"
)

// Claim 9 (Lemma 1, last sentence): γ_0 = (f* − f(z) − 1)/max_j g_j(z) suffices. The checks search
// the largest γ at which the minimum of F over D is still below f*; if it reaches γ_0, the claim
// is refuted, as it is on a curve, where D is not convex. Beside it, min_j in the place of max_j,
// the deepest constraint at z, is too small a threshold.
var exactPenaltyThreshold = checks{
	"curve": func(*Lab) (Finding, error) {
		const best, at, slater = 0, 0, -1 // f*, f(z) and g(z) at z = (0, −1)
		gamma := float64(best-at-1) / slater
		least := leastOnCurve(gamma)
		return Finding{Outcome: refutesIf(least < best), Values: []Value{{"least", least}},
			Text: fmt.Sprintf(`$\gamma_0=%v$, and the least value of $F$ on the curve is %v, where $f^*=%v$`,
				gamma, least, best)}, nil
	},
	"shallowest": func(l *Lab) (Finding, error) {
		return l.compareThreshold(func(p *program) float64 { return p.slater })
	},
	"deepest": func(l *Lab) (Finding, error) {
		return l.compareThreshold(func(p *program) float64 { return p.deepest })
	},
}

// compareThreshold compares the least sufficient γ with the threshold that has this depth of
// the Slater point for |G|.
func (l *Lab) compareThreshold(depth func(*program) float64) (Finding, error) {
	var worst Worst
	_, err := l.eachProgram(func(k int, p *program) error {
		x := make([]float64, len(p.z))
		// Bisection: low is 0 or too small a γ, and high suffices.
		low, high := 0., 4*p.threshold(p.slater)
		for range 40 {
			gamma := (low + high) / 2
			cert, err := p.penalised(gamma, x)
			if err != nil {
				return err
			}
			if cert.Value < p.least-p.tol {
				low = gamma
			} else {
				high = gamma
			}
		}
		// Rounded down, so that what bisection leaves open is no counterexample.
		worst.See(math.Floor(low/p.threshold(depth(p))*1e6)/1e6, "program %d", k)
		return nil
	})
	f := worst.Finding("", 0)
	f.Text = fmt.Sprintf(`the largest $\gamma$ with $\min_D F < f^*$ reaches %.4g times $\gamma_0$, at %s`, worst.Ratio, worst.At)
	return f, err
}
