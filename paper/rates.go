package paper

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/paper/table"
	"ocobench/stats"
)

// Rates returns the table that compares measured exponents with claimed ones. For
// every algorithm on every problem it has the regret and the violation, each with
// the measured and the claimed exponent and the verdict, and then the other notions
// of violation. It returns nil if no algorithm has a claim.
func Rates(a *analysis.Analysis) *table.Table {
	t := &table.Table{
		Title:   table.Plain(fmt.Sprintf("Measured and claimed growth exponents, experiment %s", a.Experiment.Name)),
		Label:   "tab:" + a.Experiment.Name + "-rates",
		Columns: pairColumns(),
		Keys:    2,
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
		row := named(p)
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
	t.Notes = append(w.notes(a, t),
		table.Plain(fmt.Sprintf("supported: the upper end of the interval is at most the claim plus %g; refuted: the lower end is above that; a log factor of the claim adds its slope in the window to the claim; a mean that is negative throughout supports any claim; paths above: the share of the replicates whose own exponent is above the same limit.", stats.DefaultTolerance)))
	for _, m := range a.Metrics {
		for _, by := range a.Metrics {
			if standIns[[2]algorithms.Metric{m.Name, by.Name}] {
				t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("The verdicts on claims about %s use %s where the former is not measured.", m.Title, by.Title)))
			}
		}
	}
	t.Notes = append(t.Notes, pairNotes(a)...)
	return t
}

// verdict returns the verdict on a claim. If the mean supports the claim and some
// replicates do not, it has their share.
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
