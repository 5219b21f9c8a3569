package problems

import (
	"math/rand/v2"

	"ocobench/convex"
)

var regimeSwitch = Problem{
	Name:  "regime-switch",
	Title: "Regime switch",
	Doc: "x ≤ 0 in every round, with losses that at first pull away from the constraint and " +
		"then push against it",
	Reference: "none in the literature: whatever is learnt of the constraint from the violations of " +
		"the first rounds is wrong",
	Definition: []string{
		"$D = [−1, 1]$, $g_t(x) = x$, and $f_t(x) = x$ for $t ≤ switch$, then $f_t(x) = −slope·x$.",
	},
	Version: 1,
	Params:  RegimeSwitchParams{Switch: 100, Slope: 2},
	New:     Typed(newRegimeSwitch),
}

// RegimeSwitchParams are the parameters of regime-switch. Call the switch n and the slope s.
// All comparators are [−1, 0]. Penalised FTRL needs γ ≥ s. In the first rounds nothing
// is violated, whatever γ is. A rule that increases γ while there are violations, and
// freezes it after some rounds without any, therefore freezes the first γ if n exceeds
// this number of rounds. With a frozen γ < s the action tends to 1.
type RegimeSwitchParams struct {
	Switch int     `name:"switch" doc:"n: the last round of the first regime" min:"0" max:"1000000000"`
	Slope  float64 `name:"slope" doc:"s: the losses are −sx in the second regime" above:"0" max:"1e6"`
}

// regimeSwitchStream reveals one loss up to round n, and another one afterwards.
type regimeSwitchStream struct {
	Instance
	switchRound int // n, the last round of the first regime
	losses      [2]convex.Func
}

// newRegimeSwitch returns the stream at round 1.
func newRegimeSwitch(p RegimeSwitchParams, _ *rand.Rand) (Stream, error) {
	affine := func(a float64) convex.Func { return convex.Freeze(&convex.Affine{A: []float64{a}}) }
	steepest := max(1, p.Slope)
	s := &regimeSwitchStream{
		Instance: Instance{
			Domain: convex.Cube(1, -1, 1),
			M:      1,
			Declared: convex.Facts{
				LossLipschitz: steepest, ConstraintLipschitz: 1, LossRange: 2 * steepest, ConstraintBound: 1,
				Diameter: 2, Slater: 1, Feasible: true, Fixed: true, Affine: true, IID: true,
				KnownConstraints: true, Deterministic: true,
			},
		},
		switchRound: p.Switch,
		losses:      [2]convex.Func{affine(1), affine(-p.Slope)},
	}
	s.Round.Constraints = []convex.Func{affine(1)}
	return s, nil
}

// Reveal implements [Stream].
func (s *regimeSwitchStream) Reveal(t int, _ []float64) *convex.Round {
	loss := s.losses[0]
	if t > s.switchRound {
		loss = s.losses[1]
	}
	return s.Show(loss, s.Round.Constraints)
}
