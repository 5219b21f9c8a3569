package input

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
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

// separators are the separators that are found without a flag.
var separators = []rune{',', ';', '\t'}

// separatorNames are the names of separators in flags and messages.
var separatorNames = map[rune]string{',': "comma", ';': "semicolon", '\t': "tab", ' ': "space"}

// ParseSeparator returns the separator with a name, such as semicolon, or the one character itself.
func ParseSeparator(text string) (rune, error) {
	for mark, name := range separatorNames {
		if text == name {
			return mark, nil
		}
	}
	mark, size := utf8.DecodeRuneInString(text)
	if text == "" || size != len(text) || mark == utf8.RuneError ||
		strings.ContainsRune("\"\r\n", mark) {
		return 0, fmt.Errorf("%s is no separator", Shown(strconv.Quote(text)))
	}
	return mark, nil
}

// separatorName returns the name of a separator for messages.
func separatorName(mark rune) string {
	if name, ok := separatorNames[mark]; ok {
		return name
	}
	return strconv.QuoteRune(mark)
}

// Format says how a CSV file is written. The zero value leaves each question to the file, which is
// refused where it has two answers.
type Format struct {
	Separator rune      // between cells; 0: the one that fits the first lines
	Decimal   rune      // '.' or ','; 0: a point, or a comma if the separator is another character
	Missing   []string  // words of missing numbers, beside those that pandas knows
	Codes     []float64 // numbers that stand for missing ones
	KeepCodes bool      // no other number is suspected to be a code
	Skip      bool      // lines that lack a number are left out, and not refused
	Columns   []Span    // the columns that are read, by number; nil: all
}

// Span is a range of columns, numbered from 1.
type Span struct{ First, Last int }

// Sheet is a CSV file in UTF-8 with a header of one line. Its errors name file, line and column.
type Sheet struct {
	Name  string   // of the file, for messages
	Names []string // of the columns

	format   Format
	file     *File
	lineNoun string         // what a line holds, such as "round", for messages
	at       map[string]int // the position of a column, by its name
	limiter  *lineLimiter
	in       *csv.Reader
	lines    int    // read after the header
	unread   []bool // by column: it was not chosen, or has no name
	unnamed  []int  // the columns without a name, which have to be empty

	marks        marks // what the numbers have shown of the decimal mark
	skipped      []int // the lines that are left out, since they lack a number
	linesTooLong int   // how many lines end in empty cells beyond the last column
}

// lineLimiter limits the bytes that are read since [Sheet.Next] was last called: the reader of CSV
// would keep all of a line, which an unclosed quote can make as long as the file.
type lineLimiter struct {
	io.Reader
	read int // since the line began
}

// Read implements [io.Reader].
func (r *lineLimiter) Read(b []byte) (int, error) {
	if r.read > maxRecord {
		return 0, fmt.Errorf("a line has more than %d bytes, the limit; is a quote not closed?",
			maxRecord)
	}
	n, err := r.Reader.Read(b)
	r.read += n
	return n, err
}

