package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment/spec"
	"ocobench/internal/file"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/page"
)

// What an experiment leaves in OUT: bench without a verb, run, slurm and paper measure
// experiments one after another, write the files of each, print its first tables, and
// then write a page of all. A page of each experiment stays in its folder when the next run
// replaces that page, which links to it.

// outputFlags holds the flags of verbs that run experiments.
type outputFlags struct {
	storeFlags
	Out     path     `help:"The directory of tables and figures; default ${default}." default:"out" placeholder:"DIR"`
	Bounds  bool     `help:"Draw the bounds of the proofs in the figures."`
	Font    string   `help:"The font of figures: cm (Latin Modern, the default) or times." enum:",cm,times" default:"" placeholder:"cm|times"`
	Formats []string `help:"More formats than txt, tex and pdf: ${formats}." placeholder:"NAMES" completes:"@format"`
	computeFlags
}

// runFlags holds the flags of bench run that its jobs on a cluster get too, by [commandWords].
type runFlags struct {
	outputFlags
	Metric   []string `help:"What page, figures and tables show; default: the key metrics of the experiment." aliases:"tables" placeholder:"NAMES" completes:"@metric"`
	Baseline string   `help:"The algorithm that others are compared with; default: the experiment's, your own, or the first." placeholder:"B" completes:"@algorithm"`
	externalFlags
}

// setFocus changes the metrics and the baseline of an experiment, if the flags are given.
func (f *runFlags) setFocus(x *spec.Experiment) error {
	if f.Baseline != "" {
		x.Baseline = f.Baseline
	}
	if len(f.Metric) == 0 {
		return nil
	}
	err := checkFocus(f.Metric)
	x.Metrics = uniqueNames(f.Metric)
	return err
}

