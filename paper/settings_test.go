package paper

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/store"
	"ocobench/report"
)

func TestFilesAreGroupedByName(t *testing.T) {
	got := groupByName("out/a", []string{"out/a/tables/finals.txt", "out/a/matrix.pdf",
		"out/a/tables/finals.csv"})
	if want := []string{"matrix (pdf)", "tables/finals (csv, txt)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The settings that the article includes, of an experiment made up: 2 algorithms on 3 problems,
// one pair of which lacks a replicate, at two horizons. ogd is on two fronts, guo on one. A second
// experiment has one of the pairs: its games are those of the first.
func TestArticleHasTheSettingsOfItsExperiments(t *testing.T) {
	a := &analysis.Analysis{}
	a.Experiment.Name, a.Experiment.Horizon, a.Experiment.Replicates = "made-up", []int{100, 200}, 5
	a.Experiment.Seed, a.Experiment.Confidence = 7, 0.9
	a.Algorithms = []analysis.Algorithm{{Spec: "ogd"}, {Spec: "guo"}}
	a.Problems = make([]analysis.Problem, 3)
	a.Fronts = []analysis.Front{{Algorithms: []string{"ogd"}}, {Algorithms: []string{"guo", "ogd"}}, {}}
	a.Pairs = []analysis.Pair{{Algorithm: "ogd", Problem: "a", Played: 5},
		{Algorithm: "ogd", Problem: "b", Played: 5}, {Algorithm: "guo", Problem: "a", Played: 4}}
	some := *a
	some.Experiment.Name, some.Pairs = "some", a.Pairs[:1]
	experiments := []report.Written{{Analysis: a}, {Analysis: &some}}
	for _, quick := range []bool{false, true} {
		var out strings.Builder
		if err := writeSettings(&out, experiments, quick); err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for _, m := range regexp.MustCompile(`\\newcommand\{\\oco(\w+)\}\{([^}]*)\}`).FindAllStringSubmatch(
			out.String(), -1) {
			got[m[1]] = m[2]
		}
		p := store.CurrentProvenance()
		for name, want := range map[string]string{
			"Version": p.Version, "Go": p.Go, "Arch": p.GOARCH, "Games": "28",
			"MadeUpHorizon": "200", "MadeUpReplicates": "5", "MadeUpSeed": "7", "MadeUpConfidence": "90",
			"MadeUpProblems": "3", "MadeUpAlgorithms": "2", "MadeUpFrontOgd": "2", "MadeUpFrontGuo": "1",
		} {
			if got[name] != want {
				t.Errorf("quick=%v: %s is %q, want %q", quick, name, got[name], want)
			}
		}
		if strings.Contains(out.String(), `\ocoquicktrue`) != quick {
			t.Errorf("quick %v: want it said, got\n%s", quick, out.String())
		}
	}
}
