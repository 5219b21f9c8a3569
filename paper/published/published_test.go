package published

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/run/runtest"
	"ocobench/harness/store"
	"ocobench/internal/errtest"
	"ocobench/paper"
	"ocobench/problems"
)

// An entry that [Parse] takes, about a game of which everything is known: with no step the action
// stays at 1, where the loss 1·x of shrinking is lost in every round.
const small = `paper: nobody
source: Nobody, Nothing, 2000
place: Table 1
statement: nothing
setting: here
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

func notPlayed(Experiment, *paper.Value) bool { return false }

// A file has its experiment under its own name; an unknown key and a fault of the experiment are
// refused with the name of the file.
func TestParseReadsAnEntry(t *testing.T) {
	e, err := Parse("an_entry.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if g := e.Experiments(false); e.Name != "an-entry" || len(g) != 1 ||
		g[0].Spec.Name != "an-entry" || g[0].Spec.Replicates != 2 ||
		e.Reading != "stated in the text: by hand" {
		t.Errorf("got %+v, want the entry of the text", e)
	}
	for _, c := range []struct{ old, new, want string }{
		{"place:", "placed:", `unknown field "placed"`},
		{"horizon: [10, 100]", "horizon: 0", "an_entry.yaml"},
		{"use: shrinking", "ues: shrinking", "an_entry.yaml"},
	} {
		_, err := Parse("an_entry.yaml", []byte(strings.Replace(small, c.old, c.new, 1)))
		errtest.Contains(t, err, c.want, "%q for %q", c.new, c.old)
	}
	lacking, _, _ := strings.Cut(small, "read: text")
	if e, err := Parse("a.yaml", []byte(lacking+"missing: all\n")); err != nil ||
		e.Judge(notPlayed).Verdict != NotDetermined {
		t.Errorf("everything missing: got error %v, want an entry that is not determined", err)
	}
}

// faults returns what an entry lacks, and which of its values its experiments do not measure.
func faults(e *Entry) (all []string) {
	need := func(ok bool, format string, args ...any) {
		if !ok {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	need(e.Paper != "" && e.Paper != Everything && e.Source != "" && e.Place != "" &&
		e.Statement != "" && e.Setting != "", "paper, source, place, statement or setting")
	need((e.Text == "") == (len(e.Values) == 0), "experiment and values are needed both, or none")
	need(e.Text != "" || e.Missing != "", "without an experiment it needs missing")
	need(e.Text == "" || e.Missing != "" || readings[e.Read] != "" && e.Reading != "",
		"read %q, reading %q", e.Read, e.Reading)
	need(e.Replicates >= 0, "replicates: %d", e.Replicates)
	for k, g := range e.Experiments(false) {
		need((g.What != "") == (k > 0) &&
			(g.External == "" || k > 0 && strings.Contains(g.External, "=")),
			"experiment %d has what %q and external %q", k, g.What, g.External)
		x := g.Spec
		need(!run.IsInternal(x.Name), "no user may record experiments of the name %s", x.Name)
		need(len(g.Values) > 0, "experiment %d has no curve with a published value", k)
		for _, v := range g.Values {
			finite := func(p *float64) bool { return p != nil && !math.IsNaN(*p) && !math.IsInf(*p, 0) }
			need(e.Missing != "" && v.Published == nil && v.Within == nil ||
				finite(v.Published) && finite(v.Within) && *v.Within > 0,
				"%+v needs published, and within above 0", v)
			need(hasLabel(x.Algorithms, v.Name), "no algorithm has the label %q", v.Name)
			need(v.Problem == "" && len(x.Problems) == 1 || hasLabel(x.Problems, v.Problem),
				"no problem has the label %q", v.Problem)
			need(slices.Contains(spec.Metrics, v.Metric) &&
				(!slices.Contains(spec.OnRequest, v.Metric) || slices.Contains(x.Metrics, v.Metric)),
				"%s is not measured", v.Metric)
			need(slices.Contains(x.Horizon, v.T) ||
				slices.Contains(game.Checkpoints(x.Horizon[len(x.Horizon)-1]), v.T),
				"round %d is neither a horizon nor a checkpoint", v.T)
		}
	}
	return all
}

// A cause has the values of the entry for its curves, or its own. Its program is in the command,
// and the finding says that the experiment was not played without it.
func TestCausesHaveTheValuesOfTheEntry(t *testing.T) {
	e, err := Parse("a.yaml", []byte(small+`causes:
  - what: with B
    external: b=python3 b.py
    experiment: |
      horizon: 10
      problems: [{use: shrinking}]
      algorithms: [{use: b, label: A}]
