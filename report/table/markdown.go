package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/renderer"
)

// WriteMarkdown writes t as a GitHub-flavoured Markdown table, with its title in
// bold above and its notes below. Columns are padded, so that the source is
// readable too. A block is a table of its own below its name, and
// <br> separates the lines of a cell.
func WriteMarkdown(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	var out bytes.Buffer
	if title := EscapeMarkdown(t.Title.Plain); title != "" {
		fmt.Fprintf(&out, "**%s**\n\n", title)
	}
	columns := make([]int, len(t.Columns))
	for k := range columns {
		columns[k] = k
	}
	for i, b := range t.allBlocks() {
		if i > 0 {
			out.WriteString("\n")
		}
		if t.Blocks != nil {
			fmt.Fprintf(&out, "%s\n\n", EscapeMarkdown(b.Name.Plain))
		}
		err := t.drawGrid(&out, renderer.NewMarkdown(), b, columns, func(_ int, cell Text) string {
			var lines []string
			for _, text := range cell.cellLines() {
				lines = append(lines, EscapeMarkdown(text.Plain))
			}
			return strings.Join(lines, "<br>")
		})
		if err != nil {
			return err
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

// EscapeMarkdown returns s as inline Markdown that shows exactly s, with one blank for every run of
// white space.
func EscapeMarkdown(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "$", `\$`,
		"|", `\|`, "<", `\<`, ">", `\>`, "&", `\&`, "#", `\#`, "](", `]\(`,
	).Replace(strings.Join(strings.Fields(s), " "))
}
