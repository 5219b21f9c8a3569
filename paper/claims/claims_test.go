package claims_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/golden"
	"ocobench/internal/race"
	"ocobench/paper"
	"ocobench/paper/claims"
	"ocobench/problems"
	"ocobench/report/tex"
)

// newLab returns a quick lab whose experiments have few replicates, in a store that all tests
// of this run share. With the environment variable CLAIMS=whole it is the one of
// bench claims, and CLAIMS_STORE names its store.
func newLab(t *testing.T) *claims.Lab {
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	return &claims.Lab{Context: t.Context(), Catalog: catalog, Quick: os.Getenv("CLAIMS") != "whole",
		Experiment: experimentOf(catalog)}
}

// played keeps the analyses of the experiments that the tests of this run have played.
var played struct {
	sync.Mutex
	store string // its directory, empty before the first experiment
	of    map[string]*analysis.Analysis
}

// TestMain runs the tests, and removes the store that they share.
func TestMain(m *testing.M) {
	code := m.Run()
	if played.store != "" && os.Getenv("CLAIMS_STORE") == "" {
		os.RemoveAll(played.store)
	}
	os.Exit(code)
}

// experimentOf returns a function that plays a built-in experiment on the first call and returns
// its analysis.
func experimentOf(catalog experiment.Catalog) func(string) (*analysis.Analysis, error) {
	return func(name string) (*analysis.Analysis, error) {
		played.Lock()
		defer played.Unlock()
		if a := played.of[name]; a != nil {
			return a, nil
		}
		x, err := experiments.Read(name)
		if err != nil {
			return nil, err
		}
		if os.Getenv("CLAIMS") != "whole" {
			x.Replicates = experiments.QuickReplicates(x.Replicates)
		}
		if played.store == "" {
			played.of = make(map[string]*analysis.Analysis)
			if played.store = os.Getenv("CLAIMS_STORE"); played.store == "" {
				if played.store, err = os.MkdirTemp("", "claims"); err != nil {
					return nil, err
				}
			}
		}
		s, err := store.Open(played.store)
		if err != nil {
			return nil, err
		}
		plan, err := run.NewPlan(catalog, x)
		if err != nil {
			return nil, err
		}
		failures, err := run.Run(context.Background(), plan, s, run.Options{Workers: 2})
		if err != nil {
			return nil, err
		}
		for _, f := range failures {
			return nil, f.Err
		}
		r, err := run.LoadExperiment(s, x.Name)
		if err != nil {
			return nil, err
		}
		a, err := analysis.NewUnfitted(catalog, r).Fit(context.Background())
		played.of[name] = a
		return a, err
	}
}

var update = flag.Bool("update", false, "write testdata anew")

// TestJudge runs the checks of every claim, and prints what they find. The document of the
// claims has the same verdicts, and the texts of today. Every number that the quick lab finds
// is frozen in quick.txt; that checks see what is false TestPlantedDefectsChangeTheOutcome shows.
func TestJudge(t *testing.T) {
	race.SkipSequential(t)
	d := paper.Document{Kind: claims.Kind}
	for _, c := range claims.All() {
		t.Run(c.Name, func(t *testing.T) {
			v, err := c.Judge(newLab(t))
			if err != nil {
				t.Fatal(err)
			}
			d.Entries = append(d.Entries, v)
			t.Logf("%s: %s", v.Statement.Unicode(), v.Verdict)
			for _, f := range v.Findings {
				t.Logf("%s: %s: %s: %s", f.Role, f.What.Unicode(), f.Outcome, f.Text.Unicode())
				for _, fault := range faultsOfTeX(string(f.Text)) {
					t.Errorf("%s: %q", fault, string(f.Text))
				}
			}
		})
	}
	if t.Failed() || len(d.Entries) < len(claims.All()) { // some were asked for
		return
	}
	document, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	var today strings.Builder
	if err := d.WriteMarkdown(&today); err != nil {
		t.Fatal(err)
	}
	// What is found in a quick lab has other numbers than in a whole one.
	if os.Getenv("CLAIMS") != "whole" {
		golden.File(t, "quick.txt", findings(d.Entries), *update)
	}
	found := regexp.MustCompile(`(?m)^(- \*\*(?:As stated|As amended|Beside)\*\*): .*$`)
	if d := golden.Diff("docs/claims.md", found.ReplaceAllString(string(document), "$1"),
		found.ReplaceAllString(today.String(), "$1")); d != "" {
		t.Fatalf("%sif that is meant, write the file anew: bash scripts/paper.sh --docs", d)
	}
}

