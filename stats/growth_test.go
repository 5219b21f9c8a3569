package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func mustFit(t testing.TB, g Growth, c Curve) Fit {
	t.Helper()
	f, err := g.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// bits writes every field out, floats in shortest round-trip form.
func bits(f Fit) string {
	negated := ""
	if f.Negated != nil {
		negated, f.Negated = bits(*f.Negated), nil
	}
	f.End.exponent, f.End.slopes = pivot{}, nil
	return fmt.Sprintf("%+v %s", f, negated)
}

func warns(f Fit, about string) bool {
	return slices.ContainsFunc(f.Warnings,
		func(err error) bool { return strings.Contains(err.Error(), about) })
}

func TestExactPower(t *testing.T) {
	ts := checkpoints(1, 10000)
	for _, p := range []float64{-0.5, 0, 0.25, 0.5, 2.0 / 3, 0.75, 1} {
		for _, scale := range []float64{1e-200, 1e-3, 1, 7e8, 1e200} {
			f := mustFit(t, Growth{}, power(ts, scale, p, 4))
			if !near(f.Exponent, p, 1e-12) || !near(f.Lower, p, 1e-12) || !near(f.Upper, p, 1e-12) {
				t.Errorf("%g·t^%v: exponent %v in [%v, %v]", scale, p, f.Exponent, f.Lower, f.Upper)
			}
			if f.Residual > 1e-12 || math.Abs(f.Drift.Value) > 1e-12 {
				t.Errorf("%g·t^%v: residual %v, drift %v", scale, p, f.Residual, f.Drift)
			}
			if at := f.At(1000) / (scale * math.Pow(1000, p)); !near(at, 1, 1e-11) {
				t.Errorf("%g·t^%v: At(1000) is %v of the truth", scale, p, at)
			}
			want := Power
			if p <= 0 {
				want = Bounded
			}
			if f.Shape != want || !warns(f, "alike") {
				t.Errorf("%g·t^%v: shape %s, warnings %v; want %s and one of no width", scale, p, f.Shape,
					f.Warnings, want)
			}
		}
	}
}

// Replicates whose levels differ by 10⁴ but whose shape is one have one
// exponent, and rounding must not look like spread.
func TestLevelsAreNotSpread(t *testing.T) {
	ts := checkpoints(1, 10000)
	c := power(ts, 1, 0.5, 10)
	for r, y := range c.Y {
		for k := range y {
			y[k] *= math.Pow(10, float64(r)/2.3)
		}
	}
	if f := mustFit(t, Growth{}, c); !near(f.Lower, 0.5, 1e-12) || !near(f.Upper, 0.5, 1e-12) {
		t.Errorf("[%v, %v], want [0.5, 0.5]", f.Lower, f.Upper)
	}
}

func TestReplicateOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ts := checkpoints(1, 10000)
	for _, m := range models {
		c := m.draw(rng, ts, 15)
		want, err := c.Band(0.9)
		if err != nil {
			t.Fatal(err)
		}
		fit := bits(mustFit(t, Growth{Resamples: 199}, c))
		for range 5 {
			rng.Shuffle(len(c.Y), func(i, j int) { c.Y[i], c.Y[j] = c.Y[j], c.Y[i] })
			if got := bits(mustFit(t, Growth{Resamples: 199}, c)); got != fit {
				t.Errorf("%s: the order of replicates changes\n%s\nto\n%s", m.name, fit, got)
			}
			if got, _ := c.Band(0.9); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: the order of replicates changes the band", m.name)
			}
		}
	}
}

// y → c·y changes nothing but the intercept and the bootstrap's seed.
func TestScale(t *testing.T) {
	ts := checkpoints(1, 10000)
	c := models[4].draw(rand.New(rand.NewPCG(1, 2)), ts, 30)
	one := mustFit(t, Growth{}, c)
	for _, scale := range []float64{1e-9, 0.3, 1e12} {
		for _, y := range c.Y {
			for k := range y {
				y[k] *= scale
			}
		}
		f := mustFit(t, Growth{}, c)
		if !near(f.Exponent, one.Exponent, 1e-12) || !near(f.StdErr, one.StdErr, 1e-12) ||
			!near(f.Drift.Value, one.Drift.Value, 1e-12) {
			t.Errorf("scale %v: exponent %v ± %v, was %v ± %v", scale, f.Exponent, f.StdErr, one.Exponent,
				one.StdErr)
		}
		if !near(f.Lower, one.Lower, 0.2*one.StdErr) || !near(f.Upper, one.Upper, 0.2*one.StdErr) {
			t.Errorf("scale %v: [%v, %v], was [%v, %v]", scale, f.Lower, f.Upper, one.Lower, one.Upper)
		}
	}
}

