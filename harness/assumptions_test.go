package harness

import (
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/spec"
	"ocobench/problems"
)

// A pair whose problem does not meet an assumption is not played, and the plan
// says why; unless the experiment ignores assumptions, and then it says so too.
func TestUnmetAssumptions(t *testing.T) {
	registries := Catalog{Algorithms: algorithms.All, Problems: problems.All}
	const text = "name: a\nhorizon: 10\nreplicates: 2\nproblems: [{use: fixed}, {use: " +
		"iid}]\nalgorithms: [{use: ogd}, {use: yu-neely}]\n"
	plan := func(text string) (*Plan, error) {
		e, err := spec.Parse("a.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return NewPlan(registries, e)
	}
	games := func(p *Plan) (names []string) {
		for _, c := range p.Cells {
			if c.Contender != nil && c.Replicate == 1 {
				names = append(names, c.Contender.Spec+" on "+c.Arena.Spec)
			}
		}
		return names
	}

	p, err := plan(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := games(p), []string{
		"ogd on fixed", "yu-neely on fixed", "ogd on iid",
	}; !slices.Equal(got, want) {
		t.Errorf("the games are %q, want %q", got, want)
	}
	const unmet = "yu-neely assumes fixed constraints, which iid does not have"
	if len(p.Unmet) != 1 || p.Unmet[0].String() != unmet {
		t.Errorf("left out: %v", p.Unmet)
	}

	p, err = plan(text + "assumptions: ignore\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := games(p); len(got) != 4 || len(p.Unmet) != 1 {
		t.Errorf("ignoring assumptions the games are %q, and %v unmet", got, p.Unmet)
	}

	_, err = plan(strings.NewReplacer("{use: fixed}, ", "", "{use: ogd}, ", "").Replace(text))
	const nothing = "nothing to play in experiment a: yu-neely assumes fixed constraints"
	if err == nil || !strings.Contains(err.Error(), nothing) {
		t.Errorf("an experiment without a game: %v", err)
	}
}

// A plan of absurd size is refused before it is made.
func TestPlanOfAbsurdSize(t *testing.T) {
	e, err := spec.Parse("a.yaml", []byte("name: a\nhorizon: 10\nreplicates: 1e9\n"+
		"problems: [{use: shrinking}]\nalgorithms: [{use: ogd}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewPlan(Catalog{Algorithms: algorithms.All, Problems: problems.All}, e); err == nil || !strings.Contains(err.Error(), "at most 2000000") {
		t.Errorf("a plan of 2·10⁹ cells: %v", err)
	}
}
