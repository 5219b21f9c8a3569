package convex

import (
	"cmp"

	"ocobench/convex/vec"
)

// ElasticNet is f(x) = L1‖x‖₁ + ½L2‖x‖² + Offset with L1, L2 ≥ 0; make a [Basis]
// of it to use it in a round. The subgradient of |x_i| at 0 is 0.
type ElasticNet struct{ L1, L2, Offset float64 }

// Value implements [Evaluator]; O(n).
func (f *ElasticNet) Value(x []float64) float64 {
	return float64(f.L1*norm1(x)) + float64(float64(f.L2*vec.Dot(x, x))/2) + f.Offset
}

// Subgrad implements [Evaluator]; O(n).
func (f *ElasticNet) Subgrad(dst, x []float64) {
	for i, v := range x {
		dst[i] = float64(f.L2*v) + float64(f.L1*float64(cmp.Compare(v, 0)))
	}
}

// addHessian implements [hessianAdder].
func (f *ElasticNet) addHessian(dst, x []float64, s float64) {
	for i := range x {
		dst[i*len(x)+i] += float64(s * f.L2)
	}
}

// norm1 returns ‖x‖₁.
func norm1(x []float64) (sum float64) {
	for _, v := range x {
		sum += abs(v)
	}
	return sum
}
