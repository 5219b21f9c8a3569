package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

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

// Options choose the formats and contents of tables and figures.
type Options struct {
	Bounds bool     // the figures show the bounds of the proofs
	Font   tex.Font // of figures
	// Formats are names of [Formats] that are written besides those of [UsualFormats].
	Formats []string
}

// UsualFormats lists the formats that every run writes.
var UsualFormats = []string{"txt", "tex", "pdf"}

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

// ExtraFormats returns the formats that a run writes where it is asked for them.
func ExtraFormats() []string {
	return slices.DeleteFunc(Formats(),
		func(f string) bool { return slices.Contains(UsualFormats, f) })
}

// writesFormat reports whether files with an ending are written.
func (o Options) writesFormat(ext string) bool {
	return slices.Contains(UsualFormats, ext) || slices.Contains(o.Formats, ext)
}

// Written describes the files that an experiment has after its tables and figures are written.
type Written struct {
	Analysis *analysis.Analysis
	Files    []string       // their paths
	Removed  int            // how many files of an earlier run are removed
	Omitted  []error        // an [Omission] for each table or figure that could not be drawn
	Summary  []*table.Table // for a terminal; nil for an experiment that shows comparator sets
	Tables   []*table.Table // those of [Tables]
}

// FurtherFiles says which files answer what the summary leaves open, or, for an experiment that
// shows comparator sets and has no summary, which file shows the sets. It is empty if there is
// none.
func (w Written) FurtherFiles() string {
	pathOf := func(base string) string { // empty if the file is not written
		k := slices.IndexFunc(w.Files, func(path string) bool { return filepath.Base(path) == base })
		if k < 0 {
			return ""
		}
		return w.Files[k]
	}
	if path := pathOf("sets.pdf"); path != "" {
		return path + " shows what regret may compare with: the sets of the actions that satisfy " +
			"the constraints in every round (Xmin), over every prefix (X̂max) and in sum (Xmax)"
	}
	if w.Summary == nil {
		return ""
	}
	folder := ""
	var answers []string
	for _, t := range []struct{ file, content string }{
		{"rates.txt", "claims and bounds"}, {"horizons.txt", "the means at every T"},
		{"finals.txt", "all intervals"}, {"macros.tex", "all numbers as LaTeX macros"},
	} {
		if path := pathOf(t.file); path != "" {
			folder = filepath.Dir(path)
			answers = append(answers, t.content+" in "+t.file)
		}
	}
	if answers == nil {
		return ""
	}
	return folder + " has " + joinNames(answers)
}

// Write writes the analysis of an experiment into [Dir], with its tables and figures, and removes
// what an earlier Write left there and this one did not write. Tables and figures that cannot be
// drawn are omitted; the error is that a file cannot be written.
func Write(dir string, a *analysis.Analysis, o Options) (Written, error) {
	w := Written{Analysis: a}
	v := newAnalysisView(a)
	folders := Folders(dir, v.Experiment.Name)
	folder, tableFolder, figureFolder := folders[0], folders[1], folders[2]
	numbers := filepath.Join(folder, "analysis.json")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return w, err
	}
	if err := file.Write(numbers, func(to io.Writer) error {
		return json.NewEncoder(to).Encode(a)
	}); err != nil {
		return w, err
	}
	var jobs []drawingJob
	if v.outlines == nil { // an experiment that shows comparator sets has figures alone
		for _, f := range tableFiles {
			v.buildOrOmit("tables/"+f.name, func() {
				built := f.tables(v)
				if v.isOnPage(f.name) {
					w.Tables = append(w.Tables, built...)
				}
				values := built
				if f.values != nil && built != nil && o.writesFormat("csv") {
					values = []*table.Table{f.values(v)}
				}
				jobs = append(jobs, tableJobs(f.name, tableFolder, o, built, values)...)
			})
		}
		v.buildOrOmit("tables/first", func() {
			w.Summary = v.summaryTables()
			jobs = append(jobs, tableJobs("first", tableFolder, o, w.Summary, nil)...)
		})
		jobs = append(jobs, macroJobs(tableFolder, v)...)
	}
	for _, f := range v.figures(boundCurves(o.Bounds)) {
		f.figure.Font = o.Font
		jobs = append(jobs, f.jobs(figureFolder, v.Experiment.Name, o)...)
	}
	files, omitted, err := runJobs(jobs)
	w.Files, w.Omitted = append(files, numbers), append(v.omitted, omitted...)
	if err == nil {
		w.Removed, err = replaceManifest(folder, slices.Clone(w.Files), w.Omitted)
	}
	return w, err
}

// An Omission reports a table or a figure that could not be drawn. The others are written.
type Omission struct {
	View string // such as figures/plane.pdf
	Err  error
}

// Error says in one line which view is omitted, and why.
func (o *Omission) Error() string {
	return o.View + " is left out: " + strings.ReplaceAll(o.Err.Error(), "\n", "; ")
}

// Attempt draws a table or a figure. Its error, or its panic, is an [Omission].
func Attempt(view string, draw func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("a defect of the program: %v", v)
		}
		if err != nil {
			err = &Omission{view, err}
		}
	}()
	return draw()
}

// buildOrOmit calls build, and records the table or figure as omitted if it panics.
func (v *analysisView) buildOrOmit(view string, build func()) {
	if err := Attempt(view, func() error { build(); return nil }); err != nil {
		v.omitted = append(v.omitted, err)
	}
}

