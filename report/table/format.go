package table

import (
	"fmt"
	"io"
)

// A Format is a format of files of tables.
type Format struct {
	Name string // such as markdown
	Ext  string // the ending of its files, such as .md
	// Values reports whether the format is for numbers. A file has one table then.
	Values bool
	write  func(io.Writer, *Table) error
}

// Formats lists all formats, the one for a terminal first.
var Formats = []Format{
	{Name: "terminal", Ext: ".txt", write: func(w io.Writer, t *Table) error {
		return WriteTerminal(w, t, Width)
	}},
	{Name: "markdown", Ext: ".md", write: WriteMarkdown},
	{Name: "csv", Ext: ".csv", Values: true, write: WriteCSV},
	{Name: "latex", Ext: ".tex", write: WriteLaTeX},
}

// Names returns the names of the formats.
func Names() (all []string) {
	for _, f := range Formats {
		all = append(all, f.Name)
	}
	return all
}

// Extensions returns the file endings of the formats, in the order of [Names].
func Extensions() (all []string) {
	for _, f := range Formats {
		all = append(all, f.Ext)
	}
	return all
}

// Write writes tables with a blank line between them.
func (f Format) Write(w io.Writer, tables ...*Table) error {
	for k, t := range tables {
		if k > 0 {
			fmt.Fprintln(w)
		}
		if err := f.write(w, t); err != nil {
			return err
		}
	}
	return nil
}
