package convex

import (
	"fmt"
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// Functions of one formula: affine, quadratic, distances, and a function plus a number.

// Affine is f(x) = A·x + B.
type Affine struct {
	A []float64
	B float64
}

// Value implements [Func].
func (f *Affine) Value(x []float64) float64 { return vec.Dot(f.A, x) + f.B }

// Subgrad implements [Func].
func (f *Affine) Subgrad(dst, _ []float64) {
	copy(dst, f.A)
}

// AddTo implements [Func].
func (f *Affine) AddTo(dst *Form, scale float64) {
	dst.Const += float64(scale * f.B)
	if len(f.A) < vec.Long {
		vec.Axpy(dst.Lin, scale, f.A)
	} else {
		vec.AxpyLong(dst.Lin, scale, f.A)
	}
}

// Quadratic is f(x) = ½ xᵀQx + A·x + B with Q symmetric and positive
// semidefinite, n×n by rows.
type Quadratic struct {
	Q, A []float64
	B    float64
}

// NewQuadratic returns ½ xᵀQx + a·x + b. It is an error if the lengths do not match,
// if a number is not finite, or if Q is not symmetric and positive semidefinite,
// up to 1e-9 times its largest entry.
func NewQuadratic(q, a []float64, b float64) (*Quadratic, error) {
	n := len(a)
	if len(q) != n*n {
		return nil, fmt.Errorf("a quadratic function in %d dimensions needs a %d×%d matrix: got %d "+
			"entries", n, n, n, len(q))
	}
	for _, v := range append(append(slices.Clone(q), a...), b) {
		if !finite(v) {
			return nil, fmt.Errorf("a quadratic function needs finite numbers: got %v", v)
		}
	}
	scale := 0.0
	for _, v := range q {
		scale = max(scale, abs(v))
	}
	for i := range n {
		for j := range i {
			if abs(q[i*n+j]-q[j*n+i]) > float64(1e-9*scale) {
				return nil, fmt.Errorf("the matrix of a quadratic function must be symmetric: entry (%d,%d) "+
					"is %v but (%d,%d) is %v", i+1, j+1, q[i*n+j], j+1, i+1, q[j*n+i])
			}
		}
	}
	// Q is positive semidefinite, up to ε, if Q + ε·I has a Cholesky factorisation. The tiny
	// constant makes ε positive for Q = 0.
	work := slices.Clone(q)
	for i := range n {
		work[i*n+i] += float64(1e-9*scale) + 1e-300
	}
	if !matrix.Cholesky(work, n) {
		return nil, fmt.Errorf("the matrix of a quadratic function must be positive semidefinite, or " +
			"the function is not convex")
	}
	return &Quadratic{slices.Clone(q), slices.Clone(a), b}, nil
}

// Value implements [Func]; O(n²).
func (f *Quadratic) Value(x []float64) float64 {
	return matrix.Value(f.Q, x) + vec.Dot(f.A, x) + f.B
}

// Subgrad implements [Func]; O(n²).
func (f *Quadratic) Subgrad(dst, x []float64) {
	copy(dst, f.A)
	matrix.AddProduct(dst, f.Q, x)
}

// AddTo implements [Func]; O(n²).
func (f *Quadratic) AddTo(dst *Form, scale float64) {
	checkLen("quadratic function", len(f.A), dst.Dim())
	dst.Const += float64(scale * f.B)
	vec.Axpy(dst.Lin, scale, f.A)
	matrix.Add(dst.quadStorage(), scale, f.Q)
}

// HalfSquaredDistance is f(x) = ½ Weight ‖x − Center‖² + Offset.
type HalfSquaredDistance struct {
	Weight float64
	Center []float64
	Offset float64
}

// Value implements [Func]; O(n).
func (f *HalfSquaredDistance) Value(x []float64) float64 {
	d := vec.Dist(x, f.Center)
	return float64(float64(f.Weight*float64(d*d))/2) + f.Offset
}

// Subgrad implements [Func]; O(n).
func (f *HalfSquaredDistance) Subgrad(dst, x []float64) {
	for i, c := range f.Center {
		dst[i] = f.Weight * (x[i] - c)
	}
}

// AddTo implements [Func]; O(n).
func (f *HalfSquaredDistance) AddTo(dst *Form, scale float64) {
	n := dst.Dim()
	checkLen("squared distance", len(f.Center), n)
	w := float64(scale * f.Weight)
	dst.Const += float64(float64(w*vec.Dot(f.Center, f.Center))/2) + float64(scale*f.Offset)
	vec.Axpy(dst.Lin, -w, f.Center)
	q := dst.quadStorage()
	for i := range n {
		q[i*n+i] += w
	}
}

// Shifted is f(x) = Base(x) + Shift, for instance a perturbed constraint.
type Shifted struct {
	Base  Func
	Shift float64
}

// Value implements [Func].
func (f *Shifted) Value(x []float64) float64 { return f.Base.Value(x) + f.Shift }

// Subgrad implements [Func].
func (f *Shifted) Subgrad(dst, x []float64) { f.Base.Subgrad(dst, x) }

// AddTo implements [Func].
func (f *Shifted) AddTo(dst *Form, scale float64) {
	f.Base.AddTo(dst, scale)
	dst.Const += float64(scale * f.Shift)
}

// Distance is f(x) = Weight ‖x − Center‖ + Offset with the Euclidean norm; make a
// [Basis] of it to use it in a round. Its subgradient at the centre is 0.
type Distance struct {
	Weight float64
	Center []float64
	Offset float64
}

// Value implements [Evaluator].
func (f *Distance) Value(x []float64) float64 {
	return float64(f.Weight*vec.Dist(x, f.Center)) + f.Offset
}

// Subgrad implements [Evaluator].
func (f *Distance) Subgrad(dst, x []float64) {
	d := vec.Dist(x, f.Center)
	if d == 0 {
		clear(dst)
		return
	}
	s := f.Weight / d
	for i, c := range f.Center {
		dst[i] = s * (x[i] - c)
	}
}
