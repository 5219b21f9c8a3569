package report

import (
	"strings"
	"testing"

	"ocobench/harness/analysis"
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
		{analysis.Series{Root: stats.Within, Fit: &analysis.Fit{End: end}}, "within t^0.46 [0.40, 0.51]",
			"within 0.456 0.4 0.51"},
		{analysis.Series{Root: stats.Above, Fit: &analysis.Fit{End: end}}, "above t^0.46 [0.40, 0.51]",
			"above 0.456 0.4 0.51"},
		{analysis.Series{Root: stats.Open, RootSlows: true, Fit: &analysis.Fit{End: end}},
			"open, slows, t^0.46 [0.40, 0.51]", "open 0.456 0.4 0.51"},
		{analysis.Series{Root: stats.Open, Fit: &analysis.Fit{}}, "open", "open   "},
		{analysis.Series{Root: stats.Trivial, Fit: &analysis.Fit{End: end}}, "trivial", "trivial   "},
		{analysis.Series{Root: stats.Within, State: analysis.Rounding, Fit: &analysis.Fit{End: end}},
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
