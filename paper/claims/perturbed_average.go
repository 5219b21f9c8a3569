package claims

import (
	"errors"
	"math"
)

// Claim 32: perturbed constraints g + b_i whose averages m_i of b converge like 1/√i, with a
// common Slater point, give regret and violation O(√t) against {g + m_t ≤ 0}. Fixed constraints
// are such ones, so that the linear regret of claim 22 refutes it. With the usual regulariser,
// regret, penalty and soft violation must keep to the bounds at [convergence].
var perturbedAverage = checks{"linear": regretLinearly, "bounds": perturbedAverageBounds}

// perturbedAverageBounds checks the bounds with γ = 3 and 25 in games of 10000 rounds.
func perturbedAverageBounds(l *Lab) (Finding, error) {
	games := convergence{checksSoft: true}
	err := l.eachPerturbed(func(p *trial) error { return games.playAtRate(p, 10000, 1, 3, 25) })
	return games.finding("streams whose averages converge from above, from below and in swings"), err
}

// playAtRate plays a game with each γ, with ḡ the average at t and e_i = scale·C/√i, where C is the
// largest √i·|m_i − m_k| of the stream. A test passes a scale below 1.
func (c *convergence) playAtRate(p *trial, horizon int, scale float64, gammas ...float64) error {
	o, err := p.playLine("", horizon, nil)
	if err != nil {
		return err
	}
	constant := scale * rateConstant(o.shift)
	limitAt := func(o *line, t int) (slope, shift, e float64) {
		return o.slope[t-1], o.shift[t-1], constant / sqrt(t)
	}
	for _, c.gamma = range gammas {
		if err := c.play(p, horizon, limitAt); err != nil {
			return err
		}
	}
	return nil
}

// eachPerturbed calls look with streams on a line whose averages converge at the rate 1/√t, and
// with those of other SPECs.
func (l *Lab) eachPerturbed(look func(p *trial) error, others ...string) error {
	fixed := append([]string{
		"drifting-average", "drifting-average:amplitude=-0.25",
		"drifting-average:turns=1", "drifting-average:amplitude=-0.25,turns=1",
	}, others...)
	drawn := []string{"perturbed:dim=1,noise=drift", "perturbed:dim=1,noise=periodic"}
	return errors.Join(l.eachTrial(1, fixed, look), l.eachTrial(10, drawn, look))
}

// rateConstant returns the largest √i·|m_i − m_k| over i ≤ k.
func rateConstant(m []float64) (c float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for i := len(m) - 1; i >= 0; i-- {
		least, most = min(least, m[i]), max(most, m[i])
		c = max(c, float64(math.Sqrt(float64(i+1))*max(most-m[i], m[i]-least)))
	}
	return c
}
