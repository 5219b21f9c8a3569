package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/cmd/bench/cli"
	"ocobench/convex"
	"ocobench/harness"
	"ocobench/internal/race"
	"ocobench/problems"
)

// badMain is a program with learners and problems that misbehave.
func badMain() {
	c := harness.Catalog{Algorithms: slices.Clip(algorithms.All), Problems: slices.Clip(problems.All)}
	for _, l := range badLearners {
		c.Algorithms = append(c.Algorithms, algorithms.Algorithm{
			Name: l.name, Version: 1, Anytime: true,
			New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
				if l.start != nil {
					l.start()
				}
				return &badLearner{l, 0}, nil
			},
		})
	}
	for name, start := range badProblems {
		c.Problems = append(c.Problems, problems.Problem{
			Name: name, Version: 1,
			New: func(any, *rand.Rand) (problems.Stream, error) { start(); return nil, nil },
		})
	}
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, c))
}

var badProblems = map[string]func(){
	"stream-panics": func() { panic("no stream") },
	"stream-hangs":  hang,
	"stream-exits":  func() { os.Exit(5) },
}

// badSpec is a learner that plays the origin but for what it does at its start,
// in Act or in Observe.
type badSpec struct {
	name    string
	start   func()
	act     func(t int, dst []float64)
	observe func(t int) error
	fails   string // the reason, a regular expression; "" if nothing fails
	process bool   // more than its cell fails, unless cells have their own process
}

type badLearner struct {
	badSpec
	t int
}

func (l *badLearner) Act(dst []float64) {
	l.t++
	clear(dst)
	if l.act != nil {
		l.act(l.t, dst)
	}
}

func (l *badLearner) Observe([]float64, convex.Round) error {
	if l.observe != nil {
		return l.observe(l.t)
	}
	return nil
}

func hang() { select {} }

// at does it in one round.
func at(round int, do func()) func(int, []float64) {
	return func(t int, _ []float64) {
		if t == round {
			do()
		}
	}
}

var badLearners = []badSpec{
	{name: "panics-new", start: func() { panic("boom") }, fails: `: algorithm panics-new: panic: boom$`},
	{name: "panics-act", act: at(1, func() { panic("boom") }), fails: `: round 1: panic: boom$`},
	{name: "panics-later", act: at(100, func() { panic(errors.New("boom")) }), fails: `: round 100: panic: boom$`},
	{name: "panics-observe", observe: func(t int) error { none[t] = t; return nil }, fails: `: round 1: panic: assignment to entry in nil map$`},
	{name: "hangs-new", start: hang, fails: `: before round 1: not finished after 1s, which is the time limit$`},
	{name: "hangs-act", act: at(5, hang), fails: `: round 5: not finished after 1s, which is the time limit$`},
	{name: "hangs-observe", observe: func(t int) error {
		if t == 150 {
			hang()
		}
		return nil
	}, fails: `: rounds 128 to 191: not finished after 1s, which is the time limit$`},
	{name: "exits-goroutine", act: at(7, runtime.Goexit), fails: `: round 7: runtime.Goexit was called$`},
	{name: "nan", act: func(t int, x []float64) { x[0] = math.NaN() }, fails: `: round 1: coordinate 1 of the action is NaN$`},
	{name: "inf", act: func(t int, x []float64) { x[1] = math.Inf(1) }, fails: `: round 1: coordinate 2 of the action is \+Inf$`},
	{name: "too-long", act: func(t int, x []float64) { x[len(x)] = 0 }, fails: `: round 1: panic: runtime error: index out of range`},
	{name: "error", observe: func(t int) error { return errors.New("no\nmore") }, fails: `: round 1: no`},
	{name: "races", act: at(1, func() {
		if race.Enabled {
			return
		}
		n := 0
		go func() { n++ }()
		n++
	})},

	{name: "exits-0", act: at(3, func() { os.Exit(0) }), fails: `: its process ended \(exit status 0\)$`, process: true},
	{name: "exits-3", act: at(3, func() { os.Exit(3) }), fails: `: its process ended \(exit status 3\)$`, process: true},
	{name: "exits-later", act: at(100, func() { os.Exit(3) }), fails: `: its process ended \(exit status 3\)$`, process: true},
	{name: "exits-new", start: func() { os.Exit(4) }, fails: `: its process ended \(exit status 4\)$`, process: true},
	{name: "log-fatal", act: at(3, func() { log.SetFlags(0); log.Print("so"); log.Fatal("it is") }), fails: `: its process ended \(exit status 1\): so; it is$`, process: true},
	{name: "overflows", act: at(1, func() { debug.SetMaxStack(1 << 20); depth = overflow(0) }), fails: `: its process ended \(exit status 2\): fatal error: stack overflow$`, process: true},
	{name: "panics-goroutine", act: at(1, func() { go panic("elsewhere"); hang() }), fails: `: its process ended \(exit status (2|66)\): panic: elsewhere$`, process: true},
	{name: "panics-afterwards", act: at(1, func() { time.AfterFunc(50*time.Millisecond, func() { panic("too late") }) }), process: true},
	{name: "writes-map", act: at(1, writeMap), fails: `: its process ended \(exit status (2|66)\): fatal error: concurrent map writes$`, process: true},
	{name: "spins", act: at(5, func() {
		for {
			depth++
		}
	}), fails: `: round 5: not finished after 1s, which is the time limit$`, process: true},
	{name: "spins-later", act: at(100, func() {
		for {
			depth++
		}
	}), fails: `: rounds 64 to 127: not finished after 1s, which is the time limit$`, process: true},
	{name: "closes-stdout", act: at(1, func() { os.Stdout.Close(); os.NewFile(1, "").Close() }), fails: `: its process ended \(exit status 3\)`, process: true},
	{name: "writes-stdout", act: at(1, func() { os.NewFile(1, "").WriteString("garbage\n") }), fails: `: it wrote "garbage" to the standard output of its process$`, process: true},
	{name: "prints", act: at(1, func() { fmt.Println("debugging") }), process: true},
	{name: "reads-stdin", act: at(1, func() { fmt.Scanln() }), process: true},
	{name: "allocates", act: func(int, []float64) { kept = append(kept, make([]byte, 1<<28)) }, process: true}, // see TestBadLearners/memory
	{name: "changes-directory", act: at(1, func() { os.Chdir(os.TempDir()) }), fails: `: it changed the working directory$`, process: true},
}

