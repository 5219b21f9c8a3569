package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocobench/cmd/bench/cli"
	"ocobench/harness/harnesstest/misbehave"
	"ocobench/internal/long"
	"ocobench/internal/race"
)

// badMain is a program with learners and problems that misbehave.
func badMain() {
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, misbehave.Catalog()))
}

// testProgram is a program that a test runs in a directory.
type testProgram struct {
	*testing.T
	path, dir string
}

// badProgram returns the program of badMain, in a new directory.
func badProgram(t *testing.T) testProgram {
	path, err := exec.LookPath("bad")
	if err != nil {
		t.Fatal(err)
	}
	return testProgram{T: t, path: path, dir: t.TempDir()}
}

// write writes a file in the directory.
func (p testProgram) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o666); err != nil {
		p.Fatal(err)
	}
}

// run returns what the command writes to standard error, and fails the test unless it ends with the
// exit code.
func (p testProgram) run(code int, args ...string) string {
	p.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(p.path, args...)
	cmd.Dir, cmd.Stderr = p.dir, &stderr
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		p.Errorf("%s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, &stderr)
	}
	return stderr.String()
}

// cells returns the files of cells in a store, by name.
func (p testProgram) cells(store string) map[string]string {
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

// A program that is killed leaves no process behind, not even one that hangs.
func TestKilledRunLeavesNoChild(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a process that hangs, and does not read its standard input, is left")
	}
	t.Parallel()
	for _, flags := range [][]string{nil, {"--isolate"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			t.Parallel()
			p := badProgram(t)
			pids := filepath.Join(p.dir, "pids")
			p.write("x.yaml", "name: x\nhorizon: 200\nproblems: [{use: iid}]\nalgorithms: [{use: mine}]\n")
			path, err := exec.LookPath("bench")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path, append([]string{"run", "x.yaml", "--external", "mine=child hangs",
				"--external-timeout", "1h"}, flags...)...)
			cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "CHILDREN="+pids, p.hangVariable())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			p.awaitHang()
			cmd.Process.Kill()
			cmd.Wait()
			p.awaitEnds(pids)
		})
	}
}

// hangVariable returns the variable of the environment that makes a program say to
// [testProgram.awaitHang] that it hangs.
func (p testProgram) hangVariable() string { return "HANGS=" + filepath.Join(p.dir, "hangs") }

// awaitHang waits until a learner of the program hangs.
func (p testProgram) awaitHang() {
	p.Helper()
	long.Await(p.T, "a learner hangs", func() bool {
		data, _ := os.ReadFile(filepath.Join(p.dir, "hangs"))
		return bytes.HasSuffix(data, []byte("\n"))
	})
}

// checkKept fails the test unless got has the cells of want, those of the good learners, with the
// same bytes, and so many more.
func checkKept(t *testing.T, got, want map[string]string, more int) {
	t.Helper()
	if len(got) != len(want)+more {
		t.Errorf("%d cells, want %d, and %d of those that do not fail", len(got), len(want), more)
	}
	for name, data := range want {
		if got[name] != data {
			t.Errorf("got another cell of a good learner, or none, want it as without failures: %s", name)
		}
	}
}

// awaitEnds waits until the processes whose ids are in a file, at least one, have ended.
func (p testProgram) awaitEnds(pids string) {
	p.Helper()
	data, err := os.ReadFile(pids)
	if err != nil {
		p.Fatal(err)
	}
	for _, pid := range strings.Fields(string(data)) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			p.Fatal(err)
		}
		long.Await(p.T, fmt.Sprintf("the end of process %d", n), func() bool {
			process, err := os.FindProcess(n)
			return err != nil || process.Signal(syscall.Signal(0)) != nil
		})
	}
}

