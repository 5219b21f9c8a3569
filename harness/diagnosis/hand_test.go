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
	p := &sampledAverages{checkpoints: []int{1, 2, 4, 8}, values: [][]float64{{5}, {2}, {3}, {3.5}}}
	if got, want := p.octaveDeviation(), []float64{3, 1, 0.5}; !slices.Equal(got, want) {
		t.Errorf("the oscillation is %v, want %v", got, want)
	}
	p.expected = []float64{4}
	if got, want := p.octaveDeviation(), []float64{2, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("the distance from the expectation is %v, want %v", got, want)
	}
}

// At z = 0 the constraints of four rounds are −1, −¼, −½ and −2: the margin of every
// single round is ¼, and the averages are −1, −0.625, −7/12 and −0.9375, of which the
// largest is −7/12.
func TestMarginsByHand(t *testing.T) {
	set := convex.Cube(1, -1, 1)
	m := &measurement{Options: Options{Horizon: 4}, set: set, points: newSamplePoints(set),
		checkpoints: []int{1, 2, 3, 4}, loss: &convex.Form{Lin: []float64{-1}}}
	b := newBoundary(m, []int{0}, []float64{0}, 0.5)
	for k, margin := range []float64{1, 0.25, 0.5, 2} {
		r := convex.Round{Loss: &convex.Affine{A: []float64{-1}},
			Constraints: []convex.Func{&convex.Affine{A: []float64{1}, B: -margin}}}
		if err := b.Round(k+1, nil, &r); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.roundMargins[0]; !slices.Equal(got, []float64{1, 0.25, 0.25, 0.25}) {
		t.Errorf("got margins of single rounds %v, want 1, ¼, ¼, ¼", got)
	}
	if s := b.measureSlater(nil, false); *s.Round != 0.25 || math.Abs(*s.Margin-0.9375) > 1e-15 ||
		math.Abs(*s.Uniform-1.75/3) > 1e-15 || s.Burn != 0 {
		t.Errorf("got margins %v, %v of the last average and %v of all, after %d, want ¼, 15/16, "+
			"1.75/3, after 0", *s.Round, *s.Margin, *s.Uniform, s.Burn)
	}
}

// The points of [0, 2] × [0, 4]: the ends along both axes, four random corners with those
// opposite, the mean of all these, and three points on the way from it to the second to fourth
// of them. [0, 2] alone has its ends, the mean and three points.
func TestSampleByHand(t *testing.T) {
	for _, c := range []struct {
		upper         []float64
		ends, corners int
	}{
		{[]float64{2, 4}, 4, 8},
		{[]float64{2}, 2, 0},
	} {
		set, err := convex.NewBox(make([]float64, len(c.upper)), c.upper)
		if err != nil {
			t.Fatal(err)
		}
		s := newSamplePoints(set)
		if s.ends != c.ends+c.corners || len(s.points) != s.ends+4 {
			t.Fatalf("got %d points, %d of them at the boundary, want %d at it and 4 more", len(s.points),
				s.ends, c.ends+c.corners)
		}
		mean := make([]float64, len(c.upper))
		for _, p := range s.points[:s.ends] {
			for i, v := range p {
				mean[i] += v / float64(s.ends)
			}
		}
		for k, p := range s.points {
			for i, v := range p {
				from := s.points[k%s.ends][i]
				switch {
				case k < c.ends && i == k/2 && v != c.upper[i]*float64(1-k%2),
					k >= c.ends && k < s.ends && (v != 0 && v != c.upper[i] || v+s.points[k^1][i] != c.upper[i]),
					k == s.ends && math.Abs(v-mean[i]) > 1e-15,
					k > s.ends && (v < min(from, mean[i]) || v > max(from, mean[i])):
					t.Errorf("coordinate %d of point %d: got %v, want one by the definition of samples", i, k, v)
				}
			}
		}
	}
}
