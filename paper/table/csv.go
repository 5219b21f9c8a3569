package table

import (
	"encoding/csv"
	"io"
)

// WriteCSV writes t as CSV: the column names, then the rows, in their plain
// forms. Title and notes are left out, since CSV has no place for them that
// every reader would skip.
func WriteCSV(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	c.Write(t.header()) // its error is kept, and returned by Error
	for _, row := range t.Rows {
		c.Write(plain(row))
	}
	c.Flush()
	return c.Error()
}
