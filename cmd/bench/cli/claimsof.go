package cli

import (
	"errors"
	"io"
	"path/filepath"

	"ocobench/algorithms"
	"ocobench/harness/run"
	"ocobench/paper"
	"ocobench/paper/published"
	"ocobench/report/page"
	"ocobench/report/table"
)

// published plays the published figures and tables of papers and prints a verdict for each.
func (c *claimsCmd) published(e *env) error {
	chosen, err := published.Choose(c.Of, c.Name)
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := path(filepath.Join(string(c.Out), "published.md")).ready("--out"); err != nil {
			return err
		}
	}
	w, err := e.compute(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	var verdicts []published.Verdict
	var items []page.Item
	var failed error
	for _, entry := range chosen {
		results := make(map[string]*run.Results)
		for _, g := range entry.Games(c.Quick) {
			if g.Program() != "" && !e.plays(g.Program()) {
				continue
			}
			r, err := w.results(g)
			if r == nil {
				return err
			}
			failed = errors.Join(failed, err)
			results[g.Name] = r
		}
		v := entry.Judge(c.Quick, results)
		verdicts = append(verdicts, v)
		if c.Out == "" || results[entry.Name] == nil {
			continue
		}
		a, err := w.analyse(results[entry.Name])
		if err != nil {
			return err
		}
		a.Experiment.Description = paper.Described(v)
		items = append(items, page.Item{Analysis: a})
	}
	if c.Out != "" {
		if err := c.write(e, verdicts, items); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		err = paper.WriteComparisonsJSON(e.stdout, verdicts, c.Quick)
	case c.Name != "":
		err = paper.WriteComparison(e.stdout, verdicts[0], e.width(table.Width))
	default:
		err = e.show(paper.Comparisons(verdicts, c.Quick), table.Width)
	}
	return errors.Join(err, failed)
}

// plays reports whether an algorithm has this name.
func (e *env) plays(name string) bool {
	_, known := algorithms.Lookup(e.catalog.Algorithms, name)
	return known
}

// results plays the experiment of a published comparison. They are there also with the error of
// failed cells.
func (w *workbench) results(g published.Game) (*run.Results, error) {
	plan, err := w.plan(g.Experiment)
	if err != nil {
		return nil, err
	}
	plan.RecordAs = run.PaperRecord(g.Name)
	w.sayUnmet(plan)
	p, err := w.play(plan)
	if err != nil {
		return nil, interrupted(err, kept)
	}
	r, err := run.LoadExperiment(w.store, plan.RecordAs)
	if err != nil {
		return nil, err
	}
	return r, p.lost("; finished cells are stored")
}

// write writes the files of --out.
func (c *claimsCmd) write(e *env, verdicts []published.Verdict, items []page.Item) error {
	in := func(name string) path { return path(filepath.Join(string(c.Out), name)) }
	err := in("published.md").write("--out", func(w io.Writer) error {
		return paper.WriteComparisonsMarkdown(w, verdicts, c.Quick)
	})
	if err == nil {
		err = in("published.json").write("--out", func(w io.Writer) error {
			return paper.WriteComparisonsJSON(w, verdicts, c.Quick)
		})
	}
	if err != nil || len(items) == 0 {
		return err
	}
	return e.warnOmitted(e.writePage(in(page.File), items))
}
