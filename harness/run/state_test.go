package run

import (
	"slices"
	"testing"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/store"
	"ocobench/internal/errtest"
)

const plainDuals = "name: duals\nhorizon: 20\nreplicates: 2\nproblems: [{use: iid}, {use: " +
	"online-qp}]\nalgorithms: [{use: ogd}, {use: primal-dual}, {use: yu-neely-wei}]"

// What learners show is recorded where an experiment asks for it: no key changes, a stored game
// that lacks it is played again and then has it, and its other columns keep their bits.
func TestStatesAreRecordedOnRequest(t *testing.T) {
	dir := t.TempDir()
	plain := newPlan(t, programCatalog, plainDuals)
	runPlan(t, plain, dir, Options{})
	before := make(map[store.Key]*store.Cell)
	for _, c := range plain.Cells {
		cell, err := openStore(t, dir).Get(c.Key)
		if err != nil {
			t.Fatal(err)
		}
		before[c.Key] = cell
	}
	asked := newPlan(t, programCatalog, plainDuals+"\nmetrics: [state_multiplier, movement]")
	for k, c := range asked.Cells {
		if c.Key != plain.Cells[k].Key {
			t.Errorf("%s: got another key, want that without the metrics", c)
		}
	}
	asked = newPlan(t, programCatalog, plainDuals+"\nmetrics: [state_multiplier]")
	found, computed, failures := runPlan(t, asked, dir, Options{})
	if want := 4; computed != want || found != len(asked.Cells)-want || failures != nil {
		t.Errorf("%d cells are computed and %d found, want %d and %d: the games of primal-dual alone "+
			"lack something; %v", computed, found, want, len(asked.Cells)-want, failures)
	}
	for _, c := range asked.Cells {
		cell, err := openStore(t, dir).Get(c.Key)
		if err != nil {
			t.Fatal(err)
		}
		if d := Difference(before[c.Key], cell); d != "" {
			t.Errorf("%s: got difference %s, want none", c, d)
		}
	}
	r, err := LoadExperiment(openStore(t, dir), "duals")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"state_multiplier", "state_multiplier_max", "state_multiplier_sum",
		"state_multiplier_1", "state_multiplier_2", "state_multiplier_3"}; !slices.Equal(r.States, want) ||
		r.Metrics != nil {
		t.Errorf("the record has the states %v and the metrics %v, want %v and none", r.States, r.Metrics,
			want)
	}
	for _, name := range []string{"primal-dual", "ogd"} {
		has := r.Game(name, "iid", 1, 20).Metric("state_multiplier") != nil
		if want := name == "primal-dual"; has != want {
			t.Errorf("%s has the multiplier: %v, want %v", name, has, want)
		}
	}
}

func TestStatesThatNobodyShowsAreRefused(t *testing.T) {
	_, err := planOf(t, programCatalog, plainDuals+"\nmetrics: [state_step]")
	errtest.Contains(t, err,
		"no algorithm that is played shows state_step; they show state_multiplier, state_queue, ")
	if _, err := spec.Parse("e.yaml", []byte(plainDuals+"\nmetrics: [state_]")); err == nil {
		t.Error("state_: got it read as a metric, want an error")
	}
}
