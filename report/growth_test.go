package report

import (
	"slices"
	"testing"

	"ocobench/algorithms"
)

// A claim whose growth is no power of t is shown as its formula, and has no numbers.
func TestGrowthOfClaims(t *testing.T) {
	for growth, tex := range map[string]string{
		"√t(1 + P_t)":           `$\sqrt{t}(1 + P_t)$`,
		"t^(2/3) + t^(1/3) P_t": `$t^{2/3} + t^{1/3} P_t$`,
		"log t + V_t":           `$\log t + V_t$`,
		"1 + V_t":               `$1 + V_t$`,
	} {
		got := rate(algorithms.Claim{Growth: growth})
		if got.Plain != growth || got.TeX != tex || !slices.Equal(got.CSV, []string{"", ""}) {
			t.Errorf("%s is %+v, want %s", growth, got, tex)
		}
	}
	if got := rate(algorithms.Claim{Exponent: 0.5, Log: 1}); got.TeX != `$t^{0.5}\log t$` ||
		!slices.Equal(got.CSV, []string{"0.5", "1"}) {
		t.Errorf("a power is %+v", got)
	}
}
