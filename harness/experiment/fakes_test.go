package experiment

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
	"ocobench/problems"
)

// all is the catalog of the program itself.
var all = Catalog{algorithms.All, problems.All}

// useOf parses a SPEC.
func useOf(t testing.TB, text string) spec.Use {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// problemOf resolves the SPEC of a problem of the program.
func problemOf(t testing.TB, text string) Problem {
	t.Helper()
	p, err := One(useOf(t, text), all.ResolveProblems)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// algorithmOf resolves the SPEC of an algorithm of the program.
func algorithmOf(t testing.TB, text string) Algorithm {
	t.Helper()
	a, err := One(useOf(t, text), all.ResolveAlgorithms)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
