package claims

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

var relaxation = Claim{
	Name:  "relaxation",
	Place: "Corollary 1",
	Sentence: `With Condition 2 for the constraints $P_+$ alone, and $\sum_{i\le t} \max(0,\frac{1}{i}\sum_{k\le i} g_k^{(j)}(x))\le O(\sqrt{t})$ for the others, ` +
		`regret and violation stay $O(\sqrt{t})$, against $\hat{X}^{\max}_t$ of $P_+$.`,
	Hypothesis: `Those of Theorem 2, but for Condition 2 of the constraints that are not in $P_+$. The assumption on these is read for all fixed $x\in D$; the paper does not say which $x$ it means.`,
	Statistic:  `the penalty violation; under the condition its ratio, and that of the regret, to explicit bounds with $C_t=\sum_{i\le t} \sup_D h_i^-$, where $h_i^-$ is the penalty of the constraints outside of $P_+$`,
	Rule:       `as stated, a violation that is linear, or that grows by more than 6 while $t$ grows by 16, where $\sqrt{t}$ grows by 4; under the condition, a ratio above 1`,
	Condition:  `as for Theorem 2: $R_\tau=\kappa\sqrt{\tau}\|x-x_0\|^2$, a convex $D$, $t_\epsilon=0$; and $C_t\le O(\sqrt{t})$, which the assumption implies where $D$ is a polytope`,
	Proof: `Regret: for $y$ in $\hat{X}^{\max}_t$ of $P_+$, $\sum h_i(y)\le C_t$, so that with $\kappa=1$ $\sum f_i(x_i)-f_i(y)\le\rho^2\sqrt{t}+\frac{1}{4}L^2(1+2\sqrt{t})+\gamma C_t$. ` +
		`Violation: Lemma 6 with $R_\tau+\sum f_i+\gamma\sum h_i^-$ as the objective gives $x_{\tau+1}\in \hat{X}^{\max}_\tau$ of $P_+$ if $\gamma\beta\tau\ge(E+L)\tau+\gamma C_\tau+1$, which holds from some $\tau_0$ on if $\gamma\beta>E+L$. ` +
		`Then $V_t\le C_t+mB(1+\log t)+mB\tau_0$. On a polytope the convex $h_i^-$ is at most the sum of its values at the vertices. ` +
		`On a disc it is not: the averages $u_i\cdot x-(1-i^{-1/3})$, $u_i$ at the angle $\log i$, are positive at an $x$ for $O(i^{5/6})$ rounds of a turn, and sum to $O(\sqrt{t})$; at the $u_i$ they sum to $\frac{3}{2}t^{2/3}$. With $\sum f_i=-tu_t\cdot x$ the leader stays next to $u_t$ for every $\gamma$, since the slope of all penalties is $O(\gamma t^{5/6})$. ` +
		`With $t_\epsilon>0$, the counterexample to Theorem 2 is one, for $P_+$ may be all constraints.`,
	Cost: "a game of 1024 rounds in the plane, a game of 16000 rounds, and 20 games of 4000 rounds",
	Checks: []Check{{
		Role:    Stated,
		What:    `$P_+$ of all constraints and $t_\epsilon=1$`,
		Command: "bench play --algorithm penalised-ftrl:gamma=13 --problem pinned --horizon 16000",
		Run: func(l *Lab) (Finding, error) {
			f, err := linearPenalty(l, "pinned", 13)
			f.Text = "where all constraints are in $P_+$ and $t_\\epsilon=1$, " + f.Text
			return f, err
		},
	}, {
		Role: Stated,
		What: `averages $u_i\cdot x-(1-i^{-1/3})$ on the unit disc, $u_i$ at the angle $\log i$, outside of $P_+$, and losses that pull to $u_i$; $\gamma=2$`,
		Run:  turningCap,
	}, {
		Role:    Amended,
		What:    `$P_+$ with the fixed constraint $x\le 5$, beside the two of the Example with $c=\frac{1}{2}$, whose penalty grows too slowly; $\gamma=25$, every hundredth round`,
		Command: "bench play --algorithm penalised-ftrl --problem decaying-frequency:c=0.5,constraints=2 --horizon 4000",
		Run:     func(l *Lab) (Finding, error) { return relaxed(l, 25) },
	}},
}

// withFixed is a stream with one more constraint, the same in every round.
type withFixed struct {
	problems.Stream
	g convex.Func
}

func (s withFixed) Constraints() int { return s.Stream.Constraints() + 1 }

func (s withFixed) Reveal(t int, x []float64) *convex.Round {
	r := s.Stream.Reveal(t, x)
	return &convex.Round{Loss: r.Loss, Constraints: append([]convex.Func{s.g}, r.Constraints...)}
}

