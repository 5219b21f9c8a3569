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

// At z = 0 the constraints of four rounds are −1, −¼, −½ and −2: the margin of every
// single round is ¼, and the averages are −1, −0.625, −7/12 and −0.9375, of which the
// largest is −7/12.
func TestMarginsByHand(t *testing.T) {
	set := convex.Cube(1, -1, 1)
	m := &measurement{Options: Options{Horizon: 4}, set: set, points: newSample(set),
		at: []int{1, 2, 3, 4}, loss: &convex.Form{Lin: []float64{-1}}}
	b := newBoundary(m, []int{0}, []float64{0}, 0.5)
	for k, margin := range []float64{1, 0.25, 0.5, 2} {
		r := convex.Round{Loss: &convex.Affine{A: []float64{-1}},
			Constraints: []convex.Func{&convex.Affine{A: []float64{1}, B: -margin}}}
		if err := b.Round(k+1, nil, &r); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.rounds[0]; !slices.Equal(got, []float64{1, 0.25, 0.25, 0.25}) {
		t.Errorf("the margins of single rounds are %v", got)
	}
	if s := b.slater(nil, false); *s.Round != 0.25 || math.Abs(*s.Margin-0.9375) > 1e-15 ||
		math.Abs(*s.Uniform-1.75/3) > 1e-15 || s.Burn != 0 {
		t.Errorf("the margins are %v, %v of the last average and %v of all, after %d", *s.Round,
			*s.Margin, *s.Uniform, s.Burn)
	}
}
