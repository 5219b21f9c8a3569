package docs

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ocobench/internal/golden"
	"ocobench/paper"
	"ocobench/paper/published"
)

// measured is a row of a table of docs/published.md: curve, metric, t, published, within,
// measured, agreement.
var measured = regexp.MustCompile(`(?m)^\|[^|]+\| [a-z_\\/]+ +\| +\d+ \| +\S+ \| +\S+ \| +` +
	`(\S+)(?: ± (\S+))? \| \S+ +\|$`)

// TestPublishedDocument holds docs/published.md to the entries of today. What was measured takes
// minutes, and is read from the document: its verdicts and its texts have to be those that follow
// from these numbers. scripts/paper.sh --docs writes the document anew.
func TestPublishedDocument(t *testing.T) {
	const file = "docs/published.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document := string(data)
	var verdicts []published.Verdict
	for _, e := range published.All() {
		_, section, found := strings.Cut(document, "\n## "+e.Name+"\n")
		if !found {
			t.Errorf("%s has nothing of %s", file, e.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		rows := measured.FindAllStringSubmatch(section, -1)
		var games []published.Compared
		for _, g := range e.Games(false) {
			c := published.Compared{Game: g, Played: true}
			for _, v := range g.Values {
				if len(rows) == 0 {
					t.Fatalf("%s: %s has fewer rows than values", file, e.Name)
				}
				m := published.Measured{Value: v, Mean: number(t, rows[0][1]), Error: number(t, rows[0][2])}
				c.Values, rows = append(c.Values, m), rows[1:]
			}
			games = append(games, c)
		}
		if len(rows) > 0 {
			t.Errorf("%s: %s has %d rows too many", file, e.Name, len(rows))
		}
		verdicts = append(verdicts, e.Conclude(games))
	}
	if t.Failed() {
		return
	}
	var today strings.Builder
	if err := paper.WriteComparisonsMarkdown(&today, verdicts, false); err != nil {
		t.Fatal(err)
	}
	if d := golden.Diff(file, document, today.String()); d != "" {
		t.Errorf("%sif that is meant, write the file anew: bash scripts/paper.sh --docs", d)
	}
}

// number reads a measured number, NaN where there is none.
func number(t *testing.T, text string) float64 {
	t.Helper()
	if text == "" || text == "·" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
