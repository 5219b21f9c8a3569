package claims

import (
	"fmt"
	"math"
)

var convergenceNecessary = Claim{
	Name:       "convergence-necessary",
	Place:      "Example, last paragraph",
	Sentence:   `Whether $1/\sqrt{t}$-convergence (Condition 3) is necessary for regret and violation $O(\sqrt{t})$ is an open question.`,
	Hypothesis: `Families of constraints, Penalised FTRL, the limit set $X=\{\sum_kp_ka_k\le0\}$.`,
	Statistic:  `how $\sqrt{t}\max_D|\bar{g}_t-\bar{g}|$ of the averages grows; penalty violation and regret against $X$ over the bound of FTRL`,
	Rule:       `a stream that violates Condition 3, on which both stay within $O(\sqrt{t})$, settles the question: it is then not open`,
	Proof: `Not necessary for a stream: where all $a_k\le0$ on $D$, every $h_i$ is 0, whatever the frequencies do, and the regret is that of FTRL. Binding constraints will do too, where $a_2=2a_1$, for all averages have the zero set of $a_1$. ` +
		`But no slower rate is sufficient. Let $f=-x$, $g_i=x+b_i$ with averages $x+m_i$, and $r<\tfrac{1}{2}$; two functions $x\pm A$ drawn by turns have the same averages up to $1/i$. With $m_i=-Ai^{-r}$ the share $1/\gamma$ of positive averages is the latest one, $x_{\tau+1}\approx A((1-1/\gamma)\tau)^{-r}$ and $h_{\tau+1}(x_{\tau+1})=\Omega(\tau^{-r})$. With $m_i=Ai^{-r}$ it is the first one, $x_{\tau+1}\approx-A(\tau/\gamma)^{-r}$, and the regret against $\{x\le0\}$ is of the order $t^{1-r}$.`,
	Instead: `The question is settled. Condition 3 is not necessary for a stream. It is the slowest rate that is sufficient for all streams: for every $r<\tfrac{1}{2}$ frequencies that converge like $t^{-r}$ allow a violation, or a regret against $X$, of the order $t^{1-r}$.`,
	Cost:    "10 games of 10000 rounds, 2 of 100000",
	Checks: []Check{{
		Role:    Stated,
		What:    `a family that converges like $t^{-1/4}$ and is negative on all of $D$`,
		Command: "bench play --algorithm penalised-ftrl --problem family:dim=1,rate=0.25,slack=2,margin=1.5,spread=0.2 --horizon 10000",
		Run:     slowFamily,
	}, {
		Role:    Beside,
		What:    `averages that rise and that fall like $t^{-1/4}$ to a limit that binds`,
		Command: "bench play --algorithm penalised-ftrl --problem drifting-average:amplitude=-0.25,rate=0.25 --horizon 10000",
		Run:     slowDrift,
	}},
}

func slowFamily(l *Lab) (Finding, error) {
	const horizon, problem = 10000, "family:dim=1,rate=0.25,slack=2,margin=1.5,spread=0.2"
	games, slow, violation := l.Repeat(10), 0, 0.
	var worst Worst
	for replicate := 1; replicate <= games; replicate++ {
		var early, late float64 // the largest √t·|ḡ_t − ḡ| of the decades before 100 and before the end
		o, err := l.playLine("penalised-ftrl", problem, replicate, horizon, func(o *line, t int) {
			switch apart := math.Sqrt(float64(t)) * o.distance(t, o.limitSlope, o.limitShift); {
			case t > 10 && t <= 100:
				early = math.Max(early, apart)
			case t > horizon/10:
				late = math.Max(late, apart)
			}
			// The penalties are 0.
			worst.See(o.regret(o.domain)/leaderBound(t, o.reach(), o.facts.LossLipschitz), "$t=%d$ of replicate %d", t, replicate)
		})
		if err != nil {
			return Finding{}, err
		}
		if late > 2*early {
			slow++
		}
		violation = math.Max(violation, o.penalty+o.soft())
	}
	f := Finding{
		Outcome: Undecided,
		Text: fmt.Sprintf(`over two decades $\sqrt{t}\max_D|\bar{g}_t-\bar{g}|$ grows by a factor of more than 2 in %d of %d games, where the violation is %v and the regret at most %.3g times the bound of FTRL`,
			slow, games, violation, worst.Ratio),
		Ratio: &worst.Ratio,
	}
	if slow == games && violation == 0 && worst.Ratio <= 1 {
		f.Outcome = Refutes
	}
	return f, nil
}

func slowDrift(l *Lab) (Finding, error) {
	const horizon = 100000
	// Of the averages from below the violation, and of those from above the regret, at a
	// tenth of the horizon and at the horizon.
	var rising, falling [2]float64
	for _, p := range []struct {
		problem string
		of      *[2]float64
		value   func(o *line) float64
	}{
		{"drifting-average:amplitude=-0.25,rate=0.25", &rising, func(o *line) float64 { return o.penalty }},
		{"drifting-average:amplitude=0.25,rate=0.25", &falling, func(o *line) float64 { return o.regret(span{o.domain.lower, 0}) }},
	} {
		o, err := l.playLine("penalised-ftrl", p.problem, 1, horizon, func(o *line, t int) {
			if t == horizon/10 {
				p.of[0] = p.value(o)
			}
		})
		if err != nil {
			return Finding{}, err
		}
		p.of[1] = p.value(o)
	}
	violation, regret := math.Log10(rising[1]/rising[0]), math.Log10(falling[1]/falling[0])
	f := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`over the last decade to $t=10^5$ the penalty violation of the averages that rise grows like $t^{%.2f}$, and the regret of those that fall like $t^{%.2f}$`, violation, regret),
		Values:  []Value{{"violation-exponent", violation}, {"regret-exponent", regret}},
	}
	if violation < 0.7 || regret < 0.7 {
		f.Outcome = Undecided
	}
	return f, nil
}
