package quadprog

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"ocobench/convex/internal/screen"
	"ocobench/convex/vec"
)

// addNormal adds constraints with normally distributed slopes of which the origin satisfies each.
func addNormal(r *rand.Rand, p *Solver, rows int) {
	for range rows {
		p.AddRow(normal(r, p.n), -0.1-r.Float64(), math.Inf(1))
	}
}

// addParallel adds constraints with random slopes around a common one, each of which leaves a ball
// around the origin.
func addParallel(r *rand.Rand, p *Solver, rows int, noise float64) {
	a := make([]float64, p.n)
	for range rows {
		for i := range a {
			a[i] = 1/math.Sqrt(float64(p.n)) + noise*(2*r.Float64()-1)
		}
		p.AddRow(a, -0.1-0.3*r.Float64(), math.Inf(1))
	}
}

// downhill returns an objective whose minimiser is at many constraints of addParallel.
func downhill(r *rand.Rand, n int) Quadratic {
	f := Quadratic{Lin: make([]float64, n)}
	for i := range f.Lin {
		f.Lin[i] = -1 - r.Float64()
	}
	return f
}

// A linear program in 64 dimensions has the same least values whether thousands of rows are
// screened, with those that were violated looked at first, or all are evaluated in every scan, and
// by the dense factorisation: while rows are added, and after a reset.
func TestManyRowsHaveOneMinimum(t *testing.T) {
	const n, more, steps = 64, 700, 3
	restoreSizes(t)
	defer func() { screen.Off = false }()
	solve := func() (values []float64, screened bool) {
		r := rand.New(rand.NewPCG(4, 4))
		p, x := newSolver(cube(n, -1, 1)), make([]float64, n)
		for k := range 2 * steps {
			if k == steps {
				p.Reset()
				addParallel(r, p, steps*more, 0.5)
			}
			addParallel(r, p, more, 0.5)
			cert := minimum(t, p, x, downhill(r, n), Prox{})
			if cert.Relative() > 1e-11 || p.Violation(x) > 1e-12 {
				t.Fatalf("step %d: got %+v, violation %v, want at most 1e-11 and 1e-12", k, cert,
					p.Violation(x))
			}
			values, screened = append(values, cert.Value), p.screen != nil
		}
		return values, screened
	}
	got, screened := solve()
	if !screened {
		t.Error("got no screened row, want some")
	}
	for what, set := range map[string]func(){
		"all rows are evaluated": func() { screen.Off = true },
		"dense":                  func() { screen.Off = false; useDenseOnly() },
	} {
		t.Run(what, func(t *testing.T) {
			set()
			want, _ := solve()
			for k, v := range want {
				if math.Abs(got[k]-v) > 1e-10*(1+math.Abs(v)) {
					t.Errorf("step %d: %v, want %v as where %s", k, got[k], v, what)
				}
			}
		})
	}
}

// A solver that was reset has the bits of a new one, with every method, also if its storage has
// had larger rows; and storage that is left alone where it is zero has the bits of that which is
// cleared.
func TestResetAndStorageChangeNoBit(t *testing.T) {
	const n = 40
	for what, set := range map[string]func(){
		"dense":       useDenseOnly,
		"range space": func() { useRangeSpaceFrom(2) },
		"held":        func() { useDenseOnly(); Sizes.Hold, Sizes.HoldShare = 4, 0.3 },
		"lists":       func() { useDenseOnly(); Sizes.Lists, Sizes.Watch = 2, 2 },
	} {
		t.Run(what, func(t *testing.T) {
			for _, over := range []Set{cube(n, -1, 2), simplex{n, 1}, ball{make([]float64, n), 1}} {
				restoreSizes(t)
				set()
				solve := func(p *Solver, weight float64) (bits []uint64) {
					r := rand.New(rand.NewPCG(1, 2))
					g := &game{r: r, point: make([]float64, n)}
					x := make([]float64, n)
					for range 3 {
						for range 30 {
							p.AddRow(g.vector(), -1, math.Inf(1))
							p.AddHinge(g.vector(), r.NormFloat64(), 1)
						}
						minimum(t, p, x, Quadratic{Lin: g.vector()}, Prox{Weight: weight, Center: g.vector()})
						for _, v := range x {
							bits = append(bits, math.Float64bits(v))
						}
					}
					return bits
				}
				for _, weight := range []float64{0, 3} {
					want := solve(newSolver(over), weight)
					p := newSolver(over)
					addNormal(rand.New(rand.NewPCG(1, 1)), p, 100)
					minimum(t, p, make([]float64, n), Quadratic{Lin: slices.Repeat([]float64{1}, n)}, Prox{})
					if p.Reset(); !slices.Equal(solve(p, weight), want) {
						t.Errorf("%T, weight %v: got other bits after a reset, want the same", over, weight)
					}
					if what == "dense" {
						Sizes.Big = n
						p := newSolver(over)
						solve(p, weight)
						if p.Reset(); !slices.Equal(solve(p, weight), want) {
							t.Errorf("%T, weight %v: got other bits with storage that is left alone, want the same",
								over, weight)
						}
						Sizes.Big = never
					}
				}
			}
		})
	}
}

