package cli

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"ocobench/harness/spec"
)

// sheet is a CSV file with a header. Its errors name file, line and column.
type sheet struct {
	file  *os.File
	each  string // what a line holds, such as "round"
	names []string
	in    *csv.Reader
	begun bool // a line after the header has been read
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
	f, err := os.Open(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file (expected a CSV file with a header)", file)
	case err != nil:
		return nil, err
	}
	text := bufio.NewReaderSize(f, 1<<16)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" { // the byte order mark of spreadsheets
		text.Discard(3)
	}
	s := &sheet{file: f, each: each, in: csv.NewReader(text)}
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
		return fmt.Errorf("%s:1: the file is empty (expected a header with the names of the columns, and a line for every %s)", s.file.Name(), s.each)
	case err != nil:
		return s.fault(err)
	case len(names) == 1 && strings.ContainsAny(names[0], ";\t"):
		return s.errorf(0, "the header is one column %q (expected columns separated by commas)", names[0])
	}
	for k, name := range names {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
			return s.errorf(k, "column %d has no name (expected a header with the names of the columns)", k+1)
		case slices.Contains(s.names, name):
			return s.errorf(k, "two columns are called %q; rename one", name)
		}
		if _, err := parseNumber(name); err == nil {
			return s.errorf(k, "the header has the number %s (expected the names of the columns on the first line)", name)
		}
		s.names = append(s.names, name)
	}
	return nil
}

// find returns the positions of the columns with these names.
func (s *sheet) find(flag string, names []string) ([]int, error) {
	var at []int
	for _, name := range names {
		k := slices.Index(s.names, name)
		switch {
		case k < 0:
			return nil, fmt.Errorf("%s: %w", flag, spec.Unknown("column", name, s.names, spec.Pos{File: s.file.Name(), Line: 1, Column: 1}))
		case slices.Contains(at, k):
			return nil, fmt.Errorf("%s: the column %q comes twice", flag, name)
		}
		at = append(at, k)
	}
	return at, nil
}

// rest returns the positions of all other columns.
func (s *sheet) rest(but ...int) []int {
	var at []int
	for k := range s.names {
		if !slices.Contains(but, k) {
			at = append(at, k)
		}
	}
	return at
}

// next returns the cells of the next line, which are valid until the next call. It
// returns io.EOF after the last line, and an error if there is no line.
func (s *sheet) next() ([]string, error) {
	cells, err := s.in.Read()
	switch {
	case err == io.EOF && !s.begun:
		return nil, fmt.Errorf("%s:2: the file ends after the header (expected a line for every %s)", s.file.Name(), s.each)
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, s.fault(err)
	case len(cells) != len(s.names):
		return nil, s.errorf(min(len(cells)-1, len(s.names)), "the line has %s, the header %d (expected as many; a cell that holds a comma is written in quotes)", plural(len(cells), "cell"), len(s.names))
	}
	s.begun = true
	return cells, nil
}

// texts reads cells of a line, and returns an error if one is empty.
func (s *sheet) texts(cells []string, columns []int) (texts []string, err error) {
	for _, k := range columns {
		text := strings.TrimSpace(cells[k])
		if text == "" {
			return nil, s.errorf(k, "%s: the cell is empty (expected a name)", s.names[k])
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
		return 0, s.errorf(c.at, "%s: %s is out of range (expected %s)", name, text, c.expected)
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
	return fmt.Errorf("%s:%d:%d: %w", s.file.Name(), line, col, fmt.Errorf(format, args...))
}

// fault adds the position to an error of package csv.
func (s *sheet) fault(err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return fmt.Errorf("%s: %w", s.file.Name(), err)
	}
	return fmt.Errorf("%s:%d:%d: %v (expected comma-separated values, with quotes in pairs)", s.file.Name(), bad.Line, bad.Column, bad.Err)
}

// parseNumber reads a finite number in decimal digits.
func parseNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is too large", text)
	case math.IsNaN(v), math.IsInf(v, 0):
		return 0, fmt.Errorf("%s is not a finite number", text)
	case err != nil, strings.Trim(text, "+-.0123456789eE") != "":
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return v, nil
}
