package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/harness/regression"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/stats"
)

// CheckSummary returns the result of a check in one line.
func CheckSummary(r *regression.Report) string {
	same := fmt.Sprintf("%d of %d curves are the same, bit for bit", r.Same, r.Total)
	if r.Rounding > 0 {
		same += fmt.Sprintf("; %d more differ by rounding only", r.Rounding)
	}
	var text string
	switch r.Answer {
	case regression.NoChange:
		text = fmt.Sprintf("%s: all %d curves, bit for bit", r.Answer, r.Total)
	case regression.Rounding:
		text = fmt.Sprintf("%s: %s", r.Answer, same)
	default:
		countOf := func(a stats.Answer) int {
			return r.Count(func(d regression.Difference) bool { return d.Answer == a })
		}
		var parts []string
		for _, c := range []struct {
			n    int
			what string
		}{
			{countOf(stats.Regression), "worse"}, {countOf(stats.Suspicious), "suspicious"},
			{countOf(stats.Changed), "changed"}, {len(r.Gone), "gone"}, {len(r.New), "new"},
		} {
			if c.n == 0 {
				continue
			}
			part := fmt.Sprintf("%d %s", c.n, c.what)
			if open := r.Count(isOpen); open > 0 && c.what == "changed" { // only such are open
				part += fmt.Sprintf(" (%d open)", open)
			}
			parts = append(parts, part)
		}
		text = fmt.Sprintf("%s: %s; %s", r.Answer, same, strings.Join(parts, ", "))
	}
	if n := len(r.Broken); n > 0 {
		text += fmt.Sprintf("; broken bounds: %d", n)
	}
	return text
}

// isOpen reports whether it is not excluded that a curve changed by the margin or more.
func isOpen(d regression.Difference) bool { return d.Open }

// isFinal reports whether a difference compares final means and not exponents.
func isFinal(d regression.Difference) bool { return d.Compared == "final" }

// WriteCheck writes a report for a terminal: what is broken, gone and new, the curves that differ,
// grouped by their answers, and a summary in one line.
func WriteCheck(w io.Writer, r *regression.Report) error {
	var b strings.Builder
	for _, broken := range r.Broken {
		fmt.Fprintf(&b, "broken: %s\n", broken)
	}
	for _, k := range r.Gone {
		fmt.Fprintf(&b, "gone: %s\n", k)
	}
	for _, k := range r.New {
		fmt.Fprintf(&b, "new: %s (not in the reference)\n", k)
	}
	var answer stats.Answer
	pair := ""
	for _, c := range r.Changes {
		if c.Answer != answer {
			answer, pair = c.Answer, ""
			fmt.Fprintf(&b, "%s:\n", answer)
		}
		if k := c.Key(); k.Pair() != pair {
			pair = k.Pair()
			fmt.Fprintf(&b, "  %s\n", pair)
		}
		before, after, change, p := changeTexts(c)
		line := fmt.Sprintf("    %-19s  %-16s  %-23s  %s", metricWithDagger(c), before+" → "+after,
			change, p)
		if c.Open {
			line += "  open"
		}
		fmt.Fprintln(&b, line)
	}
	if len(r.Changes) > 0 {
		b.WriteString("Columns: reference → now, change with its interval, corrected p-value.\n")
		for _, n := range changeNotes(r) {
			fmt.Fprintln(&b, n)
		}
	}
	fmt.Fprintf(&b, "%s: %s\n", r.Experiment, CheckSummary(r))
	_, err := io.WriteString(w, b.String())
	return err
}

// changeNotes returns the notes that explain the numbers of a report with changes.
func changeNotes(r *regression.Report) []string {
	pairs := "replicates are paired: the seed is that of the reference."
	if !r.Paired {
		pairs = "replicates are independent: the seed is not that of the reference."
	}
	lines := []string{fmt.Sprintf("Exponent p of mean ~ t^p; intervals of %g %%; p-values corrected "+
		"by Holm;", 100*r.Confidence), pairs}
	if r.Count(isFinal) > 0 {
		lines = append(lines, fmt.Sprintf("† final means, because a mean is not positive throughout "+
			"the window. A change within the margin, that of an exponent larger by %g, is no "+
			"regression.", stats.DefaultTolerance))
	}
	if text := SensitivityText(r.Sensitivity); text != "" {
		lines = append(lines, text)
	}
	if r.Count(isOpen) > 0 {
		lines = append(lines, fmt.Sprintf("open: a change of the exponent by %g is not excluded; use "+
			"more replicates.", stats.DefaultTolerance))
	}
	return lines
}

