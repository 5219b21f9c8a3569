package rounds

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"ocobench/internal/input"
)

// This file reads the columns of a sheet. What the user did not name and is no number of a round
// is left out: a first column without a name, and a column of dates. Dates as texts are known
// from the first line. Dates as numbers, such as 19910701, are known when all lines are read.

// Columns are the columns of a sheet that a kind reads.
type Columns struct {
	Own   []int // the column of a role of its own, such as the label, if the kind has one
	Many  []int // those that are all of one role
	Named bool  // the user named Many: all of them are numbers
	Skip  bool  // lines that lack a number are left out, and not refused
}

// cells is the numbers of columns: those of Own first.
type cells struct {
	names []string
	rows  [][]float64
	own   int      // how many columns are of Own
	notes []string // what the file was taken for
	// the lines of the file that are left out
	skipped []int
}

// read reads the columns from all lines. Each, if it is not nil, is called after every line with
// its numbers and the positions of their columns.
func (c Columns) read(s *input.Sheet, own, many input.Column,
	each func(row []float64, at []int)) (*cells, error) {
	const remedy = "; leave out other columns with --ignore"
	out := &cells{own: len(c.Own)}
	var at []int
	var columns []input.Column
	for {
		texts, err := s.Next()
		switch {
		case err == io.EOF && len(out.rows) == 0:
			return nil, fmt.Errorf("%s: all of the %s lack a number, and none is left", s.Name,
				input.Plural(len(out.skipped), "line"))
		case err == io.EOF:
			c.leaveDates(out)
			out.noteSkipped()
			if marks := s.Marks(); marks != "" {
				out.notes = append([]string{marks}, out.notes...)
			}
			return out, nil
		case err != nil:
			return nil, err
		}
		if at == nil {
			at = append(slices.Clone(c.Own), c.numbers(s, texts, out)...)
			for i, k := range at {
				out.names = append(out.names, s.Names[k])
				column := many
				if i < out.own {
					column = own
				}
				column.At = k
				columns = append(columns, column)
			}
		}
		lacking := slices.IndexFunc(columns, func(c input.Column) bool { return isMissing(texts, c) })
		switch {
		case lacking >= 0 && c.Skip:
			line, _ := s.Place(at[lacking])
			out.skipped = append(out.skipped, line)
			continue
		case lacking >= 0:
			return nil, missing(s, texts, columns[lacking])
		}
		row := make([]float64, len(columns))
		for i, column := range columns {
			help := ""
			if len(out.rows) == 0 {
				help = remedy
			}
			if row[i], err = s.Number(texts, column, help); err != nil {
				return nil, err
			}
		}
		if each != nil {
			each(row, at)
		}
		out.rows = append(out.rows, row)
	}
}

// isMissing reports whether a cell says that there is no number, as R, pandas and spreadsheets do.
// A label may be -, beside +.
func isMissing(texts []string, c input.Column) bool {
	text := strings.TrimSpace(texts[c.At])
	if text == "-" {
		return c.Parse == nil
	}
	return slices.ContainsFunc([]string{"", "NA", "N/A", "NaN", "null"},
		func(word string) bool { return strings.EqualFold(text, word) })
}

// missing is the error of a cell of the last line that [isMissing].
func missing(s *input.Sheet, texts []string, c input.Column) error {
	what := "the cell is empty"
	if text := strings.TrimSpace(texts[c.At]); text != "" {
		what = fmt.Sprintf("found %s, a missing number", text)
	}
	return s.Errorf(c.At, "%s: %s (expected %s); --missing skip leaves out such lines",
		s.Names[c.At], what, c.Expected)
}

// noteSkipped says how many lines are left out, and which.
func (c *cells) noteSkipped() {
	if c.skipped == nil {
		return
	}
	var names []string
	for _, line := range c.skipped {
		names = append(names, fmt.Sprint(line))
	}
	c.note("%s of %d left out, which lack a number: %s", input.Plural(len(c.skipped), "line"),
		len(c.skipped)+len(c.rows), input.Few(names, ", "))
}

