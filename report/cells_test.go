package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/table"
	"ocobench/stats"
)

// A p-value has three digits; one that would be 0.000 is said to be less than 0.001,
// and CSV has all digits.
func TestProbabilityText(t *testing.T) {
	for _, c := range []struct {
		p          float64
		plain, csv string
	}{
		{0.25, "0.250", "0.25"}, {0.0049, "0.005", "0.0049"}, {0.001, "0.001", "0.001"},
		{0.0009, "< 0.001", "0.0009"}, {0, "0.000", "0"}, {1, "1.000", "1"}, {math.NaN(), "–", ""},
	} {
		if got := probability(analysis.Number(c.p)); got.Plain != c.plain ||
			!slices.Equal(got.CSV, []string{c.csv}) {
			t.Errorf("%v is said as %q, %q, want %q, %q", c.p, got.Plain, got.CSV, c.plain, c.csv)
		}
	}
}

// A number from fewer replicates than were to be played says so.
func TestPartialText(t *testing.T) {
	for _, c := range []struct {
		have, of int
		mark     string
	}{{0, 5, ""}, {3, 5, " (3 of 5)"}, {5, 5, ""}, {1, 1, ""}, {1, 2, " (1 of 2)"}} {
		for _, cell := range []table.Text{{Plain: "7", TeX: "$7$", Small: []string{"small"}},
			table.Plain("7")} {
			got := partial(cell, c.have, c.of)
			small := strings.Join(got.Small, "|")
			want := strings.Join(cell.Small, "|")
			if c.mark != "" {
				want = strings.TrimPrefix(want+"|"+c.mark[1:], "|")
			}
			if got.Plain != "7"+c.mark || small != want || strings.Contains(got.TeX, "of") {
				t.Errorf("%d of %d: %q, %q with the small print %q, want %q", c.have, c.of, got.Plain, got.TeX,
					small, want)
			}
		}
	}
}

// The label of a falling curve is that of its size, with a minus.
func TestGrowthLabel(t *testing.T) {
	up := analysis.Fit{Exponent: analysis.Estimate{
		Value: 0.5, Lower: 0.25, Upper: analysis.Number(math.Inf(1)),
	}}
	none := analysis.Number(math.NaN())
	down := analysis.Fit{Shape: stats.NonPositive,
		Exponent: analysis.Estimate{Value: none, Lower: none, Upper: none}, Negated: &up}
	for want, f := range map[string]analysis.Fit{
		`: $t^{0.50}\;[0.25,\,\infty]$`:  up,
		`: $-t^{0.50}\;[0.25,\,\infty]$`: down,
		"":                               {Exponent: down.Exponent},
		": $t^{1.00}$": {
			Exponent: analysis.Estimate{Value: 1, Lower: none, Upper: none},
		},
	} {
		if got := growthLabel(f); got != want {
			t.Errorf("the label is %q, want %q", got, want)
		}
	}
}

// The outline of a set goes through its best actions in the order of the angles, and
// ends where it began. A set that is empty has none.
func TestOutlines(t *testing.T) {
	a := &analysis.Analysis{}
	corner := map[int][]analysis.Number{0: {1, 0}, 90: {0, 2}, 225: {-3, -3}}
	nan := analysis.Number(math.NaN())
	for _, angle := range []int{90, 225, 0} {
		a.Problems = append(a.Problems, analysis.Problem{
			Entry: experiment.Entry{Name: "iid",
				Params: json.RawMessage(fmt.Sprintf(`{"angle":%d,"dim":2}`, angle))},
			Best: []analysis.Best{{Set: "xmin", Action: []analysis.Number{nan, nan}},
				{Set: "xhat", Action: corner[angle]}, {Set: "xmax", Action: corner[angle]}},
		})
	}
	f := subjectOf(a).outlines
	if f == nil || len(f.Panels) != 1 || len(f.Panels[0].Series) != 2 {
		t.Fatalf("the figure is %+v, want one panel with two outlines", f)
	}
	p := f.Panels[0]
	for _, s := range p.Series {
		if !slices.Equal(s.X, []float64{1, 0, -3, 1}) || !slices.Equal(s.Y, []float64{0, 2, -3, 0}) {
			t.Errorf("the outline of %s is %v, %v", s.Label, s.X, s.Y)
		}
	}
	reach := 3.0
	if want := reach * 1.05; p.X.Min != -want || p.X.Max != want || p.Y.Min != -want ||
		p.Y.Max != want {
		t.Errorf("the axes are %+v and %+v, want ±%v", p.X, p.Y, want)
	}
	a.Problems[1].Params = json.RawMessage(`{"angle":225,"dim":3}`)
	if subjectOf(a).outlines != nil {
		t.Error("dimensions vary, and there are outlines")
	}
	a.Problems[1] = analysis.Problem{Entry: experiment.Entry{Name: "shrinking",
		Params: json.RawMessage(`{}`)}}
	for _, set := range []string{"xmin", "xhat", "xmax"} {
		a.Problems[1].Best = append(a.Problems[1].Best,
			analysis.Best{Set: set, Action: []analysis.Number{1}})
	}
	if subjectOf(a).outlines != nil {
		t.Error("a problem in one dimension has an outline")
	}
}
