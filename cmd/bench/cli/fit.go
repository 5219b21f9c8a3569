package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/stats"
)

// fitCmd holds the flags of bench fit, which fits growth exponents to the curves in a CSV file.
type fitCmd struct {
	File path `arg:"" help:"The CSV file, with a header." placeholder:"FILE.csv"`
	sheetFlags
	Series     []string `help:"The columns that name a series; default series." placeholder:"NAMES"`
	Design     string   `help:"along-t: a replicate is one run; across-T: each point is the end of a run of horizon t; default ${default}." enum:"along-t,across-T" default:"along-t" placeholder:"along-t|across-T"`
	Window     positive `help:"The window in decades of t; default 2." placeholder:"DECADES"`
	From       positive `help:"The beginning of the window, in place of --window." placeholder:"T"`
	To         positive `help:"The end of the window; default: the last t." placeholder:"T"`
	Confidence fraction `help:"The confidence of the intervals; default ${default}." default:"0.95" placeholder:"P"`
	JSON       bool     `help:"Print JSON."`
	Figure     picture  `help:"Draw the curves and the fits." placeholder:"FILE.pdf|.svg|.png"`
}

// Run implements the verb.
func (c *fitCmd) Run(e *env) error {
	switch {
	case c.Window > 0 && c.From > 0:
		return errors.New("--window and --from both say where the window begins; give one of them")
	case c.To > 0 && c.From > c.To:
		return fmt.Errorf("--from: %v is after --to, which is %v", c.From, c.To)
	}
	g := stats.Growth{
		Design: stats.Design(c.Design), Window: stats.Window{From: float64(c.From), To: float64(c.To)},
		Decades: float64(c.Window), Confidence: float64(c.Confidence),
	}
	curves, err := c.readCurves(e)
	if err != nil {
		return err
	}
	var fits []report.Fitted
	for _, curve := range curves {
		f, err := analysis.SeriesOf(curve.Curve, g)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", input.Shown(string(c.File)), curve.Name, err)
		}
		fits = append(fits, report.Fitted{Name: curve.Name, Series: f})
	}
	if err := c.Figure.file.checkWritable("--figure"); err != nil {
		return err
	}
	if err := c.printFits(e, fits); err != nil {
		return err
	}
	if c.Figure.file == "" {
		return nil
	}
	return c.Figure.writeTo("--figure", report.FitsFigure(fits))
}

// printFits prints the fits as JSON or as a table.
func (c *fitCmd) printFits(e *env, fits []report.Fitted) error {
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(fits)
	}
	for _, f := range fits {
		for _, w := range f.Fit.Warnings {
			fmt.Fprintf(e.stderr, "bench: warning: %s: %v\n", f.Name, w)
		}
	}
	title := fmt.Sprintf("Growth exponents, %s", input.Shown(string(c.File)))
	return e.printTable(report.FitTable(title, fits, store.CurrentProvenance()), contentWidth)
}

// readCurves reads the curves of the file. If the file has only one series, the series has the name
// of the file.
func (c *fitCmd) readCurves(e *env) ([]analysis.NamedCurve, error) {
	s, err := c.openSheet(c.File, "point")
	if err != nil {
		return nil, err
	}
	defer s.Close()
	ignored, err := findColumns(s, "ignore", c.Ignore)
	if err != nil {
		return nil, err
	}
	series, err := findColumns(s, "series", c.Series)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(string(c.File)), filepath.Ext(string(c.File)))
	curves, err := analysis.ReadCurves(s, input.Shown(name), series, ignored)
	if err != nil {
		return nil, err
	}
	for _, note := range s.Notes() {
		fmt.Fprintln(e.stderr, input.Message(note))
	}
	return curves, nil
}
