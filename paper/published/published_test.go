package published

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// An entry that [Parse] takes, about a game of which everything is known: with no step the action
// stays at 1, where the loss 1·x of shrinking is lost in every round.
const small = `paper: nobody
source: Nobody, Nothing, 2000
place: Table 1
shows: nothing
parameters: here
read: text
reading: by hand
replicates: 1
experiment: |
  horizon: [10, 100]
  replicates: 2
  problems: [{use: shrinking}]
  algorithms: [{use: ogd, label: A}, {use: ftrl, label: B}]
values:
  - {curve: A, metric: loss, at: 10, published: 1, within: 1}
`

// TestParse parses a file, and refuses others with the file, the line where one is at fault, and
// what was expected.
func TestParse(t *testing.T) {
	e, err := Parse("an_entry.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if g := e.Games(false); e.Name != "an-entry" || len(g) != 1 || g[0].Name != "an-entry" ||
		g[0].Experiment.Replicates != 2 {
		t.Errorf("parsed %+v", e)
	}
	for _, c := range []struct{ old, new, want string }{
		{"paper: nobody\n", "", "an_entry.yaml: paper, source, place, shows and parameters are needed"},
		{"paper: nobody", "paper: published", "stands for all papers"},
		{"place:", "placed:", `unknown field "placed"`},
		{"read: text", "read: heard", "text, stored or plot"},
		{"replicates: 1", "replicates: -1", "-1 is negative"},
		{"published: 1,", "", "needs published"},
		{"within: 1", "within: 0", "within above 0"},
		{"within: 1", "within: .nan", "within above 0"},
		{"curve: A", "curve: C", `no algorithm has the label "C"`},
		{"curve: A", "curve: A, on: P", `no problem has the label "P"`},
		{"metric: loss", "metric: lost", `unknown metric "lost"`},
		{"metric: loss", "metric: movement", "does not measure movement; add metrics: [movement]"},
		{"at: 10", "at: 57", "round 57 is neither a horizon nor a checkpoint"},
		{"horizon: [10, 100]", "horizon: 0", "an_entry.yaml:10:"},
		{"use: shrinking", "ues: shrinking", "an_entry.yaml:12:"},
		{"values:\n  - {curve: A, metric: loss, at: 10, published: 1, within: 1}\n", "",
			"experiment and values are needed both"},
	} {
		text := strings.Replace(small, c.old, c.new, 1)
		if text == small {
			t.Fatalf("nothing is replaced by %q", c.new)
		}
		_, err := Parse("an_entry.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(),
			"an_entry.yaml") {
			t.Errorf("%q for %q: %v; want %q", c.new, c.old, err, c.want)
		}
	}
	lacking, _, _ := strings.Cut(small, "read: text")
	if _, err := Parse("a.yaml", []byte(lacking)); err == nil ||
		!strings.Contains(err.Error(), "needs missing") {
		t.Errorf("no experiment, and nothing is missing: %v", err)
	}
	if e, err := Parse("a.yaml", []byte(lacking+"missing: all\n")); err != nil ||
		e.Judge(false, nil).State != NotDetermined {
		t.Errorf("an entry of which everything is missing: %v", err)
	}
}

// TestNames names values by what they are of: a value at the horizon has no round.
func TestNames(t *testing.T) {
	for want, v := range map[string]Value{
		"loss of A":                       {Curve: "A", Metric: "loss"},
		"loss of A on shrinking":          {Curve: "A", Metric: "loss", On: "shrinking"},
		"loss of A on shrinking at t = 1": {Curve: "A", Metric: "loss", On: "shrinking", At: 1},
	} {
		if got := v.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCauses takes the values of an entry for the curves of a cause, and those of the cause where
// it has some.
func TestCauses(t *testing.T) {
	cause := `causes:
  - what: with B
    external: b=python3 b.py
    experiment: |
      horizon: 10
      problems: [{use: shrinking}]
      algorithms: [{use: b, label: A}]
`
	e, err := Parse("a.yaml", []byte(small+cause))
	if err != nil {
		t.Fatal(err)
	}
	g := e.Games(true)
	if len(g) != 2 || g[1].Name != "a-cause-1" || g[1].Program() != "b" || len(g[1].Values) != 1 ||
		*g[1].Values[0].Published != 1 {
		t.Errorf("games %+v", g)
	}
	if want := "bench claims a --of nobody --external b='python3 b.py'"; e.Command() != want {
		t.Errorf("replayed by %s; want %s", e.Command(), want)
	}
	for _, c := range []struct{ old, new, want string }{
		{"what: with B", "what: ''", "cause 1: what and experiment are needed"},
		{"b=python3 b.py", "python3 b.py", "expected NAME=COMMAND"},
		{"label: A}]\n", "label: Z}]\n", "a-cause-1 has no curve with a published value"},
		{"horizon: 10\n", "horizon: ten\n", "a.yaml:20:"},
	} {
		text := strings.Replace(cause, c.old, c.new, 1)
		if _, err := Parse("a.yaml", []byte(small+text)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.new, err, c.want)
		}
	}
}

// TestVerdict holds the rule to a table of cases, each by hand.
func TestVerdict(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		mean, published, within, e float64
		want                       Agreement
	}{
		{10, 10, 1, 0, Agrees},
		{11, 10, 1, 0, Agrees},         // at the tolerance
		{11.5, 10, 1, 0, Apart},        // beyond it
		{11.5, 10, 1, 0.75, Agrees},    // the noise may be the reason
		{8.5, 10, 1, 0.75, Agrees},     // on the other side too
		{12, 10, 1, 0.75, Apart},       // more than tolerance and noise
		{10, 10, 1, 1.5, Undecided},    // any value would agree
		{15, 10, 1, 1.5, Apart},        // but not this one
		{nan, 10, 1, nan, Undecided},   // not measured
		{10, 10, 1, nan, Undecided},    // one replicate: the noise is not known
		{-10, -10, 1, 0.5, Agrees},     // signs
		{10, -10, 1, 0.5, Apart},       //
		{math.Inf(1), 10, 1, 0, Apart}, // a game that has lost everything
	} {
		if got := agreement(c.mean, c.published, c.within, c.e); got != c.want {
			t.Errorf("measured %v ± %v, published %v within %v: %s, want %s", c.mean, c.e, c.published,
				c.within, got, c.want)
		}
	}
	e, err := Parse("a.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		means   []float64
		missing string
		want    State
	}{
		{[]float64{10, 10}, "", Reproduced},
		{[]float64{10, 20}, "", Differs},
		{[]float64{10, nan}, "", NotDetermined},
		{[]float64{20, nan}, "", Differs}, // one that differs is enough
		{[]float64{10, 10}, "the horizon", NotDetermined},
		{[]float64{20, 20}, "the horizon", NotDetermined}, // a guess cannot differ
	} {
		ten, one := 10.0, 1.0
		g := Compared{Played: true}
		for _, m := range c.means {
			g.Values = append(g.Values, Measured{Value: Value{Published: &ten, Within: &one}, Mean: m})
		}
		e.Missing = c.missing
		if v := e.Conclude([]Compared{g}); v.State != c.want || (v.Reason != "") != (c.want == NotDetermined) {
			t.Errorf("means %v, missing %q: %s (%s), want %s", c.means, c.missing, v.State, v.Reason, c.want)
		}
	}
}

// TestPlanted plays a game whose losses are known by hand and is told the true value, and then a
// wrong one: f = −x on [0, 1] from the first action ½ with the step 1/√t of ogd, so that x_2 = 1
// and the losses are ½ + 1 + … + 1 = t − ½ with the sign of f.
func TestPlanted(t *testing.T) {
	text := strings.Replace(small, "published: 1, within: 1", "published: PLANTED, within: 0.01", 1)
	text = strings.Replace(text, "{use: ogd, label: A}", "{use: ogd, x0: [0.5], step: 1, label: A}", 1)
	for planted, want := range map[string]State{"-9.5": Reproduced, "-9.4": Differs, "9.5": Differs} {
		e, err := Parse("a.yaml", []byte(strings.Replace(text, "PLANTED", planted, 1)))
		if err != nil {
			t.Fatal(err)
		}
		v := e.Judge(false, map[string]*run.Results{"a": played(t, e.Games(false)[0])})
		if v.State != want {
			t.Errorf("published %s: %s, measured %v; want %s", planted, v.State, v.Games[0].Values, want)
		}
	}
}

// TestNoise is the interval of a difference by hand: two replicates with the values 1 and 3 have
// the mean 2, the standard deviation √2 and the standard error 1, whose interval has half of
// t(1, 0.975) = 12.7062; as many published replicates make it √2 times as wide.
func TestNoise(t *testing.T) {
	e, err := Parse("a.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	rec := played(t, e.Games(false)[0]).Record
	rec.Problems[0].Deterministic = false
	value := e.Games(false)[0].Values[0]
	for _, cell := range rec.Cells { // a problem without chance has one replicate
		cell.Replicate = 2
		rec.Cells = append(rec.Cells, cell)
	}
	r := planted(t, rec, func(c experiment.RecordCell) float64 { return float64(2*c.Replicate - 1) })
	for published, want := range map[int]float64{2: 12.7062 * math.Sqrt2, 0: 12.7062,
		8: 12.7062 * math.Sqrt(1.25)} {
		mean, e, n := measure(r, value, published)
		if n != 2 || mean != 2 || math.Abs(e-want) > 1e-3 {
			t.Errorf("%d published replicates: %v ± %v from %d, want 2 ± %v", published, mean, e, n, want)
		}
	}
}

// planted returns the results of a record whose cells have one value in all columns, a cell each,
// but for the sizes of what is added, which are 1 a round.
func planted(t *testing.T, rec experiment.Record,
	value func(experiment.RecordCell) float64) *run.Results {
	t.Helper()
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for n := range rec.Cells {
		c := &rec.Cells[n]
		columns := game.TraceColumns()
		if c.Kind == store.Hindsight {
			columns = []string{game.TimeColumn, game.ValueColumn("xmin"), game.ValueColumn("xhat"),
				game.ValueColumn("xmax")}
		}
		cell := &store.Cell{Kind: c.Kind, Identity: fmt.Appendf(nil, "%d", n), Columns: columns}
		for _, at := range game.Checkpoints(c.Horizon) {
			row := []float64{float64(at)}
			for _, name := range columns[1:] {
				v := value(*c)
				if m, _ := game.MetricNamed(algorithms.Metric(name)); m.Internal {
					v = float64(at)
				}
				row = append(row, v)
			}
			cell.Rows = append(cell.Rows, row)
		}
		c.Key = store.KeyOf(cell.Identity)
		if err := s.Put(c.Key, cell); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(rec)
	if err == nil {
		err = s.PutExperiment(rec.Name, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.LoadExperiment(s, rec.Name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var catalog = experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}

// TestChoose finds entries by paper and name.
func TestChoose(t *testing.T) {
	all, err := Choose(Everything, "")
	if err != nil || len(all) != len(All()) {
		t.Fatalf("%d entries of %d: %v", len(all), len(All()), err)
	}
	for _, paper := range Papers()[1:] {
		some, err := Choose(paper, "")
		if err != nil || len(some) == 0 {
			t.Errorf("%s: %v", paper, err)
		}
		for _, e := range some {
			if e.Paper != paper {
				t.Errorf("%s is not of %s", e.Name, paper)
			}
			if one, err := Choose(paper, e.Name); err != nil || len(one) != 1 || one[0] != e {
				t.Errorf("%s of %s: %v", e.Name, paper, err)
			}
		}
	}
	if _, err := Choose("nobody", ""); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("a paper that is not there: %v", err)
	}
	if _, err := Choose(Everything, "nothing"); err == nil ||
		!strings.Contains(err.Error(), "nothing") {
		t.Errorf("an entry that is not there: %v", err)
	}
}

// TestEntries plans what every entry plays: all names, parameters and assumptions are there, so
// that each pair with a published value is played. Programs of others are not started.
func TestEntries(t *testing.T) {
	if len(Papers())-1 < papers || len(All()) < entries {
		t.Errorf("%d entries of %d papers, at least %d of %d are wanted", len(All()), len(Papers())-1,
			entries, papers)
	}
	for _, e := range All() {
		for _, g := range e.Games(true) {
			if g.Program() != "" {
				continue
			}
			x := *g.Experiment
			x.Replicates = 1
			plan, err := run.NewPlan(catalog, &x)
			if err != nil {
				t.Errorf("%s: %v", g.Name, err)
				continue
			}
			for _, u := range plan.Unplayed() {
				t.Errorf("%s: %s", g.Name, u)
			}
		}
	}
}

// entries and papers are how many there are at least.
const entries, papers = 15, 10
