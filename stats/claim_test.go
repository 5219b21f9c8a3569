package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// judged returns the verdict without its reason.
func judged(c Claim, f Fit) Verdict {
	v, _ := c.Judge(f)
	return v
}

// normal returns the pivot whose bounds of confidence 0.95 are these.
func normal(lower, upper float64) pivot {
	if math.IsInf(upper-lower, 1) {
		return pivot{stdErr: math.Inf(1), degrees: 1e9}
	}
	return pivot{value: (lower + upper) / 2, stdErr: (upper - lower) / 2 / studentQuantile(1e9, 0.95),
		degrees: 1e9}
}

func TestJudgeReturnsTheFirstVerdictThatApplies(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	// ends is a fit whose envelope has this interval of its exponent at the end, and drifts by
	// this much, without an error.
	ends := func(lower, upper, drift float64) Fit {
		f := Fit{Replicates: 10, Confidence: 0.95, Increments: noEstimate, End: End{
			Exponent: Estimate{Lower: lower, Upper: upper},
			Drift:    Estimate{Value: drift, Lower: drift, Upper: drift},
			LogSlope: 0.1, Positive: true, exponent: normal(lower, upper),
		}}
		f.End.Exponent.Upper = f.End.exponentUpper(0.05)
		return f
	}
	grown := func(f Fit, upper float64) Fit {
		f.Increments = Estimate{Lower: 0, Upper: upper}
		return f
	}
	growing := func(f Fit, lower float64) Fit {
		f.Increments = Estimate{Lower: lower, Upper: 2}
		return f
	}
	resampled := func(f Fit, above int) Fit { // of 100 resamples
		for b := range 100 {
			f.End.slopes = append(f.End.slopes, map[bool]float64{true: 0.7, false: 0.3}[b >= 100-above])
		}
		f.End.Exponent.Upper = f.End.exponentUpper(0.05)
		return f
	}
	negated := func(lower float64, resamples int) Fit {
		return Fit{Replicates: 9, NonPositive: 1, Confidence: 0.95, End: noEnd(),
			Negated: &Fit{Lower: lower, Resamples: resamples}}
	}
	root := Claim{Exponent: 0.5}
	tests := []struct {
		name  string
		claim Claim
		fit   Fit
		want  Verdict
	}{
		{"below", root, ends(0.3, 0.4, 0), AtMost},
		{"around the claim", root, ends(0.45, 0.58, 0), AtMost},
		{"around the claim, wide", root, ends(0.35, 0.65, 0), Undecided},
		{"around the claim, no interval", root, ends(nan, nan, 0), TooLittle},
		{"no bound", root, ends(-inf, inf, 0), Undecided},
		{"just above", root, ends(0.51, 0.53, 0), AtMost},
		{"above by less than the tolerance", root, ends(0.521, 0.59, 0), AtMost},
		{"above", root, ends(0.521, 0.61, 0), Above},
		{"above and rising", root, ends(0.6, 0.7, 0.3), Above},
		{"above and slowing a little", root, ends(0.6, 0.7, -0.02), Above},
		{"above and slowing", root, ends(0.6, 0.7, -0.03), Slowing},
		{"above from zero", root, ends(0.8, 0.9, nan), Slowing},
		{"above and slowing, by increments that do not", root, growing(ends(0.8, 0.9, -0.1), 0.6), Above},
		{"above and slowing, by increments that do", root, growing(ends(0.8, 0.9, -0.1), 0.5), Slowing},
		{"below from zero", root, ends(0.3, 0.4, nan), AtMost},
		{"near and slowing", root, ends(0.53, 0.57, -0.1), AtMost},
		{"falling to below", root, ends(0.3, 0.4, -0.3), AtMost},
		{"rising from below", root, ends(0.3, 0.4, 0.3), Undecided},
		{"rising from below, by increments that do not", root, grown(ends(0.3, 0.4, 0.3), 0.55), AtMost},
		{"rising from below, by increments that do", root, grown(ends(0.3, 0.4, 0.3), 0.7), Undecided},
		{"rising a little", root, ends(0.3, 0.4, 0.04), AtMost},
		{"constant", Claim{}, ends(0, 0, 0), AtMost},
		{"constant, rising in some resamples", root, resampled(ends(0, 0, 0), 10), Undecided},
		{"constant, rising in five resamples", root, resampled(ends(0, 0, 0), 5), Undecided},
		{"constant, rising in few resamples", root, resampled(ends(0, 0, 0), 4), AtMost},
		{"a logarithm more", Claim{Exponent: 0.5, Log: 1}, ends(0.59, 0.65, 0), AtMost},
		{"more than a logarithm", Claim{Exponent: 0.5, Log: 1}, ends(0.63, 0.71, 0), Above},
		{"half a logarithm", Claim{Exponent: 0.5, Log: 0.5}, ends(0.59, 0.65, 0), Above},
		{"log t is O(log t)", Claim{Log: 1}, ends(0.09, 0.11, 0), AtMost},
		{"log t is not O(1)", Claim{}, ends(0.09, 0.11, 0), Above},
		{"no growth shown by one replicate", Claim{}, Fit{Confidence: 0.95, Replicates: 1,
			NeverPositive: true, End: noEnd()}, TooLittle},
		{"zero throughout", Claim{}, Fit{Replicates: 2, NeverPositive: true}, AtMost},
		{"negative for sure", Claim{}, negated(0.9, 1999), AtMost},
		{"negative by chance", Claim{}, negated(-inf, 1999), TooLittle},
		{"negative, too few to tell", Claim{}, negated(0.9, 0), TooLittle},
		{"negative in the mean, not a number", Claim{}, negated(nan, 0), TooLittle},
	}
	for _, test := range tests {
		if got := judged(test.claim, test.fit); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// The p-value and the interval cannot contradict each other.
func TestPValueOfAClaimAgreesWithTheInterval(t *testing.T) {
	ts := checkpoints(100, 10000)
	rng := rand.New(rand.NewPCG(12, 1))
	seen := make(map[Verdict]int)
	for range 40 {
		for _, m := range models[:8] {
			f := mustFit(t, Growth{Resamples: 399}, m.draw(rng, ts, 12))
			e := f.End.Exponent
			for _, exponent := range []float64{e.Lower - 0.01, e.Lower + 0.01, e.Value, e.Upper + 0.01} {
				c := Claim{Exponent: exponent - Beyond}
				p := c.P(f)
				if f.End.Positive && p <= 0.05 != (e.Lower > exponent) {
					t.Fatalf("got p = %v for the claim %v, want p ≤ 0.05 exactly if it is below [%v, %v]", p,
						exponent, e.Lower, e.Upper)
				}
				seen[judged(c, f)]++
			}
		}
	}
	if seen[AtMost] < 100 || seen[Above] < 100 || seen[Undecided] < 100 {
		t.Errorf("the verdicts are %v, want 100 of each", seen)
	}
}

// The bound of any level and any number of resamples, ties among them, is where the p-value of its
// definition passes the level. Without a resample that rejects, there is none.
func TestUpperEndIsWhereThePValuePassesTheLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 6))
	for n := 1; n < 40; n++ {
		e := End{exponent: pivot{value: 0.5, stdErr: 0.1, degrees: 9}}
		for range n {
			e.slopes = append(e.slopes, float64(rng.IntN(20))*0.1)
		}
		slices.Sort(e.slopes)
		p := func(x float64) float64 {
			return max(studentTail(9, (x-0.5)/0.1), float64(1+atLeast(e.slopes, x))/float64(n+1))
		}
		for k := range 2 * n {
			alpha := float64(k+1) / float64(2*n+2)
			bound := e.exponentUpper(alpha)
			if math.IsInf(bound, 1) {
				if p(1e9) <= alpha {
					t.Errorf("of %d resamples at %v there is no bound, want one", n, alpha)
				}
			} else if p(bound-1e-6) <= alpha || p(bound+1e-6) > alpha+1e-12 {
				t.Errorf("%d resamples at %v: got bound %v with p = %v before it and %v behind, want p to "+
					"pass the level", n, alpha, bound, p(bound-1e-6), p(bound+1e-6))
			}
		}
	}
}

