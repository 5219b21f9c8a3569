package claims

import (
	"fmt"
	"math"
)

// Claim 33: perturbed constraints g + b_i with b_i ≤ b̄ and a common Slater point give regret and
// violation O(√t) against {g + b̄ ≤ 0}. Averages that swing for ever are such ones: penalty and
// soft violations that grow by more than 7 over a decade, where √t grows by 3.2 and t by 10, are
// nearly linear and refute it. As amended, for averages that fall, or rise at most like 1/√t, each
// penalty must keep to the bound of the proof.
var perturbedBound = checks{
	"swings":  perturbedSwings,
	"falling": perturbedFalling,
}

// perturbedSwings plays Penalised FTRL with each γ on averages that swing once a decade, and
// measures at two rounds of the same phase.
func perturbedSwings(l *Lab) (Finding, error) {
	const problem, horizon = "drifting-average:rate=0,turns=1", 100000
	gammas := []float64{3, 5, 10, 25}
	if l.Quick {
		gammas = []float64{5}
	}
	leastGrowth, regret := math.Inf(1), math.Inf(-1)
	var share, soft float64
	for _, gamma := range gammas {
		at, err := l.lineAt(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), problem, 1, horizon/10,
			horizon)
		if err != nil {
			return Finding{}, err
		}
		early, late := at[0], at[1]
		leastGrowth = min(leastGrowth, late.penalty/early.penalty,
			late.softViolation()/early.softViolation())
		for _, o := range at {
			regret = max(regret, o.regret(o.xMin)/sqrt(o.rounds()))
		}
		if gamma == 5 {
			share, soft = late.penalty/horizon, late.softViolation()/horizon
		}
	}
	f := Finding{
		Outcome: refutesIf(leastGrowth > 7),
		Text: fmt.Sprintf(`where the averages swing for ever, penalty and soft violation grow by factors of at least %.3g from $t=10^4$ to $10^5$, with $\gamma=5$ to $%.3gt$ and $%.3gt$`,
			leastGrowth, share, soft),
		Values: []Value{{"growth-a-decade", leastGrowth}, {"penalty-share", share}, {"soft-share", soft}},
	}
	if regret <= 0 {
		f.Text += ", while the regret is negative"
	} else {
		f.Text += fmt.Sprintf(`, while the regret is at most $%.3g\sqrt{t}$`, regret)
	}
	return f, nil
}

// perturbedFalling compares h_t(x_t) with the bound C√(2/(t−1)) of the proof from t = 100 on, with
// C the rise constant of the stream.
func perturbedFalling(l *Lab) (Finding, error) {
	const horizon = 3000
	var worst Worst
	largest := 0.
	err := l.eachPerturbed(func(p *trial) error {
		o, err := p.playLine("", horizon, nil)
		if err != nil {
			return err
		}
		c := riseConstant(o.shift)
		_, err = p.playLine("penalised-ftrl", horizon, func(o *line, t int) {
			if t >= 100 {
				worst.Add(o.h/(float64(c*math.Sqrt(2/float64(t-1)))+1e-12), `$t=%d$ of %v`, t, p)
				largest = max(largest, o.penalty/sqrt(t))
			}
		})
		return err
	}, "drifting-average:rate=0.1")
	return worst.Finding(fmt.Sprintf(`$V_t$ is at most $%.3g\sqrt{t}$ from $t=100$ on; with the bound $C\sqrt{2/(t-1)}$, $h_t(x_t)$ is`, largest), exact), err
}

// riseConstant returns the largest √i·(m_k − m_i) over i ≤ k ≤ 2i, at least 0.
func riseConstant(m []float64) (c float64) {
	for i := 1; i <= len(m); i++ {
		for _, later := range m[i-1 : min(2*i, len(m))] {
			c = max(c, float64(sqrt(i)*(later-m[i-1])))
		}
	}
	return c
}
