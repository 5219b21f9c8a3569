package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ocobench/harness/game"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/table"
)

// tableFormat returns the format of the tables.
func (c *tableCmd) tableFormat() (f table.Format, err error) {
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

// chosenGrid returns the grid that the flags choose, without algorithms and problems.
func (c *tableCmd) chosenGrid() (g report.Grid, err error) {
	if g.Metrics, err = metricsOf("metric", c.Metric,
		func(m game.Metric) bool { return m.Exported || m.Shown }); err != nil {
		return g, err
	}
	known, _ := report.Values()
	if err := checkKnown("--value", "value", known, c.Value...); err != nil {
		return g, err
	}
	g.Values, g.Columns = c.Value, report.Dim(c.Columns)
	if g.Caption, g.Label = c.Caption, c.Label; c.Label != "" && !report.IsLabel(c.Label) {
		return g, fmt.Errorf("--label: %q is not one (expected letters, digits and some of : . / + -)",
			input.Shown(c.Label))
	}
	for _, d := range c.Rows {
		g.Rows = append(g.Rows, report.Dim(d))
	}
	if err := g.Check(); err != nil {
		return g, fmt.Errorf("--rows, --columns: %w", err)
	}
	return g, nil
}
