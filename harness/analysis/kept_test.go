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
	"ocobench/stats"
)

// keptIn is a store with an experiment whose first algorithm claims the bound c·t.
func keptIn(t *testing.T) (st *store.Store, plan *experiment.Plan,
	catalog func(c float64) experiment.Catalog) {
	t.Helper()
	catalog = func(c float64) experiment.Catalog {
		high := algorithms.Algorithm{Name: "high", Version: 1, Anytime: true,
			New: func(any, algorithms.Setup) (algorithms.Learner, error) {
				return &position{at: func(float64) float64 { return -0.5 }}, nil
			},
			Claims: []algorithms.Claim{{Metric: algorithms.RegretXHat, Exponent: 1, Formula: "c·t",
				Bound: func(algorithms.Setup) (func(int) float64, error) {
					return func(t int) float64 { return c * float64(t) }, nil
				}}}}
		low := high
		low.Name, low.Claims = "low", nil
		low.New = func(any, algorithms.Setup) (algorithms.Learner, error) {
			return &position{at: func(float64) float64 { return -0.9 }}, nil
		}
		return experiment.Catalog{Algorithms: []algorithms.Algorithm{high, low},
			Problems: []problems.Problem{steepProblem}}
	}
	plan, st, failures := ran(t, catalog(1), "name: kept\nproblems: [{use: steep}]\nhorizon: 100\n"+
		"replicates: 6\nalgorithms: all")
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	return st, plan, catalog
}

