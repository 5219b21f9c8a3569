package paper

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ocobench/harness"
	"ocobench/paper/figure"
	"ocobench/paper/table"
)

// Dir is where the tables and figures of an experiment go below dir.
func Dir(dir string, r *harness.Results) string { return filepath.Join(dir, r.Name) }

// Write writes the tables and figures of an experiment into Dir and returns
// the files, and the table for a terminal, of exponents: nil for an experiment
// that is about sets rather than growth.
func Write(dir string, r *harness.Results) (files []string, exponents *table.Table, err error) {
	dir = Dir(dir, r)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, err
	}
	if f := outlines(r); f != nil {
		s, err := f.Save(dir, "sets")
		return s.Files, nil, err
	}
	exponents, err = Exponents(r)
	if err != nil {
		return nil, nil, err
	}
	rates, err := Rates(r)
	if err != nil {
		return nil, nil, err
	}
	overview, err := Overview(r)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range []struct {
		name  string
		table *table.Table
	}{{"exponents", exponents}, {"rates", rates}, {"overview", overview}} {
		if w.table == nil {
			continue
		}
		written, err := writeTable(filepath.Join(dir, w.name), w.table)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, written...)
	}
	if overview != nil {
		exponents = overview
	}
	for _, m := range metrics {
		t, err := Means(r, m)
		if err != nil {
			return nil, nil, err
		}
		written, err := writeTable(filepath.Join(dir, "means-"+m.Name), t)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, written...)
	}
	jobs, err := figures(r)
	if err != nil {
		return nil, nil, err
	}
	// Drawing is most of the time of a second run; it uses every core.
	saved := make([][]string, len(jobs))
	errs := make([]error, len(jobs))
	var wg sync.WaitGroup
	for i, j := range jobs {
		wg.Go(func() {
			s, err := j.figure.Save(dir, j.name)
			saved[i], errs[i] = s.Files, err
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, nil, fmt.Errorf("figure %s: %w", jobs[i].name, err)
		}
		files = append(files, saved[i]...)
	}
	return files, exponents, nil
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
		var b bytes.Buffer
		if err := w.write(&b, t); err != nil {
			return nil, err
		}
		if err := os.WriteFile(base+w.ext, b.Bytes(), 0o666); err != nil {
			return nil, err
		}
		files = append(files, base+w.ext)
	}
	return files, nil
}

type drawing struct {
	name   string
	figure *figure.Figure
}

// figures are the growth figures of an experiment.
func figures(r *harness.Results) (ds []drawing, err error) {
	if comparison(r) {
		for _, m := range metrics {
			f, err := grid(r, m)
			if err != nil {
				return nil, err
			}
			if f != nil {
				ds = append(ds, drawing{m.Name, f})
			}
		}
		return ds, nil
	}
	panels, lines, byProblem := r.Algorithms, r.Problems, false
	if len(lines) > most || len(lines) == 1 && len(panels) > 1 {
		panels, lines, byProblem = lines, panels, true
	}
	for _, m := range metrics {
		for _, p := range panels {
			for k := 0; k < len(lines); k += most {
				name := m.Name + "-" + fileName(p.Spec)
				if k > 0 {
					name = fmt.Sprintf("%s-%d", name, k/most+1)
				}
				panel, err := growth(r, m, p, lines[k:min(k+most, len(lines))], byProblem)
				if err != nil {
					return nil, err
				}
				if panel != nil {
					ds = append(ds, drawing{name, &figure.Figure{Panels: []figure.Panel{*panel}}})
				}
			}
		}
	}
	return ds, nil
}

// fileName makes a file name of a SPEC.
func fileName(spec string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '.':
			return r
		}
		return '-'
	}, spec)
}
