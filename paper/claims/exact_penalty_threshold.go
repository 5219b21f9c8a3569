package claims

import (
	"fmt"
	"math"
)

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
		return l.compareThreshold(func(p *program) float64 { return p.deep })
	},
}

// compareThreshold compares the least sufficient γ with the threshold that has this depth of
// the Slater point for |G|.
func (l *Lab) compareThreshold(depth func(*program) float64) (Finding, error) {
	var worst Worst
	_, err := l.eachProgram(func(k int, p *program) error {
		x := make([]float64, len(p.z))
		low, high := 0., 4*p.threshold(p.slater) // low is too small, or 0
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
		worst.See(math.Floor(low/p.threshold(depth(p))*1e6)/1e6, "program %d", k)
		return nil
	})
	f := worst.Finding("", 0)
	f.Text = fmt.Sprintf(`the largest $\gamma$ with $\min_D F < f^*$ reaches %.4g times $\gamma_0$, at %s`, worst.Ratio, worst.At)
	return f, err
}
