package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// judged judges a single claim.
func judged(c Claim, f Fit) Slope { return c.Judge(f, c.P(f)) }

// normal is the pivot whose interval of confidence 0.95 has these ends.
func normal(lower, upper float64) pivot {
	if math.IsInf(upper-lower, 1) {
		return pivot{stdErr: math.Inf(1), degrees: 1e9}
	}
	return pivot{value: (lower + upper) / 2, stdErr: (upper - lower) / 2 / studentQuantile(1e9, 0.975),
		degrees: 1e9}
}

func TestJudge(t *testing.T) {
	interval := func(lower, upper float64) Fit {
		return Fit{Lower: lower, Upper: upper, Replicates: 10, Confidence: 0.95,
			exponent: normal(lower, upper)}
	}
	inf, nan := math.Inf(1), math.NaN()
	shaped := func(v Verdict, lower, upper, drift float64, increments Estimate) Fit {
		f := interval(lower, upper)
		f.Verdict, f.Drift.Value, f.LogSlope = v, drift, 0.148
		f.Increments = increments
		return f
	}
	none := Estimate{Lower: -inf, Upper: inf}
	negated := func(lower float64, resamples int) Fit {
		return Fit{Lower: nan, Upper: nan, Replicates: 9, NonPositive: 1,
			Negated: &Fit{Lower: lower, Resamples: resamples}}
	}
	tests := []struct {
		name  string
		claim Claim
		fit   Fit
		want  Slope
	}{
		{"below", Claim{Exponent: 0.5}, interval(0.3, 0.4), Within},
		{"around the claim, narrow", Claim{Exponent: 0.5}, interval(0.48, 0.55), Within},
		{"just above, within tolerance", Claim{Exponent: 0.5}, interval(0.51, 0.52), Within},
		{"around the claim, wide", Claim{Exponent: 0.5}, interval(0.45, 0.56), Open},
		{"around the limit", Claim{Exponent: 0.5}, interval(0.54, 0.56), Open},
		{"above", Claim{Exponent: 0.5}, interval(0.551, 0.6), Above},
		{"tolerance", Claim{Exponent: 0.5, Tolerance: 0.2}, interval(0.6, 0.7), Within},
		{"no tolerance", Claim{Exponent: 0.5, Tolerance: -1}, interval(0.51, 0.52), Above},
		{"no tolerance, at the claim", Claim{Exponent: 0.5, Tolerance: -1}, interval(0.5, 0.5), Within},
		{"no bound", Claim{Exponent: 0.5}, interval(-inf, inf), Open},
		{"no interval", Claim{Exponent: 0.5}, interval(nan, nan), Open},
		{"zero throughout", Claim{Exponent: 0},
			Fit{Lower: nan, Upper: nan, Replicates: 2, NeverPositive: true}, Trivial},
		{"one zero replicate", Claim{Exponent: 0},
			Fit{Lower: nan, Upper: nan, Replicates: 1, NeverPositive: true}, Open},
		{"a logarithm more", Claim{Exponent: 0.5, Log: 1}, shaped(Power, 0.64, 0.69, -0.05, none),
			Within},
		{"no logarithm", Claim{Exponent: 0.5}, shaped(Power, 0.64, 0.69, -0.05, none), Above},
		{"half a logarithm", Claim{Exponent: 0.5, Log: 0.5}, shaped(Power, 0.64, 0.69, -0.05, none),
			Above},
		{"a logarithm of nothing", Claim{Exponent: 0.5, Log: 1},
			Fit{Lower: 0.1, Upper: 0.2, LogSlope: nan, Replicates: 9}, Open},
		{"offset, both below", Claim{Exponent: 0.5},
			shaped(OffsetPower, 0.1, 0.2, 0.1, Estimate{Lower: 0.4, Upper: 0.5}), Within},
		{"offset, increments above", Claim{Exponent: 0.5},
			shaped(OffsetPower, 0.1, 0.2, 0.1, Estimate{Lower: 0.6, Upper: 0.9}), Open},
		{"offset, slope above", Claim{Exponent: 0.5},
			shaped(OffsetPower, 0.8, 0.9, -0.6, Estimate{Lower: 0.4, Upper: 0.5}), Above},
		{"offset, both above", Claim{Exponent: 0.5},
			shaped(OffsetPower, 0.8, 0.9, -0.2, Estimate{Lower: 0.6, Upper: 0.7}), Above},
		{"log t is O(log t)", Claim{Log: 1}, shaped(Logarithmic, 0.13, 0.16, -0.05, none), Within},
		{"log t is not O(1)", Claim{}, shaped(Logarithmic, 0.13, 0.16, -0.05, none), Above},
		{"log t is O(t^0.05), beyond every window", Claim{Exponent: 0.05},
			shaped(Logarithmic, 0.13, 0.16, -0.05, none), Above},
		{"falling to below", Claim{Exponent: 0.5}, shaped(Transient, 0.3, 0.4, -0.3, none), Within},
		{"falling from above", Claim{Exponent: 0.5}, shaped(Transient, 0.6, 0.7, -0.3, none), Above},
		{"rising from below", Claim{Exponent: 0.5}, shaped(Transient, 0.3, 0.4, 0.3, none), Open},
		{"rising to above", Claim{Exponent: 0.5}, shaped(Transient, 0.6, 0.7, 0.3, none), Above},
		{"negative for sure", Claim{Exponent: 0}, negated(0.9, 1999), Trivial},
		{"negative by chance", Claim{Exponent: 0}, negated(-inf, 1999), Open},
		{"negative, too few to tell", Claim{Exponent: 0}, negated(0.9, 0), Open},
		{"negative in the mean, not a number", Claim{Exponent: 0}, negated(nan, 0), Open},
		{"mean not positive", Claim{Exponent: 0},
			Fit{Lower: nan, Upper: nan, Replicates: 9, NonPositive: 1}, Open},
	}
	for _, test := range tests {
		if got := judged(test.claim, test.fit); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// The p-value and the interval cannot contradict each other, and a correction
// takes the word above back.
func TestClaimP(t *testing.T) {
	ts := checkpoints(100, 10000)
	rng := rand.New(rand.NewPCG(12, 1))
	seen := make(map[Slope]int)
	for range 40 {
		for _, m := range models[:8] {
			f := mustFit(t, Growth{Resamples: 399}, m.draw(rng, ts, 12))
			for _, exponent := range []float64{f.Lower - 0.01, f.Lower + 0.01, f.Exponent, f.Upper + 0.01} {
				c := Claim{Exponent: exponent, Tolerance: -1}
				p := c.P(f)
				if p <= 0.025 != (f.Lower > exponent) {
					t.Fatalf("p = %v for the claim %v and the interval [%v, %v]", p, exponent, f.Lower, f.Upper)
				}
				seen[c.Judge(f, p)]++
				if corrected := c.Judge(f, min(1, 50*p)); 50*p > 0.025 && corrected == Above {
					t.Fatalf("p = %v is above after a correction to %v", p, 50*p)
				}
			}
		}
	}
	if seen[Within] < 100 || seen[Above] < 100 || seen[Open] < 100 {
		t.Errorf("verdicts %v: the fits are too much alike", seen)
	}
}
