package report

import (
	"encoding/json"
	"fmt"
	"math"
	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/report/figure"
	"ocobench/stats"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Which figures an experiment has: one of each problem, of each metric, and of the Example.
func TestAnExperimentHasAFigureOfEachProblemAndMetric(t *testing.T) {
	for _, c := range []struct {
		problems, algorithms      string
		ofProblems                int
		ofMetrics, withTheExample bool
	}{
		{"{use: iid}", "{use: ogd}", 1, false, false},
		{"{use: iid}, {use: fixed}", "{use: ogd}", 0, true, false},
		{"{use: iid}, {use: fixed}", "{use: ogd}, {use: guo}", 2, false, false},
		{"{use: iid, dim: [1, 2]}", "{use: ogd}", 0, true, false},
		{"{use: decaying-frequency, c: [0.5, 1]}", "{use: penalised-ftrl}, {use: primal-dual}", 2, true, true},
		{"{use: decaying-frequency, c: [0.5, 1]}", "{use: penalised-ftrl}", 0, true, false},
		{"{use: iid, dim: [1, 2, 3, 4, 5, 6, 7, 8]}", "{use: ogd}, {use: guo}", 0, true, false},
	} {
		x := parsedExperiment(t, fmt.Sprintf("name: some\nhorizon: 20\nreplicates: 2\n"+
			"problems: [%s]\nalgorithms: [%s]", c.problems, c.algorithms))
		of := newAnalysisView(analysed(t, x))
		var names []string
		ofProblems := 0
		for _, f := range of.figures(withoutBounds) {
			names = append(names, f.name)
			if strings.HasPrefix(f.name, "problem-") {
				ofProblems++
			}
		}
		for _, m := range fittedOf(of.metrics) {
			if slices.Contains(names, string(m.Name)) != c.ofMetrics {
				t.Errorf("%s, %s: %q, want %s: %v", c.problems, c.algorithms, names, m.Name, c.ofMetrics)
			}
		}
		if ofProblems != c.ofProblems || slices.Contains(names, "example") != c.withTheExample {
			t.Errorf("%s, %s: got figures %q, want %d of problems, and of the example: %v", c.problems,
				c.algorithms, names, c.ofProblems, c.withTheExample)
		}
	}
}

// A legend says what tells an entry from the others.
func TestLegendSaysWhatVaries(t *testing.T) {
	const penalised = "{use: penalised-ftrl, gamma: [5, 25], kappa: 2}"
	for _, c := range []struct {
		name, algorithms string
		want             []string
	}{
		{"names, parameters and a label",
			penalised + ", {use: primal-dual, step: 3}, {use: ogd, label: a_1}",
			[]string{`Penalised FTRL, $\gamma = 5$`, `Penalised FTRL, $\gamma = 25$`, "Primal-dual", `a\_1`}},
		{"parameters alone", penalised, []string{`$\gamma = 5$`, `$\gamma = 25$`}},
		{"one entry with a label", "{use: ogd, label: mine}", []string{"mine, Gradient descent"}},
		{"one entry without a label", "{use: primal-dual, step: 3}", []string{"Primal-dual"}},
		{"a label that is a full name", "{use: primal-dual, step: 3}, {use: ogd, label: Primal-dual}",
			[]string{"primal-dual:step=3", "Primal-dual"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := analysed(t, parsedExperiment(t, "name: labels\nhorizon: 20\nproblems: [{use: iid}]\n"+
				"algorithms: ["+c.algorithms+"]"))
			for k, want := range c.want {
				if got := lineLabel(a.Algorithms[k], a.Algorithms); got != want {
					t.Errorf("%s is labelled %s, want %s", a.Algorithms[k].Spec, got, want)
				}
			}
		})
	}
}

// The outline of a set goes through its best actions in the order of the angles, and
// ends where it began. A set that is empty has none.
func TestOutlineJoinsBestActionsByAngle(t *testing.T) {
	a := &analysis.Analysis{}
	corner := map[int][]analysis.Number{0: {1, 0}, 90: {0, 2}, 225: {-3, -3}}
	nan := analysis.Number(math.NaN())
	for _, angle := range []int{90, 225, 0} {
		a.Problems = append(a.Problems, analysis.Problem{
			Entry: experiment.Entry{Name: "iid",
				Params: json.RawMessage(fmt.Sprintf(`{"angle":%d,"dim":2}`, angle))},
			Best: []analysis.Best{{Set: "xmin", Action: []analysis.Number{nan, nan}},
				{Set: "xhat", Action: corner[angle]}, {Set: "xmax", Action: corner[angle]}},
		})
	}
	f := newAnalysisView(a).outlines
	if f == nil || len(f.Panels) != 1 || len(f.Panels[0].Series) != 2 {
		t.Fatalf("the figure is %+v, want one panel with two outlines", f)
	}
	p := f.Panels[0]
	for _, s := range p.Series {
		if !slices.Equal(s.X, []float64{1, 0, -3, 1}) || !slices.Equal(s.Y, []float64{0, 2, -3, 0}) {
			t.Errorf("%s: got outline %v, %v, want the best actions by angle", s.Label, s.X, s.Y)
		}
	}
	reach := 3.0
	if want := reach * 1.05; p.X.Min != -want || p.X.Max != want || p.Y.Min != -want ||
		p.Y.Max != want {
		t.Errorf("the axes are %+v and %+v, want ±%v", p.X, p.Y, want)
	}
	a.Problems[1].Params = json.RawMessage(`{"angle":225,"dim":3}`)
	if newAnalysisView(a).outlines != nil {
		t.Error("dimensions that vary: got outlines, want none")
	}
	a.Problems[1] = analysis.Problem{Entry: experiment.Entry{Name: "shrinking",
		Params: json.RawMessage(`{}`)}}
	for _, set := range []string{"xmin", "xhat", "xmax"} {
		a.Problems[1].Best = append(a.Problems[1].Best,
			analysis.Best{Set: set, Action: []analysis.Number{1}})
	}
	if newAnalysisView(a).outlines != nil {
		t.Error("one dimension: got an outline, want none")
	}
}

// Every metric that is shown or fitted has a symbol.
func TestShownMetricsHaveSymbols(t *testing.T) {
	for _, m := range game.Metrics {
		if _, ok := metricSymbols[m.Name]; !ok && (m.Shown || m.Fitted) {
			t.Errorf("%s: got no symbol, want one in metricSymbols (report/names.go)", m.Name)
		}
	}
}

// Many panels are several figures, as few as have room, of about the same size and in the same
// order, and each has a name of its own.
func TestManyPanelsAreSplitEvenly(t *testing.T) {
	for n := range 4 * maxPanels {
		var panels []figure.Panel
		for k := range n {
			panels = append(panels, figure.Panel{Title: fmt.Sprint(k)})
		}
		all := namedFigure{name: "plane"}.panelGrids(panels, "")
		var got []figure.Panel
		for k, f := range all {
			want := "plane"
			if k > 0 {
				want = fmt.Sprintf("plane-%d", k+1)
			}
			size := len(f.figure.Panels)
			if most := len(all[0].figure.Panels); f.name != want || size > min(most, maxPanels) ||
				size <= most-len(all) {
				t.Errorf("figure %d of %d panels: got %s with %d, want %s and even sizes", k, n, f.name, size,
					want)
			}
			got = append(got, f.figure.Panels...)
		}
		if !reflect.DeepEqual(got, panels) || float64(len(all)) != math.Ceil(float64(n)/maxPanels) {
			t.Errorf("%d panels: got %d figures or other panels, want the same panels in as few as possible",
				n, len(all))
		}
	}
}

// Of many algorithms those on the front have a colour in the plane, and the user's own, wherever it
// ends.
func TestPlaneNamesTheUsersOwn(t *testing.T) {
	const problem = "iid"
	v := &analysisView{Analysis: &analysis.Analysis{}}
	v.Problems = []analysis.Problem{{Entry: experiment.Entry{Spec: problem, Name: problem}}}
	front := analysis.Front{Problem: problem, Regret: algorithms.RegretXHat,
		Violation: algorithms.SoftViolation, Algorithms: []string{"ogd"}}
	for k, name := range []string{"mine", "ogd", "chen"} {
		v.Algorithms = append(v.Algorithms, experiment.Entry{Spec: name, Name: name})
		at := analysis.Numbers{analysis.Number(k)}
		end := &analysis.Series{State: analysis.Measured,
			Mean: analysis.Band{T: []float64{1}, Value: at, Lower: at, Upper: at}}
		v.Pairs = append(v.Pairs, analysis.Pair{Algorithm: name, Problem: problem,
			Series: map[algorithms.Metric]*analysis.Series{front.Regret: end, front.Violation: end}})
	}
	var coloured []string
	for _, s := range planePanel(newAnalysisView(v.Analysis), front, true).Series {
		if !s.Faint && !s.Thin {
			coloured = append(coloured, s.Label)
		}
	}
	if want := []string{"ogd", "mine"}; !slices.Equal(coloured, want) {
		t.Errorf("%q have a colour, want %q", coloured, want)
	}
}

// A fit is drawn through means that grow; it is left out where there is no growth, or where a mean
// is not positive, since it would be away from the points.
func TestSweepShowsFitsOfGrowthOnly(t *testing.T) {
	for _, c := range []struct {
		name     string
		means    []analysis.Number
		exponent analysis.Number
		drawn    bool
	}{
		{"growth", []analysis.Number{10, 20, 40, 80}, 1, true},
		{"a negative mean", []analysis.Number{10, -20, 40, 80}, 0.5, false},
		{"no growth", []analysis.Number{10, 10, 10, 10}, 0, false},
		{"the last mean is below the largest", []analysis.Number{10, 80, 40, 20}, 0.5, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			band := analysis.Band{T: []float64{100, 200, 400, 800}, Value: c.means, Lower: c.means,
				Upper: c.means}
			s := &analysis.Series{State: analysis.Measured, Mean: band, Across: &band,
				Fit: &analysis.Fit{Design: stats.AcrossT, To: 800, End: &analysis.End{From: 100,
					Exponent: analysis.Estimate{Value: c.exponent}}}}
			if line, drawn := fittedGrowth(s, 100); drawn != c.drawn {
				t.Errorf("drawn: %v, want %v: %v", drawn, c.drawn, line.Y)
			}
		})
	}
}

