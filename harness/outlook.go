package harness

import (
	"context"
	"runtime"
	"time"

	"ocobench/harness/store"
)

// Outlook is what a run of a plan is about to do.
type Outlook struct {
	Cells int // of the plan, or of the part that is run
	Found int // of these, in the store; it is not looked whether they are damaged
	// Rounds are those of the cells that are missing.
	Rounds int
	// Time is about what the others take on so many workers, and Memory about how
	// many bytes they need. Both are a guess from the first rounds of each: what
	// grows with t is not foreseen. They are 0 where there are few rounds.
	Time   time.Duration
	Memory int64
}

// rehearsed is the number of rounds that an outlook is made from.
const rehearsed = 512

// Outlook looks which cells of a run the store has and, if the others have at least
// so many rounds, plays their first ones, once for each pair, for at most a second
// in all.
func (p *Plan) Outlook(ctx context.Context, s *store.Store, o Options, atLeast int) (out Outlook) {
	type pair struct {
		kind string
		c    *Contender
		a    *Arena
	}
	rounds := make(map[pair]float64) // that are missing
	var order []*Cell
	for _, cell := range o.cells(p) {
		out.Cells++
		if s.Has(cell.Key) && !o.Fresh {
			out.Found++
			continue
		}
		k := pair{cell.Kind, cell.Contender, cell.Arena}
		if rounds[k] == 0 {
			order = append(order, cell)
		}
		rounds[k] += float64(cell.Horizon)
		out.Rounds += cell.Horizon
	}
	if out.Rounds < atLeast {
		return out
	}
	var known, total float64 // rounds
	var took, largest float64
	begin := time.Now()
	for _, cell := range order {
		n := rounds[pair{cell.Kind, cell.Contender, cell.Arena}]
		total += n
		if ctx.Err() != nil || time.Since(begin) > time.Second {
			continue
		}
		r, err := p.host.run(ctx, taskRehearse, cell)
		if err != nil {
			continue
		}
		played := float64(min(rehearsed, cell.Horizon))
		known += n
		took += n * r.Seconds / played
		largest = max(largest, float64(r.Bytes)*float64(p.Experiment.Horizon[len(p.Experiment.Horizon)-1])/played)
	}
	if known > 0 {
		workers := float64(max(1, o.Workers))
		out.Time = time.Duration(took * total / known / workers * float64(time.Second))
		out.Memory = int64(largest * workers)
	}
	return out
}

// rehearse plays the first rounds of the cell and says how long they took, and how
// much memory what is left of them needs.
func (c *Cell) rehearse(ctx context.Context) (*result, error) {
	stream, learner, err := c.begin(c.Replicate)
	if err != nil {
		return nil, err
	}
	rounds := min(rehearsed, c.Horizon)
	var o Observer = newRecorder(learner, stream.Set().Dim(), stream.Constraints(), Checkpoints(rounds))
	if c.Kind == store.Hindsight {
		o = &hindsightRecorder{Hindsight: NewHindsight(stream), checkpoints: checkpoints{Checkpoints(rounds)}}
	}
	before := heap()
	begin := time.Now()
	err = Play(ctx, learner, stream, rounds, o)
	took := time.Since(begin).Seconds()
	after := heap()
	runtime.KeepAlive(stream)
	runtime.KeepAlive(learner)
	runtime.KeepAlive(o)
	return &result{Seconds: took, Bytes: max(0, after-before)}, err
}

// heap is the number of bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
