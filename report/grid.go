package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// A Dim is what the rows or the columns of a table go through.
type Dim string

const (
	ByProblem   Dim = "problem"
	ByAlgorithm Dim = "algorithm"
	ByMetric    Dim = "metric"
	ByValue     Dim = "value"
)

// A Grid chooses a table of an analysis.
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

// value is what a cell can show of a metric of a pair.
type value struct {
	name, doc string
	heading   table.Text
	fields    func(name string) []string // the CSV columns
	text      func(a *analysis.Analysis, p *analysis.Pair, m analysis.Metric) table.Text
}

var values = []value{
	{"final", "the mean at the horizon ± the half-width of its interval", table.Plain("final mean"), estimateFields, finalMean},
	{"exponent", "the growth exponent, its interval and the shape of the growth", table.Plain("exponent"),
		func(name string) []string { return growthColumn(table.Text{}, name).CSV },
		func(_ *analysis.Analysis, p *analysis.Pair, m analysis.Metric) table.Text {
			return growth(p.Series[m.Name])
		}},
	{"claim", "the claimed growth", table.Plain("claim"), func(name string) []string { return []string{name, name + "_log"} },
		judged(func(_ *analysis.Pair, j analysis.Judgement) table.Text { return rate(*j.Claim) })},
	{"verdict", "the verdict on the slope: within, above, open or trivial", table.Plain("slope"), func(name string) []string { return []string{name} },
		judged(func(_ *analysis.Pair, j analysis.Judgement) table.Text {
			return table.Text{Plain: string(j.Slope), CSV: []string{string(j.Slope)}}
		})},
	{"p", "the p-value of the claimed growth after Holm's correction", table.Plain("p"), func(name string) []string { return []string{name} },
		judged(func(_ *analysis.Pair, j analysis.Judgement) table.Text {
			text := probability(j.Adjusted)
			text.CSV = []string{table.Value(float64(j.Adjusted))}
			return text
		})},
	{"bound", "what the values say of the bound of the proof", table.Plain("bound"), func(name string) []string {
		return []string{name, name + "_ratio", name + "_lower", name + "_upper", name + "_t", name + "_replicate"}
	}, judged(func(_ *analysis.Pair, j analysis.Judgement) table.Text { return bound(j) })},
}

// Values returns what the cells of a [Grid] can show, and in words what that is.
func Values() (names, docs []string) {
	for _, v := range values {
		names, docs = append(names, v.name), append(docs, v.doc)
	}
	return names, docs
}

// judged returns the text of the judgement of a metric of a pair; it is a dash if the
// algorithm claims nothing about the metric.
func judged(text func(*analysis.Pair, analysis.Judgement) table.Text) func(*analysis.Analysis, *analysis.Pair, analysis.Metric) table.Text {
	return func(_ *analysis.Analysis, p *analysis.Pair, m analysis.Metric) table.Text {
		for _, j := range p.Judgements() {
			if j.Metric == m.Name && j.Claim != nil {
				return text(p, *j)
			}
		}
		return table.Plain("–")
	}
}

// finalMean is the final mean of a metric of a pair, in bold if it is significantly less
// than that of every other algorithm on the problem.
func finalMean(a *analysis.Analysis, p *analysis.Pair, m analysis.Metric) table.Text {
	s := p.Series[m.Name]
	switch s.State {
	case analysis.Measured:
	case analysis.Rounding:
		return partial(table.Text{Plain: "0 (rounding)", TeX: "$0$", Small: []string{"rounding"}, CSV: estimateValues(s.Mean.Last())}, s.Replicates, s.Of)
	case analysis.Empty, analysis.Failed:
		return table.Plain(string(s.State))
	default:
		return table.Plain("–")
	}
	text := partial(plusMinus(s.Mean.Last()), s.Replicates, s.Of)
	text.Bold = a.Leading(p.Algorithm, p.Problem, m.Name)
	return text
}

// A key is an element of a dimension: what a row, a column or a table is about.
type key struct {
	name   table.Text
	spec   string // of a problem or an algorithm
	metric analysis.Metric
	value  value
}

// keys returns the elements of a dimension.
func (g Grid) keys(a *analysis.Analysis, d Dim) (all []key) {
	add := func(e harness.Entrant, some []string, name table.Text) {
		if some == nil || slices.Contains(some, e.Spec) {
			all = append(all, key{name: name, spec: e.Spec})
		}
	}
	switch d {
	case ByProblem:
		for _, p := range a.Problems {
			add(p.Entrant, g.Problems, problemText(p.Entrant))
		}
	case ByAlgorithm:
		for _, e := range a.Algorithms {
			add(e, g.Algorithms, entrantText(e))
		}
	case ByMetric:
		for _, m := range g.Metrics {
			all = append(all, key{name: metricText(a.Metric(m)), metric: a.Metric(m)})
		}
	case ByValue:
		for _, v := range values {
			if slices.Contains(g.Values, v.name) {
				all = append(all, key{name: v.heading, value: v})
			}
		}
	}
	return all
}

// product returns the combinations of the elements of dimensions.
func (g Grid) product(a *analysis.Analysis, dims []Dim) []map[Dim]key {
	all := []map[Dim]key{{}}
	for _, d := range dims {
		var longer []map[Dim]key
		for _, one := range all {
			for _, k := range g.keys(a, d) {
				with := map[Dim]key{d: k}
				for other, v := range one {
					with[other] = v
				}
				longer = append(longer, with)
			}
		}
		all = longer
	}
	return all
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
		panic("paper: " + err.Error())
	}
	var rest []Dim
	for _, d := range []Dim{ByValue, ByMetric, ByProblem, ByAlgorithm} {
		if d != g.Columns && !slices.Contains(g.Rows, d) {
			rest = append(rest, d)
		}
	}
	for _, fixed := range g.product(a, rest) {
		if t := g.table(a, fixed); t.Rows != nil {
			if t.Label = "tab:" + a.Experiment.Name + "-table"; len(tables) > 0 {
				t.Label += fmt.Sprintf("-%d", len(tables)+1)
			}
			tables = append(tables, t)
		}
	}
	return tables
}

