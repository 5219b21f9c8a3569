package claims

import (
	"fmt"
	"math"

	"ocobench/convex"
)

var familiesRate = Claim{
	Name:       "families-rate",
	Place:      `§4.6, Families Of Constraints; Example, "we claim"`,
	Sentence:   `$1/\sqrt{t}$-convergence of the frequencies (Condition 3) is sufficient for regret and penalty violation $O(\sqrt{t})$ against $X=\{\sum_kp_ka_k\le0\}$; the $p_k$ need not be known.`,
	Hypothesis: `Convex $a_k$, Lipschitz and bounded; $|p_{k,\tau}-p_k|\le\epsilon/\sqrt{\tau}$; $\gamma$ large enough; $R_\tau=\sqrt{\tau}\,\|x\|^2$ and a convex $D$. The section asks for no Slater point.`,
	Statistic:  `in every round, the penalty violation and the regret against $X$, over the bounds of the proof, with $|h_i-h|$ of the stream; without a Slater point the growth of the violation`,
	Rule:       `a value above its bound; for every $\gamma$ tried a violation that is more than $0.9t/(4\gamma^2)$ at $t=1000$ and at $t=10000$`,
	Condition:  `the limits have a Slater point, $\sum_kp_k^{(j)}a_k^{(j)}(z)\le-\eta<0$ for all $j$, and $\gamma\eta>L\,\mathrm{diam}\,D$; for affine $a_k$ and a polytope $D$ only that $X$ is not empty and $\gamma$ is large`,
	Proof: `Let $\bar{g}_j=\sum_kp_ka_k$ and $h=\sum_j\max(0,\bar{g}_j)$. The condition on frequencies, which needs only some $\epsilon$, gives $|h_i-h|\le C/\sqrt{i}$ on $D$. The Slater point gives $h\ge\mu\,\mathrm{dist}(\cdot,X)$, $\mu=\eta/\mathrm{diam}\,D$; where all is polyhedral Hoffman's bound does. Then the proof of \texttt{perturbed-average} applies word for word, with $X$ the same at all times. ` +
		`Counterexample without a Slater point: one function, $a(x)=x^2$, $f=-x$. The minimiser of $\sqrt{\tau}\,x^2-\tau x+\gamma\tau x^2$ is $1/(2\gamma+2/\sqrt{\tau})$, so that $V_t/t$ tends to $1/(4\gamma^2)$, for every $\gamma$.`,
	Cost: "43 games of 10000 rounds",
	Checks: []Check{{
		Role:    Stated,
		What:    `one function, $x^2$, whose frequency is 1 and whose set $\{0\}$ has no interior`,
		Command: "bench play --algorithm penalised-ftrl --problem drifting-average:kind=quadratic,amplitude=0 --horizon 10000",
		Run:     familyWithoutSlater,
	}, {
		Role:    Amended,
		What:    `families that converge at the rates $t^{-1/2}$ and $t^{-1}$, with $\gamma=3$ and $\gamma=25$`,
		Command: "bench play --algorithm penalised-ftrl --problem family:dim=1 --horizon 10000",
		Run:     familyBounds,
	}},
}

func familyWithoutSlater(l *Lab) (Finding, error) {
	least, share := math.Inf(1), 0.
	for _, gamma := range []float64{5, 25, 100} {
		var v float64
		marks := map[int]float64{}
		err := l.Play(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), "drifting-average:kind=quadratic,amplitude=0", 1, 10000,
			Observe(func(t int, x []float64, _ *convex.Round) error {
				v += float64(x[0] * x[0]) // h_t, for the average is x²
				marks[t] = v
				return nil
			}))
		if err != nil {
			return Finding{}, err
		}
		for _, t := range []int{1000, 10000} {
			least = math.Min(least, marks[t]*4*gamma*gamma/float64(t))
		}
		if gamma == 25 {
			share = v / 10000
		}
	}
	f := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`where the one function is $x^2$, with $\gamma=5$, 25 and 100, the violation is at least %.3g times $t/(4\gamma^2)$; with $\gamma=25$ it is $%.3gt$`, least, share),
		Values:  []Value{{"least-ratio", least}, {"share", share}},
	}
	if least > 0.9 {
		f.Outcome = Refutes
	}
	return f, nil
}

func familyBounds(l *Lab) (Finding, error) {
	all := convergence{}
	for _, problem := range []string{"family:dim=1", "family:dim=1,rate=1"} {
		for replicate := 1; replicate <= l.Repeat(10); replicate++ {
			for _, all.gamma = range []float64{3, 25} {
				if err := all.playToLimit(l, problem, replicate, 10000); err != nil {
					return Finding{}, err
				}
			}
		}
	}
	return all.finding("families"), nil
}
