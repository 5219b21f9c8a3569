package recorded

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ocobench/internal/input"
)

// This file reads the columns of a sheet. From the first line of numbers assignColumns decides
// whether a column that the user did not name is the time, has numbers, or is left out; the notes
// say which. When all lines are read, finish checks that the time rises, that no column of numbers
// looks like the time, and that no number looks like a code for a missing value.

// Columns says which columns of a sheet are read, by their positions, and what they are.
type Columns struct {
	Own []int // the columns with a role of their own, such as the label, if the kind has some
	// Many are the columns that share one role, such as the features: those that the user named, or
	// all that are neither ignored nor of another role.
	Many []int
	// ManyWereNamed says that the user named the columns of Many: all of them have numbers.
	ManyWereNamed bool

	Others []int // columns that are neither ignored nor of a role, but may be the time

	Time    []int // the columns of the time; a later one decides where earlier ones are equal
	NoTime  bool  // no column is the time, and the order of the lines is not checked
	Reverse bool  // the time falls, and the rounds are the lines in reverse

	features bool // Many may be numbers of any kind, such as the month
}

// sheetNumbers holds the numbers of the columns that were read, those of Own first.
type sheetNumbers struct {
	names          []string
	rows           [][]float64
	own            int        // the number of columns of Own
	notes          []string   // how the file was read, for the user
	lines          []int      // the line of the file of each row
	extremes       []extremes // of each column
	unread         []int      // the columns that are neither numbers nor the time
	summaryColumns []int      // the columns of unread with a word for totals on the last line
	time           *timeline  // nil: no column is the time
}

// extremes holds the first, the smallest and the largest number of a column, with their places.
type extremes struct{ first, low, high cellPlace }

// cellPlace is a number with its place in the file.
type cellPlace struct {
	value        float64
	line, column int
}

// read reads the columns of all lines. The parameters own and many say how the columns of Own and
// of Many are parsed. If onRow is not nil, it is called after every line with its numbers and the
// positions of their columns.
func (c Columns) read(s *input.Sheet, own, many input.Column,
	onRow func(row []float64, at []int)) (*sheetNumbers, error) {
	if err := c.checkNames(s); err != nil {
		return nil, err
	}
	var out *sheetNumbers
	var at []int
	var columns []input.Column
	for {
		texts, err := s.Next()
		switch {
		case err == io.EOF && (out == nil || len(out.rows) == 0):
			return nil, fmt.Errorf("%s: all of the %s lack a number, and none is left", s.Name,
				input.Plural(s.Skipped(), "line"))
		case err == io.EOF:
			return out, c.finish(s, out)
		case err != nil:
			return nil, err
		}
		if out == nil || len(out.rows) == 0 { // a line that is left out does not decide the columns
			out = &sheetNumbers{own: len(c.Own)}
			at = c.assignColumns(s, texts, out)
			columns = out.numberColumns(s, at, own, many)
		}
		skip, err := s.Lacks(texts, columns...)
		switch {
		case err != nil:
			return nil, err
		case skip:
			continue
		}
		if skip, err = out.isSummaryLine(s, texts); err != nil {
			return nil, err
		}
		if skip {
			continue
		}
		numeric := columns[:len(at)] // those of the time follow
		if err := out.addLine(s, texts, numeric); err != nil {
			return nil, err
		}
		if onRow != nil {
			onRow(out.rows[len(out.rows)-1], at)
		}
	}
}

// numberColumns sets the names of the columns at these positions, and returns how they are parsed,
// followed by the columns of the time.
func (c *sheetNumbers) numberColumns(s *input.Sheet, at []int,
	own, many input.Column) (columns []input.Column) {
	for i, k := range at {
		c.names = append(c.names, s.Names[k])
		column := many
		if i < c.own {
			column = own
		}
		column.At = k
		columns = append(columns, column)
	}
	c.extremes = make([]extremes, len(at))
	if c.time != nil {
		for _, k := range c.time.at {
			columns = append(columns, input.Column{At: k, Expected: "a date or a time"})
		}
	}
	for k := range s.Names {
		if !slices.ContainsFunc(columns, func(column input.Column) bool { return column.At == k }) {
			c.unread = append(c.unread, k)
		}
	}
	return columns
}

