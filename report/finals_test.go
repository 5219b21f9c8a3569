package report

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/golden"
	"ocobench/internal/input"
	"ocobench/internal/race"
	"ocobench/problems"
	"ocobench/report/figure"
	"ocobench/report/table"
)

var update = flag.Bool("update", false,
	"rewrite the golden files; commit them only if you understand the changes")

// analysed plays an experiment and analyses it.
func analysed(t *testing.T, x *spec.Experiment) *analysis.Analysis {
	t.Helper()
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	a, err := analysis.Of(t.Context(), catalog, play(t, t.TempDir(), catalog, x))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// shownAt returns tables as a terminal shows them.
func shownAt(t *testing.T, tables []*table.Table, width int) string {
	t.Helper()
	var b bytes.Buffer
	for _, tab := range tables {
		if err := table.WriteTerminal(&b, tab, width); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// The default experiment, with fewer rounds, prints these tables in 100 and in 80
// characters, on a screen of 50 lines with what else a run says. Its files have the finals, and
// the captions of its figures their words.
func TestFinalsOfFrequency(t *testing.T) {
	race.Alone(t)
	x, err := experiments.Read("frequency")
	if err != nil {
		t.Fatal(err)
	}
	x.Horizon = []int{1000}
	a := analysed(t, x)
	a.Computed = []run.Computed{{Provenance: store.Provenance{
		Version: "V", Go: "goV", GOARCH: "ARCH",
	}, Cells: 600}}
	for name, got := range map[string]string{
		"frequency-100.txt": shownAt(t, First(a), 100),
		"frequency-80.txt":  shownAt(t, First(a), 80),
		"finals-100.txt":    shownAt(t, Tables(a), 100),
		"finals-80.txt":     shownAt(t, Tables(a), 80),
	} {
		golden.File(t, name, got, *update)
	}
	if n := strings.Count(shownAt(t, First(a), 100), "\n"); n > 46 {
		t.Errorf("a run prints %d lines, and a screen of 50 has no room for them", n)
	}
	of := subjectOf(a)
	var names []string
	for _, f := range of.figures(false) {
		names = append(names, f.name)
		if f.name == "example" {
			testExample(t, f.figure)
		}
		if f.caption.TeX == "" || !strings.HasSuffix(f.caption.Plain,
			"Experiment frequency, T = 1000, seed 1.") {
			t.Errorf("the caption of %s is %+v", f.name, f.caption)
		}
		for _, m := range of.glance {
			alone := f.name == string(m.Name) || f.name == "example" && m.Name == algorithms.SoftViolation
			words := input.Capital(of.sweeps[0].said(of, m).Plain)
			if strings.Contains(f.caption.Plain, words) != alone ||
				alone && strings.Count(f.caption.TeX, symbols[m.Name]) != 1 {
				t.Errorf("does the caption of %s say %q? %v", f.name, words, !alone)
			}
		}
	}
	var want []string
	for _, c := range []string{"0.5", "0.6", "0.75", "0.9", "1"} {
		want = append(want, "problem-decaying-frequency-c-"+c)
	}
	want = append(want, "example")
	for _, m := range game.Select(func(m game.Metric) bool { return m.Shown && m.Fitted }) {
		want = append(want, string(m.Name))
	}
	want = append(want, "plane", "local-regret", "ratio-regret", "local-violation")
	if !slices.Equal(names, want) {
		t.Errorf("the figures are %q, want %q", names, want)
	}
}

// The figure of the Example has the violation of both algorithms side by side, with a line
// for each c.
func testExample(t *testing.T, f *figure.Figure) {
	t.Helper()
	var got []string
	for _, p := range f.Panels {
		got = append(got, p.Title)
		for _, s := range p.Series {
			got = append(got, s.Label)
		}
	}
	lines := "$c = 0.5$ $c = 0.6$ $c = 0.75$ $c = 0.9$ $c = 1$"
	if got := strings.Join(got, " "); got != "Penalised FTRL "+lines+" Primal-dual "+lines {
		t.Errorf("the example shows %s", got)
	}
}

// Of many algorithms a figure of a problem has several rows, with a name for each curve at
// the end of its row and no legend, and the plane has a colour and a name for each
// algorithm on the front.
func TestFiguresOfMany(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: many\nhorizon: 60\nreplicates: 3\nproblems: [{use: "+
		"iid, dim: 2}]\nalgorithms: all"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	for _, f := range subjectOf(a).figures(true) {
		switch f.name {
		case "problem-iid-dim-2":
			if f.figure.Columns != len(subjectOf(a).glance) ||
				f.figure.Title != Name(a.Entry("iid:dim=2")) {
				t.Errorf("%d columns of %s", f.figure.Columns, f.figure.Title)
			}
			named, curves := make(map[string]int), make(map[int]int)
			for k, p := range f.figure.Panels {
				for _, s := range p.Series {
					if s.Thin { // a bound
						continue
					}
					curves[k]++
					named[s.Label]++
					if (s.Label != "") != (k%f.figure.Columns == f.figure.Columns-1) || !p.Ends ||
						curves[k] > maxLines {
						t.Errorf("panel %d, one of %d columns and with names at its ends: %v, has %q among %d curves",
							k, f.figure.Columns, p.Ends, s.Label, curves[k])
					}
				}
			}
			for _, p := range a.Pairs {
				if n := named[Name(a.Entry(p.Algorithm))]; n != 1 {
					t.Errorf("%s is named %d times", p.Algorithm, n)
				}
			}
		case "plane":
			var names, want []string
			for _, s := range f.figure.Panels[0].Series {
				if s.Faint != (s.Label == "") {
					t.Errorf("a curve in grey, %v, is named %q", s.Faint, s.Label)
				}
				if !s.Faint && !s.Thin {
					names = append(names, s.Label)
				}
			}
			for _, e := range a.Fronts[0].Algorithms {
				want = append(want, Name(a.Entry(e)))
			}
			if len(names) < 2 || !slices.Equal(names, want) {
				t.Errorf("the plane names %q, want %q", names, want)
			}
		}
	}
	a.Fronts[0].Algorithms = nil
	names := 1 // that of the front
	for _, p := range a.Pairs {
		a.Fronts[0].Algorithms = append(a.Fronts[0].Algorithms, p.Algorithm)
		names++
		f := planes(subjectOf(a))[0].figure
		if room := 1.8 + 0.3*float64(names); math.Abs(f.Height-max(5.2, room)) > 1e-9 {
			t.Errorf("the plane with %d names is %v cm high", names, f.Height)
		}
	}
	if names < 20 {
		t.Errorf("%d names have room anyway", names)
	}
}

// Which figures an experiment has: one of each problem, of each metric, and of the Example.
func TestFiguresOfAnExperiment(t *testing.T) {
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
		x, err := spec.Parse("e.yaml", fmt.Appendf(nil, "name: some\nhorizon: 20\nreplicates: 2\n"+
			"problems: [%s]\nalgorithms: [%s]", c.problems, c.algorithms))
		if err != nil {
			t.Fatal(err)
		}
		of := subjectOf(analysed(t, x))
		var names []string
		ofProblems := 0
		for _, f := range of.figures(false) {
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
			t.Errorf("%s, %s: %q", c.problems, c.algorithms, names)
		}
	}
}

// A legend says what varies.
func TestLineLabel(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: labels\nhorizon: 20\nproblems: [{use: iid}]\n"+
		"algorithms: [{use: penalised-ftrl, gamma: [5, 25], kappa: 2}, {use: primal-dual, step: 3}, "+
		"{use: ogd, label: a_1}]"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	for k, want := range []string{`Penalised FTRL, $\gamma = 5$`, `Penalised FTRL, $\gamma = 25$`,
		"Primal-dual", `a\_1`} {
		if got := lineLabel(a.Algorithms[k], a.Algorithms); got != want {
			t.Errorf("%s is labelled %s, want %s", a.Algorithms[k].Spec, got, want)
		}
	}
	if got := lineLabel(a.Algorithms[1], a.Algorithms[:2]); got != `$\gamma = 25$` {
		t.Errorf("one of two γ is labelled %s", got)
	}
	if got, want := setting(subjectOf(a)).TeX,
		`Parameters: Penalised FTRL, $\gamma = 5$, $\kappa = 2$; Penalised FTRL, $\gamma = 25$, $\kappa = 2$; Primal-dual, step 3. Experiment labels, $T = 20$, seed 1.`; got != want {
		t.Errorf("the caption ends with %s, want %s", got, want)
	}
}

// The words of a sweep are those of the paired comparisons: an algorithm is said to be
// lower or higher where the adjusted p-value is below 0.05, and nowhere else.
func TestWordsOfSweep(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: words\nhorizon: 500\nreplicates: 7\nproblems: "+
		"[{use: decaying-frequency, c: [0.5, 0.75, 1]}]\n"+
		"algorithms: [{use: penalised-ftrl}, {use: primal-dual}, {use: ogd}]"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	of := subjectOf(a)
	sweeps, problems := of.sweeps, of.rest
	if len(sweeps) != 1 || len(problems) != 0 {
		t.Fatalf("there are %d sweeps, and %d problems are left", len(sweeps), len(problems))
	}
	seen := make(map[string]int)
	for _, m := range of.glance {
		words := of.sweeps[0].words(of, m).Plain
		for _, c := range a.Comparisons.Against(a.Experiment.Baseline).Rows {
			if c.Metric != m.Name {
				continue
			}
			want := "no difference shown"
			if c.Difference.Adjusted <= 0.05 {
				if want = "lower"; c.Difference.Value > 0 {
					want = "higher"
				}
			}
			seen[want]++
			if got := outcome(words, c.A,
				strings.TrimPrefix(c.Problem, "decaying-frequency:c=")); got != want {
				t.Errorf("%s on %s is said to be %s, want %s in: %s", c.A, c.Problem, got, want, words)
			}
		}
		for _, p := range a.Pairs {
			if p.Algorithm == "penalised-ftrl" {
				mean, _, _ := strings.Cut(plusMinus(p.Series[m.Name].Mean.Last()).Plain, " ")
				if !strings.Contains(words, " "+mean+" (") {
					t.Errorf("the mean %s on %s is not in: %s", mean, p.Problem, words)
				}
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("the experiment has only the outcomes %v", seen)
	}
}

// Words of a sweep of an algorithm are about five problems at most, and say how many more there
// are.
func TestWordsOfManyProblems(t *testing.T) {
	for n, want := range map[int]int{5: 5, 7: 5} {
		x, err := spec.Parse("e.yaml", []byte("name: words\nhorizon: 10\nreplicates: 1\n"+
			"problems: [{use: "+strings.Join([]string{"iid", "shrinking", "family", "alternating", "fixed", "perturbed",
			"vaze-sinha"}[:n], "}, {use: ")+"}]\nalgorithms: [{use: penalised-ftrl, gamma: [1, 25]}]"))
		if err != nil {
			t.Fatal(err)
		}
		words := Words(analysed(t, x))
		if len(words) == 0 {
			t.Error("there are none")
		}
		for _, text := range words {
			more := strings.Contains(strings.ToLower(text), fmt.Sprintf("and %d more", n-want))
			if got := strings.Count(text, " it is "); got != want || more != (n > want) {
				t.Errorf("%d problems of %d are named: %s", got, n, text)
			}
		}
	}
}

// outcome reads what words say of an algorithm at a value of c.
func outcome(words, algorithm, value string) string {
	_, words, _ = strings.Cut(words, "Against it: ")
	for clause := range strings.SplitSeq(strings.TrimSuffix(words, "."), "; ") {
		if !strings.Contains(" "+clause, " "+algorithm+" ") {
			continue
		}
		at := ""
		for _, said := range []string{"lower", "higher", "no difference shown"} {
			if strings.Contains(clause, said+" for every c") || strings.Contains(clause, said+" for any c") {
				return said
			}
		}
		for _, word := range strings.Fields(clause) {
			switch word = strings.TrimSuffix(word, ","); word {
			case "lower", "higher":
				at = word
			case "shown":
				at = "no difference shown"
			case value:
				return at
			}
		}
	}
	return "nothing"
}

// A swept algorithm is among its rivals: it and no sweep have a block for each problem.
func TestFinalsShapes(t *testing.T) {
	for _, c := range []struct {
		name, problems, algorithms string
		titles, columns            []string
		blocks                     []int
	}{
		{"of an algorithm", "[{use: iid}, {use: fixed}]", "[{use: primal-dual, step: [1, 5]}]",
			[]string{"T = 20, experiment"}, []string{"algorithm, regret vs X̂max, soft violation"},
			[]int{2}},
		{"of both", "[{use: iid, dim: [1, 2]}]", "[{use: primal-dual, step: [1, 5]}]",
			[]string{"by dim of iid"}, []string{"algorithm, dim = 1, dim = 2"}, []int{2}},
		{"of a part", "[{use: iid, dim: [1, 2], constraints: 2}, {use: fixed}]", "[{use: ogd}]",
			[]string{"by dim of iid:constraints=2", "T = 20, experiment"},
			[]string{"algorithm, dim = 1, dim = 2", "algorithm, regret vs X̂max, soft violation"},
			[]int{2, 1}},
		{"of words", "[{use: perturbed, noise: [iid, drift]}]", "[{use: penalised-ftrl}]",
			[]string{"by noise of perturbed"}, []string{"algorithm, noise = iid, noise = drift"}, []int{3}},
		{"of two parameters", "[{use: iid, dim: [1, 2], constraints: [1, 2]}]", "[{use: ogd}]",
			[]string{"T = 20, experiment"}, []string{"algorithm, regret vs X̂max, soft violation"},
			[]int{4}},
	} {
		x, err := spec.Parse("e.yaml", []byte("name: shapes\nhorizon: 20\nreplicates: 3\nproblems: "+
			c.problems+"\nalgorithms: "+c.algorithms))
		if err != nil {
			t.Fatal(err)
		}
		tables := finalsOf(analysed(t, x))
		if len(tables) != len(c.titles) {
			t.Errorf("a sweep %s: %d tables", c.name, len(tables))
			continue
		}
		for k, tab := range tables {
			var columns []string
			for _, column := range tab.Columns {
				columns = append(columns, column.Name.Plain)
			}
			if got := strings.Join(columns, ", "); !strings.Contains(tab.Title.Plain, c.titles[k]) ||
				got != c.columns[k] || len(tab.Blocks) != c.blocks[k] {
				t.Errorf("a sweep %s: %q has the columns %s and %d blocks", c.name, tab.Title.Plain, got,
					len(tab.Blocks))
			}
		}
	}
}

// What was not played on any problem of a table or figure is not in it, and where nothing was
// there is none: ftrl asks for fixed constraints.
func TestUnplayedAreNotShown(t *testing.T) {
	for algorithms, tables := range map[string]int{"{use: ftrl}": 1, "{use: ftrl}, {use: ogd}": 2} {
		x, err := spec.Parse("e.yaml", []byte("name: absent\nhorizon: 20\nreplicates: 3\nproblems: "+
			"[{use: iid, dim: [1, 2]}, {use: fixed}]\nalgorithms: ["+algorithms+"]"))
		if err != nil {
			t.Fatal(err)
		}
		a := analysed(t, x)
		finals := finalsOf(a)
		if len(finals) != tables {
			t.Errorf("%s: there are %d tables, want %d", algorithms, len(finals), tables)
		}
		for _, tab := range finals {
			text := shownAt(t, []*table.Table{tab}, 100)
			if strings.Contains(text, "not played") || !strings.Contains(text, "│ ogd ") && tables == 2 ||
				strings.Contains(text, "│ ftrl ") == strings.Contains(text, "by dim of iid") {
				t.Errorf("%s:\n%s", algorithms, text)
			}
		}
		for _, f := range subjectOf(a).figures(true) {
			if strings.HasPrefix(f.name, "problem-iid") && tables == 1 {
				t.Errorf("%s: there is a figure %s", algorithms, f.name)
			}
			for _, p := range f.figure.Panels {
				if len(p.Series) == 0 {
					t.Errorf("%s: figure %s has a panel without a curve", algorithms, f.name)
				}
			}
		}
	}
}

// characters counts those that take a place on a terminal.
func characters(line string) (n int) {
	for _, r := range line {
		if !unicode.Is(unicode.Mn, r) {
			n++
		}
	}
	return n
}

func finalsOf(a *analysis.Analysis) []*table.Table {
	x := subjectOf(a)
	return (&namedTable{grids: finals(x, x.glance)}).build()
}
