//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// traceRounds is what the problem trace plays.
const traceRounds = `{"domain":{"box":{"lower":[-1,-1],"upper":[1,1]}},"constraints":1}
{"t":1,"loss":{"form":{"lin":[0.3,-0.7]}},"constraints":[{"form":{"const":-0.1,"lin":[1,0.3]}}]}
{"t":2,"loss":{"form":{"lin":[-0.1,0.9],"quad":[[0.7,0.1],[0.1,0.3]]}},"constraints":[{"form":{"const":-0.3,"lin":[0.1,1]}}]}
{"t":3,"loss":{"form":{"lin":[0.7,0.1]}},"constraints":[{"form":{"const":-0.2,"lin":[-0.3,0.6]}}]}
`

// bits plays every algorithm on every problem whose assumptions it meets, on several processors and
// with several numbers of workers and threads. The cells, their keys and the reasons of those that
// fail must be the same each time.
func bits(r *rack) error {
	type way struct {
		target           string // GOAMD64 or GOARM64 of the program
		workers, threads int
	}
	var ways []way
	targets := []string{"v1", "v3"}
	if runtime.GOARCH != "amd64" {
		targets = []string{"v8.0"}
	} else if info, _ := os.ReadFile("/proc/cpuinfo"); !bytes.Contains(info, []byte(" avx2 ")) ||
		!bytes.Contains(info, []byte(" fma ")) {
		targets = targets[:1]
		r.notes = append(r.notes, "no GOAMD64=v3: this processor lacks it")
	}
	for _, target := range targets {
		for _, workers := range []int{1, 2, 7} {
			for _, threads := range []int{1, 2} {
				ways = append(ways, way{target, workers, threads})
			}
		}
	}
	if r.quick { // the two that differ most
		ways = slices.DeleteFunc(ways, func(w way) bool {
			return w != way{targets[0], 1, 1} && w != way{targets[len(targets)-1], 7, 2}
		})
	}
	emulator := ""
	if runtime.GOARCH == "amd64" {
		var err error
		if emulator, err = exec.LookPath("qemu-aarch64-static"); err == nil && !r.quick {
			ways = append([]way{{"v8.0", 2, 2}}, ways...) // the longest first
		} else if err != nil {
			r.notes = append(r.notes, "no arm64: qemu-aarch64-static is not on PATH")
		}
	}
	horizon := r.trials(100, 64)
	text := fmt.Sprintf("name: bits\nhorizon: %d\nreplicates: 1\nproblems: [all, {use: trace, "+
		"file: rounds.jsonl}]\nalgorithms: all\n", horizon)
	var mu sync.Mutex
	var want []byte
	r.runTrials(len(ways), func(i int) string { return fmt.Sprintf("%+v", ways[i]) },
		func(t *trial, i int) error {
			w := ways[i]
			if err := errors.Join(t.write("bits.yaml", text),
				t.write("rounds.jsonl", repeatRounds(traceRounds, horizon))); err != nil {
				return err
			}
			program, args := "torture-"+w.target,
				[]string{"play", "store", strconv.Itoa(w.workers), "bits.yaml"}
			if w.target == "v8.0" && emulator != "" {
				program, args = emulator, append([]string{filepath.Join(r.programs, program)}, args...)
			}
			p := t.command(program, args...)
			p.Env = append(p.Env, "GOMAXPROCS="+strconv.Itoa(w.threads))
			if err := p.start(); err != nil {
				return err
			}
			if err := p.wait(5 * longTime); err != nil {
				return err
			}
			if p.code() != 0 {
				return fmt.Errorf("exit code %d: %s", p.code(), p.lastStderr())
			}
			mu.Lock()
			defer mu.Unlock()
			if want == nil {
				want = p.out.Bytes()
			}
			return checkSameLines(want, p.out.Bytes())
		})
	r.notes = append(r.notes, fmt.Sprintf("%d cells each", bytes.Count(want, []byte("\n"))))
	return nil
}

// repeatRounds repeats the rounds of a file, after its header, up to a number of them.
func repeatRounds(file string, n int) string {
	lines := strings.SplitAfter(strings.TrimSpace(file)+"\n", "\n")
	head, round := lines[0], lines[1:len(lines)-1]
	var text strings.Builder
	text.WriteString(head)
	for t := range n {
		_, rest, _ := strings.Cut(round[t%len(round)], ",")
		fmt.Fprintf(&text, `{"t":%d,%s`, t+1, rest)
	}
	return text.String()
}

// checkSameLines returns an error for lines that are not the wanted ones.
func checkSameLines(want, got []byte) error {
	if bytes.Equal(want, got) {
		return nil
	}
	known := make(map[string]bool)
	for line := range bytes.Lines(want) {
		known[string(line)] = true
	}
	n, first := 0, ""
	for line := range bytes.Lines(got) {
		if !known[string(line)] {
			if n++; n == 1 {
				first = string(line)
			}
		}
	}
	return fmt.Errorf("%d of %d cells are others; the first: %s", n, len(known), first)
}

// playCells plays an experiment in this process, and prints a line for each cell
// with its key and the digest of its numbers, or the reason of its failure.
func playCells(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: torture play STORE WORKERS EXPERIMENT.yaml")
	}
	workers, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	text, err := os.ReadFile(args[2])
	if err != nil {
		return err
	}
	x, err := spec.Parse(args[2], text)
	if err != nil {
		return err
	}
	plan, err := run.NewPlan(experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All},
		x)
	if err != nil {
		return err
	}
	s, err := store.Open(args[0])
	if err != nil {
		return err
	}
	failures, err := run.Run(context.Background(), plan, s, run.Options{Workers: workers})
	if err != nil {
		return err
	}
	reasons := make(map[*experiment.Cell]error)
	for _, f := range failures {
		reasons[f.Cell] = f.Err
	}
	for _, c := range plan.Cells {
		if reason := reasons[c]; reason != nil {
			fmt.Println(c, c.Key, reason)
			continue
		}
		cell, err := s.Get(c.Key)
		if err != nil {
			return err
		}
		h := sha256.New()
		fmt.Fprint(h, cell.Columns)
		for _, row := range cell.Rows {
			for _, v := range row {
				fmt.Fprintf(h, "%b ", v)
			}
		}
		fmt.Printf("%s %s %x\n", c, c.Key, h.Sum(nil))
	}
	return nil
}
