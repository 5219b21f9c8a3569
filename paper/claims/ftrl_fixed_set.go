package claims

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/problems"
)

// Claim 1: FTRL needs a fixed action set for regret O(√t); this is intrinsic to the proof. Sets
// S_τ that change, and on which FTRL keeps to the bound for a fixed set, refute the claim: nested
// plays on X̂^max_τ, which shrinks, and measures the regret against the last set. Beside it, on
// sets that also grow the regret is linear.
var ftrlFixedSet = checks{
	"nested":  ftrlOnNestedSets,
	"growing": func(l *Lab) (Finding, error) { return ftrlOnGrowingSets(l, 1000) },
}

// changingSet says which actions a [leaderOnSets] may choose: those of X̂^max, or those that
// satisfy the constraints of the last round.
type changingSet int

const (
	prefixSet changingSet = iota
	lastRoundSet
)

// leaderOnSets follows the leader with the regulariser √τ‖x−x_0‖², x_0 = Π(0), over a set that
// changes from round to round.
type leaderOnSets struct {
	kind      changingSet
	t         int
	x, center []float64       // the next action, and x_0
	set       *convex.Program // the set
	cum       []*convex.Form  // the constraints: sums over the rounds so far, or of the last round
	losses    *convex.Form    // Σ f_i
	objective *convex.Form    // Σ f_i plus the regulariser
}

// newLeaderOnSets returns the learner before round 1, on the domain of the stream.
func newLeaderOnSets(s problems.Stream, kind changingSet) *leaderOnSets {
	n := s.Set().Dim()
	l := &leaderOnSets{
		kind: kind, x: make([]float64, n), center: make([]float64, n),
		set:    convex.NewProgram(s.Set()),
		losses: convex.NewForm(n), objective: convex.NewForm(n),
	}
	s.Set().Project(l.x, l.x)
	copy(l.center, l.x)
	for range s.Constraints() {
		l.cum = append(l.cum, convex.NewForm(n))
	}
	return l
}

// Act implements [algorithms.Learner].
func (l *leaderOnSets) Act(dst []float64) { copy(dst, l.x) }

// Observe implements [algorithms.Learner].
func (l *leaderOnSets) Observe(_ []float64, r convex.Round) error {
	l.t++
	if l.kind == lastRoundSet {
		l.set.Reset()
	}
	for j, g := range r.Constraints {
		if l.kind == lastRoundSet {
			l.cum[j].Reset()
		}
		g.AddTo(l.cum[j], 1)
		l.set.Constrain(l.cum[j])
	}
	r.Loss.AddTo(l.losses, 1)
	l.objective.Reset()
	l.losses.AddTo(l.objective, 1)
	regulariser := convex.HalfSquaredDistance{Weight: 2 * math.Sqrt(float64(l.t)), Center: l.center}
	regulariser.AddTo(l.objective, 1)
	_, err := l.set.Minimize(l.x, l.objective)
	return err
}

// ftrlOnNestedSets compares the regret against X̂^max_t with the bound of FTRL in every round of
// 150, on random and on adversarial streams.
func ftrlOnNestedSets(l *Lab) (Finding, error) {
	var worst Worst
	err := l.eachTrial(10, []string{
		"soft-gap", "mannor", "shrinking", "decaying-frequency:c=0.5", "iid:dim=2,constraints=2",
		"perturbed:noise=adversarial",
	}, func(p *trial) error {
		if p.repeatsFirstReplicate() {
			return nil
		}
		learner := newLeaderOnSets(p, prefixSet)
		rho, lipschitz := convex.LargestDistance(p.Set(), learner.center), p.Facts().LossLipschitz
		return l.PlayLearner(learner, p, 150,
			compareEvery(p, 1, func(t int, played *sums, best []game.Best) {
				worst.Add((played.loss-best[overXHatMax].Value)/leaderBound(t, rho, lipschitz), `round %d of %v`, t, p)
			}))
	})
	return Finding{
		Outcome: refutesIf(worst.Ratio <= 1),
		Text:    fmt.Sprintf(`on the sets $\hat{X}^{\max}_\tau$, which shrink, the regret of FTRL is at most %.4g times the bound of a fixed set, at %s`, worst.Ratio, worst.At),
	}.withWorst(&worst), err
}

// ftrlOnGrowingSets plays on the set of the last round, which is [0, 1] and {0} in turn: each
// action is chosen from the other set. The regret against 0 is t/2 in every even round, up to
// rounding.
func ftrlOnGrowingSets(l *Lab, horizon int) (Finding, error) {
	s, err := l.Stream("alternating", 1)
	if err != nil {
		return Finding{}, err
	}
	loss, linear := 0., true
	err = l.PlayLearner(newLeaderOnSets(s, lastRoundSet), s, horizon,
		compareEvery(s, 1, func(t int, played *sums, best []game.Best) {
			loss = played.loss
			if t%2 == 0 {
				linear = linear && loss-best[overXMin].Value >= float64(0.499999999*float64(t))
			}
		}))
	bound := leaderBound(horizon, 1, s.Facts().LossLipschitz)
	return Finding{
		Outcome: refutesIf(!linear || loss <= bound),
		Text:    fmt.Sprintf(`on the sets $[0,1]$ and $\{0\}$ in turn, the regret of FTRL against $0$, the one action of $X^{\min}_t$, is $t/2$ in every even round; at $t=%d$ it is %.4g, and the bound of a fixed set %.4g`, horizon, loss, bound),
		Values:  []Value{{"regret", loss}, {"bound", bound}},
	}, err
}
