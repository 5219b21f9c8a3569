package paper

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ocobench/harness/store"
	"ocobench/internal/file"
	"ocobench/report"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// ArticleExperiments names the experiments whose tables and figures the article shows. The
// claims need others too.
var ArticleExperiments = []string{"frequency", "frequency-long", "weights", "sets", "conjecture",
	"six-classes", "classes"}

//go:embed article/article.tex
var article []byte

//go:embed article/frozen.tex
var frozenProof []byte

//go:embed article/averaged.tex
var averagedProof []byte

//go:embed article/clipped.tex
var clippedProof []byte

// WriteArticle writes into dir, which has the tables and figures of the experiments, the
// other files of the article: the claims with their verdicts, the sketch of the penalty,
// the settings, article.tex, and an index of all that is there.
func WriteArticle(dir string, experiments []report.Written, claims *Document) error {
	parts := []struct {
		name, about string
		write       func(w io.Writer) error
	}{
		{"claims.md", "what is tested of the paper, with verdict and evidence",
			claims.WriteMarkdown},
		{"claims.json", "the same for programs, with proofs", claims.WriteJSON},
		{"claims.tex", "the same in short, for the article", claims.WriteLaTeX},
		{"claims-macros.tex", "a LaTeX command for every verdict and the numbers behind it",
			claims.WriteMacros},
		{"settings.tex", "LaTeX commands for the program and the size of the run",
			func(w io.Writer) error { return writeSettings(w, experiments, claims.Quick) }},
		{"frozen.tex", "Theorem 1 as amended, and why the comparator set freezes under Condition 2",
			file.Bytes(frozenProof)},
		{"averaged.tex", "the theorem of the averaged primal-dual update, with its proof",
			file.Bytes(averagedProof)},
		{"clipped.tex", "the theorem of the clipped update and its lower bound, with their proofs",
			file.Bytes(clippedProof)},
		{"article.tex", "the text of the article", file.Bytes(article)},
	}
	var index strings.Builder
	index.WriteString("# What is here\n\n")
	if claims.Quick {
		index.WriteString(QuickNote + "\n\n")
	}
	index.WriteString("Compile with `pdflatex article`, twice.\n\n- [index.html](index.html): a " +
		"page of the experiments, for a browser\n")
	for _, p := range parts {
		if err := file.Write(filepath.Join(dir, p.name), p.write); err != nil {
			return err
		}
		fmt.Fprintf(&index, "- [%s](%s): %s\n", p.name, p.name, p.about)
	}
	sketch, err := PenaltySketch().Save(dir, "penalty", figure.PDF)
	if err != nil {
		return err
	}
	for _, path := range sketch {
		name := filepath.Base(path)
		fmt.Fprintf(&index, "- [%s](%s): what the penalty does, in one dimension\n", name, name)
	}
	for _, x := range experiments {
		a, name := x.Analysis, x.Analysis.Experiment.Name
		fmt.Fprintf(&index, "\n## %s\n\n%s. T = %d, %s, seed %d.\n\n", name,
			table.EscapeMarkdown(a.Experiment.Description), a.Experiment.Last(), report.Replicates(a),
			a.Experiment.Seed)
		for _, base := range groupByName(report.Dir(dir, name), x.Files) {
			fmt.Fprintf(&index, "- %s/%s\n", name, base)
		}
	}
	return file.Write(filepath.Join(dir, "index.md"), file.Bytes([]byte(index.String())))
}

// groupByName returns the names of files below dir, in order, with the endings that each
// comes in, such as "tables/finals (tex, txt)".
func groupByName(dir string, files []string) (out []string) {
	endings := make(map[string][]string)
	for _, f := range files {
		ext := filepath.Ext(f)
		base := strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(f, dir)), ext)[1:]
		endings[base] = append(endings[base], ext[1:])
	}
	for _, base := range slices.Sorted(maps.Keys(endings)) {
		slices.Sort(endings[base])
		out = append(out, fmt.Sprintf("%s (%s)", base, strings.Join(endings[base], ", ")))
	}
	return out
}

// writeSettings writes the LaTeX commands of the run as a whole, such as \ocoVersion and
// \ocoFrequencyReplicates, and on how many Pareto fronts each algorithm is, such as
// \ocoClassesFrontPrimalDual; \ifocoquick tells a quick one.
func writeSettings(w io.Writer, experiments []report.Written, quick bool) error {
	var out strings.Builder
	p := store.CurrentProvenance()
	fmt.Fprintf(&out, "%% Generated: the settings of the run.\n\\newif\\ifocoquick\n")
	if quick {
		out.WriteString("\\ocoquicktrue\n")
	}
	command := func(name, value string) {
		fmt.Fprintf(&out, "\\newcommand{\\oco%s}{%s}\n", name, tex.LaTeX(tex.Escape(value)))
	}
	command("Version", p.Version)
	command("Go", p.Go)
	command("Arch", p.GOARCH)
	// Experiments may share games. counted has the largest number of replicates of a game so far,
	// so that each replicate counts once.
	games, counted := 0, make(map[string]int)
	for _, x := range experiments {
		a, base := x.Analysis, report.Letters(x.Analysis.Experiment.Name)
		command(base+"Horizon", fmt.Sprint(a.Experiment.Last()))
		command(base+"Replicates", fmt.Sprint(a.Experiment.Replicates))
		command(base+"Seed", fmt.Sprint(a.Experiment.Seed))
		command(base+"Confidence", fmt.Sprintf("%g", 100*a.Experiment.Confidence))
		command(base+"Problems", fmt.Sprint(len(a.Problems)))
		command(base+"Algorithms", fmt.Sprint(len(a.Algorithms)))
		for _, e := range a.Algorithms {
			n := 0
			for _, f := range a.Fronts {
				if slices.Contains(f.Algorithms, e.Spec) {
					n++
				}
			}
			command(base+"Front"+report.Letters(e.Spec), fmt.Sprint(n))
		}
		for _, pair := range a.Pairs {
			game := fmt.Sprint(pair.Algorithm, pair.Problem, a.Experiment.Seed, a.Experiment.Horizon)
			played := pair.Played * len(a.Experiment.Horizon)
			games += max(0, played-counted[game])
			counted[game] = max(counted[game], played)
		}
	}
	command("Games", fmt.Sprint(games))
	_, err := io.WriteString(w, out.String())
	return err
}
