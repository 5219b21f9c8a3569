package table

import (
	"math"
	"testing"
)

// CSV has the words that R, Python and Go read as infinity, and nothing for a number
// that there is not.
func TestCSVWritesInfinityAndNothingForNaN(t *testing.T) {
	for want, v := range map[string]float64{
		"": math.NaN(), "Inf": math.Inf(1), "-Inf": math.Inf(-1), "0": 0, "0.1": 0.1, "1e-300": 1e-300,
		"-2.5e+22": -2.5e22,
	} {
		if got := Value(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

func TestPowersOfTenAreWrittenAsPowers(t *testing.T) {
	for x, want := range map[float64][2]string{
		10: {"10", "10"}, 100: {"10²", "10^{2}"}, 1e12: {"10¹²", "10^{12}"}, 31623: {"31623", "31623"},
		0: {"0", "0"}, -100: {"-100", "-100"}, 0.01: {"0.01", "0.01"},
	} {
		if got := Tens(x); got.Plain != want[0] || got.TeX != want[1] {
			t.Errorf("%v is %q and %q, want %q", x, got.Plain, got.TeX, want)
		}
	}
}
