package table

import (
	"math"
	"testing"
)

// CSV has the words that R, Python and Go read as infinity, and nothing for a number
// that there is not.
func TestValue(t *testing.T) {
	for want, v := range map[string]float64{
		"": math.NaN(), "Inf": math.Inf(1), "-Inf": math.Inf(-1), "0": 0, "0.1": 0.1, "1e-300": 1e-300, "-2.5e+22": -2.5e22,
	} {
		if got := Value(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
