package claims

import (
	"math"
	"testing"
)

// A convergence sees averages that converge more slowly, and constants that are too small.
func TestConvergence(t *testing.T) {
	l := quickLab(t)
	play := func(problem string, scale float64) Finding {
		c := convergence{gamma: 25, soft: true}
		o, err := l.playLine("", problem, 1, 10000, nil)
		if err != nil {
			t.Fatal(err)
		}
		constant := scale * rateConstant(o.shift)
		c.limit = func(o *line, t int) (slope, shift float64) { return o.slope[t-1], o.shift[t-1] }
		c.error = func(_ *line, i int) float64 { return constant / math.Sqrt(float64(i)) }
		if err := c.play(l, problem, 1, 10000); err != nil {
			t.Fatal(err)
		}
		return c.finding("a stream")
	}
	for _, c := range []struct {
		problem string
		scale   float64
		want    Outcome
	}{
		{"drifting-average:amplitude=-0.25", 1, Survives},
		{"drifting-average:amplitude=-0.25", 0.1, Refutes},
		{"drifting-average:amplitude=-0.25,rate=0.25", 1, Undecided},
		{"drifting-average:amplitude=0.25,rate=0.25", 1, Undecided},
	} {
		if f := play(c.problem, c.scale); f.Outcome != c.want {
			t.Errorf("%s, constant × %v: %s, want %s (%s)", c.problem, c.scale, f.Outcome, c.want, f.Text)
		}
	}
}
