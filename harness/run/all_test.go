package run

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/problems"
)

// The word all stands for every entry of the catalog that its defaults
// determine, in order.
func TestAllStandsForEveryDefaultEntry(t *testing.T) {
	catalog := experiment.Catalog{Algorithms: programCatalog.Algorithms[:3], Problems: slices.Clone(programCatalog.Problems[:2])}
	trace, ok := problems.Lookup(programCatalog.Problems, "trace")
	if !ok {
		t.Fatal("got no problem trace, want one of the registry")
	}
	catalog.Problems = append(catalog.Problems, trace) // a file is required
	names := func(text string) string {
		p, err := planOf(t, catalog, "name: x\nhorizon: 10\nreplicates: 1\n"+text)
		if err != nil {
			place, _, _ := strings.Cut(err.Error(), ": ")
			return place
		}
		var out []string
		for _, a := range p.Problems {
			out = append(out, a.Spec)
		}
		for _, c := range p.Algorithms {
			out = append(out, c.Spec)
		}
		return strings.Join(out, " ")
	}
	for text, want := range map[string]string{
		"problems: all\nalgorithms: all":                                               "decaying-frequency shrinking penalised-ftrl primal-dual primal-dual-average",
		"problems: [{use: shrinking}]\nalgorithms: [all, {use: primal-dual, step: 1}]": "shrinking penalised-ftrl primal-dual primal-dual-average primal-dual:step=1",
		"problems: all\nalgorithms: [{use: primal-dual}, all]":                         "e.yaml:5:34",
		"problems: [{use: shrinking}, {use: shrinking, label: S}]\nalgorithms: all":    "e.yaml:4:36",
		"problems: [all, {use: shrinking, label: S}]\nalgorithms: [{use: primal-dual, label: P}, all]": "decaying-frequency " +
			"shrinking primal-dual penalised-ftrl primal-dual-average",
		"problems: [{use: shrinking}, others]\nalgorithms: [{use: primal-dual, step: [1, 2]}, {use: others}]": "shrinking decaying-frequency " +
			"primal-dual:step=1 primal-dual:step=2 penalised-ftrl primal-dual-average",
	} {
		if got := names(text); got != want {
			t.Errorf("%s\ngives %s\nwant  %s", text, got, want)
		}
	}
	catalog.Algorithms = programCatalog.Algorithms[:4]
	if got := names("problems: all\nalgorithms: all"); !strings.HasSuffix(got, " ogd") {
		t.Errorf("with one more algorithm: got all = %s, want one that ends with ogd", got)
	}
}

// The word others has the cells of the algorithms that it stands for, however these are written,
// and a tuning leaves them out and writes the word.
func TestOthersAreCellsOfTheirNames(t *testing.T) {
	catalog := experiment.Catalog{Algorithms: programCatalog.Algorithms[:3], Problems: programCatalog.Problems}
	read := func(algorithms string) *spec.Experiment {
		e, err := spec.Parse("x.yaml", []byte("name: x\nhorizon: 10\nreplicates: 2\n"+
			"problems: [{use: shrinking}]\nalgorithms: ["+algorithms+"]\n"))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	plan := func(algorithms string) *experiment.Plan {
		p, err := NewPlan(catalog, read(algorithms))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	word := plan("{use: primal-dual, step: 1}, {use: others}")
	names := plan("{use: primal-dual-average}, {use: penalised-ftrl}, {use: primal-dual, step: 1}")
	if want := []string{"penalised-ftrl", "primal-dual-average"}; word.Digest() != names.Digest() ||
		!slices.Equal(word.Others(), want) || names.Others() != nil {
		t.Errorf("others are %q with cells %s, want %q with cells %s", word.Others(), word.Digest(),
			want, names.Digest())
	}
	tuning, err := NewTuning(context.Background(), nil, catalog,
		read("{use: primal-dual, step: [1, 2]}, {use: others}"), 2)
	if err != nil {
		t.Fatal(err)
	}
	scores := [][]Score{{{Algorithm: tuning.Grids[0].Points[1], Chosen: true}}}
	var listed []string
	for _, u := range tuning.Tuned(scores).Algorithms {
		listed = append(listed, u.String())
	}
	if want := []string{"{use: primal-dual, step: 2}", "others"}; len(tuning.Plan.Algorithms) != 2 ||
		!slices.Equal(listed, want) {
		t.Errorf("%d algorithms are tuned, and %q are written, want 2 and %q",
			len(tuning.Plan.Algorithms), listed, want)
	}
}
