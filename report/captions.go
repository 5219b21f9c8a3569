package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/internal/input"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// caption sets the captions of figures: what is drawn and how, the words on each sweep for a
// figure of one metric, the parameters that legends leave out, and the experiment.
func (x *subject) caption(all []namedFigure) {
	end := setting(x)
	for k := range all {
		f := &all[k]
		if f.figure == x.outlines {
			f.caption = table.Plain(fmt.Sprintf("The comparator sets at T = %d, through the best fixed "+
				"actions for %d angles of the loss. Experiment %s, seed %d.",
				x.Experiment.Last(), len(x.Problems), x.Experiment.Name, x.Experiment.Seed))
			continue
		}
		f.caption = table.TeX(begun(x, f))
		add := func(t table.Text) {
			f.caption.Plain += " " + t.Plain
			f.caption.TeX += " " + t.TeX
		}
		for _, n := range setNotes(f.notes) {
			add(n)
		}
		if len(f.metrics) == 1 {
			for _, s := range x.sweeps {
				words := s.said(x, f.metrics[0]) // the caption has begun with the metric
				words.Plain, words.TeX = input.Capital(words.Plain), input.Capital(words.TeX)
				add(words)
			}
		}
		add(end)
	}
}

// begun is how a caption begins: with the metrics, or with the text of the figure.
func begun(x *subject, f *namedFigure) string {
	if f.metrics == nil {
		return strings.Replace(f.text, "%s", drawn(x, f.figure), 1)
	}
	var names []string
	for _, m := range f.metrics {
		kind := m.Title
		if m.Set != "" {
			kind = "regret" // the symbol has the set
		}
		names = append(names, kind+" "+symbols[m.Name])
	}
	return input.Capital(listed(names)) + " " + f.text + ": " + drawn(x, f.figure)
}

// drawn returns sentences in TeX on the curves and lines of a figure.
func drawn(x *subject, f *figure.Figure) string {
	var bands, marks, guides, thin bool
	for _, p := range f.Panels {
		marks, guides = marks || p.Marks != nil, guides || p.Guides != nil
		for _, s := range p.Series {
			bands, thin = bands || s.Lower != nil, thin || s.Thin
		}
	}
	text := "mean"
	switch {
	case x.still:
		text = onePath
	case bands:
		text += fmt.Sprintf(` and %g\,\%% interval`, 100*x.Experiment.Confidence)
		if f.Bars() {
			text += " (bars)"
		}
	}
	if !x.still {
		text += " over " + x.replicates
	}
	text += "."
	for _, s := range []struct {
		shown    bool
		sentence string
	}{
		{guides, `Dashed lines are powers of $t$.`},
		{thin, `Dotted curves are the bounds of the proofs.`},
		{marks, `After a dotted vertical line the cumulative constraint is slack.`},
		{slices.ContainsFunc(f.Gaps(), func(g figure.Gap) bool { return g.NotPositive > 0 }),
			`A mark at the lower end of an axis is a value that is not positive.`},
	} {
		if s.shown {
			text += " " + s.sentence
		}
	}
	return text
}

// setting returns the sentences that end a caption: the parameters that legends leave
// out, and the experiment.
func setting(x *subject) table.Text {
	var names []string
	for _, e := range x.Algorithms {
		if name := Name(e); name != lineLabel(e, x.Algorithms) {
			names = append(names, name)
		}
	}
	text := ""
	if names != nil {
		text = "Parameters: " + strings.Join(names, "; ") + ". "
	}
	horizons := strings.Trim(fmt.Sprint(x.Experiment.Horizon), "[]")
	return table.TeX(text + fmt.Sprintf("Experiment %s, $T = %s$, seed %d.",
		tex.Escape(x.Experiment.Name), strings.ReplaceAll(horizons, " ", ", "), x.Experiment.Seed))
}
