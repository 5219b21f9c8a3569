package convex_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
)

// game starts a sum after t rounds of hinges that next draws. It returns a function
// that plays one more round.
func game(b *testing.B, set convex.Set, t int,
	next func(d draw, total *convex.Form)) func() convex.Cert {
	d := draw{rand.New(rand.NewPCG(11, 12)), "normal"}
	n := set.Dim()
	s := convex.NewSum(set)
	s.SetGamma(25)
	total, x := convex.NewForm(n), make([]float64, n)
	loss := &convex.Affine{A: d.vector(n)}
	round := 0
	play := func() convex.Cert {
		round++
		s.Add(1, loss)
		next(d, total)
		s.AddHinge(1/float64(round), total)
		cert, err := s.Minimize(x, convex.Prox{
			Weight: math.Sqrt(float64(round)), Center: make([]float64, n),
		})
		if err != nil || cert.Relative() > 1e-9 {
			b.Fatal(cert, err)
		}
		return cert
	}
	for round < t-1 {
		if round%64 == 0 { // solutions along the way keep the partition warm
			play()
			continue
		}
		round++
		s.Add(1, loss)
		next(d, total)
		s.AddHinge(1/float64(round), total)
	}
	play()
	return play
}

// BenchmarkSum measures a round of a game after a number of rounds.
func BenchmarkSum(b *testing.B) {
	bases := func(n, k int) []*convex.Basis {
		d := draw{rand.New(rand.NewPCG(13, 14)), "normal"}
		var bs []*convex.Basis
		for range k {
			bs = append(bs, convex.NewBasis(&convex.Quadratic{Q: d.psd(n), A: d.vector(n), B: -.1}))
		}
		return bs
	}
	family := func(k int) func(n int) func(d draw, total *convex.Form) {
		return func(n int) func(d draw, total *convex.Form) {
			bs := bases(n, k)
			return func(d draw, total *convex.Form) { bs[d.IntN(k)].AddTo(total, 1) }
		}
	}
	for _, path := range []struct {
		name string
		n    []int
		t    []int
		next func(n int) func(d draw, total *convex.Form)
	}{
		{"line", []int{1}, []int{100, 10000, 1000000}, func(int) func(draw, *convex.Form) {
			return func(d draw, total *convex.Form) {
				total.Lin[0] += d.NormFloat64()
				total.Const += d.NormFloat64() - .1
			}
		}},
		{"rows", []int{3, 10}, []int{100, 10000}, func(int) func(draw, *convex.Form) {
			return func(d draw, total *convex.Form) {
				for i := range total.Lin {
					total.Lin[i] += d.NormFloat64()
				}
				total.Const += d.NormFloat64() - .1
			}
		}},
		{"ray", []int{3, 10}, []int{100, 10000}, func(n int) func(draw, *convex.Form) {
			basis := bases(n, 1)[0]
			return func(d draw, total *convex.Form) {
				basis.AddTo(total, 1)
				total.Const += d.NormFloat64()
			}
		}},
		{"fan", []int{3, 10}, []int{100, 10000}, family(2)},
		{"family", []int{3, 10}, []int{100, 1000}, family(4)},
		{"norms", []int{3, 10}, []int{100, 1000}, func(n int) func(draw, *convex.Form) {
			return func(d draw, total *convex.Form) {
				for range 2 {
					if len(total.Terms) < 3 {
						distance(1, -1.5, d.vector(n)...).AddTo(total, 1)
						continue
					}
					t := total.Terms[d.IntN(3)]
					t.Basis.AddTo(total, 1)
				}
			}
		}},
	} {
		for _, n := range path.n {
			for _, t := range path.t {
				b.Run(fmt.Sprintf("path=%s/n=%d/after=%d", path.name, n, t), func(b *testing.B) {
					play := game(b, convex.Cube(n, -2, 2), t, path.next(n))
					b.ReportAllocs()
					steps := 0
					for b.Loop() {
						steps += play().Iterations
					}
					b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
				})
			}
		}
	}
}
