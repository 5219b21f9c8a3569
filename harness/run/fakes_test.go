package run

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/problems"
)

// programCatalog is the catalog of the program itself.
var programCatalog = experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}

// planOf plans an experiment in a file of YAML.
func planOf(t testing.TB, c experiment.Catalog, text string) (*experiment.Plan, error) {
	t.Helper()
	e, err := spec.Parse("e.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return NewPlan(c, e)
}

// newPlan plans an experiment that can be planned.
func newPlan(t testing.TB, c experiment.Catalog, text string) *experiment.Plan {
	t.Helper()
	p, err := planOf(t, c, text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func openStore(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runPlan runs the plan and counts what Progress is told.
func runPlan(t testing.TB, p *experiment.Plan, dir string, o Options) (found, computed int,
	failures []Failure) {
	t.Helper()
	o.Workers = max(1, o.Workers)
	o.Progress = func(_ *experiment.Cell, there bool, err error) {
		switch {
		case there:
			found++
		case err == nil:
			computed++
		}
	}
	failures, err := Run(context.Background(), p, openStore(t, dir), o)
	if err != nil {
		t.Fatal(err)
	}
	return found, computed, failures
}

// readStoreFiles returns the contents of the files of a store by path, but for those of writers
// that were killed and the empty one of the locks.
func readStoreFiles(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".tmp-") {
			return err
		}
		data, err := os.ReadFile(path)
		if name, _ := filepath.Rel(dir, path); name != "lock" || len(data) > 0 {
			all[name] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameFiles checks that two stores have the same files with the same bytes.
func sameFiles(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for name, data := range want {
		switch other, ok := got[name]; {
		case !ok:
			t.Errorf("%s: got no %s, want one", what, name)
		case other != data:
			t.Errorf("%s: %s differs:\n%s\nwant\n%s", what, name, other, data)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: got %s, want none", what, name)
		}
	}
}

// compute computes a cell outside of any store.
func compute(t testing.TB, c *experiment.Cell) *store.Cell {
	t.Helper()
	cell, err := Compute(context.Background(), nil, c)
	if err != nil {
		t.Fatal(err)
	}
	return cell
}

// column returns a column of a stored cell.
func column(t testing.TB, c *store.Cell, name string) []float64 {
	t.Helper()
	v := game.NewTable(c.Columns, c.Rows).Column(name)
	if v == nil {
		t.Fatalf("got no column %s among %q, want it", name, c.Columns)
	}
	return v
}

// cellOf finds the cell of a plan: of a game if algorithm is given.
func cellOf(t testing.TB, p *experiment.Plan, kind, algorithm, problem string, replicate,
	horizon int) *experiment.Cell {
	t.Helper()
	i := slices.IndexFunc(p.Entries, func(c experiment.CellAt) bool {
		spec := ""
		if c.Algorithm != nil {
			spec = c.Algorithm.Spec
		}
		return c.Kind == kind && spec == algorithm && c.Problem.Spec == problem &&
			c.Replicate == replicate && c.At == horizon
	})
	if i < 0 {
		t.Fatalf("got no %s of %q on %s, replicate %d, horizon %d in the plan, want it", kind, algorithm,
			problem, replicate, horizon)
	}
	return p.Entries[i].Cell
}

// problemOf resolves the SPEC of a problem of the program.
func problemOf(t testing.TB, text string) experiment.Problem {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	as, err := programCatalog.ResolveProblems(u)
	if err != nil || len(as) != 1 {
		t.Fatalf("%s: got %d problems, error %v, want one problem", text, len(as), err)
	}
	return as[0]
}
