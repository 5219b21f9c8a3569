package report

import (
	"fmt"
	"strings"

	"ocobench/internal/input"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// setCaptions sets the captions of figures. A caption says what is drawn and how, adds the notes of
// the figure, gives the parameters that legends leave out, and names the experiment.
func (v *analysisView) setCaptions(all []namedFigure) {
	for k := range all {
		f := &all[k]
		if f.figure == v.outlines {
			f.caption = table.Plain(fmt.Sprintf("The comparator sets at T = %d, through the best fixed "+
				"actions for %d angles of the loss. Experiment %s, seed %d.",
				v.Experiment.Last(), len(v.Problems), v.Experiment.Name, v.Experiment.Seed))
			continue
		}
		parts := []table.Text{table.TeX(captionStart(v, f))}
		for _, text := range f.notes {
			parts = append(parts, plainNote(text).render())
		}
		for _, t := range append(parts, captionEnd(v, f)) {
			f.caption.Plain = strings.TrimLeft(f.caption.Plain+" "+t.Plain, " ")
			f.caption.TeX = strings.TrimLeft(f.caption.TeX+" "+t.TeX, " ")
		}
	}
}

// captionStart returns the beginning of a caption, in TeX: what is drawn, and the sentences on the
// curves.
func captionStart(v *analysisView, f *namedFigure) string {
	if f.metrics == nil {
		return strings.Replace(f.captionText, "%s", curveSentences(v, f), 1)
	}
	var names []string
	for _, m := range f.metrics {
		title := m.Title
		if m.Set != "" {
			title = "regret" // the symbol names the comparator set
		}
		names = append(names, strings.TrimSuffix(title+" "+metricSymbols[m.Name], " "))
	}
	return input.Capital(joinNames(names)) + " " + f.captionText + ": " + curveSentences(v, f)
}

// claimants says, in TeX, which algorithms claim the powers of T that a figure draws, such as
// ": $T^{1/2}$ of \emph{CLASP}". It is empty if none does.
func claimants(f *figure.Figure) string {
	var by grouping // names, by the power
	for _, p := range f.Panels {
		for _, g := range p.Guides {
			for _, name := range g.Claimants {
				by.add(figure.Power("T", g.Slope), `\emph{`+name+"}")
			}
		}
	}
	var all []string
	for _, power := range by.keys {
		all = append(all, power+" of "+by.firstNames(power))
	}
	if all == nil {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

// curveSentences returns sentences, in TeX, on the curves and lines of a figure: what they are, and
// how marks, bars and dashes are read.
func curveSentences(v *analysisView, named *namedFigure) string {
	f := named.figure
	var hasBands, hasMarks, hasGuides, hasBounds, hasPoints, hasFits, isDodged bool
	for _, p := range f.Panels {
		isDodged = isDodged || p.Dodged()
		hasMarks, hasGuides = hasMarks || p.Marks != nil, hasGuides || p.Guides != nil
		for _, s := range p.Series {
			// A thin curve is a fit if it is solid, and else a bound. Points are values at horizons.
			hasBands, hasBounds = hasBands || s.Lower != nil, hasBounds || s.Thin && !s.Solid
			hasPoints, hasFits = hasPoints || s.Points, hasFits || s.Solid
		}
	}
	text := "mean"
	switch {
	case v.deterministic:
		text = onePath
	case hasBands:
		text += fmt.Sprintf(` and %g\,\%% interval`, 100*v.Experiment.Confidence)
		if f.Bars() {
			text += " (bars)"
		}
	}
	if !v.deterministic {
		text += " over " + v.replicates
	}
	text += "."
	for _, s := range []struct {
		shown    bool
		sentence string
	}{
		{isDodged, `Points of one $T$ are drawn side by side.`},
		{hasFits, `Solid lines are the fits by which growth is judged, to the largest value so far of the ` +
			`mean; there is none to fewer than three points, where nothing grows, or where a mean of ` +
			`the window is not positive or has fallen since.`},
		// The axis is T where there are points, and else t.
		{hasGuides && hasPoints, `Dashed lines are claimed powers of $T$` + claimants(f) + `.`},
		{hasGuides && !hasPoints, `Dashed lines are powers of $t$.`},
		{hasBounds, `Dotted curves are the bounds of the proofs.`},
		{hasMarks, `From a dotted vertical line on, the cumulative constraint is slack.`},
		{f.HasChevrons(), `A mark at the lower end of an axis is a value that is not positive.`},
		{f.HasArrows(), `An arrow at the end of a bar: the interval goes on below the axis.`},
	} {
		if s.shown {
			text += " " + s.sentence
		}
	}
	return text
}

// captionEnd returns the sentences that end a caption: the parameters that legends leave out, and
// the experiment with the horizons that are shown.
func captionEnd(v *analysisView, f *namedFigure) table.Text {
	var names []string
	for _, e := range v.Algorithms {
		if name := nameWithParams(e); name != lineLabel(e, v.Algorithms) {
			names = append(names, name)
		}
	}
	text := ""
	if names != nil {
		text = "Parameters: " + strings.Join(names, "; ") + ". "
	}
	horizons := fmt.Sprint(v.Experiment.Last())
	if f.acrossHorizons {
		horizons = strings.Trim(fmt.Sprint(v.Experiment.Horizon), "[]")
	}
	return table.TeX(text + fmt.Sprintf("Experiment %s, $T = %s$, seed %d.",
		tex.Escape(v.Experiment.Name), strings.ReplaceAll(horizons, " ", ", "), v.Experiment.Seed))
}
