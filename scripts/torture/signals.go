//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A disturbance is something that happens to a run once.
type disturbance struct {
	name  string
	shell string // a command of the shell before the program, such as trap
	do    func(p *process)
	codes []int // the exit codes that are right, beside 0; minus a signal that ended it
}

// disturbances lists what interrupts a command.
var disturbances = []disturbance{
	{name: "INT", do: func(p *process) { p.signalGroup(syscall.SIGINT) }, codes: []int{130}},
	{name: "TERM", do: func(p *process) { p.signalGroup(syscall.SIGTERM) }, codes: []int{130}},
	{name: "INT to the process alone", do: func(p *process) { p.Process.Signal(syscall.SIGINT) },
		codes: []int{130}},
	{name: "INT twice", do: func(p *process) {
		p.signalGroup(syscall.SIGINT)
		p.waitFor(20 * time.Millisecond)
		p.signalGroup(syscall.SIGINT)
	}, codes: []int{130, -int(syscall.SIGINT)}},
	{name: "INT and TERM", do: func(p *process) {
		p.signalGroup(syscall.SIGINT)
		p.waitFor(5 * time.Millisecond)
		p.signalGroup(syscall.SIGTERM)
	}, codes: []int{130, -int(syscall.SIGTERM)}},
	{name: "INT, ignored", shell: "trap '' INT; ",
		do: func(p *process) { p.signalGroup(syscall.SIGINT) }},
	{name: "INT, ignored, then TERM", shell: "trap '' INT; ", do: func(p *process) {
		p.signalGroup(syscall.SIGINT)
		p.waitFor(20 * time.Millisecond)
		p.signalGroup(syscall.SIGTERM)
	}, codes: []int{130}},
	{name: "STOP and CONT", do: func(p *process) {
		p.signalGroup(syscall.SIGSTOP)
		p.waitFor(50 * time.Millisecond)
		p.signalGroup(syscall.SIGCONT)
	}},
	{name: "WINCH, USR1 ignored", shell: "trap '' USR1; ", do: func(p *process) {
		p.signalGroup(syscall.SIGWINCH)
		p.signalGroup(syscall.SIGUSR1)
	}},
}

// signals sends signals to runs at random moments. The exit code is as documented,
// the end comes within 2 s, and the same command finishes with what it should be.
func signals(r *rack) error {
	u, err := r.runUndisturbedExpecting(0, "bench", small)
	if err != nil {
		return err
	}
	r.runTrials(len(disturbances)*r.trials(5, 1), func(i int) string {
		return fmt.Sprintf("%s, %d, isolate %v", disturbances[i%len(disturbances)].name, i, i%2 == 1)
	}, func(t *trial, i int) error {
		d := disturbances[i%len(disturbances)]
		if err := t.write("e.yaml", u.experiment); err != nil {
			return err
		}
		args := u.runArgs()
		if i%2 == 1 {
			args = append(args, "--isolate")
		}
		p := t.command("/bin/sh", "-c", d.shell+"exec "+t.programs+"/bench "+strings.Join(args, " "))
		if err := p.start(); err != nil {
			return err
		}
		// Before the program is at it, a signal ends it as any program. On a machine with other work
		// that takes some hundred milliseconds.
		p.waitFor(500*time.Millisecond + time.Duration(t.rand.Float64()*float64(u.took)))
		at := time.Now()
		d.do(p)
		if err := p.wait(longTime); err != nil {
			return err
		}
		took := time.Since(at)
		if code := p.code(); code != 0 && !slices.Contains(d.codes, code) {
			return fmt.Errorf("exit code %d, want 0 or one of %v: %s", code, d.codes, p.lastStderr())
		}
		if p.code() == 130 && took > 2*time.Second+u.took {
			return fmt.Errorf("it ends after %v", took)
		}
		if p.code() == 130 && !strings.Contains(p.err.String(), "bench: interrupted") {
			return fmt.Errorf("it does not say that it was interrupted: %s", p.lastStderr())
		}
		if err := t.checkOrphans(); err != nil {
			return err
		}
		return u.checkFinishes(t)
	})
	pipes(r, u)
	return nil
}

// pipes closes the standard output or error of verbs, from the start or after some bytes. They
// have to end, and to leave the store as it is.
func pipes(r *rack, u *undisturbed) {
	verbs := [][]string{
		{"run", "e.yaml", "--store", "store", "--out", "out"},
		{"run", "e.yaml", "--store", "store", "--out", "out", "--isolate", "--fresh"},
		{"play", "--algorithm", "ogd", "--problem", "iid", "--horizon", "20000"},
		{"list", "algorithms", "--json"},
		{"export", "--store", "store", "--out", "/dev/stdout"},
		{"compare", "--store", "store"},
	}
	type place struct {
		verb   int
		stderr bool
		bytes  int64
	}
	var all []place
	for verb := range verbs {
		for _, n := range []int64{0, 100} {
			all = append(all, place{verb: verb, bytes: n})
		}
		all = append(all, place{verb: verb, stderr: true})
	}
	if r.quick {
		all = all[:6]
	}
	r.runTrials(len(all), func(i int) string {
		return fmt.Sprintf("%q, standard error %v, closed after %d bytes", verbs[all[i].verb],
			all[i].stderr, all[i].bytes)
	}, func(t *trial, i int) error {
		if err := os.CopyFS(t.path("."), os.DirFS(u.dir)); err != nil {
			return err
		}
		read, write, err := os.Pipe()
		if err != nil {
			return err
		}
		p := t.command("bench", verbs[all[i].verb]...)
		if all[i].stderr {
			p.Stderr = write
		} else {
			p.Stdout = write
		}
		err = p.start()
		write.Close()
		if err != nil {
			return err
		}
		io.CopyN(io.Discard, read, all[i].bytes)
		read.Close()
		if err := p.wait(10 * time.Second); err != nil {
			return err
		}
		if code := p.code(); code != 0 && code != 2 && code != -int(syscall.SIGPIPE) {
			return fmt.Errorf("exit code %d: %s", code, p.lastStderr())
		}
		if strings.Contains(p.err.String(), "goroutine ") {
			return errors.New("it panicked")
		}
		if err := t.checkOrphans(); err != nil {
			return err
		}
		return u.checkFinishes(t)
	})
}
