package paper

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/store"
	"ocobench/paper/claims"
	"ocobench/report"
)

// The index of the files of the paper has each file by its place below the directory of its
// experiment, once, with the endings that there are.
func TestBases(t *testing.T) {
	got := bases("out/a", []string{"out/a/tables/finals.txt", "out/a/matrix.pdf",
		"out/a/tables/finals.csv"})
	if want := []string{"matrix (pdf)", "tables/finals (csv, txt)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The settings that the article includes, of an experiment made up: 2 algorithms on 3 problems,
// one pair of which lacks a replicate, at two horizons. ogd is on two fronts, guo on one.
func TestSettings(t *testing.T) {
	a := &analysis.Analysis{}
	a.Experiment.Name, a.Experiment.Horizon, a.Experiment.Replicates = "made-up", []int{100, 200}, 5
	a.Experiment.Seed, a.Experiment.Confidence = 7, 0.9
	a.Algorithms = []analysis.Algorithm{{Spec: "ogd"}, {Spec: "guo"}}
	a.Problems = make([]analysis.Problem, 3)
	a.Fronts = []analysis.Front{{Algorithms: []string{"ogd"}}, {Algorithms: []string{"guo", "ogd"}}, {}}
	a.Pairs = []analysis.Pair{{Played: 5}, {Played: 5}, {Played: 4}}
	for _, quick := range []bool{false, true} {
		var out strings.Builder
		if err := writeSettings(&out, []report.Written{{Analysis: a}}, quick); err != nil {
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
			t.Errorf("quick=%v in\n%s", quick, out.String())
		}
	}
}

// What the article says of a verdict: the condition first, then the findings that decide, and
// what is true instead or would decide. What decides are the checks of the claim as stated: all
// of them where it holds or is open, those that refute it where it fails; with a condition, and
// of an opinion, others too.
func TestDigestOfAVerdict(t *testing.T) {
	claim := claims.Claim{Opinion: "opinion", Condition: "condition.", Instead: "instead",
		Decide: "decide", Checks: []claims.Check{{Role: claims.Stated}, {Role: claims.Stated},
			{Role: claims.Amended}, {Role: claims.Beside}}}
	findings := []claims.Finding{{Outcome: claims.Refutes, Text: "refuted"},
		{Outcome: claims.Survives, Text: "survived"}, {Outcome: claims.Survives, Text: "amended"},
		{Outcome: claims.Refutes, Text: "beside"}}
	for state, want := range map[claims.State]string{
		claims.Holds:   "Refuted. Survived.",
		claims.HoldsIf: "condition. Refuted. Amended.",
		claims.Fails:   "Refuted. Instead.",
		claims.Open:    "Refuted. Survived. Decide.",
		claims.None:    "Opinion. Refuted. Survived. Amended. Beside.",
	} {
		v := claims.Verdict{Claim: &claim, State: state, Findings: findings}
		if got := digest(v); got != want {
			t.Errorf("%s: %q, want %q", state, got, want)
		}
	}
}
