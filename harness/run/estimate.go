package run

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run/process"
	"ocobench/harness/store"
)

// RunEstimate says what a run of a plan is about to do.
type RunEstimate struct {
	Cells int // of the plan, or of the part that is run
	Found int // of these, in the store, damaged or not
	// Rounds is the number of rounds of the missing cells.
	Rounds int
	// Workers is the number of workers that find work: no more than there are cells.
	Workers int
	// Time estimates how long the missing cells take on so many workers, and Memory how
	// many bytes they need. Both are extrapolated from the first rounds, so that costs that
	// grow with t are underestimated. They are 0 where there are few rounds.
	Time   time.Duration
	Memory int64
	// Forecast estimates the time that is left, and is corrected as cells finish; see [Options].
	Forecast *Forecast
}

// programRounds is how many rounds in this process take about as long as one round with another
// program.
const programRounds = 50

// EstimateRun finds which cells of a run the store has. If the others have at least so many
// rounds, those with another program counted [programRounds] times, it plays their first rounds,
// see [EstimateCosts], for about a second in all.
func EstimateRun(ctx context.Context, p *experiment.Plan, s *store.Store, o Options,
	atLeast int) (out RunEstimate) {
	var missing []*experiment.Cell
	found := FoundIn(s)
	effort := 0
	for _, cell := range o.chooseCells(p) {
		out.Cells++
		if !o.Fresh && found(cell) {
			out.Found++
			continue
		}
		missing = append(missing, cell)
		out.Rounds += min(cell.Horizon, math.MaxInt-out.Rounds)
		weight := 1
		if len(programsOf(cell)) > 0 {
			weight = programRounds
		}
		effort += min(weight*cell.Horizon, math.MaxInt-effort)
	}
	out.Workers = max(1, min(o.Workers, out.Cells))
	var seconds []float64
	var memory int64
	if effort >= atLeast {
		seconds, memory = EstimateCosts(ctx, o.Host, missing, time.Second)
	}
	out.Forecast = NewForecast(missing, seconds, out.Workers)
	out.Time, _ = out.Forecast.Left()
	out.Memory = game.Saturated(float64(memory) * float64(out.Workers))
	return out
}

// FoundIn returns a function that reports whether a store has a cell, damaged or not. Of the games
// of an algorithm on a problem at a horizon it reads the first one: if that lacks a column that the
// plan needs, all of them count as missing.
func FoundIn(s *store.Store) func(*experiment.Cell) bool {
	type games struct {
		a       *experiment.Algorithm
		p       *experiment.Problem
		horizon int
	}
	lacking := make(map[games]bool)
	return func(c *experiment.Cell) bool {
		has := s.Has(c.Key)
		if !has || c.Kind != store.Game {
			return has
		}
		g := games{c.Algorithm, c.Problem, c.Horizon}
		if _, known := lacking[g]; !known {
			stored, err := s.Check(c.Key)
			lacking[g] = err == nil && c.Lacks(stored.Columns)
		}
		return !lacking[g]
	}
}

// EstimateCosts returns about how many seconds each of the cells takes, and how many bytes the
// largest of them needs. Both are a guess from the first rounds of a cell of each pair. Every other
// program plays a game of its own. For the rest there is a limit in all, and which pairs are played
// within it does not depend on the order of the cells. A pair that was not played is as fast as
// what was played with its program, of its algorithm, or of the others that play without a program.
// Both are 0 where nothing could be played.
func EstimateCosts(ctx context.Context, h *process.Host, cells []*experiment.Cell,
	limit time.Duration) (seconds []float64, memory int64) {
	samples := costSamples(cells)
	sums := make(map[any]*costSum)
	begin := time.Now()
	for _, sample := range samples {
		c := sample.cell
		if ctx.Err() != nil {
			break
		}
		if !sample.program && time.Since(begin) > limit {
			continue
		}
		began := time.Now()
		r, err := runTask(ctx, h, c, taskCost)
		took := time.Since(began)
		switch {
		case err == nil:
			memory = max(memory, r.Cost.Bytes)
		case took >= costTimeLimit && c.Kind == store.Game: // not even the first rounds ended in time
			r = &taskResult{Cost: &experiment.Cost{Seconds: took.Seconds() / experiment.CostFirstRounds}}
		default:
			continue
		}
		for _, group := range costGroups(c) {
			if sums[group] == nil {
				sums[group] = &costSum{}
			}
			sums[group].add(*r.Cost)
		}
	}
	seconds = make([]float64, len(cells))
	for i, c := range cells {
		for _, group := range costGroups(c) {
			if sum := sums[group]; sum != nil {
				seconds[i] = sum.meanSeconds(c.Horizon)
				break
			}
		}
	}
	return seconds, memory
}

// costSum adds up the costs of games.
type costSum struct {
	games int
	sum   experiment.Cost
}

// add adds the cost of a game. Its memory is not summed.
func (s *costSum) add(c experiment.Cost) {
	s.games++
	s.sum.Seconds += c.Seconds
	s.sum.Solve += c.Solve
	s.sum.Pass += c.Pass
}

// meanSeconds returns the mean seconds of a game with this horizon.
func (s *costSum) meanSeconds(horizon int) float64 {
	return s.sum.At(horizon) / float64(s.games)
}

// pair names the cells that cost the same, apart from their horizons.
type pair struct {
	kind      string
	algorithm *experiment.Algorithm
	problem   *experiment.Problem
}

// pairOf returns the pair of a cell.
func pairOf(c *experiment.Cell) pair { return pair{c.Kind, c.Algorithm, c.Problem} }

