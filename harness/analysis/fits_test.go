package analysis

import (
	"slices"
	"testing"

	"ocobench/algorithms"
)

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
