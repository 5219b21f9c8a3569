package claims

import (
	"fmt"
	"math"
)

var familiesSets = Claim{
	Name:       "families-sets",
	Place:      `§4.6, Families Of Constraints, "observe that"`,
	Sentence:   `For families with $1/\sqrt{t}$-convergence $\hat{X}^{\max}_t=X^{\max}_\infty=\{\sum_kp_ka_k\le0\}$, the strong benchmark.`,
	Hypothesis: `Condition 3; $\hat{X}^{\max}_t$ as the Introduction and Theorem 2 define it, by all prefixes.`,
	Statistic:  `the length of $X^{\max}_\infty$ that is outside of $\hat{X}^{\max}_t$, of $\hat{X}^{\max}_t$ outside of $X^{\max}_\infty$, and of both for $X^{\max}_t$, on an interval $D$ of length 2`,
	Rule:       `a part of $X^{\max}_\infty$ outside of $\hat{X}^{\max}_t$ that is longer than 0.01 and the same at $t=1000$ and $t=10000$`,
	Proof: `$\hat{X}^{\max}_1=\{g_1\le0\}$ is the set of a single function, and $\hat{X}^{\max}_t$ only shrinks. So with $g_1=a_1$, $a_1=x+\tfrac{1}{2}$, $a_2=x-\tfrac{1}{2}$ and equal frequencies $\hat{X}^{\max}_t\subseteq\{x\le-\tfrac{1}{2}\}$ for all $t$, while $X^{\max}_\infty=\{x\le0\}$. ` +
		`A point whose prefixes all sum to at most 0 has limit at most 0: $\hat{X}^{\max}_t$ shrinks to a subset of $X^{\max}_\infty$ always.`,
	Instead: `$X^{\max}_t$ tends to $X^{\max}_\infty$, at the rate $1/\sqrt{t}$ with a Slater point, and $\hat{X}^{\max}_t$ does not: the first prefixes make it smaller, and it may be empty. The section also calls the limit set $\hat{X}^{\max}_t$; so read, the equality says nothing.`,
	Cost:    "3 problems × 20 streams × 10000 rounds, not played",
	Checks: []Check{{
		Role:    Stated,
		What:    `the sets of families that converge at the rates $t^{-1/2}$ and $t^{-1}$, and of periodic patterns`,
		Command: "bench hindsight --problem family:dim=1 --horizon 10000",
		Run:     familySets,
	}},
}

func familySets(l *Lab) (Finding, error) {
	const horizon = 10000
	all, lasting, longest, beyond, last := 0, 0, 0., 0., 0.
	for _, problem := range []string{"family:dim=1", "family:dim=1,rate=1", "periodic:dim=1"} {
		for replicate := 1; replicate <= l.Repeat(20); replicate++ {
			o, err := l.playLine("", problem, replicate, horizon, nil)
			if err != nil {
				return Finding{}, err
			}
			limit, x := o.where(o.limitSlope, o.limitShift), o.now()
			was, is := o.prefixes(1, horizon/10), o.prefixes(1, horizon)
			all++
			missing := limit.without(is)
			if missing > 0.01 && missing == limit.without(was) {
				lasting++
			}
			longest = math.Max(longest, missing)
			beyond = math.Max(beyond, is.without(limit))
			last = math.Max(last, limit.without(x)+x.without(limit))
		}
	}
	f := Finding{
		Outcome: Undecided,
		Text: fmt.Sprintf(`on %d of %d streams $\hat{X}^{\max}_t$ lacks a part of $X^{\max}_\infty$ that stays, of length %.3g at most; the part of $\hat{X}^{\max}_t$ outside of $X^{\max}_\infty$ has length %.2g at most; $X^{\max}_t$ differs from $X^{\max}_\infty$ by %.2g at most at $t=10000$`,
			lasting, all, longest, beyond, last),
		Values: []Value{{"streams", float64(all)}, {"lasting", float64(lasting)}, {"longest", longest}},
	}
	if lasting > 0 {
		f.Outcome = Refutes
	}
	return f, nil
}