// TestIsolatedCellsFailAlone: a learner or a problem that misbehaves in a process of its own fails
// its own cell, with the reason. The other cells are the same as in a run without it.
func TestIsolatedCellsFailAlone(t *testing.T) {
	t.Parallel()
	const head, problem = "horizon: 200\nreplicates: 1\nassumptions: ignore\n",
		"problems: [{use: iid, dim: 2}]\n"
	p := badProgram(t)
	p.write("good.yaml", "name: good\n"+head+problem+"algorithms: [{use: ogd}, {use: primal-dual}]\n")
	p.run(0, "run", "good.yaml", "--store", "good")
	want := p.cells("good")
	t.Run("learners", func(t *testing.T) {
		t.Parallel()
		p := testProgram{t, p.path, p.dir}
		text := "name: bad\n" + head + problem + "algorithms: [{use: ogd}"
		sound := 0
		learners := misbehave.Pick(true)
		for _, l := range learners {
			text += ", {use: " + l.Name + "}"
			if l.Fails == "" {
				sound++
			}
		}
		p.write("learners.yaml", text+", {use: primal-dual}]\n")
		var faults []string
		var said, store string
		for limit := time.Second; limit == time.Second ||
			limit < time.Minute && misbehave.Late(faults); limit *= 4 { // the machine may be slow
			store = limit.String()
			said = p.run(3, "run", "learners.yaml", "--store", store, "--shard", "1/1", "--cell-timeout",
				limit.String(), "--workers", "2", "--isolate")
			faults = misbehave.Check(said, learners)
		}
		for _, fault := range faults {
			t.Error(fault)
		}
		if t.Failed() {
			t.Log(said)
		}
		checkKept(t, p.cells(store), want, sound)
	})
	t.Run("problems", func(t *testing.T) {
		t.Parallel()
		p := testProgram{t, p.path, p.dir}
		p.write("problems.yaml", "name: bad\n"+head+
			"problems: [{use: stream-panics}, {use: iid, dim: 2}, "+
			"{use: stream-hangs}, {use: stream-exits}]\nalgorithms: [{use: ogd}, {use: primal-dual}]\n")
		said := p.run(3, "run", "problems.yaml", "--store", "problems", "--isolate",
			"--cell-timeout", "1s")
		// The cells of iid have that second, too: where the machine is slow, they are there later.
		for try := 0; len(p.cells("problems")) < len(want) && try < 4; try++ {
			p.run(3, "run", "problems.yaml", "--store", "problems", "--isolate", "--cell-timeout",
				(4 << (2 * try) * time.Second).String())
		}
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
		p := testProgram{t, "/bin/sh", p.dir}
		p.write("bad.yaml", "name: bad\n"+head+problem+
			"algorithms: [{use: ogd}, {use: allocates}, {use: primal-dual}]\n")
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
func TestPanicIsAMessage(t *testing.T) {
	p := badProgram(t)
	for _, args := range [][]string{
		{"play", "--algorithm", "panics-new", "--problem", "iid", "--horizon", "10"},
		{"play", "--algorithm", "ogd", "--problem", "stream-panics", "--horizon", "10"},
		{"diagnose", "--problem", "stream-panics", "--horizon", "10"},
		{"diagnose", "--problem", "iid", "--algorithm", "panics-new", "--horizon", "10"},
	} {
		if said := p.run(3, args...); !strings.HasPrefix(said, "bench: ") ||
			!strings.Contains(said, "panic: ") || misbehave.Stack.MatchString(said) {
			t.Errorf("%s: got %s, want a panic as a message without a stack", strings.Join(args, " "), said)
		}
		if said := p.run(3, append(args, "--debug")...); !misbehave.Stack.MatchString(said) ||
			!strings.Contains(said, "learners.go") {
			t.Errorf("%s --debug: got %s, want the stack", strings.Join(args, " "), said)
		}
	}
	p.write("tune.yaml", "name: tune\nhorizon: 20\nreplicates: 2\nproblems: [{use: iid, dim: 2}, "+
		"{use: stream-panics}]\nalgorithms: [{use: panics-new}, {use: primal-dual, step: [1, 5]}]\n")
	if said := p.run(3, "tune", "tune.yaml"); misbehave.Stack.MatchString(said) ||
		!strings.Contains(said, "panic: no stream") {
		t.Errorf("tune: got %s, want panic: no stream, without a stack", said)
	}
}

// startHanging starts a command whose learner hangs, and waits until it does and the cells of the
// other learners are stored.
func startHanging(t *testing.T, shell string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	p := badProgram(t)
	p.write("hang.yaml", "name: hang\nhorizon: 200\nreplicates: 1\nproblems: [{use: iid, dim: "+
		"2}]\nalgorithms: [{use: ogd}, {use: spins-later}]\n")
	stderr = new(bytes.Buffer)
	cmd = exec.Command("/bin/sh", "-c", shell)
	cmd.Dir, cmd.Stderr, cmd.Env = p.dir, stderr, append(os.Environ(), p.hangVariable())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	p.awaitHang()
	long.Await(t, "the cells of ogd and the hindsight", func() bool {
		return len(p.cells("results")) == 2
	})
	return cmd, stderr
}

// An interrupt ends the program, whatever a learner does. The sample has each signal.
func TestInterruptEndsAHangingRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such signals")
	}
	long.Run(t, checkInterrupts)
}

// checkInterrupts sends signals to a run that hangs, and checks that the last of them ends it.
func checkInterrupts(t *testing.T, whole bool) {
	for _, c := range []struct {
		shell   string
		signals []os.Signal // the last of them ends it
		long    bool
	}{
		{shell: "exec bad run hang.yaml", signals: []os.Signal{os.Interrupt}},
		{shell: "exec bad run hang.yaml --isolate", signals: []os.Signal{os.Interrupt}},
		{shell: "exec bad run hang.yaml", signals: []os.Signal{syscall.SIGTERM}, long: true},
		{shell: "trap '' INT; exec bad run hang.yaml",
			signals: []os.Signal{os.Interrupt, syscall.SIGTERM}},
	} {
		if c.long && !whole {
			continue
		}
		t.Run(c.shell, func(t *testing.T) {
			cmd, stderr := startHanging(t, c.shell)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for i, s := range c.signals {
				cmd.Process.Signal(s)
				if i < len(c.signals)-1 {
					select {
					case err := <-ended:
						t.Fatalf("%v: got an end (%v), want it to go on", s, err)
					case <-time.After(300 * time.Millisecond): // time to end, if it does
					}
					continue
				}
				long.Await(t, "it ends, though the learner has an hour", func() bool {
					return len(ended) > 0
				})
				<-ended
				if code := cmd.ProcessState.ExitCode(); code != 130 {
					t.Errorf("exit code %d, want 130", code)
				}
				// on a slow machine, without what TestScripts/resume asks for: that cells are stored
				if !strings.Contains(stderr.String(), "\nbench: interrupted") {
					t.Errorf("got %s, want bench: interrupted", stderr)
				}
			}
		})
	}
}

// A verb that looks at no context ends as well.
func TestInterruptEndsAHangingVerb(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such signals")
	}
	p := badProgram(t)
	var stderr bytes.Buffer
	cmd := exec.Command(p.path, "play", "--algorithm", "hangs-new", "--problem", "iid", "--horizon",
		"10")
	cmd.Stderr, cmd.Env = &stderr, append(os.Environ(), p.hangVariable())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.awaitHang()
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 ||
		!strings.HasPrefix(stderr.String(), "bench: ending; ") {
		t.Errorf("exit code %d, want 130: %s", code, &stderr)
	}
}

// No worker outlives its host, even if that is killed and the learner spins.
func TestKilledRunLeavesNoWorker(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	cmd, _ := startHanging(t, "exec bad run hang.yaml --isolate")
	var workers []string
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid))
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		workers = append(workers, strings.Fields(string(data))...)
	}
	if len(workers) == 0 {
		t.Fatal("got no worker, want some")
	}
	cmd.Process.Kill()
	cmd.Wait()
	for _, pid := range workers {
		long.Await(t, "the end of worker "+pid, func() bool {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			return err != nil || bytes.Contains(stat, []byte(") Z "))
		})
	}
}
