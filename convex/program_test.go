package convex_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/long"
)

// checkSolution checks a solution: x is in the domain and feasible up to rounding, in units
// of scale; Value is the value at x; the gap is small and valid.
func checkSolution(set convex.Set, obj *convex.Form, x []float64, sol convex.Solution, residual,
	scale float64, opt optimum) error {
	value := obj.Value(x)
	unit := max(1, math.Abs(value))
	rounding := 1e-14 * mass(obj, x)
	switch {
	case !(set.Residual(x) <= 1e-12*max(1, vec.Norm(x))):
		return fmt.Errorf("%v is outside of the domain by %g", x, set.Residual(x))
	case !(residual <= 1e-9 && sol.Residual <= 1e-9*scale):
		return fmt.Errorf("%v violates a constraint by %g; said %g", x, residual, sol.Residual)
	case !(math.Abs(value-sol.Value) <= 1e-12*unit+rounding):
		return fmt.Errorf("Value %v is not the value at x %v: %v", sol.Value, x, value)
	case !(sol.Gap <= 1e-9*unit+rounding):
		return fmt.Errorf("relative gap %g: %+v at %v, optimum in [%v, %v] at %v", sol.Relative(), sol, x,
			opt.Lower, opt.Upper, opt.X)
	case !(opt.Upper >= sol.Value-sol.Gap-1e-9*unit-rounding):
		return fmt.Errorf("certificate lies: %+v at %v, but %v has %v", sol, x, opt.X, opt.Upper)
	case !(sol.Value <= opt.Upper+1e-8*unit):
		return fmt.Errorf("value %v, but %v has %v", sol.Value, opt.X, opt.Upper)
	case opt.Upper-opt.Lower < 1e-8*unit && !(sol.Value >= opt.Lower-1e-8*unit):
		return fmt.Errorf("value %v at %v, but the optimum is at least %v", sol.Value, x, opt.Lower)
	}
	return nil
}

// lattice draws a program in small integers, with constraints that tie, coincide or
// oppose each other, and feasible sets of one point or none.
func lattice(r *rand.Rand) (*latticeProgram, convex.Set, []*convex.Form, *convex.Form) {
	n := 1 + r.IntN(3)
	small := func() int64 { return int64(r.IntN(7) - 3) }
	l := &latticeProgram{N: n, C: make([]int64, n)}
	obj := convex.NewForm(n)
	for i := range n {
		if r.IntN(5) > 0 {
			l.C[i] = small()
		}
		obj.Lin[i] = float64(l.C[i])
	}
	if r.IntN(2) == 0 {
		l.Q = make([]int64, n*n)
		q := make([]float64, n*n)
		for range r.IntN(n + 1) {
			b := make([]int64, n)
			for i := range b {
				b[i] = small()
			}
			for i := range n {
				for j := range n {
					l.Q[i*n+j] += b[i] * b[j]
					q[i*n+j] = float64(l.Q[i*n+j])
				}
			}
		}
		(&convex.Quadratic{Q: q, A: make([]float64, n)}).AddTo(obj, 1)
	}
	var set convex.Set
	if n > 1 && r.IntN(3) == 0 {
		s := int64(1 + r.IntN(3))
		set = simplex(n, float64(s))
		l.Eqs = [][]int64{append(slices.Repeat([]int64{1}, n), -s)}
		for i := range n {
			row := make([]int64, n+1)
			row[i] = -1
			l.Rows = append(l.Rows, row)
		}
	} else {
		lo, hi := make([]float64, n), make([]float64, n)
		for i := range n {
			a := -int64(r.IntN(4))
			b := a + int64(r.IntN(5))
			lo[i], hi[i] = float64(a), float64(b)
			for _, s := range []int64{-1, 1} {
				row := make([]int64, n+1)
				row[i], row[n] = s, a
				if s > 0 {
					row[n] = -b
				}
				l.Rows = append(l.Rows, row)
			}
		}
		set = box(lo, hi)
	}
	var cons []*convex.Form
	for range r.IntN(6) {
		row := make([]int64, n+1)
		for i := range row {
			row[i] = small()
		}
		if r.IntN(3) > 0 {
			row[n] = -int64(r.IntN(4))
		}
		if k := len(cons); k > 0 && r.IntN(3) == 0 { // again, or opposite
			copy(row, l.Rows[len(l.Rows)-1])
			if r.IntN(2) == 0 {
				for i := range row {
					row[i] = -row[i]
				}
			}
		}
		l.Rows = append(l.Rows, row)
		f := convex.NewForm(n)
		for i := range n {
			f.Lin[i] = float64(row[i])
		}
		f.Const = float64(row[n])
		cons = append(cons, f)
	}
	return l, set, cons, obj
}

