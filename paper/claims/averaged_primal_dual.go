package claims

import (
	"fmt"
	"math"
)

var averagedPrimalDual = checks{"swings": averagedPrimalDualSwings}

func averagedPrimalDualSwings(l *Lab) (Finding, error) {
	const problem, horizon = "drifting-average:amplitude=0", 100000
	play := func(algorithm string) (o *line, penalty, soft [2]float64, err error) {
		o, err = l.playLine(algorithm, problem, 1, horizon, func(o *line, t int) {
			k := 0
			if t > horizon/10 {
				k = 1
			}
			// The soft violation swings; its largest value does not.
			penalty[k], soft[k] = o.penalty, max(soft[k], o.soft())
		})
		return o, penalty, soft, err
	}
	_, leader, _, err := play("penalised-ftrl")
	if err != nil {
		return Finding{}, err
	}
	least, share, soft, regret := math.Inf(1), math.Inf(1), 0., 0.
	for _, step := range []float64{0.5, 1, 5} {
		o, v, s, err := play(fmt.Sprintf("primal-dual-average:step=%v", step))
		if err != nil {
			return Finding{}, err
		}
		least, share = min(least, v[1]/v[0]), min(share, v[1]/horizon)
		soft = max(soft, s[1]/math.Sqrt(horizon))
		regret = max(regret, o.regret(o.now())/math.Sqrt(horizon))
	}
	return Finding{
		Outcome: refutesOr(least > 7, Undecided),
		Text: fmt.Sprintf(`with steps $\alpha_t=a/\sqrt{t}$, $a=0.5$, 1 and 5, $V_t$ grows by a factor of at least %.3g from $t=10^4$ to $10^5$, to at least $%.3gt$, while that of Penalised FTRL is %.2g; the soft violation is at most $%.2g\sqrt{t}$ and the regret $%.2g\sqrt{t}$`,
			least, share, leader[1], soft, regret),
		Values: []Value{{"growth", least}, {"share", share}, {"penalised-ftrl", leader[1]}},
	}, nil
}
