package analysis

import (
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

// leadOf returns the lead by a metric.
func leadOf(t *testing.T, a *Analysis, m algorithms.Metric) Lead {
	t.Helper()
	all := a.Leads()
	k := slices.IndexFunc(all, func(l Lead) bool { return l.Metric == m })
	if k < 0 {
		t.Fatalf("got no lead by %s in %+v, want one", m, all)
	}
	return all[k]
}

// The algorithm with the least regret leads, if its comparisons with all others are shown. Equals
// do not lead, nor does anybody where nobody violates a constraint, nor with one replicate.
func TestLeaderBeatsAllOthersSignificantly(t *testing.T) {
	a := analyse(t, plantedResults(t,
		"horizon: 40\nreplicates: 12\nalgorithms: [{use: root}, {use: low}, "+
			"{use: high}]"))
	if l := leadOf(t, a, algorithms.RegretXHat); l.Algorithm != "low" || !l.Shown || !l.Tested ||
		l.Problem != "steep" {
		t.Errorf("the lead is %+v, want one of low that is shown", l)
	}
	for k := range a.Comparisons.Rows {
		if row := &a.Comparisons.Rows[k]; row.A == "root" && row.B == "low" {
			row.Sign = 0
		}
	}
	if l := leadOf(t, a, algorithms.RegretXHat); l.Algorithm != "low" || l.Shown {
		t.Errorf("got lead %+v, want low, not shown", l)
	}
	if l := leadOf(t, a, algorithms.SoftViolation); l.Shown {
		t.Errorf("no violation: got lead %+v, want none shown", l)
	}
	if l := leadOf(t, analyse(t, plantedResults(t, "horizon: 40\nreplicates: 12\nalgorithms: [{use: "+
		"told}, {use: low}, {use: high}]")), algorithms.RegretXHat); l.Shown {
		t.Errorf("told and low play the same: got lead %+v, want none shown", l)
	}
	if l := leadOf(t, analyse(t, plantedResults(t,
		"horizon: 40\nreplicates: 1\nalgorithms: [{use: low}, "+
			"{use: high}]")), algorithms.RegretXHat); l.Shown || l.Tested {
		t.Errorf("one replicate: got lead %+v, want none shown or tested", l)
	}
}

// An algorithm whose violation grows faster than √t does not lead by regret among those that keep
// the violation at √t, although it has the least regret.
func TestViolatorDoesNotLeadKeepersByRegret(t *testing.T) {
	a := analyse(t, plantedResults(t,
		"horizon: 40\nreplicates: 12\nalgorithms: [{use: root}, {use: low}, "+
			"{use: high}]"))
	for i := range a.Pairs {
		p := &a.Pairs[i]
		verdict := stats.AtMost
		if p.Algorithm == "low" {
			verdict = stats.Above
		}
		p.Series[a.Focus.On(p.Problem).Violation].SqrtVerdict = verdict
	}
	var by []string
	for _, l := range a.LeadsOfKeepers() {
		if l.Metric == algorithms.RegretXHat && l.Shown {
			by = append(by, l.Algorithm)
		}
	}
	if all := leadOf(t, a, algorithms.RegretXHat); !slices.Equal(by, []string{"root"}) ||
		all.Algorithm != "low" || !all.Shown {
		t.Errorf("%q lead those that keep the violation, and %+v leads all; want root, and low", by, all)
	}
	// A violation that keeps √t only after a steep start, with c = 1000, does not count as kept.
	violation := a.Pair("root", "steep").Series[a.Focus.On("steep").Violation]
	factor, end := violation.SqrtFactor, violation.Fit.End
	violation.SqrtFactor, violation.Fit.End = &Factor{Value: 1000, Unit: 1, Name: "B"}, &End{From: 100}
	for _, l := range a.LeadsOfKeepers() {
		if l.Metric == algorithms.RegretXHat {
			t.Errorf("%+v leads beside a steep start, want no lead", l)
		}
	}
	violation.SqrtFactor, violation.Fit.End = factor, end
	violation.SqrtVerdict = stats.Undecided
	for _, l := range a.LeadsOfKeepers() {
		if l.Metric == algorithms.RegretXHat {
			t.Errorf("high alone: got lead %+v, want none", l)
		}
	}
}

// certain is a deterministic steep stream.
type certain struct{ steep }

func (*certain) Facts() convex.Facts { return convex.Facts{Deterministic: true} }

// certainProblem returns a problem with the loss x and the constraint x ≤ ½ in every round.
func certainProblem(name string) problems.Problem {
	return problems.Problem{Name: name, Version: 1,
		New: func(any, *rand.Rand) (problems.Stream, error) {
			return &certain{steep{convex.Round{
				Loss:        &convex.Affine{A: []float64{1}},
				Constraints: []convex.Func{&convex.Affine{A: []float64{1}, B: -0.5}},
			}}}, nil
		}}
}

// Among deterministic games, the smallest value leads if no other is equal to it.
func TestSmallestDeterministicValueLeadsUnlessTied(t *testing.T) {
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
		t.Run(text, func(t *testing.T) {
			_, a := analysedRun(t, c, "horizon: 20\nreplicates: 5\nproblems: [{use: still}]\nalgorithms: "+
				text)
			if l := leadOf(t, a, algorithms.RegretXHat); l.Algorithm != "b" || l.Shown != want ||
				l.Tested {
				t.Errorf("the lead is %+v, want one of b, significant %v", l, want)
			}
		})
	}
}

// An experiment about a violation, the loss and the path length. The comparisons are by what is
// shown and fitted and by the regret that the views are about, which nobody asked for. None is by
// the path length, which is the same for all algorithms, nor by the loss, which is not fitted.
func TestComparisonsAreByFittedMetricsOfAlgorithms(t *testing.T) {
	catalog, _, st := playTurning(t, "problems: [{use: turning}]\nmetrics: [violation_hard, loss, "+
		"path_length, violation_max]",
		map[string][]algorithms.Claim{"here": nil, "there": nil})
	_, a := loadAndAnalyse(t, catalog, st)
	m := func(name algorithms.Metric) Metric {
		return a.Metrics[slices.IndexFunc(a.Metrics, func(m Metric) bool { return m.Name == name })]
	}
	if p := m("path_length"); !p.Shown || !p.Fitted || m("loss").Fitted || !m("loss").Shown ||
		m(algorithms.RegretXHat).Shown || !a.Focus.Has(algorithms.RegretXHat) ||
		m(algorithms.SoftViolation).Shown {
		t.Fatalf("got metrics %+v, focus %+v, want the path length fitted and shown, and only the "+
			"dynamic regret", a.Metrics, a.Focus)
	}
	want := []algorithms.Metric{algorithms.RegretXHat, algorithms.HardViolation,
		algorithms.MaxViolation}
	if got := a.Comparisons.Metrics; !slices.Equal(got, want) {
		t.Errorf("compared by %v, want %v", got, want)
	}
	for _, m := range a.Metrics {
		leads := slices.ContainsFunc(a.Leads(), func(l Lead) bool { return l.Metric == m.Name })
		if leads != slices.Contains(want, m.Name) {
			t.Errorf("%s: got a lead %v, want it of %v only", m.Name, leads, want)
		}
	}
}