// TestProgramsHaveTheExactMinimum compares with the exact optimum, or that there is none.
func TestProgramsHaveTheExactMinimum(t *testing.T) {
	long.Run(t, func(t *testing.T, whole bool) { testLattice(t, caseCount(20000, whole)) })
}

func testLattice(t *testing.T, count int) {
	failed, empty := 0, 0
	worst := 0.0
	for k := range count {
		if *only >= 0 && *only != k {
			continue
		}
		r := rand.New(rand.NewPCG(2, uint64(k)))
		l, set, cons, obj := lattice(r)
		// Scaled constraints add rounding errors. A solution with fewer
		// constraints comes first, as a warm start.
		scale := []float64{1, 1. / 3, 1e5, 1e-5}[r.IntN(4)]
		warm := r.IntN(2) == 0
		p := convex.NewProgram(set)
		x := make([]float64, l.N)
		for _, f := range cons {
			if warm {
				p.Minimize(x, obj)
			}
			g := convex.NewForm(l.N)
			f.AddTo(g, scale)
			p.Constrain(g)
		}
		sol, err := p.Minimize(x, obj)
		opt, ok := l.Minimize()
		switch {
		case errors.Is(err, convex.ErrEmpty) && !ok:
			empty++
			continue
		case errors.Is(err, convex.ErrEmpty):
			err = fmt.Errorf("said empty, but %v is feasible", opt.X)
		case err == nil && !ok:
			err = fmt.Errorf("no point is feasible, but got %v with residual %g", x, sol.Residual)
		case err == nil:
			residual := 0.0
			for _, f := range cons {
				residual = max(residual, f.Value(x))
			}
			err = checkSolution(set, obj, x, sol, residual, max(1, scale), opt)
			worst = max(worst, sol.Relative())
		}
		if err != nil {
			if failed++; failed <= 5 {
				t.Errorf("case %d: %v", k, err)
			}
		}
	}
	t.Logf("%d cases, %d of them empty, %d failed; worst relative gap %.1e", count, empty, failed,
		worst)
}

// member returns a point inside of the set.
func (d draw) member(set convex.Set) []float64 {
	n := set.Dim()
	x, y := make([]float64, n), make([]float64, n)
	for k := range 4 { // an average of points of support
		dir := d.vector(n)
		set.Support(y, dir)
		vec.Scale(x, float64(k)/float64(k+1))
		vec.Axpy(x, 1/float64(k+1), y)
	}
	return x
}

// withSlater lowers f to leave z strictly inside.
func withSlater(f *convex.Form, z []float64, margin float64) *convex.Form {
	f.Const -= f.Value(z) + margin
	return f
}

func (d draw) curved(n int, bend bend) *convex.Form {
	f := convex.NewForm(n)
	switch d.IntN(4) {
	case 0:
		(&convex.Quadratic{Q: d.psd(n), A: d.vector(n)}).AddTo(f, 1)
	case 1:
		if bend != nil {
			bend(d, n).AddTo(f, 1)
			if d.IntN(2) == 0 {
				bend(d, n).AddTo(f, 1)
			}
			break
		}
		fallthrough
	default:
		(&convex.Affine{A: d.vector(n)}).AddTo(f, 1)
	}
	return f
}

