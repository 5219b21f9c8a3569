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

// EstimateRun finds which cells of a run the store has. If the others have at least minRounds
// rounds, those with another program counted [programRounds] times, it plays their first rounds,
// see [EstimateCosts], for about a second in all.
func EstimateRun(ctx context.Context, p *experiment.Plan, s *store.Store, o Options,
	minRounds int) (out RunEstimate) {
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
	if effort >= minRounds {
		seconds, memory = EstimateCosts(ctx, o.Host, missing, time.Second)
	}
	out.Forecast = NewForecast(missing, seconds, out.Workers)
	out.Time = out.Forecast.Left()
	out.Memory = game.Saturated(float64(memory) * float64(out.Workers))
	return out
}

// FoundIn returns a function that reports whether a store has a cell, damaged or not. Of the games
// of an algorithm on a problem at a horizon it reads the first one: if that lacks a column that the
// plan needs, all of them count as missing.
func FoundIn(s *store.Store) func(*experiment.Cell) bool {
	type pairAt struct {
		pair
		horizon int
	}
	lacking := make(map[pairAt]bool)
	return func(c *experiment.Cell) bool {
		has := s.Has(c.Key)
		if !has || c.Kind != store.Game {
			return has
		}
		games := pairAt{pairOf(c), c.Horizon}
		if _, known := lacking[games]; !known {
			stored, err := s.Check(c.Key)
			lacking[games] = err == nil && c.Lacks(stored.Columns)
		}
		return !lacking[games]
	}
}

// EstimateCosts returns about how many seconds each of the cells takes, and how many bytes the
// largest of them needs. Both are extrapolated from the first rounds of one cell of each pair, in
// the order of [costSamples]. Once the time limit is over, only the first cell of each other
// program is measured. A cell of a pair that was not measured takes as long as the mean of the most
// similar cells that were ([costGroups]). Both results are 0 if none was.
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
		if !sample.firstOfProgram && time.Since(begin) > limit {
			continue
		}
		began := time.Now()
		r, err := runTask(ctx, h, c, taskCost)
		took := time.Since(began)
		switch {
		case err == nil:
			memory = max(memory, r.Cost.Bytes)
		case took >= costTimeLimit && c.Kind == store.Game: // not even the first rounds ended in time
			perRound := took.Seconds() / experiment.CostFirstRounds
			r = &taskResult{Cost: &experiment.Cost{Seconds: perRound}}
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

// costSum adds up the costs of cells.
type costSum struct {
	cells int
	sum   experiment.Cost // of the seconds of a round, a solution and a pass; without memory
}

// add adds the cost of a cell.
func (s *costSum) add(c experiment.Cost) {
	s.cells++
	s.sum.Seconds += c.Seconds
	s.sum.Solve += c.Solve
	s.sum.Pass += c.Pass
}

// meanSeconds returns the mean seconds of a whole cell with this horizon.
func (s *costSum) meanSeconds(horizon int) float64 {
	return s.sum.At(horizon) / float64(s.cells)
}

// pair names the cells of one kind, algorithm and problem, which cost the same at one horizon.
type pair struct {
	kind      string
	algorithm *experiment.Algorithm
	problem   *experiment.Problem
}

// pairOf returns the pair of a cell.
func pairOf(c *experiment.Cell) pair { return pair{c.Kind, c.Algorithm, c.Problem} }

// allCells names the group of all cells that are played with other programs, or without.
type allCells struct{ withPrograms bool }

// costGroups returns the names of the groups of similar cells that a cell belongs to, the most
// similar group first. Those of a cell with other programs are its pair, the cells of its kind with
// the same problem's program, those with the same algorithm's program, and all cells with programs.
// Those of a cell without are its pair, the cells of its kind and algorithm, the cells of its kind,
// and all cells without programs.
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

// costSample names a cell whose cost is measured.
type costSample struct {
	cell           *experiment.Cell
	firstOfProgram bool // one of its programs plays in no sample before it
}

// costSamples returns a cell of each pair, in an order that does not depend on that of the cells:
// the first cells of programs, hindsights, which are what takes memory, and all others.
func costSamples(cells []*experiment.Cell) (samples []costSample) {
	seen := make(map[pair]bool)
	for _, c := range cells {
		if p := pairOf(c); !seen[p] {
			seen[p] = true
			samples = append(samples, costSample{cell: c})
		}
	}
	// In the order of a hash, a time limit does not leave out all cells of one algorithm.
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
			samples[i].firstOfProgram = samples[i].firstOfProgram || !started[name]
			started[name] = true
		}
	}
	rank := func(s costSample) int {
		switch {
		case s.firstOfProgram:
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

// pairForecast holds sums of seconds over cells of a pair.
type pairForecast struct {
	left float64 // estimated, of the cells that are left
	done float64 // estimated, of the cells that are done
	took float64 // measured, of the cells that are done
}

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

// Left returns how long the cells that are left take. It returns 0 if no cost was measured and no
// cell is finished.
func (f *Forecast) Left() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	var done, took float64
	for _, p := range f.pairs {
		done, took = done+p.done, took+p.took
	}
	if f.unknown && done == 0 {
		return 0
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
	return time.Duration(game.Saturated(seconds / float64(workers) * float64(time.Second)))
}

// CheckMemory returns an error if the cell that needs most would take more than the machine has.
// Lists double as they grow, so that half of what few rounds predict is certain.
func (o RunEstimate) CheckMemory() error {
	return game.Afford("a game or a hindsight", float64(o.Memory)/float64(2*max(1, o.Workers)))
}
