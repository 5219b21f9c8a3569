//go:build linux

package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocobench/harness/harnesstest"
)

// good is an experiment without the learner that misbehaves.
const (
	goodHead = "horizon: 200\nreplicates: 1\nassumptions: ignore\nproblems: [{use: iid, dim: 2}]\n"
	good     = "name: good\n" + goodHead + "algorithms: [{use: ogd}, {use: primal-dual}]\n"
)

// learners plays each learner that misbehaves beside two that do not, in process and
// isolated. Its own cell fails, with the reason; the others have the same bytes. One
// that ends the whole program in process loses nothing of the others: the next run
// computes what is missing.
func learners(r *rack) error {
	u, err := r.undisturbed("bad", 0, good)
	if err != nil {
		return err
	}
	type pair struct {
		harnesstest.Learner
		isolate bool
	}
	var all []pair
	for _, l := range harnesstest.All {
		if l.Name == harnesstest.Memory {
			continue
		}
		all = append(all, pair{l, false}, pair{l, true})
	}
	if r.quick { // each of them once
		all = slices.DeleteFunc(all, func(p pair) bool { return p.isolate != p.Process })
	}
	r.notes = append(r.notes, fmt.Sprintf("%d learners", len(harnesstest.All)))
	r.each(len(all), func(i int) string { return fmt.Sprintf("%s, isolated %v", all[i].Name, all[i].isolate) }, func(t *trial, i int) error {
		l, isolate := all[i].Learner, all[i].isolate
		if err := errors.Join(t.write("e.yaml", good), t.write("bad.yaml", "name: bad\n"+goodHead+"algorithms: [{use: ogd}, {use: "+l.Name+"}, {use: primal-dual}]\n")); err != nil {
			return err
		}
		args := []string{"run", "bad.yaml", "--store", t.path("store"), "--out", t.path("out"), "--cell-timeout", "1s"}
		if isolate {
			args = append(args, "--isolate")
		}
		p := t.command("bad", args...)
		if err := p.start(); err != nil {
			return err
		}
		if err := p.wait(long); err != nil {
			return err
		}
		if isolate || !l.Process {
			want := 0
			if l.Fails != "" {
				want = 3
			}
			if p.code() != want {
				return fmt.Errorf("exit code %d, want %d: %s", p.code(), want, p.said())
			}
			if faults := harnesstest.Check(p.err.String(), []harnesstest.Learner{l}); len(faults) > 0 {
				return errors.New(strings.Join(faults, "; "))
			}
		}
		if err := t.orphans(); err != nil {
			return err
		}
		if _, err := t.does(0, "bad", u.run()...); err != nil {
			return err
		}
		got, err := readTree(t.path("store"))
		if err != nil {
			return err
		}
		if l.Process && !isolate { // it may write into any open file of its process
			got["lock"] = u.store["lock"]
		}
		own := 0
		for _, name := range slices.Collect(maps.Keys(got)) {
			if _, of := u.store[name]; !of && strings.HasSuffix(name, ".cell") {
				own++
			}
			if _, of := u.store[name]; !of {
				delete(got, name)
			}
		}
		if want := 0; isolate || !l.Process {
			if l.Fails == "" {
				want = 1
			}
			if own != want {
				return fmt.Errorf("%d cells of the learner, want %d", own, want)
			}
		}
		return u.store.differs(got)
	})
	return r.memory(u)
}

// memory plays the learner that takes all memory, where it is limited.
func (r *rack) memory(u *undisturbed) error {
	r.each(1, func(int) string { return harnesstest.Memory }, func(t *trial, _ int) error {
		if err := errors.Join(t.write("e.yaml", good), t.write("bad.yaml", "name: bad\n"+goodHead+"algorithms: [{use: ogd}, {use: "+harnesstest.Memory+"}, {use: primal-dual}]\n")); err != nil {
			return err
		}
		p, err := t.does(3, "/bin/sh", "-c", "ulimit -v 8000000; exec "+t.programs+"/bad run bad.yaml --store store --isolate")
		if err != nil {
			return err
		}
		if !strings.Contains(p.err.String(), "bench: failed: "+harnesstest.Memory+" on ") {
			return fmt.Errorf("it does not say what fails: %s", p.said())
		}
		p, err = t.does(0, "bad", u.run()...)
		if err == nil && !strings.Contains(p.err.String(), " 0 cells computed") {
			err = fmt.Errorf("cells of the others are lost: %s", p.said())
		}
		return err
	})
	return nil
}
