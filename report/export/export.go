// Package export writes results for other programs: the long form, a row for each value of
// each metric at each checkpoint, as CSV or Parquet, and the final values as Go benchmark
// lines. The rows follow the order of the plans.
package export

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// Schema is the version of the columns and of their meaning (docs/reading.md). It increases if
// programs that read the old version would misread the new one.
const Schema = 1

// A Selection holds the experiments and the metrics that are exported.
type Selection struct {
	Results []*run.Results
	Metrics []algorithms.Metric
}

// A Format is a format of files.
type Format struct {
	Ext, Doc string // the extension of the file, and what it has
	Write    func(io.Writer, Selection) error
}

// Formats lists the formats of exported files.
var Formats = []Format{
	{".csv", "long form: experiment, algorithm, problem, replicate, horizon,\n" +
		"t, metric, value; regret against an empty set is NaN, and\n" +
		"regret_xe is there if the problem knows its expected constraints,\n" +
		"and dynamic regret, path length and constraint variation if an\n" +
		"experiment asks for them", CSV},
	{".parquet", "the same, with the version of the columns in the metadata", Parquet},
	{".txt", "Go benchmark lines for benchstat: the final values of every game", writeBenchmarks},
}

// Extensions returns the file endings of the formats, in their order.
func Extensions() (all []string) {
	for _, f := range Formats {
		all = append(all, f.Ext)
	}
	return all
}

// sample is a row of the long form.
type sample struct {
	Experiment string  `parquet:"experiment,dict"`
	Algorithm  string  `parquet:"algorithm,dict"`
	Problem    string  `parquet:"problem,dict"`
	Replicate  int64   `parquet:"replicate,dict"`
	Horizon    int64   `parquet:"horizon,dict"`
	T          int64   `parquet:"t,dict"`
	Metric     string  `parquet:"metric,dict"`
	Value      float64 `parquet:"value"`
}

// samples yields the rows of the long form.
func (x Selection) samples(yield func(sample) bool) {
	for _, r := range x.Results {
		for _, g := range r.Games {
			t := g.T()
			for _, metric := range x.Metrics {
				for k, v := range g.Metric(metric) {
					if !yield(sample{
						r.Name, g.Algorithm, g.Problem, int64(g.Replicate), int64(g.Horizon),
						int64(t[k]), string(metric), v,
					}) {
						return
					}
				}
			}
		}
	}
}

// CSV writes the long form with a header.
func CSV(w io.Writer, x Selection) error {
	out := csv.NewWriter(w)
	header := []string{"experiment", "algorithm", "problem", "replicate", "horizon", "t", "metric",
		"value"}
	if err := out.Write(header); err != nil {
		return err
	}
	integer := func(n int64) string { return strconv.FormatInt(n, 10) }
	for s := range x.samples {
		if err := out.Write([]string{
			s.Experiment, s.Algorithm, s.Problem, integer(s.Replicate), integer(s.Horizon),
			integer(s.T), s.Metric, strconv.FormatFloat(s.Value, 'g', -1, 64),
		}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// programNames returns one part of the provenance of the programs that computed the cells, such as
// their version. Where they differ, it joins all values with +.
func programNames(all []*run.Results, part func(store.Provenance) string) string {
	var parts []string
	for _, r := range all {
		for _, c := range r.Computed {
			if p := part(c.Provenance); !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
	}
	return strings.Join(parts, "+")
}

// writeBenchmarks writes the final values in the Go benchmark format.
func writeBenchmarks(w io.Writer, x Selection) error {
	for _, r := range x.Results {
		if err := writeBenchmarkLines(w, r, r.Games, x.Metrics); err != nil {
			return err
		}
	}
	return nil
}

// Against writes the final values of all games as Go benchmark lines, beginning with those of a
// baseline, as benchstat needs it for a comparison.
func Against(w io.Writer, r *run.Results, baseline string, metrics []algorithms.Metric) error {
	var first, others []*game.Game
	for _, g := range r.Games {
		if g.Algorithm == baseline {
			first = append(first, g)
		} else {
			others = append(others, g)
		}
	}
	return writeBenchmarkLines(w, r, append(first, others...), metrics)
}

// writeBenchmarkLines writes for each of the games a line with the final values of the metrics.
// Replicates are repetitions of one benchmark. A name has no blanks, and / only between its parts:
// those of a SPEC are escaped as in a URL, so that two SPECs have two names, the same in every
// file.
func writeBenchmarkLines(w io.Writer, r *run.Results, games []*game.Game,
	metrics []algorithms.Metric) error {
	escape := strings.NewReplacer("%", "%25", " ", "%20", "/", "%2F")
	computed := []*run.Results{r}
	for _, c := range []struct {
		key  string
		part func(store.Provenance) string
	}{
		{"goarch", func(p store.Provenance) string { return p.GOARCH }},
		{"go", func(p store.Provenance) string { return p.Go }},
		{"ocobench", func(p store.Provenance) string { return p.Version }},
	} {
		fmt.Fprintf(w, "%s: %s\n", c.key, programNames(computed, c.part))
	}
	title := strings.ToUpper(r.Name[:1]) + r.Name[1:] // Go wants a capital letter after Benchmark
	fmt.Fprintf(w, "experiment: %s\nseed: %d\n", r.Name, r.Seed)
	for _, g := range games {
		fmt.Fprintf(w, "Benchmark%s/algorithm=%s/problem=%s/T=%d 1",
			title, escape.Replace(g.Algorithm), escape.Replace(g.Problem), g.Horizon)
		for _, metric := range metrics {
			if v := g.Metric(metric); len(v) > 0 && !math.IsNaN(v[len(v)-1]) {
				fmt.Fprintf(w, " %v %s", v[len(v)-1], metric)
			}
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// Provenance writes where exported values come from: the version of the columns, the experiments,
// the seeds and the programs.
func Provenance(w io.Writer, all []*run.Results) error {
	type provenance struct {
		Name       string             `json:"name"`
		Seed       uint64             `json:"seed"`
		Replicates int                `json:"replicates"`
		Horizon    []int              `json:"horizon"`
		Algorithms []experiment.Entry `json:"algorithms"`
		Problems   []experiment.Entry `json:"problems"`
		Computed   []run.Computed     `json:"computed"` // the programs that computed the cells
	}
	var experiments []provenance
	for _, r := range all {
		experiments = append(experiments, provenance{r.Name, r.Seed, r.Replicates, r.Horizon,
			r.Algorithms, r.Problems, r.Computed})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Schema      int          `json:"schema"`
		Exported    any          `json:"exported"` // the program that wrote the file
		Experiments []provenance `json:"experiments"`
	}{Schema, store.CurrentProvenance(), experiments})
}
