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

// BenchmarkFeatures measures whole games of Penalised FTRL, whose constraints are
// drawn from K quadratic functions that the losses push against.
func BenchmarkFeatures(b *testing.B) {
	for _, n := range []int{3, 10} {
		for _, k := range []int{3, 5} {
			for _, horizon := range []int{1000, 10_000, 100_000} {
				b.Run(fmt.Sprintf("n=%d/K=%d/T=%d", n, k, horizon), func(b *testing.B) {
					if testing.Short() && horizon > 10_000 {
						b.Skip("a long game")
					}
					b.ReportAllocs()
					steps := 0
					for b.Loop() {
						steps += featuresGame(b, n, k, horizon)
					}
					rounds := float64(b.N) * float64(horizon)
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/rounds, "ns/round")
					b.ReportMetric(float64(steps)/rounds, "steps/round")
				})
			}
		}
	}
}

// featuresGame plays a game and returns the number of ascents.
func featuresGame(b *testing.B, n, k, horizon int) (steps int) {
	d := draw{rand.New(rand.NewPCG(17, 18)), "normal"}
	var bases []*convex.Basis
	for range k {
		f := &convex.Quadratic{Q: d.psd(n), A: d.vector(n), B: -.5 + .2*d.NormFloat64()}
		for i := range n {
			f.Q[i*n+i] += .5
		}
		bases = append(bases, convex.NewBasis(f))
	}
	s := convex.NewSum(convex.Cube(n, -2, 2))
	s.SetGamma(25)
	total, x, center := convex.NewForm(n), make([]float64, n), make([]float64, n)
	push := d.vector(n)
	for round := 1; round <= horizon; round++ {
		loss := d.vector(n)
		for i, p := range push {
			loss[i] += p
		}
		s.Add(1, &convex.Affine{A: loss})
		bases[d.IntN(k)].AddTo(total, 1)
		s.AddHinge(1/float64(round), total)
		cert, err := s.Minimize(x, convex.Prox{Weight: math.Sqrt(float64(round)), Center: center})
		if err != nil || cert.Relative() > 1e-9 {
			b.Fatal(round, cert, err)
		}
		steps += cert.Iterations
	}
	return steps
}

// BenchmarkProgram measures cold solutions of programs with t constraints.
func BenchmarkProgram(b *testing.B) {
	for _, path := range []struct {
		name string
		make func(d draw, n int) *convex.Form
	}{
		{"rows", func(d draw, n int) *convex.Form {
			return convex.Lower(&convex.Affine{A: d.vector(n)}, n)
		}},
		{"norms", func(d draw, n int) *convex.Form {
			return convex.Lower(distance(1, 0, d.vector(n)...), n)
		}},
		{"quadratics", func(d draw, n int) *convex.Form {
			return convex.Lower(&convex.Quadratic{Q: d.psd(n), A: d.vector(n)}, n)
		}},
	} {
		for _, n := range []int{2, 5, 10} {
			for _, t := range []int{2, 100} {
				b.Run(fmt.Sprintf("path=%s/n=%d/t=%d", path.name, n, t), func(b *testing.B) {
					d := draw{rand.New(rand.NewPCG(15, 16)), "normal"}
					var p *convex.Program
					x, z, obj := make([]float64, n), make([]float64, n), affine(0, d.vector(n)...)
					var cons []*convex.Form
					for range t {
						cons = append(cons, slater(path.make(d, n), z, .5))
					}
					b.ReportAllocs()
					steps := 0
					for b.Loop() {
						p = convex.NewProgram(convex.Cube(n, -2, 2))
						for _, f := range cons {
							p.Constrain(f)
						}
						sol, err := p.Minimize(x, obj)
						if err != nil || sol.Relative() > 1e-9 {
							b.Fatal(sol, err)
						}
						steps += sol.Iterations
					}
					b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
				})
			}
		}
	}
}
