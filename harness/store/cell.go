package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ocobench/internal/build"
)

// The kinds of cells of the harness. The store treats them alike.
const (
	Game      = "game"      // what one algorithm did on one stream
	Hindsight = "hindsight" // what the best fixed actions would have done there
	Moving    = "moving"    // what the best action of each round would have done there
)

// Cell is a table of numbers, with the identity that determines them.
//
// Floats are read back with the same bits, also −0 and the infinities. Every NaN is
// read back as the NaN of [math.NaN].
type Cell struct {
	// Kind says what the rows are: Game, Hindsight or Moving.
	Kind string

	// Identity is JSON on one line that determines Rows. Cells of different
	// kinds must have different identities.
	Identity json.RawMessage

	// Provenance is the program that computed the cell. It is not part of the
	// key, and comparisons of cells ignore it.
	Provenance Provenance

	// Columns are the names of the entries of a row: different, and without tabs
	// or line breaks.
	Columns []string

	// Rows have as many entries as there are Columns.
	Rows [][]float64

	unread func() ([][]float64, error) // parses the rows that [Store.Read] has left; or nil
}

// Numbers returns the Rows, and reads them first if [Store.Read] has left them unread.
func (c *Cell) Numbers() ([][]float64, error) {
	if c.unread != nil {
		return c.unread()
	}
	return c.Rows, nil
}

// Provenance identifies the program that computed a cell.
type Provenance struct {
	Version string `json:"version"` // of the program
	Go      string `json:"go"`      // runtime.Version
	GOARCH  string `json:"goarch"`  // runtime.GOARCH
}

// CurrentProvenance returns the provenance of what is computed now: this program, Go and the
// architecture.
func CurrentProvenance() Provenance {
	return Provenance{Version: build.Version, Go: runtime.Version(), GOARCH: runtime.GOARCH}
}

// cellHeader is written as the first line of the file of a cell.
type cellHeader struct {
	Format string `json:"format"`
	Kind   string `json:"kind"`
	Rows   int    `json:"rows"`
	Provenance
}

// encodeCell returns the file of a cell. It is an error if the cell would not be read back as it
// is.
func encodeCell(c *Cell) ([]byte, error) {
	if err := c.checkWritable(); err != nil {
		return nil, err
	}
	buf, err := json.Marshal(cellHeader{cellFormat, c.Kind, len(c.Rows), c.Provenance})
	if err != nil {
		return nil, err
	}
	buf = append(buf, '\n')
	buf = append(append(buf, c.Identity...), "\n\n"...) // the third line is empty
	buf = append(append(buf, strings.Join(c.Columns, "\t")...), '\n')
	for _, row := range c.Rows {
		for i, v := range row {
			if i > 0 {
				buf = append(buf, '\t')
			}
			buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
		}
		buf = append(buf, '\n')
	}
	return appendDigest(buf), nil
}

// checkWritable returns an error if a cell would not be read back as it is.
func (c *Cell) checkWritable() error {
	for _, s := range []string{c.Kind, c.Provenance.Version, c.Provenance.Go, c.Provenance.GOARCH} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is not UTF-8", s)
		}
	}
	if !isJSONLine(c.Identity) {
		return errors.New("the identity is not JSON on one line")
	}
	for i, name := range c.Columns {
		if name == "" || strings.ContainsAny(name, "\t\n\r") {
			return fmt.Errorf("%q is not the name of a column", name)
		}
		if slices.Contains(c.Columns[:i], name) {
			return fmt.Errorf("two columns are named %q", name)
		}
	}
	if len(c.Columns) == 0 && len(c.Rows) > 0 {
		return errors.New("rows without columns")
	}
	for i, row := range c.Rows {
		if len(row) != len(c.Columns) {
			return fmt.Errorf("row %d has %d values for %d columns", i, len(row), len(c.Columns))
		}
	}
	return nil
}

// isJSONLine reports whether b is JSON on one line.
func isJSONLine(b []byte) bool {
	return json.Valid(b) && !bytes.ContainsAny(b, "\n\r")
}

// decodeCell inverts encodeCell. It refuses text that encodeCell cannot have written, except for
// other spellings of numbers and of the header.
func decodeCell(data []byte) (*Cell, error) {
	c, err := decodeUnread(data)
	if err != nil {
		return nil, err
	}
	if c.Rows, err = c.unread(); err != nil {
		return nil, err
	}
	c.unread = nil
	if err := c.checkWritable(); err != nil {
		return nil, err
	}
	return c, nil
}

// decodeUnread decodes a cell but for its rows, which it only counts: [Cell.Numbers] parses them.
func decodeUnread(data []byte) (*Cell, error) {
	c, rows, text, err := decodeHead(data)
	if err == nil {
		err = countRows(text, rows, len(c.Columns))
	}
	if err != nil {
		return nil, err
	}
	c.unread = func() ([][]float64, error) { return parseRows(text, rows, len(c.Columns)) }
	return c, nil
}

// decodeHead decodes a cell without its rows, and returns their number and their text. It checks
// the digest of the whole text.
func decodeHead(data []byte) (c *Cell, rows int, table string, err error) {
	text, err := checkDigest(data)
	if err != nil {
		return nil, 0, "", err
	}
	var lines [4]string
	for i := range lines {
		var ok bool
		if lines[i], text, ok = strings.Cut(text, "\n"); !ok {
			return nil, 0, "", errors.New("it ends before its table")
		}
	}
	var h cellHeader
	if err := json.Unmarshal([]byte(lines[0]), &h); err != nil {
		return nil, 0, "", fmt.Errorf("its header is not JSON: %v", err)
	}
	if err := checkFormat(h.Format, cellFormat); err != nil {
		return nil, 0, "", err
	}
	c = &Cell{Kind: h.Kind, Identity: json.RawMessage(lines[1]), Provenance: h.Provenance}
	if lines[2] != "" {
		return nil, 0, "", errors.New("its third line is not empty")
	}
	if lines[3] != "" {
		c.Columns = strings.Split(strings.Clone(lines[3]), "\t") // the text need not stay in memory
	}
	return c, h.Rows, text, nil
}

// countRows returns an error if text cannot have n lines of width numbers. It counts line breaks
// and tabs only.
func countRows(text string, n, width int) error {
	if got := strings.Count(text, "\n"); got != n {
		return fmt.Errorf("it has %d rows where its header says %d", got, n)
	}
	if n == 0 && text == "" {
		return nil
	}
	if got := strings.Count(text, "\t"); width == 0 || got != n*(width-1) {
		return errors.New("its rows are not as wide as its columns")
	}
	return nil
}

// parseRows reads n lines of width numbers, which countRows has already counted. The memory that it
// allocates is bounded by the length of the text, for any n and width.
func parseRows(text string, n, width int) ([][]float64, error) {
	if n == 0 && text == "" {
		return nil, nil
	}
	values := make([]float64, 0, n*width)
	rows := make([][]float64, n)
	for i := range rows {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		for field := range strings.SplitSeq(line, "\t") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("row %d: %q is not a number", i, field)
			}
			if v != v { // every NaN is read as this one
				v = math.NaN()
			}
			values = append(values, v)
		}
		if len(values) != (i+1)*width {
			return nil, fmt.Errorf("row %d does not have %d values", i, width)
		}
		rows[i] = values[i*width : (i+1)*width : (i+1)*width]
	}
	if text != "" {
		return nil, errors.New("its last row is not a line")
	}
	return rows, nil
}
