package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/external"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
	"ocobench/report/table"
)

// externalGames plays games at the same time, each through a process of another program. The start
// of the processes is not measured: an idle process is started and closed first, and its CPU time
// is subtracted for each process.
func externalGames(args []string) (*result, error) {
	if len(args) < 4 {
		return nil, errors.New("usage: peers external WORKERS PROBLEM T COMMAND…")
	}
	workers, err1 := strconv.Atoi(args[0])
	horizon, err2 := strconv.Atoi(args[2])
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	ctx := context.Background()
	const name = "theirs"
	open := func() (*external.Program, error) {
		return external.Start(ctx, name, args[3:], external.Options{})
	}
	idle, err := open()
	if err != nil {
		return nil, err
	}
	idle.Close()
	startCost := childrenCPU()

	var programs []*external.Program
	var games []*experiment.Cell
	for range workers {
		p, err := open()
		if err != nil {
			return nil, err
		}
		defer p.Close()
		catalog := experiment.Catalog{Algorithms: []algorithms.Algorithm{p.Algorithm()},
			Problems: problems.All}
		c, err := cellOf(catalog, store.Game, name, args[1], horizon)
		if err != nil {
			return nil, err
		}
		programs, games = append(programs, p), append(games, c)
	}
	cells, errs := make([]*store.Cell, workers), make([]error, workers)
	began, ours := time.Now(), cpu()
	var playing sync.WaitGroup
	for i, c := range games {
		playing.Go(func() { cells[i], errs[i] = run.Compute(ctx, nil, c) })
	}
	playing.Wait()
	wall := time.Since(began).Seconds()
	ours = cpu() - ours
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, p := range programs {
		p.Close()
	}
	python := childrenCPU() - float64(workers+1)*startCost
	r := &result{Seconds: ours + python, Python: python, Wall: wall, Rounds: workers * horizon}
	r.keep(cells[0])
	return r, nil
}

// externalTable measures rounds that are played with a program in Python.
func (m *measurement) externalTable() (*table.Table, error) {
	t := &table.Table{
		Title: table.Plain("Gradient descent in Python, whole path of a game"),
		Columns: table.Columns("way", "problem", ">built in", ">in Python", ">of it Python's", "ratio",
			">rounds a second", "target"),
		Notes: table.Plains(
			"CPU time a round, in Python that of both programs: medians. Rounds a second: of a clock, the " +
				"fastest run. The metrics are those of the ogd that is built in, to the bit.",
		),
	}
	if exec.Command(m.python, "-c", "import sys; assert sys.version_info >= (3, 9)").Run() != nil {
		t.Rows = append(t.Rows, table.Plains("", "", "", "", "",
			"skipped: "+m.python+" is not a Python 3.9 or newer", "", ""))
		return t, nil
	}
	const linear = "iid:dim=10"
	for _, w := range []struct {
		way, problem string
		workers      string  // of --external; empty for bench serve
		atLeast      float64 // rounds a second, the target; 0 where there is none
	}{
		{"--external", "iid:dim=1", "1", 0},
		{"--external", linear, "1", 10_000},
		{"--external", "iid:dim=100", "1", 0},
		{"--external", "iid:dim=20,constraints=20", "1", 5_000},
		{"--external, two workers", linear, "2", 40_000},
		{"bench serve", "iid:dim=1", "", 0},
		{"bench serve", linear, "", 0},
		{"bench serve", "iid:dim=100", "", 0},
	} {
		horizon := quickOr(m, 2000, 10_000)
		var want *result
		var shares []float64 // Python's part of the CPU time
		fastest := 0.0
		ours, theirs, err := takeTurns(quickOr(m, 2, 7), func() (_ float64, err error) {
			if want, err = m.game("ogd", w.problem, horizon); err != nil {
				return 0, err
			}
			return want.cost(), nil
		}, func() (float64, error) {
			args := []string{m.program("peers"), "external", w.workers, w.problem, strconv.Itoa(horizon),
				m.python, "clients/python/examples/ogd.py"}
			if w.workers == "" {
				args = []string{m.python, "scripts/peers/serve.py", m.program("bench"), w.problem,
					strconv.Itoa(horizon)}
			}
			r, err := answer[result](exec.Command(args[0], args[1:]...))
			if err != nil {
				return 0, err
			}
			shares = append(shares, r.Python/r.Seconds)
			fastest = max(fastest, float64(r.Rounds)/r.Wall)
			return r.cost(), checkDifference(r.finalDifference(want), 0)
		})
		if err != nil {
			return nil, err
		}
		p := comparison{Unit: "ns"}
		p.set(theirs, ours) // Python's side first, so that the ratio is its time over the built-in one's
		target := ""
		if w.atLeast > 0 {
			target = fmt.Sprintf("%.0f rounds a second: %s", w.atLeast, sayMet(fastest >= w.atLeast))
		}
		row := []string{w.way, w.problem, p.quantity(median(ours)), p.quantity(median(theirs)),
			fmt.Sprintf("%.0f %%", 100*median(shares)), p.ratio(), fmt.Sprintf("%.0f", fastest), target}
		t.Rows = append(t.Rows, table.Plains(row...))
		logRow(row...)
	}
	return t, nil
}

// finalDifference returns the largest difference of the metrics in the last row of two games.
func (r *result) finalDifference(other *result) float64 {
	worst := 0.0
	row, otherRow := r.Rows[len(r.Rows)-1], other.Rows[len(other.Rows)-1]
	for k, name := range r.Columns {
		if i := slices.Index(other.Columns, name); i >= 0 {
			worst = max(worst, math.Abs(float64(row[k]-otherRow[i])))
		}
	}
	return worst
}
