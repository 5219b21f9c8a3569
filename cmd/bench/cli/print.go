package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"ocobench/report/table"
)

// contentWidth, as the width of a table, stands for that of its content: programs that read lines
// get each row on one line.
const contentWidth = 0

// printTable prints a table as wide as the terminal, or width characters wide if standard output is
// no terminal.
func (e *env) printTable(t *table.Table, width int) error {
	return table.WriteTerminal(e.stdout, t, e.outputWidth(width))
}

// printTables prints tables with a blank line between two.
func (e *env) printTables(tables []*table.Table) error {
	for k, t := range tables {
		if k > 0 {
			fmt.Fprintln(e.stdout)
		}
		if err := e.printTable(t, table.Width); err != nil {
			return err
		}
	}
	return nil
}

// outputWidth returns the width of the terminal, or other if standard output is no terminal.
func (e *env) outputWidth(other int) int {
	if o, ok := e.stdout.(*stdoutWriter); ok {
		return terminalWidth(o.Writer, other)
	}
	return terminalWidth(e.stdout, other)
}

// terminalWidth returns the width of a terminal in characters, or other if w is no terminal.
func terminalWidth(w io.Writer, other int) int {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return other
}

// isTerminal reports whether w writes to a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printJSON prints indented JSON, with <, > and & as they are.
func (e *env) printJSON(v any) error {
	out := json.NewEncoder(e.stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(v)
}
