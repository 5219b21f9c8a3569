package report

import (
	"math"
	"ocobench/report/table"
	"ocobench/report/tex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// numerals returns the numbers in a text.
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
				t.Errorf("%s: %s: got %+v, want no NaN or open interval", tab.Title.Plain, what, text)
			}
			if text.TeX == "" || text.Plain == "" { // or it is a note of LaTeX alone
				return
			}
			both++
			inTeX := numerals(tex.Unicode(text.TeX) + " " + tex.Unicode(strings.Join(text.Small, " ")))
			got := numerals(text.Plain)
			if text.Below != nil && text.Small != nil && len(inTeX) > len(got) {
				got = numerals(text.Plain + " " + text.Below.Plain) // which the small print ends with
			}
			if !slices.Equal(got, inTeX) {
				t.Errorf("%s: %s: got the numbers %q, want %q as in LaTeX %s", tab.Title.Plain, what, got,
					inTeX, text.TeX)
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
			t.Errorf("%s: got columns %q of CSV, want each once", tab.Title.Plain, header)
		}
		blocks := append(slices.Clone(tab.Blocks), table.Block{Rows: tab.Rows})
		for _, b := range blocks {
			same("a block", b.Name)
			for _, row := range b.Rows {
				for _, cell := range row {
					same("a cell", cell)
					for _, n := range numerals(textOnly.ReplaceAllString(cell.Plain, "")) {
						if rounded++; cell.CSV != nil && !roundedFrom(n, cell.CSV) {
							t.Errorf("%s: got %s of %q, want one rounded from %q", tab.Title.Plain, n, cell.Plain,
								cell.CSV)
						}
					}
				}
			}
		}
	}
	if both < 1000 || rounded < 1000 {
		t.Errorf("got %d texts and %d numbers compared, want at least 1000 each", both, rounded)
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