// A drawingJob draws a table or a figure, which is one file or more.
type drawingJob struct {
	view string
	draw func() ([]fileContent, error)
}

// fileContent holds what is written to a file.
type fileContent struct {
	path string
	data []byte
}

// runJobs draws and writes the files of jobs in parallel, at most one job a processor because each
// takes memory. It returns the paths of all files and the omitted views; err is an error of writing
// a file.
func runJobs(jobs []drawingJob) (paths []string, omitted []error, err error) {
	written, omissions := make([][]string, len(jobs)), make([]error, len(jobs))
	var drawing errgroup.Group
	drawing.SetLimit(runtime.GOMAXPROCS(0))
	for k, j := range jobs {
		drawing.Go(func() error {
			var files []fileContent
			omissions[k] = Attempt(j.view, func() (err error) { files, err = j.draw(); return err })
			if omissions[k] != nil {
				return nil
			}
			for _, f := range files {
				if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
					return err
				}
				if err := file.Write(f.path, file.Bytes(f.data)); err != nil {
					return err
				}
				written[k] = append(written[k], f.path)
			}
			return nil
		})
	}
	err = drawing.Wait()
	omitted = slices.DeleteFunc(omissions, func(err error) bool { return err == nil })
	return slices.Concat(written...), omitted, err
}

// textJob returns the job of one file.
func textJob(view, path string, write func(io.Writer) error) drawingJob {
	return drawingJob{view, func() ([]fileContent, error) {
		var text bytes.Buffer
		err := write(&text)
		return []fileContent{{path, text.Bytes()}}, err
	}}
}

// macroJobs returns the jobs of the LaTeX that tables need, and of the numbers for prose.
func macroJobs(folder string, v *analysisView) []drawingJob {
	return []drawingJob{
		textJob("tables/preamble.tex", filepath.Join(folder, "preamble.tex"),
			file.Bytes([]byte(table.Preamble))),
		textJob("tables/macros.tex", filepath.Join(folder, "macros.tex"),
			func(to io.Writer) error { return writeMacros(to, v) }),
	}
}

// tableJobs returns the jobs of a file of tables in a folder, one a format: the tables or, in
// formats of values alone, such as CSV, the tables values. There is no job without tables.
func tableJobs(name, folder string, o Options, tables, values []*table.Table) (jobs []drawingJob) {
	for _, f := range table.Formats {
		written := tables
		if f.Values {
			written = values
		}
		if written != nil && o.writesFormat(f.Ext[1:]) {
			jobs = append(jobs, textJob("tables/"+name+f.Ext, filepath.Join(folder, name+f.Ext),
				func(to io.Writer) error { return f.Write(to, written...) }))
		}
	}
	return jobs
}

// jobs returns the jobs of a figure in a folder, one a format. That of the PDF writes the float,
// too.
func (f namedFigure) jobs(folder, experiment string, o Options) (jobs []drawingJob) {
	for _, format := range figure.Formats {
		if !o.writesFormat(string(format)) {
			continue
		}
		jobs = append(jobs, drawingJob{"figures/" + f.name + "." + string(format),
			func() ([]fileContent, error) {
				var drawn, float bytes.Buffer
				base := filepath.Join(folder, f.name)
				if err := f.figure.Write(&drawn, format); err != nil || format != figure.PDF {
					return []fileContent{{base + "." + string(format), drawn.Bytes()}}, err
				}
				err := writeFloat(&float, experiment+"/figures/"+f.name+".pdf", "fig:"+experiment+"-"+f.name, f)
				return []fileContent{{base + ".pdf", drawn.Bytes()}, {base + ".tex", float.Bytes()}}, err
			}})
	}
	return jobs
}

// writeFloat writes a floating figure environment with the PDF of a figure, its caption and
// its label, for documents that load graphicx and read the file with \input from where the
// folder of the experiment is, or say where that is with \graphicspath. A figure is as
// large as it was drawn, or as there is room for; one that is wider than a column takes
// both.
func writeFloat(w io.Writer, pdf, label string, f namedFigure) error {
	environment, columns := "figure", len(f.figure.Panels)
	if f.figure.Columns > 0 {
		columns = min(columns, f.figure.Columns)
	}
	if columns > 1 || f.figure.Width > columnWidth {
		environment = "figure*"
	}
	caption := tex.LaTeX(cmp.Or(f.caption.TeX, tex.Escape(f.caption.Plain)))
	signs := "" // of a label that has some, for documents without the preamble of tables
	if strings.Contains(caption, `\checkmark`) || strings.Contains(caption, `\blacktriangle`) {
		signs = "\\providecommand\\checkmark{\\surd}\\providecommand\\blacktriangle{\\uparrow}\n"
	}
	_, err := fmt.Fprintf(w, `\begin{%[1]s}[tbp]
\centering
%[5]s\setbox0\hbox{\includegraphics{%[2]s}}%%
\edef\ocowidth{\the\ifdim\wd0<\linewidth\wd0\else\linewidth\fi}
\edef\ocoheight{\the\ifdim\ht0<.7\textheight\ht0\else\dimexpr.7\textheight\relax\fi}
\includegraphics[width=\ocowidth,height=\ocoheight,keepaspectratio]{%[2]s}
\caption{%[3]s}
\label{%[4]s}
\end{%[1]s}
`, environment, pdf, caption, label, signs)
	return err
}
