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

// The cells of a plan are laid out problem by problem: bind its expressions, if there are any
// (addCells); load its data and start every learner once (startOn); and add for each horizon and
// replicate the games and their comparators (cellBuilder). A cell of the largest horizon often has
// the numbers of smaller horizons too, and is then made only once.

// addCells plans the cells on one problem. If its expressions name T, it is another problem at
// every horizon, and no two horizons have a cell in common.
func (p *Plan) addCells(ctx context.Context, s Starter, a *Problem) (errs []error) {
	if len(a.open) == 0 {
		return p.addCellsAt(ctx, s, a, p.Experiment.Horizon)
	}
	groups := [][]int{p.Experiment.Horizon}
	if a.IsIndexed() {
		groups = nil
		for _, horizon := range p.Experiment.Horizon {
			groups = append(groups, []int{horizon})
		}
	}
	bound := make([]Problem, len(groups)) // with numbers for the expressions, by group
	for k, horizons := range groups {
		var err error
		if bound[k], err = a.Bind(horizons[len(horizons)-1]); err != nil {
			errs = append(errs, err)
		}
		bound[k].unbound = &a.Configuration
	}
	for k, horizons := range groups {
		if len(errs) == 0 {
			errs = p.addCellsAt(ctx, s, &bound[k], horizons)
		}
		a.deterministic, a.declares = bound[k].deterministic, bound[k].declares
	}
	return errs
}

// addCellsAt plans the cells on one problem at these horizons.
func (p *Plan) addCellsAt(ctx context.Context, s Starter, a *Problem, horizons []int) []error {
	fingerprint, err := a.LoadReloadable()
	if err != nil {
		return []error{a.Use.Pos.Refuse(err)}
	}
	started, err := p.startOn(ctx, s, a, fingerprint, horizons)
	if err != nil {
		return []error{err}
	}
	var errs []error
	a.deterministic, a.declares = started.stream.Deterministic, started.stream.Declares
	last := horizons[len(horizons)-1]
	at := game.Checkpoints(last)
	l := cellBuilder{
		problemCells: started, plan: p, last: last, shared: make(map[cellGroup][]*Cell),
		bindings: make(map[binding]*Algorithm),
		also: slices.DeleteFunc(slices.Clone(horizons), func(horizon int) bool {
			return slices.Contains(at, horizon)
		}),
	}
	for _, horizon := range horizons {
		playing, bindErrs := l.bindAlgorithms(horizon)
		if errs = append(errs, bindErrs...); len(errs) == 0 {
			l.addHorizon(playing, horizon)
		}
	}
	return errs
}

// problemCells holds a problem with the algorithms that play on it.
type problemCells struct {
	problem     *Problem
	fingerprint string
	stream      *Started // the zero value if no learner showed one
	playing     []*Algorithm
	states      map[string][]algorithms.Metric // that are recorded, by the SPEC of an algorithm
	broken      error                          // why no stream could be started; nil if one was
}

// startOn starts every algorithm on the problem once, and returns those that play on it. An error
// that it returns is a fault of the problem; those of learners that refuse are added to
// [Plan.startErrors]. A crash is neither: the cells concerned fail when they are run.
func (p *Plan) startOn(ctx context.Context, s Starter, a *Problem, fingerprint string,
	horizons []int) (f *problemCells, err error) {
	e := p.Experiment
	f = &problemCells{problem: a, fingerprint: fingerprint,
		states: make(map[string][]algorithms.Metric)}
	for i := range p.Algorithms {
		c := &p.Algorithms[i]
		cell := Cell{Algorithm: c, Problem: a, Seed: e.Seed, Horizon: horizons[0],
			Fingerprint: fingerprint}
		r, err := p.startLearner(ctx, s, cell, horizons)
		var crash *game.CrashError
		switch {
		case errors.As(err, &crash):
			f.broken = fmt.Errorf("the start of replicate 1: %w", err)
		case r == nil:
			return nil, a.Use.Pos.Refuse(err)
		}
		if r != nil && f.stream == nil {
			if err := game.CheckHorizon(r.Rounds, slices.Max(horizons)); err != nil {
				return nil, a.Use.Pos.Refuse(fmt.Errorf("problem %s: %w", a.Spec, err))
			}
			f.stream = r
		}
		if r != nil && err != nil && crash == nil {
			p.startErrors = append(p.startErrors, startError{c, a, err, r})
			continue
		}
		if r != nil && len(r.Unmet) > 0 {
			p.addUnmet(Unmet{c.Spec, a.Spec, r.Unmet})
			if e.Assumptions != "ignore" {
				continue
			}
		}
		f.playing, p.playing[c] = append(f.playing, c), true
		if r != nil {
			f.states[c.listedSpec()] = p.recordedStates(c, r.States)
		}
	}
	if f.stream != nil {
		f.broken = nil // the cells of a learner that did not start fail by themselves
	} else {
		f.stream = new(Started)
	}
	return f, nil
}

