package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Width is the default number of characters of a line. It is used in files and if the
// output is not a terminal.
const Width = 100

// WriteTerminal writes t in box-drawing characters, with its title above and its
// notes below, in lines of at most width characters. If the table is wider, then
//
//   - the cells of its widest columns are broken between words, not within an
//     interval, and cells of key columns are never broken, so that a name can be
//     copied into a command;
//   - if that is not enough, some columns are continued below, beside the same keys.
//
// A line is longer than width only if the keys and one column, or a single word, are. A
// width of 0 has no limit.
func WriteTerminal(w io.Writer, t *Table, width int) error {
	if err := t.check(); err != nil {
		return err
	}
	var out bytes.Buffer
	writeProse(&out, t.Title.Plain, width)
	widths, parts := t.fold(width)
	for _, b := range t.blocks() {
		writeProse(&out, b.Name.Plain, width)
		for _, columns := range parts {
			t.writeGrid(&out, b, columns, widths)
		}
	}
	for _, note := range t.Notes {
		writeProse(&out, note.Plain, width)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Extent returns the number of characters of the longest line of t in a terminal of any width,
// without title and notes.
func (t *Table) Extent() int {
	widths, _ := t.fold(0)
	n := 1
	for _, width := range widths {
		n += width + 3
	}
	return n
}

// writeProse writes a paragraph, if there is one.
func writeProse(out *bytes.Buffer, text string, width int) {
	for _, line := range wrap(words(text, false), width) {
		fmt.Fprintln(out, line)
	}
}

// fold returns the largest width of each column, and which columns stand side by side:
// the keys and all others, or as many of the others as there is room for.
func (t *Table) fold(width int) (widths []int, parts [][]int) {
	least := make([]int, len(t.Columns)) // the longest word
	widths = make([]int, len(t.Columns)) // the longest line
	for _, b := range t.blocks() {
		for _, row := range append([][]Text{t.header()}, b.Rows...) {
			for k, cell := range row {
				for _, text := range cell.lines() {
					all := terms(text.Plain)
					widths[k] = max(widths[k], extent(strings.Join(all, " ")))
					for _, word := range all {
						least[k] = max(least[k], extent(word))
					}
				}
			}
		}
	}
	var keys, others []int
	for k := range t.Columns {
		if k < max(1, t.Keys) {
			keys, least[k] = append(keys, k), widths[k]
		} else {
			others = append(others, k)
		}
	}
	room := width - 1 // for columns with a blank on both sides and a border
	for _, k := range keys {
		room -= widths[k] + 3
	}
	taken := func(some, widths []int) (n int) {
		for _, k := range some {
			n += widths[k] + 3
		}
		return n
	}
	// As few parts as possible, all of about the same number of columns.
	size := len(others)
	tooWide := func(part []int) bool { return len(part) > 1 && taken(part, least) > room }
	for width > 0 && slices.ContainsFunc(slices.Collect(slices.Chunk(others, max(1, size))), tooWide) {
		size--
	}
	if size > 0 {
		count := (len(others) + size - 1) / size
		size = (len(others) + count - 1) / count
	}
	for part := range slices.Chunk(others, max(1, size)) {
		for width > 0 && taken(part, widths) > room {
			widest := -1
			for _, k := range part {
				if widths[k] > least[k] && (widest < 0 || widths[k] > widths[widest]) {
					widest = k
				}
			}
			if widest < 0 {
				break
			}
			widths[widest]--
		}
		parts = append(parts, append(slices.Clip(keys), part...))
	}
	if parts == nil {
		parts = [][]int{keys}
	}
	return widths, parts
}

// writeGrid writes some columns of a block: the header and, below a rule, the rows. A row
// has as many lines as its longest cell.
func (t *Table) writeGrid(out *bytes.Buffer, b Block, columns, widths []int) {
	var rows [][][]string // the lines of each cell
	room := make([]int, len(columns))
	for _, row := range append([][]Text{t.header()}, b.Rows...) {
		cells := make([][]string, len(columns))
		for i, k := range columns {
			for _, text := range row[k].lines() {
				cells[i] = append(cells[i], wrap(terms(text.Plain), widths[k])...)
			}
			for _, line := range cells[i] {
				room[i] = max(room[i], extent(line))
			}
		}
		rows = append(rows, cells)
	}
	rule := func(left, middle, right string) {
		var dashes []string
		for _, n := range room {
			dashes = append(dashes, strings.Repeat("─", n+2))
		}
		fmt.Fprintln(out, left+strings.Join(dashes, middle)+right)
	}
	rule("┌", "┬", "┐")
	for r, cells := range rows {
		if r == 1 {
			rule("├", "┼", "┤")
		}
		for n, more := 0, true; more; n++ {
			more = false
			for i, lines := range cells {
				text := ""
				if n < len(lines) {
					text = lines[n]
				}
				more = more || n+1 < len(lines)
				left, right := 0, room[i]-extent(text)
				switch t.Columns[columns[i]].Align {
				case Right:
					left, right = right, 0
				case Center:
					left, right = right/2, right-right/2
				}
				fmt.Fprint(out, "│ ", strings.Repeat(" ", left), text, strings.Repeat(" ", right), " ")
			}
			fmt.Fprintln(out, "│")
		}
	}
	rule("└", "┴", "┘")
}

// words returns the pieces of a text that are not broken: words, terms such as ± 18, c
// = 0.5 and a + b·t^0.4, and, in a cell, an interval in brackets.
func words(text string, cell bool) (pieces []string) {
	depth, glue := 0, false
	for _, word := range strings.Fields(text) {
		joins := slices.Contains([]string{"=", "+"}, word)
		if last := len(pieces) - 1; last >= 0 && (cell && depth > 0 || glue || joins) {
			pieces[last] += " " + word
		} else {
			pieces = append(pieces, word)
		}
		depth = max(0, depth+strings.Count(word, "[")+strings.Count(word, "(")-strings.Count(word, "]")-
			strings.Count(word, ")"))
		glue = joins || slices.Contains([]string{"±", "≤", "<"}, strings.TrimLeft(word, "("))
	}
	return pieces
}

// terms returns the words of a cell, of which a terminal does not break numbers that belong to each
// other, such as 3, 2 of 6, or a sign and its word, such as ✓ both and t^0.4 ✓.
func terms(text string) (pieces []string) {
	before := ""
	for _, word := range words(text, true) {
		if last := len(pieces) - 1; last >= 0 && belongs(before, word) {
			pieces[last] += " " + word
		} else {
			pieces = append(pieces, word)
		}
		before = word
	}
	return pieces
}

// belongs reports whether a word of a cell stands on the line of the word before it.
func belongs(before, word string) bool {
	numeric := func(s string) bool { return strings.Trim(s, "+-.,0123456789kM") == "" }
	signed := func(s string) bool { return strings.Trim(s, "✓▲?·") == "" }
	switch {
	case word == "of":
		return numeric(before)
	case before == "of", strings.HasSuffix(before, ","):
		return numeric(word)
	}
	return signed(before) || signed(word)
}

// Wrap breaks a text into lines of at most width characters of a terminal, at blanks. A
// word that is wider has a line of its own, and an empty text one empty line.
func Wrap(text string, width int) []string {
	if lines := wrap(strings.Fields(text), width); lines != nil {
		return lines
	}
	return []string{""}
}

// wrap fills lines of at most width characters with words. A width of 0 has no limit.
func wrap(words []string, width int) (lines []string) {
	for _, word := range words {
		if last := len(lines) - 1; last >= 0 &&
			(width <= 0 || extent(lines[last])+1+extent(word) <= width) {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// extent returns the number of characters that a text takes in a terminal. It is the same in
// every locale: × and γ take one.
func extent(text string) (n int) {
	for _, r := range text {
		n += displaywidth.Rune(r)
	}
	return n
}
