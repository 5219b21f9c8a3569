package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ocobench/harness/analysis"
	"ocobench/internal/file"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// The files of a run. The folder of an experiment has
//
//	analysis.json    all numbers
//	tables/          each table in the formats of tables, preamble.tex and macros.tex
//	figures/         each figure in the formats of figures, and the .tex of its float
//	files.sha256     the list of these files: see [Manifest]
//
// They are written at the same time, since drawing takes most of the time of a run whose cells
// are in the store.

// Dir returns the directory below dir that has the files of an experiment.
func Dir(dir, experiment string) string { return filepath.Join(dir, experiment) }

// Folders returns [Dir] and the folders in it.
func Folders(dir, experiment string) []string {
	dir = Dir(dir, experiment)
	return []string{dir, filepath.Join(dir, "tables"), filepath.Join(dir, "figures")}
}

// Options are what can be chosen of tables and figures.
type Options struct {
	Bounds bool // the figures show the bounds of the proofs
	// Formats are names of [Formats] that are written besides those of [Usual].
	Formats []string
}

// Usual are the formats that a run writes in any case.
var Usual = []string{"txt", "tex", "pdf"}

// Formats returns the formats that a run can write, of tables and of figures, as the endings of
// their files.
func Formats() (all []string) {
	for _, f := range table.Formats {
		all = append(all, f.Ext[1:])
	}
	for _, f := range figure.Formats {
		all = append(all, string(f))
	}
	return all
}

// More returns the formats that a run writes where it is asked for them.
func More() []string {
	return slices.DeleteFunc(Formats(), func(f string) bool { return slices.Contains(Usual, f) })
}

// writes reports whether files with an ending are written.
func (o Options) writes(ext string) bool {
	return slices.Contains(Usual, ext) || slices.Contains(o.Formats, ext)
}

// Written is what there is of an experiment once its tables and figures are written.
type Written struct {
	Analysis *analysis.Analysis
	Files    []string       // their paths
	Removed  int            // how many files of an earlier run are removed
	First    []*table.Table // those of [First]
	Tables   []*table.Table // those of [Tables]
}

// Write writes the analysis of an experiment into [Dir], with its tables and figures, and removes
// what an earlier Write left there and this one did not write.
func Write(dir string, a *analysis.Analysis, o Options) (Written, error) {
	w := Written{Analysis: a}
	x := subjectOf(a)
	folders := Folders(dir, x.Experiment.Name)
	jobs := []job{fileJob(filepath.Join(folders[0], "analysis.json"),
		func(w io.Writer) error { return json.NewEncoder(w).Encode(a) })}
	if x.outlines == nil {
		var tables []job
		tables, w.Tables = o.tableJobs(folders[1], x)
		w.First = x.first()
		jobs = append(append(jobs, tables...), fileJob(filepath.Join(folders[1], "first.txt"),
			func(to io.Writer) error { return table.Formats[0].Write(to, w.First...) }))
	}
	for _, f := range x.figures(o.Bounds) {
		jobs = append(jobs, o.figureJob(folders[2], x.Experiment.Name, f))
	}
	var err error
	if w.Files, err = done(jobs); err == nil {
		w.Removed, err = replaceManifest(folders[0], slices.Clone(w.Files))
	}
	return w, err
}

// A job writes some files, and returns their paths.
type job func() (paths []string, err error)

// done does jobs at the same time, and returns the paths of all files.
func done(jobs []job) ([]string, error) {
	paths, errs := make([][]string, len(jobs)), make([]error, len(jobs))
	var wg sync.WaitGroup
	for k, j := range jobs {
		wg.Go(func() { paths[k], errs[k] = j() })
	}
	wg.Wait()
	return slices.Concat(paths...), cmp.Or(errs...)
}

// fileJob returns the job of one file.
func fileJob(path string, write func(io.Writer) error) job {
	return func() ([]string, error) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		return []string{path}, file.Write(path, write)
	}
}

// tableJobs write the tables of an experiment into a folder, each in each format, its macros,
// and the lines of LaTeX that the tables need. Paged are the tables of the page.
func (o Options) tableJobs(folder string, x *subject) (jobs []job, paged []*table.Table) {
	add := func(name string, write func(io.Writer) error) {
		jobs = append(jobs, fileJob(filepath.Join(folder, name), write))
	}
	all := tablesOf(x, x.metrics, x.glance)
	for _, t := range all {
		built := t.build()
		for _, f := range table.Formats {
			tables := built
			if f.Values && t.values != nil {
				tables = []*table.Table{t.values.build()}
			}
			if o.writes(f.Ext[1:]) {
				add(t.name+f.Ext, func(w io.Writer) error { return f.Write(w, tables...) })
			}
		}
	}
	add("preamble.tex", func(w io.Writer) error {
		_, err := io.WriteString(w, table.Preamble)
		return err
	})
	add("macros.tex", func(w io.Writer) error { return WriteMacros(w, x, x.metrics) })
	k := slices.IndexFunc(all, func(t *namedTable) bool { return t.name == x.paged() })
	return jobs, all[k].build()
}

// figureJob writes a figure into a folder, in each format, and its float.
func (o Options) figureJob(folder, experiment string, f namedFigure) job {
	return func() ([]string, error) {
		formats := slices.DeleteFunc(slices.Clone(figure.Formats),
			func(f figure.Format) bool { return !o.writes(string(f)) })
		saved, err := f.figure.Save(folder, f.name, formats...)
		path := filepath.Join(folder, f.name+".tex")
		if err == nil {
			err = file.Write(path, func(w io.Writer) error { return writeFloat(w, experiment, f) })
		}
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.name, err)
		}
		return append(saved.Files, path), nil
	}
}

// writeFloat writes a floating figure environment with the PDF of a figure and its
// caption, for documents that load graphicx and read the file with \input from where the
// folder of the experiment is, or say where that is with \graphicspath. A figure is as
// large as it was drawn, or as there is room for; one with panels side by side takes
// both columns.
func writeFloat(w io.Writer, experiment string, f namedFigure) error {
	environment, columns := "figure", len(f.figure.Panels)
	if f.figure.Columns > 0 {
		columns = min(columns, f.figure.Columns)
	}
	if columns > 1 {
		environment = "figure*"
	}
	caption := tex.LaTeX(cmp.Or(f.caption.TeX, tex.Escape(f.caption.Plain)))
	pdf := experiment + "/figures/" + f.name + ".pdf"
	_, err := fmt.Fprintf(w, `\begin{%[1]s}[tbp]
\centering
\setbox0\hbox{\includegraphics{%[2]s}}%%
\edef\ocowidth{\the\ifdim\wd0<\linewidth\wd0\else\linewidth\fi}
\edef\ocoheight{\the\ifdim\ht0<.7\textheight\ht0\else\dimexpr.7\textheight\relax\fi}
\includegraphics[width=\ocowidth,height=\ocoheight,keepaspectratio]{%[2]s}
\caption{%[3]s}
\label{fig:%[4]s}
\end{%[1]s}
`, environment, pdf, caption, experiment+"-"+f.name)
	return err
}
