package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/table"
	"ocobench/stats"
)

// What a run prints. The answer comes first: who keeps both regret and violation at √t, on which
// problems. Then come the values. A few algorithms have a table of blocks, one for the answer and
// one for each metric. Its columns are the values of the parameter where all problems are of one
// sweep, and the algorithms elsewhere. Many algorithms have a line each in a ranking
// (ranking.go), and another in a table of means. On a single problem every algorithm has one line
// with all. What does not fit the width is rounded. Claims,
// exponents and all intervals are in the files of tables.

// First returns the tables of an experiment for a terminal. An experiment that shows comparator
// sets has none.
func First(a *analysis.Analysis) []*table.Table { return subjectOf(a).first() }

// first returns the tables of [First].
func (x *subject) first() []*table.Table {
	switch {
	case x.outlines != nil || len(x.Pairs) == 0:
		return nil
	case len(x.problems) == 1:
		return []*table.Table{x.withGlanceNotes(x.glanceOfOne(), "beside")}
	case len(x.Algorithms) > maxLines:
		return []*table.Table{x.ranking(x.Experiment.Baseline), x.endings()}
	}
	return []*table.Table{x.withGlanceNotes(x.glanceOfAll(), "below")}
}

// A panel is what a block of the first tables shows of a pair.
type panel struct {
	name string
	cell func(*analysis.Pair) table.Text
}

// panels are the metrics of the first tables: those of the views, then those that were asked
// for. The function makes a cell of a metric of a pair.
func (x *subject) panels(
	cell func(*analysis.Pair, analysis.Metric) table.Text) (all []panel) {
	regrets := x.Focus.Regrets()
	name := x.Metric(regrets[0]).Title
	if len(regrets) > 1 {
		name = "regret"
	}
	all = append(all,
		panel{name, func(p *analysis.Pair) table.Text {
			return cell(p, x.Metric(x.Focus.On(p.Problem).Regret))
		}},
		panel{x.Metric(x.Focus.Violation).Title, func(p *analysis.Pair) table.Text {
			return cell(p, x.Metric(x.Focus.On(p.Problem).Violation))
		}})
	for _, name := range x.Experiment.Metrics {
		if m := x.Metric(algorithms.Metric(name)); !x.Focus.Has(m.Name) {
			all = append(all, panel{m.Title,
				func(p *analysis.Pair) table.Text { return cell(p, m) }})
		}
	}
	return all
}

// withGlanceNotes adds the notes to a table of the means in which the exponent stands below a mean
// or beside it.
func (x *subject) withGlanceNotes(t *table.Table, where string) *table.Table {
	for _, text := range x.Focus.Notes {
		t.Notes = append(t.Notes, table.Plain(text))
	}
	t.Notes = append(t.Notes, x.absentNotes()...)
	t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("%s; each: regret and violation. Cell: %s, and "+
		"%s it the exponent of its largest value so far at the end of the window%s, which is judged "+
		"(≤ 0: never positive).", stats.Legend("√t", 0.5), x.meanWords(), where, x.window())))
	if text := NoVerdict(x.Analysis); text != "" {
		t.Notes = append(t.Notes, table.Plain("–: "+text))
	}
	t.Notes = append(t.Notes, x.excluded()...)
	if _, more := x.listed(x.problems); more != "" {
		t.Notes = append(t.Notes, table.Plain(strings.TrimSpace(more)))
	}
	t.Notes = slices.Concat(t.Notes, x.against(), x.brokenNotes(), x.marks, []table.Text{x.provenance})
	return t
}

// excluded is the note on what the games do not show, where somebody keeps both at √t in them.
func (x *subject) excluded() []table.Text {
	text := Excluded(x.Analysis)
	if text == "" || !slices.ContainsFunc(x.Pairs,
		func(p analysis.Pair) bool { return p.Keeps() && !p.Deterministic }) {
		return nil
	}
	return []table.Text{table.Plain(text)}
}

// maxShown is how many problems are in the tables that a run prints.
const maxShown = 12

// listed returns the problems that the tables of a run show, and a sentence on the others.
func (x *subject) listed(problems []experiment.Entry) (shown []experiment.Entry, more string) {
	if len(problems) <= maxShown {
		return problems, ""
	}
	return problems[:maxShown], fmt.Sprintf(" And %d more problems, which the files of tables have.",
		len(problems)-maxShown)
}

// glanceOfOne returns the table of a single problem without notes: a line for each algorithm, in
// the order of the ranking.
func (x *subject) glanceOfOne() *table.Table {
	t := &table.Table{Label: "tab:" + x.Experiment.Name + "-glance", Title: table.Plain(fmt.Sprintf(
		"Who keeps both regret and violation at √t on %s? T = %d, experiment %s", x.problems[0].Title(),
		x.Experiment.Last(), x.Experiment.Name))}
	pair := func(e experiment.Entry) *analysis.Pair {
		return x.pairs[pairID{e.Spec, x.problems[0].Spec}]
	}
	columns := []column[experiment.Entry]{
		{table.Column{Name: table.Plain("algorithm")},
			func(e experiment.Entry) table.Text { return starred(table.Plain(e.Title()), pair(e)) }},
		{table.Column{Name: table.Plain("both")},
			func(e experiment.Entry) table.Text { return x.bothAtRoot(pair(e)) }}}
	means := x.panels(func(p *analysis.Pair, m analysis.Metric) table.Text {
		return finalMean(x, p, m)
	})
	growths := x.panels(func(p *analysis.Pair, m analysis.Metric) table.Text {
		return table.Plain(growthSign(p, m))
	})
	ranked := x.ranked()
	for k, of := range means {
		columns = append(columns, column[experiment.Entry]{
			table.Column{Name: table.Plain(of.name), Align: table.Right},
			func(e experiment.Entry) table.Text {
				text := of.cell(pair(e))
				text.CSV = nil
				return text
			}})
		growth := func(e experiment.Entry) table.Text { return growths[k].cell(pair(e)) }
		if slices.ContainsFunc(ranked,
			func(e experiment.Entry) bool { return growth(e).Plain != "" }) {
			columns = append(columns,
				column[experiment.Entry]{table.Column{Align: table.Right}, growth})
		}
	}
	t.Columns, t.Rows = rows(columns, ranked)
	return t
}

