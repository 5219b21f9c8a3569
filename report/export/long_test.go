package export

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/problems"
)

// fields are those of a struct of Thrift, by their numbers.
type fields map[int]any

// thrift reads a value of a type, and what follows it.
func thrift(kind byte, data []byte) (any, []byte) {
	switch kind {
	case 1, 2:
		return kind == 1, data
	case 3:
		return int64(data[0]), data[1:]
	case 5, 6:
		v, n := binary.Varint(data)
		return v, data[n:]
	case 8:
		size, n := binary.Uvarint(data)
		return string(data[n : n+int(size)]), data[n+int(size):]
	case 9:
		size, element := uint64(data[0]>>4), data[0]&15
		if data = data[1:]; size == 15 {
			n := 0
			size, n = binary.Uvarint(data)
			data = data[n:]
		}
		all := make([]any, size)
		for i := range all {
			all[i], data = thrift(element, data)
		}
		return all, data
	case 12:
		out, number := make(fields), 0
		for data[0] != 0 {
			head := data[0]
			number += int(head >> 4)
			out[number], data = thrift(head&15, data[1:])
		}
		return out, data[1:]
	}
	panic(fmt.Sprintf("type %d of Thrift", kind))
}

// TestPages reads a file by the format alone: each page has a header with these fields and no
// others, its content has the checksum and the sizes, and the footer says of each column what the
// pages are.
func TestPages(t *testing.T) {
	rows := samplesOf(2000)
	const groupRows = 300
	data := written(t, groupRows, rows)
	end := footerAt(data)
	footer, rest := thrift(12, data[end:])
	of := footer.(fields)
	if len(rest) != 8 || of[1] != int64(2) || of[3] != int64(len(rows)) || len(of) != 7 {
		t.Fatalf("%d bytes after the footer %v", len(rest), of)
	}
	types := []int64{6, 6, 6, 2, 2, 2, 6, 5}
	for k, e := range of[2].([]any)[1:] {
		want := fields{1: types[k], 3: int64(0), 4: e.(fields)[4]}
		switch types[k] {
		case 6:
			want[6], want[10] = int64(0), fields{1: fields{}}
		case 2:
			want[6], want[10] = int64(18), fields{10: fields{1: int64(64), 2: true}}
		}
		if !reflect.DeepEqual(e, any(want)) {
			t.Errorf("column %d of the schema is %v, want %v", k, e, want)
		}
	}
	at := int64(4)
	page := func(want func() fields) {
		t.Helper()
		head, rest := thrift(12, data[at:])
		h := head.(fields)
		packed := rest[:h[3].(int64)]
		zip, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(zip)
		if err != nil {
			t.Fatal(err)
		}
		w := want()
		w[2], w[3] = int64(len(content)), int64(len(packed))
		w[4] = int64(int32(crc32.ChecksumIEEE(packed)))
		if !reflect.DeepEqual(h, w) {
			t.Fatalf("the page at %d has the header %v, want %v", at, h, w)
		}
		at = int64(len(data)) - int64(len(rest)) + h[3].(int64)
	}
	for g, group := range of[4].([]any) {
		n := int64(min(groupRows, len(rows)-g*groupRows))
		for k, column := range group.(fields)[1].([]any) {
			begin, encoding := at, int64(8)
			if k == 7 {
				encoding = 0
			} else {
				page(func() fields {
					return fields{1: int64(2), 7: fields{1: distinct(rows[g*groupRows:][:n], k), 2: int64(0)}}
				})
			}
			first := at
			page(func() fields {
				return fields{1: int64(0), 5: fields{1: n, 2: encoding, 3: int64(3), 4: int64(3)}}
			})
			meta := column.(fields)[3].(fields)
			encodings, keys := []any{int64(0), int64(8)}, 10
			least, largest := extent(rows[g*groupRows:][:n], k)
			known := fields{3: int64(0), 5: largest, 6: least} // no nulls, and the extremes
			if k == 7 {
				encodings, keys, known = encodings[:1], 9, fields{3: int64(0)}
			}
			if meta[1] != types[k] || !reflect.DeepEqual(meta[2], any(encodings)) || meta[4] != int64(2) ||
				meta[5] != n || meta[7] != at-begin || meta[9] != first || len(meta) != keys ||
				k < 7 && meta[11] != begin || !reflect.DeepEqual(meta[12], any(known)) ||
				!reflect.DeepEqual(meta[3], any([]any{of[2].([]any)[k+1].(fields)[4]})) {
				t.Errorf("column %d of row group %d is %v, and its pages are from %d to %d", k, g, meta, begin,
					at)
			}
		}
	}
	if at != end {
		t.Errorf("the pages end at %d, and the footer begins at %d", at, end)
	}
}

// distinct is how many values a column has.
func distinct(rows []sample, column int) int64 {
	seen := make(map[any]bool)
	for _, r := range rows {
		seen[reflect.ValueOf(r).Field(column).Interface()] = true
	}
	return int64(len(seen))
}