// The standard error against its dumb twin, the leave-one-out jackknife.
func TestStdErrAgainstJackknife(t *testing.T) {
	ts := checkpoints(100, 10000)
	for _, m := range models[:8] {
		c := m.draw(rand.New(rand.NewPCG(5, 5)), ts, 200)
		f := mustFit(t, Growth{Resamples: 39}, c)
		var sum, squares float64
		for r := range c.Y {
			_, p := contrastOf(Curve{ts, slices.Delete(slices.Clone(c.Y), r, r+1)})
			sum += p
			squares += (p - f.Exponent) * (p - f.Exponent)
		}
		n := float64(len(c.Y))
		jackknife := math.Sqrt((n - 1) / n * (squares - (sum-n*f.Exponent)*(sum-n*f.Exponent)/n))
		if !near(f.StdErr/jackknife, 1, 0.05) {
			t.Errorf("%s: standard error %v, by the jackknife %v", m.name, f.StdErr, jackknife)
		}
	}
}

func TestWindow(t *testing.T) {
	ts := checkpoints(1, 10000)
	c := power(ts, 1, 1, 2) // 1 up to 100, then t/100
	for _, y := range c.Y {
		for k := range y {
			y[k] = max(1, ts[k]/100)
		}
	}
	tests := []struct {
		growth Growth
		window Window
		points int
		p      float64
	}{
		{Growth{}, Window{100, 10000}, 33, 1},
		{Growth{Decades: 1}, Window{1000, 10000}, 17, 1},
		{Growth{Window: Window{To: 100}}, Window{1, 100}, 25, 0},
		{Growth{Window: Window{To: 100}, Decades: 1}, Window{10, 100}, 17, 0},
		{Growth{Window: Window{From: 500}}, Window{562, 10000}, 21, 1},
		{Growth{Window: Window{From: 200, To: 2000}}, Window{205, 1778}, 16, 1},
		{Growth{Window: Window{From: 9000, To: 9500}}, Window{}, 0, math.NaN()},
		{Growth{Window: Window{From: 8000}}, Window{8660, 10000}, 2, math.NaN()},
	}
	for _, test := range tests {
		f := mustFit(t, test.growth, c)
		if f.Window != test.window || f.Points != test.points {
			t.Errorf("%+v: %d points in %v, want %d in %v", test.growth, f.Points, f.Window, test.points,
				test.window)
		}
		if math.IsNaN(test.p) {
			if !math.IsNaN(f.Exponent) || f.Shape != Undetermined || !warns(f, "points in the window") {
				t.Errorf("%+v: %v, %s, %v", test.growth, f.Exponent, f.Shape, f.Warnings)
			}
		} else if !near(f.Exponent, test.p, 1e-12) {
			t.Errorf("%+v: exponent %v, want %v", test.growth, f.Exponent, test.p)
		}
	}
	// Nothing outside the window matters, not even its sign, but for the envelope.
	line := func() string {
		f := mustFit(t, Growth{}, c)
		f.End = End{}
		return bits(f)
	}
	before := line()
	for _, y := range c.Y {
		y[0], y[5] = -7, 1e9
	}
	if after := line(); after != before {
		t.Errorf("points before the window change the fit\n%s\nto\n%s", before, after)
	}
}

func TestOneReplicate(t *testing.T) {
	f := mustFit(t, Growth{}, power(checkpoints(1, 1000), 2, 0.5, 1))
	if !near(f.Exponent, 0.5, 1e-12) || !math.IsNaN(f.Lower) || !math.IsNaN(f.Upper) ||
		f.Shape != Undetermined || !warns(f, "one replicate") {
		t.Errorf("%s", bits(f))
	}
	for _, claim := range []float64{-10, 0.5, 10} {
		if o := judged(Claim{Exponent: claim}, f); o != TooLittle {
			t.Errorf("claim %v is %s by one replicate", claim, o)
		}
	}
}

