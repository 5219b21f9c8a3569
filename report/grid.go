package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// The builder of tables. A table is a list of columns, each with a heading and what it says of
// a subject, and a row for each subject: [rows] fills it. Most subjects are places, that is
// pairs and metrics, and most tables are grids: blocks, rows and columns go through the
// elements of a dimension each, and a cell is the text of a value at the place where they meet.
// tables.go says which grids there are.

// A column is the heading of a column, and what it says of a subject.
type column[S any] struct {
	table.Column
	text func(S) table.Text
}

// rows returns the rows of the subjects, and the headings.
func rows[S any](columns []column[S], subjects []S) (headings []table.Column, all [][]table.Text) {
	for _, c := range columns {
		headings = append(headings, c.Column)
	}
	for _, s := range subjects {
		row := make([]table.Text, len(columns))
		for k, c := range columns {
			row[k] = c.text(s)
		}
		all = append(all, row)
	}
	return headings, all
}

// A Dim is what the rows or the columns of a table go through.
type Dim string

const (
	ByProblem   Dim = "problem"
	ByAlgorithm Dim = "algorithm"
	ByMetric    Dim = "metric"
	ByValue     Dim = "value"
)

// A key is an element of a dimension: what a row, a column or a table is about.
type key struct {
	name   table.Text
	spec   string // of a problem or an algorithm
	metric analysis.Metric
	value  value
}

// A place has an element of some dimensions, or of all.
type place map[Dim]key

// with returns the place in which a dimension has an element.
func (at place) with(d Dim, k key) place {
	at = maps.Clone(at)
	at[d] = k
	return at
}

// pair returns the pair of a place, or nil where none was played.
func (at place) pair(x *subject) *analysis.Pair {
	return x.pairs[pairID{at[ByAlgorithm].spec, at[ByProblem].spec}]
}

// A value is what a cell can show of a metric of a pair.
type value struct {
	name, doc string
	heading   table.Text
	align     table.Align
	fields    func(name string) []string // the CSV columns
	text      func(x *subject, p *analysis.Pair, m analysis.Metric) table.Text
	fitted    bool // the notes say in which window the exponent is
}

// A grid is a table of places.
type grid struct {
	x       *subject
	blocks  Dim // empty for a table without blocks
	rows    []Dim
	columns Dim
	// keys are the elements of the dimensions. One that is neither in the blocks, the rows
	// nor the columns has one element.
	keys map[Dim][]key
	// keep chooses the rows that name a pair and a metric; nil keeps all. Rows of pairs that
	// were not played are left out, unless absent.
	keep    func(*analysis.Pair, analysis.Metric) bool
	absent  bool
	of      string  // the heading of the metrics that name rows; "metric" if empty
	windows windows // of the exponents in the cells

	title   table.Text
	label   string
	explain func(*grid) []table.Text // the notes; nil for none
	fill    func(*grid) *table.Table // makes a table with rows of its own; nil for one of places
	sweep   *sweep                   // which the columns are of, if any
	group   []*grid                  // the last of which has the notes for all
	built   *table.Table
}

// build returns the table of a grid.
func (g *grid) build() *table.Table {
	if g.fill == nil {
		g.fill = (*grid).table
	}
	g.built = g.fill(g)
	g.built.Title, g.built.Label = g.title, g.label
	if g.explain != nil {
		g.built.Notes = g.explain(g)
	}
	return g.built
}

// table returns the table of a grid, without title and notes. A block without rows is left out.
func (g *grid) table() *table.Table {
	t := &table.Table{Keys: len(g.rows)}
	all := place{}
	for d, keys := range g.keys {
		if d != g.blocks && d != g.columns && !slices.Contains(g.rows, d) {
			all[d] = keys[0]
		}
	}
	columns := append(g.nameColumns(), g.cellColumns()...)
	if g.blocks == "" {
		t.Columns, t.Rows = rows(columns, g.places(all))
		return t
	}
	for _, k := range g.keys[g.blocks] {
		b := table.Block{Name: k.name}
		if t.Columns, b.Rows = rows(columns, g.places(all.with(g.blocks, k))); b.Rows != nil {
			t.Blocks = append(t.Blocks, b)
		}
	}
	return t
}