// growthSign returns what a cell says of growth: nothing for a metric without a verdict.
func growthSign(p *analysis.Pair, m analysis.Metric) string {
	s := p.Series[m.Name]
	if !s.Known() || s.SqrtVerdict == "" || m.OfRounds {
		return ""
	}
	return shortExponent(s)
}

// glanceOfAll returns the table of a few algorithms on several problems without notes.
func (x *subject) glanceOfAll() *table.Table {
	s := x.sweepOfAll()
	played := x.played()
	rowsOf, columnsOf, heading := x.problems, played, "problem"
	rowsOf, _ = x.listed(rowsOf)
	title := fmt.Sprintf("Who keeps both regret and violation at √t? T = %d, experiment %s",
		x.Experiment.Last(), x.Experiment.Name)
	if s != nil {
		columnsOf, _ = x.listed(s.columns)
		rowsOf, heading = played, "algorithm"
		title += fmt.Sprintf(", by %s of %s", s.param, without(s.columns[0], s.param).Title())
	}
	t := &table.Table{Title: table.Plain(title), Label: "tab:" + x.Experiment.Name + "-glance"}
	cell := func(p *analysis.Pair, m analysis.Metric) table.Text {
		text := finalMean(x, p, m)
		if sign := growthSign(p, m); sign != "" {
			below := table.Plain(sign)
			text.Below = &below
		}
		return text
	}
	all := append([]panel{{"both", x.bothAtRoot}}, x.panels(cell)...)
	for _, of := range all {
		columns := []column[experiment.Entry]{{table.Column{Name: table.Plain(heading)},
			func(row experiment.Entry) table.Text { return table.Plain(row.Title()) }}}
		for k, c := range columnsOf {
			name := brokenSpec(c.Title())
			if s != nil {
				name = table.Plain(s.heading(k))
			}
			columns = append(columns, column[experiment.Entry]{
				table.Column{Name: name, Align: table.Right},
				func(row experiment.Entry) table.Text {
					id := pairID{c.Spec, row.Spec}
					if s != nil {
						id = pairID{row.Spec, c.Spec}
					}
					p := x.pairs[id]
					if p == nil {
						return table.Plain(notPlayed)
					}
					text := starred(of.cell(p), p)
					text.CSV = nil
					return text
				}})
		}
		b := table.Block{Name: table.Plain(of.name)}
		t.Columns, b.Rows = rows(columns, rowsOf)
		t.Blocks = append(t.Blocks, b)
	}
	return t
}

// sweepOfAll returns the sweep of a parameter that all problems are of, or nil.
func (x *subject) sweepOfAll() *sweep {
	if len(x.sweeps) == 1 && x.sweeps[0].ofProblem && len(x.rest) == 0 {
		return x.sweeps[0]
	}
	return nil
}

// bothAtRoot says whether a pair keeps both regret and violation at √t, and if it is not shown
// to, by which of the two.
func (x *subject) bothAtRoot(p *analysis.Pair) table.Text {
	if p == nil {
		return table.Plain(notPlayed)
	}
	sign := p.SqrtVerdict.Sign()
	if p.SqrtVerdict == "" || p.SqrtVerdict == stats.TooLittle {
		return table.Plain("–")
	}
	if p.Keeps() {
		return partial(table.Plain(sign+" both"), p.Played, p.Replicates)
	}
	v := x.Focus.On(p.Problem)
	var by []string
	for k, m := range []algorithms.Metric{v.Regret, v.Violation} {
		if p.Series[m].SqrtVerdict == p.SqrtVerdict {
			by = append(by, []string{"regret", "violation"}[k])
		}
	}
	if len(by) == 2 {
		by = []string{"each"}
	}
	return partial(table.Plain(sign+" "+strings.Join(by, "")), p.Played, p.Replicates)
}

// window names the window of the exponents of the views, if it is one.
func (x *subject) window() string {
	var all []string
	for _, p := range x.Pairs {
		v := x.Focus.On(p.Problem)
		for _, m := range []algorithms.Metric{v.Regret, v.Violation} {
			if s := p.Series[m]; s != nil && s.Fit != nil && s.Fit.Points > 0 {
				text := fmt.Sprintf(" [%g, %g]", judgedFrom(s.Fit), s.Fit.To)
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
		}
	}
	if len(all) != 1 {
		return ""
	}
	return all[0]
}

// against says by the metrics of the views for which values of a swept parameter an algorithm
// has less than the baseline on the same rounds.
func (x *subject) against() (notes []table.Text) {
	s := x.sweepOfAll()
	if s == nil || len(x.Comparisons.Rows) == 0 || len(x.Focus.Regrets()) > 1 {
		return nil
	}
	for _, m := range []algorithms.Metric{x.Focus.Regret, x.Focus.Violation} {
		if !slices.Contains(x.Comparisons.Metrics, m) {
			continue
		}
		parts := s.rivals(x, x.Metric(m), x.Title, strings.Clone)
		if parts == nil {
			continue
		}
		notes = append(notes, table.Plain(about(x.Metric(m), "").Plain+"against "+x.Title(x.Experiment.Baseline)+
			" on the same rounds: "+strings.Join(parts, "; ")+"."))
	}
	return notes
}
