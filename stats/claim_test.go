package stats

import (
	"math"
	"testing"
)

func TestJudge(t *testing.T) {
	interval := func(lower, upper float64) Fit { return Fit{Lower: lower, Upper: upper, Replicates: 10} }
	inf, nan := math.Inf(1), math.NaN()
	shaped := func(v Verdict, lower, upper, drift float64, increments Estimate) Fit {
		return Fit{Verdict: v, Lower: lower, Upper: upper, Drift: Estimate{Value: drift}, Increments: increments, LogSlope: 0.148, Replicates: 10}
	}
	none := Estimate{Lower: -inf, Upper: inf}
	negated := func(lower float64, resamples int) Fit {
		return Fit{Lower: nan, Upper: nan, Replicates: 9, NonPositive: 1, Negated: &Fit{Lower: lower, Resamples: resamples}}
	}
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
		{"a logarithm more", Claim{Exponent: 0.5, Log: 1}, shaped(Power, 0.64, 0.69, -0.05, none), Supported},
		{"no logarithm", Claim{Exponent: 0.5}, shaped(Power, 0.64, 0.69, -0.05, none), Refuted},
		{"half a logarithm", Claim{Exponent: 0.5, Log: 0.5}, shaped(Power, 0.64, 0.69, -0.05, none), Refuted},
		{"a logarithm of nothing", Claim{Exponent: 0.5, Log: 1}, Fit{Lower: 0.1, Upper: 0.2, LogSlope: nan, Replicates: 9}, Inconclusive},
		{"offset, both below", Claim{Exponent: 0.5}, shaped(OffsetPower, 0.1, 0.2, 0.1, Estimate{Lower: 0.4, Upper: 0.5}), Supported},
		{"offset, increments above", Claim{Exponent: 0.5}, shaped(OffsetPower, 0.1, 0.2, 0.1, Estimate{Lower: 0.6, Upper: 0.9}), Inconclusive},
		{"offset, slope above", Claim{Exponent: 0.5}, shaped(OffsetPower, 0.8, 0.9, -0.6, Estimate{Lower: 0.4, Upper: 0.5}), Inconclusive},
		{"offset, both above", Claim{Exponent: 0.5}, shaped(OffsetPower, 0.8, 0.9, -0.2, Estimate{Lower: 0.6, Upper: 0.7}), Refuted},
		{"log t is O(log t)", Claim{Log: 1}, shaped(Logarithmic, 0.13, 0.16, -0.05, none), Supported},
		{"log t is not O(1)", Claim{}, shaped(Logarithmic, 0.13, 0.16, -0.05, none), Refuted},
		{"log t is O(t^0.05), which nobody sees", Claim{Exponent: 0.05}, shaped(Logarithmic, 0.13, 0.16, -0.05, none), Inconclusive},
		{"falling to below", Claim{Exponent: 0.5}, shaped(Transient, 0.3, 0.4, -0.3, none), Supported},
		{"falling from above", Claim{Exponent: 0.5}, shaped(Transient, 0.6, 0.7, -0.3, none), Inconclusive},
		{"rising from below", Claim{Exponent: 0.5}, shaped(Transient, 0.3, 0.4, 0.3, none), Inconclusive},
		{"rising to above", Claim{Exponent: 0.5}, shaped(Transient, 0.6, 0.7, 0.3, none), Refuted},
		{"negative for sure", Claim{Exponent: 0}, negated(0.9, 1999), Supported},
		{"negative by chance", Claim{Exponent: 0}, negated(-inf, 1999), Inconclusive},
		{"negative, too few to tell", Claim{Exponent: 0}, negated(0.9, 0), Inconclusive},
		{"negative in the mean, not a number", Claim{Exponent: 0}, negated(nan, 0), Inconclusive},
		{"mean not positive", Claim{Exponent: 0}, Fit{Lower: nan, Upper: nan, Replicates: 9, NonPositive: 1}, Inconclusive},
	}
	for _, test := range tests {
		if got := test.claim.Judge(test.fit); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