// With few replicates: Student's interval and no bootstrap. It is wide.
func TestFewReplicates(t *testing.T) {
	ts := checkpoints(1, 10000)
	rng := rand.New(rand.NewPCG(9, 9))
	for replicates, quantile := range map[int]float64{
		2: 12.706204736, 3: 4.302652730, 4: 3.182446305,
	} {
		f := mustFit(t, Growth{}, models[0].draw(rng, ts, replicates))
		if f.Resamples != 0 || !warns(f, "too few to resample") {
			t.Errorf("%d replicates: %s", replicates, bits(f))
		}
		if half := quantile * f.StdErr; !near(f.Upper-f.Exponent, half, 1e-8) ||
			!near(f.Exponent-f.Lower, half, 1e-8) {
			t.Errorf("%d replicates: [%v, %v] around %v, want ± %v", replicates, f.Lower, f.Upper,
				f.Exponent, half)
		}
	}
	if f := mustFit(t, Growth{}, models[0].draw(rng, ts, 5)); f.Resamples != DefaultResamples {
		t.Errorf("5 replicates: %d resamples", f.Resamples)
	}
}

func TestNonPositive(t *testing.T) {
	ts := checkpoints(1, 10000)
	shifted := func(shift float64) Curve { // shift + t^½ × (1 ± 0.1)
		c := power(ts, 1, 0.5, 10)
		for r, y := range c.Y {
			for k := range y {
				y[k] = shift + y[k]*(1+0.1*float64(r%3-1))
			}
		}
		return c
	}
	negative := shifted(0)
	for _, y := range negative.Y {
		for k := range y {
			y[k] = -y[k]
		}
	}
	tests := []struct {
		name    string
		curve   Curve
		share   float64
		never   bool
		negated Shape
		warning string
	}{
		{"some", shifted(-20), 10.0 / 33, false, "", "at 10 of 33 points"},
		{"negative", negative, 1, true, Power, "at 33 of 33 points"},
		{"zero", power(ts, 0, 1, 10), 1, true, "", "zero at all 33 points"},
	}
	for _, test := range tests {
		f := mustFit(t, Growth{}, test.curve)
		if f.Shape != NonPositive || !near(f.NonPositive, test.share, 1e-15) ||
			f.NeverPositive != test.never || !warns(f, test.warning) {
			t.Errorf("%s: %s", test.name, bits(f))
		}
		if !math.IsNaN(f.Exponent) || !math.IsNaN(f.Lower) || !math.IsNaN(f.Upper) {
			t.Errorf("%s has an exponent: %s", test.name, bits(f))
		}
		switch {
		case (f.Negated != nil) != (test.negated != ""):
			t.Errorf("%s: negated %v, want %q", test.name, f.Negated, test.negated)
		case f.Negated != nil && (f.Negated.Shape != test.negated ||
			!near(f.Negated.Exponent, 0.5, 1e-12)):
			t.Errorf("%s: negated %s", test.name, bits(*f.Negated))
		}
	}
	// Negated is the fit of −y, to the last bit.
	got, want := mustFit(t, Growth{}, negative).Negated, mustFit(t, Growth{}, shifted(0))
	want.End = got.End
	if bits(*got) != bits(want) {
		t.Errorf("negated %s\nwant %s", bits(*got), bits(want))
	}
}

// Resamples without an exponent widen the interval until there is none, and are
// told. √t + 1.5·walk over 8 replicates has a mean two standard errors above 0.
func TestUndefinedResamples(t *testing.T) {
	ts := checkpoints(100, 10000)
	rng := rand.New(rand.NewPCG(4, 4))
	some, unbounded := 0, 0
	for range 200 {
		c := power(ts, 1, 0.5, 8)
		w := make([]float64, len(ts))
		for _, y := range c.Y {
			walk(rng, ts, w)
			for k := range y {
				y[k] += 1.5 * w[k]
			}
		}
		f := mustFit(t, Growth{Resamples: 399}, c)
		if f.Shape == NonPositive || f.Undefined == 0 {
			continue
		}
		some++
		if !warns(f, fmt.Sprintf("%d of 399 resamples", f.Undefined)) {
			t.Fatalf("%d undefined, warnings %v", f.Undefined, f.Warnings)
		}
		if f.Undefined >= 10 { // the 10th smallest of 399 is the 2.5 % quantile
			unbounded++
			if !math.IsInf(f.Lower, -1) || !math.IsInf(f.Upper, 1) || f.Shape != Undetermined ||
				!warns(f, "do not bound") {
				t.Fatalf("%d of 399 undefined, yet %s", f.Undefined, bits(f))
			}
		}
	}
	if some < 20 || unbounded < 10 || unbounded == some {
		t.Errorf("%d fits with undefined resamples, %d unbounded: the test has no subject", some,
			unbounded)
	}
}