// places returns the rows of a grid, or of a block.
func (g *grid) places(block place) []place {
	all := []place{block}
	for _, d := range g.rows {
		var longer []place
		for _, at := range all {
			for _, k := range g.keys[d] {
				longer = append(longer, at.with(d, k))
			}
		}
		all = longer
	}
	return slices.DeleteFunc(all, func(row place) bool {
		played := func(k key) bool { return row.with(g.columns, k).pair(g.x) != nil }
		switch {
		case !g.absent && !slices.ContainsFunc(g.keys[g.columns], played):
			return true
		case g.keep != nil:
			return !g.keep(row.pair(g.x), row[ByMetric].metric)
		}
		return false
	})
}

// nameColumns returns the columns that name a row.
func (g *grid) nameColumns() (all []column[place]) {
	for _, d := range g.rows {
		heading := table.Column{Name: table.Plain(string(d)), CSV: []string{string(d)}}
		if d == ByMetric && g.of != "" {
			heading.Name = table.Plain(g.of)
		}
		all = append(all, column[place]{heading, func(row place) table.Text {
			if d == ByAlgorithm && g.naming() {
				return starred(row[d].name, row.pair(g.x))
			}
			return row[d].name
		}})
	}
	return all
}

// cellColumns returns the columns of the cells.
func (g *grid) cellColumns() (all []column[place]) {
	for _, k := range g.keys[g.columns] {
		v, name := k.value, k.name.CSV[0]
		if g.columns != ByValue {
			v = g.keys[ByValue][0].value
		}
		heading := table.Column{Name: k.name, Align: v.align, CSV: v.fields(name)}
		all = append(all, column[place]{heading,
			func(row place) table.Text { return g.cell(row.with(g.columns, k)) }})
	}
	return all
}

// cell returns the text of a place. A star marks a pair whose problem does not meet an
// assumption of the algorithm, where the row does not name the pair.
func (g *grid) cell(at place) table.Text {
	p, m, v := at.pair(g.x), at[ByMetric].metric, at[ByValue].value
	if p == nil {
		return table.Plain("not played")
	}
	if v.fitted && g.windows != nil {
		g.windows.see(p.Series[m.Name])
	}
	text := v.text(g.x, p, m)
	if !g.naming() {
		text = starred(text, p)
	}
	return text
}

// starred returns a text about a pair with a star, if the problem does not meet an assumption
// of the algorithm. Stars are for readers: CSV has none.
func starred(text table.Text, p *analysis.Pair) table.Text {
	if p == nil || len(p.Unmet) == 0 {
		return text
	}
	text.Plain += " *"
	if text.TeX != "" {
		text.TeX += "$^*$"
	}
	if text.Number != "" {
		if text.Small = slices.Clone(text.Small); text.Small == nil {
			text.Small = []string{""}
		}
		text.Small[0] += "$^*$"
	}
	return text
}

// naming reports whether a row, or a row and its block, name a pair.
func (g *grid) naming() bool {
	in := func(d Dim) bool { return d == g.blocks || slices.Contains(g.rows, d) }
	return in(ByAlgorithm) && in(ByProblem)
}

// metricKeys returns metrics as elements. The function name gives each its text.
func metricKeys(all []analysis.Metric, name func(analysis.Metric) table.Text) (keys []key) {
	for _, m := range all {
		text := name(m)
		text.CSV = []string{string(m.Name)}
		keys = append(keys, key{name: text, metric: m})
	}
	return keys
}

// valueKeys returns values as elements.
func valueKeys(all ...value) (keys []key) {
	for _, v := range all {
		text := v.heading
		text.CSV = []string{v.name}
		keys = append(keys, key{name: text, value: v})
	}
	return keys
}

// A Grid chooses tables of an analysis.
type Grid struct {
	// Rows are the problems, algorithms and metrics that name a row, the outer ones
	// first, and Columns what the columns go through. Of anything else there is a table
	// each.
	Rows    []Dim
	Columns Dim

	Problems   []string            // SPECs; nil stands for all
	Algorithms []string            // the same
	Metrics    []algorithms.Metric // at least one
	Values     []string            // of [Values], at least one
}

