package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteMarkdown writes t as a GitHub-flavoured Markdown table, with its title in
// bold above and its notes below. Columns are padded, so that the source is
// readable too. A block is a table of its own below its name, and
// <br> separates the lines of a cell.
func WriteMarkdown(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	width := make([]int, len(t.Columns))
	var blocks [][][]string
	for _, b := range t.blocks() {
		var lines [][]string
		for _, row := range append([][]Text{t.header()}, b.Rows...) {
			line := make([]string, len(row))
			for i, cell := range row {
				for k, text := range cell.lines() {
					if k > 0 {
						line[i] += "<br>"
					}
					line[i] += EscapeMarkdown(text.Plain)
				}
				width[i] = max(3, width[i], utf8.RuneCountInString(line[i]))
			}
			lines = append(lines, line)
		}
		blocks = append(blocks, lines)
	}
	rule := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		dashes := []byte(strings.Repeat("-", width[i]))
		if c.Align != Left {
			dashes[len(dashes)-1] = ':'
		}
		if c.Align == Center {
			dashes[0] = ':'
		}
		rule[i] = string(dashes)
	}

	var out bytes.Buffer
	if title := EscapeMarkdown(t.Title.Plain); title != "" {
		fmt.Fprintf(&out, "**%s**\n\n", title)
	}
	writeLine := func(cells []string) {
		for i, cell := range cells {
			blanks := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if t.Columns[i].Align == Right {
				cell = blanks + cell
			} else {
				cell += blanks
			}
			fmt.Fprintf(&out, "| %s ", cell)
		}
		out.WriteString("|\n")
	}
	for i, lines := range blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		if t.Blocks != nil {
			fmt.Fprintf(&out, "%s\n\n", EscapeMarkdown(t.Blocks[i].Name.Plain))
		}
		writeLine(lines[0])
		writeLine(rule)
		for _, line := range lines[1:] {
			writeLine(line)
		}
	}
	for _, note := range t.Notes {
		if text := EscapeMarkdown(note.Plain); text != "" {
			fmt.Fprintf(&out, "\n%s\n", text)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// EscapeMarkdown returns s as inline Markdown that shows exactly s.
func EscapeMarkdown(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "$", `\$`,
		"|", `\|`, "<", `\<`, ">", `\>`, "&", `\&`, "#", `\#`, "](", `]\(`,
	).Replace(oneLine(s))
}