// played are the results of two experiments, with programs that computed them.
func played(t *testing.T) []*harness.Results {
	t.Helper()
	catalog := harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var all []*harness.Results
	for k, text := range []string{"name: one\nhorizon: [5, 20]\nreplicates: 2\nproblems: [{use: " +
		"iid, dim: 2}, {use: shrinking}]\nalgorithms: [{use: ogd}, {use: penalised-ftrl, gamma: 5}]",
		"name: two\nhorizon: 7\nseed: 9\nreplicates: 1\nproblems: [{use: shrinking}]\nalgorithms: " +
			"[{use: ogd}]"} {
		x, err := spec.Parse("e.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := harness.NewPlan(catalog, x)
		if err != nil {
			t.Fatal(err)
		}
		if failures, err := plan.Run(t.Context(), s, harness.Options{Workers: 2}); err != nil ||
			len(failures) > 0 {
			t.Fatal(err, failures)
		}
		r, err := harness.LoadExperiment(s, x.Name)
		if err != nil {
			t.Fatal(err)
		}
		r.Computed = nil
		for version := range 2 {
			r.Computed = append(r.Computed, harness.Computed{Cells: 3, Provenance: store.Provenance{
				Version: fmt.Sprint("v", k+version), Go: "go1", GOARCH: fmt.Sprint("arch", version)}})
		}
		all = append(all, r)
	}
	return all
}

// The long form has every value of every metric at every checkpoint, of all games in their order,
// in CSV as in Parquet, and no other; and a writer that fails fails it.
func TestLongForm(t *testing.T) {
	x := Selection{played(t), []algorithms.Metric{"loss", "regret_xhat", "violation_soft"}}
	var want []row
	for _, r := range x.Results {
		for _, g := range r.Games {
			for _, m := range x.Metrics {
				for k, v := range g.Metric(m) {
					want = append(want, row{r.Name, g.Algorithm, g.Problem, int64(g.Replicate),
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
		t.Error("a writer that fails is no error")
	}
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var header []string
	for i := range reflect.TypeFor[row]().NumField() {
		header = append(header, reflect.TypeFor[row]().Field(i).Tag.Get("parquet"))
	}
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
	rows, err := parquet.Read[row](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || !slices.EqualFunc(rows, want, func(a, b row) bool {
		v, w := a.Value, b.Value
		a.Value, b.Value = 0, 0
		return a == b && same(v, w)
	}) {
		t.Errorf("Parquet has %d other rows, error %v", len(rows), err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || f.Metadata().CreatedBy != "ocobench version v0+v1+v2(build )" {
		t.Errorf("created by %q, error %v", f.Metadata().CreatedBy, err)
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Benchmark lines have the final values of each game, under the programs, the experiment and the
// seed; a metric that a game lacks is left out, and the games of a baseline come first.
func TestBenchmarkLines(t *testing.T) {
	results := played(t)
	metrics := []algorithms.Metric{"violation_soft", "regret_dynamic", "loss"}
	const base = "penalised-ftrl:gamma=5"
	var all, against bytes.Buffer
	if err := benchmarks(&all, Selection{results, metrics}); err != nil {
		t.Fatal(err)
	}
	if err := Against(&against, results[0], base, metrics); err != nil {
		t.Fatal(err)
	}
	for _, w := range []func(io.Writer) error{
		func(w io.Writer) error { return benchmarks(w, Selection{results, metrics}) },
		func(w io.Writer) error { return Against(w, results[0], base, metrics) },
	} {
		if err := w(&limited{0, io.ErrShortWrite}); err == nil {
			t.Error("a writer that fails is no error")
		}
	}
	linesOf := func(k int, games []*harness.Game) (lines []string) {
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
	first := func(g *harness.Game) bool { return g.Algorithm == base }
	var games []*harness.Game
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
func TestProvenance(t *testing.T) {
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
			Algorithms, Problems []harness.Entrant
			Computed             []harness.Computed
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got.Schema != Schema ||
		len(got.Experiments) != len(results) {
		t.Fatalf("%v\n%s", err, &b)
	}
	for k, e := range got.Experiments {
		r := results[k]
		specs := func(all []harness.Entrant) (names []string) {
			for _, e := range all {
				names = append(names, e.Spec)
			}
			return names
		}
		if e.Name != r.Name || e.Seed != r.Seed || e.Replicates != r.Replicates ||
			!slices.Equal(e.Horizon, r.Horizon) || !slices.Equal(specs(e.Algorithms), specs(r.Algorithms)) ||
			!slices.Equal(specs(e.Problems), specs(r.Problems)) || !slices.Equal(e.Computed, r.Computed) {
			t.Errorf("%+v of %s", e, r.Name)
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
			r := &harness.Results{Record: harness.Record{Name: "one"}}
			for _, spec := range c.specs {
				r.Games = append(r.Games, &harness.Game{Algorithm: "ogd", Problem: spec, Horizon: 1})
			}
			var out bytes.Buffer
			if err := benchmarks(&out, Selection{Results: []*harness.Results{r}}); err != nil {
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
