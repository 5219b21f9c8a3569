package claims

import (
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness"
)

var fixedConstraints = checks{
	"actions": func(l *Lab) (Finding, error) { return fixedActions(l, 1) },
	"regret":  fixedRegret,
	"first-round": func(l *Lab) (Finding, error) {
		game := &sums{}
		err := l.Play("penalised-ftrl:gamma=16", "vaze-sinha", 1, 1, game)
		return Finding{Outcome: refutesIf(game.hard > 0), Text: fmt.Sprintf("$x_1$ violates the constraint by %.4g, and $F_1(x_1) = f_1(x_1) + %.4g$", game.hard, 16*game.hard)}, err
	},
}

var fixedProblems = []string{"fixed", "fixed:dim=3,constraints=3", "fixed:dim=3,kind=quadratic,curvature=1", "fixed:set=ball,kind=norm,constraints=2", "fixed:curvature=2,loss-noise=3", "vaze-sinha"}

// fixedGames plays Penalised FTRL, with γ times a factor, and FTRL on X beside it, and
// looks at every round but the first.
func (l *Lab) fixedGames(factor float64, look func(g *fixedGame) error) error {
	const T = 300
	for _, problem := range fixedProblems {
		for replicate := 1; replicate <= l.Repeat(5); replicate++ {
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return err
			}
			f := s.Facts()
			if f.Deterministic && replicate > 1 {
				break
			}
			g := &fixedGame{problem: problem, replicate: replicate, facts: f, rho: reach(s.Set(), make([]float64, s.Set().Dim())), hindsight: harness.NewHindsight(s)}
			gamma := factor * (f.LossRange + float64(g.rho*g.rho) + 1) / f.Slater
			start := func(algorithm string) (learner algorithms.Learner, err error) {
				c, err := one(algorithm, l.Catalog.Contenders)
				if err != nil {
					return nil, err
				}
				return c.Learner(s, 1, replicate, T)
			}
			penalised, err := start(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma))
			if err != nil {
				return err
			}
			onSet, err := start("ftrl:kappa=1")
			if err != nil {
				return err
			}
			y := make([]float64, s.Set().Dim())
			err = l.PlayLearner(penalised, s, T, g.hindsight, &g.sums, Observe(func(t int, x []float64, r *convex.Round) error {
				onSet.Act(y)
				g.t, g.round, g.x, g.apart = t, *r, x, vec.Dist(x, y)
				g.gap = penalised.(algorithms.Certified).Cert().Gap
				g.allowed = 1e-9
				if t > 1 { // the objectives are 2√(t−1)-strongly convex
					other := onSet.(algorithms.Certified).Cert().Gap
					root := math.Sqrt(float64(t - 1))
					g.allowed += math.Sqrt(g.gap/root) + math.Sqrt(other/root)
					if err := look(g); err != nil {
						return err
					}
				}
				return onSet.Observe(y, *r)
			}))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// fixedGame is a game at a round.
type fixedGame struct {
	problem        string
	replicate, t   int
	facts          convex.Facts
	rho            float64
	sums           sums
	hindsight      *harness.Hindsight
	round          convex.Round
	x              []float64
	gap            float64 // of the action's minimisation
	apart, allowed float64 // distance from FTRL on X, and what both gaps admit
}

func fixedActions(l *Lab, factor float64) (Finding, error) {
	var worst Worst
	rounds := 0
	err := l.fixedGames(factor, func(g *fixedGame) error {
		h := 0.0
		for _, c := range g.round.Constraints {
			h += max(0, c.Value(g.x))
		}
		rounds++
		worst.See(h/(float64(g.facts.Slater*g.gap)+harness.Negligible), `the violation in round %d of \texttt{%s}, replicate %d`, g.t, g.problem, g.replicate)
		worst.See(g.apart/g.allowed, `the distance in round %d of \texttt{%s}, replicate %d`, g.t, g.problem, g.replicate)
		return nil
	})
	f := Finding{Outcome: refutesIf(!(worst.Ratio <= 1)), Text: fmt.Sprintf("in %d rounds $t \\ge 2$, the actions are those of FTRL on $X$ and violate nothing, up to certified gaps", rounds)}
	if f.Outcome == Refutes {
		f.Text = fmt.Sprintf("%.4g times what certified gaps admit is %s", worst.Ratio, worst.At)
	}
	return f, err
}

func fixedRegret(l *Lab) (Finding, error) {
	var worst Worst
	err := l.fixedGames(1, func(g *fixedGame) error {
		best, err := g.hindsight.Solve()
		if err != nil {
			return err
		}
		worst.See((g.sums.loss-best[0].Value)/leaderBound(g.t, g.rho, g.facts.LossLipschitz), `round %d of \texttt{%s}, replicate %d`, g.t, g.problem, g.replicate)
		return nil
	})
	return worst.Finding("the regret of $f$ on $X$, whose bound is that of claim 11, is", 0), err
}