var (
	none  map[int]int
	kept  [][]byte
	depth int
)

func overflow(n int) int {
	if n < 0 { // never
		return n
	}
	return overflow(n+1) + 1
}

func writeMap() {
	m := make(map[int]int)
	for range 8 {
		go func() {
			for i := 0; ; i++ {
				m[i%16] = i
			}
		}()
	}
	hang()
}

// stack is in every stack that Go prints.
var stack = regexp.MustCompile(`goroutine \d+ \[`)

// A program is what a test runs, in a directory.
type program struct {
	*testing.T
	path, dir string
}

func bad(t *testing.T) program {
	t.Setenv("GORACE", "atexit_sleep_ms=10") // else os.Exit takes a second
	path, err := exec.LookPath("bad")
	if err != nil {
		t.Fatal(err)
	}
	return program{t, path, t.TempDir()}
}

func (p program) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o666); err != nil {
		p.Fatal(err)
	}
}

// run returns what it says on standard error.
func (p program) run(code int, args ...string) string {
	p.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(p.path, args...)
	cmd.Dir, cmd.Stderr = p.dir, &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != code {
		p.Errorf("%s: %v, want exit code %d\n%s", strings.Join(args, " "), err, code, &stderr)
	}
	return stderr.String()
}

// cells are the files of cells in a store.
func (p program) cells(store string) map[string]string {
	p.Helper()
	all := make(map[string]string)
	root := os.DirFS(filepath.Join(p.dir, store))
	names, err := fs.Glob(root, "cells/*/*.cell")
	if err != nil {
		p.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(root, name)
		if err != nil {
			p.Fatal(err)
		}
		all[name] = string(data)
	}
	return all
}

