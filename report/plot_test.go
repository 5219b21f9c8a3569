package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/figure"
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

// Across horizons the ticks and the caption have the horizons, a line is a fit of three points or
// more, and the caption says who claims a power; a caption and a scale of the user's replace these.
func TestPlotAcrossHorizons(t *testing.T) {
	x := parsedExperiment(t, "name: swept\nhorizon: [30, 100, 300]\nreplicates: 6\nproblems: "+
		"[{use: iid}]\nalgorithms: [{use: ogd}, {use: neely-yu}]")
	a := analysed(t, x)
	p := Plot{X: "T", Metrics: []algorithms.Metric{algorithms.SoftViolation}}
	d, err := p.Draw(a)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Figure.Panels[0].X.Ticks; !slices.Equal(got, []float64{30, 100, 300}) {
		t.Errorf("the ticks are at %v, want the horizons", got)
	}
	for _, want := range []string{"on i.i.d. constraints", "$T = 30, 100, 300$",
		`$T^{1/2}$ of \emph{Neely, Yu}.`} {
		if !strings.Contains(d.named.caption.TeX, want) {
			t.Errorf("the caption lacks %s: %s", want, d.named.caption.TeX)
		}
	}
	fits := 0
	for _, s := range d.Figure.Panels[0].Series {
		if s.Solid {
			fits++
		}
	}
	if fits != 1 { // that of ogd, over t; neely-yu has two horizons in the window
		t.Errorf("%d fits are drawn, want 1", fits)
	}
	p.Y, p.Caption = "linear", "Mine, $V_T$"
	if d, err = p.Draw(a); err != nil {
		t.Fatal(err)
	}
	if d.Figure.Panels[0].Y.Scale != figure.Linear || d.Figure.Panels[0].Guides != nil ||
		d.named.caption.TeX != p.Caption {
		t.Errorf("the scale is %d and the caption %q, want a linear axis and %q",
			d.Figure.Panels[0].Y.Scale, d.named.caption.TeX, p.Caption)
	}
}

// In the middle of a sentence the title of a problem has a small letter, unless it is of persons or
// an acronym; a label and an algorithm keep theirs.
func TestNameInSentence(t *testing.T) {
	for _, c := range []struct{ title, label, feedback, want string }{
		{"I.i.d. constraints", "", "", "i.i.d. constraints"},
		{"Decaying frequency", "", "", "decaying frequency"},
		{"Decaying frequency", "Mine", "", "Mine"},
		{"Vaze and Sinha, Lemma 6", "", "", "Vaze and Sinha, Lemma 6"},
		{"Mannor et al.", "", "", "Mannor et al."},
		{"LP", "", "", "LP"},
		{"Gradient descent", "", "FO", "Gradient descent"},
	} {
		t.Run(c.title+c.label, func(t *testing.T) {
			e := experiment.Entry{Spec: "a", Name: "a", FullName: c.title, Label: c.label,
				Feedback: algorithms.Feedback(c.feedback)}
			if got := nameInSentence(e); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}
