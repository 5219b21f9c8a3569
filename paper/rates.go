package paper

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/paper/table"
	"ocobench/stats"
)

// Rates is the table that holds measured exponents to claimed ones: for every
// pair its regret and its violation, each with the claimed exponent and what
// the measurement says of it, and then the other notions of violation. It is
// nil for an experiment whose algorithms claim nothing.
func Rates(a *analysis.Analysis) *table.Table {
	t := &table.Table{
		Title:   table.Plain(fmt.Sprintf("Measured and claimed growth exponents, experiment %s", a.Experiment.Name)),
		Label:   "tab:" + a.Experiment.Name + "-rates",
		Columns: []table.Column{{Name: table.Plain("problem")}, {Name: table.Plain("algorithm")}},
	}
	for _, kind := range []string{"regret", "violation"} {
		t.Columns = append(t.Columns,
			table.Column{Name: table.Plain(kind)},
			growthColumn(table.Plain("measured"), kind+"_exponent"),
			table.Column{Name: table.Plain("claim"), Align: table.Right, CSV: []string{kind + "_claim", kind + "_claim_log"}},
			table.Column{Name: table.Plain("verdict"), CSV: []string{kind + "_verdict", kind + "_above"}})
	}
	_, metrics := shown(a)
	notions := metrics[:0:0]
	for _, m := range metrics {
		if m.Set == "" {
			notions = append(notions, m)
			t.Columns = append(t.Columns, growthColumn(table.Plain(short(m.Name)), short(m.Name)))
		}
	}
	claimed, standIns := false, make(map[[2]algorithms.Metric]bool)
	w := make(windows)
	for _, p := range a.Pairs {
		row := table.Plains(p.Problem, starred(p))
		for _, j := range []analysis.Judgement{p.Regret, p.Violation} {
			of := short(j.Metric)
			if m := a.Metric(j.Metric); m.Set != "" {
				of = "vs " + of
			}
			row = append(row, table.Plain(of), growth(w.see(p.Series[j.Metric])))
			if j.Claim == nil {
				row = append(row, table.Plain("–"), table.Plain("–"))
				continue
			}
			claimed = true
			row = append(row, rate(*j.Claim), verdict(j))
			if j.Claim.Metric != j.Metric {
				standIns[[2]algorithms.Metric{j.Claim.Metric, j.Metric}] = true
			}
		}
		for _, m := range notions {
			row = append(row, growth(p.Series[m.Name]))
		}
		t.Rows = append(t.Rows, row)
	}
	if !claimed {
		return nil
	}
	t.Notes = append(w.notes(a),
		table.Plain(fmt.Sprintf("supported: the upper end of the interval is at most the claim plus %g; refuted: the lower end is above that; a log factor of the claim counts with its slope in the window; a mean that is negative throughout supports any claim; paths above: replicates whose own exponent is beyond it.", stats.DefaultTolerance)))
	for _, m := range a.Metrics {
		for _, by := range a.Metrics {
			if standIns[[2]algorithms.Metric{m.Name, by.Name}] {
				t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("Claims about %s are judged by %s where the former is not measured.", m.Title, by.Title)))
			}
		}
	}
	t.Notes = append(t.Notes, unmetNotes(a)...)
	return t
}

// verdict says what a measurement says of a claim. A mean may keep one that
// some of the paths do not.
func verdict(j analysis.Judgement) table.Text {
	if j.Verdict == "" {
		return table.Plain("–")
	}
	text := table.Plain(string(j.Verdict))
	if j.Verdict == stats.Supported && j.Above > 0 {
		text.Plain = fmt.Sprintf("%s; %.0f %% of paths above", j.Verdict, 100*j.Above)
	}
	text.CSV = []string{string(j.Verdict), table.Value(j.Above)}
	return text
}
