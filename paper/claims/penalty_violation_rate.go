package claims

import (
	"fmt"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var penaltyViolationRate = Claim{
	Name:       "penalty-violation-rate",
	Place:      "Theorem 2, constraint violation",
	Sentence:   `Penalised FTRL has $V_t=\sum_{i\le t} h_i(x_i)\le O(\sqrt{t})$, if $\gamma$ is large.`,
	Hypothesis: `Conditions 1 and 2, and uniformly Lipschitz constraints; the proof says that $t_\epsilon=0$ can be taken.`,
	Statistic:  `the penalty violation $V_t$; under the condition its ratio to $\sum_{i\le t}\frac{1}{i}\sum_j \max(0,g_i^{(j)}(x_i))\le mB(1+\log t)$ in every round, $B$ being a bound of $|g_i^{(j)}|$`,
	Rule:       `as stated, a violation that is linear; under the condition, a ratio above 1, or a violation that grows after round $m\eta/\beta$`,
	Condition:  `$R_\tau=\kappa\sqrt{\tau}\|x-x_0\|^2$, $D$ is convex, the averages of all prefixes are $<-\eta$ at $z$ ($t_\epsilon=0$), the boundary is the one relative to $D$, and $\gamma$ is above the threshold of Theorem 1 with its signs mended`,
	Proof: `By Theorem 1 as mended, $x_i\in \hat{X}^{\max}_{i-1}$, so that the sum of the first $i-1$ constraints is $\le 0$ at $x_i$: $h_i(x_i)\le\frac{1}{i}\sum_j \max(0,g_i^{(j)}(x_i))\le mB/i$. A round that cuts $y$ off $\hat{X}^{\max}_{i-1}$ has, on the chord from $z$ to $y$, a point of the boundary where only its own $m$ averages are active: $m\ge k_i\ge(\beta/\eta)i$. ` +
		`So no round after $m\eta/\beta$ changes $\hat{X}^{\max}$, and $V_t\le mB(1+\log(m\eta/\beta))$ is bounded. ` +
		`With $t_\epsilon>0$ the early prefixes are part of $\hat{X}^{\max}_\tau$ for ever, and cannot be ignored. Let the first one pin it to a point where all averages of one constraint are active, and let those of another be $x-r_i$, ` +
		`$r_i$ swinging in $\log i$: Condition 2 holds, FTRL goes to where a share of order $1/\gamma$ of the $r_i$ is below it, and $r_i$ is below that in a share of all rounds: $V_t$ is linear, for every $\gamma$.`,
	Instead: `Condition 2 with $t_\epsilon=0$ gives $V_t=O(1)$, because it lets no constraint change $\hat{X}^{\max}$ after the first $m\eta/\beta$ rounds.`,
	Cost:    "2 games of 16000 rounds, and up to 240 games of 200 rounds",
	Checks: []Check{{
		Role:    Stated,
		What:    `the first round pins $\hat{X}^{\max}$ to a point, and $t_\epsilon=1$; the threshold is 12`,
		Command: "bench play --algorithm penalised-ftrl:gamma=13 --problem pinned --horizon 16000",
		Run:     func(l *Lab) (Finding, error) { return linearPenalty(l, "pinned", 13, 25) },
	}, {
		Role:    Amended,
		What:    `$\gamma$ 0.1\,\% above the mended threshold, on streams whose averages tie and on fixed constraints in three dimensions`,
		Command: "bench play --algorithm penalised-ftrl:gamma=40 --problem fixed:dim=3,constraints=2 --horizon 200",
		Run: func(l *Lab) (Finding, error) {
			var worst Worst
			most, late, before := 0., 0., 0.
			err := l.growing(1.001, func(g growing, t int, _ float64, a *averages) {
				if float64(t) > g.last {
					late = max(late, a.penalty-before)
				}
				before = a.penalty
				worst.See(a.penalty/(1e-9+a.thinned), `$t=%d$ of %s`, t, g.name)
				most = max(most, a.penalty/float64(float64(len(a.sums))*g.bound*(1+vec.Log(float64(t)))))
			})
			f := worst.Finding("", 1e-6)
			f.Text = fmt.Sprintf(`under the condition $V_t$ is at most %.4g times $\sum_{i\le t}\frac{1}{i}\sum_j \max(0,g_i^{(j)}(x_i))$ in every round, and at most %.4g times $mB(1+\log t)$`, worst.Ratio, most)
			if late > 1e-9 {
				f.Outcome = Refutes
				f.Text += fmt.Sprintf(`; a round after $m\eta/\beta$ adds %.4g`, late)
			} else {
				f.Text += `; no round after $m\eta/\beta$ adds to it`
			}
			return f, err
		},
	}},
}

// linearPenalty plays penalised FTRL and asks whether the penalty violation is linear: per
// round it loses at most a quarter over the last factor of ten, a period of pinned.
func linearPenalty(l *Lab, problem string, gammas ...int) (Finding, error) {
	const horizon = 16000
	f := Finding{Outcome: Refutes}
	for k, gamma := range gammas {
		var a averages
		var rates []float64
		err := l.Play(fmt.Sprintf("penalised-ftrl:gamma=%d", gamma), problem, 1, horizon, &a, Observe(func(t int, _ []float64, _ *convex.Round) error {
			if t == horizon/100 || t == horizon/10 || t == horizon { // whole periods apart
				rates = append(rates, a.penalty/float64(t))
			}
			return nil
		}))
		if err != nil {
			return Finding{}, err
		}
		if !(rates[2] > 0.75*rates[1] && rates[1] > 0) {
			f.Outcome = Survives
		}
		if k == 0 {
			f.Text = fmt.Sprintf(`on \texttt{%s}, `, problem)
		} else {
			f.Text += "; "
		}
		f.Text += fmt.Sprintf(`with $\gamma=%d$, $V_t/t$ is %.4g, %.4g and %.4g at $t=%d$, %d and %d`, gamma, rates[0], rates[1], rates[2], horizon/100, horizon/10, horizon)
		f.Values = append(f.Values, Value{fmt.Sprintf("violation-per-round-gamma-%d", gamma), rates[2]})
	}
	return f, nil
}
