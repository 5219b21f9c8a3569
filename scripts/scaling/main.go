//go:build unix

// Command scaling measures what a store costs that has 10⁴, 10⁵ and 10⁶ cells: time,
// memory, files and system calls. The cells have the identities of a plan and the
// numbers of no game. See docs/scaling.md.
//
//	go -C scripts run ./scaling [--dir DIR] [--strace] [REPLICATES…]
//
// An experiment has 128 cells a replicate; 80, 800 and 8000 replicates are the default.
// A million cells need 7 GB of disk in DIR, which is left there. The table is Markdown.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ocobench/algorithms"
	"ocobench/cmd/bench/cli"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// catalog has the algorithms and problems of the program.
var catalog = experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}

func main() {
	dir := flag.String("dir", filepath.Join(os.TempDir(), "ocobench-scaling"), "where the stores are")
	traced := flag.Bool("strace", false, "count system calls with strace, in a second pass")
	only := flag.String("phase", "", "do this phase only, in this process")
	flag.Parse()
	replicates := []int{80, 800, 8000}
	if flag.NArg() > 0 {
		replicates = nil
	}
	for _, arg := range flag.Args() {
		r, err := strconv.Atoi(arg)
		if err != nil || r < 1 {
			fmt.Fprintf(os.Stderr, "scaling: %q is not a number of replicates\n", arg)
			os.Exit(2)
		}
		replicates = append(replicates, r)
	}
	err := errors.New("no such phase")
	if *only == "" {
		err = writeTable(os.Stdout, *dir, *traced, replicates)
	}
	for _, p := range phases {
		if p.name == *only {
			err = p.run(replicates[0], filepath.Join(*dir, strconv.Itoa(replicates[0])))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

// A phase is something that is measured, in a process of its own.
type phase struct {
	name string
	run  func(replicates int, dir string) error
}

// phases lists the phases as they run and stand in the table. A later one needs what fill and pack
// have written.
var phases = []phase{
	{"fill", fillStore},
	{"plan", func(replicates int, _ string) error { _, err := newPlan(replicates); return err }},
	{"find", runStored},
	{"load", loadOnly},
	{"analyse", analyse},
	{"export", export},
	{"list", list},
	{"pack", func(_ int, dir string) error { return runBench("store", "pack", "--store", dir) }},
	{"find packed", runStored},
	{"load packed", loadOnly},
	{"list packed", list},
}

// fillStore writes the cells of the experiment into a new store.
func fillStore(replicates int, dir string) error {
	p, err := newPlan(replicates)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return writeCells(dir, p)
}

// loadOnly loads the results.
func loadOnly(_ int, dir string) error {
	_, err := loadResults(dir)
	return err
}

// analyse loads and analyses the results.
func analyse(_ int, dir string) error {
	r, err := loadResults(dir)
	if err != nil {
		return err
	}
	_, err = analysis.NewUnfitted(catalog, r).Fit(context.Background())
	return err
}

// export exports one metric to dir.csv.
func export(_ int, dir string) error {
	return runBench("export", "--store", dir, "--out", dir+".csv", "--metric", "loss")
}

// list lists the experiments of the store.
func list(_ int, dir string) error { return runBench("store", "ls", "--store", dir) }

// experimentOf returns an experiment of 7 algorithms on 16 problems. A replicate has 112 games and
// 16 hindsights, 128 cells.
func experimentOf(replicates int) (*spec.Experiment, error) {
	values := func(n int, format string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(format, i+1))
		}
		return strings.Join(all, ", ")
	}
	return spec.Parse("scaling.yaml", fmt.Appendf(nil, `
name: scaling
horizon: 1000
replicates: %d
algorithms: [{use: primal-dual, step: [%s]}]
problems: [{use: decaying-frequency, c: [%s]}]
`, replicates, values(7, "%d"), values(16, "0.5%02d")))
}

// newPlan returns the plan of the experiment with so many replicates.
func newPlan(replicates int) (*experiment.Plan, error) {
	e, err := experimentOf(replicates)
	if err != nil {
		return nil, err
	}
	return run.NewPlan(catalog, e)
}

// loadResults reads the results of the experiment from a store.
func loadResults(dir string) (*run.Results, error) {
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	return run.LoadExperiment(s, "scaling")
}

// runStored runs the experiment, all of whose cells are stored, and panics if one is computed.
func runStored(replicates int, dir string) error {
	p, err := newPlan(replicates)
	if err != nil {
		return err
	}
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	_, err = run.Run(context.Background(), p, s,
		run.Options{Workers: runtime.GOMAXPROCS(0),
			Progress: func(c *experiment.Cell, found bool, _ error) {
				if !found {
					panic("not found: " + c.String())
				}
			}})
	return err
}

// runBench runs the program with arguments in this process.
func runBench(args ...string) error {
	if code := cli.Main(args, io.Discard, os.Stderr, catalog); code != 0 {
		return fmt.Errorf("bench %s ends with %d", strings.Join(args, " "), code)
	}
	return nil
}

// writeCells writes the cells of a plan, without syncing each of them as Put does, and
// records it.
func writeCells(dir string, p *experiment.Plan) error {
	columns := make(map[string][]string)
	for _, c := range p.Cells {
		if columns[c.Kind] == nil {
			cell, err := run.Compute(context.Background(), nil, c)
			if err != nil {
				return err
			}
			columns[c.Kind] = cell.Columns
		}
	}
	for i := range 256 {
		if err := os.MkdirAll(filepath.Join(dir, "cells", fmt.Sprintf("%02x", i)), 0o777); err != nil {
			return err
		}
	}
	t := game.Checkpoints(p.Experiment.Horizon[0])
	workers := runtime.GOMAXPROCS(0)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var buf bytes.Buffer
			for i := w; i < len(p.Cells) && errs[w] == nil; i += workers {
				c := p.Cells[i]
				buf.Reset()
				writeCell(&buf, c, columns[c.Kind], t, rand.New(rand.NewPCG(1, uint64(i))))
				errs[w] = os.WriteFile(filepath.Join(dir, "cells", string(c.Key[:2]), string(c.Key)+".cell"),
					buf.Bytes(), 0o666)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	// A run of one shard of very many records the experiment, and computes at most a cell.
	_, err = run.Run(context.Background(), p, s,
		run.Options{Workers: workers, Shard: 1, Shards: len(p.Cells)})
	return err
}

// writeCell writes the file of a cell in the format of the store, with sums of random steps for
// numbers, so that nothing has to be played.
func writeCell(buf *bytes.Buffer, c *experiment.Cell, columns []string, t []int, rng *rand.Rand) {
	by := store.CurrentProvenance()
	fmt.Fprintf(buf, `{"format":"ocobench cell 1","kind":%q,"rows":%d,"version":%q,"go":%q,"goarch":%q}`+"\n", c.Kind, len(t), by.Version, by.Go, by.GOARCH)
	fmt.Fprintf(buf, "%s\n\n%s\n", c.Identity(), strings.Join(columns, "\t"))
	sums := make([]float64, len(columns))
	for _, t := range t {
		buf.WriteString(strconv.Itoa(t))
		for k := 1; k < len(sums); k++ {
			sums[k] += rng.Float64() * math.Sqrt(float64(t))
			buf.WriteByte('\t')
			buf.Write(strconv.AppendFloat(buf.AvailableBuffer(), sums[k], 'g', -1, 64))
		}
		buf.WriteByte('\n')
	}
	fmt.Fprintf(buf, "sha256 %x\n", sha256.Sum256(buf.Bytes()))
}

// writeTable measures all phases and writes a table of them.
func writeTable(w io.Writer, dir string, traced bool, replicates []int) error {
	fmt.Fprintln(w, "| cells | phase | time, s | processor, s | peak memory, MB | system calls | "+
		"files | GB |\n|--:|---|--:|--:|--:|--:|--:|--:|")
	for _, r := range replicates {
		for _, phase := range phases {
			args := []string{"--dir", dir, "--phase", phase.name, strconv.Itoa(r)}
			calls := ""
			if traced && phase.name != "fill" && phase.name != "pack" { // these two change the store
				var err error
				if calls, err = countCalls(args); err != nil {
					return err
				}
			}
			cmd := exec.Command(os.Args[0], args...)
			cmd.Stderr = os.Stderr
			began := time.Now()
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", phase.name, err)
			}
			took := time.Since(began)
			usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			files, size, err := countFiles(filepath.Join(dir, strconv.Itoa(r)))
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "| %d | %s | %.1f | %.1f | %d | %s | %d | %.2f |\n", 128*r, phase.name,
				took.Seconds(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
				usage.Maxrss>>10, calls, files, float64(size)/1e9)
		}
	}
	return nil
}

// countCalls runs a phase and counts its system calls.
func countCalls(args []string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command("strace", append([]string{"-f", "-c", "-e", "trace=%file,%desc", os.Args[0]},
		args...)...)
	cmd.Stderr = &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("strace: %w: %s", err, out.String())
	}
	for line := range strings.Lines(out.String()) { // 100.00    0.1    2    calls    [errors] total
		if f := strings.Fields(line); len(f) > 4 && f[len(f)-1] == "total" {
			return f[3], nil
		}
	}
	return "", errors.New("strace: no total")
}

// countFiles counts the files below dir, and their bytes.
func countFiles(dir string) (files int, size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, size = files+1, size+info.Size()
		return nil
	})
	return files, size, err
}
