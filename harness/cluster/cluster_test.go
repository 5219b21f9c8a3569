package cluster

import (
	"strings"
	"testing"
	"time"

	"ocobench/harness/experiment"
	"ocobench/harness/store"
)

// What the store has is done, what has failed since the submission is left, and what failed
// before it is tried again.
func TestTodo(t *testing.T) {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plan := new(experiment.Plan)
	for _, name := range []string{"done", "failed", "missing"} {
		plan.Cells = append(plan.Cells, &experiment.Cell{Key: store.KeyOf([]byte(`"` + name + `"`))})
	}
	if err := s.Put(plan.Cells[0].Key, &store.Cell{
		Kind: store.Game, Identity: []byte(`"done"`), Columns: []string{"t"},
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.PutFailure(plan.Cells[1].Key, "because"); err != nil {
		t.Fatal(err)
	}
	todo, failed := Todo(plan, s, time.Now().Add(-time.Hour))
	if len(todo) != 1 || todo[0] != plan.Cells[2] || len(failed) != 1 ||
		failed[0].Cell != plan.Cells[1] || failed[0].Err.Error() != "because" {
		t.Errorf("after a failure: %v, %v", todo, failed)
	}
	if todo, failed := Todo(plan, s, time.Now().Add(time.Hour)); len(todo) != 2 || failed != nil {
		t.Errorf("before it: %v, %v", todo, failed)
	}
}

// A plan with other cells is not that of the submission.
func TestCheck(t *testing.T) {
	a := &experiment.Plan{Cells: []*experiment.Cell{{Key: store.KeyOf([]byte("a"))}}}
	b := &experiment.Plan{Cells: []*experiment.Cell{{Key: store.KeyOf([]byte("b"))}}}
	j := &Job{Experiment: "x", Plan: a.Digest(), dir: "out/x/slurm/1"}
	if err := j.Check(a); err != nil {
		t.Error(err)
	}
	if err := j.Check(b); err == nil ||
		!strings.Contains(err.Error(), "experiment x has other cells than when it was submitted") {
		t.Errorf("%v", err)
	}
}
