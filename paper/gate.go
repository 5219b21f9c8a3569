package paper

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/harness/gate"
	"ocobench/paper/table"
	"ocobench/stats"
)

// CI is the name of the experiment that bench check plays by default.
const CI = "ci"

//go:embed reference/exponents.json
var reference []byte

// Reference returns the reference of the experiment [CI], which comes with the
// program.
func Reference() (*gate.Reference, error) {
	return gate.Decode("paper/reference/exponents.json", reference)
}

// Changes returns the table of the curves that differ from the reference:
// regressions first, then inconclusive changes, then the others.
func Changes(name string, r *gate.Report) *table.Table {
	t := &table.Table{
		Title: table.Plain(fmt.Sprintf("Curves that differ from the reference, experiment %s", name)),
		Label: "tab:" + name + "-changes",
		Columns: []table.Column{
			{Name: table.Plain("problem")}, {Name: table.Plain("algorithm")}, {Name: table.Plain("metric")},
			{Name: table.Plain("reference"), Align: table.Right, CSV: estimateFields("reference")},
			{Name: table.Plain("now"), Align: table.Right, CSV: estimateFields("now")},
			{Name: table.Plain("change"), Align: table.Right, CSV: estimateFields("change")},
			{Name: table.Plain("p"), Align: table.Right, CSV: []string{"p"}}, {Name: table.Plain("verdict")},
		},
	}
	final := false
	for _, outcome := range []stats.Outcome{stats.Regression, stats.Inconclusive, stats.Pass} {
		for _, c := range r.Changes {
			if c.Outcome != outcome {
				continue
			}
			row := table.Plains(c.Problem, c.Algorithm, string(c.Metric))
			for _, e := range []stats.Estimate{c.Before, c.After, c.Estimate} {
				row = append(row, changeText(analysis.EstimateOf(e), c.Final))
			}
			if c.Final {
				final = true
				row[2].Plain += " †"
			}
			t.Rows = append(t.Rows, append(row, probability(analysis.Number(c.Adjusted)), table.Plain(string(outcome))))
		}
	}
	pairs := "replicates are paired, because the seed is that of the reference"
	if !r.Paired {
		pairs = "replicates are independent, because the seed is not that of the reference"
	}
	t.Notes = append(t.Notes, note(fmt.Sprintf("Exponent p of mean ~ t^p with its %g %% interval; p-values corrected by Holm; %s.", 100*r.Confidence, pairs)))
	if final {
		t.Notes = append(t.Notes, table.Plain("† final means are compared, because a mean is not positive throughout the window and has no exponent."))
	}
	t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("Reference: seed %d, ocobench %s, %s, %s; now: seed %d, ocobench %s, %s, %s.",
		r.Reference.Seed, r.Reference.Provenance.Version, r.Reference.Provenance.Go, r.Reference.Provenance.GOARCH,
		r.Current.Seed, r.Current.Provenance.Version, r.Current.Provenance.Go, r.Current.Provenance.GOARCH)))
	return t
}

// changeText formats an exponent or a final mean with its interval.
func changeText(e analysis.Estimate, final bool) table.Text {
	if !final {
		return decimal(e, 3)
	}
	decimals := 0
	if size := math.Abs(float64(e.Value)); size < 100 && size > 0 {
		decimals = min(2-int(math.Floor(math.Log10(size))), 6)
	}
	return decimal(e, decimals)
}

// Summary returns a report in one line.
func Summary(r *gate.Report) string {
	if r.Total > 0 && r.Same == r.Total && len(r.Gone)+len(r.New) == 0 {
		return fmt.Sprintf("pass: all %d curves are the same, bit for bit", r.Total)
	}
	verdict := string(r.Outcome)
	if r.Failed() {
		verdict = string(stats.Regression)
	}
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{r.Count(stats.Regression), "worse"},
		{r.Count(stats.Inconclusive), "inconclusive"},
		{r.Count(stats.Pass), "changed and no worse"},
		{len(r.Gone), "gone"},
		{len(r.New), "new"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return fmt.Sprintf("%s: %d of %d curves are the same, bit for bit; %s", verdict, r.Same, r.Total, strings.Join(parts, ", "))
}