// table returns the table in which some dimensions are fixed.
func (g Grid) table(a *analysis.Analysis, fixed map[Dim]key) *table.Table {
	t := &table.Table{Keys: len(g.Rows)}
	for _, d := range g.Rows {
		t.Columns = append(t.Columns, table.Column{Name: table.Plain(string(d)), CSV: []string{string(d)}})
	}
	columns := g.keys(a, g.Columns)
	for _, c := range columns {
		v, name := fixed[ByValue].value, c.spec
		switch g.Columns {
		case ByValue:
			v, name = c.value, c.value.name
		case ByMetric:
			name = string(c.metric.Name)
		}
		t.Columns = append(t.Columns, table.Column{Name: c.name, Align: table.Right, CSV: v.fields(name)})
	}
	w := make(windows)
	bold, shows := false, make(map[string]bool)
	for _, row := range g.product(a, g.Rows) {
		var cells []table.Text
		played := false
		for _, c := range columns {
			at := map[Dim]key{}
			for _, some := range []map[Dim]key{fixed, row, {g.Columns: c}} {
				for d, k := range some {
					at[d] = k
				}
			}
			p := a.Pair(at[ByAlgorithm].spec, at[ByProblem].spec)
			if p == nil {
				cells = append(cells, table.Plain("not played"))
				continue
			}
			played = true
			cell := at[ByValue].value.text(a, p, at[ByMetric].metric)
			if shows[at[ByValue].value.name] = true; at[ByValue].value.name == "exponent" {
				w.see(p.Series[at[ByMetric].metric.Name])
			}
			bold = bold || cell.Bold
			if len(p.Unmet) > 0 && !g.named() {
				cell = starredCell(cell)
			}
			cells = append(cells, cell)
		}
		if !played {
			continue
		}
		var names []table.Text
		for _, d := range g.Rows {
			k := row[d]
			name := k.name
			switch {
			case d == ByMetric:
				name.CSV = []string{string(k.metric.Name)}
			default:
				name.CSV = []string{k.spec}
			}
			if d == ByAlgorithm && g.named() {
				name = starred(a, *a.Pair(row[ByAlgorithm].spec, row[ByProblem].spec))
			}
			names = append(names, name)
		}
		t.Rows = append(t.Rows, append(names, cells...))
	}
	t.Title = g.title(a, fixed, shows)
	t.Notes = g.notes(a, t, w, bold, shows)
	return t
}

// named tells whether a row names a pair.
func (g Grid) named() bool {
	return slices.Contains(g.Rows, ByAlgorithm) && slices.Contains(g.Rows, ByProblem)
}

// title says what a table shows, and of what.
func (g Grid) title(a *analysis.Analysis, fixed map[Dim]key, shows map[string]bool) table.Text {
	var parts []table.Text
	var names []string
	for _, v := range values {
		if shows[v.name] {
			names = append(names, v.heading.Plain)
		}
	}
	what := strings.Join(names, ", ")
	if what != "" {
		what = strings.ToUpper(what[:1]) + what[1:]
	}
	if shows["final"] {
		what += fmt.Sprintf(" at T = %d", a.Experiment.Last())
	}
	parts = append(parts, table.Plain(what))
	for _, d := range []Dim{ByMetric, ByAlgorithm, ByProblem} {
		if k, ok := fixed[d]; ok {
			parts = append(parts, table.Plain(map[Dim]string{ByMetric: " of the ", ByAlgorithm: " of ", ByProblem: " on "}[d]), k.name)
		}
	}
	return join(append(parts, table.Plain(", experiment "+a.Experiment.Name))...)
}

// notes explain the cells.
func (g Grid) notes(a *analysis.Analysis, t *table.Table, w windows, bold bool, shows map[string]bool) (notes []table.Text) {
	if shows["final"] {
		notes = append(notes, table.Plain(fmt.Sprintf("Mean at T = %d ± the half-width of its %g %% interval over %s.", a.Experiment.Last(), 100*a.Experiment.Confidence, Replicates(a))))
	}
	if bold {
		notes = append(notes, boldNote(a))
	}
	if shows["verdict"] || shows["p"] || shows["claim"] || shows["bound"] {
		notes = append(notes, table.Plain("–: the algorithm claims nothing about the metric."))
	}
	return append(append(notes, w.notes(a, t)...), pairNotes(a)...)
}

// boldNote explains bold numbers, which only LaTeX has.
func boldNote(a *analysis.Analysis) table.Text {
	return table.Text{TeX: fmt.Sprintf(`Bold: significantly less than every other algorithm on the same rounds (paired tests, $p \le %.3g$ after Holm's correction over the others).`, 1-a.Experiment.Confidence)}
}

// join returns texts one after another.
func join(texts ...table.Text) (out table.Text) {
	for _, t := range texts {
		tex := t.TeX
		if tex == "" {
			begin, end := t.Plain[:len(t.Plain)-len(strings.TrimLeft(t.Plain, " "))], t.Plain[len(strings.TrimRight(t.Plain, " ")):]
			tex = begin + table.Prose(t.Plain) + end
		}
		out.Plain += t.Plain
		out.TeX += tex
	}
	return out
}
