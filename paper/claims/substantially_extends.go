package claims

import (
	"fmt"
	"math"
)

// Claim 45: compared to the best primal-dual algorithms, Penalised FTRL substantially extends the
// class of problems with regret and violation O(√t). A stream on which its violation is nearly
// linear, while violation and regret of neely-yu grow at most like √t, refutes the claim. Beside
// it, empty plays perturbed constraints without a feasible action in all rounds, where the claim
// has a point.
var substantiallyExtends = checks{
	"swings": swingsCompared,
	"empty":  emptyPerturbed,
}

// swingsCompared plays both on averages that swing once a decade. Growth by more than 7 over a
// decade is nearly linear; at most 1.2√10 is √t.
func swingsCompared(l *Lab) (Finding, error) {
	const problem = "drifting-average:rate=0,turns=1"
	leastGrowth, softAt5 := math.Inf(1), 0.
	for _, gamma := range []int{5, 25} {
		at, err := l.lineAt(fmt.Sprintf("penalised-ftrl:gamma=%d", gamma), problem, 1, 10000, 100000)
		if err != nil {
			return Finding{}, err
		}
		soft := at[1].softViolation()
		leastGrowth = min(leastGrowth, soft/at[0].softViolation())
		if gamma == 5 {
			softAt5 = soft
		}
	}
	var rival, regret [2]float64
	for k, horizon := range []int{10000, 100000} { // two games, as neely-yu is told its horizon
		o, err := l.playLine("neely-yu", problem, 1, horizon, nil)
		if err != nil {
			return Finding{}, err
		}
		rival[k], regret[k] = o.softViolation(), o.regret(o.currentSet())
	}
	root := math.Sqrt(100000)
	rivalSlow := growthFactor(rival, root) <= 1.2*math.Sqrt(10) &&
		growthFactor(regret, root) <= 1.2*math.Sqrt(10)
	return Finding{
		Outcome: refutesOr(leastGrowth > 7 && rivalSlow, Undecided),
		Text: fmt.Sprintf(`the soft violation of Penalised FTRL grows by a factor of at least %.3g from $t=10^4$ to $10^5$, to %.4g with $\gamma=5$; the algorithm of Neely and Yu has soft violation %.3g and %.3g, and regret %.3g and %.3g`,
			leastGrowth, softAt5, rival[0], rival[1], regret[0], regret[1]),
		Values: []Value{{"growth", leastGrowth}, {"penalised-ftrl", softAt5}, {"neely-yu", rival[1]},
			{"neely-yu-regret", regret[1]}},
	}, nil
}

// emptyPerturbed checks the bounds at [convergence], and counts the games with an empty X^min.
func emptyPerturbed(l *Lab) (Finding, error) {
	games, empty := convergence{checksSoft: true}, 0
	err := l.eachTrial(10, []string{"perturbed:dim=1,noise=periodic,amplitude=3"},
		func(p *trial) error {
			o, err := p.playLine("", 1000, nil)
			if err != nil {
				return err
			}
			if o.xMin.empty() {
				empty++
			}
			return games.playAtRate(p, 10000, 1, 25)
		})
	return games.finding(fmt.Sprintf(`perturbed constraints, %d of them with an empty $X^{\min}_t$,`,
		empty)), err
}
