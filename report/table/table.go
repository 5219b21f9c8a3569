// Package table has a table without a format, and writers that print it for a terminal, as
// Markdown, as CSV, as LaTeX and as HTML.
//
// The code that fills a [Table] does not know its format. Every writer shows the same rows. The
// formats differ in [Text], which has a plain form for every writer and may have a TeX form for
// LaTeX:
//
//	table.Exponent(0.52, 0.49, 0.55)   // 0.52 [0.49, 0.55]   or   0.52 with {\scriptsize $[0.49,\,0.55]$}
//	table.Text{Plain: "V_t", TeX: `$V_t$`}
//
// Plain text is data and not markup. Each writer escapes the characters that are syntax in its
// format. TeX is the subset of TeX that package tex reads.
//
// Every writer returns an error if a row does not fit the columns. It then writes nothing.
package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ocobench/report/tex"
)

// A Table is a rectangle of texts with a caption and notes.
type Table struct {
	Title   Text   // the caption; may be empty
	Label   string // the name that \ref refers to, such as "tab:exponents"; may be empty
	Columns []Column
	// Keys is the number of leading columns that name a row. If a terminal is too narrow
	// for all columns, the others are continued below, and the keys are repeated beside
	// them. 0 stands for 1.
	Keys   int
	Rows   [][]Text // each row has a cell for each column
	Blocks []Block  // in place of Rows: rows in groups, each with a name
	Notes  []Text   // explanations of the numbers, printed below the table
}

// A Block is a group of rows, with a name above them.
type Block struct {
	Name Text
	Rows [][]Text
}

// A Column has a heading and the alignment of its cells.
type Column struct {
	Name  Text
	Align Align
	// CSV names the CSV columns that replace this one. They hold numbers where
	// the text of a cell combines several. If CSV is nil, the column has the plain
	// forms.
	CSV []string
}

// Align is the alignment of a cell in its column.
type Align byte

// The alignments of a cell.
const (
	Left Align = iota
	Right
	Center
)

// Text is a piece of a table: a cell, a heading, a caption or a note.
type Text struct {
	Plain string // the text without markup
	TeX   string // the text in TeX (package tex); if empty, LaTeX has the plain form
	// CSV has a value for each of the columns in Column.CSV. If nil, the values
	// are empty.
	CSV []string
	// Number is the number of a cell as digits, such as -0.64, and Small its small print in
	// TeX, a line each, such as an interval. LaTeX sets them in place of the other forms.
	// Without a Number, Small belongs to the text. Bold sets the number, or the text, in
	// bold in LaTeX only.
	Number string
	Small  []string
	Bold   bool
	// Sign is the sign of a verdict that ends the plain form, such as ✓, or empty. The TeX form and
	// Small leave it out: LaTeX sets it beside the first line of the cell, below the other signs of
	// the column.
	Sign string
	// NotInLaTeX marks a note, or a line below another, that LaTeX leaves out. A note with
	// an empty plain form is for LaTeX only.
	NotInLaTeX bool
	// Below is a second text, on a line of its own below this one; it may be nil. CSV
	// leaves it out.
	Below *Text
}

// Plain returns a text that is s in every format.
func Plain(s string) Text { return Text{Plain: s} }

// TeX returns a text with formulas, which is given in TeX. The other formats show the
// formulas in Unicode.
func TeX(src string) Text { return Text{Plain: tex.Unicode(src), TeX: src} }

// Columns returns columns with plain headings. A column whose heading begins with > is aligned to
// the right; the > is not part of the heading.
func Columns(headings ...string) []Column {
	columns := make([]Column, len(headings))
	for i, h := range headings {
		name, isRight := strings.CutPrefix(h, ">")
		if columns[i].Name = Plain(name); isRight {
			columns[i].Align = Right
		}
	}
	return columns
}

// Plains returns a row of plain texts.
func Plains(cells ...string) []Text {
	row := make([]Text, len(cells))
	for i, c := range cells {
		row[i] = Plain(c)
	}
	return row
}

// Tens returns a power of ten from 100 on in the form 10² or 10^{2}, and any other number in
// digits. The TeX is for math mode.
func Tens(x float64) Text {
	e := math.Round(math.Log10(x))
	if e < 2 || math.Pow(10, e) != x {
		plain := strconv.FormatFloat(x, 'g', -1, 64)
		return Text{Plain: plain, TeX: plain}
	}
	exponent := strconv.Itoa(int(e))
	return Text{Plain: "10" + tex.Raised(exponent), TeX: "10^{" + exponent + "}"}
}

// check returns an error unless every writer can write t.
func (t *Table) check() error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("table %q has no columns", t.Title.Plain)
	}
	if t.Blocks != nil && t.Rows != nil {
		return fmt.Errorf("table %q has rows and blocks", t.Title.Plain)
	}
	if t.Keys < 0 || t.Keys > len(t.Columns) {
		return fmt.Errorf("table %q has %d keys among %d columns", t.Title.Plain, t.Keys, len(t.Columns))
	}
	for _, b := range t.allBlocks() {
		for i, row := range b.Rows {
			if len(row) != len(t.Columns) {
				return fmt.Errorf("table %q: row %d has %d cells for %d columns",
					t.Title.Plain, i+1, len(row), len(t.Columns))
			}
			for k, c := range t.Columns {
				if row[k].CSV != nil && len(row[k].CSV) != len(c.CSV) {
					return fmt.Errorf("table %q: row %d has %d values for the %d CSV columns of %q",
						t.Title.Plain, i+1, len(row[k].CSV), len(c.CSV), c.Name.Plain)
				}
			}
		}
	}
	for _, c := range t.Columns {
		if c.Align > Center {
			return fmt.Errorf("table %q: column %q has unknown alignment %d",
				t.Title.Plain, c.Name.Plain, c.Align)
		}
	}
	return nil
}

// allBlocks returns the blocks, or one block of all rows for a table without blocks.
func (t *Table) allBlocks() []Block {
	if t.Blocks != nil {
		return t.Blocks
	}
	return []Block{{Rows: t.Rows}}
}

// headings returns the headings of the columns.
func (t *Table) headings() []Text {
	names := make([]Text, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// cellLines returns the texts of a cell, from top to bottom.
func (t Text) cellLines() (lines []Text) {
	for line := &t; line != nil; line = line.Below {
		lines = append(lines, *line)
	}
	return lines
}
