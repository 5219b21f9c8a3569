package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// planWithClaim returns a store with an experiment whose first algorithm claims the bound of a
// formula.
func planWithClaim(t *testing.T) (st *store.Store, plan *experiment.Plan,
	catalog func(formula string) experiment.Catalog) {
	t.Helper()
	catalog = func(formula string) experiment.Catalog {
		high := algorithms.Algorithm{Name: "high", Version: 1, Anytime: true,
			New: func(any, algorithms.Setup) (algorithms.Learner, error) {
				return &position{at: func(float64) float64 { return -0.5 }}, nil
			},
			Claims: []algorithms.Claim{{Metric: algorithms.RegretXHat, Exponent: 1, Formula: formula,
				Bound: func(algorithms.Setup) (func(int) float64, error) {
					return func(t int) float64 { return float64(t) }, nil
				}}}}
		low := high
		low.Name, low.Claims = "low", nil
		low.New = func(any, algorithms.Setup) (algorithms.Learner, error) {
			return &position{at: func(float64) float64 { return -0.9 }}, nil
		}
		return experiment.Catalog{Algorithms: []algorithms.Algorithm{high, low},
			Problems: []problems.Problem{steepProblem}}
	}
	plan, st, failures := runExperiment(t, catalog("t"),
		"name: cached\nproblems: [{use: steep}]\nhorizon: "+
			"100\nreplicates: 6\nalgorithms: all")
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	return st, plan, catalog
}

