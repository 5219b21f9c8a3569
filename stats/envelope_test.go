package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Two replicates with the means 1, 4, 2, 2, 8 at t = 1, 10, 100, 1000, 10⁴ have the envelope
// 1, 4, 4, 4, 8. With five checkpoints both parts have three. By least squares over three
// points, a decade apart, the slope is half the difference of the ends: the exponent is
// log₁₀(8/4)/2, that before log₁₀(4/1)/2, and their centres are two decades apart. Of the last
// value a quarter is the share of the second replicate.
func TestEndByHand(t *testing.T) {
	c := Curve{T: []float64{1, 10, 100, 1000, 10000},
		Y: [][]float64{{1, 6, 3, 1, 12}, {1, 2, 1, 3, 4}}}
	f := mustFit(t, Growth{Decades: 4}, c)
	e := f.End
	last, before := math.Log10(2)/2, math.Log10(4)/2
	drift := (last - before) / 2
	// (log y₁)' of the replicates' shares at the ends: 12/8 and 6/4 of the first, 4/8 and 2/4 of
	// the second, so that they cancel.
	for what, v := range map[string][2]float64{
		"from": {e.From, 100}, "exponent": {e.Exponent.Value, last}, "error": {e.Exponent.StdErr, 0},
		"drift": {e.Drift.Value, drift},
		// O(√t): the largest of 1/1, 4/√10, 4/10, 4/√1000, 8/100
		"factor": {Claim{Exponent: 0.5}.Factor(f), 4 / math.Sqrt(10)},
	} {
		t.Run(what, func(t *testing.T) {
			if !near(v[0], v[1], 1e-12) {
				t.Errorf("%s %v, want %v", what, v[0], v[1])
			}
		})
	}
	if !e.Positive || !slices.Equal(e.envelope, []float64{1, 4, 4, 4, 8}) {
		t.Errorf("the envelope is %v, positive: %v, want 1, 4, 4, 4, 8", e.envelope, e.Positive)
	}
	// The second replicate has the shares ¾ at the end, and ½ where the maximum of the mean is.
	c.Y = [][]float64{{1, 6, 3, 1, 4}, {1, 2, 1, 3, 12}}
	// Its influence on the exponent is (12/8 − 2/4)/(2 log 10), that of the other is the negative.
	u := 1 / (2 * math.Ln10)
	if e = mustFit(t, Growth{Decades: 4}, c).End; !near(e.Exponent.StdErr, u, 1e-12) {
		t.Errorf("the error is %v, want %v", e.Exponent.StdErr, u)
	}
}

// What the mean was before the window counts: an old maximum makes the envelope flat.
func TestEndKnowsThePast(t *testing.T) {
	ts := checkpoints(1, 10000)
	c := power(ts, 1, 0.75, 6)
	if f := mustFit(t, Growth{}, c); !near(f.End.Exponent.Value, 0.75, 1e-9) ||
		judged(Claim{Exponent: 0.5}, f) != Above {
		t.Errorf("t^¾ ends with %v, want 0.75, above √t", f.End.Exponent)
	}
	for _, y := range c.Y {
		y[3] = 5000
	}
	f := mustFit(t, Growth{}, c)
	if f.End.Exponent != (Estimate{}) || judged(Claim{}, f) != AtMost {
		t.Errorf("t^¾ below an old maximum ends with %v, want 0", f.End.Exponent)
	}
	// Of few replicates that differ, a flat envelope of the mean shows nothing.
	few := power(ts, 1, 0.75, 3)
	for r, y := range few.Y {
		for k := range y {
			y[k] *= float64(2*r - 3) // −3, −1, 1
		}
		y[3] += 100
	}
	if got := mustFit(t, Growth{}, few); got.End.Exponent.Value != 0 ||
		judged(Claim{}, got) != Undecided {
		t.Errorf("three replicates that diverge: got %v, %s, want no exponent and Undecided",
			got.End.Exponent, judged(Claim{}, got))
	}
	// At t > 1 in the window, the factor of O(√t) is that at its first checkpoint.
	if got := (Claim{Exponent: 0.5}).Factor(f); !near(got, 500, 1e-9) {
		t.Errorf("5000 is below %v·√t from t = 100 on, want 500", got)
	}
	// A mean that has just become positive has no envelope to judge.
	for _, y := range c.Y {
		for k := range y {
			y[k] = ts[k] - 3000
		}
	}
	if f := mustFit(t, Growth{}, c); f.End.Positive || !math.IsNaN(f.End.Exponent.Value) ||
		judged(Claim{Exponent: 0.5}, f) != TooLittle {
		t.Errorf("t − 3000 ends with %+v, want too little evidence", f.End)
	}
}

