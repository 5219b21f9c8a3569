package page

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
	"ocobench/report"
	"ocobench/report/table"
)

// stopping plays 0, and fails at some round with half of the seeds.
type stopping struct{ at, t int }

func (*stopping) Act(dst []float64) { clear(dst) }

func (s *stopping) Observe([]float64, convex.Round) error {
	if s.t++; s.t == s.at {
		return errors.New("it stops")
	}
	return nil
}

// Every view has the same bytes of an analysis that was just computed, without any detour, and of
// the one that the store has cached: with moving comparators, sweeps on both sides, problems with
// chance and without, games that failed, claims with bounds, and assumptions that are not met.
func TestViewsOfCachedAnalysesAreThoseOfComputedOnes(t *testing.T) {
	c := experiment.Catalog{Problems: problems.All, Algorithms: slices.Concat(algorithms.All,
		[]algorithms.Algorithm{{Name: "stopping", Version: 1, Anytime: true,
			New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
				return &stopping{at: 20 + int(s.Seed%2)*1000}, nil
			}}})}
	x, err := spec.Parse("e.yaml", []byte(`name: cached
description: "</script> & “views”"
horizon: [25, 50]
replicates: 6
metrics: [regret_dynamic, path_length, regret_xhat, violation_soft]
problems: [{use: iid, dim: [1, 2]}, {use: alternating}]
algorithms: [{use: penalised-ftrl, gamma: [5, 25]}, {use: ogd, label: "ours & theirs"}, {use: mahdavi},
  {use: stopping}]
`))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := run.NewPlan(c, x)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	failures, err := run.Run(t.Context(), plan, s, run.Options{Workers: 2})
	if err != nil || len(failures) == 0 {
		t.Fatalf("%d failures, error %v", len(failures), err)
	}
	r, err := run.LoadExperiment(s, "cached")
	if err != nil {
		t.Fatal(err)
	}
	computed, err := analysis.Of(t.Context(), c, r)
	if err != nil {
		t.Fatal(err)
	}
	fitted := 0
	cache := analysis.Cache{Store: s, Warn: func(err error) { t.Error(err) },
		Begin: func(int) (func(int), func()) { fitted++; return func(int) {}, func() {} }}
	var cached *analysis.Analysis
	for range 2 {
		if cached, err = analysis.Cached(t.Context(), c, r, cache); err != nil {
			t.Fatal(err)
		}
	}
	if fitted != 1 {
		t.Fatalf("curves are fitted %d times, want once", fitted)
	}
	want, got := viewsOf(t, computed), viewsOf(t, cached)
	if len(want) < 50 || len(got) != len(want) {
		t.Errorf("%d and %d views, want as many and at least 50", len(want), len(got))
	}
	for name, data := range want {
		if !bytes.Equal(got[name], data) {
			t.Errorf("%s differs: %d bytes of the cached analysis, and %d of the computed one", name,
				len(got[name]), len(data))
		}
	}
}

// viewsOf returns the files of an analysis by their names: those of a run in all formats, its page,
// a page beside another store, an archive, and the tables of chosen values and of pairs.
func viewsOf(t *testing.T, a *analysis.Analysis) map[string][]byte {
	t.Helper()
	dir, views := t.TempDir(), make(map[string][]byte)
	out, err := report.Write(dir, a, report.Options{Bounds: true, Formats: report.ExtraFormats()})
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			views[path], err = os.ReadFile(filepath.Join(dir, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	snapshot := &regression.Snapshot{Experiment: a.Experiment, Algorithms: a.Algorithms, Analysis: a}
	for _, p := range a.Problems {
		snapshot.Problems = append(snapshot.Problems, p.Entry)
	}
	both, err := regression.SideBySide(t.Context(), snapshot, snapshot, [2]string{"A", "B"})
	if err != nil {
		t.Fatal(err)
	}
	var page, beside, archive, tables bytes.Buffer
	for _, err := range []error{
		Write(&page, []Item{{Analysis: a, Tables: out.Tables, Omitted: out.Omitted}}),
		Write(&beside, []Item{{Analysis: both.Analysis, Beside: both}}),
		regression.Write(&archive, []*regression.Snapshot{snapshot}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	names, _ := report.CellValues()
	grid := report.PivotTable{Rows: []report.Dimension{report.ByAlgorithm, report.ByProblem},
		Columns: report.ByValue, Values: names}
	all := slices.Concat(out.Summary, grid.Tables(a))
	for _, e := range a.Algorithms[1:] {
		for _, whole := range []bool{true, false} {
			all = append(all, report.PairwiseTable(a, a.Algorithms[0].Spec, e.Spec, whole))
		}
	}
	for _, f := range table.Formats {
		if err := f.Write(&tables, all...); err != nil {
			t.Fatal(err)
		}
	}
	views["page"], views["beside"], views["archive"], views["tables"] = page.Bytes(), beside.Bytes(),
		archive.Bytes(), tables.Bytes()
	return views
}
