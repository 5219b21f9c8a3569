package convex_test

import (
	"fmt"
	"math"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// opaque is a convex function known by value and subgradient only.
type opaque struct {
	F    func(x []float64) float64
	Grad func(dst, x []float64) // writes a subgradient at x to dst
}

func (f *opaque) Value(x []float64) float64 { return f.F(x) }
func (f *opaque) Subgrad(dst, x []float64)  { f.Grad(dst, x) }

// faceted is the maximum of k affine functions, known by value and subgradient only.
func (d draw) faceted(n, k int) *convex.Basis {
	fs := make([]convex.Affine, k)
	for i := range fs {
		fs[i] = convex.Affine{A: d.vector(n), B: d.number()}
	}
	largest := func(x []float64) *convex.Affine {
		best := &fs[0]
		for i := range fs {
			if fs[i].Value(x) > best.Value(x) {
				best = &fs[i]
			}
		}
		return best
	}
	return convex.NewBasis(&opaque{
		F:    func(x []float64) float64 { return largest(x).Value(x) },
		Grad: func(dst, x []float64) { copy(dst, largest(x).A) },
	})
}

// exponential is exp(a·x), without second derivatives.
func (d draw) exponential(n int) *convex.Basis {
	a := d.vector(n)
	vec.Scale(a, 1/max(1, vec.Norm(a)))
	return convex.NewBasis(&opaque{
		F: func(x []float64) float64 { return math.Exp(vec.Dot(a, x)) },
		Grad: func(dst, x []float64) {
			copy(dst, a)
			vec.Scale(dst, math.Exp(vec.Dot(a, x)))
		},
	})
}

// opaqueCase is a game of functions with kinks and without Hessians.
func opaqueCase(d draw) (*sumAndTwin, error) {
	n := 1 + d.IntN(4)
	b := newBoth(d.set(n))
	for step := range 1 + d.IntN(3) {
		switch d.IntN(3) {
		case 0:
			b.add(1, d.faceted(n, 2+d.IntN(4)))
		case 1:
			b.add(1, d.exponential(n))
		}
		b.add(1, &convex.Affine{A: d.vector(n)})
		for range d.IntN(3) {
			f := convex.NewForm(n)
			if d.IntN(2) == 0 {
				d.faceted(n, 2+d.IntN(3)).AddTo(f, 1)
			} else {
				d.exponential(n).AddTo(f, 1)
				f.Const -= 1
			}
			if d.IntN(2) == 0 {
				(&convex.Affine{A: d.vector(n)}).AddTo(f, 1)
			}
			b.hinge(1, f)
		}
		if err := b.check(d.prox(n)); err != nil {
			return b, fmt.Errorf("step %d: %w", step, err)
		}
	}
	return b, nil
}

// opaqueForm draws functions with kinks and without Hessians.
func opaqueForm(d draw, n int) func() *convex.Form {
	return func() *convex.Form {
		f := convex.NewForm(n)
		d.faceted(n, 3).AddTo(f, 1)
		if d.IntN(2) == 0 {
			d.exponential(n).AddTo(f, 1)
		}
		return f
	}
}

// The distances to the corners of a regular polygon sum least at its centre, to their number, where
// |z| is least, too. What is found differs from that by at most the gap, which is at most what was
// asked for.
func TestGapOfCutsBoundsTheError(t *testing.T) {
	coarse := 0
	for corners := 3; corners <= 8; corners++ {
		for _, accuracy := range []float64{0.3, 0.03, 1e-4, 0} {
			sum, x := convex.NewSum(convex.Cube(3, -2, 2)), make([]float64, 3)
			for k := range corners {
				angle := 0.3 + 2*math.Pi*float64(k)/float64(corners)
				sum.Add(1, distance(1, 0, 0.9+math.Cos(angle), -0.7+math.Sin(angle), 0.4))
			}
			sum.Add(1, convex.NewBasis(&convex.Max{Pieces: []*convex.Form{
				{Lin: []float64{0, 0, 1}, Const: -0.4}, {Lin: []float64{0, 0, -1}, Const: 0.4}}}))
			sum.SetAccuracy(accuracy)
			cert, err := sum.Minimize(x, convex.Prox{})
			far, rounding := cert.Value-float64(corners), 1e-13*float64(corners)
			if err != nil || !(far >= -rounding) || far > cert.Gap+rounding ||
				cert.Gap > max(accuracy, 1e-10*float64(corners)) {
				t.Errorf("%d corners, accuracy %v: got %+v at %v, %v above the least, error %v, want it "+
					"within the gap", corners, accuracy, cert, x, far, err)
			}
			if far > 1e-6 {
				coarse++
			}
		}
	}
	if coarse < 6 {
		t.Errorf("got %d sums of 24 above the least, want at least 6", coarse)
	}
}