// The number in every resample is that of a plain implementation.
func TestResampledEnvelopeIsThatOfItsRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 31))
	ts := checkpoints(10, 10000)
	plain := func(rows [][]float64, from int, weights []float64) float64 {
		slope, most := 0.0, 0.0
		for k := range ts {
			mean := 0.0
			for _, y := range rows {
				mean += y[k] / float64(len(rows))
			}
			if most = max(most, mean); k >= from && weights[k-from] != 0 {
				slope += weights[k-from] * math.Log(most)
			}
		}
		return slope
	}
	compared := 0
	for range 200 {
		c := models[rng.IntN(8)].draw(rng, ts, 6)
		v := envelope{rows: c.Y, first: len(ts) - 25}
		l := newLine(ts[v.first:])
		parts := l.parts(2)
		v.exponentWeights, v.driftWeights = parts[1], parts[0]
		v.border = v.first + slices.IndexFunc(v.exponentWeights, func(w float64) bool { return w != 0 })
		counts, rows := make([]int, 6), [][]float64{}
		for range 6 {
			r := rng.IntN(6)
			counts[r]++
			rows = append(rows, c.Y[r])
		}
		delta, stdErr := make([]float64, numStatistics), make([]float64, numStatistics)
		var whole envelopeSample
		v.evaluate(&whole, columnMeans(c.Y), nil)
		v.changesFrom(whole)(counts, delta, stdErr)
		want := plain(rows, v.first, v.exponentWeights) - plain(c.Y, v.first, v.exponentWeights)
		if got := delta[0]; !near(got, want, 1e-9) && !math.IsNaN(want) && !math.IsInf(want, 0) {
			t.Errorf("in a resample the exponent changes by %v, want %v", got, want)
		} else if near(got, want, 1e-9) {
			compared++
		}
	}
	if compared < 150 {
		t.Errorf("%d of 200 resamples were compared, want 150", compared)
	}
}

// √t log t, whose exponent is ½ + 1/log t and whose increments grow as fast, is above √t until
// 1/log t is below the tolerance of a tenth. It keeps a claim that has the logarithm at any
// horizon.
func TestSqrtTimesLogarithmKeepsItsOwnClaim(t *testing.T) {
	for T, want := range map[float64]Verdict{1e3: Above, 1e4: Above, 1e5: AtMost, 1e6: AtMost,
		1e9: AtMost} {
		c := Curve{T: checkpoints(T/1000, T), Y: make([][]float64, 2)}
		for _, at := range c.T {
			for r := range c.Y {
				c.Y[r] = append(c.Y[r], math.Sqrt(at)*math.Log(at))
			}
		}
		f := mustFit(t, Growth{}, c)
		if got := judged(Claim{Exponent: 0.5}, f); got != want {
			t.Errorf("to %v, √t log t is %s √t, want %s", T, got, want)
		}
		if got := judged(Claim{Exponent: 0.5, Log: 1}, f); got != AtMost {
			t.Errorf("to %v, √t log t is %s √t log t, want at most", T, got)
		}
		if got := (Claim{Exponent: 0.5, Log: 1}).Factor(f); !near(got, 1, 1e-9) {
			t.Errorf("to %v, √t log t is %v of √t log t, want 1", T, got)
		}
	}
}

// One replicate of several that is positive is no evidence of growth: its factor is that of the
// mean, and whether another would be positive is not known. Replicates that differ by factors
// have one exponent for certain.
func TestOnePositiveReplicateOfSeveralIsNoEvidence(t *testing.T) {
	ts := checkpoints(1, 10000)
	for _, n := range []int{2, 6, 30} {
		c := power(ts, 1, 0.83, n)
		for r, y := range c.Y {
			for k := range y {
				y[k] *= float64(1 + r)
			}
		}
		f := mustFit(t, Growth{}, c)
		if judged(Claim{Exponent: 0.5}, f) != Above {
			t.Errorf("%d replicates of t^0.83: got %v, %v, want %v", n, judged(Claim{Exponent: 0.5}, f),
				f.End.Exponent, Above)
		}
		for _, y := range c.Y[1:] {
			clear(y)
		}
		f = mustFit(t, Growth{}, c)
		if got := judged(Claim{Exponent: 0.5}, f); got != TooLittle || !math.IsNaN(f.End.Exponent.Lower) {
			t.Errorf("t^0.83 in one of %d replicates, 0 in the others: got %v, %v, want %v", n, got,
				f.End.Exponent, TooLittle)
		}
		// As the claim is of a larger exponent, it is not shown to be kept either.
		if got := judged(Claim{Exponent: 1}, f); got != TooLittle {
			t.Errorf("t^0.83 in one of %d replicates beside t: got %v, want %v", n, got, TooLittle)
		}
	}
}

// The envelope is flat where replicates are 0, or violate in the first rounds and grow by rounding
// errors later: the exponent is that of no replicate.
func TestRoundingErrorsAreNoGrowth(t *testing.T) {
	c := power(checkpoints(1, 10000), 0.05, 0, 10)
	for r, y := range c.Y {
		for k := range y {
			y[k] = float64(r%2) * (y[k] + float64(r)*1e-18*c.T[k])
		}
	}
	f := mustFit(t, Growth{}, c)
	if got := judged(Claim{Exponent: 0.5}, f); got != AtMost || !(f.End.Exponent.Value > 0) {
		t.Errorf("a level with rounding errors is %v, %v, want at most √t", got, f.End.Exponent)
	}
}
