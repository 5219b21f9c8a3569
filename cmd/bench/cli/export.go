package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/game"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/internal/file"
	"ocobench/internal/input"
	"ocobench/report/export"
)

// exportCmd holds the flags of bench export, which writes the results of experiments for other
// programs, or an archive for bench report.
type exportCmd struct {
	sourceFlags
	Experiment []string `help:"The experiments; default: all but NAME-tuning and NAME-paper." placeholder:"NAMES" completes:"@stored"`
	entryFlags
	Metric  []string `help:"The metrics; default: all." placeholder:"NAMES" completes:"@metric"`
	Horizon horizons `help:"The horizons of a sweep across T; default: all." placeholder:"T" sep:"none"`

	Out     path `help:"The file, in the format of its extension." required:"" xor:"to" placeholder:"FILE${exports}"`
	Archive path `help:"Write an archive: games, curves and analyses, for --store and --beside of verbs that show results." required:"" xor:"to" placeholder:"FILE"`
}

// Run implements the verb.
func (c *exportCmd) Run(e *env) error {
	format := slices.IndexFunc(export.Formats,
		func(f export.Format) bool { return f.Ext == filepath.Ext(string(c.Out)) })
	switch {
	case c.Archive != "" && len(c.Algorithm)+len(c.Problem)+len(c.Metric)+len(c.Horizon) > 0:
		return errors.New("--archive: an archive has whole experiments; --algorithm, --problem, " +
			"--metric and --horizon go with --out")
	case c.Archive == "" && format < 0:
		return fmt.Errorf("--out: unknown ending of %s (expected one of %s)", input.Shown(string(c.Out)),
			strings.Join(export.Extensions(), ", "))
	}
	w, err := e.openSource(c.sourceFlags)
	if err != nil {
		return err
	}
	// Sorted, so that the order of the flags does not change the file.
	results, damaged, err := w.readResults(slices.Sorted(slices.Values(c.Experiment)))
	if err != nil {
		return err
	}
	selected, err := c.selection(e, results)
	if err != nil {
		return err
	}
	if c.Archive != "" {
		err = c.writeArchive(w, selected.Results)
	} else {
		err = c.writeExport(e, selected, export.Formats[format])
	}
	if err != nil {
		return err
	}
	return w.checkComplete(selected.Results, damaged)
}

// selection returns what the flags select of the results of experiments.
func (c *exportCmd) selection(e *env, results []*run.Results) (x export.Selection, err error) {
	exported := func(m game.Metric) bool { return m.Exported }
	if x.Metrics, err = metricsOf(c.Metric, exported); err != nil {
		return x, err
	}
	if x.Results, err = c.filterResults(e, results...); err != nil {
		return x, err
	}
	if len(x.Results) == 0 {
		return x, errors.New("no experiment has both an algorithm and a problem that are selected")
	}
	if len(c.Horizon) > 0 {
		if x.Results, err = atHorizons(x.Results, c.Horizon); err != nil {
			return x, err
		}
	}
	if len(c.Metric) == 0 {
		for _, m := range game.Select(exported) {
			x.Metrics = append(x.Metrics, m.Name)
		}
		for _, r := range x.Results {
			for _, name := range r.States {
				if m := algorithms.Metric(name); !slices.Contains(x.Metrics, m) {
					x.Metrics = append(x.Metrics, m)
				}
			}
		}
		return x, nil
	}
	return x, checkRecorded(x.Metrics, x.Results...)
}

// atHorizons returns the part of results that was played to one of the horizons. A horizon that no
// experiment has is an error.
func atHorizons(results []*run.Results, chosen horizons) (parts []*run.Results, err error) {
	var all horizons
	for _, r := range results {
		all = append(all, r.Horizon...)
		if part := r.AtHorizons(chosen); len(part.Horizon) > 0 {
			parts = append(parts, part)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, t := range chosen {
		if !slices.Contains(all, t) {
			return nil, fmt.Errorf("--horizon: no selected experiment has T = %d (expected some of %s)", t,
				all)
		}
	}
	return parts, nil
}

// writeExport writes a selection to --out, and its provenance to a file of the same name with
// .json.
func (c *exportCmd) writeExport(e *env, x export.Selection, f export.Format) error {
	games := 0
	for _, r := range x.Results {
		games += len(r.Games)
	}
	if err := c.Out.writeFile("--out", func(w io.Writer) error { return f.Write(w, x) }); err != nil {
		return err
	}
	if err := (c.Out + ".json").writeFile("--out",
		func(w io.Writer) error { return export.Provenance(w, x.Results) }); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s of %s in %s\n", plural(games, "game"),
		plural(len(x.Results), "experiment"), input.Shown(string(c.Out)))
	return nil
}

// writeArchive writes an archive of the experiments: a snapshot of each, with its analysis.
func (c *exportCmd) writeArchive(w *workbench, results []*run.Results) error {
	var all []*regression.Snapshot
	var needed []string // to play the games again
	pairs := 0
	for _, r := range results {
		a, err := w.analyse(r)
		if err != nil {
			return err
		}
		s, err := regression.TakeAll(w.store, r, a)
		if err != nil {
			return err
		}
		all, pairs = append(all, s), pairs+len(a.Pairs)
		files, flags := r.Needs()
		needed = append(needed, files...)
		for _, flag := range flags {
			needed = append(needed, "what "+flag+" gives")
		}
	}
	var archive bytes.Buffer
	if err := regression.Write(&archive, all); err != nil {
		return err
	}
	size := float64(archive.Len()) / 1e6
	if err := c.Archive.writeFile("--archive", file.Bytes(archive.Bytes())); err != nil {
		return err
	}
	fmt.Fprintf(w.stderr, "%s with %s of an algorithm and a problem in %s, %.3g MB\n",
		plural(len(all), "experiment"), plural(pairs, "pair"), input.Shown(string(c.Archive)), size)
	slices.Sort(needed)
	if needed = slices.Compact(needed); needed != nil {
		fmt.Fprintf(w.stderr, "to play its games again, as bench verify does, hand in with it: %s\n",
			strings.Join(needed, "; "))
	}
	return nil
}
