package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/internal/long"
	"ocobench/problems"
	"ocobench/stats"
)

func init() { long.InMemory() }

func leadOf(t *testing.T, a *Analysis, m algorithms.Metric) Lead {
	t.Helper()
	k := slices.IndexFunc(a.Leads, func(l Lead) bool { return l.Metric == m })
	if k < 0 {
		t.Fatalf("nobody leads by %s: %+v", m, a.Leads)
	}
	return a.Leads[k]
}

// The algorithm with the least regret leads, and its p-value is the largest of those of
// the paired comparisons with it, corrected by joint flips. Equals do not lead, nor does
// anybody where nobody violates a constraint, nor with one replicate.
func TestLeads(t *testing.T) {
	r := planted(t, "horizon: 40\nreplicates: 12\nalgorithms: [{use: root}, {use: low}, {use: high}]")
	a := analysed(t, r)
	l := leadOf(t, a, algorithms.RegretXHat)
	if l.Algorithm != "low" || l.Others != 2 || !l.Significant ||
		!a.Leading("low", "steep", algorithms.RegretXHat) ||
		a.Leading("root", "steep", algorithms.RegretXHat) {
		t.Errorf("the lead is %+v, want a significant one of low", l)
	}
	c, err := Compare(t.Context(), r, "low", []algorithms.Metric{algorithms.RegretXHat})
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	want := 0.0
	for _, v := range c.Versus {
		rows, want = append(rows, v.finals), max(want, float64(v.Final.P))
	}
	// Another seed of the bootstrap: both have the smallest value that the number of
	// samples allows, or nearly so.
	if want = max(want, slices.Max(stats.JointFlips(rows))); math.Abs(float64(l.P)-want) > 0.002 {
		t.Errorf("p = %v, and by the comparison with low %v", l.P, want)
	}
	if l := leadOf(t, a, algorithms.SoftViolation); l.Significant {
		t.Errorf("nobody violates the constraint, and %+v leads", l)
	}
	if l := leadOf(t, analysed(t, planted(t, "horizon: 40\nreplicates: 12\nalgorithms: [{use: "+
		"told}, {use: low}, {use: high}]")), algorithms.RegretXHat); l.Significant {
		t.Errorf("told and low play the same, and %+v leads", l)
	}
	if l := leadOf(t, analysed(t, planted(t, "horizon: 40\nreplicates: 1\nalgorithms: [{use: low}, "+
		"{use: high}]")), algorithms.RegretXHat); l.Significant || l.P.Defined() {
		t.Errorf("with one replicate %+v leads", l)
	}
}

// certain is steep with one slope of the losses.
type certain struct{ steep }

func (*certain) Facts() convex.Facts { return convex.Facts{Deterministic: true} }

// certainProblem has the loss x and the constraint x ≤ ½ in every round.
func certainProblem(name string) problems.Problem {
	return problems.Problem{Name: name, Version: 1,
		New: func(any, *rand.Rand) (problems.Stream, error) {
			return &certain{steep{convex.Round{
				Loss:        &convex.Affine{A: []float64{1}},
				Constraints: []convex.Func{&convex.Affine{A: []float64{1}, B: -0.5}},
			}}}, nil
		}}
}

// Where chance has no part, the only smallest value leads.
func TestLeadsWithoutChance(t *testing.T) {
	still := certainProblem("still")
	at := func(name string, x float64) algorithms.Algorithm {
		return algorithms.Algorithm{Name: name, Version: 1, Anytime: true,
			New: func(any, algorithms.Setup) (algorithms.Learner, error) {
				return &position{at: func(float64) float64 { return x }}, nil
			}}
	}
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{
		at("a", -0.5), at("b", -0.75), at("c", -0.75),
	}, Problems: []problems.Problem{still}}
	for text, want := range map[string]bool{
		"[{use: a}, {use: b}]": true, "[{use: a}, {use: b}, {use: c}]": false,
	} {
		_, s, _ := ran(t, c, "name: e\nhorizon: 20\nreplicates: 5\nproblems: [{use: "+
			"still}]\nalgorithms: "+text)
		_, a := loaded(t, c, s)
		if l := leadOf(t, a, algorithms.RegretXHat); l.Algorithm != "b" || l.Significant != want ||
			l.P.Defined() {
			t.Errorf("%s: the lead is %+v, want one of b, significant %v", text, l, want)
		}
	}
}

// Among three algorithms whose regret has the same law, somebody leads in at most 5 % of
// the experiments.
func TestLeadsFalseAlarms(t *testing.T) { long.Run(t, testLeadsFalseAlarms) }

