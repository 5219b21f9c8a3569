package report

import (
	"fmt"

	"ocobench/harness/analysis"
	"ocobench/report/table"
	"ocobench/stats"
)

// Versus returns the table of a comparison with a baseline, a block for each problem:
// for each algorithm and metric the difference of the final means, the difference of the
// exponents, their p-values, and the probability of a smaller final value.
func Versus(a *analysis.Analysis, c *analysis.Comparison) *table.Table {
	t := &table.Table{
		Title: table.Plain(fmt.Sprintf("Against %s on the same rounds, experiment %s", c.Baseline, a.Experiment.Name)),
		Label: "tab:" + a.Experiment.Name + "-versus",
		Keys:  2,
		Columns: []table.Column{
			{Name: table.Plain("algorithm")},
			{Name: table.Plain("metric")},
			{Name: table.Plain("baseline"), Align: table.Right, CSV: []string{"baseline"}},
			{Name: table.Plain("difference"), Align: table.Right, CSV: append(estimateFields("difference"), "pairs")},
			{Name: table.Plain("p of difference"), Align: table.Right, CSV: []string{"difference_p"}},
			{Name: table.Plain("of exponents"), Align: table.Right, CSV: estimateFields("exponent_difference")},
			{Name: table.Plain("p of exponents"), Align: table.Right, CSV: []string{"exponent_difference_p"}},
			{Name: table.Plain("P(less)"), Align: table.Right, CSV: estimateFields("probability_less")},
		},
	}
	for _, o := range c.Overall {
		t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("%s, %s: below the baseline on %d problems of %d, above it on %d (p ≤ %.3g after the correction); p = %s of no difference on any.",
			o.Algorithm, a.Metric(o.Metric).Title, o.Less, o.Problems, o.More, 1-a.Experiment.Confidence, probability(o.P).Plain)))
	}
	tested := 0
	w := make(windows)
	for _, v := range c.Versus {
		p := a.Pair(v.Algorithm, v.Problem)
		row := []table.Text{{Plain: starred(a, *p).Plain}, metricText(a.Metric(v.Metric))}
		switch {
		case v.State == analysis.Empty, v.State == analysis.Failed:
			row = append(row, table.Plains(string(v.State), "", "", "", "", "")...)
		case v.State != analysis.Measured:
			row = append(row, table.Plains("–", "–", "–", "–", "–", "–")...)
		default:
			w[v.Design] = analysis.Fit{From: v.From, To: v.To}
			baseline := table.Number(float64(v.Baseline), places(v.Final.Estimate))
			baseline.CSV = []string{table.Value(float64(v.Baseline))}
			difference := decimal(v.Final.Estimate, places(v.Final.Estimate))
			difference.CSV = append(difference.CSV, fmt.Sprint(v.Replicates))
			difference = partial(difference, v.Replicates, v.Of)
			exponents := table.Plain("–")
			if v.Exponents.Value.Defined() {
				exponents = decimal(v.Exponents.Estimate, 2)
			}
			row = append(row, baseline, difference, probability(v.Final.Adjusted), exponents, probability(v.Exponents.Adjusted), decimal(v.Less, 2))
		}
		for _, p := range []analysis.Number{v.Final.Adjusted, v.Exponents.Adjusted} {
			if p.Defined() {
				tested++
			}
		}
		name := named(a, *p)[0]
		if k := len(t.Blocks) - 1; k < 0 || t.Blocks[k].Name.Plain != name.Plain {
			t.Blocks = append(t.Blocks, table.Block{Name: name})
		}
		b := &t.Blocks[len(t.Blocks)-1]
		b.Rows = append(b.Rows, row)
	}
	for _, d := range []stats.Design{stats.AlongT, stats.AcrossT} {
		if f, ok := w[d]; ok {
			how := "along t"
			if d == stats.AcrossT {
				how = fmt.Sprintf("across %d horizons, if one of the two algorithms needs the horizon", len(a.Experiment.Horizon))
			}
			t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("Exponents on [%g, %g], %s.", f.From, f.To, how)))
		}
	}
	t.Notes = append(t.Notes,
		table.Plain(fmt.Sprintf("baseline: its mean at T = %d; difference: the mean of the algorithm minus that of the baseline, negative if the algorithm is better; %g %% intervals over pairs of %s.", a.Experiment.Last(), 100*a.Experiment.Confidence, Replicates(a))),
		table.Plain(fmt.Sprintf("p of …: p-value of the hypothesis of no such difference, adjusted by Holm for the %d p-values of the table; P(less): the probability that a replicate of the algorithm ends below its partner of the baseline; –: no exponents, because a mean is not positive throughout the window.", tested)),
	)
	t.Notes = append(append(t.Notes, pairNotes(a)...), provenance(a))
	return t
}
