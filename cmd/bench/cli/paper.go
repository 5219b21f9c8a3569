package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"ocobench/harness/analysis"
	"ocobench/paper"
	"ocobench/paper/claims"
	"ocobench/report"
	"ocobench/report/page"
	"ocobench/report/table"
)

// paperFolder is the folder of bench paper below --out.
const paperFolder = "paper"

// paperCmd holds the flags of bench paper, which makes the article: its experiments, tables,
// figures and claims.
type paperCmd struct {
	outputFlags
	Quick bool `help:"Fewer replicates and repetitions, for a look."`
}

// Run implements the verb.
func (c *paperCmd) Run(e *env) error {
	out := c.outputFlags
	out.Out = path(filepath.Join(string(c.Out), paperFolder))
	w, err := e.openForComputing(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	w.forPaper = true
	var failed error
	measured := make(map[string]*analysis.Analysis)
	var all []report.Written
	for _, name := range claims.Experiments(claims.All(), paper.ArticleExperiments...) {
		x, err := paperExperiment(name, c.Quick)
		if err != nil {
			return err
		}
		written, err := w.runOne(x, &out)
		if written.Analysis == nil {
			return err
		}
		failed = errors.Join(failed, err)
		measured[name] = written.Analysis
		all = append(all, written)
	}
	var items []page.Item
	for _, written := range all {
		a := *written.Analysis
		if c.Quick {
			a.Experiment.Description = paper.QuickNote + " " + a.Experiment.Description
		}
		items = append(items, page.Item{Analysis: &a, Tables: written.Tables,
			Omitted: written.Omitted})
	}
	if err := e.warnOmitted(e.writePage(out.pagePath(), items)); err != nil {
		return err
	}
	d, err := e.judgeClaims(claims.All(), measured, c.Quick)
	if err != nil {
		return err
	}
	if err := paper.WriteArticle(string(out.Out), all, d); err != nil {
		return err
	}
	if err := e.printTable(d.Table(), table.Width); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "the article is %s; %s says what is there\n",
		filepath.Join(string(out.Out), "article.tex"), filepath.Join(string(out.Out), "index.md"))
	return failed
}
