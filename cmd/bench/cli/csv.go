package cli

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

	"ocobench/harness/spec"
	"ocobench/internal/input"
)

// The limits of a CSV file.
const (
	maxSheet   = 1 << 30 // bytes
	maxRecord  = 1 << 24 // bytes of a line
	maxColumns = 10_000
	maxLines   = 10_000_000
	maxName    = 200 // characters of a name
)

const sheetLimits = `A file is a regular file or a pipe of at most 1 GiB, with at most 10000 columns,
10 million lines, 16 MiB in a line and 200 characters in a name.`

// sheet is a CSV file with a header. Its errors name file, line and column.
type sheet struct {
	file  *input.File
	name  string // of the file, for messages
	each  string // what a line holds, such as "round"
	names []string
	at    map[string]int // the place of the column of that name
	text  *record
	in    *csv.Reader
	lines int // read after the header
}

// record reads a line, whatever its length, up to a limit.
type record struct {
	io.Reader
	read int // since the line began
}

// Read implements [io.Reader].
func (r *record) Read(b []byte) (int, error) {
	if r.read > maxRecord {
		return 0, fmt.Errorf("a line has more than %d bytes, the limit; is a quote not closed?", maxRecord)
	}
	n, err := r.Reader.Read(b)
	r.read += n
	return n, err
}

// column is a column of numbers with the condition on them.
type column struct {
	at       int
	expected string
	valid    func(v float64) bool
}

// anything accepts every number.
func anything(float64) bool { return true }

