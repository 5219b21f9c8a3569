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

// A PivotTable chooses tables of an analysis.
type PivotTable struct {
	// Rows are the dimensions that name a row, the outer ones first, and Columns is the dimension
	// whose members are the columns. A dimension in neither makes one table for each of its members;
	// the horizon is then the last one.
	Rows    []Dimension
	Columns Dimension

	Problems   []string // SPECs; nil stands for all
	Algorithms []string // the same
	// Metrics are the members of [ByMetric]. Nil stands for those that the experiment names in place
	// of the usual ones or, if it names none, the regrets of the focus, and the soft and the penalty
	// violation.
	Metrics []algorithms.Metric
	Values  []string // names of [CellValues], at least one

	// Caption is the title, with formulas in TeX between dollar signs; if it is empty, the title says
	// what the table shows. With several tables, each title ends with the members that are fixed in
	// its table. Label is the label of LaTeX ([IsLabel]); if it is empty, it is made of the choices.
	// From the second table on it ends with the number of the table.
	Caption string
	Label   string
}

// Check returns an error unless the dimensions make a table.
func (g PivotTable) Check() error {
	named := []Dimension{ByProblem, ByAlgorithm, ByMetric, ByHorizon}
	if len(g.Rows) == 0 {
		return fmt.Errorf("no rows (expected some of %s)", joinDimensions(named))
	}
	for k, d := range g.Rows {
		switch {
		case !slices.Contains(named, d):
			return fmt.Errorf("rows by %s (expected some of %s)", d, joinDimensions(named))
		case d == g.Columns || slices.Contains(g.Rows[:k], d):
			return fmt.Errorf("%s twice among rows and columns", d)
		}
	}
	if all := append(named, ByValue); !slices.Contains(all, g.Columns) {
		return fmt.Errorf("columns by %s (expected one of %s)", g.Columns, joinDimensions(all))
	}
	if g.byHorizon() && !slices.Equal(g.Values, []string{"final"}) {
		return fmt.Errorf("horizon with the value %s (expected final alone: the others are of all "+
			"horizons)", strings.Join(g.Values, ", "))
	}
	return nil
}

// joinDimensions lists dimensions.
func joinDimensions(all []Dimension) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", ", "), "[]")
}

// byHorizon reports whether the rows or the columns go through the horizons.
func (g PivotTable) byHorizon() bool {
	return g.Columns == ByHorizon || slices.Contains(g.Rows, ByHorizon)
}

// IsLabel reports whether a text can be a label of LaTeX: letters, digits and the signs : . / + -
func IsLabel(text string) bool { return text != "" && LabelOf(text) == text }

// LabelOf returns a text as a label of LaTeX, with a hyphen for each character that a label cannot
// have.
func LabelOf(text string) string { return notInLabels.ReplaceAllString(text, "-") }

// notInLabels matches a character that a label cannot have.
var notInLabels = regexp.MustCompile(`[^A-Za-z0-9:./+-]`)

// Tables returns the chosen tables: one, or one for each combination of members of the dimensions
// that are neither in the rows nor in the columns. Rows in which no pair was played are left out.
// It panics if [PivotTable.Check] returns an error.
func (g PivotTable) Tables(a *analysis.Analysis) (tables []*table.Table) {
	if err := g.Check(); err != nil {
		panic("report: " + err.Error())
	}
	v := newAnalysisView(a)
	withSpecs := func(all []member, specs []string) []member { // nil stands for all
		return slices.DeleteFunc(slices.Clone(all),
			func(k member) bool { return specs != nil && !slices.Contains(specs, k.spec) })
	}
	shown := slices.DeleteFunc(slices.Clone(cellValues),
		func(v cellValue) bool { return !slices.Contains(g.Values, v.name) })
	members := map[Dimension][]member{
		ByProblem:   withSpecs(v.problemMembers, g.Problems),
		ByAlgorithm: withSpecs(v.algorithmMembers, g.Algorithms),
		ByMetric:    metricMembers(v.metricsNamed(g.chosenMetrics(v)), metricText),
		ByValue:     valueMembers(shown...),
	}
	if g.byHorizon() {
		members[ByHorizon] = v.horizonMembers()
	}
	s := v.sweepOf(g.Columns, members[g.Columns])
	if s != nil {
		members[g.Columns] = s.columnMembers()
	}
	label := cmp.Or(g.Label, g.texLabel(v))
	var fixed []Dimension
	for _, d := range []Dimension{ByValue, ByMetric, ByProblem, ByAlgorithm} {
		if d != g.Columns && !slices.Contains(g.Rows, d) {
			fixed = append(fixed, d)
		}
	}
	// With the fixed dimensions as rows, one row is one table.
	all := &tableBuilder{view: v, rows: fixed, members: members}
	combinations := all.rowCoordinates(coordinates{})
	for _, at := range combinations {
		one := &tableBuilder{view: v, rows: g.Rows, columns: g.Columns, members: maps.Clone(members)}
		for d, k := range at {
			one.members[d] = []member{k}
		}
		t := one.build()
		if t.Rows == nil {
			continue
		}
		t.Title, t.Notes = one.pivotTitle(at, s, g.Caption, len(combinations) > 1), one.pivotNotes(t)
		if t.Label = label; len(tables) > 0 {
			t.Label += fmt.Sprintf("-%d", len(tables)+1)
		}
		tables = append(tables, t)
	}
	return tables
}

