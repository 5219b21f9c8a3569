//go:build amd64 && !noasm && !gccgo && !safe

package vec

import "gonum.org/v1/gonum/blas/gonum"

// Gonum's kernel for amd64 multiplies and adds in two operations with two roundings, so that it
// has the bits of the loop.
const hasKernel = true

// axpy does what [Axpy] does, for vectors of the same length.
func axpy(dst []float64, alpha float64, x []float64) {
	gonum.Implementation{}.Daxpy(len(x), alpha, x, 1, dst, 1)
}
