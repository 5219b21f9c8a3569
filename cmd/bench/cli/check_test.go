package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/gate"
	"ocobench/problems"
)

// A broken bound fails the check, whatever the curves say.
func TestCheckBrokenBound(t *testing.T) {
	dir := t.TempDir()
	source, baseline, summary := filepath.Join(dir, "x.yaml"), filepath.Join(dir, "x.json"), filepath.Join(dir, "x.md")
	if err := os.WriteFile(source, []byte("name: x\nhorizon: 50\nreplicates: 2\nproblems: [{use: shrinking}]\nalgorithms: [{use: ogd}]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	check := func(args ...string) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		code = Main(append([]string{"check", "--baseline", baseline}, args...), &out, &errs, harness.Catalog{Algorithms: algorithms.All, Problems: problems.All})
		return code, out.String(), errs.String()
	}
	if code, _, errs := check("--update", "--experiment", source); code != 0 {
		t.Fatal(errs)
	}
	if code, out, errs := check(); code != 0 || out != "x: the same: all 3 curves, bit for bit\n" {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}

	defer func(was func(context.Context, *harness.Results) ([]gate.BrokenBound, error)) { brokenBounds = was }(brokenBounds)
	brokenBounds = func(_ context.Context, r *harness.Results) ([]gate.BrokenBound, error) {
		return []gate.BrokenBound{{Algorithm: r.Algorithms[0].Spec, Problem: r.Problems[0].Spec, Metric: algorithms.HardViolation, T: r.Last(), Replicate: 2, Ratio: 1.25}}, nil
	}
	code, out, errs := check("--summary", summary)
	if code != exitRegression || out != "broken: violation_hard of ogd on shrinking is 1.25 times its bound at t = 50, in replicate 2\n"+
		"x: the same: all 3 curves, bit for bit; broken bounds: 1\n" || !strings.HasSuffix(errs, "bench: the same: all 3 curves, bit for bit; broken bounds: 1\n") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "## bench check: the same, broken bounds\n") || !strings.Contains(string(text), "1.25 times its bound") || strings.Contains(string(text), "accept") {
		t.Errorf("summary\n%s", text)
	}
	code, out, _ = check("--json")
	if want := `"answer":"the same","curves":3,"same":3,"paired":true,"confidence":0.95,`; code != exitRegression || !strings.Contains(out, want) ||
		!strings.Contains(out, `"broken":[{"algorithm":"ogd","problem":"shrinking","metric":"violation_hard","t":50,"replicate":2,"ratio":1.25}]`) {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
