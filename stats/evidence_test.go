package stats

import (
	"math"
	"strings"
	"testing"
)

func TestVerdictNeedsADecadeOfCheckpoints(t *testing.T) {
	upTo := func(last int) (all []float64) {
		for t := 1; t <= last; t++ {
			all = append(all, float64(t))
		}
		return all
	}
	for _, c := range []struct {
		name   string
		t      []float64
		design Design
		path   bool
		lacks  string
	}{
		{"three rounds", upTo(3), AlongT, false, "shorter than a decade"},
		{"nine rounds", upTo(9), AlongT, false, "shorter than a decade"},
		{"ten rounds", upTo(10), AlongT, false, ""},
		{"a window whose first checkpoint is rounded up", upTo(350), AlongT, true, ""},
		{"few checkpoints", []float64{1, 10, 100, 1000, 10000}, AlongT, false, "has 3 checkpoints"},
		{"late data", []float64{50, 60, 65, 70, 75, 80, 85, 90, 95, 100}, AlongT, false,
			"[50, 100] is shorter than a decade"},
		{"a path of a decade", upTo(30), AlongT, true, "shorter than two decades"},
		{"a path of two decades", upTo(100), AlongT, true, ""},
		{"three horizons", []float64{100, 300, 1000}, AcrossT, false, ""},
		{"three near horizons", []float64{100, 300, 900}, AcrossT, false, "shorter than a decade"},
		{"two horizons", []float64{100, 1000}, AcrossT, false, "has 2 checkpoints"},
	} {
		t.Run(c.name, func(t *testing.T) {
			curve := Curve{T: c.t, Y: make([][]float64, 2)}
			for r := range curve.Y {
				for _, at := range c.t {
					curve.Y[r] = append(curve.Y[r], float64(r+1)*math.Sqrt(at))
				}
			}
			f, err := Growth{Design: c.design}.Fit(curve)
			if err != nil {
				t.Fatal(err)
			}
			got := f.NoVerdictReason(c.path)
			if (got == "") != (c.lacks == "") || !strings.Contains(got, c.lacks) {
				t.Errorf("it lacks %q, want %q", got, c.lacks)
			}
		})
	}
}
