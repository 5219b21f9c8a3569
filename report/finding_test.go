package report

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/attack"
	"ocobench/report/figure"
)

// finding returns a finding with a curve of two points.
func finding(name string, goal attack.Goal, score, first, last float64) *attack.Finding {
	f := &attack.Finding{Name: name}
	f.Goal, f.Long.Score = goal, score
	f.Curve = analysis.Line{T: []float64{1, 1000},
		Value: []analysis.Number{analysis.Number(first), analysis.Number(last)}}
	return f
}

// TestFindingsFigureHasSevenAPanelAtMost: panels have at most seven findings, and the one of bounds
// has all of them, the largest first.
func TestFindingsFigureHasSevenAPanelAtMost(t *testing.T) {
	var all []*attack.Finding
	for k := range 9 {
		all = append(all, finding(fmt.Sprintf("bound-%d", k), attack.Bound, float64(k)/10, 0,
			float64(k)/10))
		if k < 8 {
			all = append(all, finding(fmt.Sprintf("growth-%d", k), attack.Growth, 1, 1, 50))
		}
	}
	all = append(all, finding("lead", attack.Lead, 1, -1, 1),
		finding("nothing", attack.Value, 0, 0, 0), &attack.Finding{Name: "none"})
	f := FindingsFigure(all)
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, p := range f.Panels {
		titles = append(titles, fmt.Sprint(p.Title, " ", len(p.Series)))
	}
	if want := "[growth 4 growth 4 value 1 lead 1 value / bound 9]"; fmt.Sprint(titles) != want {
		t.Fatalf("the panels are %v, want %s", titles, want)
	}
	growth, value, lead, bounds := f.Panels[0], f.Panels[2], f.Panels[3], f.Panels[4]
	if g := growth.Guides; !reflect.DeepEqual(g, []figure.Guide{{Slope: 1, X: 1000, Y: 50}}) ||
		growth.Series[3].Label != "growth-3" {
		t.Errorf("growth: got guides %+v, want one of slope 1 through (1000, 50)", g)
	}
	if value.Y.Scale != figure.Linear || lead.Y.Scale != figure.SymLog ||
		growth.Y.Scale != figure.Log {
		t.Errorf("got scales %v, %v and %v, want linear, symmetric logarithmic and logarithmic",
			value.Y.Scale, lead.Y.Scale, growth.Y.Scale)
	}
	if s := bounds.Series; s[0].Label != "bound-8" || s[6].Label != "bound-2" || s[6].Faint ||
		s[7].Label != "" || !s[7].Faint || bounds.Levels[0].Y != 1 {
		t.Errorf("got bounds %+v, want 8 to 2, those after them faint and without names", s)
	}
	if y := bounds.Series[0].Y; !math.IsNaN(y[0]) || y[1] != 0.8 {
		t.Errorf("the ratio is %v, want nothing and 0.8", y)
	}
	if f := FindingsFigure(all[len(all)-1:]); f != nil {
		t.Errorf("without a curve: got figure %+v, want none", f)
	}
}