// keptResults are the results of the experiment of [keptIn].
func keptResults(t *testing.T, st *store.Store) *run.Results {
	t.Helper()
	r, err := run.LoadExperiment(st, "kept")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// keeping returns what keeps analyses in a store, how often curves were fitted with it, and the
// warnings.
func keeping(st *store.Store) (k Keeping, fitted *int, warnings *[]string) {
	fitted, warnings = new(int), new([]string)
	return Keeping{Store: st, Warn: func(err error) { *warnings = append(*warnings, err.Error()) },
		Begin: func(int) (func(int), func()) {
			*fitted++
			return func(int) {}, func() {}
		}}, fitted, warnings
}

// More processors take less time: any curves are fitted by so many in no time.
func TestForesee(t *testing.T) {
	r := oddDraft().r.Record
	one, many := Foresee(r, 1), Foresee(r, 1<<50)
	if one <= 0 || many != 0 || Foresee(r, 0) <= 0 {
		t.Errorf("one processor takes %v, and a great many %v", one, many)
	}
}

// An analysis that is kept has the bytes of one that is computed, for any number of workers. It
// is computed again when anything that it depends on is another: a number of a cell, who
// computed it, an option, or what the catalog says, and if the file is damaged or away.
func TestKept(t *testing.T) {
	st, plan, catalog := keptIn(t)
	k, fitted, warnings := keeping(st)
	analyse := func(c experiment.Catalog, change func(*experiment.Record)) ([]byte, store.Key) {
		t.Helper()
		r := keptResults(t, st)
		if change != nil {
			change(&r.Record)
		}
		d := Prepare(c, r)
		a, err := Kept(t.Context(), c, r, k)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := Of(t.Context(), c, r)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := json.Marshal(a)
		if want, err := json.Marshal(plain); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("error %v; kept as\n%s\nwant\n%s", err, got, want)
		}
		return got, d.Key()
	}
	first, key := analyse(catalog(1), nil)
	at := func(key store.Key) string {
		return filepath.Join(st.Dir(), "analyses", string(key)+".analysis")
	}
	path := at(key)
	fits := Prepare(catalog(1), keptResults(t, st)).base().Key()
	file, err := os.ReadFile(path)
	if err != nil || *fitted != 1 {
		t.Fatalf("%v; fitted %d times", err, *fitted)
	}
	for _, workers := range []int{1, 3} {
		before := runtime.GOMAXPROCS(workers)
		if again, other := analyse(catalog(1), nil); *fitted != 1 || other != key ||
			!bytes.Equal(again, first) {
			t.Errorf("%d workers: fitted %d times, key %s and %s, the same: %v", workers, *fitted, key,
				other, bytes.Equal(again, first))
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{1, 2} { // with the fits and without
			analyse(catalog(1), nil)
			if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, file) || *fitted != want {
				t.Errorf("%d workers: another file, or fitted %d times, want %d: %v", workers, *fitted, want,
					err)
			}
			if err := errors.Join(os.Remove(path), os.Remove(at(fits))); err != nil {
				t.Fatal(err)
			}
		}
		analyse(catalog(1), nil)
		*fitted = 1
		runtime.GOMAXPROCS(before)
	}

	for _, damaged := range []store.Key{key, fits} {
		*fitted, *warnings = 0, nil
		path := at(damaged)
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(bytes.Clone(file[:len(file)/2]), file[len(file)/2+1:]...),
			0o666); err != nil {
			t.Fatal(err)
		}
		want := 0
		if damaged == fits {
			want = 1
			if err := os.Remove(at(key)); err != nil {
				t.Fatal(err)
			}
		}
		analyse(catalog(1), nil)
		aside, _ := filepath.Glob(path + ".damaged-*")
		if *fitted != want || len(*warnings) != 1 || !strings.Contains((*warnings)[0], path) ||
			!strings.Contains((*warnings)[0], "set aside") || len(aside) != 1 {
			t.Errorf("damaged: fitted %d times, want %d, warnings %q, aside %q", *fitted, want, *warnings,
				aside)
		}
	}
	// What is sealed under the key and of another record, or experiment, is not used.
	r := keptResults(t, st)
	for _, under := range []store.Key{key, fits} {
		sum, want := r.Sum(), 0
		if under == fits {
			sum, want = r.FitsSum(), 1
		}
		for _, of := range []store.Analysis{{Experiment: "other", Record: sum},
			{Experiment: "kept", Record: key}} {
			*fitted, *warnings = 0, nil
			if err := errors.Join(os.Remove(at(key)), st.PutAnalysis(under, of)); err != nil {
				t.Fatal(err)
			}
			analyse(catalog(1), nil)
			if *fitted != want || len(*warnings) != 1 ||
				!strings.Contains((*warnings)[0], "another record") {
				t.Errorf("an analysis of %v: fitted %d times, want %d, warnings %q", of, *fitted, want,
					*warnings)
			}
		}
	}
	// Other metrics of the views and another baseline are another analysis with the same fits.
	other := func(r *experiment.Record) {
		r.Metrics, r.Baseline = []string{string(algorithms.HardViolation)}, "low"
	}
	*fitted = 0
	if _, changed := analyse(catalog(1), other); changed == key || *fitted != 0 {
		t.Errorf("another view: the key is the same: %v; fitted %d times", changed == key, *fitted)
	}

	was := *fitted
	changed := func(what string, c experiment.Catalog, change func(*experiment.Record)) {
		t.Helper()
		if _, other := analyse(c, change); other == key || *fitted != was+1 {
			t.Errorf("%s: the key is the same: %v; fitted %d times", what, other == key, *fitted-was)
		}
		was = *fitted
	}
	changed("another bound", catalog(2), nil)
	changed("another confidence", catalog(1), func(r *experiment.Record) { r.Confidence = 0.9 })
	changed("another label", catalog(1), func(r *experiment.Record) { r.Algorithms[0].Label = "High" })
	worded := catalog(1)
	worded.Algorithms[1].Doc = "Another sentence"
	changed("another sentence", worded, nil)
	for _, facts := range []convex.Facts{{LossRange: 7},
		{LossRange: 7, LossLipschitz: 1, Diameter: 2}} {
		declaring := catalog(1)
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
	changed("another program computed a cell", catalog(1), nil)
	cell.Rows[len(cell.Rows)-1][1] = math.Nextafter(cell.Rows[len(cell.Rows)-1][1], 1e9)
	if err := st.Put(plan.Cells[1].Key, cell); err != nil {
		t.Fatal(err)
	}
	changed("another number", catalog(1), nil)

	// More cells are to come: nothing is kept.
	if err := os.Remove(st.Path(plan.Cells[1].Key)); err != nil {
		t.Fatal(err)
	}
	changed("a cell is missing", catalog(1), nil)
	changed("a cell is still missing", catalog(1), nil)
	// One that failed is not to come.
	if err := st.PutFailure(plan.Cells[1].Key, "it hangs"); err != nil {
		t.Fatal(err)
	}
	changed("a cell failed", catalog(1), nil)
	if analyse(catalog(1), nil); *fitted != was {
		t.Error("an experiment with a failed cell is analysed again")
	}
	k.ReadOnly = true
	changed("nothing is written", catalog(3), nil)
	changed("nothing is written to find", catalog(3), nil)
}

