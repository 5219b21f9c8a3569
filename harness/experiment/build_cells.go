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
	all := make([]Problem, len(groups))
	for k, horizons := range groups {
		var err error
		if all[k], err = a.Bind(horizons[len(horizons)-1]); err != nil {
			errs = append(errs, err)
		}
		all[k].of = &a.Configuration
	}
	for k, horizons := range groups {
		if len(errs) == 0 {
			errs = p.addCellsAt(ctx, s, &all[k], horizons)
		}
		a.deterministic, a.declares = all[k].deterministic, all[k].declares
	}
	return errs
}

// addCellsAt plans the cells on one problem at these horizons.
func (p *Plan) addCellsAt(ctx context.Context, s Starter, a *Problem, horizons []int) []error {
	fingerprint, err := a.LoadReloadable()
	if err != nil {
		return []error{a.Use.Pos.Refuse(err)}
	}
	f, err := p.startOn(ctx, s, a, fingerprint, horizons)
	if err != nil {
		return []error{err}
	}
	var errs []error
	a.deterministic, a.declares = f.stream.Deterministic, f.stream.Declares
	last := horizons[len(horizons)-1]
	at := game.Checkpoints(last)
	l := cellBuilder{
		problemCells: f, plan: p, last: last, shared: make(map[cellGroup][]*Cell),
		bindings: make(map[binding]*Algorithm),
		also: slices.DeleteFunc(slices.Clone(horizons), func(horizon int) bool {
			return slices.Contains(at, horizon)
		}),
	}
	for _, horizon := range horizons {
		playing, more := l.bindAlgorithms(horizon)
		if errs = append(errs, more...); len(errs) == 0 {
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
	broken      error                          // why there is no stream
}

// startOn starts every algorithm on the problem. The error is one of the problem. Those of
// learners that did not start are in [Plan.startErrors].
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
	stream    *Started // whose Lack is what it assumes, if that is known
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
	last     int                   // horizon
	also     []int                 // the horizons that are no checkpoints of the last
	shared   map[cellGroup][]*Cell // by horizons: a cell a replicate
	bindings map[binding]*Algorithm
	pairs    map[cellGroup]*pairIdentity // at a horizon
}

// addHorizon adds the games and their comparators at a horizon. A deterministic game that
// draws nothing either has one replicate.
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

// addComparators adds the comparators of the games of an algorithm, or of all. Opaque functions
// have no moving comparator.
func (l *cellBuilder) addComparators(c *Algorithm, moving bool, replicate, horizon int) {
	l.addCell(cellGroup{store.Hindsight, c}, replicate, horizon)
	if moving && !l.stream.Opaque {
		l.addCell(cellGroup{store.Moving, c}, replicate, horizon)
	}
}

// addCell adds a cell, or an entry for the one that serves other horizons too.
func (l *cellBuilder) addCell(of cellGroup, replicate, horizon int) {
	p := l.plan
	share := l.isShared(of, horizon)
	if share && len(l.shared[of]) >= replicate {
		p.Entries = append(p.Entries, CellAt{l.shared[of][replicate-1], horizon})
		return
	}
	cell := &Cell{
		Kind: of.kind, Algorithm: of.c, Problem: l.problem, Seed: p.Experiment.Seed, Replicate: replicate,
		Horizon:     horizon,
		Fingerprint: l.fingerprint, Broken: l.broken,
	}
	if share {
		cell.Horizon = l.last
		l.shared[of] = append(l.shared[of], cell)
		if of.kind != store.Hindsight {
			cell.Also = l.also
		}
	}
	if l.pairs[of] == nil {
		l.pairs[of] = newPairIdentity(cell, l.fingerprint)
		if of.kind == store.Game {
			l.pairs[of].asked = append(p.traceMetrics(of.c), l.states[of.c.listedSpec()]...)
		}
	}
	cell.pair = l.pairs[of]
	cell.Asked = cell.pair.asked
	p.Cells, p.Entries = append(p.Cells, cell), append(p.Entries, CellAt{cell, horizon})
}

// isShared reports whether the cell at the last horizon serves another one. A solution in
// hindsight starts from the solution before it. One more solution in between would change
// the last bits of those that follow.
func (l *cellBuilder) isShared(of cellGroup, horizon int) bool {
	if of.c != nil && !of.c.IsAnytime() {
		return false
	}
	return of.kind != store.Hindsight || !slices.Contains(l.also, horizon)
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

// recordedStates returns those of the metrics that a learner shows of itself that are recorded: all
// of a learner of another program, which is made to show them, and else what the experiment asks
// for. It adds them to those of the plan.
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

// binding names an algorithm with the numbers of a horizon, or of all: 0.
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
			now, err := c.Bind(values)
			if err != nil {
				var faults spec.Errors
				errors.As(err, &faults)
				for _, fault := range faults {
					fault.Msg += fmt.Sprintf(", on problem %s", l.problem.Spec)
				}
				errs = append(errs, err)
			}
			now.of = &c.Configuration
			l.bindings[b] = &now
		}
		playing = append(playing, l.bindings[b])
	}
	return playing, errs
}