// addLine adds the numbers of a line, and its time.
func (c *sheetNumbers) addLine(s *input.Sheet, texts []string, columns []input.Column) error {
	row := make([]float64, len(columns))
	for i, column := range columns {
		help := ""
		if len(c.rows) == 0 {
			help = "; leave out other columns with --ignore"
		}
		v, err := s.Number(texts, column, help)
		if err != nil {
			return err
		}
		row[i] = v
		if r := &c.extremes[i]; len(c.rows) == 0 || v < r.low.value || v > r.high.value {
			line, col := s.Place(column.At)
			p := cellPlace{v, line, col}
			if len(c.rows) == 0 {
				*r = extremes{p, p, p}
			}
			if v < r.low.value {
				r.low = p
			}
			if v > r.high.value {
				r.high = p
			}
		}
	}
	line, _ := s.Place(0)
	c.rows, c.lines = append(c.rows, row), append(c.lines, line)
	if c.time != nil {
		return c.time.addRow(s, texts)
	}
	return nil
}

// checkNames returns an error if half of the columns or more are called by dates: then the rounds
// are columns, and the table has to be turned.
func (c Columns) checkNames(s *input.Sheet) error {
	var dated []int
	for _, k := range c.Many {
		if isDate(s.Names[k]) || isMonth(s.Names[k]) {
			dated = append(dated, k)
		}
	}
	if len(dated) < 2 || 2*len(dated) < len(c.Many) || c.ManyWereNamed || s.Numbered() {
		return nil
	}
	return s.Errorf(dated[0], "%s of %d are called by dates, such as %s (expected a line for each "+
		"round; with pandas, df.T turns the table; --columns chooses columns by number, whatever "+
		"their names)",
		input.Plural(len(dated), "column"), len(c.Many), s.Names[dated[0]])
}

// assignColumns returns the positions of the columns of numbers, those of Own first, by the texts
// of the first line. The columns that the user named are what they were named for. Of the others,
// in the order of the sheet, the first of these rules holds:
//
//   - It has dates or the name of a time, and none was found yet: it is the time. So is a time of
//     the day in the column after.
//   - It has dates, or the name of a time, and would be a column of numbers: it is left out, with a
//     note. With --time none, the note on dates is also for columns that nobody asked for, and the
//     name of a time means nothing.
//   - It is one of Others: it is left out.
//   - It is a first column without a name and without numbers: it is left out, with a note.
//   - Otherwise it has numbers.
func (c Columns) assignColumns(s *input.Sheet, texts []string, out *sheetNumbers) (at []int) {
	at = slices.Clone(c.Own)
	if c.ManyWereNamed { // their order is the user's
		at = append(at, slices.DeleteFunc(slices.Clone(c.Many),
			func(k int) bool { return slices.Contains(c.Time, k) })...)
	}
	timeColumns := c.Time
	candidates := slices.Concat(c.Many, c.Others)
	slices.Sort(candidates)
	for _, k := range candidates {
		name, text := s.Names[k], texts[k]
		isNumeric := slices.Contains(c.Many, k)
		if slices.Contains(c.Time, k) || isNumeric && c.ManyWereNamed {
			continue // the user said what it is
		}
		mayBeTime := len(c.Time) == 0 && !c.NoTime && (timeColumns == nil ||
			timeColumns[len(timeColumns)-1] == k-1 && isClock(text))
		hasDates, hasTimeName := isDate(text), isTimeName(name) && !c.NoTime
		switch {
		case mayBeTime && (hasDates || hasTimeName):
			timeColumns = append(timeColumns, k)
		case hasDates && (c.NoTime || isNumeric):
			out.addNote("%s is left out: it has dates", name)
		case hasTimeName && isNumeric:
			out.addNote("%s is left out: its name says that it is a time", name)
		case !isNumeric: // not asked for
		case name == input.NoName && !isNumber(text):
			out.addNote("%s is left out: the first column has no name", name)
		default:
			at = append(at, k)
		}
	}
	if timeColumns != nil {
		out.time = newTimeline(s, texts, timeColumns)
	}
	return at
}