// runPrograms runs seeded programs of every kind whose constraints make draws
// at a Slater point.
func runPrograms(t *testing.T, count int,
	make_ func(d draw, n int) (objective, constraint func() *convex.Form)) {
	long.Run(t, func(t *testing.T, whole bool) { everyProgram(t, caseCount(count, whole), make_) })
}

func everyProgram(t *testing.T, count int,
	make_ func(d draw, n int) (objective, constraint func() *convex.Form)) {
	for _, kind := range []string{"integer", "normal", "average", "mixed"} {
		t.Run("kind="+kind, func(t *testing.T) {
			failed, worst := 0, 0.0
			for k := range count {
				if *only >= 0 && *only != k {
					continue
				}
				d := draw{rand.New(rand.NewPCG(3, uint64(k))), kind}
				n := 1 + d.IntN(5)
				set := d.set(n)
				z := d.member(set)
				p, twin := convex.NewProgram(set), newTwinProgram(set)
				objective, constraint := make_(d, n)
				x := make([]float64, n)
				obj := convex.NewForm(n)
				var all []*convex.Form
				for step := range 1 + d.IntN(4) {
					objective().AddTo(obj, 1)
					if d.IntN(8) == 0 {
						p.Reset()
						twin.Reset()
					}
					for range d.IntN(4) {
						f := withSlater(constraint(), z, math.Pow(10, -float64(d.IntN(3))))
						p.Constrain(f)
						twin.Constrain(f)
						all = append(all, f)
					}
					sol, err := p.Minimize(x, obj)
					if err == nil {
						opt := twin.Minimize(obj)
						// Residuals in units of the steepest constraint, here or there.
						size, g := 1.0, make([]float64, n)
						for _, f := range all {
							for _, at := range [][]float64{x, z} {
								f.Subgrad(g, at)
								size = max(size, vec.Norm(g))
							}
						}
						err = checkSolution(set, obj, x, sol, twin.Residual(x)/size, size, opt)
						worst = max(worst, sol.Relative())
					}
					if err != nil {
						if failed++; failed <= 4 {
							t.Errorf("case %d, step %d: %v", k, step, err)
						}
						break
					}
				}
			}
			t.Logf("%d of %d failed; worst relative gap %.1e", failed, count, worst)
		})
	}
}

// Programs have the minimum of their twin, with objectives and constraints of every kind. Of one
// basis with constants, a program keeps the tightest constraint.
func TestProgramsHaveTheMinimumOfTheTwin(t *testing.T) {
	type maker = func(d draw, n int) func() *convex.Form
	quadratics := func(d draw, n int) func() *convex.Form {
		return func() *convex.Form { return d.quadratic(n) }
	}
	affine := func(d draw, n int) func() *convex.Form {
		return func() *convex.Form { return convex.Lower(&convex.Affine{A: d.vector(n)}, n) }
	}
	curved := func(b bend) maker {
		return func(d draw, n int) func() *convex.Form {
			return func() *convex.Form { return d.curved(n, b) }
		}
	}
	oneBasis := func(d draw, n int) func() *convex.Form {
		basis := d.bases(n, 1, norm)[0]
		return func() *convex.Form {
			f := convex.NewForm(n)
			basis.AddTo(f, .1+math.Abs(d.number()))
			return f
		}
	}
	for _, c := range []struct {
		name                  string
		count                 int
		objective, constraint maker
	}{
		{"rows", 500, quadratics, affine}, {"norms", 300, quadratics, curved(norm)},
		{"elastic nets", 150, curved(nil), curved(elasticNet)},
		{"elastic nets in both", 150, curved(elasticNet), curved(elasticNet)},
		{"one basis", 300, affine, oneBasis}, {"norms in both", 300, curved(norm), curved(norm)},
		{"known by values", 60, opaqueForm, opaqueForm},
	} {
		t.Run(c.name, func(t *testing.T) {
			runPrograms(t, c.count, func(d draw, n int) (objective, constraint func() *convex.Form) {
				constraint = c.constraint(d, n) // which draws a basis
				return c.objective(d, n), constraint
			})
		})
	}
}

