package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Width is the default number of characters of a line. It is used in files and if the
// output is not a terminal.
const Width = 100

// init gives characters the same width in every locale: × and γ take one column. Without it,
// tablewriter reads LC_ALL and similar variables.
func init() { twwidth.SetEastAsian(false) }

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
	widths, groups := t.foldColumns(width)
	for _, b := range t.allBlocks() {
		writeProse(&out, b.Name.Plain, width)
		for _, columns := range groups {
			err := t.drawGrid(&out, renderer.NewBlueprint(), b, columns, func(k int, cell Text) string {
				var lines []string
				for _, text := range cell.cellLines() {
					lines = append(lines, wrapWords(cellTerms(text.Plain), widths[k])...)
				}
				return strings.Join(lines, "\n")
			})
			if err != nil {
				return err
			}
		}
	}
	for _, note := range t.Notes {
		writeProse(&out, note.Plain, width)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// writeProse writes a paragraph, or nothing if the text is empty.
func writeProse(out *bytes.Buffer, text string, width int) {
	for _, line := range wrapWords(unbreakableParts(text, breakBrackets), width) {
		fmt.Fprintln(out, line)
	}
}

// foldColumns returns the width of each column, to which its cells are broken, and the groups of
// columns that are printed side by side. Each group has the key columns and as many others as the
// width of a line allows. The widest columns of a group that is too wide are narrowed.
func (t *Table) foldColumns(width int) (widths []int, groups [][]int) {
	minWidths := make([]int, len(t.Columns)) // the longest word
	widths = make([]int, len(t.Columns))     // the longest line
	for _, b := range t.allBlocks() {
		for _, row := range append([][]Text{t.headings()}, b.Rows...) {
			for k, cell := range row {
				for _, text := range cell.cellLines() {
					all := cellTerms(text.Plain)
					widths[k] = max(widths[k], twwidth.Width(strings.Join(all, " ")))
					for _, word := range all {
						minWidths[k] = max(minWidths[k], twwidth.Width(word))
					}
				}
			}
		}
	}
	for k := range max(1, t.Keys) {
		minWidths[k] = widths[k]
	}
	// isTooWide reports whether columns of these widths, each with a blank on both sides and a
	// border, are wider than a line.
	isTooWide := func(group, widths []int) bool {
		total := 1
		for _, k := range group {
			total += widths[k] + 3
		}
		return width > 0 && total > width
	}
	groups = t.sideBySide(func(group []int) bool { return isTooWide(group, minWidths) })
	for _, group := range groups {
		for isTooWide(group, widths) {
			widest := -1
			for _, k := range group {
				if widths[k] > minWidths[k] && (widest < 0 || widths[k] > widths[widest]) {
					widest = k
				}
			}
			if widest < 0 { // no column can be narrower
				break
			}
			widths[widest]--
		}
	}
	return widths, groups
}

// sideBySide returns the groups of columns that stand side by side: the keys and all others, or the
// keys and some of the others. It makes as few groups as possible, of about equal numbers of
// columns. Only a group with a single column beside the keys may be too wide.
func (t *Table) sideBySide(isTooWide func(group []int) bool) (groups [][]int) {
	var keys, others []int
	for k := range t.Columns {
		if k < max(1, t.Keys) {
			keys = append(keys, k)
		} else {
			others = append(others, k)
		}
	}
	if others == nil {
		return [][]int{keys}
	}
	for count := 1; ; count++ {
		size := (len(others) + count - 1) / count
		groups = nil
		for chunk := range slices.Chunk(others, size) {
			groups = append(groups, append(slices.Clip(keys), chunk...))
		}
		if size == 1 || !slices.ContainsFunc(groups, isTooWide) {
			return groups
		}
	}
}

// drawGrid lets tablewriter draw some columns of a block, below their headings, in the form of r.
// The function format returns the lines of a cell of column k, which tablewriter neither wraps nor
// changes.
func (t *Table) drawGrid(w io.Writer, r tw.Renderer, b Block, columns []int,
	format func(k int, cell Text) string) error {

	names := map[Align]tw.Align{Left: tw.AlignLeft, Right: tw.AlignRight, Center: tw.AlignCenter}
	var aligns tw.Alignment
	for _, k := range columns {
		aligns = append(aligns, names[t.Columns[k].Align])
	}
	grid := tablewriter.NewTable(w, tablewriter.WithRenderer(r), tablewriter.WithAlignment(aligns),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone))
	for i, row := range append([][]Text{t.headings()}, b.Rows...) {
		cells := make([]string, len(columns))
		for j, k := range columns {
			cells[j] = format(k, row[k])
		}
		if i == 0 {
			grid.Header(cells)
		} else if err := grid.Append(cells); err != nil {
			return fmt.Errorf("table %q: row %d: %w", t.Title.Plain, i, err)
		}
	}
	if err := grid.Render(); err != nil {
		return fmt.Errorf("table %q: %w", t.Title.Plain, err)
	}
	return nil
}

