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

// Dir is where the tables and figures of an experiment go below dir.
func Dir(dir, experiment string) string { return filepath.Join(dir, experiment) }

// Write writes the analysis of an experiment into Dir, with its tables and
// figures, and returns the files, and the table for a terminal: nil for an
// experiment that is about sets rather than growth.
func Write(dir string, a *analysis.Analysis) (files []string, first *table.Table, err error) {
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
	drawings := figures(a)
	if f := outlines(a); f != nil {
		drawings = []drawing{{"sets", f}}
	} else {
		if first, err = writeTables(dir, a, &files); err != nil {
			return nil, nil, err
		}
	}
	saved, err := saveAll(dir, drawings)
	return append(files, saved...), first, err
}

// writeTables writes the tables of an experiment, and returns the one for a
// terminal.
func writeTables(dir string, a *analysis.Analysis, files *[]string) (first *table.Table, err error) {
	first = Exponents(a)
	type named struct {
		name  string
		table *table.Table
	}
	tables := []named{{"exponents", first}, {"rates", Rates(a)}, {"overview", Overview(a)}}
	if overview := tables[2].table; overview != nil {
		first = overview
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

// saveAll draws figures on all processors, for drawing is most of the time of a
// run whose cells are in the store.
func saveAll(dir string, drawings []drawing) (files []string, err error) {
	saved := make([][]string, len(drawings))
	errs := make([]error, len(drawings))
	var wg sync.WaitGroup
	for i, d := range drawings {
		wg.Go(func() {
			s, err := d.figure.Save(dir, d.name)
			saved[i], errs[i] = s.Files, err
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", drawings[i].name, err)
		}
		files = append(files, saved[i]...)
	}
	return files, nil
}

// writers are the forms in which a table is written.
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
