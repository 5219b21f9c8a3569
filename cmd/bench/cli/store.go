package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report/table"
)

type storeCmd struct {
	Ls   storeLs   `cmd:"" help:"List the experiments of a store, and what no experiment refers to."`
	Show storeShow `cmd:"" help:"Show a cell."`
	Rm   storeRm   `cmd:"" help:"Remove the records of experiments."`
	Gc   storeGc   `cmd:"" help:"Remove what no experiment refers to."`
	Pack storePack `cmd:"" help:"Move cells from files of their own into large ones."`
}

type storeLs struct {
	storeFlags
	JSON  bool `help:"Print JSON."`
	Check bool `help:"Read every cell, and name those that are damaged."`
}

// Help implements the verb's help.
func (*storeLs) Help() string {
	return `Lists the experiments of a store: how many of the planned cells it has, how many
failed, their size, when they were written, and by which versions they were computed;
then what no experiment refers to, and damaged files that were set aside. With --check
every cell is read and its digest checked.

Exit codes: 0 done; 2 bad input; 3 something is damaged.`
}

// Run implements the verb.
func (c *storeLs) Run(e *env) error {
	s, h, err := survey(c.storeFlags, true, c.Check)
	if err != nil {
		return err
	}
	e.warn(h.Unread)
	if c.JSON {
		err = writeJSON(e.stdout, h)
	} else {
		err = e.list(s, h)
	}
	switch {
	case err != nil:
		return err
	case len(h.Damaged) > 0:
		return &failedError{fmt.Errorf("damaged cells and packs: %d; run the experiments again to set them aside and replace them", len(h.Damaged))}
	case h.Unread != nil:
		return &failedError{errDamagedRecords}
	}
	return nil
}

