package report

import (
	"math"
	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/table"
	"ocobench/stats"
	"slices"
	"strings"
	"testing"
)

// The exponent that is judged is printed with its bounds and the sign of the verdict. What is never
// positive, what cannot be judged, and what has no value have one notation each.
func TestJudgedExponentHasItsBoundsAndSign(t *testing.T) {
	end := &analysis.End{Exponent: analysis.Estimate{Value: 0.456, Lower: 0.4, Upper: 0.51}}
	fit := &analysis.Fit{End: end}
	for _, c := range []struct {
		name      string
		s         *analysis.Series
		text, csv string
		short     string
	}{
		{"at most", &analysis.Series{State: analysis.Measured, SqrtVerdict: stats.AtMost, Fit: fit},
			"0.46 [0.40, 0.51] ✓", "0.456 0.4 0.51 at most 0", "t^0.46 ✓"},
		{"above", &analysis.Series{State: analysis.Measured, SqrtVerdict: stats.Above, Fit: fit},
			"0.46 [0.40, 0.51] ▲", "0.456 0.4 0.51 above 0", "t^0.46 ▲"},
		{"slowing", &analysis.Series{State: analysis.Measured, SqrtVerdict: stats.Slowing, Fit: fit},
			"0.46 [0.40, 0.51] △", "0.456 0.4 0.51 slowing 0", "t^0.46 △"},
		{"undecided", &analysis.Series{State: analysis.Measured, SqrtVerdict: stats.Undecided, Fit: fit},
			"0.46 [0.40, 0.51] ?", "0.456 0.4 0.51 undecided 0", "t^0.46 ?"},
		{"too little evidence", &analysis.Series{State: analysis.Measured, SqrtVerdict: stats.TooLittle,
			Fit: fit}, "–", "0.456 0.4 0.51 too little evidence 0", "–"},
		{"never positive", &analysis.Series{State: analysis.Measured, SqrtVerdict: stats.AtMost,
			SqrtReason: stats.ReasonNeverPositive, Fit: fit}, "≤ 0 ✓", "0.456 0.4 0.51 at most 0",
			"≤ 0 ✓"},
		{"zero violation", &analysis.Series{State: analysis.Rounding, SqrtVerdict: stats.AtMost,
			SqrtReason: stats.ReasonNeverPositive, Fit: &analysis.Fit{}}, "≤ 0 ✓", "   at most 0", "≤ 0 ✓"},
		{"three of five replicates", &analysis.Series{State: analysis.Measured, SqrtVerdict: stats.AtMost,
			Fit: fit, Replicates: 3, Of: 5}, "0.46 [0.40, 0.51] ✓ (3 of 5)", "0.456 0.4 0.51 at most 3",
			"t^0.46 ✓"},
		{"failed", &analysis.Series{State: analysis.Failed}, "failed", "   failed 0", "–"},
		{"no comparator", &analysis.Series{State: analysis.Empty}, "empty set", "   empty 0", "–"},
		{"too large", &analysis.Series{State: analysis.Overflow}, "overflow", "   overflow 0", "–"},
		{"not measured", &analysis.Series{State: analysis.Missing}, "–", "   missing 0", "–"},
		{"not played", nil, "·", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := stats.Verdict("")
			if c.s != nil {
				v = c.s.SqrtVerdict
			}
			got := judgedExponent(c.s, v)
			if csv := strings.Join(got.CSV, " "); got.Plain != c.text || csv != c.csv {
				t.Errorf("the cell is %q and %q in CSV, want %q and %q", got.Plain, csv, c.text, c.csv)
			}
			if c.s != nil && shortExponent(c.s).Plain != c.short {
				t.Errorf("in short it is %q, want %q", shortExponent(c.s).Plain, c.short)
			}
		})
	}
}

// The summary prints the exponent of an undecided verdict by itself only where its interval is no
// wider than half, or in one deterministic path.
func TestNoisyExponentIsLeftOut(t *testing.T) {
	nan, inf := analysis.Number(math.NaN()), analysis.Number(math.Inf(1))
	for _, c := range []struct {
		root         stats.Verdict
		replicates   int
		lower, upper analysis.Number
		want         string
	}{
		{stats.Undecided, 10, 3.55, 4.0, "t^3.76 ?"},
		{stats.Undecided, 10, 3.3, 4.2, "?"},
		{stats.Undecided, 10, -2, inf, "?"},
		{stats.Undecided, 10, nan, nan, "?"},
		{stats.Undecided, 1, nan, nan, "t^3.76 ?"},
		{stats.Above, 10, 2, 9, "t^3.76 ▲"},
		{stats.AtMost, 10, -2, inf, "t^3.76 ✓"},
	} {
		s := &analysis.Series{State: analysis.Measured, Replicates: c.replicates, SqrtVerdict: c.root,
			Fit: &analysis.Fit{End: &analysis.End{Exponent: analysis.Estimate{Value: 3.76, Lower: c.lower,
				Upper: c.upper}}}}
		if got := shortExponent(s).Plain; got != c.want {
			t.Errorf("%s of %d replicates in [%v, %v]: %s, want %s", c.root, c.replicates, c.lower, c.upper,
				got, c.want)
		}
	}
}

