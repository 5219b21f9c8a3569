package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"ocobench/harness/analysis"
	"ocobench/paper"
	"ocobench/paper/claims"
	"ocobench/report"
	"ocobench/report/table"
)

type paperCmd struct {
	outputFlags
	Quick bool `help:"Fewer replicates and repetitions, for a look. All that is written says so."`
}

// Help implements the verb's help.
func (*paperCmd) Help() string {
	return `bench paper plays the experiments of the article about Penalised FTRL, tests the
claims of the paper, and writes OUT/paper: every table and figure, the claims with
their verdicts, and article.tex, which includes them. index.md says what is there, and
index.html is a page of the experiments. Stored cells are not played again.

To compile the article, go to OUT/paper and call pdflatex article twice. On Debian it
needs texlive-latex-base, texlive-latex-recommended, texlive-pictures, texlive-science
and lmodern. scripts/paper.sh does all this.`
}

// Run implements the verb.
func (c *paperCmd) Run(e *env) error {
	out := c.outputFlags
	out.Out = path(filepath.Join(string(c.Out), "paper"))
	w, err := e.compute(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	var failed error
	measured := make(map[string]*analysis.Analysis)
	var all []report.Written
	for _, name := range claims.Experiments(claims.All(), paper.Article...) {
		x, err := paperExperiment(name, c.Quick)
		if err != nil {
			return err
		}
		written, err := w.produce(x, &out)
		if written.Analysis == nil {
			return err
		}
		failed = errors.Join(failed, err)
		measured[name] = written.Analysis
		all = append(all, written)
	}
	items := itemsOf(all)
	if c.Quick {
		for k := range items {
			a := *items[k].Analysis
			a.Experiment.Description = paper.QuickNote + " " + a.Experiment.Description
			items[k].Analysis = &a
		}
	}
	if err := e.writePage(out.page(), items); err != nil {
		return err
	}
	verdicts, err := e.judge(claims.All(), measured, c.Quick)
	if err != nil {
		return err
	}
	if err := paper.WriteArticle(string(out.Out), all, verdicts, c.Quick); err != nil {
		return err
	}
	if err := e.show(paper.Verdicts(verdicts, c.Quick), table.Width); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "the article is %s; %s says what is there\n", filepath.Join(string(out.Out), "article.tex"), filepath.Join(string(out.Out), "index.md"))
	return failed
}
