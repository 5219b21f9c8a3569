package claims

import (
	"fmt"
	"math"
)

var substantiallyExtends = Claim{
	Name:       "substantially-extends",
	Place:      "Abstract; Summary",
	Sentence:   `Compared to the best primal-dual algorithms, Penalised FTRL substantially extends the class of problems with regret and violation $O(\sqrt{t})$.`,
	Hypothesis: `To extend a class is to contain it; how substantial that is gets no verdict. Violation is that of the Introduction, as in the primal-dual literature.`,
	Statistic:  `at $t=10^4$ and $10^5$, on a stream with one point strictly feasible in all rounds, the soft violation of Penalised FTRL with $\gamma=5$ and 25 and that of \texttt{neely-yu}, and the regret of the latter against $X^{\max}_t$`,
	Rule:       `growth of the former by more than 7 over the decade, where $\sqrt{t}$ grows by 3.2, while violation and regret of the latter grow by at most $1.2\sqrt{10}$`,
	Proof: `Neely and Yu (2017) prove regret $O(\sqrt{T})$ against $X^{\min}$ and soft violation $O(\sqrt{T})$ for all Lipschitz constraints with a point that is strictly feasible in every round. The stream of \texttt{perturbed-bound} has such a point, $z=-2$, and there soft and penalty violation of Penalised FTRL are linear for every $\gamma$. So the old class is not contained in the new one. ` +
		`Nor the other way round: families with $1/\sqrt{t}$-convergence may have no point that is feasible in every round, so that $X^{\min}_t$ is empty, and Penalised FTRL has regret against $\{\sum_kp_ka_k\le0\}$ and penalty violation $O(\sqrt{t})$ (\texttt{families-rate}).`,
	Instead: `The two classes overlap. Penalised FTRL adds streams whose averages converge at the rate $1/\sqrt{t}$, against the larger set $X^{\max}$, and lacks streams whose averages swing, which primal-dual algorithms manage against $X^{\min}$ with a common Slater point.`,
	Cost:    "4 games of 100000 rounds, 1 of 10000; 10 of 10000",
	Checks: []Check{{
		Role:    Stated,
		What:    `averages that swing, one oscillation a decade`,
		Command: "bench play --algorithm neely-yu --problem drifting-average:rate=0,turns=1 --horizon 10000",
		Run:     swingsCompared,
	}, {
		Role:    Beside,
		What:    `families with an empty $X^{\min}_t$`,
		Command: "bench hindsight --problem family:dim=1,margin=-2 --horizon 10000",
		Run:     emptyFamilies,
	}},
}

func swingsCompared(l *Lab) (Finding, error) {
	const problem = "drifting-average:rate=0,turns=1"
	// soft returns the soft violation at a tenth of the horizon and at the horizon, and the
	// regret against X^max at the horizon.
	soft := func(algorithm string, horizon int) (v [2]float64, regret float64, err error) {
		_, err = l.playLine(algorithm, problem, 1, horizon, func(o *line, t int) {
			if t == horizon/10 {
				v[0] = o.soft()
			}
			v[1], regret = o.soft(), o.regret(o.now())
		})
		return v, regret, err
	}
	least, last := math.Inf(1), 0.
	for _, gamma := range []int{5, 25} {
		v, _, err := soft(fmt.Sprintf("penalised-ftrl:gamma=%d", gamma), 100000)
		if err != nil {
			return Finding{}, err
		}
		least = math.Min(least, v[1]/v[0])
		if gamma == 5 {
			last = v[1]
		}
	}
	var rival, regret [2]float64
	for k, horizon := range []int{10000, 100000} { // which neely-yu is told
		v, r, err := soft("neely-yu", horizon)
		if err != nil {
			return Finding{}, err
		}
		rival[k], regret[k] = v[1], r
	}
	f := Finding{
		Outcome: Undecided,
		Text: fmt.Sprintf(`the soft violation of Penalised FTRL grows by a factor of at least %.3g from $t=10^4$ to $10^5$, to %.4g with $\gamma=5$; the algorithm of Neely and Yu has soft violation %.3g and %.3g, and regret %.3g and %.3g`,
			least, last, rival[0], rival[1], regret[0], regret[1]),
		Values: []Value{{"growth", least}, {"penalised-ftrl", last}, {"neely-yu", rival[1]}, {"neely-yu-regret", regret[1]}},
	}
	root := math.Sqrt(100000)
	if least > 7 && growth(rival, root) <= 1.2*math.Sqrt(10) && growth(regret, root) <= 1.2*math.Sqrt(10) {
		f.Outcome = Refutes
	}
	return f, nil
}

func emptyFamilies(l *Lab) (Finding, error) {
	const problem, horizon = "family:dim=1,margin=-2", 10000
	all, empty := convergence{gamma: 25}, 0
	for replicate := 1; replicate <= l.Repeat(10); replicate++ {
		o, err := l.playLine("", problem, replicate, 1000, nil)
		if err != nil {
			return Finding{}, err
		}
		if o.common.empty() {
			empty++
		}
		if err := all.playToLimit(l, problem, replicate, horizon); err != nil {
			return Finding{}, err
		}
	}
	return all.finding(fmt.Sprintf(`families, %d of them with an empty $X^{\min}_t$,`, empty)), nil
}
