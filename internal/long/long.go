// Package long is for tests that take long, or wait: it divides the work of tests into a sample
// and the whole, waits for events, and keeps their files in memory.
package long

import (
	"os"
	"runtime/debug"
	"testing"
	"time"
)

// The heaps of tests are small: garbage is collected a quarter as often as by default (100).
func init() { debug.SetGCPercent(400) }

// Run runs a test on a sample of its cases or, if the environment has
// OCOBENCH_TESTS=whole, on all of them: `go test ./...` runs samples, scripts/nightly.sh the
// whole. The name of the subtest says which: sample or whole.
//
// A sample is chosen by what finds defects: it has each kind of case once. It is the same
// in every run.
func Run(t *testing.T, test func(t *testing.T, whole bool)) {
	t.Helper()
	name := "sample"
	if Whole() {
		name = "whole"
	}
	t.Run(name, func(t *testing.T) { test(t, Whole()) })
}

// Whole reports whether tests run on all of their cases.
func Whole() bool { return os.Getenv("OCOBENCH_TESTS") == "whole" }

// margin is how long before the time limit of all tests (go test -timeout) a test that waits fails,
// so that its own message is printed.
const margin = 20 * time.Second

// Await waits until something has happened, however slow the machine is: only the time limit of
// all tests of the package ends it, and then the message says what has not happened.
func Await(t testing.TB, what string, happened func() bool) {
	t.Helper()
	limited, _ := t.(interface{ Deadline() (time.Time, bool) })
	for !happened() {
		if limited != nil {
			if end, ok := limited.Deadline(); ok && time.Until(end) < margin {
				t.Fatalf("this has not happened: %s", what)
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
}
