//go:build !amd64 || noasm || gccgo || safe

package vec

// Elsewhere the kernel is a loop in Go, whose products the compiler may fuse.
const hasKernel = false

// axpy is not called, since there is no kernel.
func axpy([]float64, float64, []float64) { panic("vec: no kernel") }
