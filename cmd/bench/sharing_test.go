package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ocobench/internal/long"
)

// sharingExperiment has 70 cells that take milliseconds each, and halfSharing those of two of its
// algorithms.
const (
	sharingExperiment = "name: sharing\nhorizon: [700, 2000]\nreplicates: 14\n" +
		"problems: [{use: iid, dim: 3, constraints: 2}]\n" +
		"algorithms: [{use: penalised-ftrl}, {use: ogd}, {use: primal-dual}]"
	halfSharing = "name: half\nhorizon: [700, 2000]\nreplicates: 14\n" +
		"problems: [{use: iid, dim: 3, constraints: 2}]\n" +
		"algorithms: [{use: penalised-ftrl}, {use: ogd}]"
	sharingCells = 70
)

// benchRun is a process of bench.
type benchRun struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// startRun starts bench in a directory. The process is killed when the test ends.
func startRun(t *testing.T, dir string, args ...string) *benchRun {
	t.Helper()
	path, err := exec.LookPath("bench")
	if err != nil {
		t.Fatal(err)
	}
	r := &benchRun{cmd: exec.Command(path, args...)}
	r.cmd.Dir, r.cmd.Stderr = dir, &r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.cmd.Process.Kill() })
	return r
}

// counted matches what a run says of its cells.
var counted = regexp.MustCompile(`(\d+) cells? computed, (\d+) found`)

// wait waits for the end of a run, and returns how many cells it computed.
func (r *benchRun) wait(t *testing.T) (computed int) {
	t.Helper()
	if err := r.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &r.stderr)
	}
	m := counted.FindStringSubmatch(r.stderr.String())
	if m == nil {
		t.Fatalf("want a count of cells, got\n%s", &r.stderr)
	}
	computed, _ = strconv.Atoi(m[1])
	return computed
}

// awaitCells waits until the store has so many cells.
func awaitCells(t *testing.T, store string, n int) {
	t.Helper()
	long.Await(t, fmt.Sprintf("the store has %d cells", n), func() bool {
		cells, err := filepath.Glob(filepath.Join(store, "cells", "*", "*.cell"))
		if err != nil {
			t.Fatal(err)
		}
		return len(cells) >= n
	})
}

// leftovers returns the temporary files below a directory.
func leftovers(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".tmp-") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Processes that share a store compute each cell once, and one that is killed
// leaves its cells to the others. They write into one directory too. Short tests have only
// processes that do the same.
func TestProcessesShareAStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"sharing.yaml": sharingExperiment, "half.yaml": halfSharing} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	export := func(store string) string {
		t.Helper()
		out := filepath.Join(dir, store+".csv")
		r := startRun(t, dir, "export", "--store", store, "--out", out)
		if err := r.cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, &r.stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if n := startRun(t, dir, "run", "sharing.yaml", "--store", "alone").wait(t); n != sharingCells {
		t.Fatalf("alone, %d cells are computed, want %d", n, sharingCells)
	}
	want := export("alone")

	for k, a := range []struct {
		workers []int // of each process
		kill    bool  // the first, once the store has a third of the cells
		half    bool  // the first runs the other experiment
	}{
		{workers: []int{2, 2}},
		{workers: []int{2, 2, 2}, kill: true},
		{workers: []int{1, 2}, half: true},
	} {
		if a.half && testing.Short() {
			continue
		}
		t.Run(fmt.Sprintf("%+v", a), func(t *testing.T) {
			store := fmt.Sprint("store", k)
			var runs []*benchRun
			start := func() {
				runs = nil
				for i, workers := range a.workers {
					file := "sharing.yaml"
					if i == 0 && a.half {
						file = "half.yaml"
					}
					runs = append(runs, startRun(t, dir, "run", file, "--store", store, "--out", "out",
						"--workers", fmt.Sprint(workers)))
				}
			}
			start()
			for try := 1; a.kill; try++ {
				awaitCells(t, filepath.Join(dir, store), sharingCells/3)
				runs[0].cmd.Process.Kill()
				err := runs[0].cmd.Wait()
				runs = runs[1:]
				if err != nil {
					break
				}
				if try == 20 { // on a busy machine it can end before
					t.Fatal("got an end before each kill, want one killed")
				}
				for _, r := range runs {
					r.wait(t)
				}
				store = fmt.Sprint("store", k, "-", try)
				start()
			}
			total := 0
			for _, r := range runs {
				total += r.wait(t)
			}
			if total > sharingCells || !a.kill && total < sharingCells {
				t.Errorf("%d cells are computed, want %d", total, sharingCells)
			}
			if a.half {
				if err := os.Remove(filepath.Join(dir, store, "experiments", "half.json")); err != nil {
					t.Fatal(err)
				}
			}
			if export(store) != want {
				t.Error("got other results, want those of one process alone")
			}
			if left := leftovers(t, filepath.Join(dir, "out")); len(left) > 0 {
				t.Errorf("got files %q left, want none", left)
			}
		})
	}
}