// A learner that misbehaves fails its own cell, with the reason; the cells of
// the others are those of a run without it.
func TestBadLearners(t *testing.T) {
	const head, problem = "horizon: 200\nreplicates: 1\nassumptions: ignore\n", "problems: [{use: iid, dim: 2}]\n"
	p := bad(t)
	p.write("good.yaml", "name: good\n"+head+problem+"algorithms: [{use: ogd}, {use: primal-dual}]\n")
	p.run(0, "run", "good.yaml", "--store", "good")
	want := p.cells("good")
	for _, isolate := range []bool{false, true} {
		what, flags := "not isolated", []string{"--cell-timeout", "1s", "--workers", "2"}
		if isolate {
			what, flags = "isolated", append(flags, "--isolate")
		}
		t.Run(what, func(t *testing.T) {
			p := program{t, p.path, p.dir}
			text := "name: bad\n" + head + problem + "algorithms: [{use: ogd}"
			var sound []string
			reasons := make(map[string]string)
			for _, l := range badLearners {
				if l.process && !isolate || l.name == "allocates" {
					continue
				}
				text += ", {use: " + l.name + "}"
				if l.fails == "" {
					sound = append(sound, l.name)
				} else {
					reasons[l.name] = l.fails
				}
			}
			p.write("bad.yaml", text+", {use: primal-dual}]\n")
			said := p.run(3, append([]string{"run", "bad.yaml", "--store", what, "--shard", "1/1"}, flags...)...)
			if stack.MatchString(said) {
				t.Errorf("a stack is shown:\n%s", said)
			}
			failures := regexp.MustCompile(`(?m)^bench: failed: (.*) on iid, horizon 200, replicate 1(: .*)$`).FindAllStringSubmatch(said, -1)
			for _, f := range failures {
				switch reason := reasons[f[1]]; {
				case reason == "":
					t.Errorf("%s fails%s", f[1], f[2])
				case !regexp.MustCompile(reason).MatchString(f[2]):
					t.Errorf("%s fails%s, want %s", f[1], f[2], reason)
				}
				delete(reasons, f[1])
			}
			for name := range reasons {
				t.Errorf("%s does not fail", name)
			}
			if t.Failed() {
				t.Log(said)
			}
			got := p.cells(what)
			if len(got) != len(want)+len(sound) {
				t.Errorf("%d cells, want %d, and one for each of %q", len(got), len(want), sound)
			}
			for name, data := range want {
				if got[name] != data {
					t.Errorf("a cell of a good learner differs or is missing: %s", name)
				}
			}
		})
	}
	t.Run("problems", func(t *testing.T) {
		p := program{t, p.path, p.dir}
		p.write("bad.yaml", "name: bad\n"+head+"problems: [{use: stream-panics}, {use: iid, dim: 2}, {use: stream-hangs}, {use: stream-exits}]\nalgorithms: [{use: ogd}, {use: primal-dual}]\n")
		said := p.run(3, "run", "bad.yaml", "--store", "problems", "--isolate", "--cell-timeout", "1s")
		for _, want := range []string{
			`ogd on stream-panics, .*: problem stream-panics: panic: no stream`,
			`hindsight on stream-panics, .*: problem stream-panics: panic: no stream`,
			`primal-dual on stream-hangs, .*: before round 1: not finished after 1s`,
			`ogd on stream-exits, .*: its process ended \(exit status 5\)`,
		} {
			if !regexp.MustCompile("bench: failed: " + want).MatchString(said) {
				t.Errorf("it does not say %s:\n%s", want, said)
			}
		}
		got := p.cells("problems")
		if len(got) != len(want) {
			t.Errorf("%d cells, want %d", len(got), len(want))
		}
	})
	t.Run("memory", func(t *testing.T) {
		if race.Enabled || runtime.GOOS != "linux" {
			t.Skip("needs a limit of address space, which the race detector exceeds")
		}
		p := program{t, "/bin/sh", p.dir}
		p.write("bad.yaml", "name: bad\n"+head+problem+"algorithms: [{use: ogd}, {use: allocates}, {use: primal-dual}]\n")
		said := p.run(3, "-c", "ulimit -v 8000000; exec bad run bad.yaml --store memory --isolate")
		if !regexp.MustCompile(`bench: failed: allocates on .*: its process ended \(exit status 2\): fatal error: .*memory`).MatchString(said) {
			t.Error(said)
		}
		if got := p.cells("memory"); len(got) != len(want) {
			t.Errorf("%d cells, want %d", len(got), len(want))
		}
	})
}