// isSummaryLine reports whether a line is to be left out as one of totals or means, because a
// column that is not read has a word such as total. It returns an error unless the user allowed to
// leave such lines out. A word that the column also has on the line before means something else.
func (c *sheetNumbers) isSummaryLine(s *input.Sheet, texts []string) (bool, error) {
	var summaryColumns []int
	for _, k := range c.unread {
		text := strings.TrimSpace(texts[k])
		if !isSummary(text, k) {
			continue
		}
		summaryColumns = append(summaryColumns, k)
		switch {
		case slices.Contains(c.summaryColumns, k): // the line before has one, too
		case k > 0 && c.rows == nil: // in the first line, only its first column can call it so
		case s.LeavesOut(text):
			return true, nil
		default:
			return false, s.Errorf(k, "the line is called %s (expected lines that are rounds; remove it, "+
				"or leave it out with --na %s --missing skip)", input.Shown(text), input.Quoted(text))
		}
	}
	c.summaryColumns = summaryColumns
	return false, nil
}

// checkTotals returns an error if the first or the last line has, in every column, the sum of all
// other lines, or in every column their mean. Columns in which the other lines are equal do not
// count, and at least two columns have to.
func (c *sheetNumbers) checkTotals(s *input.Sheet) error {
	last := len(c.rows) - 1
	if last < 3 { // of so few lines one may be the sum of the others by chance
		return nil
	}
	for _, at := range []int{0, last} {
		columns, sums, means := 0, true, true
		for i := range c.names {
			v := slices.Delete(c.column(i), at, at+1)
			sum, size := 0.0, 0.0
			for _, x := range v {
				sum, size = sum+x, size+math.Abs(x)
			}
			spread := slices.Max(v) - slices.Min(v)
			if spread == 0 {
				continue
			}
			columns++
			x := c.rows[at][i]
			sums = sums && math.Abs(x-sum) <= 1e-9*size
			// A mean may be rounded to as few as three digits.
			means = means && math.Abs(x-sum/float64(last)) <= 5e-4*spread
		}
		if columns > 1 && (sums || means) {
			return fmt.Errorf("%s:%d:1: the line has the sums or means of all other lines (expected lines "+
				"that are rounds; remove it; --time none says that all lines are rounds)", s.Name, c.lines[at])
		}
	}
	return nil
}

// finish checks the columns when all lines are read, leaves out columns of numbers that are the
// time, and reverses the lines if the user said so.
func (c Columns) finish(s *input.Sheet, out *sheetNumbers) error {
	out.notes = append(s.Notes(), out.notes...)
	if out.time != nil {
		if err := out.time.checkOrder(s, c.Reverse, out.addNote); err != nil {
			return err
		}
	}
	// From the last column to the first, since checkTime may remove column i.
	for i := len(out.names) - 1; i >= out.own && !c.ManyWereNamed; i-- {
		if err := c.checkTime(s, out, i); err != nil {
			return err
		}
	}
	if !c.NoTime {
		if err := out.checkTotals(s); err != nil {
			return err
		}
	}
	for i, name := range out.names {
		code, text, ok := s.Code(out.column(i))
		if !ok {
			continue
		}
		at := out.extremes[i].low
		if code != at.value {
			at = out.extremes[i].high
		}
		return fmt.Errorf("%s:%d:%d: %s: %s", s.Name, at.line, at.column, name, input.CodeRemedy(text))
	}
	if c.Reverse {
		slices.Reverse(out.rows)
		out.addNote("the rounds are the lines in reverse")
	}
	return nil
}

// addNote adds a note for the user.
func (c *sheetNumbers) addNote(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// dropColumn removes column i.
func (c *sheetNumbers) dropColumn(i int) {
	c.names = slices.Delete(c.names, i, i+1)
	c.extremes = slices.Delete(c.extremes, i, i+1)
	for t := range c.rows {
		c.rows[t] = slices.Delete(c.rows[t], i, i+1)
	}
}

// column returns the numbers of a column.
func (c *sheetNumbers) column(i int) []float64 {
	v := make([]float64, len(c.rows))
	for t, row := range c.rows {
		v[t] = row[i]
	}
	return v
}
