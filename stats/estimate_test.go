package stats

import (
	"math"
	"slices"
	"testing"
)

// Quantiles and tails have the values of tables, and limits.
func TestDistributionsByHand(t *testing.T) {
	same := func(got, want float64) bool { return got == want || math.IsNaN(got) && math.IsNaN(want) }
	for _, c := range []struct{ got, want float64 }{
		{studentQuantile(1, 0.5), 0}, {studentQuantile(1, 0.75), 1}, {studentQuantile(1, 0.25), -1},
		{studentQuantile(10, 0.975), 2.228138852}, {studentQuantile(0, 0.975), math.NaN()},
		{studentQuantile(3, 1), math.Inf(1)}, {studentQuantile(3, 0), math.Inf(-1)},
		{studentTail(1, 0), 0.5}, {studentTail(1, 1), 0.25}, {studentTail(1, -1), 0.75},
		{studentTail(5, math.Inf(1)), 0}, {studentTail(5, math.Inf(-1)), 1},
		{studentTail(0, 1), math.NaN()}, {studentTail(5, math.NaN()), math.NaN()},
		{betaQuantile(0, 3, 0.5), 0}, {betaQuantile(3, 0, 0.5), 1}, {betaQuantile(1, 1, 0.25), 0.25},
	} {
		if !same(c.got, c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// A resample whose spread is rounding says nothing finite of the error, whichever way it moves
// the number; one that does not move it has the error 0.
func TestResamplesWithoutSpreadAreNotFinite(t *testing.T) {
	p := pivot{value: 1, stdErr: 0.1, degrees: 9, rounding: negligible}
	p.studentise([]float64{0.5, -0.2, 0.5, 1e-15, math.NaN()}, []float64{1e-17, 1e-17, 0.25, 0, 0.1})
	want := []float64{math.Inf(-1), 0, 2, math.Inf(1)}
	slices.Sort(p.ratios)
	if !slices.Equal(p.ratios, want) || p.undefined != 1 {
		t.Errorf("the ratios are %v and %d undefined, want %v and 1", p.ratios, p.undefined, want)
	}
}
