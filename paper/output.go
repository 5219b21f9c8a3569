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
// figures. It returns the paths of the files, and the table for a terminal. An
// experiment that shows comparator sets has no tables, and first is nil. With bounds
// the figures show the bounds of the proofs too.
func Write(dir string, a *analysis.Analysis, bounds bool) (files []string, first *table.Table, err error) {
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
	all := figures(a, bounds)
	if f := outlines(a); f != nil {
		all = []namedFigure{{"sets", f}}
	} else {
		if first, err = writeTables(dir, a, &files); err != nil {
			return nil, nil, err
		}
	}
	saved, err := saveAll(dir, all)
	return append(files, saved...), first, err
}

// writeTables writes the tables of an experiment, appends their paths to files, and
// returns the table for a terminal.
func writeTables(dir string, a *analysis.Analysis, files *[]string) (first *table.Table, err error) {
	first = Exponents(a)
	type named struct {
		name  string
		table *table.Table
	}
	tables := []named{{"exponents", first}, {"rates", Rates(a)}, {"overview", Overview(a)}, {"claims", Standings(a)}}
	if overview := tables[2].table; overview != nil {
		first = overview
	} else if claims := tables[3].table; claims != nil && len(a.Algorithms) > maxLines {
		first = claims
	}
	metrics, _ := shown(a)
	for _, m := range metrics {
		tables = append(tables, named{"means-" + string(m.Name), Means(a, m)})
	}
	for _, t := range tables {
		if t.table == nil {
			continue
		}
		written, err := writeTable(filepath.Join(dir, t.name), t.table)
		if err != nil {
			return nil, err
		}
		*files = append(*files, written...)
	}
	return first, nil
}

// saveAll draws the figures in parallel. Drawing takes most of the time of a run
// whose cells are in the store.
func saveAll(dir string, all []namedFigure) (files []string, err error) {
	saved := make([][]string, len(all))
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, d := range all {
		wg.Go(func() {
			s, err := d.figure.Save(dir, d.name)
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

// writers are the formats of a table, by the extension of the file.
var writers = []struct {
	ext   string
	write func(io.Writer, *table.Table) error
}{
	{".txt", table.WriteTerminal},
	{".md", table.WriteMarkdown},
	{".csv", table.WriteCSV},
	{".tex", table.WriteLaTeX},
}

func writeTable(base string, t *table.Table) (files []string, err error) {
	for _, w := range writers {
		if err := file.Write(base+w.ext, func(out io.Writer) error { return w.write(out, t) }); err != nil {
			return nil, err
		}
		files = append(files, base+w.ext)
	}
	return files, nil
}
