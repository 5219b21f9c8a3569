package convex_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// The suites checkSet, checkFunc and checkBasis check the laws that the rest of
// the program relies on. A failure names the law that is broken.

// checkSet checks the laws of a [Set].
func checkSet(t testing.TB, set convex.Set) {
	t.Helper()
	n := set.Dim()
	if n < 1 {
		t.Fatalf("Dim is positive: got %d", n)
	}
	r := rand.New(rand.NewPCG(7, uint64(n)))
	zero, at, back := make([]float64, n), make([]float64, n), make([]float64, n)
	// size is the largest coordinate of the set in size, for tolerances.
	size := math.Nextafter(0, 1)
	for i := range n {
		for _, s := range []float64{-1, 1} {
			dir := make([]float64, n)
			dir[i] = s
			size = max(size, math.Abs(set.Support(at, dir)))
		}
	}
	tol := 1e-13 * size * float64(n)

	var members [][]float64
	member := func(law string, x []float64) {
		t.Helper()
		if res := set.Residual(x); !(res <= tol) {
			t.Errorf("%s: %v has residual %g", law, x, res)
		}
		members = append(members, slices.Clone(x))
	}
	// Directions: the axes, their differences, the diagonal, random ones.
	var dirs [][]float64
	for i := range n {
		for j := range i + 1 {
			if n > 6 && i-j > 1 {
				continue
			}
			for _, s := range []float64{-1, 1} {
				d := make([]float64, n)
				d[i], d[j] = s, -s
				if i == j {
					d[i] = s
				}
				dirs = append(dirs, d)
			}
		}
	}
	for range 20 {
		d := make([]float64, n)
		for i := range d {
			d[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(7)-3))
		}
		dirs = append(dirs, d)
	}
	ones := slices.Repeat([]float64{1}, n)
	dirs = append(dirs, ones, slices.Repeat([]float64{-1}, n), zero)
	diameter := set.Diameter()
	if !(diameter >= 0) || math.IsInf(diameter, 1) {
		t.Errorf("Diameter is finite and not negative: got %v", diameter)
	}
	for _, d := range dirs {
		v := set.Support(at, d)
		scale := vec.Norm(d) * size
		if got := vec.Dot(d, at); math.Abs(got-v) > 1e-13*float64(n)*scale {
			t.Errorf("Support returns dir·dst: dir %v, dst %v, returned %v, dir·dst = %v", d, at, v, got)
		}
		member("Support writes a member", at)
		opposite := make([]float64, n)
		vec.Axpy(opposite, -1, d)
		if width := v + set.Support(back, opposite); width > diameter*vec.Norm(d)+1e-13*float64(n)*scale {
			t.Errorf("Diameter bounds every width: along %v the width is %v, Diameter %v", d,
				width/vec.Norm(d), diameter)
		}
	}
	// Points inside and far outside, with ties.
	var points [][]float64
	for k := range 120 {
		x := make([]float64, n)
		scale := size * math.Pow(10, float64(k%12-4))
		for i := range x {
			if k%3 == 0 {
				x[i] = scale * float64(r.IntN(5)-2)
			} else {
				x[i] = scale * r.NormFloat64()
			}
		}
		points = append(points, x, slices.Repeat([]float64{x[0]}, n))
	}
	points = append(points, zero)
	points = append(points, members...)
	projected := make([][]float64, len(points))
	for k, x := range points {
		p := slices.Repeat([]float64{math.NaN()}, n)
		set.Project(p, x)
		projected[k] = p
		member("Project lands in the set", p)
		y := slices.Clone(x)
		set.Project(y, y)
		if !slices.Equal(y, p) {
			t.Errorf("Project may write over its argument: Π(%v) = %v, in place %v", x, p, y)
		}
		set.Project(back, p)
		if d := vec.Dist(back, p); d > tol {
			t.Errorf("Project is idempotent: ΠΠ(%v) is %g from Π(x) = %v", x, d, p)
		}
		// Rounding of x itself moves the projection.
		far := 1e-14 * vec.Norm(x) * float64(n)
		res, out := set.Residual(x), vec.Dist(x, p)
		if res < 0 || res > math.Sqrt(float64(n))*out+tol+far {
			t.Errorf("Residual is between 0 and √n times the distance: at %v it is %g, the distance %g", x,
				res, out)
		}
		if out > 10*tol+far && res == 0 {
			t.Errorf("Residual is positive outside: %v is %g away and has 0", x, out)
		}
	}
	for k, x := range points {
		p := projected[k]
		eps := 1e-14 * float64(n)
		for _, y := range members {
			s := 0.0
			for i := range x {
				s += (x[i] - p[i]) * (y[i] - p[i])
			}
			if s > eps*((vec.Norm(x)+size)*vec.Dist(y, p)+vec.Dist(x, p)*size) {
				t.Fatalf("⟨x−Πx, y−Πx⟩ ≤ 0 for members y: x %v, Πx %v, y %v: %g", x, p, y, s)
			}
		}
		for j := range k {
			if d, e := vec.Dist(p, projected[j]), vec.Dist(x, points[j]); d > e+
				1e-14*float64(n)*(vec.Norm(x)+vec.Norm(points[j]))+tol {
				t.Fatalf("Project is nonexpansive: ‖Π(%v) − Π(%v)‖ = %g > %g", x, points[j], d, e)
			}
		}
	}
	attained := 0.0
	for _, x := range members {
		for _, d := range dirs {
			if v := set.Support(at, d); vec.Dot(d, x) > v+1e-13*float64(n)*vec.Norm(d)*size {
				t.Fatalf("Support is the largest dir·y: dir %v, Support %v, at %v it is %v", d, v, x,
					vec.Dot(d, x))
			}
		}
		for _, y := range members {
			attained = max(attained, vec.Dist(x, y))
		}
	}
	if math.Abs(attained-diameter) > 10*tol {
		t.Errorf("Diameter is attained by points of support and bounds all distances: it is %v, the "+
			"largest distance seen %v", diameter, attained)
	}
	noAllocation(t, "Project, Support and Residual", func() {
		set.Project(at, points[0])
		set.Support(at, ones)
		set.Residual(at)
	})
	long := make([]float64, n+1)
	panics(t, "Project panics on a length that is not Dim", func() { set.Project(long, long) })
	panics(t, "Support panics on a length that is not Dim",
		func() { set.Support(long, make([]float64, n+1)) })
	panics(t, "Residual panics on a length that is not Dim", func() { set.Residual(long) })
}

