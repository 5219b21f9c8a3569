package report

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// This file builds tables. A table is a list of columns, each with a heading and the text of its
// cell for an element, and a row for each element: [fillRows] fills it. Most tables are grids:
// blocks, rows and columns go through the elements of a dimension each, such as all problems, and a
// cell is the text of a value at the place where they meet. tables.go says which grids there are.

// A column is the heading of a column, and the text of its cell in the row of an element.
type column[E any] struct {
	table.Column
	text func(E) table.Text
}

// fillRows returns the headings, and for each element a row of the cells of all columns.
func fillRows[E any](columns []column[E], elements []E) (headings []table.Column,
	all [][]table.Text) {
	for _, c := range columns {
		headings = append(headings, c.Column)
	}
	for _, e := range elements {
		row := make([]table.Text, len(columns))
		for k, c := range columns {
			row[k] = c.text(e)
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
	ByHorizon   Dim = "horizon"
	ByValue     Dim = "value"
)

// An element is one value of a dimension: the algorithm, problem, metric, horizon or number that a
// row, a column or a table is about.
type element struct {
	name    table.Text
	spec    string // of a problem or an algorithm
	metric  analysis.Metric
	horizon int
	value   cellValue
}

// A place has an element of some dimensions, or of all.
type place map[Dim]element

// withElement returns the place in which a dimension has an element.
func (at place) withElement(d Dim, k element) place {
	at = maps.Clone(at)
	at[d] = k
	return at
}

// pairAt returns the pair of a place, or nil where none was played.
func (at place) pairAt(x *view) *analysis.Pair {
	return x.pairs[pairID{at[ByAlgorithm].spec, at[ByProblem].spec}]
}

// A cellValue is a quantity that a cell can show of a metric of a pair, such as its final mean.
type cellValue struct {
	name, doc string
	heading   table.Text
	align     table.Align
	fields    func(name string) []string // the CSV columns
	text      func(x *view, p *analysis.Pair, m analysis.Metric) table.Text
}

// A grid is a table of places.
type grid struct {
	x       *view
	blocks  Dim // empty for a table without blocks
	rows    []Dim
	columns Dim
	// keys are the elements of the dimensions. One that is neither in the blocks, the rows
	// nor the columns has one element.
	keys map[Dim][]element
	// keep chooses the rows that name a pair and a metric; nil keeps all. Rows of pairs that
	// were not played are left out where there are columns.
	keep func(*analysis.Pair, analysis.Metric) bool
	of   string // the heading of the metrics that name rows; "metric" if empty

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
		g.fill = (*grid).untitledTable
	}
	g.built = g.fill(g)
	g.built.Title, g.built.Label = g.title, g.label
	if g.explain != nil {
		g.built.Notes = g.explain(g)
	}
	return g.built
}

// untitledTable returns the table without title and notes. It leaves out blocks without rows.
func (g *grid) untitledTable() *table.Table {
	t := &table.Table{Keys: len(g.rows)}
	all := place{}
	for d, keys := range g.keys {
		if d != g.blocks && d != g.columns && !slices.Contains(g.rows, d) {
			all[d] = keys[0]
		}
	}
	columns := append(g.nameColumns(), g.cellColumns()...)
	if g.blocks == "" {
		t.Columns, t.Rows = fillRows(columns, g.rowPlaces(all))
		return t
	}
	for _, k := range g.keys[g.blocks] {
		b := table.Block{Name: k.name}
		if t.Columns, b.Rows = fillRows(columns,
			g.rowPlaces(all.withElement(g.blocks, k))); b.Rows != nil {
			t.Blocks = append(t.Blocks, b)
		}
	}
	return t
}

// anyPlayed reports whether a pair of the problems and algorithms of the grid was played, and the
// grid has a metric.
func (g *grid) anyPlayed() bool {
	return len(g.keys[ByMetric]) > 0 && slices.ContainsFunc(g.keys[ByProblem], func(p element) bool {
		return slices.ContainsFunc(g.keys[ByAlgorithm], func(a element) bool {
			return g.x.pairs[pairID{a.spec, p.spec}] != nil
		})
	})
}

// rowPlaces returns the places of the rows of the grid, or of a block of it.
func (g *grid) rowPlaces(block place) []place {
	all := []place{block}
	for _, d := range g.rows {
		var longer []place
		for _, at := range all {
			for _, k := range g.keys[d] {
				longer = append(longer, at.withElement(d, k))
			}
		}
		all = longer
	}
	return slices.DeleteFunc(all, func(row place) bool {
		played := func(k element) bool { return row.withElement(g.columns, k).pairAt(g.x) != nil }
		switch {
		case g.columns != "" && !slices.ContainsFunc(g.keys[g.columns], played):
			return true
		case g.keep != nil:
			return !g.keep(row.pairAt(g.x), row[ByMetric].metric)
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
			if d == ByAlgorithm && g.namesPairs() {
				return addStar(row[d].name, row.pairAt(g.x))
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
			func(row place) table.Text { return g.cellText(row.withElement(g.columns, k)) }})
	}
	return all
}

// cellText returns the text of a place. An asterisk, *, marks a pair whose problem does not meet an
// assumption of the algorithm, where the row does not name the pair.
func (g *grid) cellText(at place) table.Text {
	p, m, v := at.pairAt(g.x), at[ByMetric].metric, at[ByValue].value
	if p == nil {
		return table.Plain(notPlayed)
	}
	if k, ok := at[ByHorizon]; ok {
		v.text = meanAtHorizon(k.horizon)
	}
	text := v.text(g.x, p, m)
	if !g.namesPairs() {
		text = addStar(text, p)
	}
	return text
}

// namesPairs reports whether a row, or a row and its block, name a pair.
func (g *grid) namesPairs() bool {
	in := func(d Dim) bool { return d == g.blocks || slices.Contains(g.rows, d) }
	return in(ByAlgorithm) && in(ByProblem)
}

// metricKeys returns metrics as elements. The function name gives each its text.
func metricKeys(all []analysis.Metric, name func(analysis.Metric) table.Text) (keys []element) {
	for _, m := range all {
		text := name(m)
		text.CSV = []string{string(m.Name)}
		keys = append(keys, element{name: text, metric: m})
	}
	return keys
}

// valueKeys returns values as elements.
func valueKeys(all ...cellValue) (keys []element) {
	for _, v := range all {
		text := v.heading
		text.CSV = []string{v.name}
		keys = append(keys, element{name: text, value: v})
	}
	return keys
}

// A Grid chooses tables of an analysis.
type Grid struct {
	// Rows are the problems, algorithms, metrics and horizons that name a row, the outer ones
	// first, and Columns what the columns go through. Of anything else there is a table
	// each, but for horizons: where they are in neither, it is the last.
	Rows    []Dim
	Columns Dim

	Problems   []string // SPECs; nil stands for all
	Algorithms []string // the same
	// Metrics are the columns or rows; nil stands for those that the experiment names, or
	// the regrets of the focus, and the soft and the penalty violation.
	Metrics []algorithms.Metric
	Values  []string // of [Values], at least one

	// Caption is the title, with formulas in TeX between dollar signs, and Label is that of
	// LaTeX ([IsLabel]). Where they are empty, both say what is chosen. Those of several tables
	// end with what they are of, and with their numbers.
	Caption string
	Label   string
}

// Check returns an error unless the dimensions make a table.
func (g Grid) Check() error {
	named := []Dim{ByProblem, ByAlgorithm, ByMetric, ByHorizon}
	if len(g.Rows) == 0 {
		return fmt.Errorf("no rows (expected some of %s)", joinDims(named))
	}
	for k, d := range g.Rows {
		switch {
		case !slices.Contains(named, d):
			return fmt.Errorf("rows by %s (expected some of %s)", d, joinDims(named))
		case d == g.Columns || slices.Contains(g.Rows[:k], d):
			return fmt.Errorf("%s twice among rows and columns", d)
		}
	}
	if all := append(named, ByValue); !slices.Contains(all, g.Columns) {
		return fmt.Errorf("columns by %s (expected one of %s)", g.Columns, joinDims(all))
	}
	if g.byHorizon() && !slices.Equal(g.Values, []string{"final"}) {
		return fmt.Errorf("horizon with the value %s (expected final alone: the others are of all "+
			"horizons)", strings.Join(g.Values, ", "))
	}
	return nil
}

// joinDims lists dimensions.
func joinDims(all []Dim) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", ", "), "[]")
}

// byHorizon reports whether the rows or the columns go through the horizons.
func (g Grid) byHorizon() bool {
	return g.Columns == ByHorizon || slices.Contains(g.Rows, ByHorizon)
}

// IsLabel reports whether LaTeX takes a text for a label: letters, digits and some of : . / + -
func IsLabel(text string) bool { return labels.MatchString(text) }

// LabelOf returns a text as a label, with a hyphen for each other character.
func LabelOf(text string) string {
	return notLabels.ReplaceAllString(text, "-")
}

var notLabels = regexp.MustCompile(`[^A-Za-z0-9:./+-]`)

var labels = regexp.MustCompile(`^[A-Za-z0-9:./+-]+$`)

// Tables returns the tables of a grid: one, or one for each combination of what is
// neither in the rows nor in the columns. A row of pairs that were not played is left
// out. It panics if [Grid.Check] returns an error.
func (g Grid) Tables(a *analysis.Analysis) (tables []*table.Table) {
	if err := g.Check(); err != nil {
		panic("report: " + err.Error())
	}
	x := newView(a)
	chosen := func(keys []element, some []string) []element {
		return slices.DeleteFunc(slices.Clone(keys),
			func(k element) bool { return some != nil && !slices.Contains(some, k.spec) })
	}
	shown := slices.DeleteFunc(slices.Clone(cellValues),
		func(v cellValue) bool { return !slices.Contains(g.Values, v.name) })
	keys := map[Dim][]element{
		ByProblem:   chosen(x.problemKeys, g.Problems),
		ByAlgorithm: chosen(x.algorithmKeys, g.Algorithms),
		ByMetric:    metricKeys(x.metricsNamed(g.chosenMetrics(x)), metricText),
		ByValue:     valueKeys(shown...),
	}
	if g.byHorizon() {
		keys[ByHorizon] = x.horizonElements()
	}
	s := x.sweepOf(g.Columns, keys[g.Columns])
	if s != nil {
		keys[g.Columns] = s.columnElements()
	}
	label := cmp.Or(g.Label, g.texLabel(x))
	var fixed []Dim
	for _, d := range []Dim{ByValue, ByMetric, ByProblem, ByAlgorithm} {
		if d != g.Columns && !slices.Contains(g.Rows, d) {
			fixed = append(fixed, d)
		}
	}
	all := &grid{x: x, rows: fixed, keys: keys}
	places := all.rowPlaces(place{})
	for _, at := range places {
		one := &grid{x: x, rows: g.Rows, columns: g.Columns, keys: maps.Clone(keys),
			sweep: s}
		for d, k := range at {
			one.keys[d] = []element{k}
		}
		one.title, one.explain = one.titleText(at, g.Caption, len(places) > 1), gridNotes
		if one.label = label; len(tables) > 0 {
			one.label += fmt.Sprintf("-%d", len(tables)+1)
		}
		if t := one.build(); t.Rows != nil {
			tables = append(tables, t)
		}
	}
	return tables
}

// chosenMetrics returns the metrics of the tables.
func (g Grid) chosenMetrics(x *view) []algorithms.Metric {
	if g.Metrics != nil {
		return g.Metrics
	}
	if experiment.Overrides(x.Experiment.Metrics) {
		var all []algorithms.Metric
		for _, m := range x.metrics {
			all = append(all, m.Name)
		}
		return all
	}
	return append(x.Focus.Regrets(), algorithms.SoftViolation, algorithms.PenaltyViolation)
}

// texLabel returns the TeX label of the tables, which names all choices, so that different tables
// have different labels.
func (g Grid) texLabel(x *view) string {
	parts := []string{"tab:" + x.Experiment.Name, strings.Join(g.Values, "-")}
	for _, m := range g.chosenMetrics(x) {
		parts = append(parts, cmp.Or(shortMetric(m), string(m)))
	}
	chosen := func(some []string, all int) []string {
		if len(some) == all {
			return nil
		}
		return some
	}
	if rest := fmt.Sprint(g.Rows, g.Columns, chosen(g.Problems, len(x.problems)),
		chosen(g.Algorithms, len(x.Algorithms))); rest != fmt.Sprint(
		[]Dim{ByProblem, ByAlgorithm}, ByMetric, []string(nil), []string(nil)) {
		parts = append(parts, fmt.Sprintf("%.2x", sha256.Sum256([]byte(rest))))
	}
	return strings.ReplaceAll(strings.Join(parts, "-"), "_", "-")
}

// titleText returns the title of a table: what it shows, and of what. A caption replaces it or,
// where there are several tables, what it shows.
func (g *grid) titleText(fixed place, caption string, several bool) table.Text {
	var names []string
	for _, k := range g.keys[ByValue] {
		names = append(names, k.value.heading.Plain)
	}
	what := strings.Join(names, ", ")
	what = strings.ToUpper(what[:1]) + what[1:]
	switch {
	case g.keys[ByHorizon] != nil:
		what += " across T"
	case g.showsValue("final"):
		what += fmt.Sprintf(" at T = %d", g.x.Experiment.Last())
	}
	parts, end := []table.Text{sentence("%s", what)}, ", experiment "+g.x.Experiment.Name
	if caption != "" {
		parts, end = []table.Text{parseCaption(caption)}, ""
		if !several {
			return parts[0]
		}
	}
	for _, d := range []Dim{ByMetric, ByAlgorithm, ByProblem} {
		if k, ok := fixed[d]; ok {
			parts = append(parts, table.Plain(map[Dim]string{
				ByMetric: " of the ", ByAlgorithm: " of ", ByProblem: " on ",
			}[d]), k.name)
		}
	}
	if caption == "" && g.sweep != nil {
		parts = append(parts, g.sweep.titleSuffix())
	}
	return joinTexts(append(parts, table.Plain(end))...)
}

// parseCaption returns a caption as it was typed. In TeX, the parts between dollar signs are
// formulas; a caption that is not valid TeX is plain text.
func parseCaption(text string) table.Text {
	parts := strings.Split(text, "$")
	if len(parts) == 1 && !strings.Contains(text, `\`) || len(parts)%2 == 0 {
		return table.Plain(text)
	}
	if tex.Check(text) == nil {
		return table.TeX(text)
	}
	src := ""
	for k, part := range parts {
		switch {
		case k%2 == 1:
			src += "$" + part + "$"
		case part != "":
			begin, end := part[:len(part)-len(strings.TrimLeft(part, " "))],
				part[len(strings.TrimRight(part, " ")):]
			src += begin + tex.Escape(part) + end
		}
	}
	if tex.Check(src) != nil {
		return table.Plain(text)
	}
	return table.TeX(src)
}

// showsValue reports whether the cells show a value.
func (g *grid) showsValue(names ...string) bool {
	return slices.ContainsFunc(g.keys[ByValue],
		func(k element) bool { return slices.Contains(names, k.value.name) })
}
