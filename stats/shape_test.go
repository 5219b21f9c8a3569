package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// along returns replicates of mean(t) times the exponential of a walk in log t
// of this size, all of its levels alike.
func along(t []float64, mean func(t float64) float64, noise float64, replicates int) Curve {
	rng := rand.New(rand.NewPCG(21, uint64(replicates)))
	c := Curve{T: t}
	for range replicates {
		y := make([]float64, len(t))
		walk(rng, logs(t), y)
		for k := range y {
			y[k] = mean(t[k]) * math.Exp(noise*y[k])
		}
		c.Y = append(c.Y, y)
	}
	return c
}

// Increments has p whatever the offset, at evenly spaced checkpoints exactly.
func TestIncrementsHaveTheExponentWhateverTheOffset(t *testing.T) {
	var ts []float64
	for k := range 33 {
		ts = append(ts, 100*math.Pow(10, float64(k)/16))
	}
	for _, p := range []float64{0.05, 0.25, 0.5, 1, 2} {
		for _, offset := range []float64{-1, 0, 100} {
			f := mustFit(t, Growth{}, along(ts, func(t float64) float64 { return offset + math.Pow(t, p) },
				0, 2))
			if !near(f.Increments.Value, p, 1e-9) || f.Increments.Lower != f.Increments.Value {
				t.Errorf("%v + t^%v: increments %v, want the power", offset, p, f.Increments)
			}
		}
	}
	if f := mustFit(t, Growth{}, along(ts, func(t float64) float64 { return 2*math.Log(t) - 5 }, 0,
		2)); !near(f.Increments.Value, 0, 1e-12) {
		t.Errorf("2 log t - 5: increments %v, want 0", f.Increments)
	}
	// The mean falls, or is flat over a half of the window, where rounding alone is left.
	none := func(name string, mean func(t float64) float64) {
		t.Helper()
		if f := mustFit(t, Growth{}, along(ts, mean, 0, 2)); !math.IsNaN(f.Increments.Value) ||
			!math.IsNaN(f.Increments.Lower) {
			t.Errorf("%s: increments %v, want none", name, f.Increments)
		}
	}
	none("1/t", func(t float64) float64 { return 1 / t })
	for k := range 20 {
		level := 0.1 + 0.3*float64(k)
		none("flat", func(float64) float64 { return level })
		none("flat late", func(t float64) float64 { return level + math.Sqrt(min(t, 300)) })
		none("flat early", func(t float64) float64 { return level + math.Sqrt(max(t, 5000)) })
	}
}

// Where the window is the surroundings of a checkpoint, Slopes has the exponent and
// the standard error of Fit, and the interval of Student.
func TestLocalSlopesAreThoseOfFits(t *testing.T) {
	ts := checkpoints(1, 10000)
	c := models[1].draw(rand.New(rand.NewPCG(3, 1)), ts, 12)
	g := Growth{Resamples: 199, Confidence: 0.9}
	b, err := g.Slopes(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.T) < 35 || b.T[0] != 2 || b.T[len(b.T)-1] != 4870 || b.Confidence != 0.9 {
		t.Errorf("got %d slopes from %v to %v at %v, want at least 35 from 2 to 4870 at 0.9", len(b.T),
			b.T[0], b.T[len(b.T)-1], b.Confidence)
	}
	for _, at := range []float64{100, 1000} {
		k := slices.Index(b.T, at)
		g.Window = Window{at / 1.8, at * 1.8}
		f := mustFit(t, g, c)
		half := studentQuantile(11, 0.95) * f.StdErr
		if f.Points != 9 || b.Mean[k] != f.Exponent || b.Lower[k] != f.Exponent-half ||
			b.Upper[k] != f.Exponent+half || b.StdErr[k] != f.StdErr {
			t.Errorf("at %v: got %v [%v, %v], want that of Fit on %d points, %v ± %v", at, b.Mean[k],
				b.Lower[k], b.Upper[k], f.Points, f.Exponent, half)
		}
	}
	// The surroundings of a checkpoint are within the curve.
	b, err = g.Slopes(along(checkpoints(100, 10000), func(t float64) float64 { return t }, 0, 1))
	if err != nil || b.T[0] < 180 || b.T[0] > 220 {
		t.Errorf("slopes from %v on (%v), want from 1.8·100 on", b.T[0], err)
	}
	// A local slope of a parabola is its tangent.
	b, err = Growth{}.Slopes(along(ts, func(t float64) float64 {
		return math.Exp(0.1 * math.Log(t) * math.Log(t))
	}, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	for k, at := range b.T {
		if want := 0.2 * math.Log(at); at > 50 && !near(b.Mean[k], want, 0.003) ||
			!math.IsNaN(b.Lower[k]) {
			t.Errorf("at %v: %v, want %v and no interval", at, b.Mean[k], want)
		}
	}
	// Far apart: a checkpoint and its neighbours. No slope where a mean is ≤ 0.
	b, err = Growth{}.Slopes(Curve{T: []float64{1, 10, 100, 1000},
		Y: [][]float64{{-1, 1, 10, 100}, {0, 1, 10, 100}}})
	if err != nil || len(b.T) != 2 || !math.IsNaN(b.Mean[0]) || !near(b.Mean[1], 1, 1e-12) {
		t.Errorf("got %+v, error %v, want two slopes, NaN and 1", b, err)
	}
	if _, err := (Growth{Confidence: 2}).Slopes(c); err == nil {
		t.Error("confidence 2 is taken, want an error")
	}
	if _, err := (Growth{}).Slopes(Curve{}); err == nil {
		t.Error("an empty curve has slopes, want an error")
	}
}

// The slope of log log t over the checkpoints is that by sums, and is not defined from t = 1 on,
// where log t is 0.
func TestSlopeOfALogarithmBySums(t *testing.T) {
	ts := checkpoints(100, 10000)
	if got, want := newLine(ts).logSlope(), (planted{mean: math.Log}).slope(ts); !near(got, want, 1e-12) {
		t.Errorf("from t = 100 the slope is %v, want %v", got, want)
	}
	if got := newLine(checkpoints(1, 100)).logSlope(); !math.IsNaN(got) {
		t.Errorf("from t = 1 the slope is %v, want NaN", got)
	}
}
