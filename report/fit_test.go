package report

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/internal/long"
	"ocobench/internal/race"
	"ocobench/internal/tool"
	"ocobench/report/figure"
	"ocobench/stats"
)

func init() { long.InMemory() }

// overfull is what LaTeX says of a box, or a float, that does not fit.
var overfull = regexp.MustCompile(`(?m)^(Overfull .*|LaTeX Warning: Float too large.*|! .*|.*Missing character.*|LaTeX Font Warning: Font shape.*|Figure .* is \d{1,2}(\.\d+)?pt)$`)

// sized tells TeX to say how wide each figure is; overfull finds those below 100 pt.
const sized = `\let\drawn\includegraphics
\renewcommand{\includegraphics}[2][]{\setbox2\hbox{\drawn[#1]{#2}}\typeout{Figure #2 is \the\wd2}\box2}
`

// articles are the options of the articles that tables have to fit into.
var articles = []string{"10pt,a4paper", "10pt,a4paper,twocolumn"}

// crowded ends the names of directories with the numbers of crowd.
const crowded = "-crowded"

// compiled sets all tables of some directories, with their macros, in an article of each
// kind, which have their own directories. Whatever does not fit is an error of the test.
func compiled(t *testing.T, latex, dir string, dirs [2][]string) {
	t.Helper()
	var wg sync.WaitGroup
	for k, options := range articles {
		experiments := dirs[k]
		var doc bytes.Buffer
		fmt.Fprintf(&doc, "\\documentclass[%s]{article}\n\\input{%s/tables/preamble}\n"+
			"\\usepackage{graphicx}\n%s", options, experiments[0], sized)
		for _, x := range experiments {
			if !strings.HasSuffix(x, crowded) {
				fmt.Fprintf(&doc, "\\input{%s/tables/macros}\n", x)
			}
		}
		doc.WriteString("\\begin{document}\nProse.\n")
		for _, x := range experiments {
			files, err := filepath.Glob(filepath.Join(dir, x, "*", "*.tex"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if text, err := os.ReadFile(f); err != nil || bytes.Contains(text, []byte("[U+0302]")) {
					t.Errorf("%s: got a set that is no symbol, want one (%v)", f, err)
				}
				if name := filepath.Base(f); name != "preamble.tex" && name != "macros.tex" {
					from := filepath.Base(filepath.Dir(f))
					fmt.Fprintf(&doc, "\\typeout{In %[1]s/%[2]s/%[3]s}\\input{%[1]s/%[2]s/%[3]s}\\clearpage\n", x,
						from, name)
				}
			}
		}
		doc.WriteString("\\end{document}\n")
		job := fmt.Sprintf("article%d", k)
		if err := os.WriteFile(filepath.Join(dir, job+".tex"), doc.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			cmd := exec.Command(latex, "-draftmode", "-interaction=nonstopmode", "-halt-on-error",
				job+".tex")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "max_print_line=1000")
			out, err := cmd.CombinedOutput()
			if faults := overfull.FindAllString(string(out), -1); err != nil || len(faults) > 0 {
				t.Errorf("an article with %s: got error %v and faults, want none:\n%s", options, err,
					strings.Join(faults, "\n"))
			}
		})
	}
	wg.Wait()
}

// longNames is an experiment with names and numbers that are hard to fit.
const longNames = `name: long-names
horizon: 100
replicates: 3
assumptions: ignore
problems:
  - {use: perturbed, dim: 3, constraints: 2, noise: [iid, drift]}
  - {use: iid, dim: 3, constraints: 2, label: "An_unbreakable_label_that_is_wider_than_a_column_of_articles"}
algorithms:
  - {use: penalised-ftrl, gamma: 25.123456789, kappa: 0.000123456789, label: "Penalised FTRL & 100 % of {its} parameters ✓▲"}
  - {use: primal-dual, step: [0.001234567, 5]}
  - {use: ogd, label: "OGD^2 γ| 漢字 <\\input{x}> --"}
`

// What a run prints of the experiments that come with the program fits into 100 characters, and
// into 80; and every table in LaTeX, also of long names and long numbers, and every figure with its
// caption fits into articles with one column and with two. Its figures can be drawn, and are not
// too many to look at.
//
// The sample has the default experiment, and classes where it is crowded.
func TestTablesFit(t *testing.T) { long.Run(t, checkTablesFit) }

