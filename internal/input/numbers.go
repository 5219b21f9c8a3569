package input

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file reads the numbers of a sheet. A file has one decimal mark. Where a number such as 1.003
// may be a decimal fraction or have a mark between thousands, the other numbers decide: those of
// its column, and the decimal fractions of the file that have other than three digits. What they
// leave open is refused after the last line.

// Column is a column of numbers with the condition on them.
type Column struct {
	At       int                  // the position of the column, from 0
	Expected string               // what the column should hold, for messages
	Valid    func(v float64) bool // nil for every number
	// Parse returns the number of a cell that is a text; nil for cells that are numbers.
	Parse func(text string) (float64, error)
}

// missingWords are what R, pandas and spreadsheets write for a missing number.
var missingWords = []string{
	"", "-", "NA", "N/A", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "-NaN", "1.#IND",
	"-1.#IND", "1.#QNAN", "-1.#QNAN", "NULL", "None",
}

// isMissingWord reports whether a cell has one of missingWords, in any case of letters.
func isMissingWord(cell string) bool {
	cell = strings.TrimSpace(cell)
	return slices.ContainsFunc(missingWords, func(w string) bool { return strings.EqualFold(w, cell) })
}

// isMissing reports whether a cell of column c stands for no number: by a word of the user, by a
// word of missingWords, or by a code. In a column of texts, - and None are labels.
func (s *Sheet) isMissing(text string, c Column) bool {
	if slices.Contains(s.format.Missing, text) {
		return true
	}
	if c.Parse != nil && (text == "-" || strings.EqualFold(text, "none")) {
		return false
	}
	if isMissingWord(text) {
		return true
	}
	if s.format.Codes == nil || c.Parse != nil {
		return false
	}
	v, err := ParseNumber(strings.Replace(text, ",", ".", 1))
	return err == nil && slices.Contains(s.format.Codes, v)
}

// Lacks reports whether a line lacks a number of these columns and is left out, which is an error
// unless the user said so.
func (s *Sheet) Lacks(cells []string, columns ...Column) (bool, error) {
	for _, c := range columns {
		text := strings.TrimSpace(cells[c.At])
		switch {
		case !s.isMissing(text, c):
			continue
		case s.format.Skip:
			line, _ := s.Place(c.At)
			s.skipped = append(s.skipped, line)
			return true, nil
		}
		what := "the cell is empty"
		if text != "" {
			what = fmt.Sprintf("found %s, a missing number", Shown(text))
		}
		return false, s.Errorf(c.At, "%s: %s (expected %s); --missing skip leaves out such lines",
			s.Names[c.At], what, c.Expected)
	}
	return false, nil
}

// LeavesOut reports whether the user said that a word stands for a missing number, and that lines
// with one are left out. The last line is then counted among those that are.
func (s *Sheet) LeavesOut(word string) bool {
	leaves := s.format.Skip && slices.Contains(s.format.Missing, word)
	if leaves {
		line, _ := s.Place(0)
		s.skipped = append(s.skipped, line)
	}
	return leaves
}

// marks holds what the numbers of a file, as far as it was read, have shown of its decimal mark.
type marks struct {
	decimal rune // the one that the user gave, or that of the first number with one; 0: none yet
	shown   cell // the first number with a decimal mark
	// hasFraction is set if some number of the file is a decimal fraction for certain.
	hasFraction bool
	columns     map[int]*columnMarks
}

// sawDecimal reports whether some number had a decimal mark.
func (m *marks) sawDecimal() bool { return m.shown.text != "" }

// columnMarks holds what the numbers of one column have shown of their marks.
type columnMarks struct {
	ambiguous   cell    // the smallest number such as 1.003, which may be 1003; no text: none
	value       float64 // the number in ambiguous, read as a decimal fraction
	integer     cell    // the largest integer without a mark; no text: none
	maxInteger  float64 // its absolute value
	hasFraction bool    // some number of the column is a decimal fraction for certain
}

// cell is a cell of the file, for a message.
type cell struct {
	text         string
	line, column int
}

