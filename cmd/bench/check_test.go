package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/cmd/bench/cli"
	"ocobench/harness"
	"ocobench/problems"
)

// check runs bench check with a registry of one's own.
func check(t *testing.T, registry []algorithms.Algorithm, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(append([]string{"check"}, args...), &out, &errs, harness.Catalog{Algorithms: registry, Problems: problems.All})
	return code, out.String(), errs.String()
}

// reference makes a reference of an experiment, with the program as it is, and
// returns its file.
func reference(t *testing.T, experiment string) string {
	t.Helper()
	dir := t.TempDir()
	source, baseline := filepath.Join(dir, "x.yaml"), filepath.Join(dir, "x.json")
	if err := os.WriteFile(source, []byte(experiment), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := check(t, algorithms.All, "--update", "--experiment", source, "--baseline", baseline); code != 0 {
		t.Fatal(errs)
	}
	return baseline
}

// Without its penalty, Penalised FTRL does not pass, and nothing else is
// blamed. For more defects, and how often they are caught: package paper.
func TestCheckPlantedDefect(t *testing.T) {
	baseline := reference(t, "name: x\nhorizon: 300\nreplicates: 10\nproblems: [{use: decaying-frequency}, {use: iid}]\n"+
		"algorithms: [{use: penalised-ftrl}, {use: ogd}, {use: primal-dual}]\n")
	registry := slices.Clone(algorithms.All)
	for i, a := range registry {
		if a.Name == "penalised-ftrl" {
			registry[i].New = func(params any, s algorithms.Setup) (algorithms.Learner, error) {
				p := params.(algorithms.PenalisedFTRLParams)
				p.Gamma.Value = 0
				return a.New(p, s)
			}
		}
	}
	code, out, errs := check(t, registry, "--baseline", baseline)
	if code != 1 || !strings.Contains(errs, "bench: regression: ") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	rows := regexp.MustCompile(`(?m)^│ .* │ +regression +│$`).FindAllString(out, -1)
	if len(rows) == 0 {
		t.Errorf("no regressions\n%s", out)
	}
	for _, row := range rows {
		if !strings.Contains(row, "│ penalised-ftrl ") {
			t.Errorf("blamed: %s", row)
		}
	}
}

// An algorithm that the reference has and the program has not any more is gone,
// not unknown.
func TestCheckGone(t *testing.T) {
	baseline := reference(t, "name: x\nhorizon: 50\nreplicates: 5\nproblems: [{use: shrinking}]\nalgorithms: [{use: ogd}, {use: guo}]\n")
	without := slices.DeleteFunc(slices.Clone(algorithms.All), func(a algorithms.Algorithm) bool { return a.Name == "guo" })
	code, out, errs := check(t, without, "--baseline", baseline)
	if code != 1 || !strings.Contains(out, "gone: violation_hard of guo on shrinking\n") || !strings.Contains(out, "3 of 3 curves are the same, bit for bit; 2 gone") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	// A reference is not made anew of what is not there.
	if code, _, errs := check(t, without, "--update", "--baseline", baseline); code != 2 || !strings.Contains(errs, `unknown algorithm "guo"`) || !strings.Contains(errs, "x.json (its source):5:") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, _, errs := check(t, nil, "--baseline", baseline); code != 2 || !strings.Contains(errs, "x.json: experiment x has no algorithm or no problem that this program knows") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
