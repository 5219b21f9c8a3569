package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// sink keeps the compiler from dropping what a benchmark computes.
var sink float64

func BenchmarkDot(b *testing.B)  { benchVectors(b, func(x, y []float64) { sink = Dot(x, y) }) }
func BenchmarkSum(b *testing.B)  { benchVectors(b, func(x, _ []float64) { sink = Sum(x) }) }
func BenchmarkNorm(b *testing.B) { benchVectors(b, func(x, _ []float64) { sink = Norm(x) }) }
func BenchmarkDist(b *testing.B) { benchVectors(b, func(x, y []float64) { sink = Dist(x, y) }) }
func BenchmarkAxpy(b *testing.B) { benchVectors(b, func(x, y []float64) { Axpy(x, 1e-9, y) }) }

func benchVectors(b *testing.B, f func(x, y []float64)) {
	for _, n := range []int{1, 2, 4, 10, 100, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			x, y := randomVector(r, n), randomVector(r, n)
			b.ReportAllocs()
			for b.Loop() {
				f(x, y)
			}
		})
	}
}
