package table

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ocobench/report/tex"
)

// Preamble is what a document loads before it reads tables of [WriteLaTeX] with \input. The class
// decides on the fonts. An article whose roman font is still Computer Modern gets Latin Modern,
// which has the same shapes and all characters as outlines. Any other article keeps its fonts and
// their encoding, and T1 is there for the characters that its encoding lacks. The preamble also
// raises the limit of 52 floats that LaTeX keeps, since many tables may follow one another. The
// rest are commands with which LaTeX measures a table and sets it.
//
//go:embed preamble.tex
var Preamble string

// WriteLaTeX writes t as LaTeX for a document that has the lines of [Preamble] and
// reads the table with \input. LaTeX measures the table and sets it as follows:
//
//   - A table with a title is a float with caption and label, and notes below: a
//     table if it fits into one of two columns, and a table* otherwise. A table without a
//     title is a tabular alone.
//   - Small print stands beside its number, or below it if there is no room beside it.
//   - If the table is too wide, the type is smaller, and texts are broken between words.
//   - A table that is taller than a page is continued in more floats, which have the number
//     and the headings of the first.
//
// WriteLaTeX estimates widths only to tell whether a page of an article of 10 pt has room for all
// columns. Otherwise some are continued below, beside the same keys.
//
// Equal cells of the first key column are merged. If this column has groups of rows,
// each group has one heading. Otherwise only the first of the equal cells is printed. The points
// of numbers stand below each other, and so do the lines of a cell and the signs of verdicts.
func WriteLaTeX(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	t = t.groupByFirstKey()
	columns := t.latexColumns()
	parts := t.latexParts(columns)
	var notes strings.Builder
	for _, note := range t.Notes {
		if !note.NotInLaTeX {
			fmt.Fprintf(&notes, "%s\\par\n", note.prose())
		}
	}
	var out bytes.Buffer
	out.WriteString("% Needs the lines of preamble.tex.\n\\ococaption{")
	if title := t.Title.prose(); title != "" {
		fmt.Fprintf(&out, "%%\n\\caption{%s}\n", title)
		if t.Label != "" {
			fmt.Fprintf(&out, "\\label{%s}\n", t.Label)
		}
	}
	out.WriteString("}\n")
	chunks := t.latexChunks()
	for i, part := range parts {
		for j, blocks := range chunks {
			// \oconotes only keeps the notes; the next \ocotable sets them below its last page.
			last := i == len(parts)-1 && j == len(chunks)-1
			if last && notes.Len() > 0 {
				fmt.Fprintf(&out, "\\oconotes{%%\n%s}\n", &notes)
			}
			t.writeLaTeXPart(&out, columns, part, blocks)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// groupByFirstKey returns the table with a block for each run of equal cells in the first key
// column, if a run has two rows or more on average. Otherwise it returns the table as it is.
func (t *Table) groupByFirstKey() *Table {
	runs := 0
	for i, row := range t.Rows {
		if i == 0 || row[0].latex() != t.Rows[i-1][0].latex() {
			runs++
		}
	}
	if t.Blocks != nil || t.Keys < 2 || len(t.Rows) < 2*runs {
		return t
	}
	out := *t
	out.Columns, out.Rows, out.Keys = t.Columns[1:], nil, t.Keys-1
	for i, row := range t.Rows {
		if i == 0 || row[0].latex() != t.Rows[i-1][0].latex() {
			out.Blocks = append(out.Blocks, Block{Name: row[0]})
		}
		b := &out.Blocks[len(out.Blocks)-1]
		b.Rows = append(b.Rows, row[1:])
	}
	return &out
}

// A latexColumn holds what the cells of a column have in common. Widths are in points of type of 10
// pt, that is in tenths of an em.
type latexColumn struct {
	align              byte    // l, r or c
	hasMinus           bool    // some number is negative
	integers, decimals int     // the most digits before and after the point; 0 without numbers
	hasSmall           bool    // some number has small print
	hasSigns           bool    // signs of verdicts stand beside the cells
	minWidth           float64 // with texts broken into lines, as headings and texts among numbers are
	fullWidth          float64 // with every text on one line
}

// latexColumns estimates the widths of the columns.
func (t *Table) latexColumns() []latexColumn {
	const (
		unbrokenKey     = 70   // the width up to which keys are not broken
		unbrokenHeading = 45   // that of headings
		wider           = 1.03 // what kerns and the shapes of small type add at most
		bold            = 1.25 // what bold type adds at most
		digit           = 5    // the width of a digit
		aroundDigits    = 11   // that of a minus, a point and the space around them
	)
	columns := make([]latexColumn, len(t.Columns))
	for k := range columns {
		c := &columns[k]
		c.align = "lrc"[t.Columns[k].Align]
		// add makes the column wide enough for a cell, which is not broken up to the width unbroken.
		add := func(cell Text, unbroken float64) {
			c.hasSigns = c.hasSigns || cell.Sign != ""
			for _, line := range cell.Small {
				c.minWidth = max(c.minWidth, float64(wider*texWidth(line)))
			}
			if cell.Number != "" {
				integers, decimals, _ := strings.Cut(strings.TrimPrefix(cell.Number, "-"), ".")
				c.integers, c.decimals = max(c.integers, len(integers)), max(c.decimals, len(decimals))
				c.hasMinus = c.hasMinus || cell.Number[0] == '-'
				c.hasSmall = c.hasSmall || cell.Small != nil
				c.align = 'c'
				c.minWidth = max(c.minWidth, float64(digit*(c.integers+c.decimals)+aroundDigits))
				return
			}
			factor := wider
			if cell.Bold {
				factor = bold
			}
			for _, line := range cell.latexLines() {
				_, broken := breakLines(line.texWords(), unbroken)
				_, whole := breakLines(line.texWords(), math.Inf(1))
				c.minWidth = max(c.minWidth, float64(factor*broken))
				c.fullWidth = max(c.fullWidth, float64(factor*whole))
			}
		}
		add(t.Columns[k].Name, unbrokenHeading)
		for _, b := range t.allBlocks() {
			for _, row := range b.Rows {
				if k < max(1, t.Keys) {
					add(row[k], unbrokenKey)
				} else {
					add(row[k], 0)
				}
			}
		}
	}
	return columns
}

// numeric reports whether the column aligns numbers at their decimal points.
func (c latexColumn) numeric() bool { return c.integers > 0 }

// latexParts returns the groups of columns that stand side by side: the keys and all others, or the
// keys and as many of the others as the page of an article in one column has room for.
func (t *Table) latexParts(columns []latexColumn) [][]int {
	const (
		page = 400 // 345 pt in \footnotesize, of which an em is 8.5 pt: 406 tenths of an em
		gap  = 9   // between two columns
		sign = 12  // of a verdict, with the space before it
	)
	return t.sideBySide(func(part []int) bool {
		points := float64(gap * (len(part) - 1))
		for _, k := range part {
			if points += columns[k].minWidth; columns[k].hasSigns {
				points += sign
			}
		}
		return points > page
	})
}

// latexChunks divides the rows into chunks that LaTeX can measure: its lengths end at 16384 pt.
func (t *Table) latexChunks() (chunks [][]Block) {
	const maxRows = 200 // of a chunk
	chunks = [][]Block{nil}
	n := 0
	for _, b := range t.allBlocks() {
		for rows := range slices.Chunk(b.Rows, maxRows) {
			if n += len(rows); n > maxRows {
				chunks, n = append(chunks, nil), len(rows)
			}
			last := &chunks[len(chunks)-1]
			*last = append(*last, Block{b.Name, rows})
		}
	}
	return chunks
}

// writeLaTeXPart writes a part of the columns of a chunk of the rows: the columns with their
// headings, and then block after block, in these commands of preamble.tex. Widths are in tenths of
// an em.
//
//	\ocotable{SLACK}{COLUMNS}{HEADING}{ROWS}   the table; SLACK: 1 and all MORE together
//	\ocotext{ALIGN}{LEAST}{MORE}               a column of texts, LEAST wide with broken lines,
//	                                           and MORE wider without
//	\oconumbers{FORMAT}, \oconoted{FORMAT}     a column of numbers, the second with small print
//	\ocoblock{WIDTH}{NAME}                     the heading of a block over WIDTH columns
//	\ocoblockend                               the end of a block, if another one follows
//	\ocokeep                                   keeps a row on the page of the row before: one with
//	                                           empty keys, and the last rows before notes
//	\ocovalue{NUMBER}{SMALL}, \ocobold         a number with its small print
//	\ocojoin{TEXT}{SMALL}, \ocojointext        a text with its small print, among numbers or texts
//	\ocostack{POSITION}{ALIGN}{LINES}          lines that are never broken further
//	\ocolines{ALIGN}{LINES}                    lines that are, if the table is too wide
func (t *Table) writeLaTeXPart(out *bytes.Buffer, columns []latexColumn, part []int,
	blocks []Block) {

	const lastTogether = 5 // rows that stand on the page where the notes begin, at least
	width := t.writeLaTeXHead(out, columns, part)
	for i, b := range blocks {
		if i > 0 {
			out.WriteString("\\ocoblockend\n")
		}
		if t.Blocks != nil {
			name, _ := breakLines(b.Name.texWords(), math.Inf(1))
			fmt.Fprintf(out, "\\ocoblock{%d}{%s}\n", width, strings.Join(name, ""))
		}
		for n := range b.Rows {
			emptyKeys := t.countEmptyKeys(b.Rows, n)
			cells := latexCells(columns, part, b.Rows[n], emptyKeys)
			isLast := t.Notes != nil && n > len(b.Rows)-lastTogether && i == len(blocks)-1
			if emptyKeys > 0 || isLast && n > 0 {
				out.WriteString("\\ocokeep ")
			}
			out.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		}
	}
	out.WriteString("}\n")
}

// writeLaTeXHead writes the form of the columns of a part and their headings, and begins the rows.
// It returns the number of columns of LaTeX, of which signs of verdicts have one of their own.
func (t *Table) writeLaTeXHead(out *bytes.Buffer, columns []latexColumn, part []int) (width int) {
	var spec, heading []string
	slack := 1 // how much wider unbroken texts are, in points; LaTeX divides by it
	width = len(part)
	for i, k := range part {
		c := columns[k]
		if !c.numeric() {
			least := int(math.Ceil(c.minWidth))
			more := max(0, int(math.Ceil(c.fullWidth))-least)
			spec = append(spec, fmt.Sprintf(`\ocotext{%c}{%d}{%d}`, c.align, least, more))
			slack += more
		} else {
			command, minus := `\oconumbers`, ""
			if c.hasSmall {
				command = `\oconoted`
			}
			if c.hasMinus {
				minus = "-"
			}
			spec = append(spec, fmt.Sprintf("%s{%s%d.%d}", command, minus, c.integers, c.decimals))
		}
		name := c.formatContent(t.Columns[k].Name, `\ocostack{b}`, c.minWidth)
		if c.hasSigns {
			if spec, width = append(spec, `@{\ }c`), width+1; i < len(part)-1 {
				spec = append(spec, `<{\;}`) // a sign is farther from the next column than from its own
			}
			name = fmt.Sprintf(`\multicolumn{2}{%c}{%s}`, c.align, name)
		} else if c.numeric() && name != "" {
			name = `\multicolumn{1}{c}{` + name + "}"
		}
		heading = append(heading, name)
	}
	fmt.Fprintf(out, "\\ocotable{%d}{%s}{%%\n%s \\\\\n}{%%\n", slack, strings.Join(spec, ""),
		strings.Join(heading, " & "))
	return width
}

// countEmptyKeys returns how many of the first keys of row n stay empty, since they are the same as
// in the row before. The last key never does, and none does in every tenth row.
func (t *Table) countEmptyKeys(rows [][]Text, n int) (count int) {
	if n%10 == 0 {
		return 0
	}
	for count < t.Keys-1 && rows[n][count].latex() == rows[n-1][count].latex() {
		count++
	}
	return count
}

// latexCells returns the cells of a row, whose first columns are the keys.
func latexCells(columns []latexColumn, part []int, row []Text, emptyKeys int) (cells []string) {
	for _, k := range part {
		switch c := columns[k]; {
		case k >= emptyKeys:
			cells = append(cells, c.formatCell(row[k]))
		case c.hasSigns: // the sign is a cell, too
			cells = append(cells, " & ")
		default:
			cells = append(cells, "")
		}
	}
	return cells
}

// formatCell returns a cell of the column in LaTeX. A text among numbers that is wider than the
// column becomes several lines. In a column with signs the cell is two of LaTeX, and a text among
// numbers without a sign spans both.
func (c latexColumn) formatCell(cell Text) string {
	command, width := `\ocolines`, math.Inf(1)
	if c.numeric() {
		command, width = `\ocostack{t}`, c.minWidth
	}
	text, sign := c.formatContent(cell, command, width), ""
	if c.hasSigns {
		sign = strings.TrimRight(" & "+tex.LaTeX(cell.Sign), " ")
	}
	switch {
	case cell.Number != "" || text == "" || !c.numeric():
		return text + sign
	case c.hasSigns && cell.Sign == "":
		return `\multicolumn{2}{c}{` + text + "}"
	}
	return `\multicolumn{1}{c}{` + text + "}" + sign
}

// formatContent returns a cell of the column in LaTeX without its sign. A text that is wider than
// width becomes several lines in the given command.
func (c latexColumn) formatContent(cell Text, command string, width float64) string {
	small := strings.Join(cell.Small, `\\`)
	if cell.Number != "" {
		value := `\ocovalue`
		if cell.Bold {
			value = `\ocobold`
		}
		return fmt.Sprintf("%s{%s}{%s}", value, cell.Number, small)
	}
	var lines []string
	for _, line := range cell.latexLines() {
		filled, _ := breakLines(line.texWords(), width)
		for _, text := range filled {
			if cell.Bold {
				text = `\textbf{` + text + "}"
			}
			if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*") {
				text = "{}" + text // the \\ before would take it for its own
			}
			lines = append(lines, text)
		}
		if cell.Small != nil { // the small print says what the lines below say in plain text
			break
		}
	}
	text := strings.Join(lines, `\\`)
	if len(lines) > 1 {
		text = fmt.Sprintf("%s{%c}{%s}", command, c.align, text)
	}
	if join := `\ocojointext`; small != "" {
		if c.numeric() {
			join = `\ocojoin`
		}
		text = fmt.Sprintf("%s{%s}{%s}", join, text, small)
	}
	return text
}

// latexLines returns the lines of a cell, except for those that LaTeX leaves out.
func (t Text) latexLines() []Text {
	return slices.DeleteFunc(t.cellLines(), func(line Text) bool { return line.NotInLaTeX })
}

// latex returns a text as LaTeX.
func (t Text) latex() string { return tex.LaTeX(t.source(tex.Escape)) }

// prose returns a paragraph as LaTeX.
func (t Text) prose() string { return tex.LaTeX(t.source(tex.Prose)) }

// source returns the TeX of a text or, if it has none, its escaped plain form.
func (t Text) source(escape func(string) string) string {
	if t.TeX != "" || t.Sign != "" {
		return t.TeX
	}
	return escape(t.Plain)
}
