package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/figure"
	"ocobench/report/tex"
)

// figureCmd holds the flags of bench figure, which draws one figure of an experiment in the store.
type figureCmd struct {
	sourceFlags
	Experiment string   `arg:"" optional:"" help:"The experiment in the store; default: the only one." placeholder:"EXPERIMENT" completes:"@stored"`
	Metric     []string `help:"The metrics, a panel each; default: those of the summary." placeholder:"NAMES" completes:"@metric"`
	entryFlags
	X       string  `name:"x" help:"The axis: t, T (a sweep), or a parameter with several values; default ${default}." default:"t" placeholder:"t|T|PARAMETER" completes:"t,T"`
	Bounds  bool    `help:"Draw the bounds of the proofs, over t."`
	Width   string  `help:"column: 8.4 cm, panels in a column; text: 16.8 cm, side by side; default ${default}." enum:"column,text" default:"column" placeholder:"column|text"`
	Font    string  `help:"The font: cm (Latin Modern) or times; default ${default}." enum:"cm,times" default:"cm" placeholder:"cm|times"`
	Y       string  `name:"y" help:"The scale of the vertical axis: log, linear or symlog; default: what the values need." placeholder:"SCALE" completes:"log,linear,symlog"`
	Caption string  `help:"The caption, with LaTeX between dollar signs; default: what is shown." placeholder:"TEXT"`
	Label   string  `help:"The label in LaTeX; default: fig: and the name of FILE." placeholder:"NAME"`
	Out     picture `help:"The file of the figure." required:"" placeholder:"FILE.pdf|.svg|.png"`
}

// Validate is called by kong after the flags are read.
func (c *figureCmd) Validate(*kong.Context) error {
	return checkLabel(c.Label)
}

// Run implements the verb.
func (c *figureCmd) Run(e *env) error {
	p := report.Plot{X: c.X, Y: c.Y, Caption: c.Caption, Column: c.Width == "column", Bounds: c.Bounds,
		Font: fontNamed(c.Font)}
	if c.Y != "" {
		if err := checkKnown("--y", "scale", report.Scales, c.Y); err != nil {
			return err
		}
	}
	var err error
	if p.Metrics, err = metricsOf(c.Metric,
		func(m game.Metric) bool { return m.Fitted }); err != nil {
		return err
	}
	w, r, _, err := e.openResults(c.sourceFlags, c.Experiment, p.Metrics...)
	if err != nil {
		return err
	}
	selected, err := c.filterResults(e, r)
	if err != nil {
		return err
	}
	if len(selected) == 0 {
		return errors.New("none of the algorithms was played on any of the problems that are chosen")
	}
	p.Algorithms, p.Problems = selected[0].Specs()
	if err := c.Out.file.checkWritable("--out"); err != nil {
		return err
	}
	a, err := w.analyse(r)
	if err != nil {
		return err
	}
	d, err := p.Draw(a)
	if err != nil {
		return addOtherSweeps(w, err)
	}
	e.warn(report.Undrawable(a))
	if err := c.writeFiles(e, d); err != nil {
		return err
	}
	return checkOneComplete(r)
}

// addOtherSweeps returns the error of a figure over a parameter with only one value, extended by
// the stored experiments that have several values of it. Any other error is returned as it is.
func addOtherSweeps(w *workbench, err error) error {
	var unvaried *report.UnvariedError
	if !errors.As(err, &unvaried) {
		return err
	}
	names, _, unread := run.Recorded(w.store)
	if unread != nil {
		return err
	}
	var others []string
	for _, name := range names {
		if r, damaged := run.LoadRecord(w.store, name); damaged == nil && r.Varies(unvaried.Parameter) {
			others = append(others, name)
		}
	}
	if others == nil {
		return err
	}
	return fmt.Errorf("%w; %s in the store has several values of %s", err, input.Few(others, ", "),
		unvaried.Parameter)
}

// fontNamed returns the font that the flag --font names.
func fontNamed(name string) tex.Font {
	if name == "times" {
		return tex.Times
	}
	return tex.LatinModern
}

// writeFiles writes the figure, its data as CSV and, beside a PDF, a float of LaTeX that includes
// it.
func (c *figureCmd) writeFiles(e *env, d *report.Drawing) error {
	base := strings.TrimSuffix(string(c.Out.file), filepath.Ext(string(c.Out.file)))
	if err := c.Out.writeTo("--out", d.Figure); err != nil {
		return err
	}
	if err := path(base+".csv").writeFile("--out", d.WriteCSV); err != nil {
		return err
	}
	files := string(c.Out.file) + " and " + base + ".csv"
	if c.Out.format == figure.PDF {
		label := c.Label
		if label == "" {
			label = "fig:" + report.LabelOf(filepath.Base(base))
		}
		if err := path(base+".tex").writeFile("--out", func(w io.Writer) error {
			return d.WriteFloat(w, filepath.ToSlash(string(c.Out.file)), label)
		}); err != nil {
			return err
		}
		files = fmt.Sprintf("%s, %s.tex and %s.csv", c.Out.file, base, base)
	}
	fmt.Fprintf(e.stderr, "%s in %s\n", plural(len(d.Figure.Panels), "panel"), input.Message(files))
	return nil
}
