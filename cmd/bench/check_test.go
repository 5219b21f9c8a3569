package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/cmd/bench/cli"
	"ocobench/harness/experiment"
	"ocobench/problems"
)

// check runs bench check with a registry of one's own.
func check(t *testing.T, registry []algorithms.Algorithm, args ...string) (code int, stdout,
	stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(append([]string{"check"}, args...), &out, &errs,
		experiment.Catalog{Algorithms: registry, Problems: problems.All})
	return code, out.String(), errs.String()
}

// reference makes a reference of an experiment, with the program as it is, and
// returns its file.
func reference(t *testing.T, experiment string) string {
	t.Helper()
	dir := t.TempDir()
	source, baseline := filepath.Join(dir, "x.yaml"), filepath.Join(dir, "x.ocobench")
	if err := os.WriteFile(source, []byte(experiment), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := check(t, algorithms.All, "--update", "--experiment", source, "--baseline",
		baseline); code != 0 {
		t.Fatal(errs)
	}
	return baseline
}

// TestBrokenBoundFailsTheCheck: a bound that a run breaks fails the check, whatever the curves say.
// A bound that holds or is not stated does not fail it.
func TestBrokenBoundFailsTheCheck(t *testing.T) {
	baseline := reference(t, "name: x\nhorizon: [20, 50]\nreplicates: 3\nproblems: [{use: "+
		"shrinking}, {use: iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}]\n")
	summary := filepath.Join(t.TempDir(), "x.md")
	// with gives primal-dual, which has none, a bound b of the soft violation.
	with := func(b func(t int) float64) []algorithms.Algorithm {
		registry := slices.Clone(algorithms.All)
		for i := range registry {
			if registry[i].Name == "primal-dual" {
				registry[i].Claims = []algorithms.Claim{
					{Metric: algorithms.SoftViolation, Formula: "b(t)",
						Bound: func(algorithms.Setup) (func(int) float64, error) { return b, nil }},
				}
			}
		}
		return registry
	}
	for _, b := range []func(t int) float64{
		func(int) float64 { return 1e9 }, func(int) float64 { return math.Inf(1) },
	} {
		if code, out, errs := check(t, with(b), "--baseline", baseline); code != 0 ||
			out != "x: the same: all 12 curves, bit for bit\n" {
			t.Errorf("got exit code %d\n%s%s\nwant 0 and 12 curves bit for bit", code, out, errs)
		}
	}
	// The bound says something at the end of the longer game only.
	broken := with(func(t int) float64 {
		if t == 50 {
			return 1e-6
		}
		return math.Inf(1)
	})
	code, out, errs := check(t, broken, "--baseline", baseline, "--summary", summary)
	lines := regexp.MustCompile(`(?m)^broken: violation_soft of primal-dual on (shrinking|iid) is \S+ times its bound at t = 50 of 50, in replicate [123]$`).FindAllString(out, -1)
	if code != 1 || len(lines) != 2 || !strings.HasSuffix(out,
		"x: the same: all 12 curves, bit for bit; broken bounds: 2\n") ||
		strings.Contains(errs, "--update") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "## bench check: the same, broken bounds\n") ||
		strings.Count(string(text), "times its bound") != 2 || strings.Contains(string(text), "accept") {
		t.Errorf("got summary\n%s\nwant two broken bounds, and nothing to accept", text)
	}
	code, out, _ = check(t, broken, "--baseline", baseline, "--json")
	if code != 1 || !strings.Contains(out, `"answer":"the same"`) ||
		!strings.Contains(out, `"broken":[{"algorithm":"primal-dual","problem":"shrinking","metric":"violation_soft","t":50,"horizon":50,"replicate":1,"ratio":`) {
		t.Errorf("got exit code %d\n%s\nwant 1, the same curves and the broken bound", code, out)
	}
}