// startLearner starts the learner of a cell in replicate 1. A learner of recorded actions is
// started in the other replicates too, and for the largest horizon.
func (p *Plan) startLearner(ctx context.Context, s Starter, c Cell, horizons []int) (*Started,
	error) {
	anyway := p.Experiment.Assumptions == "ignore"
	c.Replicate = 1
	if c.Algorithm.Feedback != algorithms.Recorded {
		return s.Start(ctx, &c, anyway)
	}
	c.Horizon = slices.Max(horizons)
	r, err := s.Start(ctx, &c, anyway)
	for err == nil && c.Replicate < p.Experiment.Replicates {
		c.Replicate++
		_, err = s.Start(ctx, &c, anyway)
	}
	return r, err
}

// startError reports a learner that did not start on a problem.
type startError struct {
	algorithm *Algorithm
	problem   *Problem
	err       error
	stream    *Started // its Lack says what the learner assumes and misses, if that is known
}

// cellGroup names the cells of a kind and an algorithm on one problem, which differ in the horizon
// and the replicate.
type cellGroup struct {
	kind string
	c    *Algorithm // or nil
}

// cellBuilder adds the cells of a problem to a plan.
type cellBuilder struct {
	*problemCells
	plan     *Plan
	last     int                         // the largest horizon
	also     []int                       // the horizons that are no checkpoints of last
	shared   map[cellGroup][]*Cell       // the cells that serve several horizons, by replicate
	bindings map[binding]*Algorithm      // so that equal numbers give the same *Algorithm
	pairs    map[cellGroup]*pairIdentity // at the horizon that is being added
}

// addHorizon adds the games and their comparators at a horizon. If the stream is deterministic and
// the algorithm draws nothing either, all replicates are equal, and only the first is played. The
// games of one replicate share their comparators, unless the stream adapts to the actions: then
// each game has its own.
func (l *cellBuilder) addHorizon(playing []*Algorithm, horizon int) {
	l.pairs = make(map[cellGroup]*pairIdentity)
	for replicate := 1; replicate <= l.plan.Experiment.Replicates; replicate++ {
		if l.stream.Deterministic && replicate == 2 {
			playing = slices.DeleteFunc(slices.Clone(playing), func(c *Algorithm) bool { return !c.Draws })
		}
		if !l.stream.Adaptive && len(playing) > 0 {
			l.addComparators(nil, slices.ContainsFunc(playing, l.plan.needsMoving), replicate, horizon)
		}
		for _, c := range playing {
			if l.stream.Adaptive {
				l.addComparators(c, l.plan.needsMoving(c), replicate, horizon)
			}
			l.addCell(cellGroup{store.Game, c}, replicate, horizon)
		}
	}
}

// addComparators adds the comparators of the games of algorithm c, or of all algorithms if c is
// nil. Opaque functions have no moving comparator.
func (l *cellBuilder) addComparators(c *Algorithm, moving bool, replicate, horizon int) {
	l.addCell(cellGroup{store.Hindsight, c}, replicate, horizon)
	if moving && !l.stream.Opaque {
		l.addCell(cellGroup{store.Moving, c}, replicate, horizon)
	}
}

// addCell adds an entry for a horizon, and its cell unless the cell of another horizon serves it.
func (l *cellBuilder) addCell(group cellGroup, replicate, horizon int) {
	p := l.plan
	share := l.isShared(group, horizon)
	if share && len(l.shared[group]) >= replicate {
		p.Entries = append(p.Entries, CellAt{l.shared[group][replicate-1], horizon})
		return
	}
	cell := &Cell{
		Kind: group.kind, Algorithm: group.c, Problem: l.problem, Seed: p.Experiment.Seed,
		Replicate: replicate, Horizon: horizon, Fingerprint: l.fingerprint, Broken: l.broken,
	}
	if share {
		cell.Horizon = l.last
		l.shared[group] = append(l.shared[group], cell)
		if group.kind != store.Hindsight {
			cell.Also = l.also
		}
	}
	if l.pairs[group] == nil {
		l.pairs[group] = newPairIdentity(cell, l.fingerprint)
		if group.kind == store.Game {
			l.pairs[group].asked = append(p.traceMetrics(group.c), l.states[group.c.listedSpec()]...)
		}
	}
	cell.pair = l.pairs[group]
	cell.Asked = cell.pair.asked
	p.Cells, p.Entries = append(p.Cells, cell), append(p.Entries, CellAt{cell, horizon})
}