// Check returns an error unless the dimensions make a table.
func (g Grid) Check() error {
	if len(g.Rows) == 0 {
		return fmt.Errorf("no rows (expected some of problem, algorithm, metric)")
	}
	for k, d := range g.Rows {
		switch {
		case !slices.Contains([]Dim{ByProblem, ByAlgorithm, ByMetric}, d):
			return fmt.Errorf("rows by %s (expected some of problem, algorithm, metric)", d)
		case d == g.Columns || slices.Contains(g.Rows[:k], d):
			return fmt.Errorf("%s twice among rows and columns", d)
		}
	}
	if !slices.Contains([]Dim{ByProblem, ByAlgorithm, ByMetric, ByValue}, g.Columns) {
		return fmt.Errorf("columns by %s (expected one of problem, algorithm, metric, value)", g.Columns)
	}
	return nil
}

// Tables returns the tables of a grid: one, or one for each combination of what is
// neither in the rows nor in the columns. A row of pairs that were not played is left
// out. It panics if [Grid.Check] returns an error.
func (g Grid) Tables(a *analysis.Analysis) (tables []*table.Table) {
	if err := g.Check(); err != nil {
		panic("report: " + err.Error())
	}
	x := subjectOf(a)
	chosen := func(keys []key, some []string) []key {
		return slices.DeleteFunc(slices.Clone(keys),
			func(k key) bool { return some != nil && !slices.Contains(some, k.spec) })
	}
	shown := slices.DeleteFunc(slices.Clone(values),
		func(v value) bool { return !slices.Contains(g.Values, v.name) })
	keys := map[Dim][]key{
		ByProblem:   chosen(x.problemKeys, g.Problems),
		ByAlgorithm: chosen(x.algorithmKeys, g.Algorithms),
		ByMetric:    metricKeys(x.metricsNamed(g.Metrics), metricText),
		ByValue:     valueKeys(shown...),
	}
	var fixed []Dim
	for _, d := range []Dim{ByValue, ByMetric, ByProblem, ByAlgorithm} {
		if d != g.Columns && !slices.Contains(g.Rows, d) {
			fixed = append(fixed, d)
		}
	}
	all := &grid{x: x, rows: fixed, keys: keys, absent: true}
	for _, at := range all.places(place{}) {
		one := &grid{x: x, rows: g.Rows, columns: g.Columns, keys: maps.Clone(keys),
			windows: make(windows)}
		for d, k := range at {
			one.keys[d] = []key{k}
		}
		one.title, one.explain = one.said(at), gridNotes
		if one.label = "tab:" + x.Experiment.Name + "-table"; len(tables) > 0 {
			one.label += fmt.Sprintf("-%d", len(tables)+1)
		}
		if t := one.build(); t.Rows != nil {
			tables = append(tables, t)
		}
	}
	return tables
}

// said is the title of a table: what it shows, and of what.
func (g *grid) said(fixed place) table.Text {
	var names []string
	for _, k := range g.keys[ByValue] {
		names = append(names, k.value.heading.Plain)
	}
	what := strings.Join(names, ", ")
	what = strings.ToUpper(what[:1]) + what[1:]
	if g.shows("final") {
		what += fmt.Sprintf(" at T = %d", g.x.Experiment.Last())
	}
	parts := []table.Text{table.Plain(what)}
	for _, d := range []Dim{ByMetric, ByAlgorithm, ByProblem} {
		if k, ok := fixed[d]; ok {
			parts = append(parts, table.Plain(map[Dim]string{
				ByMetric: " of the ", ByAlgorithm: " of ", ByProblem: " on ",
			}[d]), k.name)
		}
	}
	return join(append(parts, table.Plain(", experiment "+g.x.Experiment.Name))...)
}

// shows reports whether the cells show a value.
func (g *grid) shows(names ...string) bool {
	return slices.ContainsFunc(g.keys[ByValue],
		func(k key) bool { return slices.Contains(names, k.value.name) })
}
