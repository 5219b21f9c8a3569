package claims

import "testing"

// A convergence sees averages that converge more slowly, and constants that are too small.
func TestSlowConvergenceIsSeen(t *testing.T) {
	l := quickLab(t)
	play := func(problem string, scale float64) Finding {
		c := convergence{checksSoft: true}
		err := l.eachTrial(1, []string{problem}, func(p *trial) error {
			return c.playAtRate(p, 10000, scale, 25)
		})
		if err != nil {
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