func relaxed(l *Lab, gamma float64) (Finding, error) {
	const horizon = 4000
	var regrets, violations Worst
	far := []float64{10} // where the penalty of x ≤ 0 is largest
	outside := 0
	for replicate := 1; replicate <= l.Repeat(20); replicate++ {
		inner, err := l.Stream("decaying-frequency:c=0.5,constraints=2", replicate)
		if err != nil {
			return Finding{}, err
		}
		s := withFixed{inner, &convex.Affine{A: []float64{1}, B: -5}}
		learner, err := l.Learner(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), s, horizon)
		if err != nil {
			return Finding{}, err
		}
		var a averages
		losses, c := 0., 0. // c is C_t
		err = l.PlayLearner(learner, s, horizon, &a, Observe(func(t int, x []float64, r *convex.Round) error {
			losses += r.Loss.Value(x)
			c += max(0, a.value(1, far)) + max(0, a.value(2, far))
			if x[0] > 0 {
				outside++
			}
			if t%100 != 0 {
				return nil
			}
			regret := losses + float64(2*5*t) // against x = 5, the best action of P_+
			regrets.See(regret/(leaderBound(t, 10, 2+float64(3*gamma))+float64(gamma*c)), `$t=%d$ of replicate %d`, t, replicate)
			// τ_0 = 0: 25·5·τ ≥ 20τ + 25·C_τ + 1, as C_τ ≤ 4τ
			violations.See(a.penalty/(c+float64(15*(1+vec.Log(float64(t))))), `$t=%d$ of replicate %d`, t, replicate)
			return nil
		}))
		if err != nil {
			return Finding{}, err
		}
	}
	f := violations.Finding(`with the bound $C_t+15(1+\log t)$, the penalty violation is`, 1e-9)
	g := regrets.Finding(`with the bound of FTRL plus $\gamma C_t$, the regret is`, 1e-9)
	f.Text += "; " + g.Text + fmt.Sprintf(`; $x_{\tau+1}>0$, outside of $\hat{X}^{\max}_\tau$ of all constraints, in %d rounds of %d`, outside, l.Repeat(20)*horizon)
	if g.Outcome != Survives {
		f.Outcome = g.Outcome
	}
	return f, nil
}

// turning reveals, on the unit disc, a constraint whose averages are u_t·x − (1 − t^(−1/3)),
// u_t = (cos log t, sin log t), and losses that sum to −t·u_t·x.
type turning struct{ problems.Instance }

// at is t·u_t, and the constant of the sum of the constraints.
func (turning) at(t int) (u [2]float64, shift float64) {
	if t == 0 {
		return u, 0
	}
	n := float64(t)
	angle := vec.Log(n)
	return [2]float64{float64(n * vec.Cos(angle)), float64(n * vec.Sin(angle))}, float64(vec.Pow(n, 2./3)) - n
}

// Reveal implements [problems.Stream].
func (s turning) Reveal(t int, _ []float64) *convex.Round {
	u, b := s.at(t)
	v, c := s.at(t - 1)
	x, y := u[0]-v[0], u[1]-v[1]
	return &convex.Round{
		Loss:        &convex.Affine{A: []float64{-x, -y}},
		Constraints: []convex.Func{&convex.Affine{A: []float64{x, y}, B: b - c}},
	}
}

func turningCap(l *Lab) (Finding, error) {
	const horizon = 1024
	disc, err := convex.NewBall([]float64{0, 0}, 1)
	if err != nil {
		return Finding{}, err
	}
	s := &turning{problems.Instance{Domain: disc, M: 1}}
	learner, err := l.Learner("penalised-ftrl:gamma=2", s, horizon)
	if err != nil {
		return Finding{}, err
	}
	var a averages
	var points [64][]float64 // of the circle
	var sums [64]float64     // of the penalty there
	for k := range points {
		angle := 2 * math.Pi * float64(k) / 64
		points[k] = []float64{vec.Cos(angle), vec.Sin(angle)}
	}
	var violation, fixed [2]float64
	err = l.PlayLearner(learner, s, horizon, &a, Observe(func(t int, _ []float64, _ *convex.Round) error {
		for k, x := range points {
			sums[k] += a.hinges(x)
		}
		if t == horizon/16 || t == horizon {
			violation[t/horizon], fixed[t/horizon] = a.penalty, slices.Max(sums[:])
		}
		return nil
	}))
	f := Finding{
		Outcome: Survives,
		Text: fmt.Sprintf(`with the constraint on the disc outside of $P_+$, $V_t/\sqrt{t}$ is %.4g at $t=%d$ and %.4g at $t=%d$, and the largest $\sum h_i(x)/\sqrt{t}$ of 64 fixed points $x$ is %.4g and %.4g`,
			violation[0]/sqrt(horizon/16), horizon/16, violation[1]/sqrt(horizon), horizon, fixed[0]/sqrt(horizon/16), fixed[1]/sqrt(horizon)),
	}
	if violation[1] > 1.5*4*violation[0] && fixed[1] < 1.2*4*fixed[0] {
		f.Outcome = Refutes
	}
	return f, err
}
