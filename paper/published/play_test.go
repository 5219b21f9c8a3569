package published

import (
	"context"
	"testing"

	"ocobench/harness/run"
	"ocobench/harness/store"
)

// played plays a game with a store of its own.
func played(t *testing.T, g Game) *run.Results {
	t.Helper()
	plan, err := run.NewPlan(catalog, g.Experiment)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	failures, err := run.Run(context.Background(), plan, s, run.Options{Workers: 2})
	if err != nil || len(failures) > 0 {
		t.Fatal(err, failures)
	}
	r, err := run.LoadPlan(s, plan)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