// checkTablesFit runs the experiments, and sets their tables and figures in articles of both
// layouts.
func checkTablesFit(t *testing.T, whole bool) {
	race.SkipSequential(t)
	names := parsedExperiment(t, longNames)
	all := []*spec.Experiment{names}
	for _, name := range experiments.Names() {
		if !whole && !slices.Contains([]string{"frequency", "classes"}, name) {
			continue
		}
		x, err := experiments.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		x.Replicates = 2
		for k := range x.Horizon {
			x.Horizon[k] = 10 * (k + 1)
		}
		if len(x.Horizon) == 1 {
			x.Horizon[0] = 100
		}
		all = append(all, x)
	}
	dir := t.TempDir()
	var dirs [2][]string // of the articles
	for _, x := range all {
		a := analysed(t, x)
		all := newAnalysisView(a).figures(withBounds)
		if len(all) == 0 || len(all) > 30 {
			t.Errorf("%s: got %d figures, want 1 to 30", x.Name, len(all))
		}
		for _, f := range all {
			if err := f.figure.Validate(); err != nil {
				t.Errorf("%s: %s: %v", x.Name, f.name, err)
			}
		}
		oneLook(t, x.Name, all)
		if newAnalysisView(a).outlines != nil { // it has no tables
			continue
		}
		for _, width := range []int{100, 80} {
			tables := slices.Concat(newAnalysisView(a).summaryTables(), Tables(a))
			for line := range strings.Lines(shownAt(t, tables, width)) {
				if n := characters(strings.TrimSpace(line)); n > width && x != names {
					t.Errorf("%s: got %d characters, want at most %d: %s", x.Name, n, width, line)
				}
			}
		}
		distinct(t, numberMacros(newAnalysisView(a)))
		// the others take long, and are alike
		most := slices.Contains([]string{"long-names", "frequency", "classes"}, x.Name)
		if most {
			for _, f := range all {
				if _, omitted, err := runJobs(f.jobs(filepath.Join(dir, x.Name, "figures"), x.Name,
					Options{})); err != nil || len(omitted) > 0 {
					t.Fatal(err, omitted)
				}
			}
		}
		for _, kind := range []string{"", crowded} {
			if x.Name == "classes" && kind == "" && !whole {
				crowd(a)
				continue
			}
			of, folder := newAnalysisView(a), filepath.Join(dir, x.Name+kind, "tables")
			jobs := macroJobs(folder, of)
			for _, f := range tableFiles {
				jobs = append(jobs, tableJobs(f.name, folder, Options{}, f.tables(of), nil)...)
			}
			if _, omitted, err := runJobs(jobs); err != nil || len(omitted) > 0 {
				t.Fatal(err, omitted)
			}
			for k := range dirs {
				dirs[k] = append(dirs[k], x.Name+kind)
			}
			if crowd(a); !most {
				break
			}
		}
	}
	compiled(t, tool.LaTeX(t), dir, dirs)
}

// oneLook holds the figures of an experiment to give whoever has a name one style, and no panel
// with many names two of one colour.
func oneLook(t *testing.T, name string, all []namedFigure) {
	styles := make(map[string]int)
	for _, f := range all {
		for _, p := range f.figure.Panels {
			colours := make(map[int]string)
			for _, s := range p.Series {
				if s.Label == "" || s.Thin {
					continue
				}
				label, _, _ := strings.Cut(s.Label, " (")
				if style, known := styles[label]; known && style != s.Style {
					t.Errorf("%s: %s: %s: got styles %d and %d, want one", name, f.name, label, style, s.Style)
				}
				styles[label] = s.Style
				other, used := colours[figure.Colour(s.Style)]
				if strings.HasPrefix(f.name, "problem-") && used && other != label {
					t.Errorf("%s: %s: got one colour of %s and %s, want two", name, f.name, label, other)
				}
				colours[figure.Colour(s.Style)] = label
			}
		}
	}
}

// crowd gives every metric of every pair long numbers, on at most 8 problems.
func crowd(a *analysis.Analysis) {
	a.Problems = a.Problems[:min(len(a.Problems), 8)]
	a.Pairs = slices.DeleteFunc(a.Pairs, func(p analysis.Pair) bool {
		return !slices.ContainsFunc(a.Problems,
			func(q analysis.Problem) bool { return q.Spec == p.Problem })
	})
	for i := range a.Pairs {
		for name, s := range a.Pairs[i].Series {
			if len(s.Mean.T) == 0 {
				continue
			}
			for k := range s.Mean.T {
				s.Mean.Value[k], s.Mean.Lower[k], s.Mean.Upper[k] = -123456.7, -124456.7, -122456.7
			}
			if s.State = analysis.Measured; a.Metric(name).Fitted {
				s.Fit = &analysis.Fit{Design: stats.AlongT, Shape: stats.OffsetPower,
					Exponent:   analysis.Estimate{Value: -10.52, Lower: -11.49, Upper: -10.22},
					Increments: analysis.Estimate{Value: 0.45}, From: 10, To: 1000, Points: 30, Replicates: 2}
				s.Replicates, s.Of = 20, 30
			}
		}
	}
}
