package diagnosis

import (
	"math"
	"testing"
)

// octaves fits a line to the suprema over t' ≥ t at octaves, with the two-sided
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
	e := octaves(at, d, 8, 64)
	half := 4.302652729911275 * math.Sqrt(2*eps*eps/5) / math.Ln2
	if e.Value == nil || e.Lower == nil || e.Upper == nil {
		t.Fatalf("%+v", e)
	}
	for _, c := range [][2]float64{{*e.Value, -0.5}, {*e.Lower, -0.5 - half},
		{*e.Upper, -0.5 + half}} {
		if math.Abs(c[0]-c[1]) > 1e-8 {
			t.Errorf("%v [%v, %v], want −0.5 ± %v", *e.Value, *e.Lower, *e.Upper, half)
			break
		}
	}
	if e := octaves(at[:3], d[:3], 8, 32); e.Value == nil || e.Lower != nil || e.Upper != nil {
		t.Errorf("three octaves have an interval: %+v", e)
	}
	if e := octaves(at, make([]float64, 4), 8, 64); !e.Zero || e.Value != nil {
		t.Errorf("zeros: %+v", e)
	}
}
