package table

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"ocobench/report/tex"
)

// WriteCSV writes t as CSV: a header, and then the rows. A column has the plain forms of its cells,
// or it is replaced by the columns of [Column.CSV] with the values of [Text.CSV]. Columns that
// would have the same name are numbered. CSV has no comments, so title, notes and the names of
// blocks are left out.
func WriteCSV(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	var columns, header []string
	for _, c := range t.Columns {
		names := c.CSV
		if names == nil {
			names = []string{c.Name.Plain}
		}
		for _, name := range names {
			columns, header = append(columns, c.Name.Plain), append(header, name)
		}
	}
	out := csv.NewWriter(w)
	out.Write(tex.Unique(columns, header, tex.Numbered)) // out.Error returns its error
	for _, b := range t.allBlocks() {
		for _, row := range b.Rows {
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
	}
	out.Flush()
	return out.Error()
}

// Value formats a number for CSV, in the shortest form that reads back as the same
// number. Infinities are Inf and -Inf, and NaN is an empty string.
func Value(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 1):
		return "Inf"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
