package diagnosis

import (
	"math"
	"slices"
	"testing"

	"ocobench/convex"
)

// The deviation at τ is the largest distance of the averages up to 2τ from that at τ,
// or from the expectation where it is known, upwards or downwards.
func TestDeviationByHand(t *testing.T) {
	p := &path{at: []int{1, 2, 4, 8}, values: [][]float64{{5}, {2}, {3}, {3.5}}}
	if got, want := p.deviation(), []float64{3, 1, 0.5}; !slices.Equal(got, want) {
		t.Errorf("the oscillation is %v, want %v", got, want)
	}
	p.expected = []float64{4}
	if got, want := p.deviation(), []float64{2, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("the distance from the expectation is %v, want %v", got, want)
	}
}

// −ax over [0, 1] with the hinge γ·max(0, x − ½) is least at ½ from γ = a on.
func TestThresholdIsSharp(t *testing.T) {
	for _, a := range []float64{0.3, 1, 3, 777} {
		loss := &convex.Form{Lin: []float64{-a}}
		got, err := threshold(convex.Cube(1, 0, 1), loss, []*convex.Form{{Lin: []float64{1}, Const: -0.5}})
		if err != nil || got == nil || *got < a*(1-1e-12) || *got > a*(1+2e-7) {
			t.Errorf("a = %v: the threshold is %v, %v", a, *got, err)
		}
	}
	if got, err := threshold(convex.Cube(1, 0, 1), &convex.Form{Lin: []float64{1}}, []*convex.Form{{Lin: []float64{1}, Const: -0.5}}); err != nil || got == nil || math.Abs(*got) > 0 {
		t.Errorf("a loss that grows needs %v, %v", got, err)
	}
}
