package doctest

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
	"ocobench/problems"
)

var rates = flag.String("rates", "",
	"write docs/rates.md and docs/results.md from this folder, which bench run rates has written")

// TestRatesDocument checks that the tables of docs/rates.md are from the cells that
// bench run rates has today: from today's algorithms, problems and parameters.
// scripts/rates.sh makes them anew.
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
	const file = "docs/rates.md"
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	between := regexp.MustCompile(`(?s)(<!-- rates: begin, cells )(\S+)( -->\n).*(<!-- rates: end -->)`)
	m := between.FindSubmatch(doc)
	if m == nil {
		t.Fatalf("%s has no markers", file)
	}
	if *rates == "" {
		if digest := string(m[2]); digest != plan.Digest() {
			t.Errorf("the table of %s is from the cells %s, and the experiment rates has %s: run "+
				"scripts/rates.sh", file, digest, plan.Digest())
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
		t.Fatalf("%s is from the cells %s, of which %d are missing; the experiment has %s", *rates,
			a.Cells, a.Missing, plan.Digest())
	}
	// The document has the rows without padding, and the notes.
	var lines []string
	for _, name := range []string{"claims.md", "rates.md"} {
		table, err := os.ReadFile(filepath.Join(*rates, "tables", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(table)) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "|") {
				line = regexp.MustCompile(` +`).ReplaceAllString(line, " ")
				line = regexp.MustCompile(`-{4,}`).ReplaceAllString(line, "---")
			}
			lines = append(lines, line)
		}
		lines = append(lines, "")
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	doc = []byte(string(doc[:strings.Index(string(doc), "<!-- rates: begin")]) +
		"<!-- rates: begin, cells " + a.Cells + " -->\n" + text + "\n" +
		string(doc[strings.Index(string(doc), "<!-- rates: end -->"):]))
	if err := os.WriteFile(file, doc, 0o666); err != nil {
		t.Fatal(err)
	}
	writeResults(t, string(doc), time.Now().UTC().Format(time.DateOnly))
}