// bracketRule says whether a line may break within brackets: not in a cell, whose brackets hold an
// interval.
type bracketRule bool

const (
	keepBrackets  bracketRule = true
	breakBrackets bracketRule = false
)

// unbreakableParts splits a text into pieces that are not broken: words, terms such as ± 18, c =
// 0.5 and a + b·t^0.4, and what is in brackets if these are kept.
func unbreakableParts(text string, brackets bracketRule) (pieces []string) {
	depth, joinsNext := 0, false // open brackets; whether the word before must not end a line
	for _, word := range strings.Fields(text) {
		joinsBoth := slices.Contains([]string{"=", "+"}, word)
		isKept := brackets == keepBrackets && depth > 0
		if last := len(pieces) - 1; last >= 0 && (isKept || joinsNext || joinsBoth) {
			pieces[last] += " " + word
		} else {
			pieces = append(pieces, word)
		}
		depth = max(0, depth+strings.Count(word, "[")+strings.Count(word, "(")-strings.Count(word, "]")-
			strings.Count(word, ")"))
		joinsNext = joinsBoth || slices.Contains([]string{"±", "≤", "<"}, strings.TrimLeft(word, "("))
	}
	return pieces
}

// cellTerms splits a cell into terms between which a line may break. Numbers such as 3, 2 of 6 stay
// together, and so do a sign and its word, such as ✓ both and t^0.4 ✓.
func cellTerms(text string) (pieces []string) {
	before := ""
	for _, word := range unbreakableParts(text, keepBrackets) {
		if last := len(pieces) - 1; last >= 0 && staysWithPrevious(before, word) {
			pieces[last] += " " + word
		} else {
			pieces = append(pieces, word)
		}
		before = word
	}
	return pieces
}

// staysWithPrevious reports whether a word of a cell must stand on the line of the word before it.
func staysWithPrevious(previous, word string) bool {
	isNumber := func(s string) bool { return strings.Trim(s, "+-.,0123456789kM") == "" }
	isSign := func(s string) bool { return strings.Trim(s, "✓▲△?·–") == "" }
	switch {
	case word == "of":
		return isNumber(previous)
	case previous == "of", strings.HasSuffix(previous, ","):
		return isNumber(word)
	}
	return isSign(word) || isSign(previous) && !strings.HasPrefix(word, "(")
}

// Wrap breaks a text into lines of at most width characters of a terminal, at blanks. A
// word that is wider has a line of its own, and an empty text one empty line.
func Wrap(text string, width int) []string {
	if lines := wrapWords(strings.Fields(text), width); lines != nil {
		return lines
	}
	return []string{""}
}

// wrapWords fills lines of at most width characters with words. A width of 0 means no limit.
func wrapWords(words []string, width int) (lines []string) {
	for _, word := range words {
		if last := len(lines) - 1; last >= 0 &&
			(width <= 0 || twwidth.Width(lines[last])+1+twwidth.Width(word) <= width) {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
