package diagnosis

import (
	"math"
	"testing"

	"ocobench/convex/vec"
)

// octaveExponent fits a line to the suprema over t' ≥ t at octaves, with the two-sided
// interval of Student. Through y = −½x + (ε, −ε, −ε, ε) at four octaves x = 0, L, 2L,
// 3L, L = log 2, the slope is −½, since the noise is orthogonal to 1 and to x. The
// residuals are the noise: with two degrees of freedom
//
//	se² = (4ε²/2)/(5L²),   t_{0.975} = 4.302653.
func TestOctavesByHand(t *testing.T) {
	const eps = 0.01
	at := []int{8, 16, 32, 64}
	var d []float64
	for k, v := range []float64{eps, -eps, -eps, eps} {
		d = append(d, math.Exp(-0.5*float64(k)*math.Ln2+v))
	}
	e := octaveExponent(at, d, 8, 64)
	half := 4.302652729911275 * math.Sqrt(2*eps*eps/5) / math.Ln2
	if e.Value == nil || e.Lower == nil || e.Upper == nil {
		t.Fatalf("got %+v, want a value and an interval", e)
	}
	for _, c := range [][2]float64{{*e.Value, -0.5}, {*e.Lower, -0.5 - half},
		{*e.Upper, -0.5 + half}} {
		if math.Abs(c[0]-c[1]) > 1e-8 {
			t.Errorf("%v [%v, %v], want −0.5 ± %v", *e.Value, *e.Lower, *e.Upper, half)
			break
		}
	}
	if e := octaveExponent(at[:3], d[:3], 8, 32); e.Value == nil || e.Lower != nil || e.Upper != nil {
		t.Errorf("three octaves: got %+v, want a value without an interval", e)
	}
	if e := octaveExponent(at, make([]float64, 4), 8, 64); !e.Zero || e.Value != nil {
		t.Errorf("zeros: got %+v, want zero without an exponent", e)
	}
}

// t^0.8 up to the middle of the window 10² to 10⁴ in logarithms, and a multiple of t^0.3 from there
// on: the interval along one path reaches from 0.3 to 0.8, and as the exponent falls by 0.5 from
// one half to the next, it tends to −0.2. One that rises is not taken to rise on.
func TestHalvesByHand(t *testing.T) {
	var at []int
	for k := range 25 { // an eighth of a decade apart, from 10 on
		at = append(at, int(math.Round(math.Pow(10, 1+float64(k)/8))))
	}
	for _, c := range [][2]float64{{0.8, 0.3}, {0.3, 0.8}} {
		var y []float64
		for _, tau := range at {
			x := float64(tau) / 1000
			y = append(y, vec.Pow(x, map[bool]float64{true: c[0], false: c[1]}[x < 1]))
		}
		e := growthExponent(at, [][]float64{y}, 100, 10000)
		if e.extrapolateLimit(at, 0, y); e.Value == nil || e.Lower == nil || e.Upper == nil ||
			!isNear(*e.Lower, 0.3, 1e-9) || !isNear(*e.Upper, 0.8, 1e-9) ||
			!isNear(e.limit, map[bool]float64{true: -0.2, false: *e.Value}[c[0] > c[1]], 1e-9) ||
			!isNear(*e.Value, 0.55, 0.02) || e.Zero || e.From != 100 || e.To != 10000 {
			t.Errorf("%v: got %+v, want 0.55 in [0.3, 0.8]", c, e)
		}
		clear(y)
		if e := growthExponent(at, [][]float64{y}, 100, 10000); !e.Zero || e.Lower != nil || e.Upper != nil {
			t.Errorf("zeros: got %+v, want zero without an exponent", e)
		}
	}
}

// The averages at 1, 2, 4, … differ from the next ones by 1/√τ, and from the last one there is no
// octave. At three octaves from 8 on the rate has an exponent, −½, and at two it has none. Without
// points nothing moves.
func TestFewOctavesHaveNoExponent(t *testing.T) {
	for horizon, has := range map[int]bool{16: false, 32: false, 64: true, 128: true} {
		p := &sampledAverages{value: []float64{0}}
		average := 0.0
		for tau := 1; tau <= horizon; tau *= 2 {
			p.checkpoints, p.values = append(p.checkpoints, tau), append(p.values, []float64{average})
			average += 1 / math.Sqrt(float64(tau))
		}
		m := &measurement{Options: Options{Horizon: horizon}, checkpoints: p.checkpoints}
		c, curve := m.measureConvergence([]*sampledAverages{p})
		if c.Zero || (c.Value != nil) != has || has && !isNear(*c.Value, -0.5, 1e-9) ||
			len(curve.Y) != len(p.checkpoints)-1 {
			t.Errorf("%d rounds: got %+v and %d points, want an exponent: %v", horizon, c, len(curve.Y), has)
		}
		if p.value = nil; horizon == 64 {
			if c, _ := m.measureConvergence([]*sampledAverages{p}); !c.Zero || c.Value != nil {
				t.Errorf("without points: got %+v, want zero", c)
			}
		}
	}
}
