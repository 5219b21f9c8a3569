package regression

import (
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/internal/errtest"
	"ocobench/problems"
)

func TestReduceRemovesWhatTheCatalogLacks(t *testing.T) {
	index := func(name string) int {
		return slices.IndexFunc(all.Algorithms,
			func(a algorithms.Algorithm) bool { return a.Name == name })
	}
	every := "name: tiny\nhorizon: 100\nproblems: all\nalgorithms: [all, {use: ogd, step: 3}]\n"
	others := "name: tiny\nhorizon: 100\nproblems: [{use: shrinking}]\n" +
		"algorithms: [{use: ogd, step: 3}, {use: others}]\n"
	for _, c := range []struct {
		text       string
		algorithms []algorithms.Algorithm
		problems   []problems.Problem
		left       string
	}{
		{tiny, all.Algorithms, all.Problems, "ogd guo iid shrinking"},
		{tiny, all.Algorithms[index("guo") : index("guo")+1], all.Problems, "guo iid shrinking"},
		{tiny, all.Algorithms[:1], all.Problems, ""},
		{tiny, all.Algorithms, all.Problems[:1], ""},
		{every, all.Algorithms, all.Problems[:1], "all ogd all"},
		{every, all.Algorithms[:1], all.Problems[:1], "all all"},
		{others, all.Algorithms, all.Problems, "ogd others shrinking"},
		{others, all.Algorithms[:1], all.Problems, "others shrinking"},
	} {
		x, err := spec.Parse("x.yaml", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		err = dropUnknownEntries(x, experiment.Catalog{Algorithms: c.algorithms, Problems: c.problems})
		var left []string
		for _, u := range append(x.Algorithms, x.Problems...) {
			left = append(left, u.Name)
		}
		if c.left == "" && err == nil || c.left != "" &&
			(err != nil || strings.Join(left, " ") != c.left) {
			t.Errorf("%q is left, want %q: %v", left, c.left, err)
		}
	}
}

func TestComparableNamesTheDifference(t *testing.T) {
	ref := Take(play(t, tiny, 1))
	for old, new := range map[string]string{
		"name: tiny": "name: other", "horizon: 200": "horizon: [100, 200]",
		"replicates: 6": "replicates: 7",
		"problems":      "window: 1\nproblems", "algorithms": "confidence: 0.9\nalgorithms",
	} {
		t.Run(old, func(t *testing.T) {
			x, err := spec.Parse("x.yaml", []byte(strings.Replace(tiny, old, new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			errtest.Contains(t, ref.Comparable(x), "where the reference has", "%s", new)
		})
	}
}