// Where most coordinates are at a bound at the last solution before a reset, they are held at once.
func TestResetProgramResumesWhatWasHeld(t *testing.T) {
	const n = 64
	restoreSizes(t)
	Sizes.RangeSpace = never
	p, x, obj := newSolver(cube(n, 0, 1)), make([]float64, n), Quadratic{Lin: make([]float64, n)}
	for i := range n {
		obj.Lin[i] = float64(i + 1)
	}
	cold := minimum(t, p, x, obj, nearestTo(x)).Iterations
	p.Reset()
	p.Resume(slices.Clone(x))
	warm := minimum(t, p, x, obj, nearestTo(x)).Iterations
	if cold < n || warm > 1 || len(p.Free()) != 1 {
		t.Errorf("%d ascents, then %d with %v free, want %d, one and one", cold, warm, p.Free(), n)
	}
}

// Rows stay what they were when storage grows, and when rows are removed and others added. What
// they take is not allocated several times over.
func TestRowsStayWhenStorageGrows(t *testing.T) {
	const n, rows = 64, 20*blockRows + 7
	p, a := newSolver(cube(n, -1, 1)), make([]float64, n)
	p.SetScreening(false)
	version := func(i, version int) []float64 {
		clear(a)
		a[i%n] = float64(i + 1)
		a[n-1-i%n] = float64(version)
		return a
	}
	add := func(from, to, v int) {
		for i := from; i < to; i++ {
			p.AddRow(version(i, v), 0, math.Inf(1))
		}
	}
	check := func(from, to, v int) {
		t.Helper()
		for i := from; i < to; i++ {
			if got, want := p.row(p.First()+i), version(i, v); vec.Dist(got, want) != 0 {
				t.Fatalf("row %d is %v, want %v", i, got, want)
			}
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	add(0, rows, -1)
	runtime.ReadMemStats(&after)
	check(0, rows, -1)
	if most := uint64(2 * 8 * n * rows); after.TotalAlloc-before.TotalAlloc > most {
		t.Errorf("%d bytes were allocated, want at most %d", after.TotalAlloc-before.TotalAlloc, most)
	}
	for k, left := range []int{rows - 3, 7 * blockRows, 2*blockRows + 1, 5, 0} {
		p.Truncate(p.First() + left)
		add(left, left+3*blockRows, -2-k)
		check(left, left+3*blockRows, -2-k)
		if wrong := audit(p); k == 4 && len(wrong) > 0 {
			t.Error(wrong)
		}
	}
}

// Rounds of new rows allocate nothing with the range space, however many rows there are; with the
// dense factorisation a screen's levels grow now and then.
func TestRoundsOfNewRowsAllocateNothing(t *testing.T) {
	for n, most := range map[int]float64{10: 6, 64: 0} {
		for _, m := range []int{30, 300} {
			r := rand.New(rand.NewPCG(5, uint64(m)))
			p, sum, x, zero := newSolver(cube(n, -1, 1)), newSolver(cube(n, -1, 1)), make([]float64, n),
				Quadratic{Lin: make([]float64, n)}
			a, from := make([]float64, n), make([]float64, n)
			round := func() {
				p.Reset()
				sum.Truncate(sum.First())
				for i := range from {
					from[i] = 2 * r.NormFloat64()
				}
				for range m {
					for i := range a {
						a[i] = r.NormFloat64()
					}
					p.AddRow(a, -0.1, math.Inf(1))
					sum.AddHinge(a, -0.1, 1)
				}
				minimum(t, p, x, zero, nearestTo(from))
				minimum(t, sum, x, zero, Prox{Weight: 1, Center: from})
			}
			for range 20 {
				round()
			}
			if got := testing.AllocsPerRun(20, round); got > most {
				t.Errorf("%d dimensions, %d rows: %v allocations a round, want at most %v", n, m, got, most)
			}
		}
	}
}
