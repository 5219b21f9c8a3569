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

func TestPowersAreFittedExactly(t *testing.T) {
	ts := checkpoints(1, 10000)
	for _, p := range []float64{-0.5, 0, 0.25, 0.5, 2.0 / 3, 0.75, 1} {
		for _, scale := range []float64{1e-200, 1e-3, 1, 7e8, 1e200} {
			f := mustFit(t, Growth{}, power(ts, scale, p, 4))
			if !near(f.Exponent, p, 1e-12) || !near(f.Lower, p, 1e-12) || !near(f.Upper, p, 1e-12) {
				t.Errorf("%g·t^%v: exponent %v in [%v, %v], want the power", scale, p, f.Exponent, f.Lower,
					f.Upper)
			}
			if f.Residual > 1e-12 || math.Abs(f.Drift.Value) > 1e-12 {
				t.Errorf("%g·t^%v: residual %v, drift %v, want none", scale, p, f.Residual, f.Drift)
			}
			if at := f.At(1000) / (scale * math.Pow(1000, p)); !near(at, 1, 1e-11) {
				t.Errorf("%g·t^%v: At(1000) is %v of the truth, want 1", scale, p, at)
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

func TestReplicateOrderChangesNoBit(t *testing.T) {
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
				t.Errorf("%s: other order of replicates: got\n%s\nwant\n%s", m.name, got, fit)
			}
			if got, _ := c.Band(0.9); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: other order of replicates: got band %v, want %v", m.name, got, want)
			}
		}
	}
}

// Of ten replicates two are a fifth, and of eleven less: the limits of both warnings.
func TestWarningsOfFewReplicatesBeginAtAFifth(t *testing.T) {
	curve := func(n, some int, y func(r, k int) float64) Curve {
		c := power(checkpoints(1, 100), 1, 0.5, n)
		for r := range some {
			for k := range c.T {
				c.Y[r][k] = y(r, k)
			}
		}
		return c
	}
	dominate := func(int, int) float64 { return 40 } // the others end with 10
	jump := func(r, k int) float64 { return []float64{1, 4}[min(k/(8+8*r), 1)] }
	for _, c := range []struct {
		name  string
		curve Curve
		about string
		want  bool
	}{
		{"2 of 10 are half of the mean", curve(10, 2, dominate), "2 of 10 replicates are half", true},
		{"2 of 9 are half of the mean", curve(9, 2, dominate), "are half", false},
		{"2 of 10 jump", curve(10, 2, jump), "2 of 10 replicates make half", true},
		{"2 of 11 jump", curve(11, 2, jump), "make half", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := mustFit(t, Growth{}, c.curve); warns(f, c.about) != c.want {
				t.Errorf("the warnings are %v, want one that says %q: %v", f.Warnings, c.about, c.want)
			}
		})
	}
}

func TestMeansNotPositiveHaveNoExponent(t *testing.T) {
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
			t.Errorf("%s: got %s, want not positive, share %v, never %v, warning %q", test.name, bits(f),
				test.share, test.never, test.warning)
		}
		if !math.IsNaN(f.Exponent) || !math.IsNaN(f.Lower) || !math.IsNaN(f.Upper) {
			t.Errorf("%s has an exponent, want none: %s", test.name, bits(f))
		}
		switch {
		case (f.Negated != nil) != (test.negated != ""):
			t.Errorf("%s: negated %v, want %q", test.name, f.Negated, test.negated)
		case f.Negated != nil && (f.Negated.Shape != test.negated ||
			!near(f.Negated.Exponent, 0.5, 1e-12)):
			t.Errorf("%s: got negated %s, want %v of exponent 0.5", test.name, bits(*f.Negated),
				test.negated)
		}
	}
	// Negated is the fit of −y, to the last bit.
	got, want := mustFit(t, Growth{}, negative).Negated, mustFit(t, Growth{}, shifted(0))
	want.End = got.End
	if bits(*got) != bits(want) {
		t.Errorf("negated %s\nwant %s", bits(*got), bits(want))
	}
}

// A pivot worked by hand: 39 samples at 90 % cut off the 2nd from each end, and
// Student's quantile with 4 degrees is 2.1318, which is less. Between the
// interval and the p-values there is no gap: a hypothesis is as far as the end
// of the interval reaches if its p-value is 2/40.
func TestPivotByHand(t *testing.T) {
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

func TestParametersAreKeptOrRefused(t *testing.T) {
	ts := checkpoints(1, 10000)
	c := models[4].draw(rand.New(rand.NewPCG(1, 1)), ts, 20)
	f := mustFit(t, Growth{Design: AcrossT, Resamples: 199, Confidence: 0.5}, c)
	if f.Design != AcrossT || f.Resamples != 199 || f.Confidence != 0.5 || f.Replicates != 20 {
		t.Errorf("got %s, want the parameters given", bits(f))
	}
	wide := mustFit(t, Growth{}, c)
	if wide.Design != AlongT || wide.Resamples != 1999 || wide.Confidence != 0.95 {
		t.Errorf("got %s, want the default parameters", bits(wide))
	}
	if !(wide.Lower < f.Lower && f.Lower < f.Exponent && f.Exponent < f.Upper &&
		f.Upper < wide.Upper) {
		t.Errorf("got 50 %%: [%v, %v], 95 %%: [%v, %v], want one within the other, around the exponent",
			f.Lower, f.Upper, wide.Lower, wide.Upper)
	}
	for _, bad := range []struct {
		g    Growth
		want string // the numbers that the error names, in their order
	}{
		{Growth{Design: "sideways"}, ""}, {Growth{Decades: -2}, "-2"}, {Growth{Decades: math.NaN()}, ""},
		{Growth{Resamples: -1}, "-1 0.95"}, {Growth{Resamples: 38}, "38 0.95"},
		{Growth{Confidence: 3}, "0 1 3"}, {Growth{Confidence: 1}, "0 1 1"},
		{Growth{Confidence: -0.5}, "0 1 -0.5"}, {Growth{Confidence: math.NaN()}, "0 1"},
		{Growth{Tolerance: -0.5}, "-0.5"}, {Growth{Window: Window{From: 10, To: 5}}, "10 5"},
		{Growth{Window: Window{From: -3}}, "-3 0"}, {Growth{Window: Window{To: math.NaN()}}, "0"},
	} {
		_, err := bad.g.Fit(c)
		if err == nil || !strings.HasPrefix(err.Error(), "stats: ") ||
			numbersOf([]error{err})[0] != bad.want {
			t.Errorf("%+v: error %v, want the numbers %q", bad.g, err, bad.want)
		}
	}
	if _, err := (Growth{}).Fit(Curve{}); err == nil {
		t.Error("an empty curve has a fit, want an error")
	}
}

// The result of a fit, every bit of it, on data that are the same everywhere:
// the distance from the origin of walks of ±1. It may change only on purpose,
// for exponents once published change with it.
func TestNumbersAreFrozen(t *testing.T) {
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
		{"equivalence", equivalence(d.Exponent, 0.5), 0.03125},
		{"improvement's lower", d.Improvement.Lower, 0.222778096},
		{"regression's p-value", rerun.Changes[0].P, 0.876},
		{"regression's upper", rerun.Changes[0].Upper, 0.27561909815709346},
		{"band at 1024", b.Upper[10], 45.11936042707708},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.got != test.want {
				t.Errorf("%s is %v, was %v", test.name, test.got, test.want)
			}
		})
	}
}
