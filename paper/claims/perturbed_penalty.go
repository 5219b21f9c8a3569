package claims

import (
	"fmt"

	"ocobench/convex"
	"ocobench/harness"
	"ocobench/problems"
)

var perturbedPenalty = checks{
	"late":    func(l *Lab) (Finding, error) { return lateHinges(l, "drifting-average:amplitude=-0.25,rate=0.25") },
	"factor":  missingGamma,
	"average": averageEnd,
}

// lateHinges plays max(0, x) + δ_i = max(0, x + m_i), as averages m_i ≤ 0 that are −i^(−1/4)/4
// have it. As δ_i ≤ 0, the excess is the violation.
func lateHinges(l *Lab, problem string) (Finding, error) {
	const horizon = 16000
	var excess [2]float64
	_, err := l.playLine("penalised-ftrl:gamma=5", problem, 1, horizon, func(o *line, t int) {
		if t == horizon/4 || t == horizon {
			excess[t/horizon] = o.penalty
		}
	})
	return excessFinding(`with $\delta_i=\max(0,x-\frac{1}{4}i^{-1/4})-\max(0,x)\le0$, $\sum h_i(x_i)$`, excess, horizon, 2.6), err
}

// excessFinding is the finding of an excess at a quarter of the horizon and at its end, which
// refutes what is to be O(√t) if it grows by more than the factor, of which √t has 2.
func excessFinding(what string, excess [2]float64, horizon int, factor float64) Finding {
	f := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`%s is %.4g at $t=%d$ and %.4g at $t=%d$`, what, excess[0], horizon/4, excess[1], horizon),
		Values:  []Value{{"excess", excess[1]}},
	}
	if excess[0] > 0 && excess[1] > factor*excess[0] {
		f.Outcome = Refutes
	}
	return f
}

// fading reveals the losses 1.5·t^(−1/4)·x, and the constraints 0 ≤ x ≤ 1.
type fading struct{ problems.Instance }

// Reveal implements [problems.Stream].
func (fading) Reveal(t int, _ []float64) *convex.Round {
	return &convex.Round{
		Loss:        &convex.Affine{A: []float64{1.5 / root4(t)}},
		Constraints: []convex.Func{&convex.Affine{A: []float64{1}, B: -1}, &convex.Affine{A: []float64{-1}}},
	}
}

func missingGamma(l *Lab) (Finding, error) {
	const horizon, gamma = 16000, 25
	s := &fading{problems.Instance{Domain: convex.Cube(1, -1, 2), M: 2}}
	f := newFollower(s, sqrt, func(t int, r convex.Round, sum *convex.Sum) {
		sum.Add(1, r.Loss)
		sum.Add(1, &convex.Affine{A: []float64{-gamma / root4(t)}}) // γδ_t
		sum.SetGamma(gamma)
		for _, g := range r.Constraints {
			hinge := convex.NewForm(1)
			g.AddTo(hinge, 1)
			sum.AddHinge(1, hinge)
		}
	})
	regret, delta := 0., 0.
	var excess [2]float64
	err := l.PlayLearner(f, s, horizon, Observe(func(t int, x []float64, r *convex.Round) error {
		regret += r.Loss.Value(x) // against y = 0
		delta -= x[0] / root4(t)
		if t == horizon/4 || t == horizon {
			excess[t/horizon] = regret + delta
		}
		return nil
	}))
	return excessFinding(`with $\delta_i=-i^{-1/4}x$ and $\gamma=25$, the regret against $y=0$ plus $\sum\delta_i(x_i)-\delta_i(y)$`, excess, horizon, 2.6), err
}

// averageEnd plays perturbed constraints g + b_i. With b̲ the average of b at the horizon
// the penalty is H + δ_i, H = Σ_j max(0, g_j + b̲_j), and |δ_i^{(j)}| is at most Δ_i^{(j)}, the
// distance from b̲ of the average of b so far.
func averageEnd(l *Lab) (Finding, error) {
	const horizon, margin = 400, 0.25
	var regrets, violations Worst
	for _, problem := range []string{"perturbed:dim=3,noise=drift", "perturbed:dim=3,constraints=2,noise=periodic", "perturbed:dim=1,amplitude=0.1"} {
		for replicate := 1; replicate <= l.Repeat(20); replicate++ {
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return Finding{}, err
			}
			// b̲, and the fixed constraints g + b̲.
			var end averages
			n, m := s.Set().Dim(), s.Constraints()
			origin := make([]float64, n)
			h := harness.NewHindsight(s)
			for t := 1; t <= horizon; t++ {
				r := s.Reveal(t, nil)
				if err := end.Round(t, origin, r); err != nil {
					return Finding{}, err
				}
				if err := h.Round(t, nil, r); err != nil {
					return Finding{}, err
				}
			}
			y, err := best(h, "xmax") // {g + b̲ ≤ 0}
			if err != nil || y.Empty {
				return Finding{}, fmt.Errorf("%s, replicate %d: no best action: %w", problem, replicate, err)
			}
			eta := margin // z = 0 has g ≤ −margin
			for j := range m {
				eta = min(eta, -end.value(j, origin))
			}
			facts := s.Facts()
			rho := facts.Diameter / 2
			gamma := 2 * float64(facts.LossLipschitz*rho) / eta // E = 0
			var a averages
			losses, drift, deltas := 0., 0., 0. // Σf_i(x_i), ΣΔ, Σδ_i(x_i) − δ_i(y)
			delta := func(x []float64) float64 { return a.hinges(x) - end.hinges(x) }
			err = l.Play(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), problem, replicate, horizon, &a, Observe(func(t int, x []float64, r *convex.Round) error {
				if t > 1 {
					violations.See(end.hinges(x)/(1e-9+4*drift/float64(t-1)), `$\tau=%d$ of \texttt{%s}, replicate %d`, t-1, problem, replicate)
				}
				losses += r.Loss.Value(x)
				deltas += delta(x) - delta(y.Action)
				for j := range m {
					d := a.value(j, origin) - end.value(j, origin)
					drift += max(d, -d)
				}
				return nil
			}))
			if err != nil {
				return Finding{}, err
			}
			lipschitz := facts.LossLipschitz + float64(gamma*float64(float64(m)*facts.ConstraintLipschitz))
			bound := leaderBound(horizon, rho, lipschitz) - float64(gamma*deltas)
			regrets.See((losses-y.Value-y.Gap)/bound, `\texttt{%s}, replicate %d`, problem, replicate)
		}
	}
	f, g := violations.Finding(`with the bound $\frac{4}{\tau}\sum_{i\le\tau,j}d_i^{(j)}$, $H(x_{\tau+1})$ is`, 1e-6), regrets.Finding(`with the bound of FTRL less $\gamma\sum\delta_i(x_i)-\delta_i(y)$, the regret is`, 1e-9)
	f.Text += "; " + g.Text
	if g.Outcome != Survives {
		f.Outcome = g.Outcome
	}
	return f, nil
}