// chosenMetrics returns the metrics of the tables, also where [PivotTable.Metrics] is nil.
func (g PivotTable) chosenMetrics(v *analysisView) []algorithms.Metric {
	if g.Metrics != nil {
		return g.Metrics
	}
	if experiment.Overrides(v.Experiment.Metrics) {
		var all []algorithms.Metric
		for _, m := range v.metrics {
			all = append(all, m.Name)
		}
		return all
	}
	return append(v.Focus.Regrets(), algorithms.SoftViolation, algorithms.PenaltyViolation)
}

// texLabel returns the TeX label of the tables, which names all choices, so that different tables
// have different labels.
func (g PivotTable) texLabel(v *analysisView) string {
	parts := []string{"tab:" + v.Experiment.Name, strings.Join(g.Values, "-")}
	for _, m := range g.chosenMetrics(v) {
		parts = append(parts, cmp.Or(shortMetric(m), string(m)))
	}
	unlessAll := func(specs []string, all int) []string {
		if len(specs) == all {
			return nil
		}
		return specs
	}
	if rest := fmt.Sprint(g.Rows, g.Columns, unlessAll(g.Problems, len(v.problems)),
		unlessAll(g.Algorithms, len(v.Algorithms))); rest != fmt.Sprint(
		[]Dimension{ByProblem, ByAlgorithm}, ByMetric, []string(nil), []string(nil)) {
		parts = append(parts, fmt.Sprintf("%.2x", sha256.Sum256([]byte(rest))))
	}
	return strings.ReplaceAll(strings.Join(parts, "-"), "_", "-")
}

// pivotTitle returns the title of a table, which says what it shows and names the fixed members and
// the sweep of the columns, if there is one. A caption replaces the whole title or, if there are
// several tables, the part before the members.
func (b *tableBuilder) pivotTitle(fixed coordinates, s *sweep, caption string,
	several bool) table.Text {
	var names []string
	for _, k := range b.members[ByValue] {
		names = append(names, k.value.heading.Plain)
	}
	what := strings.Join(names, ", ")
	what = strings.ToUpper(what[:1]) + what[1:]
	switch {
	case b.members[ByHorizon] != nil:
		what += " across T"
	case b.showsValue("final"):
		what += fmt.Sprintf(" at T = %d", b.view.Experiment.Last())
	}
	parts := []table.Text{titleText("%s", what)}
	if caption != "" {
		parts = []table.Text{ParseCaption(caption)}
		if !several {
			return parts[0]
		}
	}
	for _, d := range []Dimension{ByMetric, ByAlgorithm, ByProblem} {
		if k, ok := fixed[d]; ok {
			if d == ByProblem {
				k.name = textInSentence(b.view.Entry(k.spec))
			}
			parts = append(parts, table.Plain(map[Dimension]string{
				ByMetric: " of the ", ByAlgorithm: " of ", ByProblem: " on ",
			}[d]), k.name)
		}
	}
	if caption != "" {
		return joinTexts(parts...)
	}
	if s != nil {
		parts = append(parts, s.titleSuffix())
	}
	return b.view.withExperiment(joinTexts(parts...))
}

// ParseCaption returns a caption as it was typed. In TeX, the parts between dollar signs are
// formulas; a caption that is not valid TeX is plain text.
func ParseCaption(text string) table.Text {
	parts := strings.Split(text, "$")
	hasTeX := len(parts) > 1 || strings.Contains(text, `\`)
	if dollars := len(parts) - 1; !hasTeX || dollars%2 == 1 {
		return table.Plain(text)
	}
	if tex.Check(text) == nil {
		return table.TeX(text)
	}
	// The text between formulas may have a character that TeX would read as syntax, such as %.
	src := ""
	for k, part := range parts {
		if isFormula := k%2 == 1; isFormula {
			src += "$" + part + "$"
		} else {
			src += tex.BetweenBlanks(part, tex.Escape)
		}
	}
	if tex.Check(src) != nil {
		return table.Plain(text)
	}
	return table.TeX(src)
}

// showsValue reports whether the cells show one of the values with these names.
func (b *tableBuilder) showsValue(names ...string) bool {
	return slices.ContainsFunc(b.members[ByValue],
		func(k member) bool { return slices.Contains(names, k.value.name) })
}