// An analysis that cannot be kept is as good as one that is, and a warning says why.
func TestNotKept(t *testing.T) {
	st, _, catalog := keptIn(t)
	r, err := run.LoadExperiment(st, "kept")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(st.Dir(), "analyses"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	k, _, warnings := keeping(st)
	a, err := Kept(t.Context(), catalog(1), r, k)
	if err != nil || len(a.Pairs) != 2 || len(*warnings) != 1 ||
		!strings.HasPrefix((*warnings)[0], "the analysis of kept is not kept: ") {
		t.Errorf("error %v, and the warnings are %q", err, *warnings)
	}
}

// louder is steep, and declares something of its losses.
type louder struct {
	steep
	facts convex.Facts
}

func (l *louder) Facts() convex.Facts { return l.facts }

// An image is read as what it is of, with empty lists and without, and what is no image is
// refused.
func TestImage(t *testing.T) {
	a, err := plantedDraft().Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a.Pairs[0].Unmet, a.Pairs[1].Unmet = nil, []string{}
	a.Pairs[0].Regret.P = Number(math.Inf(-1))
	data := imageOf(a)
	b := new(Analysis)
	if err := readImage(data, b); err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(a)
	if got, err := json.Marshal(b); err != nil || !bytes.Equal(got, want) {
		t.Errorf("error %v; read as\n%s\nwant\n%s", err, got, want)
	}
	if again := imageOf(b); !bytes.Equal(again, data) {
		t.Error("the image of what was read is another one")
	}
	for cut := 0; cut < len(data); cut += 1 + len(data)/500 {
		if readImage(data[:cut], new(Analysis)) == nil {
			t.Fatalf("%d of %d bytes are read as an image", cut, len(data))
		}
	}
	if readImage(append(data, 0), new(Analysis)) == nil {
		t.Error("a byte more is read as an image")
	}
}

// The opening does not depend on the workers, and goes where code differs: verdicts of all
// kinds, equal games, both designs, negated fits and joint tests.
func TestOpening(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a, err := plantedDraft().Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(3)
	b, err := plantedDraft().Fit(t.Context())
	if err != nil || !bytes.Equal(imageOf(a), imageOf(b)) {
		t.Errorf("another opening with more workers: %v", err)
	}
	text, _ := json.Marshal(a)
	for _, part := range []string{`"slope":"within"`, `"slope":"above"`, `"slope":"trivial"`,
		`"shape":"power"`, `"design":"across-T"`, `"negated":{`, `"state":"empty"`, `"end":{`,
		`"root":"above"`, `"significant":true`} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("the opening has no %s", part)
		}
	}
	odd, err := oddDraft().Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, _ = json.Marshal(odd)
	for _, part := range []string{`"state":"empty"`, `"state":"rounding"`, `"state":"overflow"`,
		`"notes":["Regret is vs Xmax on empty, where X̂max is empty."]`,
		`"regret":"regret_xmax","violation":"violation_hard"`} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("the second planted experiment has no %s", part)
		}
	}
	if _, n := distinct([]*Pair{&a.Pairs[0], &a.Pairs[1], &a.Pairs[2]}); n != 2 {
		t.Errorf("%d of 3 games differ, want 2", n)
	}
	if slices.ContainsFunc(a.Comparison.Versus, func(v Versus) bool {
		return v.Final.P.Defined() && v.Final.Adjusted > v.Final.P
	}) == false {
		t.Error("no p-value is corrected")
	}
}

// Equal curves are computed once, and others are not taken for them.
func TestMemo(t *testing.T) {
	var m memo[int]
	calls := 0
	get := func(options any, v float64) int {
		n, err := m.of(options, []stats.Curve{{T: []float64{1, 2}, Y: [][]float64{{1, v}}}},
			func() (int, error) { calls++; return calls, nil })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if a, b, c, d := get(1, 2), get(1, 2), get(2, 2), get(1, 0); a != b || a == c || a == d {
		t.Errorf("%d, %d, %d, %d", a, b, c, d)
	}
	later, err := m.of(1, []stats.Curve{{T: []float64{1, 3}, Y: [][]float64{{1, 2}}}},
		func() (int, error) { calls++; return calls, nil })
	if err != nil || later == get(1, 2) {
		t.Errorf("a curve at other rounds is taken for an equal one: %v", err)
	}
	if get(1, math.Copysign(0, -1)) == get(1, 0) || calls != 5 {
		t.Errorf("%d calls, want 5", calls)
	}
	_, err = m.of("x", nil, func() (int, error) { return 0, errors.New("none") })
	if err == nil {
		t.Error("an error is lost")
	}
}

func BenchmarkOpening(b *testing.B) {
	for b.Loop() {
		if _, err := plantedDraft().Fit(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
