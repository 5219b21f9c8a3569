package run

import (
	"context"
	"math"
	"slices"
	"time"

	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run/process"
	"ocobench/harness/store"
)

// Outlook estimates what a run of a plan is about to do.
type Outlook struct {
	Cells int // of the plan, or of the part that is run
	Found int // of these, in the store, damaged or not
	// Rounds is the number of rounds of the missing cells.
	Rounds int
	// Workers is the number of workers that find work: no more than there are cells.
	Workers int
	// Time estimates how long the missing cells take on so many workers, and Memory how
	// many bytes they need. Both are extrapolated from the first rounds, so that costs that
	// grow with t are not foreseen. They are 0 where there are few rounds.
	Time   time.Duration
	Memory int64
}

// EstimateRun finds which cells of a run the store has. If the others have at least so many
// rounds, it plays their first rounds, once for each pair, for at most a second in all.
func EstimateRun(ctx context.Context, p *experiment.Plan, s *store.Store, o Options,
	atLeast int) (out Outlook) {
	var missing []*experiment.Cell
	found := FoundIn(s)
	for _, cell := range o.chooseCells(p) {
		out.Cells++
		if !o.Fresh && found(cell) {
			out.Found++
			continue
		}
		missing = append(missing, cell)
		out.Rounds += min(cell.Horizon, math.MaxInt-out.Rounds)
	}
	out.Workers = max(1, min(o.Workers, out.Cells))
	if out.Rounds < atLeast {
		return out
	}
	seconds, memory := Costs(ctx, o.Host, missing, time.Second)
	var all float64
	for _, s := range seconds {
		all += s
	}
	workers := float64(out.Workers)
	out.Time = time.Duration(game.Saturated(all / workers * float64(time.Second)))
	out.Memory = game.Saturated(float64(memory) * workers)
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

// Costs returns about how many seconds each of the cells takes, and how many bytes the
// largest of them needs. Both are a guess from the first rounds of a cell of each pair,
// which it plays for at most a limit in all; pairs for which there is no time are as fast
// as the others. They are 0 where nothing could be played.
func Costs(ctx context.Context, h *process.Host, cells []*experiment.Cell,
	limit time.Duration) (seconds []float64,
	memory int64) {
	type pair struct {
		kind string
		c    *experiment.Algorithm
		a    *experiment.Problem
	}
	of := func(c *experiment.Cell) pair { return pair{c.Kind, c.Algorithm, c.Problem} }
	seen := make(map[pair]bool)
	var first []*experiment.Cell
	for _, c := range cells {
		if !seen[of(c)] {
			first = append(first, c)
		}
		seen[of(c)] = true
	}
	// What takes memory is a hindsight: they come first, however little is played in time.
	rank := map[string]int{store.Hindsight: -1}
	slices.SortStableFunc(first,
		func(a, b *experiment.Cell) int { return rank[a.Kind] - rank[b.Kind] })
	played := make(map[pair]*experiment.Cost)
	var known, took float64
	begin := time.Now()
	for _, c := range first {
		if ctx.Err() != nil || time.Since(begin) > limit {
			break
		}
		r, err := runTask(ctx, h, c, taskCost)
		if err != nil {
			continue
		}
		played[of(c)] = r.Cost
		memory = max(memory, r.Cost.Bytes)
	}
	seconds = make([]float64, len(cells))
	for i, c := range cells {
		if r := played[of(c)]; r != nil {
			seconds[i] = float64(r.Seconds*float64(c.Horizon)) +
				float64(r.Solve*float64(len(game.Checkpoints(c.Horizon))))
			known += float64(c.Horizon)
			took += seconds[i]
		}
	}
	for i, c := range cells {
		if played[of(c)] == nil && known > 0 {
			seconds[i] = took / known * float64(c.Horizon)
		}
	}
	return seconds, memory
}

// Afford returns an error if the cell that needs most would take more than the machine has. Lists
// double as they grow, so that half of what was foreseen from few rounds is certain.
func (o Outlook) Afford() error {
	return game.Afford("a game or a hindsight", float64(o.Memory)/float64(2*max(1, o.Workers)))
}
