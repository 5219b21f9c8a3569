package claims

var iidRate = Claim{
	Name:       "iid-rate",
	Place:      "§4.6, I.i.d. Stochastic Constraints",
	Sentence:   `With the i.i.d. constraints of Yu, Neely and Wei, whose mean has a Slater point, Penalised FTRL has regret and violation $O(\sqrt{t})$ with respect to $X^{\max}_t$ with high probability.`,
	Hypothesis: `Draws from a family; $R_\tau=\sqrt{\tau}\,\|x\|^2$, a convex $D$, $\gamma$ large enough. Read as: for every $\delta$ a constant $C$ with $P(R_t\le C\sqrt{t}\text{ and }V_t\le C\sqrt{t})\ge1-\delta$ at each $t$.`,
	Statistic:  `in every round the penalty violation and the regret against $X^{\max}_t$ over the bounds of the proof, with the distances of the averages from the mean of the stream; the growth of the means over the last decade`,
	Rule:       `a value above its bound`,
	Proof: `Not by Condition 3, which fails with probability 1 (\texttt{iid-convergence}); the conclusion holds all the same. Let $\bar{g}=Eg_i$ and $e_i=\max_D|h_i-h|$ for the hinges $h$ of $\bar{g}$. With $a_k$ bounded by $a$, $Ee_i\le a\sum_kE|\hat{p}_{k,i}-p_k|\le C/\sqrt{i}$. The proof of \texttt{perturbed-average} uses $S_\tau=\sum_{i\le\tau}e_i$ alone: ` +
		`with $\gamma\mu>L$ the distance of $x_{\tau+1}$ from $\{\bar{g}\le0\}$ is at most a multiple of $S_\tau/\tau$, so that $EV_t=O(\sqrt{t})$. On $X^{\max}_t$ the penalties sum to at most $S_t+te_t$, so that the regret is at most $O(\sqrt{t})+\gamma(S_t+te_t)$, whose mean is $O(\sqrt{t})$. Markov's inequality gives the probability. ` +
		`As $g_i$ is independent of $x_i$, the mean of the soft violation is $O(\sqrt{t})$ too. Along a path, for all $t$ at once, the same proof gives $O(\sqrt{t\log\log t})$.`,
	Cost: "90 games of 10000 rounds",
	Checks: []Check{{
		Role:    Stated,
		What:    `i.i.d. families, i.i.d. perturbations and the Example with $c=1$`,
		Command: "bench play --algorithm penalised-ftrl --problem family:dim=1,draw=iid --horizon 10000",
		Run:     iidBounds,
	}},
}

func iidBounds(l *Lab) (Finding, error) {
	all := convergence{gamma: 25, now: true}
	for _, problem := range []string{"family:dim=1,draw=iid", "perturbed:dim=1", "decaying-frequency"} {
		for replicate := 1; replicate <= l.Repeat(30); replicate++ {
			if err := all.playToLimit(l, problem, replicate, 10000); err != nil {
				return Finding{}, err
			}
		}
	}
	return all.finding("i.i.d. streams"), nil
}
