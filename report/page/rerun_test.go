package page

import (
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
)

// described returns the analysis of an experiment of which one cell has been played.
func described(t *testing.T, p *experiment.Plan) *analysis.Analysis {
	t.Helper()
	return analysis.Describe(resultsOf(t, p,
		run.Options{Workers: 1, Shard: 1, Shards: len(p.Cells)}))
}

// The file of an experiment plans the same cells.
func TestExperimentFilePlansTheSameCells(t *testing.T) {
	sources := map[string]string{
		"of its own": "name: own\nhorizon: [10, 20]\nreplicates: 3\nseed: 7\nwindow: 1\nconfidence: " +
			"0.9\ndescription: \"a: b # \\\"c\\\"\"\n" +
			"problems: [{use: fixed, dim: 2, kind: quadratic}, {use: iid, dim: [2, 3], label: \"i.i.d. " +
			"{a, b}: #1\"}]\n" +
			"algorithms: [{use: penalised-ftrl, gamma: [25, adaptive]}, {use: ogd, label: \"5 # 'yes'\"}]",
		"a label that is too long once it is swept": "name: own\nhorizon: 10\nreplicates: 1\nproblems: " +
			"[{use: iid, dim: [2, 3], label: \"" +
			strings.Repeat("x", 58) + "\"}]\nalgorithms: [{use: ogd}]",
	}
	for _, name := range []string{"frequency", "conjecture"} {
		source, err := experiments.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = string(source)
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			want := planOf(t, source)
			x := build(described(t, want))
			got := planOf(t, x.File)
			if got.Digest() != want.Digest() || len(got.Cells) != len(want.Cells) {
				t.Errorf("%d cells and not the same %d, planned by\n%s", len(got.Cells), len(want.Cells),
					x.File)
			}
			for k, c := range want.Algorithms {
				if got := got.Algorithms[k].Use.Label; got != c.Use.Label {
					t.Errorf("got label %q, want %q", got, c.Use.Label)
				}
			}
			for k, a := range want.Problems {
				if got := got.Problems[k].Use.Label; got != a.Use.Label && len(a.Use.Label) <= 60 {
					t.Errorf("got label of a problem %q, want %q", got, a.Use.Label)
				}
			}
			e, w := got.Experiment, want.Experiment
			if e.Name != w.Name || e.Description != w.Description || e.Window != w.Window ||
				e.Confidence != w.Confidence || e.Tuning != w.Tuning ||
				len(got.Tuned) != len(want.Tuned) {
				t.Errorf("asked for %+v, want %+v", e, w)
			}
			command := "bench run " + name
			if strings.Contains(name, " ") {
				command = "bench run own.yaml"
			}
			if x.Command != command {
				t.Errorf("the command is %s, want %s", x.Command, command)
			}
		})
	}
}

// TestFileIgnoresAssumptions: the file of an experiment asks for pairs that were played although
// assumptions are not met, with the word that lets them be played.
func TestFileIgnoresAssumptions(t *testing.T) {
	source := "name: own\nhorizon: 10\nreplicates: 1\nassumptions: ignore\nproblems: [{use: " +
		"iid}]\nalgorithms: [{use: yu-neely}]"
	want := planOf(t, source)
	if len(want.Unmet) == 0 {
		t.Fatal("got all assumptions met, want some unmet")
	}
	x := build(analysis.Describe(resultsOf(t, want, run.Options{Workers: 1})))
	if got := planOf(t, x.File); got.Digest() != want.Digest() {
		t.Errorf("got other cells, want the same planned by\n%s", x.File)
	}
	if want := "bench play --algorithm yu-neely --problem iid --ignore-assumptions --horizon 10 " +
		"--seed 1 --replicate 1"; x.Pairs[0].Play != want {
		t.Errorf("the command is %s, want %s", x.Pairs[0].Play, want)
	}
}

// An experiment that comes with the program runs by its name where it is the same but for
// horizon, replicates and seed, and else by its file.
func TestBuiltinExperimentRunsByName(t *testing.T) {
	for _, c := range []struct {
		change func(x *spec.Experiment)
		want   string
	}{
		{func(x *spec.Experiment) {}, "bench run frequency"},
		{func(x *spec.Experiment) { x.Seed, x.Replicates, x.Horizon = 2, 3, []int{10, 100} },
			"bench run frequency --horizon 10,100 --replicates 3 --seed 2"},
		{func(x *spec.Experiment) { x.Window = 1 }, "bench run frequency.yaml"},
		{func(x *spec.Experiment) { x.Confidence = 0.9 }, "bench run frequency.yaml"},
		{func(x *spec.Experiment) { x.Algorithms = x.Algorithms[:2] }, "bench run frequency.yaml"},
		{func(x *spec.Experiment) { x.Algorithms[0].Label = "ours" }, "bench run frequency.yaml"},
		{func(x *spec.Experiment) { x.Problems[0].Args = nil }, "bench run frequency.yaml"},
		{func(x *spec.Experiment) { x.Name = "mine" }, "bench run mine.yaml"},
		{func(x *spec.Experiment) { *x = *embedded(t, "conjecture") }, "bench run conjecture"},
		{func(x *spec.Experiment) { *x = *embedded(t, "conjecture"); x.Tuned = x.Tuned[:1] },
			"bench run conjecture.yaml"},
		{func(x *spec.Experiment) { *x = *embedded(t, "conjecture"); x.TuningSeed = 9 },
			"bench run conjecture.yaml"},
	} {
		x := embedded(t, "frequency")
		c.change(x)
		p, err := run.NewPlan(catalog, x)
		if err != nil {
			t.Fatal(err)
		}
		if got := build(described(t, p)).Command; got != c.want {
			t.Errorf("the command is %s, want %s", got, c.want)
		}
	}
}

// embedded reads an experiment that comes with the program.
func embedded(t *testing.T, name string) *spec.Experiment {
	t.Helper()
	x, err := experiments.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