var numberPattern = regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]\d+)?`)

// findings returns the outcomes of all checks, and their numbers, those of the texts too.
func findings(entries []paper.Entry) string {
	var out strings.Builder
	for n, v := range entries {
		fmt.Fprintf(&out, "%s: %s\n", v.Name, v.Verdict)
		for k, f := range v.Findings {
			fmt.Fprintf(&out, "  %s: %s", claims.All()[n].Checks[k].Name, f.Outcome)
			for _, n := range f.Values {
				fmt.Fprintf(&out, ", %s %.6g", n.Name, n.Measured)
				if n.Samples > 0 {
					fmt.Fprintf(&out, " of %d", n.Samples)
				}
			}
			fmt.Fprintf(&out, "\n    %s\n", strings.Join(numberPattern.FindAllString(string(f.Text), -1),
				" "))
		}
	}
	return out.String()
}

// faultsOfTeX returns what is wrong with a text in TeX. A bracket of either kind closes any, as
// those of an interval do.
func faultsOfTeX(text string) (out []string) {
	if err := tex.Check(text); err != nil {
		out = append(out, err.Error())
	}
	open := 0
	for _, r := range text {
		switch r {
		case '(', '[':
			open++
		case ')', ']':
			open--
		}
		if open < 0 {
			break
		}
	}
	if open != 0 {
		out = append(out, "a bracket is not closed, or not opened")
	}
	return out
}

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// TestRegistryEntriesAreComplete checks that every entry has what the package comment and [Claim]
// want of it.
func TestRegistryEntriesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range claims.All() {
		fault := func(ok bool, format string, args ...any) {
			t.Helper()
			if !ok {
				t.Errorf(c.Name+": "+format, args...)
			}
		}
		fault(kebab.MatchString(c.Name) && !seen[c.Name], "the name is not one, or is there twice")
		seen[c.Name] = true
		fault(c.Place != "" && c.Statement != "" && strings.HasSuffix(string(c.Statement), "."),
			"Place and Statement, with a full stop, are needed")
		fault(len(c.Statement) < 260, "Statement has %d characters", len(c.Statement))
		has := func(r paper.Role) bool {
			return slices.ContainsFunc(c.Checks, func(k claims.Check) bool { return k.Role == r })
		}
		if c.Opinion == "" {
			fault(c.Statistic != "" && c.Rule != "" && c.Cost != "", "Statistic, Rule and Cost are needed")
			fault(has(paper.Stated), "no check is of the claim as stated")
			fault(c.Proof != "" || c.Decide != "" || c.Instead != "",
				"without a Proof it needs what would Decide it, or what is true Instead")
		}
		amended := c.Condition+c.ReadAs+c.Correction != ""
		fault(amended == has(paper.Amended), "a Condition, a Correction or a reading needs a check that "+
			"is amended, and the other way round")
		fault(!amended || c.Proof != "", "what is amended needs a Proof")
		for _, text := range []paper.TeX{c.Statement, c.Setting, c.Statistic, c.Rule, c.Opinion, c.Proof,
			c.Condition, c.ReadAs, c.Correction, c.Instead, c.Decide, c.Place} {
			for _, f := range faultsOfTeX(string(text)) {
				fault(false, "%s: %q", f, text)
			}
		}
		for _, k := range c.Checks {
			fault(kebab.MatchString(k.Name), "the name %q of a check is not one", k.Name)
			for _, f := range faultsOfTeX(string(k.What)) {
				fault(false, "%s: %q", f, k.What)
			}
			fault(k.Command == "" || strings.HasPrefix(k.Command, "bench "),
				"the command %q is none of bench", k.Command)
		}
		for _, name := range c.Experiments {
			_, err := experiments.Read(name)
			fault(err == nil, "%v", err)
		}
	}
}
