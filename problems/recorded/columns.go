package recorded

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ocobench/internal/input"
)

// This file reads the columns of a sheet. On the first line, each column that is not named becomes
// the time, or one of numbers, or is left out; the notes say which. When all lines are read, the
// time has to rise, no column of numbers may look like the time, and no number like a code for a
// missing value.

// Columns are the columns of a sheet that a kind reads.
type Columns struct {
	Own  []int // the column of a role of its own, such as the label, if the kind has one
	Many []int // those that are all of one role
	// ManyWereNamed says that the user named Many: all of them are numbers.
	ManyWereNamed bool

	Others []int // columns that are neither ignored nor of a role, but may be the time

	Time    []int // the columns of the time, of which later ones decide between equal times
	NoTime  bool  // no column is the time, and the order of the lines is not checked
	Reverse bool  // the time falls, and the rounds are the lines in reverse

	features bool // Many may be numbers of any kind, such as the month
}

// cells holds the numbers of the columns that were read, those of Own first.
type cells struct {
	names  []string
	rows   [][]float64
	own    int          // the number of columns of Own
	notes  []string     // how the file was read, for the user
	lines  []int        // the line of the file of each row
	spans  []extremes   // of each column
	unread []int        // the columns that are neither numbers nor the time
	words  map[int]bool // the columns whose last cell was a word for totals
	time   *timeline    // nil: no column is the time
}

// extremes are the places of the first, the smallest and the largest number of a column.
type extremes struct{ first, low, high cellPlace }

// cellPlace is a number with its place in the file.
type cellPlace struct {
	value        float64
	line, column int
}

// read reads the columns from all lines. Each, if it is not nil, is called after every line with
// its numbers and the positions of their columns.
func (c Columns) read(s *input.Sheet, own, many input.Column,
	each func(row []float64, at []int)) (*cells, error) {
	if err := c.checkNames(s); err != nil {
		return nil, err
	}
	var out *cells
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
		if out == nil || len(out.rows) == 0 {
			out = &cells{own: len(c.Own)}
			if at, err = c.assign(s, texts, out); err != nil {
				return nil, err
			}
			columns = out.columns(s, at, own, many)
		}
		skip, err := s.Lacks(texts, columns...)
		switch {
		case err != nil:
			return nil, err
		case skip:
			continue
		}
		if skip, err = out.checkLine(s, texts); err != nil {
			return nil, err
		}
		if skip {
			continue
		}
		if err := out.addLine(s, texts, columns[:len(at)]); err != nil {
			return nil, err
		}
		if each != nil {
			each(out.rows[len(out.rows)-1], at)
		}
	}
}

// columns returns the columns of numbers at these positions, and then those of the time.
func (c *cells) columns(s *input.Sheet, at []int, own, many input.Column) (columns []input.Column) {
	for i, k := range at {
		c.names = append(c.names, s.Names[k])
		column := many
		if i < c.own {
			column = own
		}
		column.At = k
		columns = append(columns, column)
	}
	c.spans = make([]extremes, len(at))
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
func (c *cells) addLine(s *input.Sheet, texts []string, columns []input.Column) error {
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
		if r := &c.spans[i]; len(c.rows) == 0 || v < r.low.value || v > r.high.value {
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

// checkNames returns an error if the columns are called by dates, as those of a table whose rounds
// are columns.
func (c Columns) checkNames(s *input.Sheet) error {
	datedNames := 0
	for _, k := range c.Many {
		if isDate(s.Names[k]) || isMonth(s.Names[k]) {
			datedNames++
		}
	}
	if datedNames < 2 || 2*datedNames < len(c.Many) || c.ManyWereNamed || s.Numbered() {
		return nil
	}
	k := c.Many[slices.IndexFunc(c.Many, func(k int) bool {
		return isDate(s.Names[k]) || isMonth(s.Names[k])
	})]
	return s.Errorf(k, "%s of %d are called by dates, such as %s (expected a line for each round; "+
		"with pandas, df.T turns the table; --columns chooses columns by number, whatever their names)",
		input.Plural(datedNames, "column"), len(c.Many), s.Names[k])
}

// assign makes the columns of the time those that look so on the first line, if the user did not
// name them, and returns the other columns that are read.
func (c Columns) assign(s *input.Sheet, texts []string, out *cells) (at []int, err error) {
	at = slices.Clone(c.Own)
	keys := c.Time
	candidates := slices.Concat(c.Many, c.Others)
	slices.Sort(candidates)
	for _, k := range candidates {
		name, text := s.Names[k], texts[k]
		number := slices.Contains(c.Many, k)
		dated := isDate(text) || isStrongName(name) && !c.NoTime
		switch {
		case slices.Contains(c.Time, k):
		case number && c.ManyWereNamed:
			at = append(at, k)
		case dated && len(c.Time) == 0 && !c.NoTime && (keys == nil ||
			keys[len(keys)-1] == k-1 && isClock(text)):
			keys = append(keys, k)
		case dated && (c.NoTime || number):
			out.note("%s is left out: it has dates", name)
		case !number:
		case name == input.NoName && !isNumber(text):
			out.note("%s is left out: the first column has no name", name)
		default:
			at = append(at, k)
		}
	}
	if keys != nil {
		out.time = newTimeline(s, texts, keys)
	}
	return at, err
}

// checkLine reports whether a line is left out as one of totals or means, which is an error unless
// the user said so: a column that is not read has a word for it. A word that is also on the line
// before is of another kind.
func (c *cells) checkLine(s *input.Sheet, texts []string) (bool, error) {
	var words map[int]bool
	for _, k := range c.unread {
		text := strings.TrimSpace(texts[k])
		if !isSummary(text, k) {
			continue
		}
		if words == nil {
			words = make(map[int]bool)
		}
		switch words[k] = true; {
		case c.words[k], k > 0 && c.rows == nil:
		case s.LeavesOut(text):
			return true, nil
		default:
			return false, s.Errorf(k, "the line is called %s (expected lines that are rounds; remove it, "+
				"or leave it out with --na %s --missing skip)", input.Shown(text), input.Quoted(text))
		}
	}
	c.words = words
	return false, nil
}

// checkTotals returns an error if the first or the last line has the sums or the means of all
// others.
func (c *cells) checkTotals(s *input.Sheet) error {
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
			means = means && math.Abs(x-sum/float64(last)) <= 5e-4*spread
		}
		if columns > 1 && (sums || means) {
			return fmt.Errorf("%s:%d:1: the line has the sums or means of all other lines (expected lines "+
				"that are rounds; remove it; --time none says that all lines are rounds)", s.Name, c.lines[at])
		}
	}
	return nil
}

// finish checks the columns when all lines are read, leaves out those that are the time, and
// reverses the lines if the user said so.
func (c Columns) finish(s *input.Sheet, out *cells) error {
	out.notes = append(s.Notes(), out.notes...)
	if out.time != nil {
		if err := out.time.checkOrder(s, c.Reverse, out.note); err != nil {
			return err
		}
	}
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
		at := out.spans[i].low
		if code != at.value {
			at = out.spans[i].high
		}
		return fmt.Errorf("%s:%d:%d: %s: %s", s.Name, at.line, at.column, name, input.CodeRemedy(text))
	}
	if c.Reverse {
		slices.Reverse(out.rows)
		out.note("the rounds are the lines in reverse")
	}
	return nil
}

// note adds a note for the user.
func (c *cells) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// drop removes column i.
func (c *cells) drop(i int) {
	c.names = slices.Delete(c.names, i, i+1)
	c.spans = slices.Delete(c.spans, i, i+1)
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
