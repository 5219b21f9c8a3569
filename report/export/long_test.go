package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// played returns the results of two experiments, with programs that computed them.
func played(t *testing.T) []*run.Results {
	t.Helper()
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var all []*run.Results
	for k, text := range []string{"name: one\nhorizon: [5, 20]\nreplicates: 2\nproblems: [{use: " +
		"iid, dim: 2}, {use: shrinking}]\nalgorithms: [{use: ogd}, {use: penalised-ftrl, gamma: 5}]",
		"name: two\nhorizon: 7\nseed: 9\nreplicates: 1\nproblems: [{use: shrinking}]\nalgorithms: " +
			"[{use: ogd}]"} {
		x, err := spec.Parse("e.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := run.NewPlan(catalog, x)
		if err != nil {
			t.Fatal(err)
		}
		if failures, err := run.Run(t.Context(), plan, s, run.Options{Workers: 2}); err != nil ||
			len(failures) > 0 {
			t.Fatal(err, failures)
		}
		r, err := run.LoadExperiment(s, x.Name)
		if err != nil {
			t.Fatal(err)
		}
		r.Computed = nil
		for version := range 2 {
			r.Computed = append(r.Computed, run.Computed{Cells: 3, Provenance: store.Provenance{
				Version: fmt.Sprint("v", k+version), Go: "go1", GOARCH: fmt.Sprint("arch", version)}})
		}
		all = append(all, r)
	}
	return all
}

// The long form has every value of every metric at every checkpoint, of all games in their order,
// in CSV as in Parquet, and no other; and a writer that fails fails it.
func TestLongFormHasEveryValue(t *testing.T) {
	x := Selection{played(t), []algorithms.Metric{"loss", "regret_xhat", "violation_soft"}}
	var want []sample
	for _, r := range x.Results {
		for _, g := range r.Games {
			for _, m := range x.Metrics {
				for k, v := range g.Metric(m) {
					want = append(want, sample{r.Name, g.Algorithm, g.Problem, int64(g.Replicate),
						int64(g.Horizon), int64(g.T()[k]), string(m), v})
				}
			}
		}
	}
	var text, file bytes.Buffer
	if err := CSV(&text, x); err != nil {
		t.Fatal(err)
	}
	if err := CSV(&limited{0, io.ErrShortWrite}, x); err == nil {
		t.Error("a writer that fails: got no error, want one")
	}
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	header := []string{"experiment", "algorithm", "problem", "replicate", "horizon", "t", "metric",
		"value"}
	if !slices.Equal(records[0], header) || len(records) != len(want)+1 || len(want) < 300 {
		t.Fatalf("%d rows of %q, want %d of %q", len(records)-1, records[0], len(want), header)
	}
	for i, w := range want {
		of := []string{w.Experiment, w.Algorithm, w.Problem, fmt.Sprint(w.Replicate),
			fmt.Sprint(w.Horizon), fmt.Sprint(w.T), w.Metric, fmt.Sprint(w.Value)}
		got := records[i+1]
		if v, err := strconv.ParseFloat(got[7], 64); err != nil || !same(v, w.Value) ||
			!slices.Equal(got[:7], of[:7]) {
			t.Fatalf("row %d is %q, want %q", i, got, of)
		}
	}
	if err := Parquet(&file, x); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[sample](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || !slices.EqualFunc(rows, want, func(a, b sample) bool {
		v, w := a.Value, b.Value
		a.Value, b.Value = 0, 0
		return a == b && same(v, w)
	}) {
		t.Errorf("Parquet: got %d rows, error %v, want those of CSV", len(rows), err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || f.Metadata().CreatedBy != "ocobench version v0+v1+v2(build )" {
		t.Errorf("created by: got %q, error %v, want this program", f.Metadata().CreatedBy, err)
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Benchmark lines have the final values of each game, under the programs, the experiment and the
// seed; a metric that a game lacks is left out, and the games of a baseline come first.
func TestBenchmarkLinesHaveTheFinalValues(t *testing.T) {
	results := played(t)
	metrics := []algorithms.Metric{"violation_soft", "regret_dynamic", "loss"}
	const base = "penalised-ftrl:gamma=5"
	var all, against bytes.Buffer
	if err := writeBenchmarks(&all, Selection{results, metrics}); err != nil {
		t.Fatal(err)
	}
	if err := Against(&against, results[0], base, metrics); err != nil {
		t.Fatal(err)
	}
	for _, w := range []func(io.Writer) error{
		func(w io.Writer) error { return writeBenchmarks(w, Selection{results, metrics}) },
		func(w io.Writer) error { return Against(w, results[0], base, metrics) },
	} {
		if err := w(&limited{0, io.ErrShortWrite}); err == nil {
			t.Error("a writer that fails: got no error, want one")
		}
	}
	linesOf := func(k int, games []*game.Game) (lines []string) {
		r := results[k]
		lines = []string{"goarch: arch0+arch1", "go: go1", fmt.Sprintf("ocobench: v%d+v%d", k, k+1),
			"experiment: " + r.Name, fmt.Sprint("seed: ", r.Seed)}
		for _, g := range games {
			line := fmt.Sprintf("Benchmark%s/algorithm=%s/problem=%s/T=%d 1",
				[]string{"One", "Two"}[k], g.Algorithm, g.Problem, g.Horizon)
			for _, m := range []algorithms.Metric{"violation_soft", "loss"} {
				v := g.Metric(m)
				line += fmt.Sprint(" ", v[len(v)-1], " ", m)
			}
			lines = append(lines, line)
		}
		return lines
	}
	want := append(linesOf(0, results[0].Games), linesOf(1, results[1].Games)...)
	if got := strings.Split(strings.TrimSuffix(all.String(), "\n"), "\n"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	first := func(g *game.Game) bool { return g.Algorithm == base }
	var games []*game.Game
	for _, of := range []bool{true, false} {
		for _, g := range results[0].Games {
			if first(g) == of {
				games = append(games, g)
			}
		}
	}
	if got := strings.Split(strings.TrimSuffix(against.String(), "\n"), "\n"); !slices.Equal(got,
		linesOf(0, games)) {
		t.Errorf("against %s: %q, want %q", base, got, linesOf(0, games))
	}
}

// The provenance of a file has the experiments in their order, and what was asked of them.
func TestProvenanceListsExperimentsInOrder(t *testing.T) {
	results := played(t)
	var b bytes.Buffer
	if err := Provenance(&b, results); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema      int
		Experiments []struct {
			Name                 string
			Seed                 uint64
			Replicates           int
			Horizon              []int
			Algorithms, Problems []experiment.Entry
			Computed             []run.Computed
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got.Schema != Schema ||
		len(got.Experiments) != len(results) {
		t.Fatalf("got error %v, want %d experiments of schema %d:\n%s", err, len(results), Schema, &b)
	}
	for k, e := range got.Experiments {
		r := results[k]
		specs := func(all []experiment.Entry) (names []string) {
			for _, e := range all {
				names = append(names, e.Spec)
			}
			return names
		}
		if e.Name != r.Name || e.Seed != r.Seed || e.Replicates != r.Replicates ||
			!slices.Equal(e.Horizon, r.Horizon) || !slices.Equal(specs(e.Algorithms), specs(r.Algorithms)) ||
			!slices.Equal(specs(e.Problems), specs(r.Problems)) || !slices.Equal(e.Computed, r.Computed) {
			t.Errorf("got %+v, want the record of %s", e, r.Name)
		}
	}
}

// Two SPECs have two names of benchmarks, without a blank, and with / only between parts.
func TestBenchmarkNamesDiffer(t *testing.T) {
	for _, c := range []struct {
		name  string
		specs []string
	}{
		{"a blank", []string{"my data", "mydata", "my  data"}},
		{"a folder", []string{"a/b", "a|b", "a//b", "ab"}},
		{"an escape", []string{"a b", "a%20b", "a%2520b", "a/b", "a%2Fb"}},
		{"another case", []string{"Data", "data"}},
		{"letters outside ASCII", []string{"ä", "ö", "Δ/(G*sqrt(T))"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &run.Results{Record: experiment.Record{Name: "one"}}
			for _, spec := range c.specs {
				r.Games = append(r.Games, &game.Game{Algorithm: "ogd", Problem: spec, Horizon: 1})
			}
			var out bytes.Buffer
			if err := writeBenchmarks(&out, Selection{Results: []*run.Results{r}}); err != nil {
				t.Fatal(err)
			}
			used := make(map[string]bool)
			for line := range strings.Lines(out.String()) {
				name, rest, _ := strings.Cut(line, " ")
				if !strings.HasPrefix(name, "Benchmark") {
					continue
				}
				if used[name] || rest != "1\n" || strings.Count(name, "/") != 3 {
					t.Errorf("%q, want a name of its own with three parts", line)
				}
				used[name] = true
			}
			if len(used) != len(c.specs) {
				t.Errorf("%d names, want %d", len(used), len(c.specs))
			}
		})
	}
}
