package harness

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/problems"
)

// all is what the program itself offers.
var all = Catalog{algorithms.All, problems.All}

// stream is a problem made for a test.
type stream struct {
	set    convex.Set
	m      int
	facts  convex.Facts
	reveal func(t int, x []float64) convex.Round
}

func (s *stream) Set() convex.Set                         { return s.set }
func (s *stream) Constraints() int                        { return s.m }
func (s *stream) Facts() convex.Facts                     { return s.facts }
func (s *stream) Reveal(t int, x []float64) *convex.Round { r := s.reveal(t, x); return &r }
func problem(name string, s func() *stream) problems.Problem {
	return problems.Problem{Name: name, Version: 1,
		New: func(any, *rand.Rand) (problems.Stream, error) { return s(), nil }}
}

// learner is an algorithm made for a test: act writes x_t; a nil observe
// learns nothing.
type learner struct {
	act     func(t int, x []float64)
	observe func(t int, x []float64, r convex.Round) error
	t       int
}

func (l *learner) Act(dst []float64) { l.act(l.t+1, dst) }

func (l *learner) Observe(x []float64, r convex.Round) error {
	l.t++
	if l.observe == nil {
		return nil
	}
	return l.observe(l.t, x, r)
}

func algorithm(name string, l func(algorithms.Setup) *learner) algorithms.Algorithm {
	return algorithms.Algorithm{Name: name, Version: 1, Anytime: true,
		New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) { return l(s), nil }}
}

// still plays the origin.
func still(algorithms.Setup) *learner {
	return &learner{act: func(_ int, x []float64) { clear(x) }}
}

// affine is a·x + b on the line.
func affine(a, b float64) convex.Func { return &convex.Affine{A: []float64{a}, B: b} }

// lineRounds is a problem on [−1, 1] with these rounds.
func lineRounds(m int, reveal func(t int) convex.Round) func() *stream {
	return func() *stream {
		return &stream{set: convex.Cube(1, -1, 1), m: m,
			reveal: func(t int, _ []float64) convex.Round { return reveal(t) }}
	}
}

// calm is x with the constraint x ≤ ½.
func calm(int) convex.Round {
	return convex.Round{Loss: affine(1, 0), Constraints: []convex.Func{affine(1, -0.5)}}
}

func newPlan(t testing.TB, c Catalog, text string) *Plan {
	t.Helper()
	e, err := spec.Parse("e.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(c, e)
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

// run runs the plan and counts what Progress is told.
func run(t testing.TB, p *Plan, dir string, o Options) (found, computed int, failures []Failure) {
	t.Helper()
	o.Workers = max(1, o.Workers)
	o.Progress = func(_ *Cell, there bool, err error) {
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

// files are the contents of the files of a store by path, but for those of
// writers that were killed and the empty one of the locks.
func files(t testing.TB, dir string) map[string]string {
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
			t.Errorf("%s: %s is missing", what, name)
		case other != data:
			t.Errorf("%s: %s differs:\n%s\nwant\n%s", what, name, other, data)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is there and should not", what, name)
		}
	}
}

// compute computes a cell outside of any store.
func compute(t testing.TB, c *Cell) *store.Cell {
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
	v := newTable(c.Columns, c.Rows).column(name)
	if v == nil {
		t.Fatalf("no column %s among %q", name, c.Columns)
	}
	return v
}

// cellOf finds the cell of a plan: of a game if algorithm is given.
func cellOf(t testing.TB, p *Plan, kind, algorithm, problem string, replicate, horizon int) *Cell {
	t.Helper()
	i := slices.IndexFunc(p.Entries, func(c Entry) bool {
		spec := ""
		if c.Contender != nil {
			spec = c.Contender.Spec
		}
		return c.Kind == kind && spec == algorithm && c.Arena.Spec == problem &&
			c.Replicate == replicate && c.At == horizon
	})
	if i < 0 {
		t.Fatalf("no %s of %q on %s, replicate %d, horizon %d in the plan", kind, algorithm, problem,
			replicate, horizon)
	}
	return p.Entries[i].Cell
}

// arena resolves the SPEC of a problem of the program.
func arena(t testing.TB, text string) Arena {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	as, err := all.Arenas(u)
	if err != nil || len(as) != 1 {
		t.Fatalf("%s: %d problems, %v", text, len(as), err)
	}
	return as[0]
}

// contender resolves the SPEC of an algorithm of the program.
func contender(t testing.TB, text string) Contender {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := all.Contenders(u)
	if err != nil || len(cs) != 1 {
		t.Fatalf("%s: %d algorithms, %v", text, len(cs), err)
	}
	return cs[0]
}

// start starts the first replicate of a problem of the program with seed 1.
func start(t testing.TB, text string) problems.Stream {
	t.Helper()
	s, err := arena(t, text).Stream(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// loneCell is a cell of no plan, of seed 1 and replicate 1.
func loneCell(kind string, c *Contender, a *Arena, horizon int) *Cell {
	cell := &Cell{Kind: kind, Contender: c, Arena: a, Seed: 1, Replicate: 1, Horizon: horizon}
	cell.lineage = newLineage(cell, "", nil)
	cell.lineage.opening = new(string)
	return cell
}
