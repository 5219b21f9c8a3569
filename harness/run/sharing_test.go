package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/harnesstest"
	"ocobench/harness/store"
	"ocobench/internal/long"
	"ocobench/problems"
)

const weakText = "name: w\nhorizon: 100\nreplicates: 2\nproblems: [{use: calm}]\nalgorithms: " +
	"[{use: weak}, {use: rest}]"

// weakCatalog returns a catalog with a learner that calls late in round 90, and fails if late does.
func weakCatalog(late func() error) experiment.Catalog {
	return experiment.Catalog{
		Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("weak", func(s algorithms.Setup) *harnesstest.Learner {
			l := harnesstest.Still(s)
			l.Learn = func(t int, _ []float64, _ convex.Round) error {
				if t == 90 {
					return late()
				}
				return nil
			}
			return l
		}), harnesstest.Algorithm("rest", harnesstest.Still)},
		Problems: []problems.Problem{harnesstest.Problem("calm", harnesstest.LineRounds(1, harnesstest.Calm))},
	}
}

// Two runs on a store compute a cell once: the second leaves it to the first, goes
// on with the others, and takes over what becomes of it.
func TestRunsShareAStore(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("locks belong to the process here")
	}
	for _, late := range []error{nil, errors.New("too late")} {
		t.Run(fmt.Sprint(late), func(t *testing.T) {
			var tries atomic.Int32
			begun, release := make(chan bool), make(chan bool)
			c := weakCatalog(func() error {
				if tries.Add(1); tries.Load() == 1 {
					close(begun)
					<-release
				}
				return late
			})
			dir := t.TempDir()
			var wg sync.WaitGroup
			var computed [2]int
			var failures [2][]Failure
			var warnings [2][]string
			var waits atomic.Bool // the second run
			start := func(k int) {
				p, s := newPlan(t, c, weakText), openStore(t, dir)
				wg.Go(func() {
					var err error
					failures[k], err = Run(context.Background(), p, s, Options{
						Workers: 1,
						Progress: func(_ *experiment.Cell, found bool, err error) {
							if !found && err == nil {
								computed[k]++
							}
						},
						Warn: func(err error) {
							warnings[k] = append(warnings[k], err.Error())
							waits.Store(true)
						},
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			want, failed := 6, 0
			if late != nil {
				want, failed = 4, 2
			}
			start(0)
			<-begun
			start(1)
			long.Await(t, "the other cells are there, and the second run waits", func() bool {
				return len(cellNames(t, dir)) >= min(want, 5) && waits.Load()
			})
			close(release)
			wg.Wait()
			if n := computed[0] + computed[1]; n != want {
				t.Errorf("the runs computed %v cells, want %d together", computed, want)
			}
			if n := tries.Load(); n != 2 || len(failures[0]) != failed || len(failures[1]) != failed {
				t.Errorf("weak was played %d times; failures %v, want %d for each", n, failures, failed)
			}
			if len(warnings[0]) != 0 || len(warnings[1]) != 1 ||
				!strings.Contains(warnings[1][0], "waiting") {
				t.Errorf("warnings %q, want that the second waits", warnings)
			}
		})
	}
}

// Where there are no locks, that is said once, and every cell is computed.
func TestMissingLocksWarnOnce(t *testing.T) {
	p := newPlan(t, weakCatalog(func() error { return nil }), weakText)
	s := openStore(t, t.TempDir())
	said := 0
	e := cellRunner{
		store: s,
		lock: func(store.Key) (func(), error) {
			return nil, fmt.Errorf("no locks: %w", errors.ErrUnsupported)
		},
		warn: func(err error) {
			if said++; !strings.Contains(err.Error(), "no locks") {
				t.Error(err)
			}
		},
	}
	for _, c := range p.Cells {
		if found, err := e.ensureCell(context.Background(), c); found || err != nil || !s.Has(c.Key) {
			t.Errorf("%s: got found %v, error %v, want it computed and stored", c, found, err)
		}
	}
	if said != 1 {
		t.Errorf("got %d warnings, want one", said)
	}
}

// A stored game that lacks a metric on request is played again, under the same key, and then has
// the metrics of both experiments; a game that has more than a plan needs is found.
func TestGameThatLacksAMetricIsPlayedAgain(t *testing.T) {
	dir := t.TempDir()
	plan := func(metrics string) *experiment.Plan {
		text := "name: m\nhorizon: 20\nreplicates: 1\nproblems: [{use: iid}]\nalgorithms: [{use: ogd}]"
		if metrics != "" {
			text += "\nmetrics: [" + metrics + "]"
		}
		return newPlan(t, programCatalog, text)
	}
	game := func() *store.Cell {
		cell, err := openStore(t, dir).Get(cellOf(t, plan(""), store.Game, "ogd", "iid", 1, 20).Key)
		if err != nil {
			t.Fatal(err)
		}
		return cell
	}
	for _, step := range []struct {
		name, metrics   string
		found, computed int
		has             []string
	}{
		{"no metric on request", "", 0, 2, nil},
		{"one more", "violation_ccv", 1, 1, []string{"violation_ccv"}},
		{"another one", "movement", 1, 1, []string{"violation_ccv", "movement"}},
		{"both", "movement, violation_ccv", 2, 0, []string{"violation_ccv", "movement"}},
		{"none again", "", 2, 0, []string{"violation_ccv", "movement"}},
	} {
		t.Run(step.name, func(t *testing.T) {
			p := plan(step.metrics)
			out := EstimateRun(t.Context(), p, openStore(t, dir), Options{Workers: 1}, 1<<60)
			found, computed, failures := runPlan(t, p, dir, Options{})
			if found != step.found || computed != step.computed || out.Found != found || failures != nil {
				t.Errorf("%d cells found, %d foreseen, %d computed, %v; want %d found and %d computed", found,
					out.Found, computed, failures, step.found, step.computed)
			}
			cell := game()
			for _, name := range step.has {
				if !slices.Contains(cell.Columns, name) {
					t.Errorf("the game has the columns %q, want %s too", cell.Columns, name)
				}
			}
			want := compute(t, cellOf(t, plan(""), store.Game, "ogd", "iid", 1, 20).WithColumns(step.has))
			if d := Difference(want, cell); d != "" {
				t.Errorf("the stored game: got difference %s, want none", d)
			}
		})
	}
}
