package paper

import (
	"fmt"
	"math"

	"ocobench/harness"
	"ocobench/harness/attack"
	"ocobench/paper/table"
)

// Finding returns the table of what a search has found: its score on the rounds of the
// search, on fresh ones, and to ten times the horizon.
func Finding(f *attack.Finding) *table.Table {
	goal := map[attack.Goal]string{
		attack.Value: "value", attack.Bound: "value / bound", attack.Growth: "exponent", attack.Lead: "lead",
	}[f.Goal]
	number := func(v float64) table.Text {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return table.Plain("none")
		}
		return table.Plain(fmt.Sprintf("%.4g", v))
	}
	out := &table.Table{
		Title: table.Plain(fmt.Sprintf("The largest %s of %s found for %s at T = %d", goal, f.Metric, f.Algorithm.Name, f.Horizon)),
		Label: "tab:attack",
		Columns: []table.Column{
			{Name: table.Plain("played")}, {Name: table.Plain("T"), Align: table.Right}, {Name: table.Plain(goal), Align: table.Right},
			{Name: table.Plain(string(f.Metric)), Align: table.Right},
		},
		Rows: [][]table.Text{
			{table.Plain("in the search"), table.Plain(fmt.Sprint(f.Horizon)), number(f.Instance.Score), table.Plain("")},
			{table.Plain("again, on a fresh seed"), table.Plain(fmt.Sprint(f.Fresh.Horizon)), number(f.Fresh.Score), number(f.Fresh.Value)},
			{table.Plain("to ten times the horizon"), table.Plain(fmt.Sprint(f.Long.Horizon)), number(f.Long.Score), number(f.Long.Value)},
		},
	}
	p := harness.Provenance()
	family := f.Instance.Family
	if family != "" {
		family = ": " + family
	}
	growth := fmt.Sprintf("The metric grows like T^%.2f from T to ten times T.", f.Exponent)
	if math.IsNaN(f.Exponent) || math.IsInf(f.Exponent, 0) {
		growth = "The metric is not positive at T and at ten times T: it has no exponent."
	}
	out.Notes = []table.Text{
		table.Plain(fmt.Sprintf("The worst found with %d instances and seed %d, which is not the worst there is%s.", f.Evaluations, f.Question.Seed, family)),
		table.Plain(growth),
		table.Plain(fmt.Sprintf("Fresh seed %d; ocobench %s, %s, %s.", f.Fresh.Seed, p.Version, p.Go, p.GOARCH)),
	}
	return out
}