// A point or a function of another dimension than the set's panics, whichever is wrong.
func TestProgramsRefuseOtherDimensions(t *testing.T) {
	for _, n := range []int{1, 2, 130} {
		for _, m := range []int{0, n - 1, n + 1} {
			p := convex.NewProgram(convex.Cube(n, -1, 1))
			wrong, right, f := make([]float64, m), make([]float64, n), convex.NewForm(n)
			for name, call := range map[string]func(){
				"Constrain":         func() { p.Constrain(convex.NewForm(m)) },
				"Minimize to":       func() { p.Minimize(wrong, f) },
				"Minimize of":       func() { p.Minimize(right, convex.NewForm(m)) },
				"MinimizeLeastNorm": func() { p.MinimizeLeastNorm(wrong, f) },
				"Project to":        func() { p.Project(wrong, right) },
				"Project from":      func() { p.Project(right, wrong) },
			} {
				panics(t, fmt.Sprintf("%s does not panic on the length %d for %d", name, m, n), call)
			}
		}
	}
}

// A constraint of one basis that is tightened again and again, between others that never bind, is
// kept each time, though the solution moves by little. Each offset is that of Σx ≤ −offset, so that
// the point nearest to (1, …, 1) has all coordinates −offset/n.
func TestTightenedConstraintIsKept(t *testing.T) {
	for _, n := range []int{2, 10, 70} {
		p, x, ones := convex.NewProgram(convex.Cube(n, -1, 1)), make([]float64, n), make([]float64, n)
		for i := range ones {
			ones[i] = 1
		}
		for k := range 3 * n {
			far := &convex.Affine{A: make([]float64, n), B: -500}
			far.A[k%n] = float64(1 + k)
			p.Constrain(convex.Lower(far, n))
		}
		b := convex.NewBasis(&convex.Affine{A: ones})
		for _, limit := range []float64{100, 1.5, 1.4, 1, 1 - 1e-6, 0.5, 0.7} {
			p.Constrain(convex.Lower(&convex.Shifted{Base: b, Shift: -limit * float64(n)}, n))
			got, err := p.Project(x, ones)
			want := min(1, limit)
			if limit == 0.7 {
				want = 0.5 // the tighter one stays
			}
			for _, v := range x {
				if !(math.Abs(v-want) <= 1e-12) {
					t.Fatalf("%d dimensions, limit %v: %v, want %v, at %v (%v)", n, limit, got, want, x, err)
				}
			}
		}
	}
}

// There are copies of the row a·x ≤ 0.1, a of length 1, that differ
// by δ in each entry, and minimises −3a·x: the face of solutions is that of the row, of the
// value −0.3, up to δ. The last proximal terms are then so small that the copies cannot be
// told apart.
func TestNearlyParallelRowsHaveOneMinimum(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, delta := range []float64{1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-8} {
		for i := range 300 {
			n := 2 + i%3
			p := convex.NewProgram(convex.Cube(n, -1, 1))
			a := make([]float64, n)
			for k := range a {
				a[k] = r.NormFloat64()
			}
			vec.Scale(a, 1/vec.Norm(a))
			for range 1 + i%6 {
				row := slices.Clone(a)
				for k := range row {
					row[k] += delta * r.NormFloat64()
				}
				p.Constrain(affine(-0.1+delta*r.NormFloat64(), row...))
			}
			vec.Scale(a, -3)
			sol, err := p.Minimize(make([]float64, n), affine(0, a...))
			off := max(0, math.Abs(sol.Value+0.3)-100*delta)
			if err != nil || sol.Residual > 1e-13 || sol.Gap > 1e-9 || off > 1e-9 {
				t.Fatalf("δ = %v, program %d: %+v %v, want −0.3", delta, i, sol, err)
			}
		}
	}
}