// A pivot worked by hand: 39 samples at 90 % cut off the 2nd from each end, and
// Student's quantile with 4 degrees is 2.1318, which is less. Between the
// interval and the p-values there is no gap: a hypothesis is as far as the end
// of the interval reaches if its p-value is 2/40.
func TestPivot(t *testing.T) {
	inf := math.Inf(1)
	for undefined, want := range [][2]float64{
		{0.1 * 27 / 2, 0.1 * 9 / 2}, {0.1 * 28 / 2, 0.1 * 10 / 2}, {inf, inf},
	} {
		var delta, stdErr []float64
		for i := range 39 {
			delta, stdErr = append(delta, float64(i-10)), append(stdErr, 2) // ratios -5 … 14
		}
		for i := range undefined {
			delta[5+i] = math.NaN()
		}
		p := pivot{value: 3, stdErr: 0.1, degrees: 4}
		p.studentise(delta, stdErr)
		down, up := p.reach(0.9)
		if p.undefined != undefined || down != want[0] && !near(down, want[0], 1e-15) ||
			up != want[1] && !near(up, want[1], 1e-15) {
			t.Errorf("%d undefined: down %v, up %v (%d), want %v", undefined, down, up, p.undefined, want)
		}
		if undefined == 2 {
			continue // 3 of 40 at best
		}
		for _, c := range []struct{ got, want float64 }{
			{p.above(3 - down - 1e-9), 0.05}, {p.above(3 - down + 1e-9), 0.075},
			{p.below(3 + up + 1e-9), 0.05}, {p.below(3 + up - 1e-9), 0.075},
		} {
			if !near(c.got, c.want, 1e-12) {
				t.Errorf("%d undefined: p-value %v, want %v", undefined, c.got, c.want)
			}
		}
	}
	// Far out the resamples say no more than 1/40; close by, Student's tail
	// t(4) > 1 is 0.18695.
	p := pivot{value: 3, stdErr: 0.1, degrees: 4, ratios: make([]float64, 39)}
	for _, c := range []struct{ got, want float64 }{
		{p.above(2), 1.0 / 40}, {p.below(4), 1.0 / 40}, {p.above(2.9), 0.186950483},
		{p.twoSided(2.9), 2 * 0.186950483},
		{p.twoSided(3), 1}, {pivot{value: 1}.above(0), 0}, {pivot{value: 1}.above(1), 1},
		{pivot{value: 1}.twoSided(0), 0},
	} {
		if !near(c.got, c.want, 1e-9) {
			t.Errorf("p-value %v, want %v", c.got, c.want)
		}
	}
}

func TestShapesOfPowers(t *testing.T) {
	ts := checkpoints(1, 10000)
	rng := rand.New(rand.NewPCG(6, 6))
	spread := func(p, noise float64, n int) Curve { // exponents vary from replicate to replicate
		c := power(ts, 1, 1, n)
		for _, y := range c.Y {
			own := p + noise*rng.NormFloat64()
			for k := range y {
				y[k] = math.Pow(ts[k], own)
			}
		}
		return c
	}
	tests := []struct {
		name  string
		curve Curve
		want  Shape
	}{
		{"power", spread(0.5, 0.01, 20), Power},
		{"bounded", spread(0, 0.01, 20), Bounded},
		{"decaying", spread(-0.5, 0.01, 20), Bounded},
		{"slowest power", spread(0.1, 0.01, 20), Power},
		{"either", spread(0, 0.3, 6), Undetermined},
	}
	for _, test := range tests {
		if f := mustFit(t, Growth{}, test.curve); f.Shape != test.want {
			t.Errorf("%s: %s, want %s", test.name, bits(f), test.want)
		}
	}
	if f := mustFit(t, Growth{Tolerance: 0.3}, tests[3].curve); f.Shape != Bounded {
		t.Errorf("t^0.1 is %s with tolerance 0.3", f.Shape)
	}
}

