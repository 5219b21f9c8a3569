package report

import (
	"cmp"
	"maps"
	"slices"

	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// This file builds tables. [fillRows] makes a table from a list of columns, each with a heading
// and the text of its cell, and from a list of what the rows are about. A [tableBuilder] uses it
// for tables with dimensions: blocks, rows and columns go through the members of one dimension
// each, such as all problems, and a cell shows a value at the coordinates where they meet:
//
//	members → rowCoordinates → nameColumns and cellColumns → fillRows
//
// The tables of an experiment are in tables.go and horizons.go, and those of bench table in
// pivot.go. They add titles, labels and notes.

// A column holds the heading of a column, and makes the text of its cell in the row about an E,
// such as a comparison.
type column[E any] struct {
	table.Column
	text func(E) table.Text
}

// leftColumn returns a column of texts. The names csv are those of [table.Column.CSV].
func leftColumn[E any](heading table.Text, text func(E) table.Text, csv ...string) column[E] {
	return column[E]{table.Column{Name: heading, CSV: csv}, text}
}

// rightColumn returns a column of numbers, which are aligned to the right.
func rightColumn[E any](heading table.Text, text func(E) table.Text, csv ...string) column[E] {
	return column[E]{table.Column{Name: heading, Align: table.Right, CSV: csv}, text}
}

// fillRows returns the headings of the columns, and for each element of about a row with a cell in
// every column.
func fillRows[E any](columns []column[E], about []E) (headings []table.Column,
	rows [][]table.Text) {
	for _, c := range columns {
		headings = append(headings, c.Column)
	}
	for _, e := range about {
		row := make([]table.Text, len(columns))
		for k, c := range columns {
			row[k] = c.text(e)
		}
		rows = append(rows, row)
	}
	return headings, rows
}

// A Dimension is what the rows or the columns of a table go through, such as the problems.
type Dimension string

// The dimensions of tables.
const (
	ByProblem   Dimension = "problem"
	ByAlgorithm Dimension = "algorithm"
	ByMetric    Dimension = "metric"
	ByHorizon   Dimension = "horizon"
	ByValue     Dimension = "value"
)

// A member is one algorithm, problem, metric, horizon or value of a dimension, which a row, a
// column or a table is about.
type member struct {
	name    table.Text // its first CSV field names columns of CSV
	spec    string     // of a problem or an algorithm
	metric  analysis.Metric
	horizon int
	value   cellValue
}

// coordinates hold a member of some dimensions, or of all: they say where a row or a cell is.
type coordinates map[Dimension]member

// with returns the coordinates with another member of a dimension.
func (at coordinates) with(d Dimension, k member) coordinates {
	at = maps.Clone(at)
	at[d] = k
	return at
}

// pair returns the pair at the coordinates, or nil where none was played.
func (at coordinates) pair(v *analysisView) *analysis.Pair {
	return v.Pair(at[ByAlgorithm].spec, at[ByProblem].spec)
}

// A cellValue is a quantity that a cell can show of a metric of a pair, such as its final mean.
type cellValue struct {
	name, doc string
	heading   table.Text
	align     table.Align
	fields    func(name string) []string // the CSV columns
	text      func(v *analysisView, p *analysis.Pair, m analysis.Metric) table.Text
}

// A tableBuilder makes a table whose blocks, rows and columns are members of dimensions.
type tableBuilder struct {
	view    *analysisView
	blocks  Dimension // empty for a table without blocks
	rows    []Dimension
	columns Dimension
	// members lists the members of each dimension. A dimension that is neither in the blocks, the
	// rows nor the columns has one member.
	members map[Dimension][]member
	// keepsRow chooses rows by their pair and metric; nil keeps all. Rows without a pair that was
	// played are left out before.
	keepsRow      func(*analysis.Pair, analysis.Metric) bool
	metricHeading string // the heading of the metrics that name rows; "metric" if empty
}

// build returns the table, without title, label and notes. It leaves out blocks without rows.
func (b *tableBuilder) build() *table.Table {
	t := &table.Table{Keys: len(b.rows)}
	fixed := coordinates{}
	for d, members := range b.members {
		if d != b.blocks && d != b.columns && !slices.Contains(b.rows, d) {
			fixed[d] = members[0]
		}
	}
	columns := append(b.nameColumns(), b.cellColumns()...)
	if b.blocks == "" {
		t.Columns, t.Rows = fillRows(columns, b.rowCoordinates(fixed))
		return t
	}
	for _, k := range b.members[b.blocks] {
		block := table.Block{Name: k.name}
		if t.Columns, block.Rows = fillRows(columns,
			b.rowCoordinates(fixed.with(b.blocks, k))); block.Rows != nil {
			t.Blocks = append(t.Blocks, block)
		}
	}
	return t
}

// rowCoordinates returns the coordinates of rows: fixed, with each combination of the members that
// name rows. Where the table has columns, it leaves out rows in which no pair was played.
func (b *tableBuilder) rowCoordinates(fixed coordinates) []coordinates {
	all := []coordinates{fixed}
	for _, d := range b.rows {
		var longer []coordinates
		for _, at := range all {
			for _, k := range b.members[d] {
				longer = append(longer, at.with(d, k))
			}
		}
		all = longer
	}
	return slices.DeleteFunc(all, func(row coordinates) bool {
		played := func(k member) bool { return row.with(b.columns, k).pair(b.view) != nil }
		if b.columns != "" && !slices.ContainsFunc(b.members[b.columns], played) {
			return true
		}
		return b.keepsRow != nil && !b.keepsRow(row.pair(b.view), row[ByMetric].metric)
	})
}

// nameColumns returns the columns that name a row.
func (b *tableBuilder) nameColumns() (all []column[coordinates]) {
	for _, d := range b.rows {
		heading := string(d)
		if d == ByMetric {
			heading = cmp.Or(b.metricHeading, heading)
		}
		all = append(all, leftColumn(table.Plain(heading), func(row coordinates) table.Text {
			if d == ByAlgorithm && b.namesPairs() {
				return addAsterisk(row[d].name, row.pair(b.view))
			}
			return row[d].name
		}, string(d)))
	}
	return all
}

// cellColumns returns the columns of the cells.
func (b *tableBuilder) cellColumns() (all []column[coordinates]) {
	for _, k := range b.members[b.columns] {
		v, name := k.value, k.name.CSV[0]
		if b.columns != ByValue {
			v = b.members[ByValue][0].value
		}
		heading := table.Column{Name: k.name, Align: v.align, CSV: v.fields(name)}
		all = append(all, column[coordinates]{heading,
			func(row coordinates) table.Text { return b.cellText(row.with(b.columns, k)) }})
	}
	return all
}

// cellText returns the text of a cell. An asterisk, *, marks a pair whose problem does not meet an
// assumption of the algorithm, where the row does not name the pair.
func (b *tableBuilder) cellText(at coordinates) table.Text {
	p, m, v := at.pair(b.view), at[ByMetric].metric, at[ByValue].value
	if p == nil {
		return table.Plain(notPlayed)
	}
	if k, ok := at[ByHorizon]; ok {
		v.text = meanAtHorizon(k.horizon)
	}
	text := v.text(b.view, p, m)
	if !b.namesPairs() {
		text = addAsterisk(text, p)
	}
	return text
}

// namesPairs reports whether a row, or a row and its block, name a pair.
func (b *tableBuilder) namesPairs() bool {
	in := func(d Dimension) bool { return d == b.blocks || slices.Contains(b.rows, d) }
	return in(ByAlgorithm) && in(ByProblem)
}

// metricMembers returns metrics as members. The function name gives each its text.
func metricMembers(all []analysis.Metric,
	name func(analysis.Metric) table.Text) (members []member) {
	for _, m := range all {
		text := name(m)
		text.CSV = []string{string(m.Name)}
		members = append(members, member{name: text, metric: m})
	}
	return members
}

// valueMembers returns values as members.
func valueMembers(all ...cellValue) (members []member) {
	for _, v := range all {
		text := v.heading
		text.CSV = []string{v.name}
		members = append(members, member{name: text, value: v})
	}
	return members
}
