package report

import (
	"math"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/report/figure"
	"ocobench/stats"
)

// The verdict against √t has the exponent at the end of the window, where one is judged.
func TestRoot(t *testing.T) {
	end := &analysis.End{Exponent: analysis.Estimate{Value: 0.456, Lower: 0.4, Upper: 0.51}}
	for _, c := range []struct {
		s    analysis.Series
		want string
		csv  string
	}{
		{analysis.Series{}, "–", ""},
		{analysis.Series{Root: stats.AtMost, Fit: &analysis.Fit{End: end}}, "within t^0.46 [0.40, 0.51]",
			"within 0.456 0.4 0.51"},
		{analysis.Series{Root: stats.Above, Fit: &analysis.Fit{End: end}}, "above t^0.46 [0.40, 0.51]",
			"above 0.456 0.4 0.51"},
		{analysis.Series{Root: stats.Undecided, RootSlows: true, Fit: &analysis.Fit{End: end}},
			"open, slows, t^0.46 [0.40, 0.51]", "open 0.456 0.4 0.51"},
		{analysis.Series{Root: stats.Undecided, Fit: &analysis.Fit{}}, "open", "open   "},
		{analysis.Series{Root: stats.AtMost, Fit: &analysis.Fit{End: end}}, "trivial", "trivial   "},
		{analysis.Series{Root: stats.AtMost, State: analysis.Rounding, Fit: &analysis.Fit{End: end}},
			"within", "within   "},
	} {
		if got := root(&c.s); got.Plain != c.want || strings.Join(got.CSV, " ") != c.csv {
			t.Errorf("%+v: %q and %q, want %q and %q", c.s, got.Plain, got.CSV, c.want, c.csv)
		}
	}
	if got := root(nil).Plain; got != "–" {
		t.Errorf("without a series: %q", got)
	}
}

// A SPEC breaks at its commas.
func TestBrokenSpec(t *testing.T) {
	for spec, want := range map[string]string{
		"iid": "iid", "iid:dim=3,constraints=2": "iid:dim=3,constraints=2",
		"fixed:dim=3,constraints=2":              "fixed:dim=3,|constraints=2",
		"primal-dual-average:step=0.3,clip=true": "primal-dual-average:|step=0.3,clip=true",
		"fixed:dim=3,kind=quadratic,curvature=1": "fixed:dim=3,|kind=quadratic,|curvature=1",
	} {
		text, got := brokenSpec(spec), ""
		got = text.Plain
		for below := text.Below; below != nil; below = below.Below {
			got += "|" + below.Plain
		}
		if got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}

// The first tables print the exponent of an open verdict by itself only where its interval is no
// wider than half, or where chance has no part.
func TestNoisyExponentIsOpen(t *testing.T) {
	nan, inf := analysis.Number(math.NaN()), analysis.Number(math.Inf(1))
	for _, c := range []struct {
		root         stats.Verdict
		replicates   int
		lower, upper analysis.Number
		want         string
	}{
		{stats.Undecided, 10, 3.55, 4.0, "t^3.76 ?"},
		{stats.Undecided, 10, 3.3, 4.2, "open ?"},
		{stats.Undecided, 10, -2, inf, "open ?"},
		{stats.Undecided, 10, nan, nan, "open ?"},
		{stats.Undecided, 1, nan, nan, "t^3.76 ?"},
		{stats.Above, 10, 2, 9, "t^3.76 ▲"},
		{stats.AtMost, 10, -2, inf, "t^3.76 ✓"},
	} {
		s := &analysis.Series{State: analysis.Measured, Replicates: c.replicates, Root: c.root,
			Fit: &analysis.Fit{End: &analysis.End{Exponent: analysis.Estimate{Value: 3.76, Lower: c.lower,
				Upper: c.upper}}}}
		if got := signed(s); got != c.want {
			t.Errorf("%s of %d replicates in [%v, %v]: %s, want %s", c.root, c.replicates, c.lower, c.upper,
				got, c.want)
		}
		short := rootShort(s).Plain
		if strings.Contains(short, "t^3.76") == strings.HasPrefix(c.want, "open") {
			t.Errorf("beside %s stands %s", c.want, short)
		}
	}
}

// Of the problems with one outcome those stand first on which one of the two is shown to have more
// than √t, each in the order of the experiment.
func TestAgainstBeginsWithWhatIsShown(t *testing.T) {
	a := &analysis.Analysis{Experiment: analysis.Experiment{Name: "e", Horizon: []int{10}, Replicates: 2}}
	for _, m := range game.Metrics {
		a.Metrics = append(a.Metrics, analysis.Metric{Name: m.Name, Title: m.Title, Set: m.Set})
	}
	a.Algorithms = []experiment.Entry{{Spec: "a", Name: "a"}, {Spec: "b", Name: "b"}}
	const shown = "nynyynnyynnnynyn"
	var want string
	for _, first := range "yn" {
		for k, c := range shown {
			if c == first {
				want += string(rune('A' + k))
			}
		}
	}
	for k, c := range shown {
		problem := string(rune('A' + k))
		roots := map[string]stats.Verdict{"a": stats.Undecided, "b": stats.Undecided}
		if c == 'y' {
			roots[string("ab"[k/2%2])] = stats.Above
		}
		a.Problems = append(a.Problems, analysis.Problem{Entry: experiment.Entry{Spec: problem,
			Name: problem}})
		for spec, root := range roots {
			series := &analysis.Series{State: analysis.Missing}
			a.Pairs = append(a.Pairs, analysis.Pair{Algorithm: spec, Problem: problem, Root: root,
				Series: map[algorithms.Metric]*analysis.Series{"regret_xhat": series,
					"violation_soft": series}})
		}
	}
	a.Focus = analysis.Focus{Regret: "regret_xhat", Violation: "violation_soft"}
	got := ""
	for _, row := range Against(a, "a", "b", true).Blocks[0].Rows {
		got += row[0].Plain
	}
	if got != want {
		t.Errorf("the problems are %s, want %s", got, want)
	}
}

// A caption says of lines what they are where any panel has them, and only there.
func TestCaptionsSayWhatIsDrawn(t *testing.T) {
	x := &subject{Analysis: &analysis.Analysis{}, replicates: "2 replicates"}
	of := func(panels ...figure.Panel) string { return drawn(x, &figure.Figure{Panels: panels}) }
	plain := figure.Panel{Series: []figure.Series{{}}}
	bare := of(plain, plain)
	said := make(map[string]bool)
	for _, p := range []figure.Panel{{Guides: []figure.Guide{{}}}, {Marks: []figure.Mark{{}}},
		{Series: []figure.Series{{Thin: true}}}, {Series: []figure.Series{{Lower: []float64{1}}}}} {
		first, last := of(p, plain), of(plain, p)
		if first != last || first != of(p) || first == bare || said[first] {
			t.Errorf("of %+v in the first panel it says %q, in the last %q, and of none %q", p, first,
				last, bare)
		}
		said[first] = true
	}
}
