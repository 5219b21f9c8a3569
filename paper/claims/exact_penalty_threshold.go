package claims

import (
	"fmt"
	"math"
)

var exactPenaltyThreshold = Claim{
	Name:       "exact-penalty-threshold",
	Place:      "Lemma 1, last sentence",
	Sentence:   `In Lemma 1 it is sufficient to choose $\gamma_0 = (f^*-f(z)-1)/\max_j g^{(j)}(z)$, for any number $m$ of constraints.`,
	Hypothesis: `as in the first part of Lemma 1; $z$ is any Slater point`,
	Statistic:  `the largest $\gamma$ at which the least value of $F$ over $D$ is below $f^*$ by more than certified gaps, found by bisection, over $\gamma_0$`,
	Rule:       `a ratio of at least 1`,
	Proof: `With $G = \max_j g^{(j)}(z)$ and $H = \sum_j \max(0,g^{(j)})$, $F \ge f^* + (\gamma-\gamma')H$ on $D$ for $\gamma' = (f^*-f(z))/G$: see the first part. $\gamma_0 = \gamma' + 1/|G|$ exceeds $\gamma'$. ` +
		`For $m>1$ the sum is no less than its largest term, which is all that the proof uses; so the paper's maximum over $j$ is right, and the constraint with the least margin decides. ` +
		`The 1 only makes the inequality strict: every $\gamma>\gamma'$ is sufficient. It is not necessary: the largest multiplier of the solution is sufficient, and that is 0 where the constraints do not bind.`,
	Cost: "400 programs × 40 minimisations",
	Checks: []Check{{
		Role: Stated,
		What: `random programs in 1 to 3 dimensions with 1 to 5 constraints, whose margins at $z$ differ by up to a hundredfold`,
		Run:  func(l *Lab) (Finding, error) { return l.sufficient(func(p *program) float64 { return p.slater }) },
	}, {
		Role: Beside,
		What: `the same with $\min_j g^{(j)}(z)$ in the place of the maximum in $\gamma_0$`,
		Run:  func(l *Lab) (Finding, error) { return l.sufficient(func(p *program) float64 { return p.deep }) },
	}},
}

// sufficient compares the least sufficient γ with the threshold that has this depth of
// the Slater point for |G|.
func (l *Lab) sufficient(depth func(*program) float64) (Finding, error) {
	var worst Worst
	_, err := l.programs(func(k int, p *program) error {
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
