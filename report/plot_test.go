package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// The points of a plot are the means of the analysis with their intervals: over t those of the last
// game, over T those at the horizons, and over a parameter the last ones at its values, where an
// algorithm without the parameter is a level.
func TestPlotHasTheMeansOfTheAnalysis(t *testing.T) {
	x := parsedExperiment(t, "name: swept\nhorizon: [30, 100]\nreplicates: 3\nproblems: "+
		"[{use: iid}]\nalgorithms: [{use: ogd}, {use: primal-dual, step: [0.5, 2]}]")
	a := analysed(t, x)
	mean := func(axis, algorithm string, at float64) analysis.Estimate {
		if axis == "step" && algorithm != "ogd" {
			algorithm = "primal-dual:step=" + table.Value(at)
		}
		p := a.Pair(algorithm, "iid")
		if p == nil {
			t.Fatalf("over %s there is a line of %s", axis, algorithm)
		}
		s := p.Series[algorithms.SoftViolation]
		e, ok := s.Mean.At(at)
		switch axis {
		case "step":
			return s.Mean.Last()
		case "T":
			e, ok = s.Across.At(at)
		}
		if !ok {
			t.Errorf("over %s there is a point of %s at %v", axis, algorithm, at)
		}
		return e
	}
	for axis, points := range map[string]int{"t": 30, "T": 6, "step": 4} {
		t.Run(axis, func(t *testing.T) {
			d, err := Plot{X: axis, Metrics: []algorithms.Metric{algorithms.SoftViolation}}.Draw(a)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := d.WriteCSV(&out); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(&out).ReadAll()
			if err != nil || len(rows)-1 < points || axis != "t" && len(rows)-1 > points {
				t.Fatalf("%d points, error %v, want %d", len(rows)-1, err, points)
			}
			for _, row := range rows[1:] {
				e := mean(axis, row[2], parseNumber(t, row[3]))
				for k, want := range []analysis.Number{e.Value, e.Lower, e.Upper} {
					if got := row[4+k]; got != table.Value(float64(want)) {
						t.Errorf("%q has %s, want %v", row, got, want)
					}
				}
			}
		})
	}
}

func parseNumber(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