// uniqueNames returns names without repetitions, in the order of their first occurrence.
func uniqueNames(names []string) (all []string) {
	for _, name := range names {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// pagePath returns the file of the page of all experiments of a run.
func (f *outputFlags) pagePath() path { return path(filepath.Join(string(f.Out), page.File)) }

// pageOf returns the file of the page of one experiment.
func (f *outputFlags) pageOf(experiment string) path {
	return path(filepath.Join(report.Dir(string(f.Out), experiment), page.File))
}

// reportOptions returns the options of tables and figures.
func (f *outputFlags) reportOptions() (report.Options, error) {
	return report.Options{Bounds: f.Bounds, Font: fontNamed(f.Font), Formats: f.Formats},
		checkKnown("--formats", "format", report.Formats(), f.Formats...)
}

// runAll runs experiments, writes the analysis, tables and figures of each and a page of all, and
// prints the first tables of each.
func (w *workbench) runAll(all []*spec.Experiment, f *outputFlags) error {
	return w.runAndPrint(all, f, func(x *spec.Experiment) (report.Written, error) {
		return w.runOne(x, f)
	})
}

// runAndPrint calls produce for each experiment, prints its first tables, and writes its page and a
// page of all.
func (w *workbench) runAndPrint(all []*spec.Experiment, f *outputFlags,
	produce func(*spec.Experiment) (report.Written, error)) error {
	var items []page.Item
	var failed error
	for _, x := range all {
		out, err := produce(x)
		if out.Analysis == nil {
			return err
		}
		failed = errors.Join(failed, err)
		items = append(items, page.Item{Analysis: out.Analysis, Tables: out.Tables,
			Omitted: out.Omitted}.Lasting())
		if err := w.printTables(out.Summary); err != nil {
			return err
		}
		if further := out.FurtherFiles(); further != "" {
			fmt.Fprintf(w.stderr, "%s: %s\n", x.Name, further)
		}
		thisItem := items[len(items)-1:]
		err = w.warnOmitted(w.savePage(f.pageOf(x.Name), thisItem, page.Latest))
		if err != nil {
			return err
		}
	}
	if err := w.warnOmitted(w.writePage(f.pagePath(), items)); err != nil {
		return err
	}
	return failed
}

// runOne runs an experiment, and writes its analysis, tables and figures. With the error of failed
// cells it also returns what was written. It computes nothing if the page cannot be written.
func (w *workbench) runOne(x *spec.Experiment, f *outputFlags) (out report.Written, err error) {
	if _, err := f.reportOptions(); err != nil {
		return out, err
	}
	plan, err := w.planExperiment(x)
	if err == nil { // files that cannot be written are found before what may take hours
		err = f.checkWritable(x)
	}
	if err != nil {
		return out, err
	}
	a, p, failed := w.computeAndAnalyse(plan)
	if a == nil {
		return out, failed
	}
	if out, err = w.writeReport(a, f, p.countsText(w.store)); err != nil {
		return out, err
	}
	return out, failed
}

// checkWritable returns an error if the files of an experiment cannot be written.
func (f *outputFlags) checkWritable(x *spec.Experiment) error {
	dir := report.Dir(string(f.Out), x.Name)
	taken := map[string]string{page.File: "the page", paperFolder: "bench paper"}
	if what := taken[x.Name]; what != "" {
		return fmt.Errorf("--out: the folder of experiment %s is that of %s; give it another name",
			x.Name, what)
	}
	for _, name := range []path{f.pagePath(), f.pageOf(x.Name)} {
		if err := page.CheckReplaceable(string(name)); err != nil {
			return fmt.Errorf("--out: %w or name another directory", err)
		}
	}
	err := os.MkdirAll(dir, 0o777)
	if err != nil {
		return fmt.Errorf("--out: %w; name a writable directory", err)
	}
	for _, folder := range report.Folders(string(f.Out), x.Name) {
		if _, err = file.Sweep(folder); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}

// writeReport writes an analysis with its tables and figures.
func (w *workbench) writeReport(a *analysis.Analysis, f *outputFlags,
	counts string) (report.Written, error) {
	o, err := f.reportOptions()
	if err != nil {
		return report.Written{}, err
	}
	name := a.Experiment.Name
	end := w.showStage("%s: drawing", name)
	out, err := report.Write(string(f.Out), a, o)
	end()
	if err != nil {
		return report.Written{}, err
	}
	w.warn(errors.Join(append(slices.Clip(out.Omitted), report.Undrawable(a))...))
	removed := ""
	if out.Removed > 0 {
		removed = fmt.Sprintf(", %d of an earlier run removed", out.Removed)
	}
	fmt.Fprintf(w.stderr, "%s: %s; %s in %s%s\n", name, counts, plural(len(out.Files), "file"),
		report.Dir(string(f.Out), name), removed)
	return out, nil
}

// writePage writes a page to the file of --out, and says where it is. The page of a directory
// lists the runs there.
func (e *env) writePage(name path, all []page.Item) error {
	var runs []page.Run
	if dir, base := filepath.Split(string(name)); base == page.File {
		runs = page.Runs(filepath.Clean(dir), all)
	}
	end := e.showStage("drawing the page")
	err := e.savePage(name, all, runs...)
	end()
	if err == nil {
		fmt.Fprintf(e.stderr, "the page is %s\n", input.Shown(string(name)))
	}
	return err
}

// savePage writes a page to a file.
func (e *env) savePage(name path, all []page.Item, runs ...page.Run) error {
	if err := page.CheckReplaceable(string(name)); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	var drawn bytes.Buffer
	if err := report.Attempt(string(name), func() error {
		return page.Write(&drawn, all, runs...)
	}); err != nil {
		return err
	}
	return name.writeFile("--out", file.Bytes(drawn.Bytes()))
}

// warnOmitted warns of a view that could not be drawn. It returns any other error.
func (e *env) warnOmitted(err error) error {
	var o *report.Omission
	if !errors.As(err, &o) {
		return err
	}
	e.warn(err)
	return nil
}
