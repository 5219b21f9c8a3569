package cli

import (
	"context"
	"errors"
	"path/filepath"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
	"ocobench/paper"
	"ocobench/paper/claims"
	"ocobench/paper/published"
	"ocobench/report/page"
	"ocobench/report/table"
)

// claimsCmd holds the flags of bench claims, which tests the claims of the paper, or plays the
// published figures and tables of other papers.
type claimsCmd struct {
	storeFlags
	computeFlags
	externalFlags
	Name  string `arg:"" optional:"" help:"A claim by name or number, or a published comparison; default: all." completes:"@claim"`
	Of    string `help:"Play the published figures and tables of a paper, or of all (published)." placeholder:"PAPER" completes:"@paper"`
	Quick bool   `help:"Fewer repetitions and replicates, for a look."`
	JSON  bool   `help:"Print JSON, with the evidence."`
	Out   path   `help:"Also write a page, and the verdicts as claims.md and .json, with --of published.md and .json." placeholder:"DIR"`
}

// Run implements the verb.
func (c *claimsCmd) Run(e *env) error {
	var judge func(w *workbench) (*paper.Document, []page.Item, error)
	name := claims.Kind.Name
	if c.Of != "" {
		chosen, err := published.Choose(c.Of, c.Name)
		if err != nil {
			return err
		}
		name = published.Kind.Name
		judge = func(w *workbench) (*paper.Document, []page.Item, error) {
			return c.playPublished(w, chosen)
		}
	} else {
		chosen, err := claims.Choose(c.Name)
		if err != nil {
			return err
		}
		judge = func(w *workbench) (*paper.Document, []page.Item, error) {
			return c.testClaims(w, chosen)
		}
	}
	outPath := func(name string) path { return path(filepath.Join(string(c.Out), name)) }
	if c.Out != "" {
		if err := outPath(name + ".md").checkWritable("--out"); err != nil {
			return err
		}
	}
	w, err := e.openForComputing(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	w.forPaper = true
	d, items, failed := judge(w)
	if d == nil {
		return failed
	}
	if c.Out != "" {
		err := outPath(name+".md").writeFile("--out", d.WriteMarkdown)
		if err == nil {
			err = outPath(name+".json").writeFile("--out", d.WriteJSON)
		}
		if err == nil && len(items) > 0 {
			err = e.warnOmitted(e.writePage(outPath(page.File), items))
		}
		if err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		err = d.WriteJSON(e.stdout)
	case c.Name != "":
		err = d.Entries[0].WriteText(e.stdout, e.outputWidth(table.Width))
	default:
		err = e.printTable(d.Table(), table.Width)
	}
	return errors.Join(err, failed)
}

// testClaims plays the experiments that claims need, and runs the checks. With the error of failed
// cells it also returns the document.
func (c *claimsCmd) testClaims(w *workbench, chosen []*claims.Claim) (*paper.Document,
	[]page.Item, error) {
	var failed error
	var items []page.Item
	measured := make(map[string]*analysis.Analysis)
	for _, name := range claims.Experiments(chosen) {
		x, err := paperExperiment(name, c.Quick)
		if err != nil {
			return nil, nil, err
		}
		plan, err := w.planExperiment(x)
		if err != nil {
			return nil, nil, err
		}
		a, _, err := w.computeAndAnalyse(plan)
		if a == nil {
			return nil, nil, err
		}
		failed = errors.Join(failed, err)
		measured[name] = a
		items = append(items, page.Item{Analysis: a})
	}
	d, err := w.judgeClaims(chosen, measured, c.Quick)
	if err != nil {
		return nil, nil, err
	}
	return d, items, failed
}

// paperExperiment returns an experiment of the article. A quick one has fewer replicates.
func paperExperiment(name string, quick bool) (*spec.Experiment, error) {
	x, err := experiments.Read(name)
	if err == nil && quick {
		x.Replicates = experiments.QuickReplicates(x.Replicates)
	}
	return x, err
}

// judgeClaims runs the checks of claims on the analyses of their experiments.
func (e *env) judgeClaims(chosen []*claims.Claim, measured map[string]*analysis.Analysis,
	quick bool) (*paper.Document, error) {
	defer e.showStage("checking %s", plural(len(chosen), "claim"))()
	d, err := claims.Judge(e.ctx, e.catalog, chosen, measured, quick)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	case err != nil:
		return nil, &failedError{err}
	}
	return d, nil
}

// playPublished plays the experiments of published figures and tables. An experiment is not played
// if its program is not among those of --external. With the error of failed cells it also returns
// the document.
func (c *claimsCmd) playPublished(w *workbench, chosen []*published.Entry) (*paper.Document,
	[]page.Item, error) {
	var failed error
	var items []page.Item
	d := &paper.Document{Kind: published.Kind, Quick: c.Quick}
	for _, entry := range chosen {
		results := make(map[string]*run.Results)
		for _, x := range entry.Experiments(c.Quick) {
			if x.Program() != "" {
				if _, started := algorithms.Lookup(w.catalog.Algorithms, x.Program()); !started {
					continue
				}
			}
			r, err := w.playPublishedExperiment(x.Spec)
			if r == nil {
				return nil, nil, err
			}
			failed = errors.Join(failed, err)
			results[x.Spec.Name] = r
		}
		judged := entry.Judge(entry.FromResults(results))
		d.Entries = append(d.Entries, judged)
		stated := results[entry.Name] // of the experiment as the paper states it, without a cause
		if c.Out == "" || stated == nil {
			continue
		}
		a, err := w.analyse(stated)
		if err != nil {
			return nil, nil, err
		}
		a.Experiment.Description = judged.Summary()
		items = append(items, page.Item{Analysis: a})
	}
	return d, items, failed
}

// playPublishedExperiment plays an experiment of a published figure or table. With the error of
// failed cells it also returns the results.
func (w *workbench) playPublishedExperiment(x *spec.Experiment) (*run.Results, error) {
	plan, err := w.planExperiment(x)
	if err != nil {
		return nil, err
	}
	w.printUnmetCount(plan)
	r, p, err := w.computeAndLoad(plan)
	if err != nil {
		return nil, err
	}
	return r, p.failedCells("; finished cells are stored")
}
