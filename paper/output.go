package paper

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"ocobench/harness/analysis"
	"ocobench/internal/file"
	"ocobench/paper/table"
)

// Dir returns the directory below dir that has the files of an experiment.
func Dir(dir, experiment string) string { return filepath.Join(dir, experiment) }

// Write writes the analysis of an experiment into [Dir], with its tables and
// figures. It returns the paths of the files, and the tables for a terminal: those of
// [Finals] or, for more algorithms than a figure shows and without a sweep, that of
// [Standings]. An experiment that shows comparator sets has no tables. With bounds the
// figures show the bounds of the proofs too.
func Write(dir string, a *analysis.Analysis, bounds bool) (files []string, first []*table.Table, err error) {
	dir = Dir(dir, a.Experiment.Name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, err
	}
	data, err := json.Marshal(a)
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Join(dir, "analysis.json")
	err = file.Write(name, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	files = append(files, name)
	if outlines(a) == nil {
		if first, err = writeTables(dir, a, &files); err != nil {
			return nil, nil, err
		}
	}
	saved, err := saveAll(dir, a.Experiment.Name, figures(a, bounds))
	return append(files, saved...), first, err
}

// writeTables writes the tables of an experiment, appends their paths to files, and
// returns the tables for a terminal.
func writeTables(dir string, a *analysis.Analysis, files *[]string) (first []*table.Table, err error) {
	finals, standings := Finals(a), Standings(a)
	type named struct {
		name   string
		tables []*table.Table
		values *table.Table // for CSV
	}
	all := []named{{"finals", finals, finalValues(a)}}
	add := func(name string, t *table.Table) {
		if t != nil {
			all = append(all, named{name, []*table.Table{t}, t})
		}
	}
	add("exponents", Exponents(a))
	add("rates", Rates(a))
	add("overview", Overview(a))
	add("claims", standings)
	metrics, _ := shown(a)
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
				err = writeCaption(path, d.name, experiment+"-"+d.name, d.caption)
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

// writers are the formats of tables, by the extension of the file. Values tells that
// the format is for numbers, and has the table of the values only.
var writers = []struct {
	ext    string
	values bool
	write  func(io.Writer, *table.Table) error
}{
	{".txt", false, func(w io.Writer, t *table.Table) error { return table.WriteTerminal(w, t, table.Width) }},
	{".md", false, table.WriteMarkdown},
	{".csv", true, table.WriteCSV},
	{".tex", false, table.WriteLaTeX},
}

// writeTable writes tables into one file of each format, with a blank line between
// them.
func writeTable(base string, tables []*table.Table, values *table.Table) (files []string, err error) {
	for _, w := range writers {
		some := tables
		if w.values {
			some = []*table.Table{values}
		}
		err := file.Write(base+w.ext, func(out io.Writer) error {
			for k, t := range some {
				if k > 0 {
					fmt.Fprintln(out)
				}
				if err := w.write(out, t); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		files = append(files, base+w.ext)
	}
	return files, nil
}
