package table

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
)

// WriteCSV writes t as CSV: the column names, then the rows, in their plain
// forms, or as the values that [Column.CSV] and [Text.CSV] have in place of
// them. Title and notes are left out, since CSV has no place for them that
// every reader would skip.
func WriteCSV(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	var header []string
	for _, c := range t.Columns {
		if c.CSV == nil {
			header = append(header, c.Name.Plain)
		}
		header = append(header, c.CSV...)
	}
	out := csv.NewWriter(w)
	out.Write(header) // its error is kept, and returned by Error
	for _, row := range t.Rows {
		var cells []string
		for k, c := range t.Columns {
			switch {
			case c.CSV == nil:
				cells = append(cells, row[k].Plain)
			case row[k].CSV == nil:
				cells = append(cells, make([]string, len(c.CSV))...)
			default:
				cells = append(cells, row[k].CSV...)
			}
		}
		out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

// Value is a number as CSV has it: in shortest round-trip form, Inf or -Inf,
// and nothing where there is no number.
func Value(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 1):
		return "Inf"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
