package claims

import (
	"fmt"
	"math"
)

var convergenceNecessary = checks{
	"family": func(l *Lab) (Finding, error) { return slowFamily(l, 0.25) },
	"drift":  slowDrift,
}

func slowFamily(l *Lab, rate float64) (Finding, error) {
	const horizon = 10000
	problem := fmt.Sprintf("family:dim=1,rate=%v,slack=2,margin=1.5,spread=0.2", rate)
	games, slow, violation, least := l.Repeat(10), 0, 0., math.Inf(1)
	var worst Worst
	err := l.eachTrial(10, []string{problem}, func(p *trial) error {
		var early, late float64 // the largest √t·|ḡ_t − ḡ| of the decades before 100 and before the end
		o, err := p.line("penalised-ftrl", horizon, func(o *line, t int) {
			switch apart := sqrt(t) * o.averageDistance(t, o.limitSlope, o.limitShift); {
			case t > 10 && t <= 100:
				early = max(early, apart)
			case t > horizon/10:
				late = max(late, apart)
			}
			// The penalties are 0.
			worst.See(o.regret(o.domain)/leaderBound(t, o.domainRadius(), o.facts.LossLipschitz),
				"$t=%d$ of replicate %d", t, p.replicate)
		})
		if err != nil {
			return err
		}
		least = min(least, late/early)
		if late > 2*early {
			slow++
		}
		violation = max(violation, o.penalty+o.softViolation())
		return nil
	})
	return Finding{
		Outcome: refutesOr(slow == games && violation == 0 && worst.Ratio <= 1, Undecided),
		Text: fmt.Sprintf(`over two decades $\sqrt{t}\max_D|\bar{g}_t-\bar{g}|$ grows by a factor of more than 2 in %d of %d games, where the violation is %v and the regret at most %.3g times the bound of FTRL`,
			slow, games, violation, worst.Ratio),
		Values: []Value{{"least-growth", least}},
	}.withWorst(&worst), err
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
		{"drifting-average:amplitude=-0.25,rate=0.25", &rising,
			func(o *line) float64 { return o.penalty }},
		{"drifting-average:amplitude=0.25,rate=0.25", &falling,
			func(o *line) float64 { return o.regret(span{o.domain.lower, 0}) }},
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
