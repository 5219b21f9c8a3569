package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ocobench/harness/game"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/table"
)

// tableCmd holds the flags of bench table, which prints one table of an experiment in the store.
type tableCmd struct {
	sourceFlags
	Experiment string   `arg:"" optional:"" help:"The experiment in the store; default: the only one." placeholder:"EXPERIMENT" completes:"@stored"`
	Named      string   `name:"experiment" help:"The same, as in bench compare." placeholder:"NAME" completes:"@stored"`
	Rows       []string `help:"The rows, outer first: problem, algorithm, metric, horizon; default ${default}." default:"problem,algorithm" placeholder:"NAMES" completes:"problem,algorithm,metric,horizon"`
	Columns    string   `help:"The columns: problem, algorithm, metric, horizon (of a sweep) or value; default ${default}." default:"metric" placeholder:"NAME" completes:"problem,algorithm,metric,horizon,value"`
	Metric     []string `help:"The metrics; default: those of the experiment, or its regret, violation_soft and violation_penalty." placeholder:"NAMES" completes:"@metric"`
	Value      []string `help:"What cells show: ${values}; default ${default}." default:"final" placeholder:"NAMES" completes:"@value"`
	entryFlags
	tableFlags
}

// tableFlags says how a verb writes its tables.
type tableFlags struct {
	Format  string `help:"${tables}; default: by the extension of FILE, or terminal." placeholder:"FORMAT" completes:"@table"`
	Out     path   `help:"The file; default: standard output." placeholder:"FILE${tablefiles}"`
	Caption string `help:"The title, with LaTeX between dollar signs; default: what is shown." placeholder:"TEXT"`
	Label   string `help:"The label in LaTeX; default: by what is shown." placeholder:"NAME"`
	NoNotes bool   `help:"Leave out the notes below tables."`
}

// Run implements the verb.
func (c *tableCmd) Run(e *env) error {
	if c.Experiment != "" && c.Named != "" {
		return errors.New("--experiment: the experiment is named twice")
	}
	format, err := c.tableFormat()
	if err != nil {
		return err
	}
	p, err := c.chosenTable()
	if err != nil {
		return err
	}
	w, r, _, err := e.openResults(c.sourceFlags, cmp.Or(c.Experiment, c.Named), p.Metrics...)
	if err != nil {
		return err
	}
	selected, err := c.filterResults(e, r)
	if err == nil {
		err = c.Out.checkWritable("--out")
	}
	if err != nil {
		return err
	}
	a, err := w.analyse(r)
	if err != nil {
		return err
	}
	// Empty lists select nothing, whereas nil would select all.
	p.Algorithms, p.Problems = []string{}, []string{}
	for _, part := range selected { // one at most: there is one experiment
		p.Algorithms, p.Problems = part.Specs()
	}
	tables := p.Tables(a)
	switch n := len(tables); {
	case n == 0:
		return errors.New("none of the algorithms was played on any of the problems that are chosen")
	case n > 1 && format.Values:
		return fmt.Errorf("--format: a CSV file has one table, and these are %d; choose one metric, "+
			"value, algorithm and problem of those that are neither in --rows nor in --columns", n)
	}
	if format.Name == "latex" {
		e.warn(report.Undrawable(a))
	}
	if err := c.writeTables(e, format, tables); err != nil {
		return err
	}
	return checkOneComplete(r)
}

// writeTables writes the tables to the file or to standard output. For a file of LaTeX it prints
// the labels, by which an article refers to the tables.
func (c *tableFlags) writeTables(e *env, format table.Format, tables []*table.Table) error {
	labels := ""
	for k, t := range tables {
		if c.NoNotes {
			t.Notes = nil
		}
		if format.Name == "latex" && t.Title.Plain != "" {
			separator := ", "
			if k == 0 {
				separator = ": "
			}
			labels += separator + `\label{` + t.Label + "}"
		}
	}
	write := func(w io.Writer) error { return format.Write(w, tables...) }
	switch {
	case c.Out != "":
		err := c.Out.writeFile("--out", write)
		if err == nil {
			fmt.Fprintf(e.stderr, "%s in %s%s\n", plural(len(tables), "table"),
				input.Shown(string(c.Out)), labels)
		}
		return err
	case format.Name == "terminal":
		return e.printTables(tables)
	}
	return write(e.stdout)
}

// setTitles gives the tables the caption and the label of the flags, if there are any.
func (c *tableFlags) setTitles(tables []*table.Table) []*table.Table {
	for k, t := range tables {
		if c.Caption != "" {
			t.Title = report.ParseCaption(c.Caption)
		}
		if c.Label != "" {
			t.Label = c.Label
			if k > 0 {
				t.Label += fmt.Sprintf("-%d", k+1)
			}
		}
	}
	return tables
}

// checkLabel returns an error if the flag --label is given and LaTeX does not take its value.
func checkLabel(label string) error {
	if label == "" || report.IsLabel(label) {
		return nil
	}
	return fmt.Errorf("--label: %q is not one (expected letters, digits and some of : . / + -)",
		input.Shown(label))
}

// tableFormat returns the format that --format names, else that of the ending of --out, else the
// first, which is the terminal's. It checks the flags of all tables.
func (c *tableFlags) tableFormat() (f table.Format, err error) {
	if err := checkLabel(c.Label); err != nil {
		return f, err
	}
	names, extensions := table.Names(), table.Extensions()
	k := 0
	switch {
	case c.Format != "":
		k, err = slices.Index(names, c.Format), checkKnown("--format", "format", names, c.Format)
	case c.Out != "":
		if k = slices.Index(extensions, filepath.Ext(string(c.Out))); k < 0 {
			err = fmt.Errorf("--out: unknown ending of %s (expected one of %s, or --format)",
				input.Shown(string(c.Out)), strings.Join(extensions, ", "))
		}
	}
	if err != nil {
		return f, err
	}
	return table.Formats[k], nil
}

// chosenTable returns the table that the flags choose; Run adds the algorithms and problems.
func (c *tableCmd) chosenTable() (p report.PivotTable, err error) {
	if p.Metrics, err = metricsOf(c.Metric,
		func(m game.Metric) bool { return m.Exported || m.Shown }); err != nil {
		return p, err
	}
	known, _ := report.CellValues()
	if err := checkKnown("--value", "value", known, c.Value...); err != nil {
		return p, err
	}
	p.Values, p.Columns = c.Value, report.Dimension(c.Columns)
	p.Caption, p.Label = c.Caption, c.Label
	for _, d := range c.Rows {
		p.Rows = append(p.Rows, report.Dimension(d))
	}
	if err := p.Check(); err != nil {
		return p, fmt.Errorf("--rows, --columns: %w", err)
	}
	return p, nil
}
