package averages

import (
	"math"
	"testing"

	"ocobench/convex"
)

// The constraints x − 1 and 1 − 2x, and in round 2 x + 2 and −x, have the averages
// x + ½ and ½ − 3x/2.
func TestRunningByHand(t *testing.T) {
	all, second := New(1, 2), Of(1, []int{1})
	for k, r := range []*convex.Round{
		{Constraints: []convex.Func{affine(-1, 1), affine(1, -2)}},
		{Constraints: []convex.Func{affine(2, 1), affine(0, -1)}},
	} {
		for _, a := range []*Running{all, second} {
			if err := a.Round(k+1, nil, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	x := []float64{1}
	for name, c := range map[string]struct{ got, want float64 }{
		"a_1": {all.Value(0, x), 1.5}, "a_2": {all.Value(1, x), -1}, "the largest": {all.Max(x), 1.5},
		"the penalty": {all.Hinges(x), 1.5}, "a_2 alone": {second.Max(x), -1},
		"as a function": {second.Means()[0].Value(x), -1},
		"of none":       {Of(1, nil).Max(x), math.Inf(-1)},
	} {
		t.Run(name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("%s is %v, want %v", name, c.got, c.want)
			}
		})
	}
}

// From z = −1 towards 1 the constraint x ≤ ½ leaves three quarters of the segment, and then
// 2x² ≤ ½ as much; x ≤ 2 leaves all of it.
func TestSegmentByHand(t *testing.T) {
	s := NewSegment([]float64{-1}, []float64{1})
	s.Shrink(convex.Lower(affine(-2, 1), 1))
	if s.Share != 1 || s.Cut {
		t.Errorf("a constraint that is not active: got %v, cut %v, want 1, false", s.Share, s.Cut)
	}
	s.Shrink(convex.Lower(affine(-0.5, 1), 1))
	if !isNear(s.Share, 0.75, 1e-15) || !s.Cut || !isNear(s.At(s.Share)[0], 0.5, 1e-15) {
		t.Errorf("x ≤ ½: got %v, cut %v, want ¾, true", s.Share, s.Cut)
	}
	s.Reset()
	z := NewSegment([]float64{0}, []float64{1})
	f := convex.Lower(&convex.HalfSquaredDistance{Weight: 4, Center: []float64{0}}, 1)
	f.Const -= 0.5
	if z.Shrink(f); !isNear(z.Share, 0.5, 1e-12) || s.Share != 1 || s.Cut {
		t.Errorf("2x² ≤ ½: got %v, and begun anew %v, cut %v, want ½, 1, false", z.Share, s.Share, s.Cut)
	}
}

// On [−2, 2] the average x − 9 bounds nothing, x − 1 and 2x − 2 have one facet, and ½ − x
// has another, of one average. Then x − ½ takes the place of the first two.
func TestFacetsByHand(t *testing.T) {
	var f Facets
	set, where := convex.Cube(1, -2, 2), make([]float64, 1)
	if got := f.Least(); got != -1 {
		t.Errorf("no facets: got %d, want -1", got)
	}
	for k, c := range []struct {
		b, a float64
		want int
	}{{-9, 1, -1}, {-1, 1, 1}, {-2, 2, 2}, {0.5, -1, 1}, {-0.5, 1, 1}} {
		if f.Add(set, convex.Lower(affine(c.b, c.a), 1), where, 0); f.Least() != c.want {
			t.Errorf("after %d averages the least facet has %d, want %d", k+1, f.Least(), c.want)
		}
	}
}

// The constraints x, 3x and −10x have the averages x, 2x and −2x: the largest one is 2 at x = 1,
// of the first two, and 2 at x = −1, of all three. A value that is no number is returned.
func TestPrefixesByHand(t *testing.T) {
	form := func(f convex.Func) *convex.Form {
		sum := convex.NewForm(1)
		f.AddTo(sum, 1)
		return sum
	}
	p := NewPrefixes(form(affine(0, 1)), 1)
	p.Add(form(affine(0, 3)))
	p.Add(form(affine(0, -10)))
	for x, want := range map[float64]float64{1: 2, -1: 2, 0.5: 1} {
		if got := p.Value([]float64{x}); got != want {
			t.Errorf("at %v the largest average is %v, want %v", x, got, want)
		}
	}
	slope := make([]float64, 1)
	if p.Subgrad(slope, []float64{1}); slope[0] != 2 {
		t.Errorf("the slope at 1 is %v, want 2", slope[0])
	}
	p.Add(form(affine(math.NaN(), 0)))
	if got := p.Value([]float64{1}); got == got {
		t.Errorf("a value that is no number: got the largest %v, want NaN", got)
	}
}
