package stats

import (
	"fmt"
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

// Means of every kind have their shape, exact and with noise.
func TestMeansHaveTheirShape(t *testing.T) {
	ts := checkpoints(1, 10000)
	for _, test := range []struct {
		name string
		mean func(t float64) float64
		want Shape
	}{
		{"√t", math.Sqrt, Power},
		{"√t log t", func(t float64) float64 { return math.Sqrt(t) * math.Log(1+t) }, Power},
		{"2√t - 1.46", func(t float64) float64 { return 2*math.Sqrt(t) - 1.46 }, Power},
		{"log t", func(t float64) float64 { return math.Log(t) + 0.577 }, Logarithmic},
		{"3 log t - 10", func(t float64) float64 { return 3*math.Log(t) - 10 }, Logarithmic},
		{"100 + √t", func(t float64) float64 { return 100 + math.Sqrt(t) }, OffsetPower},
		{"20 + √t", func(t float64) float64 { return 20 + math.Sqrt(t) }, OffsetPower},
		{"√t - 9", func(t float64) float64 { return math.Sqrt(t) - 9 }, OffsetPower},
		{"log² t", func(t float64) float64 { return math.Log(t) * math.Log(t) }, OffsetPower},
		{"to a level, exponentially", func(t float64) float64 { return 100 * (1 - math.Exp(-t/500)) },
			Transient},
		{"to a level, by 1/√t", func(t float64) float64 { return 100 * (1 - 5/math.Sqrt(t)) }, Transient},
		{"√t, then t", func(t float64) float64 { return max(math.Sqrt(t), t/math.Sqrt(1000)) },
			Transient},
		{"√t, then much more", func(t float64) float64 { return math.Sqrt(t) + max(0, t-1000) },
			Transient},
		{"down, then up", func(t float64) float64 { return 1e6/t + t }, Transient},
		{"up, then down", func(t float64) float64 { return t / (1 + t*t/1e6) }, Bounded},
		{"down to a floor", func(t float64) float64 { return 1 + 1000/t }, Bounded},
		{"a level", func(t float64) float64 { return 7 }, Bounded},
	} {
		for _, noise := range []float64{0, 0.05} {
			if f := mustFit(t, Growth{}, along(ts, test.mean, noise, 30)); f.Shape != test.want {
				t.Errorf("%s, noise %v: want %s, got %s", test.name, noise, test.want, bits(f))
			}
		}
	}
}

// The shapes of growth are told apart by bounds and not by estimates. The mean below
// grows like t^0.2, drifts, and has increments like those of a + b·t^p: whether it is
// an offset plus a power depends on the lower bound of p, and whether it is a
// logarithm on both bounds.
func TestShapesGoByBounds(t *testing.T) {
	const tolerance = 0.05
	estimate := func(lower, value, upper float64) Estimate {
		return Estimate{Value: value, Lower: lower, Upper: upper}
	}
	straight := estimate(-0.2, 0, 0.2)
	for _, c := range []struct {
		what                    string
		drift, increments, bend Estimate
		want                    Shape
	}{
		{"p is proven positive", estimate(0.1, 0.2, 0.3), estimate(0.06, 0.5, 1), straight, OffsetPower},
		{"p is estimated positive", estimate(0.1, 0.2, 0.3), estimate(0.04, 0.5, 1), straight, Transient},
		{"p is estimated positive, and the drift is small", estimate(0.01, 0.03, 0.04),
			estimate(0.04, 0.5, 1), straight, Power},
		{"p is 0 up to the tolerance", estimate(0.1, 0.2, 0.3), estimate(-0.1, 0.01, 0.04), straight,
			Logarithmic},
		{"p may be below the exponent of the mean on the other side", estimate(0.1, 0.2, 0.3),
			estimate(-0.25, 0.01, 0.04), straight, Transient},
		{"p is the exponent of the mean", estimate(0.1, 0.2, 0.3), estimate(0.06, 0.22, 0.4), straight,
			Power},
		{"the increments bend", estimate(0.1, 0.2, 0.3), estimate(0.06, 0.5, 1), estimate(0.06, 0.1, 0.2),
			Transient},
		{"the mean may not drift", estimate(-0.1, 0.2, 0.3), estimate(0.06, 0.5, 1), straight, Power},
	} {
		f := Fit{Exponent: 0.2, Lower: 0.15, Upper: 0.25, Drift: c.drift, Increments: c.increments}
		wavers := false
		of := shape{0.3, func() Estimate { return c.bend }, func() bool { return wavers }}
		if got := f.shape(of, tolerance); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
		wavers = true
		if got := f.shape(of, tolerance); got != Transient {
			t.Errorf("%s, and it wavers: %s", c.what, got)
		}
	}
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
				t.Errorf("%v + t^%v: increments %v", offset, p, f.Increments)
			}
		}
	}
	if f := mustFit(t, Growth{}, along(ts, func(t float64) float64 { return 2*math.Log(t) - 5 }, 0,
		2)); !near(f.Increments.Value, 0, 1e-12) {
		t.Errorf("2 log t - 5: increments %v", f.Increments)
	}
	// Unevenly spaced in log t, nearly.
	ts = nil
	for k := range 100 {
		ts = append(ts, float64(100*(k+1)))
	}
	for _, p := range []float64{0.05, 0.25, 0.5, 1} {
		f := mustFit(t, Growth{}, along(ts, func(t float64) float64 { return 30 + math.Pow(t, p) }, 0, 2))
		if !near(f.Increments.Value, p, 0.03) {
			t.Errorf("t^%v evenly spaced in t: increments %v", p, f.Increments)
		}
	}
	// The mean falls, or is flat over a half of the window, where rounding alone is left.
	none := func(name string, mean func(t float64) float64) {
		t.Helper()
		if f := mustFit(t, Growth{}, along(ts, mean, 0, 2)); !math.IsNaN(f.Increments.Value) ||
			!math.IsNaN(f.Increments.Lower) {
			t.Errorf("%s: increments %v", name, f.Increments)
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

// Drift and the slope of log t against sums that owe nothing to the package.
func TestDrift(t *testing.T) {
	ts := checkpoints(100, 10000)
	for _, mean := range []func(t float64) float64{
		math.Sqrt, math.Log,
		func(t float64) float64 { x := math.Log10(t); return math.Pow(10, 0.3*x+0.05*x*x) },
	} {
		m := planted{mean: mean}
		f := mustFit(t, Growth{}, along(ts, mean, 0, 2))
		if want := m.slope(ts[16:]) - m.slope(ts[:17]); !near(f.Drift.Value, want, 1e-12) {
			t.Errorf("drift %v, want %v", f.Drift, want)
		}
		if want := (planted{mean: math.Log}).slope(ts); !near(newLine(ts).logSlope(), want,
			1e-12) {
			t.Errorf("slope of log t %v, want %v", newLine(ts).logSlope(), want)
		}
	}
	if got := newLine(checkpoints(1, 100)).logSlope(); !math.IsNaN(got) {
		t.Errorf("slope of log t from t = 1 is %v", got)
	}
}

// The parts of a window hold all checkpoints, and share those at the borders.
func TestParts(t *testing.T) {
	for _, test := range []struct {
		t    []float64
		n    int
		want string
	}{
		{[]float64{1, 10, 100}, 2, "[[0 1] [1 2]]"},
		{[]float64{1000, 3162, 10000}, 2, "[[0 1] [1 2]]"},
		{[]float64{1, 10, 100, 1000}, 3, "[[0 1] [1 2] [2 3]]"},
		{[]float64{1, 10, 100, 1000, 10000}, 2, "[[0 1 2] [2 3 4]]"},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 2,
			"[[0 1 2 3] [3 4 5 6 7 8 9 10 11 12 13 14 15]]"},
		{[]float64{1, 100, 101, 102}, 3, "[[0 1] [1 2] [2 3]]"},
		{[]float64{1, 2, 3, 100}, 3, "[[0 1] [1 2] [2 3]]"},
	} {
		var got [][]int
		for _, part := range newLine(test.t).parts(test.n) {
			var held []int
			first := slices.IndexFunc(part, func(w float64) bool { return w != 0 })
			for k := first; k < len(part); k++ {
				if part[k] != 0 || k+1 < len(part) &&
					slices.ContainsFunc(part[k+1:], func(w float64) bool { return w != 0 }) {
					held = append(held, k)
				}
			}
			got = append(got, held)
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%v in %d: %v, want %s", test.t, test.n, got, test.want)
		}
	}
}

// Where the window is the surroundings of a checkpoint, Slopes has the exponent and
// the standard error of Fit, and the interval of Student.
func TestSlopes(t *testing.T) {
	ts := checkpoints(1, 10000)
	c := models[1].draw(rand.New(rand.NewPCG(3, 1)), ts, 12)
	g := Growth{Resamples: 199, Confidence: 0.9}
	b, err := g.Slopes(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.T) < 35 || b.T[0] != 2 || b.T[len(b.T)-1] != 4870 || b.Confidence != 0.9 {
		t.Errorf("%d slopes from %v to %v at %v", len(b.T), b.T[0], b.T[len(b.T)-1], b.Confidence)
	}
	for _, at := range []float64{100, 1000} {
		k := slices.Index(b.T, at)
		g.Window = Window{at / 1.8, at * 1.8}
		f := mustFit(t, g, c)
		half := studentQuantile(11, 0.95) * f.StdErr
		if f.Points != 9 || b.Mean[k] != f.Exponent || b.Lower[k] != f.Exponent-half ||
			b.Upper[k] != f.Exponent+half || b.StdErr[k] != f.StdErr {
			t.Errorf("at %v: %v [%v, %v], Fit on %d points has %v ± %v", at, b.Mean[k], b.Lower[k],
				b.Upper[k], f.Points, f.Exponent, half)
		}
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
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := (Growth{Confidence: 2}).Slopes(c); err == nil {
		t.Error("confidence 2 is taken")
	}
	if _, err := (Growth{}).Slopes(Curve{}); err == nil {
		t.Error("an empty curve has slopes")
	}
}

func TestCarriers(t *testing.T) {
	ts := checkpoints(1, 10000)
	c := along(ts, math.Sqrt, 0, 20)
	for _, carriers := range []int{0, 1, 2, 3, 4, 6} {
		for r := range carriers {
			for k := range ts {
				c.Y[r][k] = 25 * math.Sqrt(ts[k]) / float64(carriers)
			}
		}
		f, warned := mustFit(t, Growth{}, c), carriers > 0 && carriers <= 4
		if warns(f, fmt.Sprintf("%d of 20 replicates are half of the mean at t = 10000",
			carriers)) != warned || warns(f, "are half of the mean") != warned {
			t.Errorf("%d carriers: %v", carriers, f.Warnings)
		}
	}
}

// Contrasts that are resampled together have the same samples, and the same bits, as
// each of them alone.
func TestContrastsResampledTogetherHaveTheSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, replicates := range []int{5, 30} {
		for _, m := range models {
			c := m.draw(rng, checkpoints(100, 10000), replicates)
			first, exponent := contrastOf(c)
			if math.IsNaN(exponent) {
				continue
			}
			both := bundle{first, {newLine(c.T).drift(), first.ratios}}
			delta, stdErr := resample(both, 199, rand.NewPCG(1, 2))
			for i := range both {
				alone, spread := resample(both[i:i+1], 199, rand.NewPCG(1, 2))
				if !alike(delta[i], alone[0]) || !alike(stdErr[i], spread[0]) {
					t.Errorf("%s, %d replicates: contrast %d of two is not what it is alone", m.name, replicates,
						i)
				}
			}
		}
	}
}

// alike reports whether two lists have the same bits, or NaN in both.
func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	})
}

