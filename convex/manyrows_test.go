package convex

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"ocobench/convex/vec"
)

// manyRows adds affine constraints with a random slope around a common one, each of which leaves a
// ball around the origin.
func manyRows(r *rand.Rand, p *Program, rows int, noise float64) {
	n := p.set.Dim()
	f := NewForm(n)
	for range rows {
		for i := range f.Lin {
			f.Lin[i] = 1/math.Sqrt(float64(n)) + float64(noise*(2*r.Float64()-1))
		}
		f.Const = -0.1 - 0.3*r.Float64()
		p.Constrain(f)
	}
}

// downhill is an objective whose minimiser is at many constraints of manyRows.
func downhill(r *rand.Rand, n int) *Form {
	f := NewForm(n)
	for i := range f.Lin {
		f.Lin[i] = -1 - r.Float64()
	}
	return f
}

// A linear program in 64 dimensions has the same least values whether rows are screened, with those
// that almost were violated looked at first, or all are evaluated in every scan, and with J and R:
// while rows are added, and after it was reset.
func TestManyRowsTwin(t *testing.T) {
	const n, more, steps = 64, 700, 4
	solve := func() (values []float64) {
		r := rand.New(rand.NewPCG(4, 4))
		p, x := NewProgram(Cube(n, -1, 1)), make([]float64, n)
		for k := range 2 * steps {
			if k == steps {
				p.Reset()
				manyRows(r, p, steps*more, 0.5)
			}
			manyRows(r, p, more, 0.5)
			sol, err := p.Minimize(x, downhill(r, n))
			if err != nil || !(sol.Relative() <= 1e-11) || sol.Residual > 1e-12 {
				t.Fatalf("step %d: %+v (%v)", k, sol, err)
			}
			if k >= steps && p.rows.screen == nil && !rescan {
				t.Error("no rows are screened")
			}
			values = append(values, sol.Value)
		}
		return values
	}
	got := solve()
	twins := map[string][]float64{}
	func() {
		defer func() { rescan = false }()
		rescan = true
		twins["all rows in every scan"] = solve()
	}()
	reduceFrom(1<<30, func() { twins["J and R"] = solve() })
	for name, want := range twins {
		for k, v := range want {
			if abs(got[k]-v) > 1e-10*(1+abs(v)) {
				t.Errorf("step %d: %v, and %v with %s", k, got[k], v, name)
			}
		}
	}
}

// A program that is reset and has nearly the same constraints again begins at the active rows of
// the last solution, and needs few ascents from there.
func TestResetResumes(t *testing.T) {
	const n, m = 64, 100
	p, x := NewProgram(Cube(n, -1, 1)), make([]float64, n)
	solve := func(noise float64) int {
		r := rand.New(rand.NewPCG(5, 5))
		p.Reset()
		manyRows(r, p, m, noise)
		sol, err := p.Minimize(x, downhill(r, n))
		if err != nil {
			t.Fatal(err)
		}
		return sol.Iterations
	}
	if cold, warm := solve(0.5), solve(0.5001); cold < 50 || warm > cold/5 {
		t.Errorf("%d ascents, and %d from the solution before", cold, warm)
	}
}

// Rows stay what they were when storage grows, and when rows are removed and others added. What
// they take is not allocated several times over.
func TestRowBlocks(t *testing.T) {
	const n, rows = 64, 20*blockRows + 7
	p := newActiveSet(n, Cube(n, -1, 1))
	a := make([]float64, n)
	add := func(from, to, version int) {
		for i := from; i < to; i++ {
			a[i%n] = float64(i + 1)
			a[n-1-i%n] = float64(version)
			p.addRow(a, 0, math.Inf(1))
			clear(a)
		}
	}
	check := func(from, to, version int) {
		t.Helper()
		for i := from; i < to; i++ {
			a[i%n] = float64(i + 1)
			a[n-1-i%n] = float64(version)
			if got := p.row(p.domainRows + i); vec.Dist(got, a) != 0 {
				t.Fatalf("row %d is %v, want %v", i, got, a)
			}
			clear(a)
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
		p.truncate(p.domainRows + left)
		add(left, left+3*blockRows, -2-k)
		check(left, left+3*blockRows, -2-k)
	}
}
