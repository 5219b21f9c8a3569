package analysis

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/errtest"
	"ocobench/problems"
)

// What the registry says of an algorithm and of a problem is in the analysis, and so is
// what identifies the rounds.
func TestAnalysisHasWhatTheRegistrySays(t *testing.T) {
	c := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	p, s, failures := runExperiment(t, c,
		"name: e\nhorizon: [8, 16]\nreplicates: 2\nproblems: [{use: fixed, "+
			"constraints: 2}, {use: iid}, {use: alternating}]\nalgorithms: [{use: ogd}, {use: yu-neely-wei}]")
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	r, a := loadAndAnalyse(t, c, s)
	checkDocumented(t, a)
	for i, e := range a.Algorithms {
		known, _ := algorithms.Lookup(algorithms.All, e.Name)
		if e.Doc != known.Doc || e.Feedback != known.Feedback ||
			!slices.Equal(e.Assumes, known.AssumptionNames()) || (len(e.Assumes) == 0) != (i == 0) {
			t.Errorf("%s: got %q, feedback %s, assumes %q, want what the registry says", e.Spec, e.Doc,
				e.Feedback, e.Assumes)
		}
	}
	for i, facts := range [][]string{
		{"fixed constraints", "affine constraints", "known constraints", "Slater point"},
		{"i.i.d. constraints", "affine constraints", "Slater point"},
		{"perturbed constraints", "affine constraints", "feasible rounds", "known optimum",
			"deterministic"},
	} {
		p := a.Problems[i]
		known, _ := problems.Lookup(problems.All, p.Name)
		if p.Doc != known.Doc || !slices.Equal(p.Facts, facts) {
			t.Errorf("%s: %q, facts %q, want %q", p.Spec, p.Doc, p.Facts, facts)
		}
		setups, err := run.Setups(c, r, p.Entry)
		if err != nil {
			t.Fatal(err)
		}
		setup := setups[run.GameAt{Replicate: 1}]
		f := setup.Facts
		if want := float64(setup.Constraints) * f.ConstraintBound; !isNear(p.Constraint, want, 0) ||
			want == 0 {
			t.Errorf("%s: a round violates at most %v, want %v", p.Spec, p.Constraint, want)
		}
		if want := f.LossRange; !isNear(p.Loss, want, 0) || want == 0 {
			t.Errorf("%s: the losses of a round lie %v apart, want %v", p.Spec, p.Loss, want)
		}
	}
	recorded := a.Problems[0].Entry
	recorded.Params = []byte(`{"dim":99}`)
	_, err := run.Setups(c, r, recorded)
	errtest.Contains(t, err, "this program has another problem ",
		"setups of other parameters than recorded")
	var rounds [3][]string
	for _, cell := range p.Cells {
		same := func(e experiment.Entry) bool { return e.Spec == cell.Problem.Spec }
		if cell.Kind == store.Hindsight && cell.Horizon == 16 {
			k := slices.IndexFunc(r.Problems, same)
			rounds[k] = append(rounds[k], string(cell.Key)[:16])
		}
	}
	for i, want := range []int{2, 2, 1} {
		if got := a.Problems[i].Rounds; len(got) != want || !slices.Equal(got, rounds[i]) {
			t.Errorf("the rounds of %s are %q, want %q", a.Problems[i].Spec, got, rounds[i])
		}
	}
}

// A fact that another one implies is not named, and a bound is declared if it is positive and
// finite.
func TestImpliedFactsAreNotNamed(t *testing.T) {
	all := convex.Facts{Fixed: true, Perturbed: true, IID: true, Affine: true, KnownConstraints: true,
		Slater: 1, Curvature: 1, KnownOptimum: true, Adaptive: true, Deterministic: true, Opaque: true,
		Feasible: true}
	// What fixed constraints and a Slater point make redundant is left out.
	fixed := DescribeFacts(all)
	all.Fixed, all.Slater = false, 0
	if changing := DescribeFacts(all); slices.Contains(fixed, "feasible rounds") || len(fixed) != 9 ||
		!slices.Contains(changing, "feasible rounds") || len(changing) != 10 ||
		len(DescribeFacts(convex.Facts{})) != 0 {
		t.Errorf("got facts %q, and %q with changing constraints without a Slater point, want 9 and 10",
			fixed, changing)
	}
	for bound, want := range map[float64]bool{0: false, 2: true, math.Inf(1): false} {
		if got := declaredBound(bound); got.Defined() != want {
			t.Errorf("bound %v: got %v declared, want it defined: %v", bound, got, want)
		}
	}
	p := Problem{Entry: experiment.Entry{Spec: "p"}, Loss: none, Constraint: none}
	g := boundInputs{setups: map[string]gameSetups{"p": {byGame: map[run.GameAt]algorithms.Setup{
		{Replicate: 2, Horizon: 9}: {Facts: convex.Facts{LossRange: 1}},
		{Replicate: 2, Horizon: 4}: {Constraints: 1, Facts: convex.Facts{LossLipschitz: 3, Diameter: 2}},
		{Replicate: 7}:             {Constraints: 1, Facts: convex.Facts{LossRange: 1}},
	}}}}
	if p.describeProblem(experiment.Catalog{}, g); p.Loss != 6 || p.Constraint.Defined() {
		t.Errorf("a loss of slope 3 on a diameter of 2: got %v, constraint %v, want 6 and none", p.Loss,
			p.Constraint)
	}
}

// An adaptive stream has no rounds of its own.
func TestAdaptiveStreamHasNoRoundsOfItsOwn(t *testing.T) {
	_, s, _ := runExperiment(t, experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All},
		"name: e\nhorizon: 4\nreplicates: 1\nproblems: [{use: mannor}]\nalgorithms: [{use: ogd}]")
	r, err := run.LoadExperiment(s, "e")
	if err != nil {
		t.Fatal(err)
	}
	if got := roundDigests(r, r.Problems[0].Spec); len(r.Cells) != 2 || got == nil || len(got) != 0 {
		t.Errorf("got digests %q of %d cells, want none of 2", got, len(r.Cells))
	}
}
