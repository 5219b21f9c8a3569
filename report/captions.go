package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// growthCaption returns the caption of a figure of metrics: what is drawn, with whose
// panels and lines as who says, and, of one metric, the words of [Finals] on each sweep.
func growthCaption(a *analysis.Analysis, metrics []analysis.Metric, who string, f *figure.Figure) table.Text {
	var names []string
	for _, m := range metrics {
		kind := m.Title
		if m.Set != "" {
			kind = "regret" // the symbol has the set
		}
		names = append(names, kind+" "+symbols[m.Name])
	}
	all := listed(names)
	caption := table.TeX(strings.ToUpper(all[:1]) + all[1:] + " " + who + ": " + drawn(a, f))
	if len(metrics) == 1 {
		sweeps, _, _ := sweepsOf(a)
		for _, s := range sweeps {
			caption = joined(caption, s.words(a, metrics[0]))
		}
	}
	return joined(caption, setting(a, a.Algorithms))
}

// drawn returns sentences in TeX on the curves and lines of a figure.
func drawn(a *analysis.Analysis, f *figure.Figure) string {
	var bands, marks, guides, thin bool
	for _, p := range f.Panels {
		marks, guides = marks || p.Marks != nil, guides || p.Guides != nil
		for _, s := range p.Series {
			bands, thin = bands || s.Lower != nil, thin || s.Thin
		}
	}
	text := "mean"
	if bands {
		text += fmt.Sprintf(` and %g\,\%% interval`, 100*a.Experiment.Confidence)
		if f.Bars() {
			text += " (bars)"
		}
	}
	text += " over " + Replicates(a) + "."
	for _, s := range []struct {
		shown    bool
		sentence string
	}{
		{guides, `Dashed lines are powers of $t$.`},
		{thin, `Dotted curves are the bounds of the proofs.`},
		{marks, `After a dotted vertical line the cumulative constraint is slack.`},
		{slices.ContainsFunc(f.Gaps(), func(g figure.Gap) bool { return g.NotPositive > 0 }), `A mark at the lower end of an axis is a value that is not positive.`},
	} {
		if s.shown {
			text += " " + s.sentence
		}
	}
	return text
}

// setting returns the sentences that end a caption: the parameters that legends leave
// out, and the experiment.
func setting(a *analysis.Analysis, algorithms []harness.Entrant) table.Text {
	var names []string
	for _, e := range algorithms {
		if name := Name(e); name != lineLabel(e, algorithms) {
			names = append(names, name)
		}
	}
	text := ""
	if names != nil {
		text = "Parameters: " + strings.Join(names, "; ") + ". "
	}
	horizons := strings.Trim(fmt.Sprint(a.Experiment.Horizon), "[]")
	return table.TeX(text + fmt.Sprintf("Experiment %s, $T = %s$, seed %d.",
		tex.Escape(a.Experiment.Name), strings.ReplaceAll(horizons, " ", ", "), a.Experiment.Seed))
}
