package claims

import (
	"errors"
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game"
)

// Claim 13: with constraints that do not change, a Slater point and γ large enough, (a) every
// x_{τ+1} is in X, (b) F_i(x_i) = f_i(x_i) for all i, and (c) the regret on X is O(√t).
//
//   - first-round: (b) fails at i = 1 if x_1, chosen before any constraint is known, is outside of
//     X.
//   - linear: (c) fails for a regulariser that Condition 1 admits.
//   - actions, regret: with the usual regulariser and from round 2 on, the actions must be those
//     of FTRL on X itself, and the regret must keep to the bound of FTRL.
var fixedConstraints = checks{
	"actions": func(l *Lab) (Finding, error) { return fixedActions(l, 1) },
	"regret":  fixedRegret,
	"linear":  regretLinearly,
	"first-round": func(l *Lab) (Finding, error) {
		played := &sums{}
		err := l.Play("penalised-ftrl:gamma=16", "vaze-sinha", 1, 1, played)
		return Finding{Outcome: refutesIf(played.hard > 0),
			Text: fmt.Sprintf("$x_1$ violates the constraint by %.4g, and $F_1(x_1) = f_1(x_1) + %.4g$",
				played.hard, 16*played.hard)}, err
	},
}

// fixedProblems have affine, quadratic and ball constraints, linear and curved losses, and first
// actions inside and outside of X.
var fixedProblems = []string{
	"fixed", "fixed:dim=3,constraints=3", "fixed:dim=3,kind=quadratic,curvature=1",
	"fixed:set=ball,kind=norm,constraints=2", "fixed:curvature=2,loss-noise=3", "vaze-sinha",
}

// fixedHorizon is the number of rounds of the games of [Lab.fixedGames].
const fixedHorizon = 300

// fixedGames plays Penalised FTRL on [fixedProblems] with γ = factor·(F+ρ²+1)/μ, where F is the
// range of the losses, ρ the radius of the domain and μ the Slater margin. start returns an
// observer of the game.
func (l *Lab) fixedGames(factor float64,
	start func(p *trial, rho float64, penalised algorithms.Learner) (game.Observer, error)) error {
	return l.eachTrial(5, fixedProblems, func(p *trial) error {
		if p.repeatsFirstReplicate() {
			return nil
		}
		f, rho := p.Facts(), p.domainRadius()
		gamma := factor * (f.LossRange + float64(rho*rho) + 1) / f.Slater
		penalised, err := p.learner(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), fixedHorizon)
		if err != nil {
			return err
		}
		observer, err := start(p, rho, penalised)
		if err != nil {
			return err
		}
		return l.PlayLearner(penalised, p, fixedHorizon, observer)
	})
}

// fixedActions plays FTRL on X beside Penalised FTRL and compares the actions from round 2 on. In
// round 1 it counts the actions outside of X.
func fixedActions(l *Lab, factor float64) (Finding, error) {
	var worst Worst
	var failed error
	rounds, games, outside := 0, 0, 0
	err := l.fixedGames(factor, func(p *trial, _ float64,
		penalised algorithms.Learner) (game.Observer, error) {
		onSet, err := p.learner("ftrl:kappa=1", fixedHorizon)
		y := make([]float64, p.Set().Dim())
		return roundObserver(func(t int, x []float64, r *convex.Round) {
			onSet.Act(y)
			h := 0.0
			for _, c := range r.Constraints {
				h += max(0, c.Value(x))
			}
			if t == 1 {
				if games++; h > 0 {
					outside++
				}
			} else {
				// The objectives are 2√(t−1)-strongly convex, so that a value within gap of the minimum
				// puts an action within √(gap/√(t−1)) of the minimiser.
				gap, setGap := penalised.(algorithms.Certified).Cert().Gap,
					onSet.(algorithms.Certified).Cert().Gap
				root := math.Sqrt(float64(t - 1))
				allowed := 1e-9 + (math.Sqrt(gap/root) + math.Sqrt(setGap/root))
				rounds++
				worst.Add(h/(float64(p.Facts().Slater*gap)+game.Negligible),
					`the violation in round %d of %v`, t, p)
				worst.Add(vec.Dist(x, y)/allowed, `the distance in round %d of %v`, t, p)
			}
			failed = errors.Join(failed, onSet.Observe(y, *r))
		}), err
	})
	f := Finding{Outcome: refutesIf(!(worst.Ratio <= 1)), Text: fmt.Sprintf("in %d rounds $t \\ge "+
		"2$, the actions are those of FTRL on $X$ and violate nothing, up to certified gaps; in %d of %d "+
		"games $x_1$ is outside of $X$", rounds, outside, games)}
	if f.Outcome == Refutes {
		f.Text = fmt.Sprintf("%.4g times what certified gaps admit is %s", worst.Ratio, worst.At)
	}
	return f.withWorst(&worst), errors.Join(err, failed)
}

// fixedRegret compares the regret against X from round 2 on with the bound of FTRL at
// [leaderBound].
func fixedRegret(l *Lab) (Finding, error) {
	var worst Worst
	err := l.fixedGames(1, func(p *trial, rho float64, _ algorithms.Learner) (game.Observer,
		error) {
		return compareEvery(p, 1, func(t int, played *sums, best []game.Best) {
			if t > 1 {
				worst.Add((played.loss-best[overXMin].Value)/leaderBound(t, rho, p.Facts().LossLipschitz),
					`round %d of %v`, t, p)
			}
		}), nil
	})
	return worst.Finding("the regret of $f$ on $X$, whose bound is that of claim 11, is", exact), err
}
