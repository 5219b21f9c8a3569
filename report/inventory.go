package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report/table"
)

// InventoryTable returns the table of what a store holds: a row for each experiment, and one for
// the cells that no experiment refers to.
func InventoryTable(inventory *run.Inventory) *table.Table {
	t := &table.Table{Columns: table.Columns("experiment", ">cells", ">failed", ">MB", "from", "to",
		"computed by")}
	row := func(name string, set run.CellSet) {
		cells := fmt.Sprint(set.Cells)
		if set.Planned > 0 {
			cells += fmt.Sprintf(" of %d", set.Planned)
		}
		var versions []string
		for _, by := range set.Computed {
			if !slices.Contains(versions, by.Version) {
				versions = append(versions, by.Version)
			}
		}
		t.Rows = append(t.Rows, table.Plains(name, cells, fmt.Sprint(set.Failed), Megabytes(set.Bytes),
			Day(set.Oldest), Day(set.Newest), strings.Join(versions, ", ")))
	}
	for _, one := range inventory.Experiments {
		row(one.Name, one)
	}
	if inventory.Unreferenced.Cells > 0 {
		row("(none)", inventory.Unreferenced)
	}
	return t
}

// InventoryLines returns the lines below the table of what the store of a directory holds: how much
// there is, which experiments are not listed, and what is set aside or damaged.
func InventoryLines(dir string, inventory *run.Inventory) (lines []string) {
	parts := []string{fmt.Sprintf("%s: %s, %s MB", dir, input.Plural(inventory.Cells, "cell"),
		Megabytes(inventory.Bytes))}
	for _, group := range []struct {
		what  string
		files []store.File
	}{{"pack", inventory.Packs}, {"analysis file", inventory.Analyses}} {
		var size int64
		for _, f := range group.files {
			size += f.Bytes
		}
		if n := len(group.files); n > 0 {
			parts = append(parts, fmt.Sprintf("%s, %s MB", input.Plural(n, group.what), Megabytes(size)))
		}
	}
	lines = append(lines, strings.Join(parts, "; "))
	if len(inventory.Hidden) > 0 {
		lines = append(lines, "not listed, unless named: "+strings.Join(inventory.Hidden, ", "))
	}
	for _, f := range inventory.Aside {
		lines = append(lines, "set aside: "+input.Shown(f.Path))
	}
	for _, d := range inventory.Damaged {
		lines = append(lines, "damaged: "+d)
	}
	return lines
}

// Megabytes formats a number of bytes in units of 10⁶ bytes.
func Megabytes(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

// Day formats the day of a time. It is empty for nil.
func Day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

// A Cell is a stored cell, with the experiments that refer to it.
type Cell struct {
	Key store.Key
	*store.Cell
	Experiments []run.Reference
}

// MarshalJSON implements [json.Marshaler], in the form of bench store show --json.
func (c Cell) MarshalJSON() ([]byte, error) {
	rows := [][]analysis.Number{}
	for _, row := range c.Rows {
		var values []analysis.Number
		for _, v := range row {
			values = append(values, analysis.Number(v))
		}
		rows = append(rows, values)
	}
	return json.Marshal(struct {
		Key         store.Key           `json:"key"`
		Kind        string              `json:"kind"`
		Identity    json.RawMessage     `json:"identity"`
		Provenance  store.Provenance    `json:"provenance"`
		Columns     []string            `json:"columns"`
		Rows        [][]analysis.Number `json:"rows"`
		Experiments []run.Reference     `json:"experiments"`
	}{c.Key, c.Kind, c.Identity, c.Provenance, c.Columns, rows,
		append([]run.Reference{}, c.Experiments...)})
}

// Write writes a cell for a terminal, with its first and its last rows. It writes … for the others.
func (c Cell) Write(w io.Writer) error {
	var out strings.Builder
	p := c.Provenance
	fmt.Fprintf(&out, "%s %s\ncomputed by %s, %s, %s\n%s\n", c.Kind, c.Key, p.Version, p.Go, p.GOARCH,
		c.Identity)
	for _, r := range c.Experiments {
		who := strings.TrimSpace(experiment.Comparator(r.Kind) + " " + r.Algorithm)
		fmt.Fprintf(&out, "experiment %s: %s on %s, horizon %d, replicate %d\n", r.Experiment, who,
			r.Problem, r.Horizon, r.Replicate)
	}
	if len(c.Experiments) == 0 {
		fmt.Fprintln(&out, "no experiment refers to it")
	}
	fmt.Fprintf(&out, "%s:\n%s\n", input.Plural(len(c.Rows), "row"), strings.Join(c.Columns, "\t"))
	const shown = 3
	for i, row := range c.Rows {
		switch {
		case i < shown || i >= len(c.Rows)-shown:
			var values []string
			for _, v := range row {
				values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
			}
			fmt.Fprintln(&out, strings.Join(values, "\t"))
		case i == shown:
			fmt.Fprintln(&out, "…")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
