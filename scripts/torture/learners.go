//go:build linux

package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocobench/harness/harnesstest/misbehave"
)

// good is an experiment without the learner that misbehaves; goodHead is all of it but the
// algorithms.
const (
	goodHead = "horizon: 200\nreplicates: 1\nassumptions: ignore\nproblems: [{use: iid, dim: 2}]\n"
	good     = "name: good\n" + goodHead + "algorithms: [{use: ogd}, {use: primal-dual}]\n"
)

// A misfit is a learner that misbehaves, in the process of bench or in one of its own.
type misfit struct {
	misbehave.Learner
	isolate bool
}

// survives reports whether bench outlives the learner.
func (m *misfit) survives() bool { return m.isolate || !m.Process }

// learners plays each learner that misbehaves beside two that do not, in process and
// isolated. Its own cell fails, with the reason; the others have the same bytes. One
// that ends the whole program in process loses nothing of the others: the next run
// computes what is missing.
func learners(r *rack) error {
	u, err := r.runUndisturbedExpecting(0, "bad", good)
	if err != nil {
		return err
	}
	var all []misfit
	for _, l := range misbehave.All {
		if l.Name != misbehave.Memory {
			all = append(all, misfit{l, false}, misfit{l, true})
		}
	}
	if r.quick { // each learner once: isolated if it harms its process
		all = slices.DeleteFunc(all, func(m misfit) bool { return m.isolate != m.Process })
	}
	r.notes = append(r.notes, fmt.Sprintf("%d learners", len(misbehave.All)))
	r.runTrials(len(all), func(i int) string {
		return fmt.Sprintf("%s, isolated %v", all[i].Name, all[i].isolate)
	}, func(t *trial, i int) error {
		m := &all[i]
		if err := errors.Join(m.checkPlay(t), t.checkOrphans()); err != nil {
			return err
		}
		if _, err := t.runExpecting(0, "bad", u.runArgs()...); err != nil {
			return err
		}
		return m.checkStore(t, u)
	})
	return r.tryMemory(u)
}

// writeExperiments writes the good experiment, and bad.yaml, the same with one learner more.
func writeExperiments(t *trial, learner string) error {
	bad := "name: bad\n" + goodHead + "algorithms: [{use: ogd}, {use: " +
		learner + "}, {use: primal-dual}]\n"
	return errors.Join(t.write("e.yaml", good), t.write("bad.yaml", bad))
}

// checkPlay plays the learner beside the two good ones, and returns an error unless the exit code
// and the messages are those that the learner declares.
func (m *misfit) checkPlay(t *trial) error {
	if err := writeExperiments(t, m.Name); err != nil {
		return err
	}
	args := []string{"run", "bad.yaml", "--store", t.path("store"), "--out", t.path("out"),
		"--cell-timeout", "1s"}
	if m.isolate {
		args = append(args, "--isolate")
	}
	p, err := t.run("bad", args...)
	if err != nil || !m.survives() {
		return err
	}
	want := 0
	if m.Fails != "" {
		want = 3
	}
	if p.code() != want {
		return fmt.Errorf("exit code %d, want %d: %s", p.code(), want, p.lastStderr())
	}
	if faults := misbehave.Check(p.err.String(), []misbehave.Learner{m.Learner}); len(faults) > 0 {
		return errors.New(strings.Join(faults, "; "))
	}
	return nil
}

// checkStore compares the store with that of an undisturbed run, and counts the cells of the
// learner: one if it does not fail.
func (m *misfit) checkStore(t *trial, u *undisturbed) error {
	got, err := readTree(t.path("store"))
	if err != nil {
		return err
	}
	if !m.survives() { // it may write into any open file of its process
		got["lock"] = u.store["lock"]
	}
	own := 0
	for _, name := range slices.Collect(maps.Keys(got)) {
		if _, expected := u.store[name]; expected {
			continue
		}
		if strings.HasSuffix(name, ".cell") {
			own++
		}
		delete(got, name)
	}
	want := 0
	if m.Fails == "" {
		want = 1
	}
	if m.survives() && own != want {
		return fmt.Errorf("%d cells of the learner, want %d", own, want)
	}
	return u.store.diff(got)
}

// tryMemory plays the learner that takes all memory, where it is limited.
func (r *rack) tryMemory(u *undisturbed) error {
	r.runTrials(1, func(int) string { return misbehave.Memory }, func(t *trial, _ int) error {
		if err := writeExperiments(t, misbehave.Memory); err != nil {
			return err
		}
		p, err := t.runExpecting(3, "/bin/sh", "-c",
			"ulimit -v 8000000; exec "+t.programs+"/bad run bad.yaml --store store --isolate")
		if err != nil {
			return err
		}
		if !strings.Contains(p.err.String(), "bench: failed: "+misbehave.Memory+" on ") {
			return fmt.Errorf("it does not say what fails: %s", p.lastStderr())
		}
		p, err = t.runExpecting(0, "bad", u.runArgs()...)
		if err == nil && !strings.Contains(p.err.String(), " 0 cells computed") {
			err = fmt.Errorf("cells of the others are lost: %s", p.lastStderr())
		}
		return err
	})
	return nil
}