// Replicates that jump once, each at a time of its own, are warned of; those that jump together,
// or walk, are not.
func TestWarningOfJumps(t *testing.T) {
	ts := checkpoints(100, 10000)
	rng := rand.New(rand.NewPCG(3, 17))
	jumps := func(at func() float64) (c Curve) {
		c.T = ts
		for range 20 {
			y, when := make([]float64, len(ts)), at()
			for k := range y {
				if y[k] = 1; ts[k] >= when {
					y[k] = 10
				}
			}
			c.Y = append(c.Y, y)
		}
		return c
	}
	const warning = "jumps at random times"
	random := func() float64 { return 100 * math.Pow(100, rng.Float64()) }
	if f := mustFit(t, Growth{}, jumps(random)); !warns(f, warning) {
		t.Errorf("no warning of jumps: %v", f.Warnings)
	}
	if f := mustFit(t, Growth{}, jumps(func() float64 { return 1000 })); warns(f, warning) {
		t.Errorf("a kink that all have is a jump at random: %v", f.Warnings)
	}
	for _, m := range models[:8] {
		if f := mustFit(t, Growth{}, m.draw(rng, ts, 20)); warns(f, warning) {
			t.Errorf("%s: %v", m.name, f.Warnings)
		}
	}
	n := 0
	some := func() float64 { // two of five at once: more than a quarter of the way of the mean
		if n++; n%5 < 2 {
			return 1000
		}
		return random()
	}
	if f := mustFit(t, Growth{}, jumps(some)); warns(f, warning) {
		t.Errorf("a kink that many have is a jump at random: %v", f.Warnings)
	}
}
