package doctest

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/internal/golden"
	"ocobench/paper"
	"ocobench/paper/published"
)

// measuredCell is a cell with a measured number, its error, and how it agrees with the published
// one.
var measuredCell = regexp.MustCompile(`^(\S+)(?: ± (\S+))?(?: (?:agrees|differs|undecided))?$`)

// measuredCells returns the numbers and errors in the columns measured and then amended of the
// table of an entry.
func measuredCells(t *testing.T, section string) (cells [][]string) {
	t.Helper()
	columns := make(map[string][][]string)
	var head []string
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		row := strings.Split(strings.Trim(line, "|\n"), "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if head == nil {
			head = row
			continue
		}
		for i, name := range head {
			if cell := row[i]; (name == "measured" || name == "amended") && cell != "" &&
				!strings.HasSuffix(cell, "-:") {
				m := measuredCell.FindStringSubmatch(cell)
				if m == nil {
					t.Fatalf("got %q, want a measured number", cell)
				}
				columns[name] = append(columns[name], m)
			}
		}
	}
	return append(columns["measured"], columns["amended"]...)
}

// TestPublishedDocument checks that docs/published.md is of today's entries. Measuring takes
// minutes, so the measured numbers are read from the document: its verdicts and its texts must
// follow from them. scripts/paper.sh --docs writes the document again.
func TestPublishedDocument(t *testing.T) {
	const file = "docs/published.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document := string(data)
	today := paper.Document{Kind: published.Kind}
	for _, e := range published.All() {
		_, section, found := strings.Cut(document, "\n## "+e.Name+"\n")
		if !found {
			t.Errorf("%s: got no section of %s, want one", file, e.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		rows := measuredCells(t, section)
		shown := len(rows) > 0 // the values of an entry without published ones are not
		judged := e.Judge(func(_ published.Experiment, v *paper.Value) (played bool) {
			if !shown && v.Published == nil {
				return true
			}
			if len(rows) == 0 {
				t.Fatalf("%s: %s: got fewer rows than values, want one each", file, e.Name)
			}
			v.Measured, v.Error = number(t, rows[0][1]), number(t, rows[0][2])
			rows = rows[1:]
			return true
		})
		if len(rows) > 0 {
			t.Errorf("%s: %s: got %d rows too many, want one a value", file, e.Name, len(rows))
		}
		today.Entries = append(today.Entries, judged)
	}
	if t.Failed() {
		return
	}
	var written strings.Builder
	if err := today.WriteMarkdown(&written); err != nil {
		t.Fatal(err)
	}
	// Rounding a rounded number may give another: measured numbers are not compared.
	normal := func(text string) string {
		text = regexp.MustCompile(`-{2,}| {2,}`).ReplaceAllStringFunc(text, func(s string) string { return s[:1] })
		text = regexp.MustCompile(` [^|\n]*(agrees|differs|undecided) \|`).ReplaceAllString(text, " … $1 |")
		return regexp.MustCompile(`(?m)\| [^|\n]* ± \S+ \|$`).ReplaceAllString(text, "| … |")
	}
	if d := golden.Diff(file, normal(document), normal(written.String())); d != "" {
		t.Errorf("%sif that is meant, write the file anew: bash scripts/paper.sh --docs", d)
	}
}

// powers turns 1.1·10⁻¹³ into 1.1e-13.
var powers = strings.NewReplacer("·10", "e", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴",
	"4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// number reads a measured number, NaN where there is none.
func number(t *testing.T, text string) analysis.Number {
	t.Helper()
	if text == "" || text == "·" {
		return analysis.Number(math.NaN())
	}
	x, err := strconv.ParseFloat(powers.Replace(text), 64)
	if err != nil {
		t.Fatal(err)
	}
	return analysis.Number(x)
}