// OpenSheet opens a file and reads its header. LineNoun is what a line holds, such as "round", for
// messages.
func OpenSheet(file, lineNoun string, format Format) (*Sheet, error) {
	const expected = "expected a CSV file with a header"
	f, err := Open(file, maxSheet)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file (%s)", Shown(file), expected)
	case err != nil:
		return nil, fmt.Errorf("%s: %w (%s)", Shown(file), err, expected)
	}
	limiter := &lineLimiter{Reader: f}
	buffered := bufio.NewReaderSize(limiter, 1<<16)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" { // the byte order mark of spreadsheets
		buffered.Discard(3)
	}
	s := &Sheet{
		Name: Shown(file), format: format, file: f, lineNoun: lineNoun, at: make(map[string]int),
		marks:   marks{decimal: format.Decimal, columns: make(map[int]*columnMarks)},
		limiter: limiter, in: csv.NewReader(buffered),
	}
	s.in.FieldsPerRecord = -1
	s.in.ReuseRecord = true
	head, _ := buffered.Peek(buffered.Size())
	if err = s.refuseBinary(head); err == nil {
		err = s.detectSeparator(string(head))
	}
	if err == nil {
		err = s.readHeader()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// refuseBinary returns an error if a file begins like a spreadsheet, or like a text in UTF-16 or
// UTF-32. In these encodings, ordinary text has a zero in every other byte, or in three of four.
func (s *Sheet) refuseBinary(head []byte) error {
	zeros := [2]int{} // at even and at odd positions
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return fmt.Errorf("%s:1:1: the file is a spreadsheet or another archive (expected a CSV file; "+
			"save the sheet as one)", s.Name)
	}
	from := ""
	switch mark := string(head[:min(2, len(head))]); {
	case zeros[0]+zeros[1] > len(head)*4/5: // nearly all zeros: no text at all, left to later checks
		return nil
	case zeros[0]+zeros[1] > len(head)/2:
		from = "UTF-32"
	case mark == "\xff\xfe", mark == "\xfe\xff":
		from = "UTF-16"
	case zeros[0] > len(head)/4 && zeros[1] == 0:
		from = "UTF-16BE"
	case zeros[1] > len(head)/4 && zeros[0] == 0:
		from = "UTF-16LE"
	default:
		return nil
	}
	return fmt.Errorf("%s:1:1: the file is written in %s (expected UTF-8; iconv -f %s -t UTF-8 "+
		"FILE > NEW converts it)", s.Name, from, from)
}

// detectSeparator sets the separator, unless the user gave one: the only candidate in the header,
// or the only one that every one of the first ten lines has as often as the header. It is a comma
// if the header has none. It is an error if two candidates remain.
func (s *Sheet) detectSeparator(head string) error {
	s.in.Comma = s.format.Separator
	if s.in.Comma != 0 {
		return nil
	}
	counts := make([][]int, len(separators)) // by separator and line
	lines := firstLines(head, 10)
	for k, mark := range separators {
		for _, line := range lines {
			counts[k] = append(counts[k], strings.Count(line, string(mark)))
		}
	}
	var has, fits []rune // the candidates in the header, and those as often in all lines
	for k, mark := range separators {
		if len(lines) == 0 || counts[k][0] == 0 {
			continue
		}
		has = append(has, mark)
		if !slices.ContainsFunc(counts[k], func(n int) bool { return n != counts[k][0] }) {
			fits = append(fits, mark)
		}
	}
	switch {
	case len(has) == 0:
		s.in.Comma = ','
	case len(has) == 1:
		s.in.Comma = has[0]
	case len(fits) == 1:
		s.in.Comma = fits[0]
	default:
		return fmt.Errorf("%s:1:1: the header has a %s and a %s (expected one separator; --separator %s "+
			"or %s says which)", s.Name, separatorName(has[0]), separatorName(has[1]),
			separatorName(has[0]), separatorName(has[1]))
	}
	return nil
}

// firstLines returns at most maxLines lines of a text that are not empty, without the parts in
// quotes. A last line without an end is left out, since it may be cut, unless it is the only one.
func firstLines(head string, maxLines int) (lines []string) {
	var line strings.Builder
	quoted := false
	for _, c := range head {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted || c == '\r':
		case c != '\n':
			line.WriteRune(c)
		case line.Len() > 0:
			if lines = append(lines, line.String()); len(lines) == maxLines {
				return lines
			}
			line.Reset()
		}
	}
	if len(lines) == 0 {
		lines = append(lines, line.String())
	}
	return lines
}

// Notes returns a sentence for each unusual choice that was made in reading the file: a separator,
// a decimal comma, columns, cells or lines that are left out.
func (s *Sheet) Notes() (notes []string) {
	between := separatorName(s.in.Comma)
	switch {
	case s.marks.decimal == ',' && s.marks.sawDecimal():
		notes = append(notes, fmt.Sprintf("cells are separated by a %s, and numbers have a decimal comma",
			between))
	case s.in.Comma != ',':
		notes = append(notes, fmt.Sprintf("cells are separated by a %s", between))
	}
	var names []string
	for _, k := range s.unnamed {
		names = append(names, s.Names[k])
	}
	if names != nil {
		notes = append(notes, fmt.Sprintf("%s left out: without a name, and empty", Few(names, ", ")))
	}
	if s.linesTooLong > 0 {
		notes = append(notes, fmt.Sprintf("%s more empty cells than the header has names, which are "+
			"left out", Plural(s.linesTooLong, "line")+" with"))
	}
	if names = nil; s.skipped != nil {
		for _, line := range s.skipped {
			names = append(names, fmt.Sprint(line))
		}
		notes = append(notes, fmt.Sprintf("%s of %d left out, which lack a number: %s",
			Plural(len(names), "line"), s.lines, Few(names, ", ")))
	}
	return notes
}

