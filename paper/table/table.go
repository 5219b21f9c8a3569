// Package table holds one neutral table and the writers that print it: for a
// terminal, as Markdown, as CSV and as LaTeX.
//
// The code that computes a table should not know where it will be read. It
// fills a [Table] once; every writer then shows the same rows. What differs
// between a terminal and a page is carried by [Text], which has a plain form
// for everywhere and, where mathematics would set it better, a TeX form for
// LaTeX:
//
//	table.Interval(0.52, 0.49, 0.55, 2)   // 0.52 [0.49, 0.55]   or   $0.52$ {\scriptsize $[0.49,\,0.55]$}
//	table.Text{Plain: "V_t", TeX: `$V_t$`}
//
// Plain text is data, never markup: each writer escapes whatever its format
// would take for syntax. TeX is written out as it stands.
//
// A table whose rows do not fit its columns is a mistake of the program and is
// refused by every writer, with an error, before anything is written.
package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Table is a captioned rectangle of texts.
type Table struct {
	Title   Text   // the caption; may be empty
	Label   string // what \ref refers to, "tab:exponents"; may be empty
	Columns []Column
	Rows    [][]Text // as many cells in each row as there are columns
	Notes   []Text   // what a reader must know to read the numbers, printed under the table
}

// A Column is a heading and the side its cells are set on.
type Column struct {
	Name  Text
	Align Align
	// CSV names the columns that CSV has in place of this one: numbers, where a
	// cell says several in one text. If nil, it has the plain forms.
	CSV []string
}

// Align is the side of its column that a cell is set on.
type Align byte

const (
	Left Align = iota
	Right
	Center
)

// Text is a piece of a table: a cell, a heading, a caption or a note.
type Text struct {
	Plain string // what it says, free of markup
	TeX   string // how LaTeX sets it; if empty, the plain form, escaped
	// CSV are the values of the columns that CSV has in place of the cell's;
	// if nil, they are empty.
	CSV []string
}

// Plain returns the text that says s everywhere.
func Plain(s string) Text { return Text{Plain: s} }

// Plains returns a row of plain texts.
func Plains(cells ...string) []Text {
	row := make([]Text, len(cells))
	for i, c := range cells {
		row[i] = Plain(c)
	}
	return row
}

// Number returns x with the given number of decimals. What is not a finite
// number is printed as an en dash, ∞ or −∞: a table should show that a value is
// missing, not how the program represents it.
func Number(x float64, decimals int) Text {
	plain := decimal(x, decimals)
	return Text{Plain: plain, TeX: "$" + mathDecimal(plain) + "$"}
}

// Interval returns an estimate with the interval around it, all three with the
// given number of decimals.
func Interval(estimate, lower, upper float64, decimals int) Text {
	e, l, u := decimal(estimate, decimals), decimal(lower, decimals), decimal(upper, decimals)
	return Text{
		Plain: fmt.Sprintf("%s [%s, %s]", e, l, u),
		TeX: fmt.Sprintf(`$%s$ {\scriptsize $[%s,\,%s]$}`,
			mathDecimal(e), mathDecimal(l), mathDecimal(u)),
	}
}

func decimal(x float64, decimals int) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-") // a rounded −0.00 claims a sign it does not have
	}
	return s
}

// mathDecimal is the math-mode form of what decimal returns.
func mathDecimal(plain string) string {
	return strings.NewReplacer("–", `\mbox{--}`, "∞", `\infty`).Replace(plain)
}

// check reports what every writer needs of t.
func (t *Table) check() error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("table %q has no columns", t.Title.Plain)
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table %q: row %d has %d cells for %d columns",
				t.Title.Plain, i+1, len(row), len(t.Columns))
		}
		for k, c := range t.Columns {
			if row[k].CSV != nil && len(row[k].CSV) != len(c.CSV) {
				return fmt.Errorf("table %q: row %d has %d values for the %d columns that CSV has in place of %q",
					t.Title.Plain, i+1, len(row[k].CSV), len(c.CSV), c.Name.Plain)
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

// header returns the plain names of the columns.
func (t *Table) header() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name.Plain
	}
	return names
}

// plain returns the plain forms of row.
func plain(row []Text) []string {
	cells := make([]string, len(row))
	for i, c := range row {
		cells[i] = c.Plain
	}
	return cells
}
