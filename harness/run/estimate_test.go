package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/harnesstest"
	"ocobench/harness/store"
	"ocobench/problems"
)

// A fresh run computes what the store has, too.
func TestFreshRunCountsStoredCellsAsMissing(t *testing.T) {
	p := newPlan(t, programCatalog,
		"name: tiny\nhorizon: 30\nreplicates: 2\nproblems: [{use: shrinking}, "+
			"{use: iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}]")
	s := openStore(t, t.TempDir())
	cells := len(p.Cells)
	look := func(o Options, found int) {
		t.Helper()
		out := EstimateRun(context.Background(), p, s, o, 1<<60)
		if out.Cells != cells || out.Found != found || out.Rounds != 30*(cells-found) {
			t.Errorf("%+v: %+v, want %d found of %d", o, out, found, cells)
		}
	}
	look(Options{}, 0)
	if _, err := Run(context.Background(), p, s, Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	look(Options{}, cells)
	look(Options{Fresh: true}, 0)
	// as many rounds as it takes, and one too few
	for missing, want := range map[int]bool{0: true, 1: false} {
		out := EstimateRun(context.Background(), p, s, Options{Fresh: true}, 30*cells+missing)
		if got := out.Time > 0; got != want {
			t.Errorf("%d rounds too few: got %+v, want a time: %v", missing, out, want)
		}
	}
}

// The parts of a run have all of its cells and rounds, once. Replicates cost the same, and the
// workers are no more than there are cells.
func TestPartsHaveAllCellsAndRoundsOnce(t *testing.T) {
	p := newPlan(t, programCatalog,
		"name: tiny\nhorizon: [20, 30]\nreplicates: 3\nproblems: [{use: shrinking}, "+
			"{use: iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}, {use: yu-neely}]")
	s := openStore(t, t.TempDir())
	if _, err := Run(t.Context(), p, s, Options{Workers: 1, Shard: 2, Shards: 3}); err != nil {
		t.Fatal(err)
	}
	var want RunEstimate
	for _, c := range p.Cells {
		want.Cells++
		if s.Has(c.Key) {
			want.Found++
		} else {
			want.Rounds += c.Horizon
		}
	}
	if want.Found == 0 || want.Found == want.Cells {
		t.Fatalf("%+v", want)
	}
	for shards := 1; shards <= want.Cells+2; shards++ {
		var sum RunEstimate
		for shard := 1; shard <= shards; shard++ {
			o := Options{Workers: 3}
			if shards > 1 {
				o.Shard, o.Shards = shard, shards
			}
			out := EstimateRun(t.Context(), p, s, o, 1<<60)
			if out.Workers != max(1, min(3, out.Cells)) || out.Time != 0 || out.Memory != 0 ||
				out.Cells > want.Cells/shards+1 {
				t.Errorf("part %d of %d: got %+v, want up to 3 workers, an equal share of %d cells, no time "+
					"or memory", shard, shards, out, want.Cells)
			}
			sum.Cells, sum.Found, sum.Rounds = sum.Cells+out.Cells, sum.Found+out.Found,
				sum.Rounds+out.Rounds
		}
		if sum != want {
			t.Errorf("in %d parts %+v, want %+v", shards, sum, want)
		}
	}
	seconds, memory := EstimateCosts(t.Context(), nil, p.Cells, time.Minute)
	of := make(map[string]float64)
	for i, c := range p.Cells {
		c := *c
		c.Replicate = 0
		cost, ok := of[c.String()]
		if !(seconds[i] >= 0) || seconds[i] == 0 && c.Algorithm != nil || ok && cost != seconds[i] {
			t.Errorf("%v: got %v s, want some, as of another replicate (%v)", p.Cells[i], seconds[i], cost)
		}
		of[c.String()] = seconds[i]
	}
	if memory <= 0 {
		t.Errorf("got %d bytes of memory, want more than 0", memory)
	}
}

// A program plays a game of its own, wherever it is in the file and however little time there is.
// Its other cells take as long as that one, in proportion to their rounds.
func TestProgramsAreMeasuredInAnyOrder(t *testing.T) {
	catalog := programCatalog
	mine, _ := algorithms.Lookup(algorithms.All, "ogd")
	mine.Name, mine.Flag = "mine", "--external mine=command"
	catalog.Algorithms = append(slices.Clone(programCatalog.Algorithms), mine)
	p := newPlan(t, catalog, "name: tiny\nhorizon: [20, 40]\nreplicates: 2\nproblems: [{use: "+
		"shrinking}, {use: iid}]\nalgorithms: [{use: mine}, {use: ogd}, {use: guo}, {use: yu-neely}]")
	cells := slices.Clone(p.Cells)
	var order []string
	for range 2 {
		slices.Reverse(cells)
		var names []string
		for _, s := range costSamples(cells) {
			a := ""
			if s.cell.Algorithm != nil {
				a = s.cell.Algorithm.Spec
			}
			names = append(names, fmt.Sprint(s.cell.Kind, a, s.cell.Problem.Spec, s.firstOfProgram))
		}
		if order == nil {
			order = names
		}
		if !slices.Equal(names, order) {
			t.Errorf("of reversed cells: got costs measured in the order %v, want %v", names, order)
		}
		seconds, _ := EstimateCosts(t.Context(), nil, cells, -1)
		var perRound float64
		for i, c := range cells {
			ours := c.Algorithm != nil && c.Algorithm.Name == "mine"
			if (seconds[i] > 0) != ours {
				t.Errorf("%v: got %v s, want a time only of mine", c, seconds[i])
			}
			if v := seconds[i] / float64(c.Horizon); ours && perRound != 0 &&
				math.Abs(v-perRound) > 1e-9*perRound {
				t.Errorf("%v: got %v s a round, want %v as of another cell", c, v, perRound)
			} else if ours {
				perRound = v
			}
		}
	}
}

// The hindsight of a program's opaque rounds takes passes over all rounds at every checkpoint: ten
// times the rounds cost more than ten times the passes of one checkpoint, which grow with t. Only
// the time of the passes goes by, by the clock of a bubble.
func TestHindsightOfOpaqueRoundsCountsPasses(t *testing.T) {
	catalog := programCatalog
	slow, _ := problems.Lookup(problems.All, "iid")
	slow.Name, slow.Flag = "slow", "--external slow=command"
	const pass = 20 * time.Microsecond // of a round
	whole := slow.New
	slow.New = func(p any, rng *rand.Rand) (problems.Stream, error) {
		s, err := whole(p, rng)
		return slowOpaque{&harnesstest.OpaqueStream{Stream: s}, pass, nil}, err
	}
	catalog.Problems = append(slices.Clone(programCatalog.Problems), slow)
	p := newPlan(t, catalog, "name: tiny\nhorizon: 10000\nreplicates: 1\nproblems: [{use: slow, "+
		"dim: 2}]\nalgorithms: [{use: ogd}]")
	for _, c := range p.Cells {
		if c.Kind != store.Hindsight {
			continue
		}
		var cost *experiment.Cost
		var err error
		synctest.Test(t, func(t *testing.T) { cost, err = c.SampleCost(t.Context()) })
		if err != nil {
			t.Fatal(err)
		}
		// at least a pass for each of the three sets
		if least := 3 * pass.Seconds(); cost.Pass < least {
			t.Errorf("a checkpoint after t rounds takes %v s·t, want at least %v", cost.Pass, least)
		}
		if a, b := cost.At(1000), cost.At(10000); b < 5*a {
			t.Errorf("got %v s for 1000 rounds and %v s for 10000, want at least 5 times as much", a, b)
		}
	}
}

// The hindsight of a short game of opaque rounds is measured at its last checkpoints, where a
// solution takes more than at the first ones.
func TestHindsightOfFewOpaqueRoundsIsMeasuredAtTheirEnd(t *testing.T) {
	catalog := programCatalog
	slow, _ := problems.Lookup(problems.All, "iid")
	slow.Name, slow.Flag = "slow", "--external slow=command"
	var longest int
	whole := slow.New
	slow.New = func(p any, rng *rand.Rand) (problems.Stream, error) {
		s, err := whole(p, rng)
		return slowOpaque{&harnesstest.OpaqueStream{Stream: s}, time.Microsecond, &longest}, err
	}
	catalog.Problems = append(slices.Clone(programCatalog.Problems), slow)
	p := newPlan(t, catalog, "name: tiny\nhorizon: 300\nreplicates: 1\nproblems: [{use: slow, "+
		"dim: 2}]\nalgorithms: [{use: ogd}]")
	k := slices.IndexFunc(p.Cells, func(c *experiment.Cell) bool { return c.Kind == store.Hindsight })
	longest = 0
	if _, err := p.Cells[k].SampleCost(t.Context()); err != nil || longest != 300 {
		t.Errorf("the longest pass is over %d rounds, want 300: %v", longest, err)
	}
}

// slowOpaque is an opaque stream of which a pass takes so long for each round. It notes the longest
// pass, unless longest is nil.
type slowOpaque struct {
	*harnesstest.OpaqueStream
	pass    time.Duration
	longest *int
}

// Evaluate implements [problems.Evaluator].
func (s slowOpaque) Evaluate(rounds, single []int, x []float64) ([]problems.Sums,
	[][]problems.Oracle, error) {
	if len(rounds) > 0 {
		if s.longest != nil {
			*s.longest = max(*s.longest, rounds[len(rounds)-1])
		}
		time.Sleep(time.Duration(rounds[len(rounds)-1]) * s.pass)
	}
	return s.OpaqueStream.Evaluate(rounds, single, x)
}

// Four games of 1 s and four of 10 s are foreseen, for two workers: 44/2 = 22 s. A short one takes
// 2 s: all take twice as long, (3·2 + 40·2)/2 = 43. A long one takes 5 s, and corrects the long
// ones: (3·2 + 30/2)/2 = 10.5. Another process computes a long one: (3·2 + 20/2)/2 = 8. In the end
// one worker has the last cell.
func TestForecastIsCorrectedByFinishedCells(t *testing.T) {
	var cells []*experiment.Cell
	var seconds []float64
	for _, s := range []float64{1, 10} {
		a := new(experiment.Algorithm)
		for range 4 {
			cells = append(cells, &experiment.Cell{Algorithm: a, Horizon: 7})
			seconds = append(seconds, s)
		}
	}
	f := NewForecast(cells, seconds, 2)
	for _, c := range []struct {
		finish int
		took   time.Duration
		want   time.Duration
	}{
		{-1, 0, 22 * time.Second}, {0, 2 * time.Second, 43 * time.Second},
		{0, 2 * time.Second, 43 * time.Second}, // known already
		{4, 5 * time.Second, 10500 * time.Millisecond}, {5, 0, 8 * time.Second},
		{1, 2 * time.Second, 7 * time.Second}, {2, 2 * time.Second, 6 * time.Second},
		{3, 2 * time.Second, 5 * time.Second}, {6, 5 * time.Second, 5 * time.Second},
		{7, 5 * time.Second, 0},
	} {
		if c.finish >= 0 {
			f.Finish(cells[c.finish], c.took)
		}
		if got := f.Left(); got.Round(time.Millisecond) != c.want {
			t.Errorf("after cell %d: %v left, want %v", c.finish, got, c.want)
		}
	}
	if left := NewForecast(cells, nil, 2).Left(); left != 0 {
		t.Errorf("got %v left, want no forecast where nothing was measured", left)
	}
}