// Skipped returns how many lines are left out because they lack a number.
func (s *Sheet) Skipped() int { return len(s.skipped) }

// Close closes the file.
func (s *Sheet) Close() error { return s.file.Close() }

// readHeader reads the first line and names the columns.
func (s *Sheet) readHeader() error {
	names, err := s.in.Read()
	switch {
	case err == io.EOF:
		return fmt.Errorf("%s:1: the file is empty (expected a header with the names of the columns, "+
			"and a line for every %s)", s.Name, s.lineNoun)
	case err != nil:
		return s.fault(err)
	case len(names) > maxColumns:
		return s.Errorf(maxColumns, "there are %d columns, expected at most %d", len(names), maxColumns)
	case len(names) == 1:
		return s.Errorf(0, "the header is %s, one cell (expected the names of two columns or more; "+
			"remove a title above the header; --separator says what is between cells)", Shown(names[0]))
	}
	for _, span := range s.format.Columns {
		if span.Last > len(names) {
			return fmt.Errorf("--columns: %s has %s, and no column %d", s.Name,
				Plural(len(names), "column"), span.Last)
		}
	}
	for k, name := range names {
		name, unread, err := s.nameOf(k, strings.TrimSpace(name))
		if err != nil {
			return err
		}
		s.Names, s.unread = append(s.Names, name), append(s.unread, unread)
		if !unread {
			s.at[name] = k
		}
	}
	return nil
}

// nameOf returns the name by which the program calls column k, given its cell in the header, and
// whether the column is left unread: it was not chosen, or has no name. A column that is chosen by
// its number may have any name, since the name is not used to find it.
func (s *Sheet) nameOf(k int, name string) (calledAs string, unread bool, err error) {
	byNumber := s.format.Columns != nil
	chosen := slices.ContainsFunc(s.format.Columns, func(c Span) bool {
		return c.First <= k+1 && k+1 <= c.Last
	})
	numbered := fmt.Sprintf("column %d", k+1)
	_, twice := s.at[name]
	switch _, err := ParseNumber(name); {
	case byNumber && !chosen:
		return numbered, true, nil
	case err == nil:
		return "", false, s.Errorf(k, "the header has the number %s (expected the names of the columns "+
			"on the first line; remove a title above them; with pandas, df.T turns a table whose rounds "+
			"are columns)", name)
	case name == "" && k == 0:
		return NoName, false, nil
	case name == "" && !byNumber:
		s.unnamed = append(s.unnamed, k)
		return numbered, true, nil
	case byNumber && (name == "" || !isName(name)):
		return numbered, false, nil
	case byNumber && twice:
		return fmt.Sprintf("%s (%s)", name, numbered), false, nil
	case !utf8.ValidString(name):
		return "", false, s.notUTF8(k)
	case !isName(name):
		return "", false, s.Errorf(k, "the column is called %s (expected at most %d characters that can "+
			"be printed; --columns chooses columns by number)", Shown(name), maxName)
	case twice:
		return "", false, s.Errorf(k, "two columns are called %q; rename one, remove all lines of the "+
			"header but one, or choose columns by number with --columns", name)
	}
	return name, false, nil
}

// notUTF8 returns the error of a cell of column k that is not in UTF-8.
func (s *Sheet) notUTF8(k int) error {
	return s.Errorf(k, "the cell is not written in UTF-8 (expected UTF-8; iconv -f CP1252 -t UTF-8 "+
		"FILE > NEW converts a file of Western Europe)")
}

// At returns the position of the column with a name, and whether there is one.
func (s *Sheet) At(name string) (k int, ok bool) {
	k, ok = s.at[name]
	return k, ok
}

// Numbered reports whether the user chose columns by their numbers.
func (s *Sheet) Numbered() bool { return s.format.Columns != nil }