// resultsWithClaim reads the results of the experiment of [planWithClaim].
func resultsWithClaim(t *testing.T, st *store.Store) *run.Results {
	t.Helper()
	r, err := run.LoadExperiment(st, "cached")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// cacheIn returns a cache in a store, how often curves were fitted with it, and its warnings.
func cacheIn(st *store.Store) (cache Cache, fitted *int, warnings *[]string) {
	fitted, warnings = new(int), new([]string)
	return Cache{Store: st, Warn: func(err error) { *warnings = append(*warnings, err.Error()) },
		Begin: func(int) (func(int), func()) {
			*fitted++
			return func(int) {}, func() {}
		}}, fitted, warnings
}

func TestEstimateTimeFallsWithProcessors(t *testing.T) {
	r := experiment.Record{Replicates: 6, Horizon: []int{100}, Window: 1, Confidence: 0.95,
		Algorithms: []experiment.Entry{{Spec: "a"}}, Problems: []experiment.Entry{{Spec: "p"}}}
	one, many := EstimateTime(r, 1), EstimateTime(r, 1<<50)
	if one <= 0 || many != 0 || EstimateTime(r, 0) <= 0 {
		t.Errorf("got %v on one processor and %v on a great many, want some and 0", one, many)
	}
}

// A cached analysis has the bytes of a computed one, for any number of workers. It is computed
// again when anything that it depends on changes: a number of a cell, who computed it, an option,
// or what the catalog says; and where the file is damaged or missing.
func TestCachedAnalysisIsThatOfItsResults(t *testing.T) {
	st, plan, catalog := planWithClaim(t)
	cache, fitted, warnings := cacheIn(st)
	analyse := func(c experiment.Catalog, change func(*experiment.Record)) ([]byte, store.Key) {
		t.Helper()
		r := resultsWithClaim(t, st)
		if change != nil {
			change(&r.Record)
		}
		key, err := NewUnfitted(c, r).cacheKey()
		if err != nil {
			t.Fatal(err)
		}
		a, err := Cached(t.Context(), c, r, cache)
		if err != nil {
			t.Fatal(err)
		}
		computed, err := NewUnfitted(c, r).Fit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, _ := json.Marshal(a)
		if want, err := json.Marshal(computed); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("error %v; cached as\n%s\nwant\n%s", err, got, want)
		}
		return got, key
	}
	first, key := analyse(catalog("t"), nil)
	path := filepath.Join(st.Dir(), "analyses", string(key)+".analysis")
	file, err := os.ReadFile(path)
	if err != nil || *fitted != 1 {
		t.Fatalf("%v; fitted %d times, want once", err, *fitted)
	}
	if !NewUnfitted(catalog("t"), resultsWithClaim(t, st)).IsCached(st) ||
		NewUnfitted(catalog("2t"), resultsWithClaim(t, st)).IsCached(st) {
		t.Error("got IsCached false of this analysis or true of another, want true and false")
	}
	for _, workers := range []int{1, 3} {
		before := runtime.GOMAXPROCS(workers)
		if again, other := analyse(catalog("t"), nil); *fitted != 1 || other != key ||
			!bytes.Equal(again, first) {
			t.Errorf("%d workers: got %d fits, key %s, want one, %s, and the same analysis (%v)", workers,
				*fitted, key, other, bytes.Equal(again, first))
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		analyse(catalog("t"), nil)
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, file) || *fitted != 2 {
			t.Errorf("%d workers: another file, or fitted %d times, want 2: %v", workers, *fitted, err)
		}
		*fitted = 1
		runtime.GOMAXPROCS(before)
	}

	*fitted = 0
	if err := os.WriteFile(path, slices.Delete(bytes.Clone(file), len(file)/2, len(file)/2+1),
		0o666); err != nil {
		t.Fatal(err)
	}
	analyse(catalog("t"), nil)
	aside, _ := filepath.Glob(path + ".damaged-*")
	if *fitted != 1 || len(*warnings) != 1 || !strings.Contains((*warnings)[0], path) ||
		!strings.Contains((*warnings)[0], "set aside") || len(aside) != 1 {
		t.Errorf("a damaged file: fitted %d times, want once, warnings %q, aside %q", *fitted, *warnings,
			aside)
	}
	sum := resultsWithClaim(t, st).Sum()
	for name, test := range map[string]struct {
		of      store.Analysis
		warning string
	}{
		"another experiment": {store.Analysis{Experiment: "other", Record: sum}, "another record"},
		"another record":     {store.Analysis{Experiment: "cached", Record: key}, "another record"},
		"no gzip":            {store.Analysis{Experiment: "cached", Record: sum}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			*fitted, *warnings = 0, nil
			if err := errors.Join(os.Remove(path), st.PutAnalysis(key, test.of)); err != nil {
				t.Fatal(err)
			}
			analyse(catalog("t"), nil)
			if *fitted != 1 || !strings.Contains(strings.Join(*warnings, "\n"), test.warning) {
				t.Errorf("%s under the key: fitted %d times, want once, warnings %q", name, *fitted, *warnings)
			}
		})
	}

	was := *fitted
	changed := func(what string, c experiment.Catalog, change func(*experiment.Record)) {
		t.Helper()
		if _, other := analyse(c, change); other == key || *fitted != was+1 {
			t.Errorf("%s: got the same key: %v, and %d fits, want another key and one fit", what,
				other == key, *fitted-was)
		}
		was = *fitted
	}
	changed("another bound", catalog("2t"), nil)
	changed("another confidence", catalog("t"), func(r *experiment.Record) { r.Confidence = 0.9 })
	changed("another label", catalog("t"), func(r *experiment.Record) {
		r.Algorithms[0].Label = "High"
	})
	changed("other metrics", catalog("t"), func(r *experiment.Record) {
		r.Metrics = []string{string(algorithms.HardViolation)}
	})
	changed("another baseline", catalog("t"), func(r *experiment.Record) { r.Baseline = "low" })
	described := catalog("t")
	described.Algorithms[1].Doc = "Another sentence"
	changed("another sentence", described, nil)
	for _, facts := range []convex.Facts{{LossRange: 7},
		{LossRange: 7, LossLipschitz: 1, Diameter: 2}} {
		declaring := catalog("t")
		declaring.Problems = []problems.Problem{{Name: "steep", Version: 1,
			New: func(params any, rng *rand.Rand) (problems.Stream, error) {
				s, err := steepProblem.New(params, rng)
				return &louder{*s.(*steep), facts}, err
			}}}
		changed("other facts", declaring, nil)
	}
	cell, err := st.Get(plan.Cells[1].Key)
	if err != nil {
		t.Fatal(err)
	}
	cell.Provenance.Version = "another"
	if err := st.Put(plan.Cells[1].Key, cell); err != nil {
		t.Fatal(err)
	}
	changed("another program computed a cell", catalog("t"), nil)
	cell.Rows[len(cell.Rows)-1][1] = math.Nextafter(cell.Rows[len(cell.Rows)-1][1], 1e9)
	if err := st.Put(plan.Cells[1].Key, cell); err != nil {
		t.Fatal(err)
	}
	changed("another number", catalog("t"), nil)

	// More cells are to come: nothing is cached.
	if err := os.Remove(st.Path(plan.Cells[1].Key)); err != nil {
		t.Fatal(err)
	}
	changed("a cell is missing", catalog("t"), nil)
	changed("a cell is still missing", catalog("t"), nil)
	// One that failed is not to come.
	if err := st.PutFailure(plan.Cells[1].Key, "it hangs"); err != nil {
		t.Fatal(err)
	}
	changed("a cell failed", catalog("t"), nil)
	if analyse(catalog("t"), nil); *fitted != was {
		t.Error("a failed cell again: got another analysis, want the cached one")
	}
	cache.ReadOnly = true
	changed("nothing is written", catalog("3t"), nil)
	changed("nothing is written to find", catalog("3t"), nil)
}

func TestAnalysisThatCannotBeCachedIsReturned(t *testing.T) {
	st, _, catalog := planWithClaim(t)
	if err := os.WriteFile(filepath.Join(st.Dir(), "analyses"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	cache, _, warnings := cacheIn(st)
	a, err := Cached(t.Context(), catalog("t"), resultsWithClaim(t, st), cache)
	if err != nil || len(a.Pairs) != 2 || len(*warnings) != 1 ||
		!strings.HasPrefix((*warnings)[0], "the analysis of cached is not cached: ") {
		t.Errorf("got error %v and warnings %q, want an analysis and one warning", err, *warnings)
	}
}

// louder is a steep stream that also declares facts.
type louder struct {
	steep
	facts convex.Facts
}

func (l *louder) Facts() convex.Facts { return l.facts }
