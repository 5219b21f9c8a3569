package convextest_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/convex/convextest"
)

// recorder is a testing.TB that keeps what would have failed.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()      {}
func (r *recorder) Failed() bool { return len(r.failures) > 0 }
func (r *recorder) Error(args ...any) {
	r.failures = append(r.failures, fmt.Sprint(args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failures returns what a suite said.
func failures(suite func(t testing.TB)) []string {
	r := new(recorder)
	done := make(chan bool)
	go func() {
		defer close(done)
		suite(r)
	}()
	<-done
	return r.failures
}

// badSet is a box with one method replaced.
type badSet struct {
	convex.Set
	project  func(dst, x []float64)
	support  func(dst, dir []float64) float64
	diameter float64
	residual func(x []float64) float64
}

func (s badSet) Project(dst, x []float64) {
	if s.project == nil {
		s.Set.Project(dst, x)
		return
	}
	s.project(dst, x)
}

func (s badSet) Support(dst, dir []float64) float64 {
	if s.support == nil {
		return s.Set.Support(dst, dir)
	}
	return s.support(dst, dir)
}

func (s badSet) Diameter() float64 {
	if s.diameter == 0 {
		return s.Set.Diameter()
	}
	return s.diameter
}

func (s badSet) Residual(x []float64) float64 {
	if s.residual == nil {
		return s.Set.Residual(x)
	}
	return s.residual(x)
}

// TestSuitesNameTheLaw plants one fault after the other.
func TestSuitesNameTheLaw(t *testing.T) {
	box := convex.Cube(2, -1, 1)
	points := [][]float64{{0, 0}, {1, 2}, {-1, .5}, {3, -3}}
	value := func(x []float64) float64 { return math.Abs(x[0]) + x[1] }
	grad := func(dst, x []float64) { dst[0], dst[1] = math.Copysign(1, x[0]), 1 }
	opaque := func(f func(x []float64) float64, g func(dst, x []float64)) func(t testing.TB) {
		return func(t testing.TB) {
			convextest.TestBasis(t, convex.NewBasis(&convex.Opaque{F: f, Grad: g}), points...)
		}
	}
	set := func(s badSet) func(t testing.TB) { return func(t testing.TB) { convextest.TestSet(t, s) } }
	for law, suite := range map[string]func(t testing.TB){
		"": opaque(value, grad),
		"Project lands in the set": set(badSet{Set: box, project: func(dst, x []float64) {
			copy(dst, x)
		}}),
		"⟨x−Πx, y−Πx⟩ ≤ 0": set(badSet{Set: box, project: func(dst, x []float64) { // towards the origin
			s := 1 / max(1, math.Abs(x[0]), math.Abs(x[1]))
			dst[0], dst[1] = s*x[0], s*x[1]
		}}),
		"may write over its argument": set(badSet{Set: box, project: func(dst, x []float64) {
			clear(dst)
			box.Project(dst, x)
		}}),
		"Support returns dir·dst": set(badSet{Set: box, support: func(dst, dir []float64) float64 {
			return box.Support(dst, dir) + 1
		}}),
		"Support is the largest": set(badSet{Set: box, support: func(dst, dir []float64) float64 {
			dst[0], dst[1] = 1, 1
			return dir[0] + dir[1]
		}}),
		"Diameter bounds":              set(badSet{Set: box, diameter: 2}),
		"Diameter is attained":         set(badSet{Set: box, diameter: 4}),
		"Residual is positive outside": set(badSet{Set: box, residual: func([]float64) float64 { return 0 }}),
		"do not allocate": set(badSet{Set: box, residual: func(x []float64) float64 {
			return box.Residual(slices.Clone(append(x, 0))[:2])
		}}),
		"f(y) ≥ f(x) + g·(y−x)":            opaque(func(x []float64) float64 { return -x[0] * x[0] }, func(dst, x []float64) { dst[0], dst[1] = -2*x[0], 0 }),
		"between the difference quotients": opaque(func(x []float64) float64 { return x[0] * x[0] }, func(dst, x []float64) { dst[0], dst[1] = 2.0002*x[0], 0 }),
		"writes all of dst":                opaque(value, func(dst, x []float64) { dst[0] = math.Copysign(1, x[0]) }),
		"leave x alone": opaque(value, func(dst, x []float64) {
			grad(dst, x)
			x[0] = 0
		}),
	} {
		got := failures(suite)
		if law == "" {
			if len(got) > 0 {
				t.Errorf("nothing was planted, but: %v", got)
			}
			continue
		}
		if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, law) }) {
			t.Errorf("planted %q, but the suite said %q", law, got)
		}
	}
}

// TestTwins solves by hand. min x² − 2x + 3·max(0, x − ½) over [−1, 1] has the
// slope 2x − 2 left of ½ and 2x + 1 right of it: the kink is the minimum. The
// same with y added costs nothing at y = 0.
func TestTwins(t *testing.T) {
	for n := 1; n <= 3; n++ {
		s := convextest.NewSum(convex.Cube(n, -1, 1))
		zero := make([]float64, n)
		lin, kink := make([]float64, n), make([]float64, n)
		lin[0], kink[0] = -2, 1
		s.Add(1, &convex.Affine{A: lin})
		s.AddHinge(3, convex.Lower(&convex.Affine{A: kink, B: -.5}, n))
		o := s.Minimize(convex.Prox{Weight: 1, Center: zero})
		if math.Abs(o.Upper+.75) > 1e-11 || math.Abs(o.Lower+.75) > 1e-11 || math.Abs(o.X[0]-.5) > 1e-6 {
			t.Errorf("n = %d: got %+v, want −3/4 at ½", n, o)
		}
		p := convextest.NewProgram(convex.Cube(n, -1, 1))
		p.Constrain(convex.Lower(&convex.Affine{A: kink, B: -.5}, n))
		if o := p.Minimize(convex.Lower(&convex.Affine{A: lin}, n)); math.Abs(o.Upper+1) > 1e-11 || p.Residual(o.X) > 1e-12 {
			t.Errorf("n = %d: got %+v, want −1 at ½", n, o)
		}
	}
	// min x² + y² (Q = 2I) with x + y ≥ 1, x ≥ 0, y ≥ 0 and, at last, x = 2y.
	l := &convextest.Lattice{N: 2, Q: []int64{2, 0, 0, 2}, C: []int64{0, 0}, Rows: [][]int64{{-1, -1, 1}, {-1, 0, 0}, {0, -1, 0}}}
	if o, ok := l.Minimize(); !ok || o.Upper != .5 {
		t.Errorf("got %+v, want ½ at (½, ½)", o)
	}
	l.Eqs = [][]int64{{1, -2, 0}}
	if o, ok := l.Minimize(); !ok || math.Abs(o.Upper-5./9) > 1e-15 {
		t.Errorf("got %+v, want 5/9 at (⅔, ⅓)", o)
	}
	l.Rows = append(l.Rows, []int64{0, 3, -1}, []int64{1, 1, -1}, []int64{1, 0, 0})
	if o, ok := l.Minimize(); ok {
		t.Errorf("got %+v of an empty program", o)
	}
}

func ExampleTestSet() {
	// In a test: convextest.TestSet(t, set).
	fmt.Println(failures(func(t testing.TB) { convextest.TestSet(t, convex.Cube(2, 0, 1)) }))
	// Output: []
}
