package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/page"
)

type reportCmd struct {
	Experiment []string `arg:"" optional:"" help:"Which experiments; default: all but what bench tune played." placeholder:"EXPERIMENT" completes:"@stored"`
	storeFlags
	Out    path `help:"The file; default ${default}." default:"out/index.html" placeholder:"FILE.html"`
	Beside path `help:"Another store, or a file of bench export --archive, to compare with." placeholder:"STORE|FILE"`
}

// Help implements the verb's help.
func (*reportCmd) Help() string {
	return `A page of what the store has of experiments: one HTML file that opens from the disk,
without a network. It has who keeps both regret and violation small, every pair of a
problem and an algorithm, their curves, and the commands that play them again. Nothing
is computed that is missing. bench run writes the same page of its experiment to
OUT/index.html.

    bench run examples/quick.yaml
    bench report quick --out quick.html

With --beside, each experiment is shown with the one of the same name there, or else
with the one that shares the most problems, and the final means are compared.

    bench report --store results --beside before.ocobench`
}

// Run implements the verb.
func (c *reportCmd) Run(e *env) error {
	out := string(c.Out)
	if filepath.Ext(out) != ".html" {
		return fmt.Errorf("--out: unknown ending of %s (expected .html)", input.Shown(out))
	}
	if err := replaceable(out); err != nil {
		return fmt.Errorf("--out: %w or name another file", err)
	}
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	results, damaged, err := recorded(s, c.Experiment)
	if err != nil {
		return err
	}
	e.warn(damaged)
	var others []reference
	if c.Beside != "" { // before what takes time
		if others, err = references(e, string(c.Beside)); err != nil {
			return fmt.Errorf("--beside: %w", err)
		}
	}
	var all []page.Item
	missing := 0
	for _, r := range results {
		e.warn(r.DamagedCells())
		missing += r.Missing
		end := e.stage("%s: fitting", r.Name)
		a, err := analysis.Of(e.ctx, e.catalog, r)
		end()
		if err != nil {
			return err
		}
		all = append(all, page.Item{Analysis: a, Tables: report.First(a, nil)})
	}
	if c.Beside != "" {
		if err := c.compare(e, all, others); err != nil {
			return fmt.Errorf("--beside: %w", err)
		}
	}
	if err := writePage(e, out, all); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if missing > 0 {
		return &failedError{fmt.Errorf("%s lacks %s of these experiments; run them again to compute what is missing", s.Dir(), plural(missing, "cell"))}
	}
	if damaged != nil {
		return &failedError{errDamagedRecords}
	}
	return nil
}

// recorded returns the results of experiments in a store: of those with these names, or
// of all but what bench tune played. Damaged joins the errors of those that cannot be
// read, where there are others.
func recorded(s *store.Store, names []string) (all []*harness.Results, damaged, err error) {
	records, unread := s.Experiments()
	var known []string
	for _, r := range records {
		known = append(known, r.Name)
	}
	var faults []error
	if len(names) == 0 {
		names = slices.DeleteFunc(slices.Clone(known), harness.ForTuning)
		faults = append(faults, unread)
	}
	for k, name := range names {
		if slices.Contains(names[:k], name) {
			continue
		}
		if _, err := s.Experiment(name); errors.Is(err, store.ErrNotFound) && len(known) > 0 {
			return nil, nil, spec.Unknown("experiment", name, known, spec.Pos{})
		}
		r, err := harness.LoadExperiment(s, name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, r)
	}
	damaged = errors.Join(faults...)
	switch {
	case len(all) == 0 && damaged != nil:
		return nil, nil, damaged
	case len(all) == 0 && len(known) > 0:
		return nil, nil, fmt.Errorf("%s has nothing but what bench tune played; name some of %s", s.Dir(), strings.Join(known, ", "))
	case len(all) == 0:
		return nil, nil, fmt.Errorf("no results in %s; run an experiment first, such as: bench run frequency", s.Dir())
	}
	return all, damaged, nil
}

// compare holds the analyses beside those of the others. It warns of those that it
// cannot compare, and leaves them as they are; where it can compare none, its error says
// why.
func (c *reportCmd) compare(e *env, all []page.Item, others []reference) error {
	stores := sources(string(c.Store), string(c.Beside))
	var faults []error
	for k := range all {
		both, err := c.beside(e, all[k].Analysis, others, stores)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all[k].Analysis = both
	}
	err := errors.Join(faults...)
	if len(faults) == len(all) || e.ctx.Err() != nil {
		return err
	}
	e.warn(err)
	return nil
}

// beside returns an analysis and its counterpart in one.
func (c *reportCmd) beside(e *env, a *analysis.Analysis, others []reference, stores [2]string) (*analysis.Analysis, error) {
	r := counterpart(a, others)
	if r == nil {
		return nil, fmt.Errorf("no experiment of %s shares a problem with %s", input.Shown(string(c.Beside)), a.Experiment.Name)
	}
	other, err := r.analysis()
	if err != nil {
		return nil, err
	}
	if other.Missing > 0 {
		e.warn(fmt.Errorf("%s lacks %s of experiment %s", input.Shown(string(c.Beside)), plural(other.Missing, "cell"), r.name))
	}
	return analysis.SideBySide(e.ctx, a, other, stores)
}

// pageName is the file of the page in OUT.
const pageName = "index.html"

// replaceable returns an error where there is something else than a page of this program.
func replaceable(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return nil // whether it can be written, writing it tells
	}
	head := make([]byte, 1024)
	if info.Mode().IsRegular() {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("%w; move it", err)
		}
		defer f.Close()
		n, err := io.ReadFull(f, head)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return fmt.Errorf("%w; move it", err)
		}
		head = head[:n]
	}
	if !page.Marked(head) {
		return fmt.Errorf("%s is not a page of bench; move it", input.Shown(name))
	}
	return nil
}

// itemsOf returns what a page shows of experiments.
func itemsOf(written []report.Written) (all []page.Item) {
	for _, w := range written {
		all = append(all, page.Item{Analysis: w.Analysis, Tables: w.First})
	}
	return all
}

// writePage writes a page and says where it is.
func writePage(e *env, name string, all []page.Item) error {
	if err := replaceable(name); err != nil {
		return err
	}
	end := e.stage("drawing the page")
	err := writeFile(name, func(w io.Writer) error { return page.Write(w, all) })
	end()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(e.stderr, "the page is %s\n", input.Shown(name))
	return nil
}
