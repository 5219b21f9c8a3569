package harness

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"ocobench/harness/store"
)

// Outlook is what a run of a plan is about to do.
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

// rehearsed is the number of rounds that an outlook is made from.
const rehearsed = 512

// Outlook finds which cells of a run the store has. If the others have at least so many
// rounds, it plays their first rounds, once for each pair, for at most a second in all.
func (p *Plan) Outlook(ctx context.Context, s *store.Store, o Options, atLeast int) (out Outlook) {
	var missing []*Cell
	for _, cell := range o.cells(p) {
		out.Cells++
		if s.Has(cell.Key) && !o.Fresh {
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
	seconds, memory := p.Costs(ctx, missing, time.Second)
	var all float64
	for _, s := range seconds {
		all += s
	}
	workers := float64(out.Workers)
	out.Time = time.Duration(saturated(all / workers * float64(time.Second)))
	out.Memory = saturated(float64(memory) * workers)
	return out
}

// Costs returns about how many seconds each of the cells takes, and how many bytes the
// largest of them needs. Both are a guess from the first rounds of a cell of each pair,
// which it plays for at most a limit in all; pairs for which there is no time are as fast
// as the others. They are 0 where nothing could be played.
func (p *Plan) Costs(ctx context.Context, cells []*Cell, limit time.Duration) (seconds []float64,
	memory int64) {
	type pair struct {
		kind string
		c    *Contender
		a    *Arena
	}
	of := func(c *Cell) pair { return pair{c.Kind, c.Contender, c.Arena} }
	seen := make(map[pair]bool)
	var first []*Cell
	for _, c := range cells {
		if !seen[of(c)] {
			first = append(first, c)
		}
		seen[of(c)] = true
	}
	// What takes memory is a hindsight: they come first, however little is played in time.
	rank := map[string]int{store.Hindsight: -1}
	slices.SortStableFunc(first, func(a, b *Cell) int { return rank[a.Kind] - rank[b.Kind] })
	played := make(map[pair]*result)
	var known, took float64
	begin := time.Now()
	for _, c := range first {
		if ctx.Err() != nil || time.Since(begin) > limit {
			break
		}
		r, err := c.run(ctx, taskRehearse)
		if err != nil {
			continue
		}
		played[of(c)] = r
		memory = max(memory, r.Bytes)
	}
	seconds = make([]float64, len(cells))
	for i, c := range cells {
		if r := played[of(c)]; r != nil {
			seconds[i] = float64(r.Seconds*float64(c.Horizon)) +
				float64(r.Solve*float64(len(Checkpoints(c.Horizon))))
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

// rehearse plays the first rounds of the cell and says how long a round takes, and the
// solution at a checkpoint, and how much memory the cell needs.
//
// A hindsight plays them twice: with all checkpoints, which come less and less often,
// and with the last one. The difference is what the others take.
func (c *Cell) rehearse(ctx context.Context) (*result, error) {
	rounds := min(rehearsed, c.Horizon)
	at := Checkpoints(rounds)
	took, bytes, err := c.time(ctx, rounds, at)
	if err != nil || c.Kind != store.Hindsight || len(at) == 1 {
		return &result{Seconds: took / float64(rounds), Bytes: bytes}, err
	}
	once, _, err := c.time(ctx, rounds, at[len(at)-1:])
	solve := max(0, took-once) / float64(len(at)-1)
	return &result{Seconds: max(0, once-solve) / float64(rounds), Solve: solve, Bytes: bytes}, err
}

// time plays the first rounds with rows at these checkpoints.
func (c *Cell) time(ctx context.Context, rounds int, at []int) (seconds float64, bytes int64,
	err error) {
	before := heap()
	stream, learner, err := c.Begin(c.Replicate)
	if err != nil {
		return 0, 0, err
	}
	o := c.observer(stream, learner, at)
	g := &growth{rounds: rounds}
	begin := time.Now()
	err = Play(ctx, learner, stream, rounds, o, g)
	seconds = (time.Since(begin) - g.took).Seconds()
	runtime.KeepAlive(stream)
	runtime.KeepAlive(learner)
	runtime.KeepAlive(o)
	return seconds, g.at(c.Horizon, before), err
}

// heap is the number of bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
