package input

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a CSV file.
const (
	maxSheet   = 1 << 30 // bytes
	maxRecord  = 1 << 24 // bytes of a line
	maxColumns = 10_000
	maxLines   = 10_000_000
	maxName    = 200 // characters of a name
)

// SheetLimits says what the limits of a CSV file are.
const SheetLimits = `A file is a regular file or a pipe of at most 1 GiB, with at most 10000 columns,
10 million lines, 16 MiB in a line and 200 characters in a name.`

// NoName is the name of a first column without one, which has the names of the lines: R and
// pandas write it.
const NoName = "(no name)"

// separators are what may be between the cells of a line.
var separators = []struct {
	mark rune
	name string
}{{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}}

// Sheet is a CSV file with a header. Its errors name file, line and column.
//
// The separator is the one that the header has most often: a comma, a semicolon or a tab. Where
// it is no comma, numbers may have a decimal comma, as spreadsheets write them in many languages:
// then no other number of the column may have a point.
type Sheet struct {
	Name  string   // of the file, for messages
	Names []string // of the columns

	file  *File
	each  string         // what a line holds, such as "round"
	at    map[string]int // the place of the column of that name
	text  *record
	in    *csv.Reader
	lines int // read after the header

	separator      string       // its name
	commas, points map[int]bool // the columns of which numbers with this decimal mark were read
}

// record reads a line, whatever its length, up to a limit.
type record struct {
	io.Reader
	read int // since the line began
}

// Read implements [io.Reader].
func (r *record) Read(b []byte) (int, error) {
	if r.read > maxRecord {
		return 0, fmt.Errorf("a line has more than %d bytes, the limit; is a quote not closed?",
			maxRecord)
	}
	n, err := r.Reader.Read(b)
	r.read += n
	return n, err
}

// Column is a column of numbers with the condition on them.
type Column struct {
	At       int
	Expected string
	Valid    func(v float64) bool // nil for every number
	// Parse returns the number of a cell that is a text; nil for cells that are numbers.
	Parse func(text string) (float64, error)
}

// OpenSheet opens a file and reads its header. Each is what a line holds, such as "round".
func OpenSheet(file, each string) (*Sheet, error) {
	const expected = "expected a CSV file with a header"
	f, err := Open(file, maxSheet)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file (%s)", Shown(file), expected)
	case err != nil:
		return nil, fmt.Errorf("%s: %w (%s)", Shown(file), err, expected)
	}
	text := &record{Reader: f}
	buffered := bufio.NewReaderSize(text, 1<<16)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" { // the byte order mark of spreadsheets
		buffered.Discard(3)
	}
	s := &Sheet{
		Name: Shown(file), file: f, each: each, at: make(map[string]int),
		commas: make(map[int]bool), points: make(map[int]bool),
		text: text, in: csv.NewReader(buffered),
	}
	s.in.Comma, s.separator = separator(buffered)
	s.in.FieldsPerRecord = -1
	s.in.ReuseRecord = true
	if err := s.header(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// separator returns the separator of a file that begins with a header, and its name.
func separator(r *bufio.Reader) (mark rune, name string) {
	head, _ := r.Peek(r.Size())
	counts := make([]int, len(separators))
	quoted := false
	for _, c := range string(head) {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			break
		}
		for k, one := range separators {
			if c == one.mark && !quoted {
				counts[k]++
			}
		}
	}
	most := 0
	for k, n := range counts {
		if n > counts[most] {
			most = k
		}
	}
	return separators[most].mark, separators[most].name
}

// Marks says which marks between and in numbers the file has, if they are not commas and points.
func (s *Sheet) Marks() string {
	switch {
	case len(s.commas) > 0:
		return fmt.Sprintf("cells are separated by a %s, and numbers have a decimal comma", s.separator)
	case s.in.Comma != ',':
		return fmt.Sprintf("cells are separated by a %s", s.separator)
	}
	return ""
}

// Close closes the file.
func (s *Sheet) Close() error { return s.file.Close() }

func (s *Sheet) header() error {
	names, err := s.in.Read()
	switch {
	case err == io.EOF:
		return fmt.Errorf("%s:1: the file is empty (expected a header with the names of the columns, "+
			"and a line for every %s)", s.Name, s.each)
	case err != nil:
		return s.fault(err)
	case len(names) > maxColumns:
		return s.Errorf(maxColumns, "there are %d columns, expected at most %d", len(names), maxColumns)
	}
	for k, name := range names {
		if name = strings.TrimSpace(name); name == "" && k == 0 && len(names) > 1 {
			name = NoName
		}
		_, twice := s.at[name]
		switch {
		case name == "":
			return s.Errorf(k, "column %d has no name (expected a header with the names of the columns)",
				k+1)
		case !isName(name):
			return s.Errorf(k, "the column is called %s (expected at most %d characters that can be "+
				"printed)", Shown(name), maxName)
		case twice:
			return s.Errorf(k, "two columns are called %q; rename one", name)
		}
		if _, err := ParseNumber(name); err == nil {
			return s.Errorf(k, "the header has the number %s (expected the names of the columns on the "+
				"first line)", name)
		}
		s.at[name] = len(s.Names)
		s.Names = append(s.Names, name)
	}
	return nil
}

