package game

import (
	"slices"
	"sync"
)

// Table holds the numbers of a cell: a column for each quantity, a row for each checkpoint. They
// are read from the store when the first column is used, since a cached analysis uses few cells.
// The zero value has no columns.
type Table struct {
	columns []string
	values  func() []float64 // column after column; the function is nil if there is no cell
}

// Columns returns the names of the columns, or nil where there is no cell.
func (t Table) Columns() []string { return t.columns }

// NewTable returns the table of these columns and rows.
func NewTable(columns []string, rows [][]float64) Table {
	values := make([]float64, 0, len(columns)*len(rows))
	for k := range columns {
		for _, row := range rows {
			values = append(values, row[k])
		}
	}
	return Table{columns, func() []float64 { return values }}
}

// LazyTable returns a table whose rows are read when a column is first used. If they cannot be
// read, all columns are empty.
func LazyTable(columns []string, rows func() ([][]float64, error)) Table {
	return Table{columns, sync.OnceValue(func() []float64 {
		all, err := rows()
		if err != nil {
			return nil
		}
		return NewTable(columns, all).values()
	})}
}

// View returns a column, which the caller must not change, or nil.
func (t Table) View(name string) []float64 {
	k := slices.Index(t.columns, name)
	if k < 0 {
		return nil
	}
	values := t.values()
	n := len(values) / len(t.columns)
	return values[k*n : (k+1)*n : (k+1)*n]
}

// Column returns a copy of a column, or nil.
func (t Table) Column(name string) []float64 { return slices.Clone(t.View(name)) }

// At returns the table with the rows of these rounds only.
func (t Table) At(rounds []int) Table {
	if t.values == nil {
		return t
	}
	return Table{t.columns, sync.OnceValue(func() []float64 {
		values := t.values()
		if len(values) == len(rounds)*len(t.columns) { // it has no other rows
			return values
		}
		storedRounds, due := t.View(TimeColumn), checkpoints{rounds}
		var keptRows []int
		for i, round := range storedRounds {
			if due.isDue(int(round)) {
				keptRows = append(keptRows, i)
			}
		}
		var kept []float64
		for k := range t.columns {
			for _, i := range keptRows {
				kept = append(kept, values[k*len(storedRounds)+i])
			}
		}
		return kept
	})}
}
