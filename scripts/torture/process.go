//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A trial has a directory, in which its processes run.
type trial struct {
	*rack
	name string
	dir  string
	rand *rand.Rand
}

// mark begins the environment variable that says to which trial a process belongs. Children
// inherit it.
const mark = "OCOBENCH_TORTURE="

// processesBelow returns the processes of the trials whose directories are below dir.
func processesBelow(dir string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		data, err := os.ReadFile(file) // of a process that has ended: empty
		if err == nil && bytes.Contains(append([]byte{0}, data...), []byte("\x00"+mark+dir)) {
			if pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))); pid != os.Getpid() {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// checkOrphans returns an error if processes of the trial still run after ten seconds.
func (t *trial) checkOrphans() error {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		pids := processesBelow(t.dir + "/")
		switch {
		case len(pids) == 0:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("processes %v still run", pids)
		}
	}
}

// end kills the processes of the trial that are left, and removes its directory.
func (t *trial) end() {
	for _, pid := range processesBelow(t.dir + "/") {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	remove(t.dir)
}

// path returns the path of a file in the directory of the trial.
func (t *trial) path(names ...string) string {
	return filepath.Join(append([]string{t.dir}, names...)...)
}

// write writes a file of the trial.
func (t *trial) write(name, text string) error {
	return os.WriteFile(t.path(name), []byte(text), 0o666)
}

// A process is a command with a process group of its own, its output, and how long it ran.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
	begun    time.Time
	took     time.Duration
	done     chan struct{}
}

// command makes a process of the trial. A program without a slash is one that
// torture.sh built.
func (t *trial) command(program string, args ...string) *process {
	if !strings.Contains(program, "/") {
		program = filepath.Join(t.programs, program)
	}
	p := &process{Cmd: exec.Command(program, args...), done: make(chan struct{})}
	p.Dir, p.Stdout, p.Stderr = t.dir, &p.out, &p.err
	p.Env = append(os.Environ(), mark+t.dir+"/", "TMPDIR="+t.path("tmp"), "GOTRACEBACK=single")
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.WaitDelay = time.Second // a learner may have started something
	return p
}

// start starts the process; done is closed when it has ended.
func (p *process) start() error {
	p.begun = time.Now()
	if err := p.Start(); err != nil {
		return err
	}
	go func() {
		p.Wait()
		p.took = time.Since(p.begun)
		close(p.done)
	}()
	return nil
}

// waitFor waits so long, or until the process has ended.
func (p *process) waitFor(d time.Duration) (ended bool) {
	select {
	case <-p.done:
		return true
	case <-time.After(d):
		return false
	}
}

// signalGroup sends a signal to the process group.
func (p *process) signalGroup(s syscall.Signal) { syscall.Kill(-p.Process.Pid, s) }

// wait waits for the end. It kills a process that takes longer than the limit, and returns an
// error.
func (p *process) wait(limit time.Duration) error {
	if !p.waitFor(limit) {
		p.signalGroup(syscall.SIGKILL)
		<-p.done
		return fmt.Errorf("%s: not finished after %v", p, limit)
	}
	return nil
}

// code returns the exit code, or minus the number of the signal that ended it.
func (p *process) code() int {
	if s := p.ProcessState.Sys().(syscall.WaitStatus); s.Signaled() {
		return -int(s.Signal())
	}
	return p.ProcessState.ExitCode()
}

// lastStderr returns the last 1000 bytes of standard error.
func (p *process) lastStderr() string {
	s := p.err.String()
	return s[max(0, len(s)-1000):]
}

// longTime is how long an ordinary command may take on a machine that is busy.
const longTime = 2 * time.Minute

// run runs a command to its end, whatever its exit code.
func (t *trial) run(program string, args ...string) (*process, error) {
	p := t.command(program, args...)
	if err := p.start(); err != nil {
		return p, err
	}
	return p, p.wait(longTime)
}

// runExpecting runs a command to its end, and returns an error unless it has the wanted exit code.
func (t *trial) runExpecting(code int, program string, args ...string) (*process, error) {
	p, err := t.run(program, args...)
	if err != nil {
		return p, err
	}
	if got := p.code(); got != code {
		return p, fmt.Errorf("%s %s: exit code %d, want %d: %s", filepath.Base(program),
			strings.Join(args, " "), got, code, p.lastStderr())
	}
	return p, nil
}

