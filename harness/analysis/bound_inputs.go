package analysis

import (
	"cmp"
	"maps"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
)

// The bound of a claim is a function of the game's setup, which is what the learner is told before
// the game: the horizon, and what the problem declares of its rounds.

// boundInputs holds the claims of an experiment and the setups that their bounds are functions of.
type boundInputs struct {
	claims map[string][]algorithms.Claim // by the SPEC of the algorithm
	setups map[string]gameSetups         // by the SPEC of the problem
	tick   func(steps int)               // reports progress; may be nil
}

// newBoundInputs returns the claims of the algorithms, and the setups of the games on each problem,
// for which bounds are evaluated.
func newBoundInputs(c experiment.Catalog, r *run.Results) boundInputs {
	inputs := boundInputs{make(map[string][]algorithms.Claim), make(map[string]gameSetups), nil}
	for _, a := range r.Algorithms {
		inputs.claims[a.Spec] = c.Claims(a)
	}
	for _, p := range r.Problems {
		byGame, err := run.Setups(c, r, p)
		inputs.setups[p.Spec] = gameSetups{byGame, err}
	}
	return inputs
}

// tellProgress calls tick with the number of steps of [Unfitted.Fit] that were just done.
func (inputs boundInputs) tellProgress(steps int) {
	if inputs.tick != nil {
		inputs.tick(steps)
	}
}

// gameSetups holds the setup of every game of a problem, or why there is none. A problem with the
// same rounds at every horizon has one setup a replicate, whose key has the horizon 0.
type gameSetups struct {
	byGame map[run.GameAt]algorithms.Setup // of the replicates with a game
	err    error
}

// sortedGames returns the keys of the setups, in the order of the replicates and horizons.
func (s gameSetups) sortedGames() []run.GameAt {
	return slices.SortedFunc(maps.Keys(s.byGame), func(a, b run.GameAt) int {
		return cmp.Or(cmp.Compare(a.Replicate, b.Replicate), cmp.Compare(a.Horizon, b.Horizon))
	})
}

// setupOf returns the setup of a game.
func (s gameSetups) setupOf(replicate, horizon int) algorithms.Setup {
	setup, ok := s.byGame[run.GameAt{Replicate: replicate, Horizon: horizon}]
	if !ok {
		setup = s.byGame[run.GameAt{Replicate: replicate}]
	}
	setup.Horizon = horizon
	return setup
}

// boundsGrowth reports whether the problem declares how much one round can add to a metric that is
// [game.Metric.Linear], so that the metric grows at most like t.
func (s gameSetups) boundsGrowth(m game.Metric) bool {
	for _, setup := range s.byGame {
		f := setup.Facts
		declared := f.ConstraintBound != 0
		if m.Regret() {
			declared = f.LossRange != 0 || f.LossLipschitz != 0
		}
		if !declared {
			return false
		}
	}
	return len(s.byGame) > 0
}

// firstSetup returns the setup of the first replicate with a game, at its first horizon.
func (s gameSetups) firstSetup() (first algorithms.Setup, ok bool) {
	games := s.sortedGames()
	if len(games) == 0 {
		return first, false
	}
	return s.byGame[games[0]], true
}

// unitOf returns a [Factor] that has the unit of a metric on the problem and no value yet. Where no
// Lipschitz constant G is declared, the declared range of the losses takes the place of G·Δ.
func (s gameSetups) unitOf(m game.Metric) Factor {
	unit := Factor{Unit: 1}
	if !m.Linear || !s.boundsGrowth(m) {
		return unit
	}
	unit.Unit, unit.Name = 0, "B"
	if m.Regret() {
		unit.Name = "GΔ"
	}
	for _, setup := range s.byGame {
		f := setup.Facts
		size := f.ConstraintBound
		if m.Regret() {
			if size = float64(f.LossLipschitz * f.Diameter); size == 0 {
				size = f.LossRange
			}
		}
		unit.Unit = max(unit.Unit, Number(size))
	}
	return unit
}
