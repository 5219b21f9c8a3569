package experiment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/store"
)

// A parameter may be an expression of T and of facts, such as 1/√T; to bind it is to compute its
// number (expressions.go).
//
// The cells of a plan are laid out problem by problem: bind its expressions, if there are any
// (addCells); load its data and start every learner once (startAll); and add for each horizon and
// replicate the games and their comparators (cellBuilder). A cell of the largest horizon often has
// the numbers of smaller horizons too, and is then made only once.

// addCells plans the cells on one problem. If its expressions name T, it is another problem at
// every horizon, and no two horizons have a cell in common.
func (p *Plan) addCells(ctx context.Context, s Starter, problem *Problem) (errs []error) {
	if len(problem.open) == 0 {
		return p.addCellsAt(ctx, s, problem, p.Experiment.Horizon)
	}
	groups := [][]int{p.Experiment.Horizon}
	if problem.IsIndexed() {
		groups = nil
		for _, horizon := range p.Experiment.Horizon {
			groups = append(groups, []int{horizon})
		}
	}
	for _, horizons := range groups {
		bound, err := problem.Bind(horizons[len(horizons)-1])
		if err != nil {
			errs = append(errs, err)
		}
		bound.unbound = &problem.Configuration
		if len(errs) == 0 {
			errs = p.addCellsAt(ctx, s, &bound, horizons)
		}
		// The problem of the plan tells what its streams declare, too.
		problem.deterministic, problem.declares = bound.deterministic, bound.declares
	}
	return errs
}

// addCellsAt plans the cells on one problem at these horizons, in ascending order. The problem has
// numbers for its expressions.
func (p *Plan) addCellsAt(ctx context.Context, s Starter, problem *Problem,
	horizons []int) []error {
	fingerprint, err := problem.LoadReloadable() // the processes that run the cells load it again
	if err != nil {
		return []error{problem.Use.Pos.Refuse(err)}
	}
	largest := horizons[len(horizons)-1]
	checkpoints := game.Checkpoints(largest)
	b := cellBuilder{
		plan: p, problem: problem, fingerprint: fingerprint, largest: largest,
		extraHorizons: slices.DeleteFunc(slices.Clone(horizons), func(horizon int) bool {
			return slices.Contains(checkpoints, horizon)
		}),
		states: make(map[string][]algorithms.Metric), shared: make(map[cellGroup][]*Cell),
		bindings: make(map[binding]*Algorithm),
	}
	if err := b.startAll(ctx, s, horizons); err != nil {
		return []error{err}
	}
	problem.deterministic, problem.declares = b.stream.Deterministic, b.stream.Declares
	var errs []error
	for _, horizon := range horizons {
		playing, bindErrs := b.bindAlgorithms(horizon)
		if errs = append(errs, bindErrs...); len(errs) == 0 {
			b.addHorizon(playing, horizon)
		}
	}
	return errs
}

// cellBuilder adds the cells of a problem to a plan.
type cellBuilder struct {
	plan          *Plan
	problem       *Problem
	fingerprint   string
	largest       int   // the largest horizon
	extraHorizons []int // the horizons that are no checkpoints of the largest

	// From [cellBuilder.startAll]:
	stream  *Started // the zero value if no learner showed one
	playing []*Algorithm
	states  map[string][]algorithms.Metric // recorded states of the learners, by listed SPEC
	broken  error                          // why no stream could be started; nil if one was

	bindings map[binding]*Algorithm      // so that equal numbers give the same *Algorithm
	shared   map[cellGroup][]*Cell       // the cells that serve several horizons, by replicate
	pairs    map[cellGroup]*pairIdentity // at the horizon that is being added
}

