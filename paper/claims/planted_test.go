package claims

import (
	"math"
	"testing"
)

// Checks say the opposite where a constant is wrong, γ is too small, or the stream is
// one on which the claim turns out the other way.
func TestPlanted(t *testing.T) {
	l := quickLab(t)
	for _, c := range []struct {
		name string
		run  func() (Finding, error)
		want Outcome
	}{
		{"the regret is of order √t", func() (Finding, error) {
			return differenceRegret(l, "shrinking", true)
		}, Refutes},
		{"a regret of order t", func() (Finding, error) {
			return differenceRegret(l, "perturbed:dim=1,noise=periodic,period=2,loss-noise=0", false)
		}, Survives},
		{"nine tenths of the threshold", func() (Finding, error) { return leastGamma(l, 0.9) }, Refutes},
		{"γ that is enough", func() (Finding, error) {
			return outsidePrefixes(l, "regime-switch", "6", 7)
		}, Survives},
		{"γ is not fooled", func() (Finding, error) {
			return frozenGamma(l, "regime-switch:switch=0", 7, 1, 4000)
		}, Survives},
		{"a regulariser of order √t", func() (Finding, error) { return regretLinear(l, sqrt) }, Survives},
		{"constraints that are fixed", func() (Finding, error) {
			return linearPenalty(l, "fixed:dim=1", 13)
		}, Survives},
		{"signs that follow the action", func() (Finding, error) { return softPerturbed(l, "soft-gap") },
			Refutes},
		{"γ below the slope of the losses", func() (Finding, error) { return relaxed(l, 1) }, Refutes},
		{"growth like √t", func() (Finding, error) {
			return excessFinding("it", [2]float64{10, 20}, 400, 2.6), nil
		}, Survives},
		{"hinges that are late by 1/√i", func() (Finding, error) {
			return lateHinges(l, "drifting-average:amplitude=-0.25")
		}, Survives},
		{"γ that does not grow", func() (Finding, error) {
			return growingWeights(l, func(int) float64 { return 25 })
		}, Survives},
	} {
		f, err := c.run()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if f.Outcome != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, f.Outcome, c.want, f.Text)
		}
	}

	outside, slow := 0, 0
	if err := l.growing(0.1, func(_ growing, _ int, excess float64, a *penalties) {
		if excess > 1e-9 {
			outside++
		}
		if a.penalty > 1e-9+1.000001*a.thinned {
			slow++
		}
	}); err != nil || outside == 0 || slow == 0 {
		t.Errorf("with a tenth of the threshold x is outside of X̂^max in %d rounds, and the violation "+
			"above its bound in %d: %v", outside, slow, err)
	}
}

// A line worked by hand: x − 2, then 2x on [−4, 4]. The averages are x − 2 and (3x − 2)/2,
// so that X̂^max = [−4, 2/3], where one of two averages is 0.
func TestLine(t *testing.T) {
	p := (&exactLine{lo: -4, hi: 4, slope: [][]int64{{1}, {2}}, shift: [][]int64{{-2}, {0}}}).prefix()
	p.next()
	if k, ok := p.least(true); k != 1 || !ok || p.hi != (fraction{2, 1}) {
		t.Errorf("after a round k = %d, X̂^max = [%v, %v]", k, p.lo, p.hi)
	}
	p.next()
	k, ok := p.least(true)
	if k != 1 || !ok || p.hi != (fraction{2, 3}) {
		t.Errorf("after two rounds k = %d, X̂^max = [%v, %v]", k, p.lo, p.hi)
	}
	if k, _ := p.least(false); k != 0 {
		t.Errorf("at −4 there are %d active averages, want none", k)
	}
	if z, eta := p.slater(); z != (fraction{-16, 4}) || eta != 6 {
		t.Errorf("Slater point %v with the margin %v, want −4 with 6", z, eta)
	}
	if m := p.margin(fraction{0, 1}); math.Abs(m-1) > 1e-15 {
		t.Errorf("the margin at 0 is %v, want 1", m)
	}
}