// TestConstraintsThatTouchZeroLeaveOnePoint has quadratic functions and norms on a line that are ≤
// 0 in one point only, up to rounding, or in none: the first ones leave this point, and the others
// nothing.
func TestConstraintsThatTouchZeroLeaveOnePoint(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 600 {
		half := math.Exp2(float64(r.IntN(8) - 4))
		at, steep := half*(2*r.Float64()-1), math.Exp2(float64(r.IntN(12)-6))
		rise := steep * half * half * []float64{0, 0, 1e-9, 1e-3}[r.IntN(4)]
		quadratic := &convex.Form{Lin: []float64{-steep * at}, Quad: []float64{steep},
			Const: steep*at*at/2 + rise}
		norm := convex.NewForm(1)
		distance(steep*half, rise, at).AddTo(norm, 1)
		for _, f := range []*convex.Form{quadratic, norm} {
			p := convex.NewProgram(convex.Cube(1, -half, half))
			p.Constrain(f)
			x := make([]float64, 1)
			_, err := p.Minimize(x, affine(0, 1))
			if (err != nil) != (rise > 0) || err == nil && !(math.Abs(x[0]-at) <= 1e-6*half) {
				t.Fatalf("%+v on [-%v, %v] raised by %v: got %v, error %v, want %v, or an error if raised", f,
					half, half, rise, x, err, at)
			}
		}
	}
}