// checkFunc checks the laws of a [Func] at the points and between them.
// Points at kinks, and on both sides of them, test most.
func checkFunc(t testing.TB, f convex.Func, points ...[]float64) {
	t.Helper()
	if len(points) == 0 {
		t.Fatal("got no points, want some")
	}
	n := len(points[0])
	all := slices.Clone(points)
	for i, x := range points { // and between every two
		for _, y := range points[:i] {
			m := make([]float64, n)
			for k := range m {
				m[k] = x[k] + (y[k]-x[k])*0.375
			}
			all = append(all, m)
		}
	}
	form := convex.Lower(f, n)
	checkEvaluator(t, f, all)
	if !t.Failed() {
		checkEvaluator(t, form, all)
	}
	// Values are compared in units of their size and of what cancels in the
	// form.
	unit := 1.0
	for _, x := range all {
		unit = max(unit, math.Abs(f.Value(x)), mass(form, x))
	}
	tol := 1e-12 * unit
	for _, x := range all {
		if v, w := f.Value(x), form.Value(x); math.Abs(v-w) > tol {
			t.Errorf("the normal form has the function's values: at %v they are %v and %v", x, w, v)
		}
	}
	other := convex.Lower(&convex.Affine{A: slices.Repeat([]float64{3}, n), B: -2}, n)
	before := other.Clone()
	scale := 2.5
	f.AddTo(other, scale)
	f.AddTo(other, scale)
	for _, x := range all {
		if got, want := other.Value(x), before.Value(x)+2*scale*f.Value(x); math.Abs(got-want) > 10*tol {
			t.Errorf("AddTo adds scale times the function to what is there: at %v got %v, want %v", x, got,
				want)
		}
	}
	if len(other.Terms) != len(form.Terms) {
		t.Errorf("AddTo adds terms of the same basis: %d terms after two, %d after one", len(other.Terms),
			len(form.Terms))
	}
	nothing := convex.NewForm(n)
	f.AddTo(nothing, 0)
	for _, x := range all {
		if v := nothing.Value(x); v != 0 {
			t.Errorf("AddTo with scale 0 adds nothing: at %v it added %v", x, v)
		}
	}
	if g, ok := f.(*convex.Form); !ok || len(g.Terms) == 0 {
		dst := make([]float64, n)
		noAllocation(t, "Value and Subgrad", func() {
			f.Value(all[0])
			f.Subgrad(dst, all[0])
		})
	}
}

