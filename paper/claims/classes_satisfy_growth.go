package claims

import (
	"fmt"
	"math"
)

var classesSatisfyGrowth = Claim{
	Name:       "classes-satisfy-growth",
	Place:      "§4.6, its heading and first paragraph; Example with $c=1$",
	Sentence:   `Perturbed, family and i.i.d. constraints satisfy the Penalty Growth Condition (Condition 2).`,
	Hypothesis: `A common Slater point of the averages; for perturbed constraints $b_i$ bounded, for families frequencies that converge.`,
	Statistic:  `$k_\tau$, the least number of averages that are $\ge 0$ at a boundary point of $\hat{X}^{\max}_\tau$ inside $D$, up to rounding, with all prefixes and with those from 100 on`,
	Rule:       `$k_\tau$ that is the same at $\tau=1000$ and at $\tau=10000$, and at most $0.01\tau$: then no $\beta>0$ has $k_\tau\ge(\beta/\eta)\tau$ on this stream unless $k_\tau$ jumps later`,
	Proof: `Each class has streams with $k_\tau=1$ for all $\tau$. Perturbed, and a family of two functions: $g_1=x$ and $g_i=x-1$ for $i>1$. The averages are $x-(i-1)/i$, so that $\hat{X}^{\max}_\tau=\{x\le0\}$, where the first average alone is active, while $z=-1$ has all of them $\le-1$. ` +
		`I.i.d.: on a line with breakpoints of a continuous law the averages have different breakpoints almost surely, and the boundary of $\hat{X}^{\max}_\tau$ is one of them: $k_\tau=1$. In the Example with $c=1$ the breakpoint $0.01\,n_{1,i}/n_{2,i}$ tends to $0.09$; a smaller one among the first is the least for ever, and it is attained finitely often. Fixed constraints have $k_\tau=\tau$.`,
	Instead: `The Condition holds for the limit $\bar{g}$ of the averages, which is fixed, if it has a Slater point. Where the averages tend to $\bar{g}$ uniformly, all but finitely many are positive outside of $\{\bar{g}\le\delta\}$, for every $\delta>0$, so that the penalty grows linearly there.`,
	Cost:    "7 problems × 10 streams × 10000 rounds, not played",
	Checks: []Check{{
		Role:    Stated,
		What:    `$k_\tau$ on streams of the classes, with fixed constraints beside them`,
		Command: "bench diagnose --problem decaying-frequency --horizon 10000",
		Run:     activeAtBoundary,
	}},
}

func activeAtBoundary(l *Lab) (Finding, error) {
	const horizon = 10000
	const control = "fixed:dim=1"
	most, refuted, all := 0, 0, 0
	for _, problem := range []string{control, "decaying-frequency", "perturbed:dim=1", "perturbed:dim=1,noise=periodic", "family:dim=1", "family:dim=1,draw=iid", "iid:dim=1"} {
		for replicate := 1; replicate <= l.Repeat(10); replicate++ {
			o, err := l.playLine("", problem, replicate, horizon, nil)
			if err != nil {
				return Finding{}, err
			}
			for _, first := range []int{1, 100} {
				was, k := o.active(first, horizon/10), o.active(first, horizon)
				if problem == control {
					if k != horizon-first+1 {
						return Finding{Outcome: Undecided, Text: fmt.Sprintf("of fixed constraints %d averages are counted as active, which should be %d", k, horizon-first+1)}, nil
					}
					continue
				}
				if all++; 0 < k && k == was && k <= horizon/100 {
					refuted++
				}
				most = max(most, k)
			}
		}
	}
	f := Finding{
		Outcome: Undecided,
		Text:    fmt.Sprintf(`$k_\tau$, of all prefixes and of those from 100 on, is the same at $\tau=1000$ and at $\tau=10000$ in %d of %d cases, and at most %d; on fixed constraints it is the number of prefixes`, refuted, all, most),
		Values:  []Value{{"counts", float64(all)}, {"constant", float64(refuted)}, {"most-active", float64(most)}},
	}
	if refuted > 0 {
		f.Outcome = Refutes
	}
	return f, nil
}

// active is the least number of averages from first to last that are ≥ 0, up to
// rounding, at a point of the boundary of X̂^max inside D; 0 if there is none.
func (o *line) active(first, last int) (least int) {
	set := o.prefixes(first, last)
	if set.empty() {
		return 0
	}
	for _, x := range []float64{set.lower, set.upper} {
		if x == o.domain.lower || x == o.domain.upper {
			continue
		}
		n := 0
		for i := first - 1; i < last; i++ {
			a, b := float64(o.slope[i]*x), o.shift[i]
			if a+b >= -1e-12*(math.Abs(a)+math.Abs(b)) {
				n++
			}
		}
		if least == 0 || n < least {
			least = n
		}
	}
	return least
}
