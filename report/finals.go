package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// Finals returns the tables that a run prints. Their cells have the final mean of a
// metric with its interval, and below it the growth exponent.
//
// If the experiment sweeps a parameter of a problem, there is a table of the sweep. A
// block is a metric, with the algorithms as rows and the values of the parameter as
// columns, and a note for each metric says in words what the sweep shows. If it sweeps a
// parameter of an algorithm and none of a problem, the problems are the rows. In the
// table of what is not swept a block is a problem, with the algorithms as rows and the
// metrics as columns.
//
// LaTeX has the exponents in tables of their own, and the words in none. The last table
// explains the cells.
func Finals(a *analysis.Analysis, metrics []analysis.Metric) (tables []*table.Table) {
	w := make(windows)
	sweeps, problems, algorithms := sweepsOf(a)
	for _, s := range sweeps {
		tables = append(tables, s.table(a, metrics, w))
	}
	if t := unswept(a, problems, algorithms, metrics, w); t.Blocks != nil {
		tables = append(tables, t)
	}
	for k, t := range tables {
		t.Label = "tab:" + a.Experiment.Name + "-finals"
		if k > 0 {
			t.Label += fmt.Sprintf("-%d", k+1)
		}
	}
	last := tables[len(tables)-1]
	if sweeps != nil && a.Comparison != nil {
		last.Notes = append(last.Notes, aside(fmt.Sprintf("lower, higher: on the same rounds, p < %g for pairs of replicates after Holm's correction.",
			math.Round(1e9*(1-a.Experiment.Confidence))/1e9)))
	}
	cell := fmt.Sprintf("the mean at T = %d ± the half-width of its %g %% interval", a.Experiment.Last(), 100*a.Experiment.Confidence)
	last.Notes = append(last.Notes, aside("Cell: "+cell+"; below it the growth exponent."),
		table.Text{TeX: table.EscapeTeX(fmt.Sprintf("Cell: %s over %s.", cell, Replicates(a)))})
	if a.Comparison != nil {
		last.Notes = append(last.Notes, boldNote(a))
	}
	for _, note := range w.notes(a, tables...) {
		note.Aside = note.Plain != provenance(a).Plain
		last.Notes = append(last.Notes, note)
	}
	last.Notes = append(last.Notes, marks(a)...)
	return tables
}

// aside returns a note that LaTeX leaves out.
func aside(s string) table.Text { return table.Text{Plain: s, Aside: true} }

// unswept returns the table with a block for each problem.
func unswept(a *analysis.Analysis, problems, algorithms []harness.Entrant, metrics []analysis.Metric, w windows) *table.Table {
	t := &table.Table{
		Title:   table.Plain(fmt.Sprintf("Regret and violation at T = %d, experiment %s", a.Experiment.Last(), a.Experiment.Name)),
		Columns: []table.Column{{Name: table.Plain("algorithm")}},
	}
	for _, m := range metrics {
		t.Columns = append(t.Columns, table.Column{Name: metricText(m), Align: table.Right})
	}
	for _, problem := range problems {
		b := table.Block{Name: problemText(problem)}
		for _, e := range algorithms {
			p := a.Pair(e.Spec, problem.Spec)
			if p == nil {
				continue
			}
			name := starred(a, *p)
			name.CSV = nil
			row := []table.Text{name}
			for _, m := range metrics {
				row = append(row, finalCell(a, p, m, w))
			}
			b.Rows = append(b.Rows, row)
		}
		if b.Rows != nil {
			t.Blocks = append(t.Blocks, b)
		}
	}
	return t
}

// glance returns the metrics of [Finals] if none are chosen: the regret that every
// experiment shows, the soft violation, the violation that the first algorithm is
// judged by, and what the experiment asks for.
func glance(a *analysis.Analysis) (metrics []analysis.Metric) {
	_, fitted := shown(a)
	for _, m := range fitted {
		judged := func(p analysis.Pair) bool {
			return p.Algorithm == a.Algorithms[0].Spec && p.Violation.Metric == m.Name
		}
		if m.Regret() || m.OfRounds || m.Name == algorithms.SoftViolation || slices.ContainsFunc(a.Pairs, judged) {
			metrics = append(metrics, m)
		}
	}
	return metrics
}

// finalCell returns the cell of a metric of a pair.
func finalCell(a *analysis.Analysis, p *analysis.Pair, m analysis.Metric, w windows) table.Text {
	s := w.see(p.Series[m.Name])
	cell := finalMean(a, p, m)
	if cell.CSV = nil; s.State != analysis.Measured || !m.Fitted {
		return cell
	}
	exponent := growth(s)
	exponent.CSV = nil
	if strings.IndexAny(exponent.Plain, "-0123456789") == 0 {
		exponent.Plain = "t^" + exponent.Plain
	}
	cell.Below = &exponent
	return cell
}

// finalValues returns the table of the final means and the exponents in which a row is
// a metric of a pair, which CSV has in place of those of [Finals].
func finalValues(a *analysis.Analysis, metrics []analysis.Metric) *table.Table {
	t := &table.Table{Columns: append(pairColumns(),
		table.Column{Name: table.Plain("metric")},
		table.Column{Name: table.Plain("t")},
		table.Column{Name: table.Plain("mean"), CSV: estimateFields("mean")},
		growthColumn(table.Plain("exponent"), "exponent"),
	)}
	for _, p := range a.Pairs {
		for _, m := range metrics {
			if !m.Fitted {
				continue
			}
			s := p.Series[m.Name]
			row := append(named(a, p), table.Plain(string(m.Name)), table.Plain(fmt.Sprint(a.Experiment.Last())))
			mean := table.Plain("–")
			if s.Known() {
				mean = plusMinus(s.Mean.Last())
			}
			t.Rows = append(t.Rows, append(row, mean, growth(s)))
		}
	}
	return t
}