// SensitivityText says in one sentence which changes of a reference are detected. It is empty if
// all games are deterministic.
func SensitivityText(s regression.Sensitivity) string {
	var parts []string
	for _, kind := range []struct {
		final  bool
		text   string
		format func(float64) string
	}{
		{false, "of an exponent by ", func(v float64) string { return fmt.Sprintf("%.2f", v) }},
		{true, "of a final mean by ", func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }},
	} {
		curves := slices.DeleteFunc(slices.Clone(s.Curves),
			func(c regression.CurveSensitivity) bool { return c.Final != kind.final || c.Change == 0 })
		if len(curves) == 0 {
			continue
		}
		slices.SortStableFunc(curves,
			func(a, b regression.CurveSensitivity) int { return cmp.Compare(a.Change, b.Change) })
		largest := curves[len(curves)-1]
		sizeText := func(v float64) string {
			if math.IsInf(v, 1) {
				return "no size"
			}
			return kind.format(v)
		}
		text := sizeText(largest.Change)
		if len(curves) > 1 {
			median := curves[(len(curves)-1)/2]
			text = fmt.Sprintf("%s (median of %s; %s for %s)", sizeText(median.Change),
				input.Plural(len(curves), "curve"), text, largest.Key)
		}
		parts = append(parts, kind.text+text)
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("With %s a change %s is detected with probability %g on other rounds; on the "+
		"same ones less suffices.", input.Plural(s.Replicates, "replicate"), strings.Join(parts, ", or "),
		regression.DetectionPower)
}

// metricWithDagger names the metric of a change, with a dagger if final means are compared.
func metricWithDagger(d regression.Difference) string {
	if isFinal(d) {
		return string(d.Metric) + " †"
	}
	return string(d.Metric)
}

// changeTexts formats the value of the reference, the current value, the change with its interval,
// and its corrected p-value.
func changeTexts(d regression.Difference) (before, after, change, p string) {
	change = valueText(d.Change).Plain
	if d.Change.Value > 0 {
		change = "+" + change
	}
	if isFinal(d) {
		change += " (margin " + table.Number(d.Margin, math.NaN()).Plain + ")"
	}
	values := []float64{float64(d.Reference.Value), float64(d.Current.Value)}
	number := func(e analysis.Estimate) string { // a rounding error of the larger one is 0
		return table.Number(zeroIfRounding(float64(e.Value), values...), math.NaN()).Plain
	}
	return number(d.Reference), number(d.Current), change, pValueCell(d.Adjusted).Plain
}

// changeTable returns the table of the curves that differ.
func changeTable(r *regression.Report) *table.Table {
	t := &table.Table{Columns: table.Columns("answer", "problem", "algorithm", "metric", "design",
		">before", ">after", ">change", ">p")}
	for _, c := range r.Changes {
		word := string(c.Answer)
		if c.Open {
			word += ", open"
		}
		before, after, change, p := changeTexts(c)
		t.Rows = append(t.Rows, table.Plains(word, c.Problem, c.A, metricWithDagger(c), string(c.Design),
			before, after, change, p))
	}
	t.Notes = []table.Text{table.Plain(strings.Join(changeNotes(r), " "))}
	return t
}

// WriteSummary writes a report in Markdown for the summary of a job: the answer in the heading,
// then what is broken, gone, new and changed, what was compared, and the command that accepts the
// change.
func WriteSummary(w io.Writer, r *regression.Report, accept string) (err error) {
	var b strings.Builder
	heading := string(r.Answer)
	if len(r.Broken) > 0 {
		heading += ", broken bounds"
	}
	fmt.Fprintf(&b, "## bench check: %s\n\nExperiment %s: %s.\n", heading, r.Experiment,
		CheckSummary(r))
	section := func(title string, t *table.Table) {
		if err == nil && len(t.Rows) > 0 {
			fmt.Fprintf(&b, "\n### %s\n\n", title)
			err = table.WriteMarkdown(&b, t)
		}
	}
	section("Broken bounds", listTable("bound", r.Broken))
	section("Gone", listTable("curve", r.Gone))
	section("New", listTable("curve", r.New))
	section("Changes", changeTable(r))
	section("Not played", listTable("pair", r.Unmet))
	if err != nil {
		return err
	}
	b.WriteString("\n### Provenance\n\n| | seed | ocobench | Go | architecture " +
		"|\n|---|--:|---|---|---|\n")
	for _, side := range []struct {
		name string
		run  regression.Run
	}{{"before", r.Reference}, {"after", r.Current}} {
		p := side.run.Provenance
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", side.name, side.run.Seed, p.Version, p.Go,
			p.GOARCH)
	}
	if r.Answer != regression.NoChange && r.Answer != regression.Rounding {
		fmt.Fprintf(&b, "\n### To accept\n\nIf the change is intended, make a new reference and commit "+
			"it:\n\n    %s\n", accept)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// listTable returns a table of one column with a row for each item.
func listTable[T fmt.Stringer](name string, items []T) *table.Table {
	t := &table.Table{Columns: table.Columns(name)}
	for _, item := range items {
		t.Rows = append(t.Rows, table.Plains(item.String()))
	}
	return t
}

// Unfinished returns the summary of a job whose check did not end, with its error unless that is
// nil.
func Unfinished(err error) string {
	why := "The log of the job says why.\n"
	if err != nil {
		why = "The error:\n\n    " + strings.ReplaceAll(err.Error(), "\n", "\n    ") + "\n"
	}
	return "## bench check: not finished\n\nNothing was compared. " + why
}
