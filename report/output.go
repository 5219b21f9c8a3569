package report

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/internal/file"
	"ocobench/report/table"
)

// Dir returns the directory below dir that has the files of an experiment.
func Dir(dir, experiment string) string { return filepath.Join(dir, experiment) }

// Options are what can be chosen of tables and figures.
type Options struct {
	Bounds bool // the figures show the bounds of the proofs
	// Metrics are those of the tables; nil stands for those that every experiment
	// shows.
	Metrics []algorithms.Metric
}

// Written is what there is of an experiment once its tables and figures are written.
type Written struct {
	Analysis *analysis.Analysis
	Files    []string       // their paths
	First    []*table.Table // those of [First]
}

// First returns the tables of an experiment for a terminal: those of [Finals] or, for more
// algorithms than a figure shows and without a sweep, that of [Standings]. An experiment
// that shows comparator sets has none. Nil metrics stand for those that every experiment
// shows.
func First(a *analysis.Analysis, metrics []algorithms.Metric) []*table.Table {
	if outlines(a) != nil {
		return nil
	}
	return printed(a, finalTables(a, metrics), Standings(a))
}

// finalTables returns the tables of final values, of the metrics that are chosen.
func finalTables(a *analysis.Analysis, chosen []algorithms.Metric) []*table.Table {
	if chosen == nil {
		return Finals(a, glance(a))
	}
	return Finals(a, metricsNamed(a, chosen))
}

// metricsNamed returns metrics by their names.
func metricsNamed(a *analysis.Analysis, names []algorithms.Metric) (metrics []analysis.Metric) {
	for _, m := range names {
		metrics = append(metrics, a.Metric(m))
	}
	return metrics
}

// Write writes the analysis of an experiment into [Dir], with its tables and figures.
func Write(dir string, a *analysis.Analysis, o Options) (w Written, err error) {
	w.Analysis = a
	dir = Dir(dir, a.Experiment.Name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return w, err
	}
	var tables sync.WaitGroup // they are written while the figures are drawn
	var failed error
	tables.Go(func() {
		if failed = writeAnalysis(dir, a, &w.Files); failed == nil && outlines(a) == nil {
			w.First, failed = writeTables(dir, a, o.Metrics, &w.Files)
		}
	})
	saved, err := saveAll(dir, a.Experiment.Name, figures(a, o.Bounds))
	tables.Wait()
	if failed != nil {
		return w, failed
	}
	w.Files = append(w.Files, saved...)
	return w, err
}

// writeAnalysis writes all numbers of an experiment, and appends the path to files.
func writeAnalysis(dir string, a *analysis.Analysis, files *[]string) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "analysis.json")
	err = file.Write(name, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
	if err == nil {
		*files = append(*files, name)
	}
	return err
}

// writeTables writes the tables of an experiment, appends their paths to files, and
// returns the tables for a terminal.
func writeTables(dir string, a *analysis.Analysis, chosen []algorithms.Metric, files *[]string) (first []*table.Table, err error) {
	metrics, _ := shown(a)
	if chosen != nil {
		metrics = metricsNamed(a, chosen)
	}
	finals, standings := finalTables(a, chosen), Standings(a)
	type output struct {
		name   string
		tables []*table.Table
		values *table.Table // for CSV
	}
	all := []output{{"finals", finals, finalValues(a, metrics)}}
	add := func(name string, t *table.Table) {
		if t != nil {
			all = append(all, output{name, []*table.Table{t}, t})
		}
	}
	add("exponents", Exponents(a, metrics))
	add("rates", Rates(a))
	add("overview", Overview(a, metrics))
	add("claims", standings)
	for _, m := range metrics {
		add("means-"+string(m.Name), Means(a, m))
	}
	for _, n := range all {
		written, err := writeTable(filepath.Join(dir, n.name), n.tables, n.values)
		if err != nil {
			return nil, err
		}
		*files = append(*files, written...)
	}
	for _, f := range [][2]string{{"preamble.tex", table.Preamble}, {"macros.tex", Macros(a, metrics)}} {
		path := filepath.Join(dir, f[0])
		if err := file.Write(path, func(w io.Writer) error { _, err := io.WriteString(w, f[1]); return err }); err != nil {
			return nil, err
		}
		*files = append(*files, path)
	}
	return printed(a, finals, standings), nil
}

// printed returns the tables for a terminal.
func printed(a *analysis.Analysis, finals []*table.Table, standings *table.Table) []*table.Table {
	if sweeps, _, _ := sweepsOf(a); sweeps == nil && standings != nil && len(a.Algorithms) > maxLines {
		return []*table.Table{standings}
	}
	return finals
}

// saveAll draws the figures of an experiment in parallel, and writes their captions.
// Drawing takes most of the time of a run whose cells are in the store.
func saveAll(dir, experiment string, all []namedFigure) (files []string, err error) {
	saved := make([][]string, len(all))
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, d := range all {
		wg.Go(func() {
			s, err := d.figure.Save(dir, d.name)
			if err == nil {
				path := filepath.Join(dir, d.name+".tex")
				s.Files = append(s.Files, path)
				err = writeCaption(path, experiment, d)
			}
			saved[i], errs[i] = s.Files, err
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", all[i].name, err)
		}
		files = append(files, saved[i]...)
	}
	return files, nil
}

// writeTable writes tables into one file of each format, with a blank line between
// them.
func writeTable(base string, tables []*table.Table, values *table.Table) (files []string, err error) {
	for _, f := range table.Formats {
		some := tables
		if f.Values {
			some = []*table.Table{values}
		}
		err := file.Write(base+f.Ext, func(w io.Writer) error { return f.Write(w, some...) })
		if err != nil {
			return nil, err
		}
		files = append(files, base+f.Ext)
	}
	return files, nil
}