// allCells names the group of all cells that are played with other programs, or without.
type allCells struct{ withPrograms bool }

// costGroups returns keys of the games that cost about as much as a cell, the most alike first.
func costGroups(c *experiment.Cell) []any {
	type program struct{ kind, name string }
	groups := []any{pairOf(c)}
	for _, name := range programsOf(c) {
		groups = append(groups, program{c.Kind, name})
	}
	if len(groups) > 1 {
		return append(groups, allCells{withPrograms: true})
	}
	if c.Algorithm != nil {
		groups = append(groups, pair{c.Kind, c.Algorithm, nil})
	}
	return append(groups, c.Kind, allCells{withPrograms: false})
}

// programsOf returns the names of the other programs that a cell needs, the problem first.
func programsOf(c *experiment.Cell) (names []string) {
	if c.Problem.Flag != "" {
		names = append(names, "problem "+c.Problem.Name)
	}
	if a := c.Algorithm; a != nil && a.Flag != "" && a.Feedback != algorithms.Recorded {
		names = append(names, "algorithm "+a.Name)
	}
	return names
}

// costSample is a cell whose cost is measured; program says that it is the first game of a program.
type costSample struct {
	cell    *experiment.Cell
	program bool
}

// costSamples returns a cell of each pair, in an order that does not depend on that of the cells:
// the first games of programs, hindsights, which are what takes memory, and all others.
func costSamples(cells []*experiment.Cell) (samples []costSample) {
	seen := make(map[pair]bool)
	for _, c := range cells {
		if p := pairOf(c); !seen[p] {
			seen[p] = true
			samples = append(samples, costSample{cell: c})
		}
	}
	// The order of a hash spreads the cells of an algorithm, which a time limit would else cut off.
	digest := func(s costSample) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, s.cell.Kind, "\n", s.cell.Problem.Spec)
		if a := s.cell.Algorithm; a != nil {
			fmt.Fprint(h, "\n", a.Spec)
		}
		return h.Sum64()
	}
	slices.SortStableFunc(samples,
		func(a, b costSample) int { return cmp.Compare(digest(a), digest(b)) })
	started := make(map[string]bool)
	for i, s := range samples {
		for _, name := range programsOf(s.cell) {
			samples[i].program = samples[i].program || !started[name]
			started[name] = true
		}
	}
	rank := func(s costSample) int {
		switch {
		case s.program:
			return 0
		case s.cell.Kind == store.Hindsight:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(samples,
		func(a, b costSample) int { return cmp.Compare(rank(a), rank(b)) })
	return samples
}

// Forecast says how long the missing cells of a run take. It is corrected by what the finished ones
// took: those of a pair correct the others of the pair, and all of them the pairs of which none is
// finished. Its methods may be called at the same time.
type Forecast struct {
	mu        sync.Mutex
	workers   int
	estimates map[*experiment.Cell]float64 // the seconds of the cells that are left
	unknown   bool                         // nothing was measured: the estimates are rounds
	pairs     map[pair]*pairForecast
}

// pairForecast holds sums of seconds over cells of a pair: estimated of those that are left, and
// estimated and taken of those that are done.
type pairForecast struct{ left, done, took float64 }

// NewForecast makes a forecast for workers from the estimated seconds of each cell, see
// [EstimateCosts]. Without them, nothing is known before a cell is finished.
func NewForecast(cells []*experiment.Cell, seconds []float64, workers int) *Forecast {
	f := &Forecast{workers: max(1, workers), estimates: make(map[*experiment.Cell]float64, len(cells)),
		unknown: true, pairs: make(map[pair]*pairForecast)}
	for _, s := range seconds {
		f.unknown = f.unknown && s == 0
	}
	for i, c := range cells {
		v := float64(c.Horizon)
		if !f.unknown {
			v = seconds[i]
		}
		f.estimates[c] = v
		if f.pairs[pairOf(c)] == nil {
			f.pairs[pairOf(c)] = &pairForecast{}
		}
		f.pairs[pairOf(c)].left += v
	}
	return f
}

// Finish notes that a cell is finished, and how long it took if it was computed; it took 0 if
// another process has computed it, or if it failed. A cell that is not of the forecast is ignored.
func (f *Forecast) Finish(c *experiment.Cell, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, missing := f.estimates[c]
	if !missing {
		return
	}
	delete(f.estimates, c)
	p := f.pairs[pairOf(c)]
	p.left -= v
	if took > 0 {
		p.done += v
		p.took += took.Seconds()
	}
}

// Left returns how long the cells that are left take, and whether anything is known about it.
func (f *Forecast) Left() (left time.Duration, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var done, took float64
	for _, p := range f.pairs {
		done, took = done+p.done, took+p.took
	}
	if f.unknown && done == 0 {
		return 0, false
	}
	correction := 1.0 // the time taken over the time estimated, over all pairs
	if done > 0 {
		correction = took / done
	}
	var seconds float64
	for _, p := range f.pairs {
		if p.done > 0 {
			seconds += float64(max(0, p.left) * (p.took / p.done))
		} else {
			seconds += float64(max(0, p.left) * correction)
		}
	}
	workers := max(1, min(f.workers, len(f.estimates)))
	return time.Duration(game.Saturated(seconds / float64(workers) * float64(time.Second))), true
}

// CheckMemory returns an error if the cell that needs most would take more than the machine has.
// Lists double as they grow, so that half of what few rounds predict is certain.
func (o RunEstimate) CheckMemory() error {
	return game.Afford("a game or a hindsight", float64(o.Memory)/float64(2*max(1, o.Workers)))
}
