package report

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/game"
	"ocobench/report/table"
	"ocobench/report/tex"
)

func numerals(text string) []string { return numeral.FindAllString(text, -1) }

var numeral = regexp.MustCompile(`\d+(\.\d+)?`)

// textOnly are numbers that CSV does not have: what a value is less than, the share of values
// that are not positive, the power of an offset power law, and where a slope is above.
var textOnly = regexp.MustCompile(`< [\d.]+|≤ 0 \(\d+ %\)|b·t\^[\d.]+|on \[.*\]`)

// Every title, note, heading and cell has the same numbers in LaTeX as for a reader of plain text,
// and every number of a cell is one that CSV has, rounded. None says NaN, or has an interval
// without ends. No two columns of CSV have one name.
func TestFormatsHaveTheSameNumbers(t *testing.T) {
	_, tables := shownOf(t, smallExperiment)
	for _, text := range []string{
		"name: still\nhorizon: 100\nreplicates: 2\nproblems: [{use: shrinking}, {use: alternating}]\n" +
			"algorithms: [{use: ogd}, {use: mahdavi}, {use: penalised-ftrl}]",
		"name: once\nhorizon: 300\nreplicates: 1\nproblems: [{use: iid}, {use: shrinking}]\n" +
			"algorithms: [{use: ogd}, {use: yu-neely-wei}, {use: primal-dual}]",
	} {
		_, more := shownOf(t, text)
		tables = append(tables, more...)
	}
	both, rounded := 0, 0
	for _, tab := range tables {
		same := func(what string, text table.Text) {
			if said := text.Plain + text.TeX; strings.Contains(said, "NaN") || strings.Contains(said, "[–") {
				t.Errorf("%s: %s is %+v", tab.Title.Plain, what, text)
			}
			if text.TeX == "" || text.Plain == "" { // or it is a note of LaTeX alone
				return
			}
			both++
			inTeX := numerals(tex.Unicode(text.TeX) + " " + tex.Unicode(strings.Join(text.Small, " ")))
			if got := numerals(text.Plain); !slices.Equal(got, inTeX) {
				t.Errorf("%s: %s has the numbers %q, and %s in LaTeX %q", tab.Title.Plain, what, got, text.TeX,
					inTeX)
			}
		}
		same("the title", tab.Title)
		for _, n := range tab.Notes {
			same("a note", n)
		}
		var header []string
		for _, c := range tab.Columns {
			same("a heading", c.Name)
			header = append(header, c.CSV...)
		}
		if slices.Sort(header); len(slices.Compact(slices.Clone(header))) < len(header) {
			t.Errorf("%s: the columns of CSV are %q", tab.Title.Plain, header)
		}
		blocks := append(slices.Clone(tab.Blocks), table.Block{Rows: tab.Rows})
		for _, b := range blocks {
			same("a block", b.Name)
			for _, row := range b.Rows {
				for _, cell := range row {
					same("a cell", cell)
					for _, n := range numerals(textOnly.ReplaceAllString(cell.Plain, "")) {
						if rounded++; cell.CSV != nil && !roundedFrom(n, cell.CSV) {
							t.Errorf("%s: %s of %q is none of %q", tab.Title.Plain, n, cell.Plain, cell.CSV)
						}
					}
				}
			}
		}
	}
	if both < 1000 || rounded < 1000 {
		t.Errorf("%d texts are compared, and %d numbers", both, rounded)
	}
}

// The final mean of a significant lead is bold in every table that has it, with a question mark if
// the lead has warnings, and no other mean is.
func TestLeadsAreBold(t *testing.T) {
	a, _ := shownOf(t, smallExperiment)
	lead := a.Pairs[len(a.Pairs)/2]
	for _, warnings := range [][]string{nil, {"skewed"}} {
		x := subjectOf(a)
		x.leads = []analysis.Lead{{Problem: lead.Problem, Algorithm: lead.Algorithm,
			Metric: algorithms.SoftViolation, Shown: true, Warnings: warnings}}
		for k := range a.Pairs {
			p := &a.Pairs[k]
			for _, m := range x.metrics {
				for what, cell := range map[string]table.Text{"final": finalMean(x, p, m),
					"t = T": meanAt(float64(a.Experiment.Last()))(x, p, m), "t = 100": meanAt(100)(x, p, m)} {
					bold := what != "t = 100" && p.Problem == lead.Problem && p.Algorithm == lead.Algorithm &&
						m.Name == algorithms.SoftViolation
					if doubt := slices.Contains(cell.Small, "?"); cell.Bold != bold ||
						doubt != (bold && warnings != nil) {
						t.Errorf("%s, %s of %s on %s: bold %v, with a question mark %v", what, m.Title, p.Algorithm,
							p.Problem, cell.Bold, doubt)
					}
				}
			}
		}
	}
}

// Rounds without a feasible action are named, whichever is the first.
func TestMovingTable(t *testing.T) {
	for _, empty := range []int{0, 1, 7} {
		var tab table.Table
		addMoving(&tab, &game.Moving{Empty: empty})
		if said := tab.Rows[0][1].Plain == "empty"; said != (empty > 0) {
			t.Errorf("empty in round %d: %+v", empty, tab)
		}
	}
}

// roundedFrom reports whether a number is one of the values of CSV, the difference of two, or a
// hundredth of one, rounded, or is in a text among them.
func roundedFrom(number string, values []string) bool {
	v, _ := strconv.ParseFloat(number, 64)
	_, after, _ := strings.Cut(number, ".")
	half := 0.5000001 * math.Pow(10, -float64(len(after)))
	var known []float64
	for _, text := range values {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			if slices.Contains(numerals(text), number) {
				return true
			}
			continue
		}
		known = append(known, x, 100*x)
		for _, y := range known {
			known = append(known, x-y)
		}
	}
	return slices.ContainsFunc(known, func(x float64) bool { return math.Abs(math.Abs(x)-v) <= half })
}