// Every decade multiplies y by ten within a tenth of it, and leaves it constant for the rest: y is
// between t/10 and t, and not O(√t). Least squares over one decade give such steps little weight
// where they are at an end of it.
func TestGrowthInPlateausIsNotTakenForASquareRoot(t *testing.T) {
	for _, at := range []float64{0, 0.1, 0.5, 0.9} { // where in a decade the step begins
		var c Curve
		var row []float64
		for k := range 16*4 + 1 {
			decades := float64(k) / 16
			whole, part := math.Modf(decades + 1 - at)
			c.T = append(c.T, math.Round(math.Pow(10, 1+decades)))
			row = append(row, math.Pow(10, whole+min(1, 10*part)))
		}
		for range 10 {
			c.Y = append(c.Y, row)
		}
		f, err := Growth{}.Fit(c)
		if err != nil {
			t.Fatal(err)
		}
		if v := judged(Claim{Exponent: 0.5}, f); v == AtMost {
			t.Errorf("step at %.1f: exponent %.2f, secant %.2f: got verdict %q, want another", at,
				f.End.Exponent.Value, f.End.Secant, v)
		}
	}
}

// TestMeansWithoutASignAreSeldomAbove judges curves Z·t with a little noise against √t, where Z is
// normal with mean 0: every replicate is linear, and the mean is 0. A mean of the replicates that
// happens to be positive shows no growth.
func TestMeansWithoutASignAreSeldomAbove(t *testing.T) {
	const samples, replicates = 300, 8
	rng := rand.New(rand.NewPCG(3, 5))
	g := Growth{Confidence: 0.95, Resamples: 199, Window: Window{From: 20}}
	wrong := 0
	for range samples {
		c := Curve{}
		for k := 0; k < 28; k++ {
			c.T = append(c.T, math.Round(math.Pow(10, 0.4+float64(k)/9)*10)/10)
		}
		for range replicates {
			z, walk := rng.NormFloat64(), 0.0
			row := make([]float64, len(c.T))
			for k, at := range c.T {
				walk += 0.1 * rng.NormFloat64()
				row[k] = z * at * (1 + 0.3*walk)
			}
			c.Y = append(c.Y, row)
		}
		f, err := g.Fit(c)
		if err != nil {
			t.Fatal(err)
		}
		verdict, _ := Claim{Exponent: 0.5}.Judge(f)
		if verdict == Above || verdict == Slowing {
			wrong++
			if p := (Claim{Exponent: 0.5}).P(f); p > 0.05 {
				t.Errorf("%s: got p = %v, want at most 0.05", verdict, p)
			}
		}
	}
	t.Logf("%d of %d samples are above √t", wrong, samples)
	if limit := 0.05*samples + 4*math.Sqrt(0.05*0.95*samples); float64(wrong) > limit {
		t.Errorf("%d of %d samples are above √t, want at most %.0f", wrong, samples, limit)
	}
}