// TestProgramsWithoutAPointAreFound has programs without a feasible point, and as many with exactly
// one. Some constraints are not affine, and some are infeasible only with the ball.
func TestProgramsWithoutAPointAreFound(t *testing.T) {
	disc := func(r float64, center ...float64) *convex.Form {
		f := convex.NewForm(len(center))
		distance(1, -r, center...).AddTo(f, 1)
		return f
	}
	bowl := func(r float64, center ...float64) *convex.Form { // ½‖x−c‖² ≤ ½r²
		return convex.Lower(&convex.HalfSquaredDistance{Weight: 1, Center: center, Offset: -r * r / 2},
			len(center))
	}
	type forms = []*convex.Form
	for name, c := range map[string]struct {
		set   convex.Set
		cons  forms
		empty bool
		x     []float64 // the only point, if there is one
	}{
		"line=apart": {convex.Cube(1, -1, 1), forms{affine(0.5, 1), affine(0.25, -1)}, true, nil},
		"line=point": {convex.Cube(1, -1, 1), forms{affine(0.5, 1), affine(-0.5, -1)}, false,
			[]float64{-0.5}},
		"line=thirds": {convex.Cube(1, -1, 1), forms{affine(-0.1, .3), affine(0.2, -.6)}, false,
			[]float64{1. / 3}},
		"line=end":         {convex.Cube(1, -1, 1), forms{affine(-1, -1)}, false, nil},
		"line=beyond":      {convex.Cube(1, -1, 1), forms{affine(1.001, -1)}, true, nil},
		"line=disc-point":  {convex.Cube(1, -1, 1), forms{disc(0, .25)}, false, []float64{.25}},
		"line=discs":       {convex.Cube(1, -1, 1), forms{disc(.25, -.5), disc(.25, .5)}, true, nil},
		"line=bowls":       {convex.Cube(1, -1, 1), forms{bowl(.25, -.5), bowl(.25, .5)}, true, nil},
		"line=disc-beyond": {convex.Cube(1, -1, 1), forms{disc(.25, 2)}, true, nil},
		"line=constant":    {convex.Cube(1, -1, 1), forms{affine(1, 0)}, true, nil},
		"line=zero":        {convex.Cube(1, -1, 1), forms{affine(0, 0), affine(-1, 0)}, false, nil},
		"box=constant":     {convex.Cube(2, -1, 1), forms{affine(1e-3, 0, 0)}, true, nil},
		"box=beyond":       {convex.Cube(2, -1, 1), forms{affine(2.001, 1, 1)}, true, nil},
		"box=corner":       {convex.Cube(2, -1, 1), forms{affine(2, 1, 1)}, false, []float64{-1, -1}},
		"box=opposite": {convex.Cube(2, -1, 1), forms{affine(-.1, 1, 1), affine(.1001, -1, -1)},
			true, nil},
		"box=segment": {convex.Cube(2, -1, 1), forms{affine(-.1, 1, 1), affine(.1, -1, -1)}, false,
			nil},
		"box=discs": {convex.Cube(3, -1, 1), forms{disc(.5, -.6, 0, 0), disc(.5, .6, 0, 0)},
			true, nil},
		"box=bowls": {convex.Cube(3, -1, 1), forms{bowl(.5, -.6, 0, 0), bowl(.5, .6, .1, 0)},
			true, nil},
		"box=disc-beyond":  {convex.Cube(2, -1, 1), forms{disc(.5, 2, 2)}, true, nil},
		"box=disc-and-row": {convex.Cube(2, -1, 1), forms{disc(.5, 0, 0), affine(1, 1, 1)}, true, nil},
		"ball=row-beyond":  {ball(1, 0, 0, 0), forms{affine(1.001, 1, 0, 0)}, true, nil},
		"ball=row-touches": {ball(1, 0, 0, 0), forms{affine(.999, 1, 0, 0)}, false, nil},
		"ball=rows":        {ball(1, 1, 1), forms{affine(.6, 1, 0), affine(.6, 0, 1)}, true, nil},
		"ball=disc":        {ball(1, 0, 0), forms{disc(1, 2.001, 0)}, true, nil},
		"ball=lens":        {ball(1, 0, 0), forms{disc(1, 1.999, 0)}, false, nil},
		"simplex=beyond": {simplex(3, 1),
			forms{affine(.34, -1, 0, 0), affine(.34, 0, -1, 0), affine(.34, 0, 0, -1)}, true, nil},
		"simplex=centre": {simplex(3, 1),
			forms{affine(1./3, -1, 0, 0), affine(1./3, 0, -1, 0), affine(1./3, 0, 0, -1)}, false,
			[]float64{1. / 3, 1. / 3, 1. / 3}},
		"simplex=disc":       {simplex(3, 1), forms{disc(.5, 0, 0, 0)}, true, nil},
		"simplex=one":        {simplex(1, 2), forms{affine(-1.9, 1)}, true, nil},
		"simplex=one-inside": {simplex(1, 2), forms{affine(-2, 1)}, false, []float64{2}},
		"point=inside": {box([]float64{0, 0}, []float64{0, 0}), forms{affine(-1, 1, 1)}, false,
			[]float64{0, 0}},
		"point=outside": {box([]float64{1, 1}, []float64{1, 1}), forms{affine(-1, 1, 1)}, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			n := c.set.Dim()
			p := convex.NewProgram(c.set)
			x := make([]float64, n)
			for range 2 { // and again after Reset
				for _, f := range c.cons {
					p.Constrain(f)
				}
				for k, obj := range []*convex.Form{
					affine(0, make([]float64, n)...), affine(1, slices.Repeat([]float64{1}, n)...),
					bowl(1, slices.Repeat([]float64{2}, n)...),
				} {
					sol, err := p.Minimize(x, obj)
					if c.empty {
						if !errors.Is(err, convex.ErrEmpty) {
							t.Errorf("objective %d: want ErrEmpty, got %v at %v: %+v", k, err, x, sol)
						}
						continue
					}
					if err != nil || sol.Residual > 1e-9 || sol.Relative() > 1e-9 {
						t.Errorf("objective %d: got error %v, %v, %+v, want a gap and a residual of 1e-9", k, err, x,
							sol)
					}
					if c.x != nil && vec.Dist(x, c.x) > 1e-9 {
						t.Errorf("objective %d: got %v, want the only feasible point %v", k, x, c.x)
					}
				}
				p.Reset()
			}
			if _, err := p.Minimize(x, affine(0, make([]float64, n)...)); err != nil {
				t.Errorf("after Reset: got error %v, want no constraints", err)
			}
		})
	}
}