// checkBasis checks the laws of a [Basis], those of checkFunc included.
func checkBasis(t testing.TB, b *convex.Basis, points ...[]float64) {
	t.Helper()
	checkFunc(t, b, points...)
	n := len(points[0])
	form := convex.Lower(b, n)
	if len(form.Terms) != 1 || form.Terms[0].Basis != b || form.Terms[0].Scale != 1 ||
		form.Const != 0 {
		t.Errorf("a basis lowers to itself: got %+v", form)
	}
	expanded, ok := b.Expand(n)
	if !ok {
		return
	}
	if len(expanded.Terms) != 0 {
		t.Errorf("Expand gives an affine or quadratic form: it has %d terms", len(expanded.Terms))
	}
	for _, x := range points {
		if v, w := b.Value(x), expanded.Value(x); math.Abs(v-w) > 1e-12*max(1, mass(expanded, x)) {
			t.Errorf("Expand gives the basis: at %v it is %v, the form %v", x, v, w)
		}
	}
}

// checkEvaluator checks values and subgradients against each other.
func checkEvaluator(t testing.TB, f convex.Evaluator, points [][]float64) {
	t.Helper()
	n := len(points[0])
	values, grads := make([]float64, len(points)), make([][]float64, len(points))
	for k, x := range points {
		kept := slices.Clone(x)
		values[k] = f.Value(x)
		grads[k] = slices.Repeat([]float64{math.NaN()}, n)
		f.Subgrad(grads[k], x)
		if !slices.Equal(x, kept) {
			t.Fatalf("Value and Subgrad leave x alone: %v became %v", kept, x)
		}
		if v := f.Value(x); v != values[k] {
			t.Fatalf("Value depends on x alone: at %v it was %v, now %v", x, values[k], v)
		}
		for _, g := range append(slices.Clone(grads[k]), values[k]) {
			if math.IsNaN(g) || math.IsInf(g, 0) {
				t.Fatalf("values and subgradients are finite, and Subgrad writes all of dst: at %v got %v, %v",
					x, values[k], grads[k])
			}
		}
	}
	tolerance := func(k int, x []float64) float64 {
		return 1e-12 * (1 + math.Abs(values[k]) + vec.Norm(grads[k])*(vec.Norm(x)+vec.Norm(points[k])))
	}
	for k, x := range points {
		for j, y := range points {
			bound := values[k]
			for i := range x {
				bound += grads[k][i] * (y[i] - x[i])
			}
			if values[j] < bound-tolerance(k, y)-1e-12*math.Abs(values[j]) {
				t.Fatalf("f(y) ≥ f(x) + g·(y−x) for g = Subgrad(x): x %v, g %v, y %v: f(y) = %v < %v", x,
					grads[k], y, values[j], bound)
			}
		}
		// The subgradients of a convex function are between its difference
		// quotients, which are close where it is smooth.
		y := slices.Clone(x)
		for i := range n {
			h := 1e-5 * max(1, math.Abs(x[i]))
			y[i] = x[i] + h
			right := (f.Value(y) - values[k]) / (y[i] - x[i])
			y[i] = x[i] - h
			left := (values[k] - f.Value(y)) / (x[i] - y[i])
			y[i] = x[i]
			if g, tol := grads[k][i], tolerance(k, x)/h; g < left-tol || g > right+tol {
				t.Fatalf("a subgradient lies between the difference quotients: at %v coordinate %d has %v, "+
					"quotients [%v, %v]", x, i+1, g, left, right)
			}
		}
	}
}

