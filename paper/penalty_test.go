package paper

import (
	"io"
	"math"
	"testing"

	"ocobench/report/figure"
)

// The penalised function agrees with f on the feasible set and is above it elsewhere, and
// its least value is that of f on the set, at x = 1.
func TestPenaltySketchAgreesOnTheFeasibleSet(t *testing.T) {
	f := PenaltySketch()
	if err := f.Write(io.Discard, figure.SVG); err != nil {
		t.Fatal(err)
	}
	p := f.Panels[0]
	loss, constraint, hinge, penalised := p.Series[0], p.Series[1], p.Series[2], p.Series[3]
	at, least := math.NaN(), math.Inf(1)
	for k, x := range loss.X {
		inside := p.Regions[0].Min <= x && x <= p.Regions[0].Max
		if (constraint.Y[k] <= 0) != inside || (hinge.Y[k] == 0) != inside {
			t.Errorf("at %v: got g = %v, max{0, g} = %v, want g ≤ 0 exactly in the shaded set: %v", x,
				constraint.Y[k], hinge.Y[k], inside)
		}
		if d := penalised.Y[k] - loss.Y[k]; (d == 0) != inside || d < 0 {
			t.Errorf("at %v: got penalty %v, want 0 exactly in the shaded set", x, d)
		}
		if penalised.Y[k] < least {
			at, least = x, penalised.Y[k]
		}
	}
	if at != 1 || least != 0.5 {
		t.Errorf("the least value of the penalised function is %v at %v, want 1/2 at 1", least, at)
	}
	// what is drawn begins near the lower edge, with g(0) = −1
	if below := -1 - p.Y.Min; below < 0 || below > 0.1*(p.Y.Max-p.Y.Min) {
		t.Errorf("got an axis that begins %v below the least value, want up to a tenth", below)
	}
}
