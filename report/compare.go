package report

import (
	"fmt"
	"math"

	"ocobench/harness/analysis"
	"ocobench/harness/run"
	"ocobench/report/table"
	"ocobench/stats"
)

// VersusJSON returns a comparison at a horizon as JSON has it.
func VersusJSON(a *analysis.Analysis, horizon int, c *analysis.BaselineTable) any {
	return struct {
		Experiment string         `json:"experiment"`
		Seed       uint64         `json:"seed"`
		Horizon    int            `json:"horizon"`
		Confidence float64        `json:"confidence"`
		Computed   []run.Computed `json:"computed"`
		*analysis.BaselineTable
	}{a.Experiment.Name, a.Experiment.Seed, horizon, a.Experiment.Confidence, a.Computed, c}
}

// Versus returns the table of a comparison with a baseline, a block for each problem:
// for each algorithm and metric the difference of the final means, the difference of the
// exponents, their p-values, and the probability of a smaller final value.
func Versus(a *analysis.Analysis, c *analysis.BaselineTable) *table.Table {
	x := subjectOf(a)
	t := &table.Table{Keys: 2}
	t.Title = table.Plain(fmt.Sprintf("Against %s on the same rounds, experiment %s",
		x.Title(c.Baseline), a.Experiment.Name))
	t.Label = "tab:" + a.Experiment.Name + "-versus"
	for _, o := range c.Overall {
		if o.Problems == 0 { // nothing is tested
			continue
		}
		t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("%s, %s: below the baseline on %d problems "+
			"of %d, above it on %d (p ≤ %.3g after the correction); p = %s of no difference on any.",
			x.Title(o.Algorithm), a.Metric(o.Metric).Title, o.Less, o.Problems, o.More,
			1-a.Experiment.Confidence, probability(o.P).Plain)))
	}
	tested := 0
	w := make(windows)
	for _, v := range c.Versus {
		if v.State == analysis.Measured {
			w[v.Design] = analysis.Fit{From: v.From, To: v.To}
		}
		for _, p := range []analysis.Number{v.Final.Adjusted, v.Exponents.Adjusted} {
			if p.Defined() {
				tested++
			}
		}
	}
	on := make(map[string][]*analysis.Versus)
	for k, v := range c.Versus {
		on[v.Problem] = append(on[v.Problem], &c.Versus[k])
	}
	for _, problem := range x.problemKeys {
		b := table.Block{Name: problem.name}
		if t.Columns, b.Rows = rows(versusColumns(x), on[problem.spec]); b.Rows != nil {
			t.Blocks = append(t.Blocks, b)
		}
	}
	for _, d := range []stats.Design{stats.AlongT, stats.AcrossT} {
		if f, ok := w[d]; ok {
			how := "along t"
			if d == stats.AcrossT {
				how = fmt.Sprintf("across %d horizons, if one of the two algorithms needs the horizon",
					len(a.Experiment.Horizon))
			}
			t.Notes = append(t.Notes, table.Plain(
				fmt.Sprintf("Exponents on [%g, %g], %s.", f.From, f.To, how)))
		}
	}
	tests := fmt.Sprintf("p of …: p-value of the hypothesis of no such difference, adjusted by joint "+
		"sign flips for the %d p-values of the table; P(less): the probability that a replicate of the "+
		"algorithm ends below its partner of the baseline; ", tested)
	if x.still {
		tests = ""
	}
	t.Notes = append(t.Notes,
		table.Plain(fmt.Sprintf("baseline: its mean at T = %d; difference: the mean of the algorithm "+
			"minus that of the baseline, negative if the algorithm is better; %s.", a.Experiment.Last(),
			x.overPairs())),
		table.Plain(tests+"–: no exponents, because a mean is not positive throughout the window."),
		table.Plain(needed("difference", c.Needs, x)),
	)
	t.Notes = append(append(t.Notes, x.marks...), x.provenance)
	return t
}

// overPairs says what the intervals of differences are of.
func (x *subject) overPairs() string {
	if x.still {
		return "each of " + onePath
	}
	return fmt.Sprintf("%g %% intervals over pairs of %s", 100*x.Experiment.Confidence, x.replicates)
}

// needed says how many replicates a significant lead or difference needs.
func needed(what string, needs int, x *subject) string {
	if x.still {
		return "Chance has no part, and no " + what + " is tested."
	}
	text := fmt.Sprintf("A significant %s (p ≤ %.3g) needs %d replicates or more, for any number of "+
		"rows", what, 1-x.Experiment.Confidence, needs)
	if n := x.Experiment.Replicates; n < needs {
		return fmt.Sprintf("%s: with %d, no p-value is below %.3g.", text, n, math.Pow(2, float64(1-n)))
	}
	return text + "."
}

// versusColumns are the columns of [Versus]. What was not measured says so in the first of the
// numbers.
func versusColumns(x *subject) []column[*analysis.Versus] {
	number := func(heading string, csv []string,
		text func(*analysis.Versus) table.Text) column[*analysis.Versus] {
		return column[*analysis.Versus]{table.Column{
			Name: table.Plain(heading), Align: table.Right, CSV: csv,
		}, func(v *analysis.Versus) table.Text {
			switch v.State {
			case analysis.Measured:
				return text(v)
			case analysis.Empty, analysis.Failed:
				if heading == "baseline" {
					return table.Plain(string(v.State))
				}
				return table.Text{}
			}
			return table.Plain("–")
		}}
	}
	return []column[*analysis.Versus]{
		{table.Column{Name: table.Plain("algorithm")}, func(v *analysis.Versus) table.Text {
			return starred(table.Plain(x.Title(v.Algorithm)), x.pairs[pairID{v.Algorithm, v.Problem}])
		}},
		{table.Column{Name: table.Plain("metric")},
			func(v *analysis.Versus) table.Text { return metricText(x.Metric(v.Metric)) }},
		number("baseline", []string{"baseline"}, func(v *analysis.Versus) table.Text {
			text := table.Number(float64(v.Baseline), math.NaN())
			text.CSV = []string{table.Value(float64(v.Baseline))}
			return text
		}),
		number("difference", append(estimateFields("difference"), "pairs"),
			func(v *analysis.Versus) table.Text {
				text := valueText(v.Final.Estimate)
				text.CSV = append(text.CSV, fmt.Sprint(v.Replicates))
				return partial(text, v.Replicates, v.Of)
			}),
		number("p of difference", []string{"difference_p"},
			func(v *analysis.Versus) table.Text { return probability(v.Final.Adjusted) }),
		number("of exponents", estimateFields("exponent_difference"),
			func(v *analysis.Versus) table.Text {
				if !v.Exponents.Value.Defined() {
					return table.Plain("–")
				}
				return exponentText(v.Exponents.Estimate)
			}),
		number("p of exponents", []string{"exponent_difference_p"},
			func(v *analysis.Versus) table.Text { return probability(v.Exponents.Adjusted) }),
		number("P(less)", estimateFields("probability_less"),
			func(v *analysis.Versus) table.Text {
				text := exponentText(v.Less)
				if !v.Final.Lower.Defined() && !v.Final.Upper.Defined() { // one pair
					text = table.Text{Plain: "–", CSV: text.CSV}
				}
				return text
			}),
	}
}
