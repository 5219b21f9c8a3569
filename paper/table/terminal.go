package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
)

// WriteTerminal writes t in box-drawing characters, with its title above and its
// notes below. The text of a cell is not wrapped, shortened or capitalised, so that
// a name can be copied into a command.
func WriteTerminal(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	align := make([]tw.Align, len(t.Columns))
	for i, c := range t.Columns {
		align[i] = map[Align]tw.Align{Left: tw.AlignLeft, Right: tw.AlignRight, Center: tw.AlignCenter}[c.Align]
	}
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{PerColumn: align},
		Padding:    tw.CellPadding{Global: tw.PaddingDefault},
	}
	var out bytes.Buffer
	if title := oneLine(t.Title.Plain); title != "" {
		fmt.Fprintln(&out, title)
	}
	grid := tablewriter.NewTable(&out,
		tablewriter.WithHeaderConfig(cells),
		tablewriter.WithRowConfig(cells),
		// By default the width of × and γ depends on the locale, and the table
		// would differ between machines.
		tablewriter.WithEastAsian(tw.Off),
	)
	grid.Header(oneLines(t.header()))
	for _, row := range t.Rows {
		if err := grid.Append(oneLines(plain(row))); err != nil {
			return err
		}
	}
	if err := grid.Render(); err != nil {
		return err
	}
	for _, note := range t.Notes {
		fmt.Fprintln(&out, oneLine(note.Plain))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// oneLine returns s with one blank for every run of white space, line breaks
// included.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func oneLines(cells []string) []string {
	for i, c := range cells {
		cells[i] = oneLine(c)
	}
	return cells
}
