package stats

import (
	"math"
	"testing"
)

func TestJudge(t *testing.T) {
	interval := func(lower, upper float64) Fit { return Fit{Lower: lower, Upper: upper, Replicates: 10} }
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		name  string
		claim Claim
		fit   Fit
		want  Outcome
	}{
		{"below", Claim{Exponent: 0.5}, interval(0.3, 0.4), Supported},
		{"around the claim, narrow", Claim{Exponent: 0.5}, interval(0.48, 0.55), Supported},
		{"just above, within tolerance", Claim{Exponent: 0.5}, interval(0.51, 0.52), Supported},
		{"around the claim, wide", Claim{Exponent: 0.5}, interval(0.45, 0.56), Inconclusive},
		{"around the limit", Claim{Exponent: 0.5}, interval(0.54, 0.56), Inconclusive},
		{"above", Claim{Exponent: 0.5}, interval(0.551, 0.6), Refuted},
		{"tolerance", Claim{Exponent: 0.5, Tolerance: 0.2}, interval(0.6, 0.7), Supported},
		{"no tolerance", Claim{Exponent: 0.5, Tolerance: -1}, interval(0.51, 0.52), Refuted},
		{"no tolerance, at the claim", Claim{Exponent: 0.5, Tolerance: -1}, interval(0.5, 0.5), Supported},
		{"no bound", Claim{Exponent: 0.5}, interval(-inf, inf), Inconclusive},
		{"no interval", Claim{Exponent: 0.5}, interval(nan, nan), Inconclusive},
		{"zero throughout", Claim{Exponent: 0}, Fit{Lower: nan, Upper: nan, Replicates: 2, NeverPositive: true}, Supported},
		{"one zero replicate", Claim{Exponent: 0}, Fit{Lower: nan, Upper: nan, Replicates: 1, NeverPositive: true}, Inconclusive},
		{"mean not positive", Claim{Exponent: 0}, Fit{Lower: nan, Upper: nan, Replicates: 9, NonPositive: 1}, Inconclusive},
	}
	for _, test := range tests {
		if got := test.claim.Judge(test.fit); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