// At returns the position of the column with a name, and whether there is one.
func (s *Sheet) At(name string) (k int, ok bool) {
	k, ok = s.at[name]
	return k, ok
}

// Rest returns the positions of all other columns.
func (s *Sheet) Rest(but ...int) []int {
	not := make(map[int]bool)
	for _, k := range but {
		not[k] = true
	}
	var at []int
	for k := range s.Names {
		if !not[k] {
			at = append(at, k)
		}
	}
	return at
}

// Next returns the cells of the next line, which are valid until the next call. It
// returns io.EOF after the last line, and an error if there is no line.
func (s *Sheet) Next() ([]string, error) {
	s.text.read = 0
	cells, err := s.in.Read()
	switch {
	case err == io.EOF && s.lines == 0:
		return nil, fmt.Errorf("%s:2: the file ends after the header (expected a line for every %s)",
			s.Name, s.each)
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, s.fault(err)
	case len(cells) != len(s.Names):
		return nil, s.Errorf(min(len(cells)-1, len(s.Names)), "the line has %s, the header %d "+
			"(expected as many; a cell that holds a %s is written in quotes)",
			Plural(len(cells), "cell"), len(s.Names), s.separator)
	}
	if s.lines++; s.lines > maxLines {
		return nil, s.Errorf(0, "there are more than %d lines, the limit", maxLines)
	}
	return cells, nil
}

// Texts reads cells of a line, and returns an error if one is empty.
func (s *Sheet) Texts(cells []string, columns []int) (texts []string, err error) {
	for _, k := range columns {
		text := strings.TrimSpace(cells[k])
		if text == "" {
			return nil, s.Errorf(k, "%s: the cell is empty (expected a name)", s.Names[k])
		}
		if !isName(text) {
			return nil, s.Errorf(k, "%s: found %s (expected a name of at most %d characters that can be "+
				"printed)", s.Names[k], Shown(text), maxName)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// Number reads a cell of a line. The remedy is added to the error of a cell that is
// not a number.
func (s *Sheet) Number(cells []string, c Column, remedy string) (float64, error) {
	text, name := strings.TrimSpace(cells[c.At]), s.Names[c.At]
	if c.Parse != nil {
		v, err := c.Parse(text)
		if err != nil {
			return 0, s.Errorf(c.At, "%s: %w", name, err)
		}
		return v, nil
	}
	v, err := ParseNumber(s.decimal(c.At, text))
	switch {
	case s.commas[c.At] && s.points[c.At]:
		return 0, s.Errorf(c.At, "%s: %s has another decimal mark than a number above it (expected "+
			"points only, or commas only)", name, Shown(text))
	case text == "":
		return 0, s.Errorf(c.At, "%s: the cell is empty (expected %s)", name, c.Expected)
	case err != nil:
		return 0, s.Errorf(c.At, "%s: %w (expected %s%s)", name, err, c.Expected, remedy)
	case c.Valid != nil && !c.Valid(v):
		return 0, s.Errorf(c.At, "%s: %s is out of range (expected %s)", name, Shown(text), c.Expected)
	}
	return v, nil
}

// decimal returns a number with a point in place of a decimal comma, where the file may have
// one, and notes which of the two it has.
func (s *Sheet) decimal(column int, text string) string {
	if s.in.Comma == ',' {
		return text
	}
	point := strings.Contains(text, ".")
	before, after, comma := strings.Cut(text, ",")
	switch {
	case !comma:
		if point {
			s.points[column] = true
		}
		return text
	case point, strings.Contains(after, ","): // no number
		return text
	}
	s.commas[column] = true
	return before + "." + after
}

// Place returns the line and the column in the text of a cell of the last line.
func (s *Sheet) Place(cell int) (line, column int) { return s.in.FieldPos(cell) }

// Errorf returns an error at a cell of the last line.
func (s *Sheet) Errorf(cell int, format string, args ...any) error {
	line, col := s.Place(cell)
	return fmt.Errorf("%s:%d:%d: %w", s.Name, line, col, fmt.Errorf(format, args...))
}

// fault adds the position to an error of package csv.
func (s *Sheet) fault(err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return fmt.Errorf("%s:%d:%d: %v (expected %s-separated values, with quotes in pairs)",
		s.Name, bad.Line, bad.Column, bad.Err, s.separator)
}

// isName reports whether a text is one that tables and messages can show.
func isName(text string) bool {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	return utf8.RuneCountInString(text) <= maxName && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, hidden)
}

// ParseNumber reads a finite number in decimal digits.
func ParseNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	shown := Clip(text, 40)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is too large", shown)
	case math.IsNaN(v), math.IsInf(v, 0):
		return 0, fmt.Errorf("%s is not a finite number", shown)
	case err != nil, strings.Trim(text, "+-.0123456789eE") != "":
		return 0, fmt.Errorf("%q is not a number", shown)
	}
	return v, nil
}
