package paper

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/internal/file"
	"ocobench/paper/table"
)

// growthCaption returns the caption of a figure of a metric: what is drawn, with whose
// panels and lines as who says, and the words of [Finals] on each sweep.
func growthCaption(a *analysis.Analysis, m analysis.Metric, who string, slack bool) table.Text {
	drawn := fmt.Sprintf("%s: mean and %g %% interval over %s.", who, 100*a.Experiment.Confidence, replicates(a))
	if slack {
		drawn += " After a dotted line the cumulative constraint is slack."
	}
	caption := about(m, drawn)
	sweeps, _, _ := sweepsOf(a)
	for _, s := range sweeps {
		words := s.words(a, m)
		caption.Plain += " " + words.Plain
		caption.TeX += " " + words.TeX
	}
	seed := fmt.Sprintf("Experiment %s, seed %d.", a.Experiment.Name, a.Experiment.Seed)
	caption.Plain += " " + seed
	caption.TeX += " " + table.EscapeTeX(seed)
	return caption
}

// about returns a sentence that begins with a metric.
func about(m analysis.Metric, rest string) table.Text {
	kind := m.Title
	if m.Set != "" {
		kind = "regret" // the symbol has the set
	}
	begin := func(title string) string { return strings.ToUpper(title[:1]) + title[1:] + " " }
	return table.Text{Plain: begin(m.Title) + rest, TeX: begin(kind) + symbols[m.Name] + " " + table.EscapeTeX(rest)}
}

// writeCaption writes a floating figure environment with the PDF of a figure and its
// caption, for documents that load graphicx and read the file with \input.
func writeCaption(path, name, label string, caption table.Text) error {
	return file.Write(path, func(w io.Writer) error {
		var out bytes.Buffer
		tex := caption.TeX
		if tex == "" {
			tex = table.EscapeTeX(caption.Plain)
		}
		fmt.Fprintf(&out, "\\begin{figure}[tbp]\n\\centering\n\\includegraphics{%s.pdf}\n\\caption{%s}\n\\label{fig:%s}\n\\end{figure}\n", name, tex, label)
		_, err := w.Write(out.Bytes())
		return err
	})
}
