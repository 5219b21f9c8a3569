// Package matrix has the operations on symmetric n×n matrices, stored by rows, that quadratic
// functions and their minimisation need. [AddOn] and the functions that measure a matrix take an
// empty one for zero, except [IsDiagonal] and [IsMultipleOfIdentity]. Zeros at the
// beginning of a row cost nothing in a Cholesky factorisation but comparisons, so that a diagonal
// matrix costs O(n²) of them.
package matrix

import (
	"math"
	"slices"

	"ocobench/convex/vec"
)

// firstNonzero returns the first coordinate where a may not be 0, rounded down to a multiple of 4,
// so that products from there on have the bits of [vec.Dot].
func firstNonzero(a []float64) int {
	from := 0
	for from < len(a) && a[from] == 0 {
		from++
	}
	return from &^ 3
}

// Cholesky overwrites the lower triangle of the symmetric n×n matrix a by L with
// a = LLᵀ. It returns false if a is not positive definite. The zeros at the beginning
// of a row remain and cost little.
func Cholesky(a []float64, n int) bool {
	for i := range n {
		row := a[i*n : i*n+i+1]
		first := firstNonzero(row)
		for j := first; j < i; j++ {
			row[j] = (row[j] - vec.Dot(row[first:j], a[j*n+first:j*n+j])) / a[j*n+j]
		}
		d := row[i] - vec.Dot(row[first:i], row[first:i])
		if !(d > 0) {
			return false
		}
		row[i] = math.Sqrt(d)
	}
	return true
}

// Value returns ½ xᵀQx.
func Value(q, x []float64) float64 {
	n, v := len(x), 0.0
	for i, xi := range x {
		v += float64(xi * vec.Dot(q[i*n:(i+1)*n], x))
	}
	return v / 2
}

// AddProduct adds Qx to dst.
func AddProduct(dst, q, x []float64) {
	n := len(x)
	for i := range dst {
		dst[i] += vec.Dot(q[i*n:(i+1)*n], x)
	}
}

// Add adds s times a matrix to dst.
func Add(dst []float64, s float64, q []float64) {
	if len(q) < vec.Long {
		vec.Axpy(dst, s, q)
		return
	}
	vec.AxpyLong(dst, s, q)
}

// AddOn adds s times the n×n matrix q, in the coordinates on, to dst.
func AddOn(dst []float64, s float64, q []float64, on []int, n int) {
	if len(q) == 0 {
		return
	}
	for r, i := range on {
		row, to := q[i*n:(i+1)*n], dst[r*len(on):(r+1)*len(on)]
		for c, j := range on {
			to[c] += float64(s * row[j])
		}
	}
}

// IsZero reports whether a matrix is zero. It looks at the diagonal first, on which
// a matrix that is positive semidefinite has a number.
func IsZero(q []float64, n int) bool {
	for i := 0; i < len(q); i += n + 1 {
		if q[i] != 0 {
			return false
		}
	}
	return !slices.ContainsFunc(q, func(v float64) bool { return v != 0 })
}

// IsDiagonal reports whether a matrix is diagonal.
func IsDiagonal(q []float64, n int) bool {
	for i := range n {
		for j, v := range q[i*n : (i+1)*n] {
			if v != 0 && i != j {
				return false
			}
		}
	}
	return true
}

// IsMultipleOfIdentity reports whether a matrix is a multiple of the identity.
func IsMultipleOfIdentity(q []float64, n int) bool {
	for i := range n {
		for j, v := range q[i*n : (i+1)*n] {
			if i == j && v != q[0] || i != j && v != 0 {
				return false
			}
		}
	}
	return true
}

// LargestDiagonal returns the largest entry on the diagonal, at least 0.
func LargestDiagonal(q []float64, n int) (largest float64) {
	for i := 0; i < len(q); i += n + 1 {
		largest = max(largest, q[i])
	}
	return largest
}

// LeastEigenvalue bounds the eigenvalues of a positive semidefinite matrix from below by
// Gershgorin's circles.
func LeastEigenvalue(q []float64, n int) float64 {
	if len(q) == 0 {
		return 0
	}
	least := math.Inf(1)
	for i := range n {
		d := q[i*n+i]
		for j, v := range q[i*n : (i+1)*n] {
			if j != i {
				d -= math.Abs(v)
			}
		}
		least = min(least, d)
	}
	return max(0, least)
}

// IsDefinite reports whether a matrix is positive definite with pivots that are not of the size of
// rounding errors: the squared pivots of its Cholesky factorisation are at least 10⁻¹⁰ of its
// largest entry. It writes the factor to work, which it grows and returns.
func IsDefinite(q []float64, n int, work []float64) (bool, []float64) {
	if IsZero(q, n) {
		return false, work
	}
	work = append(work[:0], q...)
	largest := LargestDiagonal(work, n)
	if !Cholesky(work, n) {
		return false, work
	}
	for i := range n {
		if float64(work[i*n+i]*work[i*n+i]) < float64(1e-10*largest) {
			return false, work
		}
	}
	return true, work
}