var (
	// thousands is the form of a number with marks between thousands.
	thousands = regexp.MustCompile(
		`^[+-]?[1-9]\d{0,2}([.,' _’\x{a0}\x{202f}\x{2009}]\d{3})+([.,]\d*)?$`)
	// ambiguousForm is the form of those with one mark, which may also be decimal fractions.
	ambiguousForm = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}[.,]\d{3}$`)
)

// noThousands is the remedy for a number with marks between thousands.
const noThousands = "remove marks between thousands, as pandas.read_csv does with thousands="

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
	v, err := s.parse(c.At, text)
	var invalid *notNumber
	switch {
	case errors.As(err, &invalid) && !hasNumber(text): // a word
		return 0, s.Errorf(c.At, "%s: %w (expected %s; --na %s if it stands for a missing number%s)",
			name, err, c.Expected, Quoted(text), remedy)
	case err != nil:
		return 0, s.Errorf(c.At, "%s: %w (expected %s%s)", name, err, c.Expected, remedy)
	case c.Valid != nil && !c.Valid(v):
		return 0, s.Errorf(c.At, "%s: %s is out of range (expected %s)", name, Shown(text), c.Expected)
	}
	return v, nil
}

// parse reads the number of a cell, and notes its marks.
func (s *Sheet) parse(at int, text string) (float64, error) {
	m := &s.marks
	column := m.columns[at]
	if column == nil {
		column = new(columnMarks)
		m.columns[at] = column
	}
	k := strings.IndexAny(text, ".,")
	if k < 0 || strings.ContainsAny(text[k+1:], ".,") {
		v, err := ParseNumber(text)
		switch {
		case err != nil && thousands.MatchString(text):
			return 0, fmt.Errorf("%s has marks between thousands; remove them, as pandas.read_csv does "+
				"with thousands=", Shown(text))
		case err == nil && (column.integer.text == "" || math.Abs(v) > column.maxInteger) &&
			!strings.ContainsAny(text, "eE"):
			column.integer, column.maxInteger = s.cell(at, text), math.Abs(v)
		}
		return v, err
	}
	mark := rune(text[k])
	v, err := ParseNumber(text[:k] + "." + text[k+1:])
	switch {
	case err != nil:
		return 0, err
	case m.decimal != 0 && mark != m.decimal && !m.sawDecimal():
		return 0, fmt.Errorf("%s has a %s, and --decimal says that the decimal mark is a %s; %s",
			Shown(text), markName(mark), markName(m.decimal), noThousands)
	case m.decimal != 0 && mark != m.decimal:
		return 0, fmt.Errorf("%s has another decimal mark than %s on line %d (expected one decimal mark "+
			"in the file; %s)", Shown(text), m.shown.text, m.shown.line, noThousands)
	case m.decimal == 0 && mark == ',' && s.in.Comma == ',':
		return 0, fmt.Errorf("%s has a comma, which also separates cells; --decimal , says that it is a "+
			"decimal comma; else %s", Shown(text), noThousands)
	}
	if !m.sawDecimal() {
		m.decimal, m.shown = mark, s.cell(at, text)
	}
	// Most numbers have another length, which is found faster than by the regular expression.
	if len(text)-k != len(".000") || !ambiguousForm.MatchString(text) {
		m.hasFraction, column.hasFraction = true, true
	} else if column.ambiguous.text == "" || math.Abs(v) < math.Abs(column.value) {
		column.ambiguous, column.value = s.cell(at, text), v
	}
	return v, nil
}

// checkDecimals returns an error if it is still open after the last line whether some number, such
// as 1.003, is a decimal fraction or has a mark between thousands.
func (s *Sheet) checkDecimals() error {
	if s.format.Decimal != 0 {
		return nil
	}
	for k, name := range s.Names {
		c := s.marks.columns[k]
		if c == nil || c.ambiguous.text == "" || !s.mayHaveThousands(c) {
			continue
		}
		beside := ""
		if c.integer.text != "" {
			beside = fmt.Sprintf(" beside %s on line %d", c.integer.text, c.integer.line)
		}
		mark := s.marks.decimal
		return fmt.Errorf("%s:%d:%d: %s: %s%s: is the %s a decimal mark, or one between thousands? "+
			"--decimal %c says that it is a decimal mark; else %s", s.Name, c.ambiguous.line,
			c.ambiguous.column, name, c.ambiguous.text, beside, markName(mark), mark, noThousands)
	}
	return nil
}

// mayHaveThousands reports whether the ambiguous number of a column may have a mark between
// thousands.
func (s *Sheet) mayHaveThousands(c *columnMarks) bool {
	switch {
	case c.hasFraction:
		return false
	case c.maxInteger >= 1000: // which is written without a mark
		return false
	case s.marks.hasFraction:
		// The mark of the file is a decimal one, most likely. Still, 1.003 beside 950 looks like 1003,
		// while 1.003 beside 7, and 120.003 beside 950, look like decimal fractions.
		return c.maxInteger >= 100 && math.Abs(c.value) < 100
	case c.integer.text != "":
		return true
	}
	// Files with a point between thousands have decimal commas, and then do not separate cells by
	// commas. Where commas do, the mark is a decimal point.
	return s.in.Comma != ','
}

// markName returns the name of a decimal mark for messages.
func markName(mark rune) string {
	if mark == ',' {
		return "comma"
	}
	return "point"
}

// cell returns a cell of the last line, with its place.
func (s *Sheet) cell(at int, text string) cell {
	line, column := s.Place(at)
	return cell{text, line, column}
}

// notNumber is the error of a text that is no number.
type notNumber struct{ text string }

// Error implements error.
func (e *notNumber) Error() string { return fmt.Sprintf("%q is not a number", e.text) }

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
		return 0, &notNumber{shown}
	}
	return v, nil
}

// Code returns a number of a column that looks like a code for missing values, such as -99.99 or
// 1e20, and its text. It is the least or the largest number, and its distance from all others is at
// least their spread and half its own size. With its digits read without sign, point and zeros at
// the ends, it is also one of these:
//
//   - three nines or more, or two if it is negative and all others are positive, with a size ≥ 9
//   - a limit of integers: ±32767, −32768, ±2147483647, ±2147483648
//   - a power of ten from 1e10 on, or any number from 1e30 on, of either sign
//   - two equal digits or more, if the number repeats
//   - any number but 0 that occurs at least three times, but less often than all others together,
//     more than ten times their spread away
//
// [Format.KeepCodes] turns this off.
func (s *Sheet) Code(v []float64) (code float64, text string, ok bool) {
	if s.format.KeepCodes {
		return 0, "", false
	}
	for _, x := range []float64{slices.Min(v), slices.Max(v)} {
		copies, low, high := 0, math.Inf(1), math.Inf(-1) // copies of x, and the range of the others
		for _, y := range v {
			if y == x {
				copies++
			} else {
				low, high = min(low, y), max(high, y)
			}
		}
		distance, spread := max(low-x, x-high), high-low
		text := strconv.FormatFloat(x, 'f', -1, 64)
		digits := strings.Replace(strings.Trim(text, "-0"), ".", "", 1)
		equalDigits := len(digits) > 1 && strings.Trim(digits, digits[:1]) == ""
		nines := equalDigits && digits[0] == '9' && math.Abs(x) >= 9
		isLimit := slices.Contains([]float64{32767, 2147483647, 2147483648}, math.Abs(x)) || x == -32768
		power := math.Abs(x) >= 1e10 && digits == "1" || math.Abs(x) >= 1e30
		if math.Abs(x) >= 1e15 {
			text = fmt.Sprint(x)
		}
		others := len(v) - copies
		tooFew := others == 0 || others == 1 && copies == 1
		veryFar := x != 0 && spread > 0 && distance > 10*spread
		switch {
		case tooFew || distance < max(spread, math.Abs(x)/2):
		case nines && len(digits) > 2, nines && x < 0 && low > 0, isLimit, power,
			copies > 1 && equalDigits, 2 < copies && copies < others && veryFar:
			return x, text, true
		}
	}
	return 0, "", false
}

// CodeRemedy says what a number that looks like a code for missing values may be.
func CodeRemedy(text string) string {
	return fmt.Sprintf("%s is far from all other numbers (--missing-code %s says that it stands for "+
		"a missing number, and --missing-code none that it is one)", text, text)
}
