package run

import (
	"math"
	"strings"
	"testing"

	"ocobench/harness/store"
)

// Difference compares bits: 0 and −0 are different numbers, and all NaN are one. A new column is no
// difference.
func TestDifferenceComparesBits(t *testing.T) {
	nan, zero := math.NaN(), math.Copysign(0, -1)
	cell := func(columns string, rows ...[]float64) *store.Cell {
		return &store.Cell{Columns: strings.Fields(columns), Rows: rows}
	}
	was := cell("t loss", []float64{1, 0}, []float64{2, nan})
	for _, c := range []struct {
		what string
		is   *store.Cell
		want string
	}{
		{"the same", cell("t loss", []float64{1, 0}, []float64{2, -nan}), ""},
		{"−0", cell("t loss", []float64{1, zero}, []float64{2, nan}), "loss at t = 1 is -0, and was 0"},
		{"the next number", cell("t loss", []float64{1, 0}, []float64{math.Nextafter(2, 3), nan}),
			"t at t = 2 is 2.0000000000000004, and was 2"},
		{"a number for NaN", cell("t loss", []float64{1, 0}, []float64{2, 7}),
			"loss at t = 2 is 7, and was NaN"},
		{"NaN for a number", cell("t loss", []float64{1, nan}, []float64{2, nan}),
			"loss at t = 1 is NaN, and was 0"},
		{"a row less", cell("t loss", []float64{1, 0}), "it has 1 rows, and had 2"},
		{"a column less", cell("t gain", []float64{1, 0}, []float64{2, nan}),
			"it has no column loss any more"},
		{"a new column", cell("t gain loss", []float64{1, 3, 0}, []float64{2, 4, nan}), ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := Difference(was, c.is); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