// numbers returns the columns of Many without those that the first line shows to be none of
// numbers.
func (c Columns) numbers(s *input.Sheet, texts []string, out *cells) (at []int) {
	for _, k := range c.Many {
		switch name := s.Names[k]; {
		case c.Named:
			at = append(at, k)
		case name == input.NoName:
			out.note("%s is left out: the first column has no name", name)
		case isDate(texts[k]):
			out.note("%s is left out: it has dates", name)
		default:
			at = append(at, k)
		}
	}
	return at
}

// leaveDates removes the columns of Many whose numbers are dates.
func (c Columns) leaveDates(out *cells) {
	for i := len(out.names) - 1; i >= out.own && !c.Named; i-- {
		if !isDays(out.column(i)) {
			continue
		}
		out.note("%s is left out: it has dates, such as %.0f", out.names[i], out.rows[0][i])
		out.drop(i)
	}
}

func (c *cells) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

func (c *cells) drop(i int) {
	c.names = slices.Delete(c.names, i, i+1)
	for t := range c.rows {
		c.rows[t] = slices.Delete(c.rows[t], i, i+1)
	}
}

// column returns the numbers of a column.
func (c *cells) column(i int) []float64 {
	v := make([]float64, len(c.rows))
	for t, row := range c.rows {
		v[t] = row[i]
	}
	return v
}

// dates are the forms of dates. Whether day or month comes first does not matter here.
var dates = []string{
	"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2/1/2006", "1/2/2006", "2-1-2006", "2.1.06",
	"2/1/06", "1/2/06", "2-Jan-2006", "2 Jan 2006", "2-Jan-06", "Jan 2, 2006", "January 2, 2006",
	"Jan 2 2006", "January 2 2006", "2 January 2006", "2006-01", "2006/01", "01/2006", "Jan 2006",
	"Jan-06", "Jan-2006", "January 2006",
}

// clocks are the forms of times, alone or after a date.
var clocks = []string{
	"15:04", "15:04:05", "15:04:05Z07:00", "15:04:05 -0700", "15:04:05-07", "15:04:05 MST",
	"3:04 PM", "3:04:05 PM",
}

// isDate reports whether a cell is a date or a time. A number such as 2006.5 is none.
func isDate(text string) bool {
	text = strings.TrimSpace(text)
	if _, err := input.ParseNumber(text); err == nil || len(text) > 40 {
		return false
	}
	known := func(layout string) bool {
		_, err := time.Parse(layout, text)
		return err == nil
	}
	return slices.ContainsFunc(dates, known) || slices.ContainsFunc(clocks, known) ||
		slices.ContainsFunc(dates, func(date string) bool {
			return slices.ContainsFunc(clocks, func(clock string) bool {
				return known(date+" "+clock) || known(date+"T"+clock)
			})
		})
}

// isDays reports whether numbers are increasing dates as year, month and day: 19910701.
func isDays(v []float64) bool {
	for t, x := range v {
		if x < 1e7 || x >= 1e8 || x != math.Trunc(x) || t > 0 && x <= v[t-1] {
			return false
		}
		if _, err := time.Parse("20060102", fmt.Sprintf("%.0f", x)); err != nil {
			return false
		}
	}
	return len(v) > 1
}

// isClock reports whether numbers count lines or are years with their parts, such as 1991.496:
// at least ten, each one more than that before it, or on a line within 1800 and 2200 to within
// the distance of two.
func isClock(v []float64) bool {
	n := len(v)
	if n < short {
		return false
	}
	step := (v[n-1] - v[0]) / float64(n-1)
	counts := v[0] == math.Trunc(v[0])
	years := v[0] >= 1800 && v[n-1] <= 2200 && step > 0
	for t := 1; t < n && (counts || years); t++ {
		counts = counts && v[t] == v[t-1]+1
		years = years && v[t] > v[t-1] && math.Abs(v[t]-(v[0]+float64(float64(t)*step))) <= step
	}
	return counts || years
}
