package claims

import (
	"fmt"
	"math"
)

// Claim 9 (Lemma 1, last sentence): γ_0 = (f* − f(z) − 1)/max_j g_j(z) suffices, which means that
// the minimum over D of the penalised F = f + γ·Σ_j max(0, g_j) is not below f*. It is refuted by a
// minimum below f* with γ ≥ γ_0.
//
//   - curve: D is a curve, which is not convex, and γ_0 does not suffice.
//   - shallowest: on drawn convex programs, the largest γ found with a minimum below f* is less
//     than γ_0.
//   - deepest: with min_j g_j(z) in the place of max_j g_j(z), the threshold is too small.
var exactPenaltyThreshold = checks{
	"curve": func(*Lab) (Finding, error) {
		const fStar, fAtZ, gAtZ = 0, 0, -1 // z = (0, −1)
		gamma := float64(fStar-fAtZ-1) / gAtZ
		least := leastOnCurve(gamma)
		return Finding{Outcome: refutesIf(least < fStar), Values: []Value{{"least", least}},
			Text: fmt.Sprintf(`$\gamma_0=%v$, and the least value of $F$ on the curve is %v, where $f^*=%v$`,
				gamma, least, fStar)}, nil
	},
	"shallowest": func(l *Lab) (Finding, error) {
		return l.compareThreshold(func(p *program) float64 { return p.margin })
	},
	"deepest": func(l *Lab) (Finding, error) {
		return l.compareThreshold(func(p *program) float64 { return p.deepest })
	},
}

// compareThreshold compares the least sufficient γ with (f(z) − f* + 1)/depth on drawn programs,
// where depth takes the place of −max_j g_j(z). It refutes if a γ from there on does not suffice.
func (l *Lab) compareThreshold(depth func(*program) float64) (Finding, error) {
	var worst Worst
	_, err := l.eachProgram(func(k int, p *program) error {
		x := make([]float64, len(p.z))
		// Bisection: low is 0 or too small a γ, and high suffices.
		low, high := 0., 4*p.threshold(p.margin)
		for range 40 {
			gamma := (low + high) / 2
			cert, err := p.minimizePenalised(gamma, x)
			if err != nil {
				return err
			}
			if cert.Value < p.least-p.tol {
				low = gamma
			} else {
				high = gamma
			}
		}
		// The ratio is rounded down to a multiple of 1e-6, so that what bisection leaves open between
		// low and high is no counterexample.
		worst.Add(math.Floor(low/p.threshold(depth(p))*1e6)/1e6, "program %d", k)
		return nil
	})
	f := worst.Finding("", exact)
	f.Text = fmt.Sprintf(`the largest $\gamma$ with $\min_D F < f^*$ reaches %.4g times $\gamma_0$, at %s`, worst.Ratio, worst.At)
	return f, err
}