// A tree holds what is below a directory: for every path the digest of a file, the size of one
// that is too large to read, or the type of what is no file.
type tree map[string]string

// readTree returns the tree below a directory, which need not exist.
func readTree(dir string) (tree, error) {
	t := make(tree)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == dir:
			return nil
		case err != nil:
			return err
		case d.IsDir():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		t[name] = d.Type().String()
		if info, err := d.Info(); err == nil && info.Size() > 1<<28 {
			t[name] = fmt.Sprint(info.Size(), " bytes")
		} else if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			t[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		return nil
	})
	return t, err
}

// diff returns an error for a tree that is not the wanted one.
func (want tree) diff(got tree) error {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if digest, there := got[name]; !there {
			faults = append(faults, name+" is missing")
		} else if digest != want[name] {
			faults = append(faults, name+" differs")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[name]; !wanted {
			faults = append(faults, name+" is left")
		}
	}
	if len(faults) > 0 {
		return errors.New(strings.Join(faults[:min(5, len(faults))], "; "))
	}
	return nil
}

// checkDir compares what is below a directory with a tree.
func (want tree) checkDir(dir string) error {
	got, err := readTree(dir)
	if err == nil {
		err = want.diff(got)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(dir), err)
	}
	return nil
}

// undisturbed holds what a run leaves that nothing disturbs. Disturbed runs are compared with it.
type undisturbed struct {
	program    string
	experiment string // its text
	code       int    // of run and export
	dir        string // with store, out, all.csv and all.csv.json
	store, out tree
	export     string
	took       time.Duration
}

// runUndisturbedExpecting runs an experiment that nothing disturbs, and exports its store. It
// returns an error unless both have the wanted exit code.
func (r *rack) runUndisturbedExpecting(code int, program, experiment string) (*undisturbed, error) {
	t := r.newTrial("undisturbed")
	u := &undisturbed{program: program, experiment: experiment, code: code, dir: t.dir}
	if err := t.write("e.yaml", experiment); err != nil {
		return nil, err
	}
	p, err := t.runExpecting(code, program, u.runArgs()...)
	if err != nil {
		return nil, err
	}
	u.took = p.took
	if _, err := u.exported(t); err != nil {
		return nil, err
	}
	return u, u.read()
}

// read reads what an undisturbed run has left in its directory.
func (u *undisturbed) read() (err error) {
	if u.store, err = readTree(filepath.Join(u.dir, "store")); err != nil {
		return err
	}
	if u.out, err = readTree(filepath.Join(u.dir, "out")); err != nil {
		return err
	}
	export, err := os.ReadFile(filepath.Join(u.dir, "all.csv"))
	u.export = string(export)
	return err
}

// runArgs returns the arguments of bench that run the experiment, with more flags.
func (u *undisturbed) runArgs(flags ...string) []string {
	return append([]string{"run", "e.yaml", "--store", "store", "--out", "out"}, flags...)
}

// exported exports the store of the trial, and returns the CSV.
func (u *undisturbed) exported(t *trial) (string, error) {
	if _, err := t.runExpecting(u.code, u.program, "export", "--store", "store", "--out",
		"all.csv"); err != nil {
		return "", err
	}
	text, err := os.ReadFile(t.path("all.csv"))
	return string(text), err
}

// checkFinishes runs the experiment once more in the directory of the trial, and compares
// everything with what it should be.
func (u *undisturbed) checkFinishes(t *trial, flags ...string) error {
	if _, err := t.runExpecting(u.code, u.program, u.runArgs(flags...)...); err != nil {
		return err
	}
	return u.checkWhole(t)
}

// checkWhole compares everything in the directory of the trial with what it should be.
func (u *undisturbed) checkWhole(t *trial) error {
	if err := errors.Join(u.store.checkDir(t.path("store")),
		u.out.checkDir(t.path("out"))); err != nil {
		return err
	}
	if left, err := os.ReadDir(t.path("tmp")); err != nil || len(left) > 0 {
		return fmt.Errorf("%d files are left in TMPDIR (%v)", len(left), err)
	}
	return u.checkExport(t)
}

// checkExport returns an error if the export of the store of the trial differs from that of the
// undisturbed run.
func (u *undisturbed) checkExport(t *trial) error {
	text, err := u.exported(t)
	if err == nil && text != u.export {
		err = errors.New("the export differs")
	}
	return err
}
