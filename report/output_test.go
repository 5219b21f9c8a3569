package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/internal/tool"
	"ocobench/report/figure"
	"ocobench/report/table"
)

// A view that cannot be drawn is left out: it is named with the reason, also in the list of files,
// and all others are written.
func TestWriteLeavesOutWhatCannotBeDrawn(t *testing.T) {
	x := parsedExperiment(t, "name: small\nhorizon: 100\nreplicates: 3\n"+
		"problems: [{use: iid}, {use: fixed}]\nalgorithms: [{use: ogd}, {use: primal-dual}]")
	soft := func(a *analysis.Analysis) *analysis.Series { return a.Pairs[0].Series["violation_soft"] }
	views := []string{"figures/problem-iid.pdf", "figures/plane.pdf", "figures/local-regret.pdf",
		"tables/finals.txt", "tables/finals.tex", "tables/first.txt", "tables/macros.tex"}
	for _, c := range []struct {
		name    string
		damage  func(*analysis.Analysis)
		omitted []string // what the omissions begin with
		reason  string
	}{
		{"nothing is wrong", func(*analysis.Analysis) {}, nil, ""},
		{"local exponents without intervals", func(a *analysis.Analysis) {
			for _, s := range a.Pairs[0].Series {
				if s.Slopes != nil {
					s.Slopes.Lower = nil
				}
			}
		}, []string{"figures/local-violation"}, "a defect of the program"},
		{"a mean without an interval", func(a *analysis.Analysis) { soft(a).Mean.Lower = nil },
			[]string{"tables/finals", "tables/means", "tables/first", "figures/problem-iid", "figures/plane",
				"tables/macros.tex"}, "a defect of the program"},
		{"a band that is upside down", func(a *analysis.Analysis) {
			m := &soft(a).Mean
			m.Lower[0], m.Upper[0] = m.Upper[0]+1, m.Lower[0]-1
		}, []string{"figures/problem-iid.pdf"}, "the lower end of the band"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, dir := analysed(t, x), t.TempDir()
			c.damage(a)
			w, err := Write(dir, a, Options{})
			if err != nil {
				t.Fatal(err)
			}
			list, err := os.ReadFile(filepath.Join(dir, "small", Manifest))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, o := range w.Omitted {
				name, _, _ := strings.Cut(o.Error(), " is left out: ")
				if names = append(names, name); !strings.Contains(o.Error(), c.reason) ||
					!strings.Contains(string(list), "# "+name) {
					t.Errorf("%v, want a reason with %q, and a line of the list of files", o, c.reason)
				}
			}
			if !slices.Equal(names, c.omitted) {
				t.Errorf("left out are %q, want %q", names, c.omitted)
			}
			for _, name := range views {
				left := slices.ContainsFunc(c.omitted,
					func(o string) bool { return strings.HasPrefix(name, o) })
				if _, err := os.Stat(filepath.Join(dir, "small", name)); (err == nil) == left {
					t.Errorf("%s: %v, want it to be there: %v", name, err, !left)
				}
			}
		})
	}
}

// A label with signs in the caption of a figure compiles without the preamble of tables, also in
// the list of figures.
func TestFigureWithSignsNeedsNoPreamble(t *testing.T) {
	latex, dir := tool.LaTeX(t), t.TempDir()
	doc := bytes.NewBufferString(`\documentclass{article}
\newcommand\includegraphics[2][]{\rule{9pt}{9pt}}
\begin{document}
\listoffigures
`)
	f := namedFigure{name: "f", figure: &figure.Figure{}, caption: table.Plain("Feasible ✓ ▲ △")}
	if err := writeFloat(doc, "x/figures/f.pdf", "fig:x-f", f); err != nil {
		t.Fatal(err)
	}
	doc.WriteString(`\end{document}`)
	if err := os.WriteFile(filepath.Join(dir, "f.tex"), doc.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second reads the list
		cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "f.tex")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("want a PDF, got %v: %s", err, out)
		}
	}
}