// startAll starts every algorithm on the problem once, and finds those that play on it. It returns
// an error if the problem is at fault. The errors of learners that refuse are added to
// [Plan.startErrors]. A learner that crashes is planned like one that plays: its cells fail when
// they are run. If no stream could be started at all, all cells of the problem are broken.
func (b *cellBuilder) startAll(ctx context.Context, s Starter, horizons []int) error {
	p, problem := b.plan, b.problem
	play := func(algorithm *Algorithm) {
		b.playing, p.playing[algorithm] = append(b.playing, algorithm), true
	}
	var lastCrash error
	for i := range p.Algorithms {
		algorithm := &p.Algorithms[i]
		cell := Cell{Algorithm: algorithm, Problem: problem, Seed: p.Experiment.Seed,
			Horizon: horizons[0], Fingerprint: b.fingerprint}
		started, err := p.startLearner(ctx, s, cell, horizons)
		var crash *game.CrashError
		crashed := errors.As(err, &crash)
		if crashed {
			lastCrash = err
		}
		switch {
		case started == nil && crashed:
			play(algorithm)
			continue
		case started == nil:
			return problem.Use.Pos.Refuse(err)
		}
		if b.stream == nil {
			if err := game.CheckHorizon(started.Rounds, b.largest); err != nil {
				return problem.Use.Pos.Refuse(fmt.Errorf("problem %s: %w", problem.Spec, err))
			}
			b.stream = started
		}
		if err != nil && !crashed {
			p.startErrors = append(p.startErrors, startError{algorithm, problem, err, started})
			continue
		}
		if len(started.Unmet) > 0 {
			p.addUnmet(Unmet{algorithm.Spec, problem.Spec, started.Unmet})
			if p.Experiment.Assumptions != "ignore" {
				continue
			}
		}
		play(algorithm)
		b.states[algorithm.listedSpec()] = p.recordedStates(algorithm, started.States)
	}
	if b.stream == nil {
		b.stream, b.broken = new(Started), fmt.Errorf("the start of replicate 1: %w", lastCrash)
	}
	return nil
}

// startLearner starts the learner of a cell in replicate 1. A learner of recorded actions is
// started in the other replicates too, and for the largest horizon.
func (p *Plan) startLearner(ctx context.Context, s Starter, cell Cell, horizons []int) (*Started,
	error) {
	anyway := p.Experiment.Assumptions == "ignore"
	cell.Replicate = 1
	if cell.Algorithm.Feedback != algorithms.Recorded {
		return s.Start(ctx, &cell, anyway)
	}
	cell.Horizon = slices.Max(horizons)
	started, err := s.Start(ctx, &cell, anyway)
	for err == nil && cell.Replicate < p.Experiment.Replicates {
		cell.Replicate++
		_, err = s.Start(ctx, &cell, anyway)
	}
	return started, err
}

// startError reports a learner that did not start on a problem.
type startError struct {
	algorithm *Algorithm
	problem   *Problem
	err       error
	started   *Started // its Lack says what the learner assumes and misses, if that is known
}

// cellGroup names the cells of a kind and an algorithm on one problem, which differ in the horizon
// and the replicate.
type cellGroup struct {
	kind      string
	algorithm *Algorithm // or nil
}

// addHorizon adds the games and their comparators at a horizon. If the stream is deterministic and
// the algorithm draws nothing either, all replicates are equal, and only the first is played. The
// games of one replicate share their comparators, unless the stream adapts to the actions: then
// each game has its own.
func (b *cellBuilder) addHorizon(playing []*Algorithm, horizon int) {
	b.pairs = make(map[cellGroup]*pairIdentity)
	for replicate := 1; replicate <= b.plan.Experiment.Replicates; replicate++ {
		if b.stream.Deterministic && replicate == 2 { // and in the replicates after it
			playing = slices.DeleteFunc(slices.Clone(playing),
				func(algorithm *Algorithm) bool { return !algorithm.Draws })
		}
		if !b.stream.Adaptive && len(playing) > 0 {
			b.addComparators(nil, slices.ContainsFunc(playing, b.plan.needsMoving), replicate, horizon)
		}
		for _, algorithm := range playing {
			if b.stream.Adaptive {
				b.addComparators(algorithm, b.plan.needsMoving(algorithm), replicate, horizon)
			}
			b.addCell(cellGroup{store.Game, algorithm}, replicate, horizon)
		}
	}
}

// addComparators adds the comparators of the games of an algorithm, or of all algorithms if it is
// nil: a hindsight and, if moving is set, a moving comparator, which opaque functions do not have.
func (b *cellBuilder) addComparators(algorithm *Algorithm, moving bool, replicate, horizon int) {
	b.addCell(cellGroup{store.Hindsight, algorithm}, replicate, horizon)
	if moving && !b.stream.Opaque {
		b.addCell(cellGroup{store.Moving, algorithm}, replicate, horizon)
	}
}

// addCell adds an entry for a horizon, and its cell unless the cell of another horizon serves it.
func (b *cellBuilder) addCell(group cellGroup, replicate, horizon int) {
	p := b.plan
	shared := b.isShared(group, horizon)
	if shared && len(b.shared[group]) >= replicate {
		p.Entries = append(p.Entries, CellAt{b.shared[group][replicate-1], horizon})
		return
	}
	cell := &Cell{
		Kind: group.kind, Algorithm: group.algorithm, Problem: b.problem, Seed: p.Experiment.Seed,
		Replicate: replicate, Horizon: horizon, Fingerprint: b.fingerprint, Broken: b.broken,
	}
	if shared {
		cell.Horizon = b.largest
		b.shared[group] = append(b.shared[group], cell)
		if group.kind != store.Hindsight {
			cell.Also = b.extraHorizons
		}
	}
	if b.pairs[group] == nil {
		b.pairs[group] = newPairIdentity(cell)
		if group.kind == store.Game {
			b.pairs[group].requested = append(p.traceMetrics(group.algorithm),
				b.states[group.algorithm.listedSpec()]...)
		}
	}
	cell.pair = b.pairs[group]
	cell.Requested = cell.pair.requested
	p.Cells, p.Entries = append(p.Cells, cell), append(p.Entries, CellAt{cell, horizon})
}

