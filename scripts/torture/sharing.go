//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// shared is an experiment of 56 cells that take milliseconds each; half has two of
// its algorithms, and more has it all.
const (
	sharedHead = "horizon: [700, 1500]\nreplicates: 7\nproblems: [{use: iid, dim: 3, constraints: " +
		"2}]\n"
	shared = "name: shared\n" + sharedHead +
		"algorithms: [{use: penalised-ftrl}, {use: ogd}, {use: primal-dual}]\n"
	half = "name: half\n" + sharedHead + "algorithms: [{use: penalised-ftrl}, {use: ogd}]\n"
	more = "name: more\n" + sharedHead + "algorithms: [{use: primal-dual}, {use: penalised-ftrl}, " +
		"{use: ogd}, {use: primal-dual, step: 3}]\n"

	// Two horizons and seven replicates, each with a cell for each algorithm and one of hindsight.
	sharedCells, moreCells = 2 * 7 * (3 + 1), 2 * 7 * (4 + 1)
)

// counted matches what a run says of cells computed and found.
var counted = regexp.MustCompile(`(\d+) cells? computed, (\d+) found`)

// An arrangement is a list of command lines that run on one store.
type arrangement struct {
	runs  []string      // each an experiment and flags
	delay time.Duration // between the start of the first run and of the others
	kill  int           // how many of the first runs are killed
	cells int           // the number of cells of all plans together
}

// arrangements lists what is tried: equal, smaller, larger and sharded runs, some of them late or
// killed.
var arrangements = []arrangement{
	{runs: []string{"shared", "shared"}, cells: sharedCells},
	{runs: []string{"shared", "shared", "shared"}, kill: 1, cells: sharedCells},
	{runs: []string{"shared --isolate", "half"}, cells: sharedCells},
	{runs: []string{"shared --shard 1/2", "shared --shard 2/2"}, cells: sharedCells},
	{runs: []string{"more", "shared", "half", "shared"}, kill: 2, cells: moreCells},
	{runs: []string{"shared --isolate", "shared --isolate"}, kill: 1, cells: sharedCells},
	{runs: []string{"shared --workers 1", "shared --workers 7"}, delay: 20 * time.Millisecond,
		cells: sharedCells},
	{runs: []string{"half", "half", "shared"}, delay: 30 * time.Millisecond, kill: 1,
		cells: sharedCells},
	{runs: []string{"shared --shard 1/3", "shared --shard 2/3", "shared --shard 3/3", "shared"},
		cells: sharedCells},
	{runs: []string{"shared --shard 1/2", "shared", "half"}, kill: 1, cells: sharedCells},
	{runs: []string{"more", "more --shard 1/2", "more --shard 2/2"}, delay: 10 * time.Millisecond,
		cells: moreCells},
	{runs: []string{"more", "shared", "half"}, cells: moreCells},
	{runs: []string{"shared", "more --isolate", "shared --isolate"}, kill: 1, cells: moreCells},
	{runs: []string{"shared", "shared", "shared", "shared"}, cells: sharedCells},
	{runs: []string{"shared", "shared", "shared", "shared"}, delay: 40 * time.Millisecond, kill: 3,
		cells: sharedCells},
	{runs: []string{"shared --workers 1", "shared --shard 2/5", "more --workers 1"},
		delay: 60 * time.Millisecond, cells: moreCells},
	{runs: []string{"half --workers 4", "more --workers 4", "shared --workers 4"}, kill: 2,
		cells: moreCells},
	{runs: []string{"shared --isolate --workers 3", "half --isolate", "more"},
		delay: 25 * time.Millisecond, kill: 1, cells: moreCells},
}

// sharing runs several processes on one store. They may compute a tenth of the cells twice, and
// have to leave the results of one process alone.
func sharing(r *rack) error {
	u, err := r.runUndisturbedExpecting(0, "bench", shared)
	if err != nil {
		return err
	}
	chosen := arrangements
	if r.quick {
		chosen = chosen[:6]
	}
	r.runTrials(len(chosen), func(i int) string { return fmt.Sprintf("%+v", chosen[i]) },
		func(t *trial, i int) error {
			a := chosen[i]
			for name, text := range map[string]string{
				"shared.yaml": shared, "half.yaml": half, "more.yaml": more, "e.yaml": shared,
			} {
				if err := t.write(name, text); err != nil {
					return err
				}
			}
			var running []*process
			for k, line := range a.runs {
				if k == 1 {
					time.Sleep(a.delay)
				}
				words := strings.Fields(line)
				p := t.command("bench", append([]string{"run", words[0] + ".yaml", "--store", "store",
					"--out", "out"}, words[1:]...)...)
				if err := p.start(); err != nil {
					return err
				}
				running = append(running, p)
			}
			for _, p := range running[:a.kill] {
				p.waitFor(time.Duration(t.rand.Float64() * 0.5 * float64(u.took)))
				p.signalGroup(syscall.SIGKILL)
			}
			computed := 0
			for k, p := range running {
				if err := p.wait(longTime); err != nil {
					return err
				}
				m := counted.FindStringSubmatch(p.err.String())
				if m != nil {
					n, _ := strconv.Atoi(m[1])
					computed += n
				}
				if k >= a.kill && (m == nil || p.code() != 0) {
					return fmt.Errorf("%s: exit code %d: %s", a.runs[k], p.code(), p.lastStderr())
				}
			}
			if 10*computed > 11*a.cells { // a tenth may be computed twice
				return fmt.Errorf("%d cells are computed, of %d", computed, a.cells)
			}
			if err := t.checkOrphans(); err != nil {
				return err
			}
			// Remove the other experiments, whose games the export and the list of runs would have too.
			for _, other := range []string{"half", "more"} {
				if err := errors.Join(os.RemoveAll(t.path("store", "experiments", other+".json")),
					os.RemoveAll(t.path("out", other))); err != nil {
					return err
				}
			}
			if _, err := t.runExpecting(0, "bench", u.runArgs()...); err != nil {
				return err
			}
			got, err := readTree(t.path("store"))
			if err != nil {
				return err
			}
			for name := range got {
				_, wanted := u.store[name]
				if ext := filepath.Ext(name); !wanted && (ext == ".cell" || ext == ".analysis") { // of others
					delete(got, name)
				}
			}
			return errors.Join(u.store.diff(got), u.out.checkDir(t.path("out")), u.checkExport(t))
		})
	return nil
}
