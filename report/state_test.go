package report

import (
	"slices"
	"strings"
	"testing"
)

// What learners show of themselves has a figure without a rate, with the learners that show it
// alone, and neither an exponent nor a verdict.
func TestStatesHaveFiguresWithoutVerdicts(t *testing.T) {
	a, _ := shownOf(t, "name: s\nhorizon: 50\nreplicates: 2\nmetrics: [state_multiplier]\nproblems: "+
		"[{use: iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}]")
	found := false
	for _, f := range newAnalysisView(a).figures(withBounds) {
		if f.name != "state-multiplier" {
			continue
		}
		found = true
		p := f.figure.Panels[0]
		if len(f.figure.Panels) != 1 || len(p.Series) != 1 || p.Series[0].Lower == nil ||
			p.Guides != nil || p.Y.Label != "multiplier" {
			t.Errorf("the figure is %+v, want a band of primal-dual without a rate", f.figure)
		}
		if !strings.HasPrefix(f.caption.TeX, "Multiplier of each algorithm that shows it") {
			t.Errorf("got caption %q, want one of a multiplier", f.caption.TeX)
		}
	}
	if !found {
		t.Error("got no figure state-multiplier, want one")
	}
	s := a.Pair("primal-dual", "iid").Series["state_multiplier"]
	if s.Fit != nil || s.SqrtVerdict != "" || !s.Known() {
		t.Errorf("got fit %v and verdict %q, want a known series without both", s.Fit, s.SqrtVerdict)
	}
	if !slices.Equal(a.Experiment.States, []string{"state_multiplier"}) {
		t.Errorf("got states %v, want state_multiplier", a.Experiment.States)
	}
}
