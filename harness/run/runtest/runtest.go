// Package runtest plays experiments for the tests of packages that read results.
package runtest

import (
	"testing"

	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// Play plays an experiment on two workers with its store in the folder dir, and returns the
// results. The test ends if the experiment is not valid or a cell fails.
func Play(t testing.TB, dir string, c experiment.Catalog, x *spec.Experiment) *run.Results {
	t.Helper()
	p, err := run.NewPlan(c, x)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if failures, err := run.Run(t.Context(), p, s, run.Options{Workers: 2}); err != nil ||
		len(failures) > 0 {
		t.Fatal(err, failures)
	}
	r, err := run.LoadExperiment(s, x.Name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
