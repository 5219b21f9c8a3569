package run

import (
	"errors"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/harnesstest"
	"ocobench/internal/errtest"
)

// A learner that finds at its start, or in the first round, that the problem lacks what it
// assumes is not played there. If nothing else is played, that is a fault of the experiment.
func TestLackAtStartExcludesPair(t *testing.T) {
	plan := func(problems, algorithms, rest string) (*experiment.Plan, error) {
		return planOf(t, programCatalog, "name: a\nhorizon: 10\nreplicates: 2\nproblems: ["+
			problems+"]\nalgorithms: ["+algorithms+"]\n"+rest)
	}
	const polyak = "{use: polyak-feasibility, x0: [1, 1]}"
	const ignore = "assumptions: ignore"
	for _, rest := range []string{"", ignore} {
		p, err := plan("{use: fixed, dim: 2}", polyak+", {use: ogd}", rest)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Unmet) != 1 || len(p.Unplayed()) != 1 || !strings.HasPrefix(p.Unmet[0].String(),
			"polyak-feasibility:x0=[1,1] assumes a first action with max_j g_j(x_1) ≤ -") {
			t.Errorf("%q: got unmet %v, want the first action of polyak-feasibility", rest, p.Unmet)
		}
		for _, c := range p.Cells {
			if c.Algorithm != nil && c.Algorithm.Name != "ogd" {
				t.Errorf("%q: got %v planned, want games of ogd only", rest, c)
			}
		}
		for problem, want := range map[string]string{
			"{use: fixed, dim: 2}": "e.yaml:5:20: algorithm polyak-feasibility:x0=[1,1]: the first action has max_j",
			"{use: fixed, dim: 3}": "x0 has 2 coordinates; the domain has 3 (on problem fixed:dim=3)",
		} {
			_, err = plan(problem, polyak, rest)
			errtest.Contains(t, err, want, "%q", rest)
		}
	}
	// One of another program does not say what it lacks, but that it plays elsewhere does.
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("program", harnesstest.Still)}, Problems: programCatalog.Problems}
	start := c.Algorithms[0].New
	c.Algorithms[0].New = func(p any, s algorithms.Setup) (algorithms.Learner, error) {
		if s.Set.Dim() == 3 {
			return nil, errors.New("the dimension is 3")
		}
		return start(p, s)
	}
	const text = "name: b\nhorizon: 10\nproblems: [{use: fixed, dim: 3}, {use: fixed, dim: 2}]\n" +
		"algorithms: [{use: program}]\n"
	_, err := planOf(t, c, text)
	errtest.Contains(t, err, "the dimension is 3", "one of this program that does not start")
	c.Algorithms[0].Fingerprint = "f"
	p, err := planOf(t, c, text)
	if err != nil || len(p.Unmet) != 1 || p.Unmet[0].String() != "program "+
		"assumes a problem on which it starts (the dimension is 3), which fixed:dim=3 does not have" {
		t.Errorf("one of another program: got error %v, want a plan that says what is unmet", err)
	}
	// A round of the opening that shows the lack is as good as the start: all horizons and
	// replicates of the pair are left out, and the comparators stay.
	const conflicting, vaze = "{use: conflicting}", "{use: vaze-sinha}"
	p, err = plan("{use: iid}, "+conflicting, vaze+", {use: ogd}", "")
	if err != nil {
		t.Fatal(err)
	}
	const lack = "vaze-sinha assumes a point feasible in every round, which conflicting does not have"
	if len(p.Unplayed()) != 1 || p.Unmet[0].String() != lack || len(p.Cells) != 2*5 ||
		len(p.Entries) != len(p.Cells) {
		t.Errorf("got unmet %v, with %d cells and %d entries, want %q and 10 of both", p.Unmet,
			len(p.Cells), len(p.Entries), lack)
	}
	if p, err = plan(conflicting, vaze, ignore); err != nil || len(p.Unmet) != 1 || len(p.Cells) != 4 {
		t.Errorf("ignoring assumptions: got error %v, want 4 cells and one unmet assumption", err)
	}
	_, err = plan(conflicting, vaze, "")
	errtest.Contains(t, err, "nothing to play in experiment a: "+lack,
		"an experiment whose only learner gives up")
	p, err = plan("{use: iid}, {use: shrinking}", "{use: neely-yu}, {use: ogd}", ignore)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Unmet) != 1 || len(p.Unplayed()) != 0 {
		t.Errorf("ignoring assumptions: got %v unmet and %v not played, want one and none", p.Unmet,
			p.Unplayed())
	}
}