func TestParameters(t *testing.T) {
	ts := checkpoints(1, 10000)
	c := models[4].draw(rand.New(rand.NewPCG(1, 1)), ts, 20)
	f := mustFit(t, Growth{Design: AcrossT, Resamples: 199, Confidence: 0.5}, c)
	if f.Design != AcrossT || f.Resamples != 199 || f.Confidence != 0.5 || f.Replicates != 20 {
		t.Errorf("%s", bits(f))
	}
	wide := mustFit(t, Growth{}, c)
	if wide.Design != AlongT || wide.Resamples != 1999 || wide.Confidence != 0.95 {
		t.Errorf("%s", bits(wide))
	}
	if !(wide.Lower < f.Lower && f.Lower < f.Exponent && f.Exponent < f.Upper &&
		f.Upper < wide.Upper) {
		t.Errorf("50 %%: [%v, %v], 95 %%: [%v, %v]", f.Lower, f.Upper, wide.Lower, wide.Upper)
	}
	for _, bad := range []Growth{
		{Design: "sideways"}, {Decades: -1}, {Decades: math.NaN()}, {Resamples: -1}, {Resamples: 38},
		{Confidence: 1}, {Confidence: -0.5}, {Confidence: math.NaN()}, {Tolerance: -1},
		{Window: Window{From: 10, To: 5}}, {Window: Window{From: -1}}, {Window: Window{To: math.NaN()}},
	} {
		if _, err := bad.Fit(c); err == nil || !strings.HasPrefix(err.Error(), "stats: ") {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
	if _, err := (Growth{}).Fit(Curve{}); err == nil {
		t.Error("an empty curve has a fit")
	}
}

func BenchmarkGrowth(b *testing.B) {
	c := models[2].draw(rand.New(rand.NewPCG(1, 1)), checkpoints(1, 10000), 30)
	for _, resamples := range []int{199, 1999} {
		b.Run(fmt.Sprintf("replicates=30/points=33/resamples=%d", resamples), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustFit(b, Growth{Resamples: resamples}, c)
			}
		})
	}
}

// The result of a fit, every bit of it, on data that are the same everywhere:
// the distance from the origin of walks of ±1. It may change only on purpose,
// for exponents once published change with it.
func TestFrozen(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	c := Curve{T: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}}
	for range 12 {
		var y []float64
		position := 0
		for t := 1; t <= 1024; t++ {
			position += 2*rng.IntN(2) - 1
			if t&(t-1) == 0 {
				y = append(y, math.Abs(float64(position)))
			}
		}
		c.Y = append(c.Y, y)
	}
	f := mustFit(t, Growth{Window: Window{From: 8}}, c)
	b, err := c.Band(0.95)
	if err != nil {
		t.Fatal(err)
	}
	first, second := Curve{c.T, c.Y[:6]}, Curve{c.T, c.Y[6:]}
	d := mustCompare(t, Growth{}, first, second)
	rerun := mustTest(t, RegressionTest{}, []Rerun{{Reference: first, Current: second}})
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"exponent", f.Exponent, 0.6107471248187639},
		{"lower", f.Lower, 0.5084229497150613},
		{"upper", f.Upper, 0.7196128059868179},
		{"standard error", f.StdErr, 0.046490170385202687},
		{"intercept", f.Intercept, -0.6687780862416295},
		{"residual", f.Residual, 0.0699488205345901},
		{"drift", f.Drift.Value, -0.11834932978723267},
		{"drift's upper", f.Drift.Upper, 0.41630453666710865},
		{"increments", f.Increments.Value, 0.49156499182218205},
		{"increments' lower", f.Increments.Lower, 0.15163458226017507},
		{"At(100)", f.At(100), 8.531936552381254},
		{"final difference's upper", d.Final.Upper, 52},
		{"exponents' difference", d.Exponent.Value, -0.020788248253138297},
		{"its lower", d.Exponent.Lower, -0.3642328603031826},
		{"its p-value", d.Exponent.P(), 0.90625},
		{"equivalence", d.Exponent.Equivalence(0.5), 0.03125},
		{"improvement's lower", d.Improvement.Lower, 0.222778096},
		{"regression's p-value", rerun.Changes[0].P, 0.876},
		{"regression's upper", rerun.Changes[0].Upper, 0.27561909815709346},
		{"band at 1024", b.Upper[10], 45.11936042707708},
	} {
		if test.got != test.want {
			t.Errorf("%s is %v, was %v", test.name, test.got, test.want)
		}
	}
}