// openSheet reads the header.
func openSheet(file, each string) (*sheet, error) {
	const expected = "expected a CSV file with a header"
	f, err := input.Open(file, maxSheet)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file (%s)", input.Shown(file), expected)
	case err != nil:
		return nil, fmt.Errorf("%s: %w (%s)", input.Shown(file), err, expected)
	}
	text := &record{Reader: f}
	buffered := bufio.NewReaderSize(text, 1<<16)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" { // the byte order mark of spreadsheets
		buffered.Discard(3)
	}
	s := &sheet{file: f, name: input.Shown(file), each: each, at: make(map[string]int), text: text, in: csv.NewReader(buffered)}
	s.in.FieldsPerRecord = -1
	s.in.ReuseRecord = true
	if err := s.header(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func (s *sheet) header() error {
	names, err := s.in.Read()
	switch {
	case err == io.EOF:
		return fmt.Errorf("%s:1: the file is empty (expected a header with the names of the columns, and a line for every %s)", s.name, s.each)
	case err != nil:
		return s.fault(err)
	case len(names) == 1 && strings.ContainsAny(names[0], ";\t"):
		return s.errorf(0, "the header is one column %q (expected columns separated by commas)", input.Clip(names[0], maxName))
	case len(names) > maxColumns:
		return s.errorf(maxColumns, "there are %d columns, expected at most %d", len(names), maxColumns)
	}
	for k, name := range names {
		name = strings.TrimSpace(name)
		_, twice := s.at[name]
		switch {
		case name == "":
			return s.errorf(k, "column %d has no name (expected a header with the names of the columns)", k+1)
		case !isName(name):
			return s.errorf(k, "the column is called %s (expected at most %d characters that can be printed)", input.Shown(name), maxName)
		case twice:
			return s.errorf(k, "two columns are called %q; rename one", name)
		}
		if _, err := parseNumber(name); err == nil {
			return s.errorf(k, "the header has the number %s (expected the names of the columns on the first line)", name)
		}
		s.at[name] = len(s.names)
		s.names = append(s.names, name)
	}
	return nil
}

// find returns the positions of the columns with these names.
func (s *sheet) find(flag string, names []string) ([]int, error) {
	var at []int
	found := make(map[int]bool)
	for _, name := range names {
		k, ok := s.at[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: %w", flag, spec.Unknown("column", name, s.names, spec.Pos{File: s.name, Line: 1, Column: 1}))
		case found[k]:
			return nil, fmt.Errorf("%s: the column %q comes twice", flag, name)
		}
		found[k] = true
		at = append(at, k)
	}
	return at, nil
}

// rest returns the positions of all other columns.
func (s *sheet) rest(but ...int) []int {
	not := make(map[int]bool)
	for _, k := range but {
		not[k] = true
	}
	var at []int
	for k := range s.names {
		if !not[k] {
			at = append(at, k)
		}
	}
	return at
}

// next returns the cells of the next line, which are valid until the next call. It
// returns io.EOF after the last line, and an error if there is no line.
func (s *sheet) next() ([]string, error) {
	s.text.read = 0
	cells, err := s.in.Read()
	switch {
	case err == io.EOF && s.lines == 0:
		return nil, fmt.Errorf("%s:2: the file ends after the header (expected a line for every %s)", s.name, s.each)
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, s.fault(err)
	case len(cells) != len(s.names):
		return nil, s.errorf(min(len(cells)-1, len(s.names)), "the line has %s, the header %d (expected as many; a cell that holds a comma is written in quotes)", plural(len(cells), "cell"), len(s.names))
	}
	if s.lines++; s.lines > maxLines {
		return nil, s.errorf(0, "there are more than %d lines, the limit", maxLines)
	}
	return cells, nil
}

// texts reads cells of a line, and returns an error if one is empty.
func (s *sheet) texts(cells []string, columns []int) (texts []string, err error) {
	for _, k := range columns {
		text := strings.TrimSpace(cells[k])
		if text == "" {
			return nil, s.errorf(k, "%s: the cell is empty (expected a name)", s.names[k])
		}
		if !isName(text) {
			return nil, s.errorf(k, "%s: found %s (expected a name of at most %d characters that can be printed)", s.names[k], input.Shown(text), maxName)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// number reads a cell of a line. The remedy is added to the error of a cell that is
// not a number.
func (s *sheet) number(cells []string, c column, remedy string) (float64, error) {
	text, name := strings.TrimSpace(cells[c.at]), s.names[c.at]
	v, err := parseNumber(text)
	switch {
	case text == "":
		return 0, s.errorf(c.at, "%s: the cell is empty (expected %s)", name, c.expected)
	case err != nil:
		return 0, s.errorf(c.at, "%s: %w (expected %s%s)", name, err, c.expected, remedy)
	case !c.valid(v):
		return 0, s.errorf(c.at, "%s: %s is out of range (expected %s)", name, input.Shown(text), c.expected)
	}
	return v, nil
}

// numbers reads the numbers of these columns from all lines.
func (s *sheet) numbers(columns []column) ([][]float64, error) {
	var rows [][]float64
	for {
		cells, err := s.next()
		switch {
		case err == io.EOF:
			return rows, nil
		case err != nil:
			return nil, err
		}
		remedy := ""
		if len(rows) == 0 {
			remedy = "; leave out other columns with --ignore"
		}
		row := make([]float64, len(columns))
		for i, c := range columns {
			if row[i], err = s.number(cells, c, remedy); err != nil {
				return nil, err
			}
		}
		rows = append(rows, row)
	}
}

// errorf returns an error at a cell of the last line.
func (s *sheet) errorf(cell int, format string, args ...any) error {
	line, col := s.in.FieldPos(cell)
	return fmt.Errorf("%s:%d:%d: %w", s.name, line, col, fmt.Errorf(format, args...))
}

// fault adds the position to an error of package csv.
func (s *sheet) fault(err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return fmt.Errorf("%s:%d:%d: %v (expected comma-separated values, with quotes in pairs)", s.name, bad.Line, bad.Column, bad.Err)
}

// isName tells whether a text is one that tables and messages can show.
func isName(text string) bool {
	return utf8.RuneCountInString(text) <= maxName && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// parseNumber reads a finite number in decimal digits.
func parseNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	shown := input.Clip(text, 40)
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
