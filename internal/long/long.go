// Package long divides the work of tests that take long into a sample and the whole.
package long

import (
	"os"
	"testing"
)

// Run runs a test on a sample of its cases or, if the environment has
// OCOBENCH_TESTS=whole, on all of them: `go test ./...` runs samples, scripts/nightly.sh the
// whole. The name of the subtest says which: sample or whole.
//
// A sample is chosen by what finds defects: it has each kind of case once. It is the same
// in every run.
func Run(t *testing.T, test func(t *testing.T, whole bool)) {
	t.Helper()
	whole, name := os.Getenv("OCOBENCH_TESTS") == "whole", "sample"
	if whole {
		name = "whole"
	}
	t.Run(name, func(t *testing.T) { test(t, whole) })
}
