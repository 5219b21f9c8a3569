package doctest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
	"ocobench/internal/golden"
	"ocobench/problems"
)

var rates = flag.String("rates", "",
	"write docs/rates.md and docs/results.md from this folder, which bench run rates has written")

const ratesFile = "docs/rates.md"

// TestRatesDocument checks that the table of docs/rates.md is from the cells that
// bench run rates has today: from today's algorithms, problems and parameters.
// scripts/rates.sh makes it anew.
func TestRatesDocument(t *testing.T) {
	x, err := experiments.Read("rates")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := run.NewPlan(experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All},
		x)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(ratesFile)
	if err != nil {
		t.Fatal(err)
	}
	between := regexp.MustCompile(
		`(?s)^(.*<!-- rates: begin, cells )(\S+)( -->\n).*(<!-- rates: end -->.*)$`)
	m := between.FindSubmatch(doc)
	if m == nil {
		t.Fatalf("%s: got no markers, want them", ratesFile)
	}
	if *rates == "" {
		if digest := string(m[2]); digest != plan.Digest() {
			t.Errorf("%s: got the table of the cells %s, want %s of the experiment rates: run "+
				"scripts/rates.sh", ratesFile, digest, plan.Digest())
		}
		return
	}
	var a struct {
		Cells   string `json:"cells_digest"`
		Missing int    `json:"missing"`
	}
	data, err := os.ReadFile(filepath.Join(*rates, "analysis.json"))
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	if a.Cells != plan.Digest() || a.Missing > 0 {
		t.Fatalf("%s: got the cells %s, of which %d are missing, want %s of the experiment", *rates,
			a.Cells, a.Missing, plan.Digest())
	}
	table, err := os.ReadFile(filepath.Join(*rates, "tables", "rates.md"))
	if err != nil {
		t.Fatal(err)
	}
	long := longTable(parseMeasured(t, string(table)))
	text := string(m[1]) + a.Cells + string(m[3]) + long + string(m[4])
	if err := os.WriteFile(ratesFile, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`Experiment rates, .*\b(amd64|arm64)\b`).FindString(string(table))
	writeResults(t, parsePairs(t, long), version, time.Now().UTC().Format(time.DateOnly))
}

// A rate is a row of the table rates.md that bench run rates writes: what one algorithm shows of
// one metric on one class of problems.
type rate struct{ problem, algorithm, metric, measured, claim, bound string }

// parseMeasured returns the rows of that table.
func parseMeasured(t *testing.T, table string) (rows []rate) {
	t.Helper()
	for line := range strings.Lines(table) {
		c := strings.Split(strings.Trim(line, "|\n"), "|")
		for i := range c {
			c[i] = strings.TrimSpace(c[i])
		}
		if len(c) < 6 || c[0] == "problem" || strings.Trim(line, "|:- \n") == "" {
			continue
		}
		problem, _, _ := strings.Cut(c[0], " (")
		rows = append(rows, rate{problem, c[1], c[2], c[3], c[4], c[5]})
	}
	if len(rows) < 100 {
		t.Fatalf("the table of bench run rates: got %d rows, want at least 100", len(rows))
	}
	return rows
}

// A pair is a row of the table of docs/rates.md: what one algorithm shows on one class of problems
// or, where class is claimed or claimedDynamic, what it claims.
type pair struct{ algorithm, class, regret, regretBound, violation, violationBound string }

const (
	claimed        = "*claim*"
	claimedDynamic = "*claim, dynamic*"
	ofDynamic      = ", *dynamic*"
)

const longHead = "| class | regret (% of its bound) | violation (% of its bound) |\n" +
	"|:---|:---|:---|\n"

// longTable returns the table of docs/rates.md: of each algorithm a row with its name and what it
// claims, and then one for each class that it plays.
func longTable(rows []rate) string {
	var algorithms []string
	for _, r := range rows {
		if !slices.Contains(algorithms, r.algorithm) {
			algorithms = append(algorithms, r.algorithm)
		}
	}
	var b strings.Builder
	b.WriteString(longHead)
	for _, a := range algorithms {
		for _, p := range pairsOf(a, rows) {
			class := p.class
			if class == claimed {
				class = "`" + p.algorithm + "` " + claimed
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", class, withBound(p.regret, p.regretBound),
				withBound(p.violation, p.violationBound))
		}
	}
	return b.String()
}

// withBound returns the cell of what is measured and its share of the bound, if there is one.
func withBound(measured, bound string) string {
	if bound == "" || bound == "–" {
		return measured
	}
	return measured + " (" + bound + ")"
}