// Rest returns the positions of the columns that are read, except these.
func (s *Sheet) Rest(except ...int) []int {
	excluded := make(map[int]bool)
	for _, k := range except {
		excluded[k] = true
	}
	var at []int
	for k := range s.Names {
		if !excluded[k] && !s.unread[k] {
			at = append(at, k)
		}
	}
	return at
}

// Next returns the cells of the next line, which are valid until the next call. It
// returns io.EOF after the last line, and an error if there is no line.
func (s *Sheet) Next() ([]string, error) {
	s.limiter.read = 0
	cells, err := s.in.Read()
	switch {
	case err == io.EOF && s.lines == 0:
		return nil, fmt.Errorf("%s:2: the file ends after the header (expected a line for every %s)",
			s.Name, s.lineNoun)
	case err == io.EOF:
		return nil, cmp.Or(s.checkDecimals(), err)
	case err != nil:
		return nil, s.fault(err)
	}
	if s.lines++; s.lines > maxLines {
		return nil, s.Errorf(0, "there are more than %d lines, the limit", maxLines)
	}
	return s.checkCells(cells)
}

// checkCells checks the text and the number of the cells of a line. It returns as many as the
// header has: spreadsheets add empty cells at the end of a line, and drop them there, too.
func (s *Sheet) checkCells(cells []string) ([]string, error) {
	for k, cell := range cells {
		notChosen := k < len(s.unread) && s.unread[k] && !slices.Contains(s.unnamed, k)
		switch {
		case notChosen: // may hold anything
		case !utf8.ValidString(cell):
			return nil, s.notUTF8(k)
		case strings.Contains(cell, "\x00"):
			return nil, s.Errorf(k, "the cell has a NUL byte (expected text in UTF-8)")
		}
	}
	n := len(s.Names)
	// A first line of several texts and no number is a second line of the header.
	if s.lines == 1 && n <= len(cells) && len(cells) > 1 && !slices.ContainsFunc(cells, hasNumber) {
		texts := slices.DeleteFunc(slices.Clone(cells), isMissingWord)
		if len(texts) > 1 {
			return nil, s.Errorf(0, "there is no number on line 2 (expected a header of one line, and "+
				"then numbers; remove the other lines of the header, or the title above it)")
		}
	}
	// Empty cells beyond the last column are dropped, and columns without a name may be missing.
	if len(cells) > n && !slices.ContainsFunc(cells[n:], func(c string) bool { return !isBlank(c) }) {
		s.linesTooLong++
		cells = cells[:n]
	}
	for len(cells) < n && slices.Contains(s.unnamed, len(cells)) {
		cells = append(cells, "")
	}
	if len(cells) != n {
		remedy := "a cell that holds a " + separatorName(s.in.Comma) + " is written in quotes"
		switch {
		case s.lines == 1:
			remedy += "; remove a title above the header; --separator says what is between cells"
		case len(cells) == 1:
			remedy = "remove a line that is a comment or a note"
		}
		return nil, s.Errorf(min(len(cells)-1, n), "the line has %s, the header %d (expected as many; "+
			"%s)", Plural(len(cells), "cell"), n, remedy)
	}
	for _, k := range s.unnamed {
		if !isBlank(cells[k]) {
			return nil, s.Errorf(k, "column %d has no name, and the cell is %s (expected an empty column; "+
				"--columns %d reads it, and --columns without %d leaves it out)", k+1, Shown(cells[k]),
				k+1, k+1)
		}
	}
	return cells, nil
}

// isBlank reports whether a cell is empty or has only spaces.
func isBlank(cell string) bool { return strings.TrimSpace(cell) == "" }

// hasNumber reports whether a cell begins with a digit, after a sign.
func hasNumber(cell string) bool {
	cell = strings.TrimLeft(strings.TrimSpace(cell), "+-.,")
	return cell != "" && '0' <= cell[0] && cell[0] <= '9'
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
		s.Name, bad.Line, bad.Column, bad.Err, separatorName(s.in.Comma))
}

// isName reports whether tables and messages can show a text: it is short, and all of it printable.
func isName(text string) bool {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	return utf8.RuneCountInString(text) <= maxName && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, unprintable)
}