`))
	if err != nil {
		t.Fatal(err)
	}
	g := e.Experiments(true)
	if len(g) != 2 || g[1].Spec.Name != "a-cause-1" || g[1].Program() != "b" ||
		len(g[1].Values) != 1 || *g[1].Values[0].Published != 1 {
		t.Errorf("got experiments %+v, want a second one of the cause, played with b", g)
	}
	judged := e.Judge(func(g Experiment, _ *paper.Value) bool { return g.External == "" })
	if want := "bench claims a --of nobody --external b='python3 b.py'"; judged.Command != want {
		t.Errorf("repeated by %s; want %s", judged.Command, want)
	}
	f := judged.Findings[1]
	if f.Outcome != paper.NotPlayed || f.Text.Unicode() != "it takes --external b='python3 b.py'" ||
		f.Decides || !judged.Findings[0].Decides {
		t.Errorf("got finding %+v, want it not played, with what it takes", f)
	}
}

// The rule of the package comment, case by case.
func TestVerdictFollowsTheRule(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		mean, published, within, e float64
		want                       string
	}{
		{10, 10, 1, 0, paper.Agrees},
		{11, 10, 1, 0, paper.Agrees},      // at the tolerance
		{11.5, 10, 1, 0, differs},         // beyond it
		{11.5, 10, 1, 0.75, paper.Agrees}, // the noise may be the reason
		{8.5, 10, 1, 0.75, paper.Agrees},  // on the other side too
		{12, 10, 1, 0.75, differs},        // more than tolerance and noise
		{10, 10, 1, 1.5, undecided},       // any value would agree
		{15, 10, 1, 1.5, differs},         // but not this one
		{nan, 10, 1, nan, undecided},      // not measured
		{10, 10, 1, nan, undecided},       // one replicate: the noise is not known
		{-10, -10, 1, 0.5, paper.Agrees},  // signs
		{10, -10, 1, 0.5, differs},        //
		{math.Inf(1), 10, 1, 0, differs},  // a game that has lost everything
	} {
		if got := compareWithPublished(c.mean, c.published, c.within, c.e); got != c.want {
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
		want    string
	}{
		{[]float64{10, 10}, "", Reproduced},
		{[]float64{10, 20}, "", Differs},
		{[]float64{10, nan}, "", NotDetermined},
		{[]float64{20, nan}, "", Differs}, // one that differs is enough
		{[]float64{10, 10}, "the horizon", NotDetermined},
		{[]float64{20, 20}, "the horizon", NotDetermined}, // a guess cannot differ
	} {
		ten, one := 10.0, 1.0
		e.Missing, e.Values = paper.TeX(c.missing), nil
		for k := range c.means {
			e.Values = append(e.Values, paper.Value{T: k, Published: &ten, Within: &one})
		}
		v := e.Judge(func(_ Experiment, v *paper.Value) bool {
			v.Measured, v.Error = analysis.Number(c.means[v.T]), 0
			return true
		})
		if v.Verdict != c.want || (v.Reason != "") != (c.want == NotDetermined) {
			t.Errorf("means %v, missing %q: %s (%s), want %s", c.means, c.missing, v.Verdict, v.Reason,
				c.want)
		}
	}
}

// A game whose losses are known by hand reproduces the true value, and differs from a wrong one:
// f = −x on [0, 1] from the first action ½ with the step 1/√t of ogd, so that x_2 = 1 and the
// losses are ½ + 1 + … + 1 = t − ½ with the sign of f.
func TestPlayedValuesAreCompared(t *testing.T) {
	text := strings.Replace(small, "published: 1, within: 1", "published: PLANTED, within: 0.01", 1)
	text = strings.Replace(text, "{use: ogd, label: A}", "{use: ogd, x0: [0.5], step: 1, label: A}", 1)
	for planted, want := range map[string]string{"-9.5": Reproduced, "-9.4": Differs, "9.5": Differs} {
		t.Run(planted, func(t *testing.T) {
			e, err := Parse("a.yaml", []byte(strings.Replace(text, "PLANTED", planted, 1)))
			if err != nil {
				t.Fatal(err)
			}
			v := e.Judge(e.FromResults(map[string]*run.Results{"a": played(t, e.Experiments(false)[0])}))
			if v.Verdict != want {
				t.Errorf("published %s: %s, measured %v; want %s", planted, v.Verdict, v.Findings[0].Values,
					want)
			}
		})
	}
}

// The interval of a difference, by hand: two replicates with the values 1 and 3 have
// the mean 2, the standard deviation √2 and the standard error 1, whose interval has half of
// t(1, 0.975) = 12.7062; as many published replicates make it √2 times as wide.
func TestErrorIsOfTheDifferenceOfTwoMeans(t *testing.T) {
	e, err := Parse("a.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	rec := played(t, e.Experiments(false)[0]).Record
	rec.Problems[0].Deterministic = false
	for _, cell := range rec.Cells { // a deterministic problem has one replicate
		cell.Replicate = 2
		rec.Cells = append(rec.Cells, cell)
	}
	r := planted(t, rec, func(c experiment.RecordCell) float64 { return float64(2*c.Replicate - 1) })
	for published, want := range map[int]float64{2: 12.7062 * math.Sqrt2, 0: 12.7062,
		8: 12.7062 * math.Sqrt(1.25)} {
		e.Replicates = published
		v := e.Judge(e.FromResults(map[string]*run.Results{"a": r})).Findings[0].Values[0]
		if v.Samples != 2 || v.Measured != 2 || math.Abs(float64(v.Error)-want) > 1e-3 {
			t.Errorf("%d published replicates: %+v, want 2 ± %v of 2", published, v, want)
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

func TestEntriesAreChosenByPaperAndName(t *testing.T) {
	all, err := Choose(Everything, "")
	if err != nil || len(all) != len(All()) {
		t.Fatalf("got %d entries, error %v, want %d", len(all), err, len(All()))
	}
	for _, of := range Papers()[1:] {
		some, err := Choose(of, "")
		if err != nil || len(some) == 0 {
			t.Errorf("%s: %v", of, err)
		}
		for _, e := range some {
			if e.Paper != of {
				t.Errorf("got %s, want entries of %s", e.Name, of)
			}
			if one, err := Choose(of, e.Name); err != nil || len(one) != 1 || one[0] != e {
				t.Errorf("%s of %s: got error %v, want that entry", e.Name, of, err)
			}
		}
	}
	_, err = Choose("nobody", "")
	errtest.Contains(t, err, "nobody", "a paper that is not there")
	_, err = Choose(Everything, "nothing")
	errtest.Contains(t, err, "nothing", "an entry that is not there")
}

// All names, parameters and assumptions of what an entry plays are there, so that each pair with a
// published value is played. Programs of others are not started.
func TestEntriesCanBePlayed(t *testing.T) {
	if len(Papers())-1 < papers || len(All()) < entries {
		t.Errorf("%d entries of %d papers, at least %d of %d are wanted", len(All()), len(Papers())-1,
			entries, papers)
	}
	for _, e := range All() {
		for _, fault := range faults(e) {
			t.Errorf("%s: %s", e.Name, fault)
		}
		for _, g := range e.Experiments(true) {
			if g.Program() != "" {
				continue
			}
			x := *g.Spec
			x.Replicates = 1
			plan, err := run.NewPlan(catalog, &x)
			if err != nil {
				t.Errorf("%s: %v", g.Spec.Name, err)
				continue
			}
			for _, u := range plan.Unplayed() {
				t.Errorf("%s: %s", g.Spec.Name, u)
			}
		}
	}
}

// entries and papers are how many there are at least.
const entries, papers = 15, 10

// played plays an experiment with a store of its own.
func played(t *testing.T, g Experiment) *run.Results {
	t.Helper()
	return runtest.Play(t, t.TempDir(), catalog, g.Spec)
}