// Algorithms that need several panels of one problem are compared on one axis, and the titles say
// which of the panels one is.
func TestPanelsOfOneProblemAcrossHorizonsShareTheAxis(t *testing.T) {
	v := newAnalysisView(analysed(t, parsedExperiment(t, "name: many\nhorizon: [10, 20]\n"+
		"replicates: 2\nproblems: [{use: iid}]\nalgorithms: "+
		"[{use: ogd, step: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]}]")))
	figures := horizonFigures(v)
	if len(figures) == 0 {
		t.Fatal("there are no figures over T, want one of each metric")
	}
	for _, f := range figures {
		panels := f.figure.Panels
		if len(panels) != 2 {
			t.Fatalf("%s has %d panels, want 2", f.name, len(panels))
		}
		a, b := panels[0], panels[1]
		if a.Y.Scale != b.Y.Scale || a.Y.Min != b.Y.Min || a.Y.Max != b.Y.Max || a.Y.Min >= a.Y.Max {
			t.Errorf("%s: the axes are %+v and %+v, want one", f.name, a.Y, b.Y)
		}
		for _, p := range panels {
			for _, s := range p.Series {
				for _, y := range s.Y {
					if y < a.Y.Min && (y > 0 || a.Y.Scale != figure.Log) || y > a.Y.Max {
						t.Errorf("%s: got %g, want it on the axis from %g to %g", f.name, y, a.Y.Min, a.Y.Max)
					}
				}
			}
		}
		if !strings.HasSuffix(a.Title, "(1 of 2)") || !strings.HasSuffix(b.Title, "(2 of 2)") {
			t.Errorf("the titles are %q and %q, want (1 of 2) and (2 of 2)", a.Title, b.Title)
		}
	}
}
