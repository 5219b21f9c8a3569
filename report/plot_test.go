package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
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
			t.Fatalf("over %s: got a line of %s, want none without its pair", axis, algorithm)
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
			t.Errorf("over %s: got a point of %s at %v, want one of the analysis", axis, algorithm, at)
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

// parseNumber reads a number; an error ends the test.
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
func TestPlotAcrossHorizonsShowsThem(t *testing.T) {
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
	p.Y = "linear"
	if d, err = p.Draw(a); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(d.named.caption.TeX, "Dashed") {
		t.Errorf("no dashed lines: got caption %s, want none named", d.named.caption.TeX)
	}
	for k := range a.Pairs { // one positive point shows no growth
		if p := &a.Pairs[k]; p.Algorithm == "neely-yu" {
			band := p.Series[algorithms.SoftViolation].Across
			band.Value[0], band.Value[1] = 0, 0
		}
	}
	p.Y = "log"
	if d, err = p.Draw(a); err != nil {
		t.Fatal(err)
	}
	if g := d.Figure.Panels[0].Guides; g != nil || strings.Contains(d.named.caption.TeX, "Dashed") {
		t.Errorf("one positive point: got a claimed power %v, caption %s, want none", g,
			d.named.caption.TeX)
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
func TestTitlesInSentencesBeginSmall(t *testing.T) {
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

// Over a parameter a line of a labelled grid is named by its label and the other parameters; a
// level, which has one value of the parameter, is named by that too. No two lines of a panel have
// one name.
func TestLinesOfAPanelHaveNamesOfTheirOwn(t *testing.T) {
	for _, c := range []struct{ name, algorithms, x, want string }{
		{"first parameter", "{use: penalised-ftrl, label: ours, gamma: [5, 25], kappa: [1, 2, 3]}", "gamma",
			"ours, kappa = 1; ours, kappa = 2; ours, kappa = 3"},
		{"last parameter", "{use: penalised-ftrl, label: ours, gamma: [5, 25], kappa: [1, 2]}", "kappa",
			"ours, gamma = 5; ours, gamma = 25"},
		{"rounds", "{use: penalised-ftrl, label: ours, gamma: [5, 25], kappa: [1, 2]}", "t",
			"ours, gamma = 5, kappa = 1; ours, gamma = 5, kappa = 2; ours, gamma = 25, kappa = 1; " +
				"ours, gamma = 25, kappa = 2"},
		{"without a label", "{use: penalised-ftrl, gamma: [5, 25], kappa: [1, 2]}, {use: ogd}", "gamma",
			`Penalised FTRL, $\kappa = 1$; Penalised FTRL, $\kappa = 2$; Gradient descent`},
		{"with and without", "{use: penalised-ftrl, label: ours, gamma: [5, 25], kappa: [1, 2]}, " +
			"{use: penalised-ftrl, gamma: 7, kappa: 3}, {use: penalised-ftrl, gamma: [1, 2], kappa: 4}",
			"gamma", "ours, kappa = 1; ours, kappa = 2; " +
				`Penalised FTRL, $\gamma = 7$, $\kappa = 3$; Penalised FTRL, $\kappa = 4$`},
		{"two grids of one label", "{use: penalised-ftrl, label: ours, gamma: [5, 25]}, " +
			"{use: penalised-ftrl, label: ours, gamma: [6, 30], kappa: 3}", "gamma",
			`ours, $\kappa = 1$; ours, $\kappa = 3$`},
		{"two algorithms of one label", "{use: penalised-ftrl, label: ours, gamma: [5, 25]}, " +
			"{use: primal-dual, label: ours, step: [1, 2]}", "gamma",
			"ours; ours, step = 1; ours, step = 2"},
		{"label that is a title", "{use: penalised-ftrl, label: Gradient descent, gamma: 7}, {use: ogd}",
			"t", "Gradient descent; ogd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := parsedExperiment(t, "name: grid\nhorizon: 20\nreplicates: 2\nproblems: "+
				"[{use: iid}, {use: fixed}]\nalgorithms: ["+c.algorithms+"]")
			d, err := Plot{X: c.x}.Draw(analysed(t, x))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range d.Figure.Panels {
				var names []string
				for _, s := range p.Series {
					if slices.Contains(names, s.Label) {
						t.Errorf("%s: got two lines named %q, want names of their own", p.Title, s.Label)
					}
					names = append(names, s.Label)
				}
				if got := strings.Join(names, "; "); got != c.want {
					t.Errorf("the lines are named %s, want %s", got, c.want)
				}
			}
		})
	}
}

// The SPEC of an entry whose default is no number is that of the others without the parameter.
func TestAnEntryWithoutANumberIsAGroupOfItsOwn(t *testing.T) {
	entry := func(spec, rate string) experiment.Entry {
		return experiment.Entry{Name: "ours", Spec: spec,
			Params: json.RawMessage(`{"rate":` + rate + `}`)}
	}
	s := &parameterAxis{name: "rate", groups: make(map[string][]experiment.Entry)}
	firsts, several := s.groupEntries([]experiment.Entry{entry("ours", `"auto"`),
		entry("ours:rate=2", "2"), entry("ours:rate=1", "1")})
	if len(firsts) != 2 || !several || len(s.groups["ours"]) != 1 || s.min != 1 || s.max != 2 {
		t.Errorf("got groups %v from %v to %v, want ours alone, and a group from 1 to 2", s.groups,
			s.min, s.max)
	}
}
