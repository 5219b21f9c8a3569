package published

import (
	"context"
	"testing"

	"ocobench/harness"
	"ocobench/harness/store"
)

// played plays a game with a store of its own.
func played(t *testing.T, g Game) *harness.Results {
	t.Helper()
	plan, err := harness.NewPlan(catalog, g.Experiment)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	failures, err := harness.Run(context.Background(), plan, s, harness.Options{Workers: 2})
	if err != nil || len(failures) > 0 {
		t.Fatal(err, failures)
	}
	r, err := harness.LoadPlan(s, plan)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