// Outside of a sweep a panic is a message, and a stack only if it is asked for.
func TestPanicInVerbs(t *testing.T) {
	p := bad(t)
	for _, args := range [][]string{
		{"play", "--algorithm", "panics-new", "--problem", "iid", "--horizon", "10"},
		{"play", "--algorithm", "panics-act", "--problem", "iid", "--horizon", "10"},
		{"play", "--algorithm", "ogd", "--problem", "stream-panics", "--horizon", "10"},
		{"hindsight", "--problem", "stream-panics", "--horizon", "10"},
		{"diagnose", "--problem", "stream-panics", "--horizon", "10"},
		{"diagnose", "--problem", "iid", "--algorithm", "panics-new", "--horizon", "10"},
	} {
		if said := p.run(3, args...); !strings.HasPrefix(said, "bench: ") || !strings.Contains(said, "panic: ") || stack.MatchString(said) {
			t.Errorf("%s: %s", strings.Join(args, " "), said)
		}
		if said := p.run(3, append(args, "--debug")...); !stack.MatchString(said) || !strings.Contains(said, "bad_test.go") {
			t.Errorf("%s --debug: %s", strings.Join(args, " "), said)
		}
	}
	p.write("tune.yaml", "name: tune\nhorizon: 20\nreplicates: 2\nproblems: [{use: iid, dim: 2}, {use: stream-panics}]\nalgorithms: [{use: panics-new}, {use: primal-dual, step: [1, 5]}]\n")
	if said := p.run(3, "tune", "tune.yaml"); stack.MatchString(said) || !strings.Contains(said, "panic: no stream") {
		t.Errorf("tune: %s", said)
	}
}

// hanging starts a command whose learner hangs, and waits for a first line.
func hanging(t *testing.T, shell string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	p := bad(t)
	p.write("hang.yaml", "name: hang\nhorizon: 200\nreplicates: 1\nproblems: [{use: iid, dim: 2}]\nalgorithms: [{use: ogd}, {use: spins-later}]\n")
	stderr = new(bytes.Buffer)
	cmd = exec.Command("/bin/sh", "-c", shell)
	cmd.Dir, cmd.Stderr = p.dir, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if len(p.cells("results")) == 2 { // of ogd and the hindsight
			time.Sleep(100 * time.Millisecond)
			return cmd, stderr
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not get on: %s", stderr)
		}
	}
}

// An interrupt ends the program soon, whatever a learner does.
func TestInterruptOfHanging(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such signals")
	}
	for _, c := range []struct {
		shell   string
		signals []os.Signal // the last of them ends it
	}{
		{"exec bad run hang.yaml", []os.Signal{os.Interrupt}},
		{"exec bad run hang.yaml --isolate", []os.Signal{os.Interrupt}},
		{"exec bad run hang.yaml", []os.Signal{syscall.SIGTERM}},
		{"trap '' INT; exec bad run hang.yaml", []os.Signal{os.Interrupt, syscall.SIGTERM}},
	} {
		t.Run(c.shell, func(t *testing.T) {
			cmd, stderr := hanging(t, c.shell)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for i, s := range c.signals {
				begun := time.Now()
				cmd.Process.Signal(s)
				if i < len(c.signals)-1 {
					select {
					case err := <-ended:
						t.Fatalf("%v ends it: %v", s, err)
					case <-time.After(300 * time.Millisecond):
					}
					continue
				}
				select {
				case <-ended:
				case <-time.After(10 * time.Second):
					t.Fatal("it does not end")
				}
				if code, took := cmd.ProcessState.ExitCode(), time.Since(begun); code != 130 || took > 2*time.Second {
					t.Errorf("exit code %d after %v, want 130 within 2 s", code, took)
				}
				if !strings.Contains(stderr.String(), "bench: interrupted; finished cells are stored") {
					t.Errorf("it says %s", stderr)
				}
			}
		})
	}
}

// A verb that looks at no context ends as well.
func TestInterruptOfVerb(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such signals")
	}
	p := bad(t)
	var stderr bytes.Buffer
	cmd := exec.Command(p.path, "play", "--algorithm", "hangs-new", "--problem", "iid", "--horizon", "10")
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	begun := time.Now()
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code, took := cmd.ProcessState.ExitCode(), time.Since(begun); code != 130 || took > 2*time.Second || !strings.HasPrefix(stderr.String(), "bench: ending; ") {
		t.Errorf("exit code %d after %v, want 130 within 2 s: %s", code, took, &stderr)
	}
}

// No worker outlives its host, even if that is killed and the learner spins.
func TestNoOrphans(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	cmd, _ := hanging(t, "exec bad run hang.yaml --isolate")
	var workers []string
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid))
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		workers = append(workers, strings.Fields(string(data))...)
	}
	if len(workers) == 0 {
		t.Fatal("no worker is found")
	}
	cmd.Process.Kill()
	cmd.Wait()
	for _, pid := range workers {
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil || bytes.Contains(stat, []byte(") Z ")) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("worker %s is still there: %s", pid, stat)
			}
		}
	}
}
