package main

import (
	"bytes"
	"fmt"
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
	"ocobench/harness/experiment/spec"
	"ocobench/harness/regression"
	"ocobench/harness/run/runtest"
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

// Without its penalty, Penalised FTRL does not pass, and nothing else is
// blamed. For more defects, and how often they are caught: package paper.
func TestCheckPlantedDefect(t *testing.T) {
	baseline := reference(t, "name: x\nhorizon: 300\nreplicates: 10\nproblems: [{use: "+
		"decaying-frequency}, {use: iid}]\n"+
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
	pairs := regexp.MustCompile(`(?m)^  (\S+) on `).FindAllStringSubmatch(out, -1)
	if !strings.HasPrefix(out, "regression:\n") || len(pairs) == 0 {
		t.Errorf("no regressions\n%s", out)
	}
	for _, pair := range pairs {
		if pair[1] != "penalised-ftrl" {
			t.Errorf("blamed: %s", pair[1])
		}
	}
}

// An algorithm that the reference has and the program has not any more is gone,
// not unknown.
func TestCheckGone(t *testing.T) {
	baseline := reference(t, "name: x\nhorizon: 50\nreplicates: 5\nproblems: [{use: "+
		"shrinking}]\nalgorithms: [{use: ogd}, {use: guo}]\n")
	without := slices.DeleteFunc(slices.Clone(algorithms.All),
		func(a algorithms.Algorithm) bool { return a.Name == "guo" })
	code, out, errs := check(t, without, "--baseline", baseline)
	if code != 1 || !strings.Contains(out, "gone: violation_hard of guo on shrinking\n") ||
		!strings.Contains(out, "regression: 3 of 3 curves are the same, bit for bit; 2 gone") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	// A reference is not made anew of what is not there.
	if code, _, errs := check(t, without, "--update", "--baseline", baseline); code != 2 ||
		!strings.Contains(errs, `unknown algorithm "guo"`) ||
		!strings.Contains(errs, "x.ocobench (its source):5:") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, _, errs := check(t, nil, "--baseline", baseline); code != 2 ||
		!strings.Contains(errs,
			"x.ocobench: experiment x has no algorithm or no problem that this program "+
				"knows") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// A bound that a run breaks fails the check, whatever the curves say. Bounds that
// hold, or say nothing, do not.
func TestCheckBrokenBound(t *testing.T) {
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
			t.Errorf("exit code %d\n%s%s", code, out, errs)
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
		t.Errorf("summary\n%s", text)
	}
	code, out, _ = check(t, broken, "--baseline", baseline, "--json")
	if code != 1 || !strings.Contains(out, `"answer":"the same"`) ||
		!strings.Contains(out, `"broken":[{"algorithm":"primal-dual","problem":"shrinking","metric":"violation_soft","t":50,"horizon":50,"replicate":1,"ratio":`) {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// Defects that change bits, and no growth by much, are changes: the exit code is 0,
// and 1 with --strict. They are put into the curves that the reference has, as a
// faulty program would have measured them.
func TestCheckPlantedChanges(t *testing.T) {
	const source = "name: x\nhorizon: 300\nreplicates: 10\nproblems: [{use: iid}, {use: " +
		"shrinking}]\nalgorithms: [{use: ogd}, {use: primal-dual}, {use: guo}]\n"
	x, err := spec.Parse("x.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	r := runtest.Play(t, t.TempDir(),
		experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}, x)
	for _, d := range []struct {
		name   string
		prefix string // of the metrics that are measured wrongly
		// y returns the wrong value at checkpoint k of a game, from the right values
		// of the metric and the loss.
		y func(k int, metric, loss []float64) float64
	}{
		{"regret against the value of the final comparator at every t", "regret_",
			func(k int, regret, loss []float64) float64 {
				last := len(loss) - 1
				return loss[k] - (loss[last] - regret[last])
			}},
		{"regret against the comparator of the checkpoint before", "regret_",
			func(k int, regret, loss []float64) float64 {
				before := max(k-1, 0)
				return loss[k] - (loss[before] - regret[before])
			}},
		{"a mean over two constraints for a sum", "violation_hard",
			func(k int, violation, _ []float64) float64 { return violation[k] / 2 }},
		{"single precision", "", func(k int, metric, _ []float64) float64 {
			return float64(float32(metric[k]))
		}},
	} {
		ref := regression.Take(r, false)
		ref.Source = source
		planted := 0
		for i, c := range ref.Curves {
			if !strings.HasPrefix(string(c.Metric), d.prefix) {
				continue
			}
			wrong := false
			for replicate, row := range c.Y {
				g := r.Game(c.Algorithm, c.Problem, replicate+1, r.Last())
				if g == nil { // on a problem without randomness, which is played once
					g = r.Game(c.Algorithm, c.Problem, 1, r.Last())
				}
				metric, loss := g.Metric(c.Metric), g.Metric("loss")
				for k := range row {
					at := slices.Index(g.T(), c.T[k])
					row[k] = d.y(at, metric, loss)
					wrong = wrong || row[k] != metric[at]
				}
			}
			if wrong {
				ref.Curves[i].Bits = "0"
				planted++
			}
		}
		var file bytes.Buffer
		if err := regression.Write(&file, []*regression.Snapshot{ref}); err != nil {
			t.Fatal(err)
		}
		baseline := filepath.Join(t.TempDir(), "x.ocobench")
		if err := os.WriteFile(baseline, file.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		for want, args := range [][]string{{}, {"--strict"}} {
			code, out, errs := check(t, algorithms.All, append(args, "--baseline", baseline)...)
			if code != want || !strings.Contains(out,
				fmt.Sprintf("x: changed: %d of %d curves are the same, bit for bit; %d changed",
					len(ref.Curves)-planted, len(ref.Curves), planted)) {
				t.Errorf("%s %q: exit code %d\n%s%s", d.name, args, code, out, errs)
			}
		}
	}
}