// cutBound returns what is measured and its share of the bound, from such a cell.
func cutBound(cell string) (measured, bound string) {
	measured, bound, _ = strings.Cut(cell, " (")
	return measured, strings.TrimSuffix(bound, ")")
}

// pairsOf returns the rows of one algorithm in the table of docs/rates.md.
func pairsOf(algorithm string, rows []rate) []pair {
	claim := pair{algorithm: algorithm, class: claimed}
	moving := pair{algorithm: algorithm, class: claimedDynamic}
	var measured []pair
	row := func(class string) *pair {
		for i := range measured {
			if measured[i].class == class {
				return &measured[i]
			}
		}
		measured = append(measured, pair{algorithm: algorithm, class: class})
		return &measured[len(measured)-1]
	}
	for _, r := range rows {
		if r.algorithm != algorithm {
			continue
		}
		bound := strings.TrimPrefix(strings.TrimSuffix(r.bound, " %"), "held, ")
		if to, ok := strings.CutPrefix(bound, "held to "); ok {
			rounds, share, _ := strings.Cut(to, ", ")
			bound = share + " to " + rounds
		}
		if bound == "unstated" {
			bound = "–"
		}
		metric, regret := strings.CutPrefix(r.metric, "vs ")
		switch {
		case r.metric == "dynamic":
			p := row(r.problem + ofDynamic)
			p.regret, p.regretBound, moving.regret = r.measured, bound, r.claim
		case regret:
			p := row(r.problem)
			p.regret, p.regretBound, claim.regret = r.measured, bound, metric+" "+r.claim
		default:
			p := row(r.problem)
			p.violation, p.violationBound, claim.violation = r.measured, bound, metric+" "+r.claim
		}
	}
	pairs := []pair{claim}
	if moving.regret != "" {
		pairs = append(pairs, moving)
	}
	return append(pairs, measured...)
}

// parsePairs returns the rows of the table of docs/rates.md.
func parsePairs(t *testing.T, document string) (pairs []pair) {
	t.Helper()
	_, table, found := strings.Cut(document, longHead)
	if !found {
		t.Fatalf("%s: got no table of rates, want one", ratesFile)
	}
	algorithm := ""
	for line := range strings.Lines(table) {
		c := strings.Split(strings.Trim(line, "|\n"), "|")
		if len(c) != 3 {
			break
		}
		for i := range c {
			c[i] = strings.TrimSpace(c[i])
		}
		if name, claim, ok := strings.Cut(strings.TrimPrefix(c[0], "`"), "` "); ok {
			algorithm, c[0] = name, claim
		}
		p := pair{algorithm: algorithm, class: c[0], regret: c[1], violation: c[2]}
		if !strings.HasPrefix(p.class, "*claim") {
			p.regret, p.regretBound = cutBound(c[1])
			p.violation, p.violationBound = cutBound(c[2])
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// TestRowsOfClassesBecomePairs turns the rows of one algorithm on two classes into those of
// docs/rates.md.
func TestRowsOfClassesBecomePairs(t *testing.T) {
	measured := `| problem | algorithm | of | measured | claim | bound | both |
|:--------|:----------|:---|---------:|------:|:------|:-----|
| iid     | ogd       | vs xmin | ≤ 0 ✓ | t^0.5 | held, 17.4 % | – |
` + strings.Repeat(`| iid | chen | vs xmin | ≤ 0 ✓ | t^0.667 | held to t = 49, 1.74 % | ▲ |
|       | chen      | dynamic | 1.03 [1.02, 1.03] | P\_t | held, 2 % | |
| iid   | chen      | soft | 0.44 [0.38, 0.50] ▲ | t^0.333 | unstated | |
| shrinking (deterministic) | chen | soft | 0.37 ✓ | t^0.333 | – | |
`, 25)
	measured = strings.ReplaceAll(measured, "|       | chen", "| iid | chen")
	got := longTable(parseMeasured(t, measured))
	want := longHead + "| `ogd` *claim* | xmin t^0.5 |  |\n" +
		"| iid | ≤ 0 ✓ (17.4) |  |\n" +
		"| `chen` *claim* | xmin t^0.667 | soft t^0.333 |\n" +
		"| *claim, dynamic* | P\\_t |  |\n" +
		"| iid | ≤ 0 ✓ (1.74 to t = 49) | 0.44 [0.38, 0.50] ▲ |\n" +
		"| iid, *dynamic* | 1.03 [1.02, 1.03] (2) |  |\n" +
		"| shrinking |  | 0.37 ✓ |\n"
	if d := golden.Diff("the table", want, got); d != "" {
		t.Error(d)
	}
	if n := len(parsePairs(t, got)); n != 7 {
		t.Errorf("parsePairs returns %d rows of the table, want 7", n)
	}
}
