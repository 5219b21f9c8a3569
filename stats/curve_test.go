package stats

import (
	"math"
	"testing"

	"ocobench/internal/errtest"
)

func TestCurvesThatAreNoneAreRefused(t *testing.T) {
	ok := Curve{T: []float64{1, 2}, Y: [][]float64{{0, -3}, {1e300, 2}}}
	if err := ok.Validate(); err != nil {
		t.Errorf("%v: %v, want no error", ok, err)
	}
	for _, test := range []struct {
		curve Curve
		about string
	}{
		{Curve{T: []float64{1}, Y: [][]float64{{1}}}, "at least 2 checkpoints, this one has 1"},
		{Curve{T: []float64{1, 2}}, "at least one replicate"},
		{Curve{T: []float64{1, 2}, Y: [][]float64{{1, 2}, {1}}},
			"replicate 1 has 1 values at 2 checkpoints"},
		{Curve{T: []float64{1, 2}, Y: [][]float64{{1, 2, 3}}}, "replicate 0 has 3 values"},
		{Curve{T: []float64{2, 2}, Y: [][]float64{{1, 2}}}, "checkpoint 1 is at t = 2, not after"},
		{Curve{T: []float64{3, 2}, Y: [][]float64{{1, 2}}}, "checkpoint 1 is at t = 2, not after"},
		{Curve{T: []float64{0, 2}, Y: [][]float64{{1, 2}}}, "checkpoint 0 is at t = 0, not a positive"},
		{Curve{T: []float64{1, math.NaN()}, Y: [][]float64{{1, 2}}}, "checkpoint 1 is at t = NaN"},
		{Curve{T: []float64{1, math.Inf(1)}, Y: [][]float64{{1, 2}}}, "checkpoint 1 is at t = +Inf"},
		{Curve{T: []float64{1, 7}, Y: [][]float64{{1, 2}, {1, math.NaN()}}},
			"replicate 1 is NaN at t = 7"},
		{Curve{T: []float64{1, 7}, Y: [][]float64{{math.Inf(-1), 2}}}, "replicate 0 is -Inf at t = 1"},
		{Curve{T: []float64{1, 7}, Y: [][]float64{{1, 2e300}}}, "replicate 0 is 2e+300 at t = 7"},
	} {
		errtest.Contains(t, test.curve.Validate(), test.about, "%v", test.curve)
		if _, err := test.curve.Band(0.95); (err == nil) != (len(test.curve.T) == 1) {
			t.Errorf("%v has a band: %v, want one of a single checkpoint only", test.curve, err == nil)
		}
	}
}

// Worked by hand: 1, 2, 6 have mean 3, variance 7, and t(2, 0.975) = 4.30265.
func TestBandByHand(t *testing.T) {
	b, err := Curve{T: []float64{1, 2}, Y: [][]float64{{1, 5}, {2, 5}, {6, 5}}}.Band(0.95)
	if err != nil {
		t.Fatal(err)
	}
	stdErr := math.Sqrt(7.0 / 3)
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"mean", b.Mean[0], 3}, {"standard error", b.StdErr[0], stdErr},
		{"lower", b.Lower[0], 3 - 4.302652730*stdErr}, {"upper", b.Upper[0], 3 + 4.302652730*stdErr},
		{"constant mean", b.Mean[1], 5}, {"constant standard error", b.StdErr[1], 0},
		{"constant lower", b.Lower[1], 5}, {"constant upper", b.Upper[1], 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !near(test.got, test.want, 1e-8) {
				t.Errorf("%s is %v, want %v", test.name, test.got, test.want)
			}
		})
	}
	for _, confidence := range []float64{0, 1, -1, 95, math.NaN()} {
		if _, err := (Curve{T: b.T, Y: [][]float64{{1, 2}}}).Band(confidence); err == nil {
			t.Errorf("confidence %v is taken, want an error", confidence)
		}
	}
}

func TestBandOfOneReplicateHasNoInterval(t *testing.T) {
	b, err := Curve{T: []float64{1, 2}, Y: [][]float64{{3, 4}}}.Band(0.95)
	if err != nil {
		t.Fatal(err)
	}
	if b.Mean[1] != 4 || !math.IsNaN(b.StdErr[1]) || !math.IsNaN(b.Lower[1]) ||
		!math.IsNaN(b.Upper[1]) {
		t.Errorf("%+v, want the mean 4 without an interval", b)
	}
}