func testLeadsFalseAlarms(t *testing.T, whole bool) {
	draw := func(name string) algorithms.Algorithm {
		return algorithms.Algorithm{Name: name, Version: 1, Anytime: true, Draws: true,
			New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
				x := -rand.New(rand.NewPCG(s.Seed, 0)).Float64()
				return &position{at: func(float64) float64 { return x }}, nil
			}}
	}
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{draw("a"), draw("b"), draw("c")},
		Problems: []problems.Problem{steepProblem}}
	// 7 or more of 40 at 5 %, and 4 or more of 15, have a probability below 1 %.
	alarms, n, most := 0, 15, 3
	if whole {
		n, most = 40, 6
	}
	for seed := range n {
		_, s, _ := ran(t, c, "name: e\nhorizon: 4\nreplicates: 10\nproblems: [{use: "+
			"steep}]\nalgorithms: all\nseed: "+fmt.Sprint(seed))
		_, a := loaded(t, c, s)
		if leadOf(t, a, algorithms.RegretXHat).Significant {
			alarms++
		}
	}
	if alarms > most {
		t.Errorf("somebody leads in %d of %d experiments without a difference", alarms, n)
	}
}

// Where games are missing, the other differences stay with their replicates.
func TestDifferencesOfMissingGames(t *testing.T) {
	r := planted(t, "horizon: 40\nreplicates: 9\nalgorithms: [{use: root}, {use: low}, {use: high}]",
		"high on steep, horizon 40, replicate 2", "high on steep, horizon 40, replicate 3",
		"low on steep, horizon 40, replicate 5", "root on steep, horizon 40, replicate 9")
	a, g := analysed(t, r), stats.Growth{Design: stats.AlongT, Confidence: r.Confidence}
	final := func(spec string, replicate int) float64 {
		game := r.Game(spec, "steep", replicate, 40)
		if game == nil {
			return math.NaN()
		}
		v := game.Metric(algorithms.RegretXHat)
		return v[len(v)-1]
	}
	for _, pair := range [][2]string{{"low", "high"}, {"high", "root"}, {"root", "low"}} {
		d, err := finalDifference(r, g, algorithms.RegretXHat, a.Pair(pair[0], "steep"),
			a.Pair(pair[1], "steep"))
		if err != nil || len(d.finals) != 9 {
			t.Fatalf("%v: %v, error %v", pair, d.finals, err)
		}
		for k, got := range d.finals {
			want := final(pair[0], k+1) - final(pair[1], k+1)
			if !near(Number(got), want, 1e-9) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%v, replicate %d: the difference is %v, want %v", pair, k+1, got, want)
			}
		}
	}
}

// An experiment about a violation, the loss and the path length. The comparison is by what is
// shown and fitted and by the regret that the views are about, which nobody asked for; the path
// length is the same for all, and the loss is not fitted. Somebody leads by everything that is
// shown or fitted, but by the path length: by the soft violation too, which is fitted only, and by
// the loss, which is shown only.
func TestWhatIsComparedAndLed(t *testing.T) {
	catalog, _, st := turned(t, "problems: [{use: turning}]\nmetrics: [violation_hard, loss, "+
		"path_length, violation_max]",
		map[string][]algorithms.Claim{"here": nil, "there": nil})
	_, a := loaded(t, catalog, st)
	m := func(name algorithms.Metric) Metric {
		return a.Metrics[slices.IndexFunc(a.Metrics, func(m Metric) bool { return m.Name == name })]
	}
	if p := m("path_length"); !p.Shown || !p.Fitted || m("loss").Fitted || !m("loss").Shown ||
		m(algorithms.RegretXHat).Shown || !a.Focus.Has(algorithms.RegretXHat) ||
		m(algorithms.SoftViolation).Shown {
		t.Fatalf("the metrics are %+v, the focus %+v", a.Metrics, a.Focus)
	}
	want := []algorithms.Metric{algorithms.RegretXHat, algorithms.HardViolation,
		algorithms.MaxViolation}
	if got := a.Comparison.Metrics; !slices.Equal(got, want) {
		t.Errorf("compared by %v, want %v", got, want)
	}
	for _, m := range a.Metrics {
		leads := slices.ContainsFunc(a.Leads, func(l Lead) bool { return l.Metric == m.Name })
		known := a.Pairs[0].Series[m.Name].Known()
		if leads != (known && !m.OfRounds && (m.Shown || m.Fitted)) {
			t.Errorf("somebody leads by %s: %v", m.Name, leads)
		}
	}
	for _, name := range []algorithms.Metric{"loss", algorithms.SoftViolation, algorithms.RegretXHat} {
		if leadOf(t, a, name).Others != 1 {
			t.Errorf("the lead by %s has %d others", name, leadOf(t, a, name).Others)
		}
	}
}
