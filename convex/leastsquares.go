package convex

import "ocobench/convex/vec"

// LeastSquares is f(x) = ½‖Hx − Y‖² with H an r×n matrix by rows and Y in ℝ^r.
type LeastSquares struct{ H, Y []float64 }

// residual returns (Hx − Y)_k and row k of H.
func (f *LeastSquares) residual(k int, x []float64) (float64, []float64) {
	h := f.H[k*len(x) : (k+1)*len(x)]
	return vec.Dot(h, x) - f.Y[k], h
}

// Value implements [Func]; O(rn).
func (f *LeastSquares) Value(x []float64) float64 {
	v := 0.0
	for k := range f.Y {
		r, _ := f.residual(k, x)
		v += float64(r * r)
	}
	return v / 2
}

// Subgrad implements [Func]; O(rn).
func (f *LeastSquares) Subgrad(dst, x []float64) {
	clear(dst)
	for k := range f.Y {
		r, h := f.residual(k, x)
		vec.Axpy(dst, r, h)
	}
}

// AddTo implements [Func]; O(rn²).
func (f *LeastSquares) AddTo(dst *Form, scale float64) {
	n := dst.Dim()
	checkLen("matrix of least squares", len(f.H), n*len(f.Y))
	dst.Const += float64(float64(scale*vec.Dot(f.Y, f.Y)) / 2)
	q := dst.quadStorage()
	for k, y := range f.Y {
		h := f.H[k*n : (k+1)*n]
		vec.Axpy(dst.Lin, -float64(scale*y), h)
		if scale == 1 && n >= vec.Long { // (scale·a)·b would not be symmetric
			addOuter(q, 1, h)
			continue
		}
		for i, a := range h {
			row := q[i*n : (i+1)*n]
			for j, b := range h { // symmetric to the last bit
				row[j] += float64(scale * float64(a*b))
			}
		}
	}
}
