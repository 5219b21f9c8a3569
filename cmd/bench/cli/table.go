package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/table"
)

type tableCmd struct {
	storeFlags
	Experiment string   `arg:"" help:"The experiment in the store." placeholder:"EXPERIMENT" completes:"@stored"`
	Rows       []string `help:"What the rows go through, the outer ones first: problem, algorithm, metric; default ${default}." default:"problem,algorithm" placeholder:"NAMES" completes:"problem,algorithm,metric"`
	Columns    string   `help:"What the columns go through: problem, algorithm, metric or value; default ${default}." default:"metric" placeholder:"NAME" completes:"problem,algorithm,metric,value"`
	Metric     []string `help:"Which metrics, as bench export names them; default ${default}." default:"regret_xhat,violation_soft,violation_penalty" placeholder:"NAMES" completes:"@metric"`
	Value      []string `help:"What cells show: ${values}; default ${default}." default:"final" placeholder:"NAMES" completes:"@value"`
	Algorithm  []use    `help:"Which algorithms; one without parameters stands for all of its name. May be repeated." sep:"none" placeholder:"SPEC" completes:"@algorithm"`
	Problem    []use    `help:"Which problems, in the same way." sep:"none" placeholder:"SPEC" completes:"@problem"`
	Format     string   `help:"terminal, markdown, csv or latex; default: that of the extension of FILE, or terminal." placeholder:"FORMAT" completes:"terminal,markdown,csv,latex"`
	Out        path     `help:"The file; default: standard output." placeholder:"FILE.txt|.md|.csv|.tex"`
}

// Help implements the verb's help.
func (*tableCmd) Help() string {
	help := `A table of what the store has of an experiment; nothing is computed that is missing. Of
what is neither in the rows nor in the columns there is a table each. The values are

`
	names, docs := report.Values()
	for k, name := range names {
		help += fmt.Sprintf("    %-9s %s\n", name, docs[k])
	}
	return help + `
LaTeX has display names, merges equal cells of the first of two rows, and has in bold
what is significantly less than for every other algorithm. It needs the lines of
OUT/EXPERIMENT/tables/preamble.tex.

    bench run examples/quick.yaml
    bench table quick --metric violation_soft --rows algorithm --columns problem
    bench table quick --rows problem,metric --columns algorithm --value exponent --out t.tex
    bench table quick --rows problem,algorithm,metric --columns value --value exponent,claim,verdict,bound`
}

// Run implements the verb.
func (c *tableCmd) Run(e *env) error {
	format, err := c.format()
	if err != nil {
		return err
	}
	g, err := c.grid()
	if err != nil {
		return err
	}
	w, err := e.open(c.storeFlags)
	if err != nil {
		return err
	}
	r, _, err := w.only(c.Experiment)
	if err != nil {
		return err
	}
	if err := asked("metric", g.Metrics, r.Name, r); err != nil {
		return err
	}
	algorithms, problems, err := e.chosen(c.Algorithm, c.Problem, r.Algorithms, r.Problems)
	if err != nil {
		return err
	}
	a, err := w.analyse(r)
	if err != nil {
		return err
	}
	part := r.Only(algorithms, problems)
	g.Algorithms, g.Problems = specsOf(part.Algorithms), specsOf(part.Problems)
	tables := g.Tables(a)
	switch n := len(tables); {
	case n == 0:
		return errors.New("none of the algorithms was played on any of the problems that are chosen")
	case n > 1 && format.Values:
		return fmt.Errorf("--format: a CSV file has one table, and these are %d; choose one metric, value, algorithm and problem of those that are neither in --rows nor in --columns", n)
	}
	if err := c.print(e, format, tables); err != nil {
		return err
	}
	return whole(r)
}

// print writes the tables to the file or to standard output.
func (c *tableCmd) print(e *env, format table.Format, tables []*table.Table) error {
	write := func(w io.Writer) error { return format.Write(w, tables...) }
	switch {
	case c.Out != "":
		err := c.Out.write("--out", write)
		if err == nil {
			fmt.Fprintf(e.stderr, "%s in %s\n", plural(len(tables), "table"), input.Shown(string(c.Out)))
		}
		return err
	case format.Name == "terminal":
		return e.showAll(tables)
	}
	return write(e.stdout)
}

func specsOf(entrants []harness.Entrant) []string {
	specs := []string{}
	for _, e := range entrants {
		specs = append(specs, e.Spec)
	}
	return specs
}

// format returns the format of the tables.
func (c *tableCmd) format() (f table.Format, err error) {
	var names, extensions []string
	for _, f := range table.Formats {
		names, extensions = append(names, f.Name), append(extensions, f.Ext)
	}
	k := 0
	switch {
	case c.Format != "":
		if k = slices.Index(names, c.Format); k < 0 {
			return f, fmt.Errorf("--format: %w", spec.Unknown("format", c.Format, names, spec.Pos{}))
		}
	case c.Out != "":
		if k = slices.Index(extensions, filepath.Ext(string(c.Out))); k < 0 {
			return f, fmt.Errorf("--out: unknown ending of %s (expected one of %s, or --format)", input.Shown(string(c.Out)), strings.Join(extensions, ", "))
		}
	}
	return table.Formats[k], nil
}

// grid returns what the flags choose, without the algorithms and problems.
func (c *tableCmd) grid() (g report.Grid, err error) {
	if g.Metrics, err = metricsOf("metric", c.Metric, func(m harness.Metric) bool { return m.Exported || m.Shown }); err != nil {
		return g, err
	}
	known, _ := report.Values()
	for _, v := range c.Value {
		if !slices.Contains(known, v) {
			return g, fmt.Errorf("--value: %w", spec.Unknown("value", v, known, spec.Pos{}))
		}
	}
	g.Values, g.Columns = c.Value, report.Dim(c.Columns)
	for _, d := range c.Rows {
		g.Rows = append(g.Rows, report.Dim(d))
	}
	if err := g.Check(); err != nil {
		return g, fmt.Errorf("--rows, --columns: %w", err)
	}
	return g, nil
}