// mass returns the sum of the sizes of the numbers that add up to f(x). Rounding errors
// are of the order of 1e-16 times mass.
func mass(f *convex.Form, x []float64) float64 {
	m, n := math.Abs(f.Const), len(x)
	for i, a := range f.Lin {
		m += math.Abs(a * x[i])
	}
	for i, q := range f.Quad {
		m += math.Abs(q*x[i/n]*x[i%n]) / 2
	}
	for _, t := range f.Terms {
		if form, ok := t.Basis.Expand(n); ok {
			m += math.Abs(t.Scale) * mass(form, x)
		} else {
			m += math.Abs(t.Scale * t.Basis.Value(x))
		}
	}
	return m
}

// noAllocation fails the test if a call of f allocates memory.
func noAllocation(t testing.TB, what string, f func()) {
	t.Helper()
	if a := testing.AllocsPerRun(10, f); a != 0 {
		t.Errorf("%s do not allocate: %v allocations", what, a)
	}
}

// panics fails the test, with the law that is broken, unless f panics.
func panics(t testing.TB, law string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error(law)
		}
	}()
	f()
}

// recorder is a testing.TB that records failures.
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

// failures returns the messages of a suite.
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

// badSet is a box with one method replaced; nil or 0 leaves that of the box.
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
	basis := func(f func(x []float64) float64, g func(dst, x []float64)) func(t testing.TB) {
		return func(t testing.TB) {
			checkBasis(t, convex.NewBasis(&opaque{F: f, Grad: g}), points...)
		}
	}
	set := func(s badSet) func(t testing.TB) { return func(t testing.TB) { checkSet(t, s) } }
	for law, suite := range map[string]func(t testing.TB){
		"": func(t testing.TB) {
			basis(value, grad)(t)
			checkSet(t, box)
		},
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
		"Diameter bounds":      set(badSet{Set: box, diameter: 2}),
		"Diameter is attained": set(badSet{Set: box, diameter: 4}),
		"Residual is positive outside": set(
			badSet{Set: box, residual: func([]float64) float64 { return 0 }}),
		"do not allocate": set(badSet{Set: box, residual: func(x []float64) float64 {
			return box.Residual(slices.Clone(append(x, 0))[:2])
		}}),
		"f(y) ≥ f(x) + g·(y−x)": basis(func(x []float64) float64 { return -x[0] * x[0] },
			func(dst, x []float64) { dst[0], dst[1] = -2*x[0], 0 }),
		"between the difference quotients": basis(func(x []float64) float64 { return x[0] * x[0] },
			func(dst, x []float64) { dst[0], dst[1] = 2.0002*x[0], 0 }),
		"writes all of dst": basis(value, func(dst, x []float64) { dst[0] = math.Copysign(1, x[0]) }),
		"leave x alone": basis(value, func(dst, x []float64) {
			grad(dst, x)
			x[0] = 0
		}),
	} {
		got := failures(suite)
		if law == "" {
			if len(got) > 0 {
				t.Errorf("nothing planted: got failures %v, want none", got)
			}
			continue
		}
		if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, law) }) {
			t.Errorf("got failures %q, want one that names the law %q", got, law)
		}
	}
}