// isShared reports whether the cell at the last horizon serves another one. A hindsight does so
// only at its own checkpoints: each of its solutions starts from the one before, so that one more
// in between would change the last bits of those that follow.
func (l *cellBuilder) isShared(group cellGroup, horizon int) bool {
	if group.c != nil && !group.c.IsAnytime() {
		return false
	}
	return group.kind != store.Hindsight || !slices.Contains(l.also, horizon)
}

// requestedMetrics returns the metrics on request that the experiment asks for, or that a claim
// of the algorithm is about.
func (p *Plan) requestedMetrics(c *Algorithm) []game.Metric {
	return game.Select(func(m game.Metric) bool {
		return m.OnRequest && (slices.Contains(p.Experiment.Metrics, string(m.Name)) ||
			slices.ContainsFunc(c.ClaimsOf(c.Params), func(claim algorithms.Claim) bool {
				return claim.Metric == m.Name
			}))
	})
}

// recordedStates returns the metrics that a learner shows of itself and that are recorded: all, for
// a learner of another program, which shows nothing unless its author wants to see it; else those
// that the experiment asks for. It adds them to [Plan.states].
func (p *Plan) recordedStates(c *Algorithm, shown []algorithms.Metric) []algorithms.Metric {
	for _, m := range shown {
		if !slices.Contains(p.shownStates, m) {
			p.shownStates = append(p.shownStates, m)
		}
	}
	recorded := slices.DeleteFunc(slices.Clone(shown), func(m algorithms.Metric) bool {
		return c.Flag == "" && !slices.ContainsFunc(p.Experiment.Metrics,
			func(asked string) bool { return game.StateMatches(asked, m) })
	})
	for _, m := range recorded {
		if !slices.Contains(p.states, m) {
			p.states = append(p.states, m)
		}
	}
	return recorded
}

// traceMetrics returns the metrics on request that the trace of a game must record.
func (p *Plan) traceMetrics(c *Algorithm) (names []algorithms.Metric) {
	for _, m := range p.requestedMetrics(c) {
		if m.InTrace() {
			names = append(names, m.Name)
		}
	}
	return names
}

// needsMoving reports whether the games of an algorithm need the moving comparator: the experiment
// asks for a metric that does, or a claim is about one, or has a bound that does.
func (p *Plan) needsMoving(c *Algorithm) bool {
	return slices.ContainsFunc(p.requestedMetrics(c),
		func(m game.Metric) bool { return m.Moving != "" }) ||
		slices.ContainsFunc(c.ClaimsOf(c.Params), func(claim algorithms.Claim) bool {
			return claim.Moving != nil
		})
}

// binding identifies an algorithm whose expressions have the numbers of one horizon. The horizon is
// 0 if no expression names T, since the numbers are then the same at all.
type binding struct {
	c       *Algorithm
	horizon int
}

// bindAlgorithms returns the algorithms that play at a horizon, with numbers for their expressions.
func (l *cellBuilder) bindAlgorithms(horizon int) (playing []*Algorithm, errs []error) {
	for _, c := range l.playing {
		if len(c.open) == 0 || l.broken != nil {
			playing = append(playing, c)
			continue
		}
		b := binding{c, 0}
		if slices.Contains(c.variables, "T") {
			b.horizon = horizon
		}
		if l.bindings[b] == nil {
			values := maps.Clone(l.stream.Variables)
			values["T"] = float64(horizon)
			bound, err := c.Bind(values)
			if err != nil {
				var faults spec.Errors
				errors.As(err, &faults)
				for _, fault := range faults {
					fault.Msg += fmt.Sprintf(", on problem %s", l.problem.Spec)
				}
				errs = append(errs, err)
			}
			bound.unbound = &c.Configuration
			l.bindings[b] = &bound
		}
		playing = append(playing, l.bindings[b])
	}
	return playing, errs
}