// A cell names every shape of growth other than a power law.
func TestCellNamesTheShapeOfGrowth(t *testing.T) {
	e := analysis.Estimate{Value: 0.25, Lower: 0.2, Upper: 0.3}
	for shape, want := range map[stats.Shape]string{
		stats.Power:       "0.25 [0.20, 0.30]",
		stats.Bounded:     "0.25 [0.20, 0.30] bounded",
		stats.Logarithmic: "0.25 [0.20, 0.30] log t",
		stats.Transient:   "0.25 [0.20, 0.30] transient",
		stats.OffsetPower: "0.25 [0.20, 0.30] a + b·t^0.50",
	} {
		s := analysis.Series{State: analysis.Measured,
			Fit: &analysis.Fit{Shape: shape, Exponent: e, Increments: analysis.Estimate{Value: 0.5},
				Replicates: 3}}
		got := windowGrowth(&s)
		if got.Plain != want {
			t.Errorf("%s is said as %q, want %q", shape, got.Plain, want)
		}
		if want := []string{"0.25", "0.2", "0.3", string(shape), "3"}; !slices.Equal(got.CSV, want) {
			t.Errorf("CSV has %q for %s, want %q", got.CSV, shape, want)
		}
	}
	far := analysis.Series{State: analysis.Measured, Fit: &analysis.Fit{
		Shape: stats.Undetermined, Exponent: analysis.Estimate{Value: 0.25, Lower: -1e9, Upper: 101},
	}}
	if got := windowGrowth(&far).Plain; got != "0.25 (unresolved)" {
		t.Errorf("ends that bound nothing: got %q, want 0.25 (unresolved)", got)
	}
	passing := analysis.Series{State: analysis.Measured, Fit: &analysis.Fit{
		Shape: stats.Power, Exponent: analysis.Estimate{Value: 1.25, Lower: 1.2, Upper: 1.3},
		Superlinear: true,
	}}
	if got := windowGrowth(&passing).Plain; got != "1.25 [1.20, 1.30] passing" {
		t.Errorf("an exponent that cannot last: got %q, want it passing", got)
	}
	for state, want := range map[analysis.State]string{
		analysis.Empty: "empty set", analysis.Missing: "–",
	} {
		if got := windowGrowth(&analysis.Series{State: state}); got.Plain != want ||
			got.CSV[3] != string(state) {
			t.Errorf("%s: got %q, %q, want %q", state, got.Plain, got.CSV, want)
		}
	}
}

// What is below 1e-12 of its scale prints as 0, and no more than that.
func TestRoundingErrorsPrintAsZero(t *testing.T) {
	for _, c := range []struct {
		value, half float64
		want        string
	}{
		{3, 1e-13, "3.00 ± 0"}, {34.04, 1e-12, "34.0 ± 0"}, {-1e-15, 2, "0 ± 2.0"},
		{1e-15, 2e-15, "1.00·10⁻¹⁵ ± 2.0·10⁻¹⁵"}, {99368, 1e-8, "99368 ± 0"},
		{5, 0.02, "5.000 ± 0.020"}, {0, 0, "0 ± 0"},
	} {
		e := analysis.Estimate{Value: analysis.Number(c.value), Lower: analysis.Number(c.value - c.half),
			Upper: analysis.Number(c.value + c.half)}
		if got := plusMinus(e).Plain; got != c.want {
			t.Errorf("%v ± %v is %q, want %q", c.value, c.half, got, c.want)
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		v     float64
		scale []float64
		want  float64
	}{
		{1e-13, []float64{1}, 0}, {-1e-13, []float64{0.5, -1}, 0}, {2e-12, []float64{1}, 2e-12},
		{1e-13, nil, 1e-13}, {1e-13, []float64{inf}, 1e-13}, {5, []float64{math.NaN(), 1}, 5},
	} {
		if got := zeroIfRounding(c.v, c.scale...); got != c.want {
			t.Errorf("%v of the scale %v is %v, want %v", c.v, c.scale, got, c.want)
		}
	}
	if got := coordinatesText([]float64{1, 3e-17, -0.5}, 6, 6); got != "1 0 -0.5" {
		t.Errorf("got action %q, want 1 0 -0.5", got)
	}
	if got := coordinatesText([]float64{-4e-16, 2}, 3, 4); got != "0 2" {
		t.Errorf("got point %q, want 0 2", got)
	}
	for _, c := range []struct {
		gap, value float64
		want       string
	}{{1.4e-117, -727.33, "≤ 1.1·10⁻¹³"}, {9.9e-14, -545.9, "≤ 1.1·10⁻¹³"}, {0, -1, "0"},
		{2e-13, -727.33, "2.0·10⁻¹³"}, {3e-15, 1, "3.0·10⁻¹⁵"}, {0, 0, "0"}} {
		if got := gapText(c.gap, c.value); got != c.want {
			t.Errorf("the gap %g of %g is shown as %q, want %q", c.gap, c.value, got, c.want)
		}
	}
	if got := gapDigits(3e-15) + " " + gapDigits(0); got != "3.0·10⁻¹⁵ 0" {
		t.Errorf("got gaps %q, want 3.0·10⁻¹⁵ 0", got)
	}
}

// Only a lead without doubts is bold.
func TestDoubtfulLeadIsNotBold(t *testing.T) {
	p := &analysis.Pair{Algorithm: "ogd", Problem: "iid"}
	m := analysis.Metric{Name: algorithms.RegretXHat}
	for _, c := range []struct {
		name string
		lead analysis.Lead
		want bool
	}{
		{"significant", analysis.Lead{Shown: true}, true},
		{"doubtful", analysis.Lead{Shown: true, Doubtful: make([]analysis.Comparison, 1)}, false},
		{"not significant", analysis.Lead{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.lead.Algorithm, c.lead.Problem, c.lead.Metric = p.Algorithm, p.Problem, m.Name
			v := &analysisView{leads: []analysis.Lead{c.lead}}
			if text := boldIfLeading(v, table.Plain("1"), p, m); text.Bold != c.want || text.Small != nil {
				t.Errorf("the cell is %+v, want bold %t and no mark", text, c.want)
			}
		})
	}
}
