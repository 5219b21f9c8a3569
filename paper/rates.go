package paper

import (
	"fmt"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/paper/table"
	"ocobench/stats"
)

// Rates is the table that holds measured exponents to claimed ones: for every
// pair the regret against the algorithm's own comparator and the violation of
// the algorithm's own notion, each with the claimed exponent and what the
// measurement says of it, and then the other notions of violation. It is nil
// for an experiment whose algorithms claim nothing.
func Rates(r *harness.Results) (*table.Table, error) {
	t := &table.Table{
		Title: table.Plain(fmt.Sprintf("Measured and claimed growth exponents, experiment %s", r.Name)),
		Label: "tab:" + r.Name + "-rates",
		Columns: []table.Column{
			{Name: table.Plain("problem")}, {Name: table.Plain("algorithm")},
			{Name: table.Plain("regret")}, {Name: table.Plain("measured"), Align: table.Right}, {Name: table.Plain("claim"), Align: table.Right}, {Name: table.Plain("verdict")},
			{Name: table.Plain("violation")}, {Name: table.Plain("measured"), Align: table.Right}, {Name: table.Plain("claim"), Align: table.Right}, {Name: table.Plain("verdict")},
		},
	}
	notions := []algorithms.Metric{algorithms.SoftViolation, algorithms.HardViolation, algorithms.PenaltyViolation}
	for _, v := range notions {
		t.Columns = append(t.Columns, table.Column{Name: table.Plain(strings.TrimPrefix(string(v), "violation_")), Align: table.Right})
	}
	claimed, standIn := false, false
	designs := make(map[stats.Design]stats.Window)
	err := pairs(r, func(a harness.Entrant, problem, name string) error {
		row := table.Plains(problem, name)
		regret, violation := r.Regret(a, problem), algorithms.Metric("violation_none")
		if claim, ok := algorithms.Claimed(a.Claims, algorithms.Regrets); ok {
			standIn = standIn || claim.Metric != regret
		}
		if claim, ok := algorithms.Claimed(a.Claims, algorithms.Violations); ok {
			violation = claim.Metric
		}
		for _, c := range []struct {
			kind       []algorithms.Metric
			of, metric string
		}{
			{algorithms.Regrets, "vs " + strings.TrimPrefix(string(regret), "regret_"), string(regret)},
			{algorithms.Violations, strings.TrimPrefix(string(violation), "violation_"), string(violation)},
		} {
			claim, ok := algorithms.Claimed(a.Claims, c.kind)
			cell, f, err := growthOf(r, a, problem, c.metric)
			if err != nil {
				return err
			}
			if f.Points > 0 {
				designs[f.Design] = f.Window
			}
			if !ok {
				row = append(row, table.Plain(c.of), cell, table.Plain("–"), table.Plain("–"))
				continue
			}
			claimed = true
			row = append(row, table.Plain(c.of), cell, rate(claim), table.Plain(judge(claim, f)))
		}
		for _, v := range notions {
			cell, _, err := growthOf(r, a, problem, string(v))
			if err != nil {
				return err
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
		return nil
	})
	if err != nil || !claimed {
		return nil, err
	}
	t.Notes = append(fitNotes(r, designs),
		table.Plain(fmt.Sprintf("supported: the upper end of the interval is at most the claim plus %g; refuted: the lower end is above that; a log factor of the claim counts with its slope in the window; a mean that is negative throughout supports any claim; paths above: replicates whose own exponent is beyond it.", stats.DefaultTolerance)))
	if standIn {
		t.Notes = append(t.Notes, table.Plain("Regret claimed against xe is measured against xmax where a problem does not know its constraints on average."))
	}
	t.Notes = append(t.Notes, unmetNotes(r)...)
	return t, nil
}

// rate writes a claim as t^p log^q t.
func rate(c algorithms.Claim) table.Text {
	p := fmt.Sprintf("%.3g", c.Exponent)
	text := table.Text{Plain: "t^" + p, TeX: "$t^{" + p + "}$"}
	switch {
	case c.Exponent == 0 && c.Log == 0:
		text = table.Text{Plain: "1", TeX: "$1$"}
	case c.Log != 0:
		text.Plain += " log"
		text.TeX = "$t^{" + p + `}\log`
		if c.Log != 1 {
			text.Plain += fmt.Sprintf("^%g", c.Log)
			text.TeX += fmt.Sprintf("^{%g}", c.Log)
		}
		text.Plain += " t"
		text.TeX += " t$"
	}
	return text
}

// judge says what a fit says of a claim. A mean may keep one that some of the
// paths do not.
func judge(claimed algorithms.Claim, f stats.Fit) string {
	if f.Points == 0 {
		return "–"
	}
	claim := stats.Claim{Exponent: claimed.Exponent, Log: claimed.Log}
	outcome := claim.Judge(f)
	if share := f.ShareAbove(claim.Limit(f)); outcome == stats.Supported && share > 0 {
		return fmt.Sprintf("%s; %.0f %% of paths above", outcome, 100*share)
	}
	return string(outcome)
}