// survey opens a store and lists what it has.
func survey(f storeFlags, programs, whole bool) (*store.Store, *harness.Holdings, error) {
	s, err := store.Open(string(f.Store))
	if err != nil {
		return nil, nil, err
	}
	h, err := harness.Survey(s, programs, whole)
	return s, h, err
}

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// list prints what a store has.
func (e *env) list(s *store.Store, h *harness.Holdings) error {
	t := &table.Table{Columns: []table.Column{
		{Name: table.Text{Plain: "experiment"}}, {Name: table.Text{Plain: "cells"}, Align: table.Right},
		{Name: table.Text{Plain: "failed"}, Align: table.Right}, {Name: table.Text{Plain: "MB"}, Align: table.Right},
		{Name: table.Text{Plain: "from"}}, {Name: table.Text{Plain: "to"}}, {Name: table.Text{Plain: "computed by"}},
	}}
	row := func(name string, one harness.Holding) {
		cells := fmt.Sprint(one.Cells)
		if one.Planned > 0 {
			cells += fmt.Sprintf(" of %d", one.Planned)
		}
		var versions []string
		for _, by := range one.Computed {
			if !slices.Contains(versions, by.Version) {
				versions = append(versions, by.Version)
			}
		}
		var texts []table.Text
		for _, text := range []string{name, cells, fmt.Sprint(one.Failed), megabytes(one.Bytes), day(one.Oldest), day(one.Newest), strings.Join(versions, ", ")} {
			texts = append(texts, table.Text{Plain: text})
		}
		t.Rows = append(t.Rows, texts)
	}
	for _, one := range h.Experiments {
		row(one.Name, one)
	}
	if h.Unreferenced.Cells > 0 {
		row("(none)", h.Unreferenced)
	}
	if len(t.Rows) > 0 {
		if err := e.show(t, table.Width); err != nil {
			return err
		}
	}
	var packed int64
	for _, p := range h.Packs {
		packed += p.Bytes
	}
	fmt.Fprintf(e.stdout, "%s: %s, %s MB", s.Dir(), plural(h.Cells, "cell"), megabytes(h.Bytes))
	if len(h.Packs) > 0 {
		fmt.Fprintf(e.stdout, "; %s, %s MB", plural(len(h.Packs), "pack"), megabytes(packed))
	}
	fmt.Fprintln(e.stdout)
	for _, f := range h.Aside {
		fmt.Fprintf(e.stdout, "set aside: %s\n", input.Shown(f.Path))
	}
	for _, d := range h.Damaged {
		fmt.Fprintf(e.stdout, "damaged: %s\n", d)
	}
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

type storeShow struct {
	Key string `arg:"" help:"The key of the cell, or its first digits." placeholder:"KEY"`
	storeFlags
	JSON bool `help:"Print JSON, with all rows."`
}

// Run implements the verb.
func (c *storeShow) Run(e *env) error {
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	keys, err := s.Keys()
	if err != nil {
		return err
	}
	var found []store.Key
	for _, key := range keys {
		if strings.HasPrefix(string(key), c.Key) {
			found = append(found, key)
		}
	}
	switch {
	case len(found) == 0 || c.Key == "":
		return fmt.Errorf("no cell in %s has a key that begins with %s", s.Dir(), input.Shown(c.Key))
	case len(found) > 1:
		return fmt.Errorf("%d cells in %s have keys that begin with %s; give more digits, such as %s", len(found), s.Dir(), input.Shown(c.Key), found[0][:len(c.Key)+8])
	}
	key := found[0]
	cell, err := s.Get(key)
	if err != nil {
		return &failedError{err}
	}
	names, uses, unread := harness.References(s, key)
	e.warn(unread)
	type reference struct {
		Experiment string `json:"experiment"`
		harness.RecordCell
	}
	references := []reference{}
	for i, name := range names {
		references = append(references, reference{name, uses[i]})
	}
	if c.JSON {
		rows := [][]analysis.Number{}
		for _, row := range cell.Rows {
			var values []analysis.Number
			for _, v := range row {
				values = append(values, analysis.Number(v))
			}
			rows = append(rows, values)
		}
		return writeJSON(e.stdout, struct {
			Key         store.Key           `json:"key"`
			Kind        string              `json:"kind"`
			Identity    json.RawMessage     `json:"identity"`
			Provenance  store.Provenance    `json:"provenance"`
			Columns     []string            `json:"columns"`
			Rows        [][]analysis.Number `json:"rows"`
			Experiments []reference         `json:"experiments"`
		}{key, cell.Kind, cell.Identity, cell.Provenance, cell.Columns, rows, references})
	}
	fmt.Fprintf(e.stdout, "%s %s\ncomputed by %s, %s, %s\n%s\n", cell.Kind, key, cell.Provenance.Version, cell.Provenance.Go, cell.Provenance.GOARCH, cell.Identity)
	for _, r := range references {
		who := r.Algorithm
		who = strings.TrimSpace(harness.Comparator(r.Kind) + " " + who)
		fmt.Fprintf(e.stdout, "experiment %s: %s on %s, horizon %d, replicate %d\n", r.Experiment, who, r.Problem, r.Horizon, r.Replicate)
	}
	if len(references) == 0 {
		fmt.Fprintln(e.stdout, "no experiment refers to it")
	}
	fmt.Fprintf(e.stdout, "%s:\n%s\n", plural(len(cell.Rows), "row"), strings.Join(cell.Columns, "\t"))
	const shown = 3
	for i, row := range cell.Rows {
		switch {
		case i < shown || i >= len(cell.Rows)-shown:
			var values []string
			for _, v := range row {
				values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
			}
			fmt.Fprintln(e.stdout, strings.Join(values, "\t"))
		case i == shown:
			fmt.Fprintln(e.stdout, "…")
		}
	}
	return nil
}

// removal are the flags of what removes something.
type removal struct {
	Yes      bool `help:"Do it. Without, nothing is removed: what would be is named."`
	Unlocked bool `help:"Do it although the file system has no locks, which tell whether a run writes."`
	JSON     bool `help:"Print JSON."`
}

// reserve keeps a store for this process if something is to be removed.
func (r removal) reserve(s *store.Store) (release func(), err error) {
	if !r.Yes {
		return func() {}, nil
	}
	release, err = s.Reserve()
	switch {
	case errors.Is(err, store.ErrLocked):
		return nil, fmt.Errorf("a run writes to %s, or another process packs it or removes from it; nothing is removed", s.Dir())
	case errors.Is(err, errors.ErrUnsupported) && r.Unlocked:
		return func() {}, nil
	case errors.Is(err, errors.ErrUnsupported):
		return nil, fmt.Errorf("%w; if you know that no run writes, say --unlocked", err)
	}
	return release, err
}

// verb says what is done, or would be.
func (r removal) verb() string {
	if r.Yes {
		return "removed"
	}
	return "would be removed"
}

// hint says how to do it.
func (r removal) hint(e *env) {
	if !r.Yes && !r.JSON {
		fmt.Fprintln(e.stderr, "nothing is removed; the same command with --yes removes this")
	}
}

type storeRm struct {
	Experiment []string `arg:"" completes:"@stored" help:"The experiments." placeholder:"EXPERIMENT"`
	storeFlags
	removal
}

// Help implements the verb's help.
func (*storeRm) Help() string {
	return `Removes the records of experiments. Their cells stay; bench store gc removes those
that no other experiment refers to.`
}

// Run implements the verb.
func (c *storeRm) Run(e *env) error {
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	release, err := c.reserve(s)
	if err != nil {
		return err
	}
	defer release()
	stored, err := s.Names()
	if err != nil {
		return err
	}
	var names []string
	for _, name := range c.Experiment {
		if !slices.Contains(stored, name) {
			return fmt.Errorf("no experiment %s in %s; bench store ls lists them", input.Shown(name), s.Dir()) // and nothing is removed
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if c.Yes {
		for _, name := range names {
			if err := s.RemoveExperiment(name); err != nil {
				return err
			}
		}
	}
	if c.JSON {
		return writeJSON(e.stdout, struct {
			Removed     bool     `json:"removed"`
			Experiments []string `json:"experiments"`
		}{c.Yes, names})
	}
	for _, name := range names {
		fmt.Fprintf(e.stdout, "%s: the record of experiment %s\n", c.verb(), name)
	}
	c.hint(e)
	return nil
}

type storeGc struct {
	storeFlags
	removal
}

// Help implements the verb's help.
func (*storeGc) Help() string {
	return `Removes the cells that no experiment refers to, with their failures, and damaged
files that were set aside. Without --yes it names them and removes nothing. A pack
that has such cells is written anew without them. Where the record of an experiment
cannot be read nothing is removed, and nothing while a run writes to the store.`
}

// Run implements the verb.
func (c *storeGc) Run(e *env) error {
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	release, err := c.reserve(s)
	if err != nil {
		return err
	}
	defer release()
	h, err := harness.Survey(s, false, false)
	if err != nil {
		return err
	}
	garbage, err := h.Garbage()
	if err != nil {
		return err
	}
	if c.JSON {
		keys := []store.Key{}
		for _, cell := range garbage.Cells {
			keys = append(keys, cell.Key)
		}
		err = writeJSON(e.stdout, struct {
			Removed bool         `json:"removed"`
			Cells   []store.Key  `json:"cells"`
			Files   []store.File `json:"files"`
			Bytes   int64        `json:"bytes"`
		}{c.Yes, keys, append([]store.File{}, garbage.Files...), garbage.Bytes()})
		if err != nil {
			return err
		}
	} else {
		for _, cell := range garbage.Cells {
			fmt.Fprintf(e.stdout, "%s: cell %s, %d bytes, of %s\n", c.verb(), cell.Key, cell.Bytes, day(&cell.Time))
		}
		for _, f := range garbage.Files {
			fmt.Fprintf(e.stdout, "%s: %s, %d bytes, of %s\n", c.verb(), input.Shown(f.Path), f.Bytes, day(&f.Time))
		}
		fmt.Fprintf(e.stdout, "%s and %s, %s MB\n", plural(len(garbage.Cells), "cell"), plural(len(garbage.Files), "other file"), megabytes(garbage.Bytes()))
	}
	if c.Yes {
		return garbage.Remove(s)
	}
	if len(garbage.Cells)+len(garbage.Files) > 0 {
		c.hint(e)
	}
	return nil
}

type storePack struct {
	storeFlags
	JSON bool `help:"Print JSON."`
}

// Help implements the verb's help.
func (*storePack) Help() string {
	return `Moves the cells that have files of their own into packs, files of some 256 MB, from
which they are read in place: a file system that many machines share has few files
instead of a million. Runs may go on meanwhile, and an interruption loses nothing.
Packs may be copied from one store to another.`
}

// Run implements the verb.
func (c *storePack) Run(e *env) error {
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	done, err := s.Pack(e.ctx)
	if errors.Is(err, store.ErrLocked) {
		return fmt.Errorf("another process packs %s, or removes from it; nothing is packed", s.Dir())
	}
	if e.ctx.Err() != nil {
		return fmt.Errorf("%w; what is packed stays packed, and the same command continues", errInterrupted)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.stdout, done)
	}
	fmt.Fprintf(e.stdout, "%s, %s MB, moved into packs of %s", plural(done.Cells, "cell"), megabytes(done.Bytes), s.Dir())
	if done.Left > 0 {
		fmt.Fprintf(e.stdout, "; %d not moved, damaged or being computed", done.Left)
	}
	fmt.Fprintln(e.stdout)
	return nil
}