// isShared reports whether the cell at the largest horizon serves this one too. A hindsight does so
// only at its own checkpoints: each of its solutions starts from the one before, so that one more
// in between would change the last bits of those that follow.
func (b *cellBuilder) isShared(group cellGroup, horizon int) bool {
	if group.algorithm != nil && !group.algorithm.IsAnytime() {
		return false
	}
	return group.kind != store.Hindsight || !slices.Contains(b.extraHorizons, horizon)
}

// requestedMetrics returns the metrics on request that the experiment asks for, or that a claim
// of the algorithm is about.
func (p *Plan) requestedMetrics(algorithm *Algorithm) []game.Metric {
	return game.Select(func(m game.Metric) bool {
		return m.OnRequest && (slices.Contains(p.Experiment.Metrics, string(m.Name)) ||
			slices.ContainsFunc(algorithm.ClaimsOf(algorithm.Params), func(claim algorithms.Claim) bool {
				return claim.Metric == m.Name
			}))
	})
}

// recordedStates returns the metrics that a learner shows of itself and that are recorded: all for
// a learner of another program, whose author chose to show them; otherwise only those that the
// experiment asks for. It adds these to [Plan.states], and all that are shown to
// [Plan.shownStates].
func (p *Plan) recordedStates(algorithm *Algorithm, shown []algorithms.Metric) []algorithms.Metric {
	for _, m := range shown {
		if !slices.Contains(p.shownStates, m) {
			p.shownStates = append(p.shownStates, m)
		}
	}
	recorded := slices.DeleteFunc(slices.Clone(shown), func(m algorithms.Metric) bool {
		return algorithm.Flag == "" && !slices.ContainsFunc(p.Experiment.Metrics,
			func(asked string) bool { return game.StateMatches(asked, m) })
	})
	for _, m := range recorded {
		if !slices.Contains(p.states, m) {
			p.states = append(p.states, m)
		}
	}
	return recorded
}

// traceMetrics returns the requested metrics that the trace of a game must record.
func (p *Plan) traceMetrics(algorithm *Algorithm) (names []algorithms.Metric) {
	for _, m := range p.requestedMetrics(algorithm) {
		if m.InTrace() {
			names = append(names, m.Name)
		}
	}
	return names
}

// needsMoving reports whether the games of an algorithm need the moving comparator: for a requested
// metric, or for the bound of a claim.
func (p *Plan) needsMoving(algorithm *Algorithm) bool {
	return slices.ContainsFunc(p.requestedMetrics(algorithm),
		func(m game.Metric) bool { return m.Moving != "" }) ||
		slices.ContainsFunc(algorithm.ClaimsOf(algorithm.Params), func(claim algorithms.Claim) bool {
			return claim.Moving != nil
		})
}

// binding identifies an algorithm whose expressions have the numbers of one horizon. The horizon is
// 0 if no expression names T, since the numbers are then the same at all horizons.
type binding struct {
	algorithm *Algorithm
	horizon   int
}

// bindAlgorithms returns the algorithms that play at a horizon, with numbers for their expressions.
// If no stream could be started, there are no facts to compute them from, and the expressions stay.
func (b *cellBuilder) bindAlgorithms(horizon int) (playing []*Algorithm, errs []error) {
	for _, algorithm := range b.playing {
		if len(algorithm.open) == 0 || b.broken != nil {
			playing = append(playing, algorithm)
			continue
		}
		key := binding{algorithm, 0}
		if slices.Contains(algorithm.variables, "T") {
			key.horizon = horizon
		}
		if b.bindings[key] == nil {
			values := maps.Clone(b.stream.Variables)
			values["T"] = float64(horizon)
			bound, err := algorithm.Bind(values)
			if err != nil {
				var faults spec.Errors
				errors.As(err, &faults)
				for _, fault := range faults {
					fault.Msg += fmt.Sprintf(", on problem %s", b.problem.Spec)
				}
				errs = append(errs, err)
			}
			bound.unbound = &algorithm.Configuration
			b.bindings[key] = &bound
		}
		playing = append(playing, b.bindings[key])
	}
	return playing, errs
}
