package convex_test

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// leastNorm solves a program of forms afresh.
func leastNorm(set convex.Set, obj *convex.Form, gs ...*convex.Form) ([]float64, convex.Solution,
	error) {
	p := convex.NewProgram(set)
	for _, g := range gs {
		p.Constrain(g)
	}
	x := make([]float64, set.Dim())
	sol, err := p.MinimizeLeastNorm(x, obj)
	return x, sol, err
}

// Minimisers of least norm that are worked out by hand.
func TestLeastNormByHand(t *testing.T) {
	// (x − 3)² + y² ≤ 4 as a curved constraint.
	disk := convex.Lower(&convex.HalfSquaredDistance{Weight: 2, Center: []float64{3, 0}, Offset: -4}, 2)
	quadratic := func(q []float64, a ...float64) *convex.Form {
		return convex.Lower(&convex.Quadratic{Q: q, A: a}, len(a))
	}
	for _, c := range []struct {
		what string
		set  convex.Set
		obj  *convex.Form
		gs   []*convex.Form
		want []float64
		tol  float64
	}{
		{"zero loss", convex.Cube(2, -1, 1), affine(0, 0, 0), nil, []float64{0, 0}, 0},
		{"zero loss, the origin is outside of the box", convex.Cube(2, 1, 2), affine(0, 0, 0), nil,
			[]float64{1, 1}, 1e-15},
		{"zero loss, x + 2y ≥ 5", convex.Cube(2, -4, 4), affine(0, 0, 0),
			[]*convex.Form{affine(5, -1, -2)}, []float64{1, 2}, 1e-14},
		{"zero loss on a simplex", simplex(4, 2), affine(0, 0, 0, 0, 0), nil, []float64{.5, .5, .5, .5},
			1e-15},
		{"zero loss on a ball without its centre, x ≥ 1", ball(2, 0, 0), affine(0, 0, 0),
			[]*convex.Form{affine(1, -1, 0)}, []float64{1, 0}, 1e-15},
		{"a constant loss", convex.Cube(2, -1, 1), affine(7, 0, 0), nil, []float64{0, 0}, 0},
		{"a face of the box", convex.Cube(3, -1, 1), affine(0, 1, 0, 0), nil, []float64{-1, 0, 0}, 1e-14},
		{"a face of a box away from the origin", convex.Cube(2, 1, 3), affine(0, -1, 0), nil,
			[]float64{3, 1}, 1e-14},
		// The constraint x + y ≤ 1 is parallel to −x − y: the edge from (0, 1) to (1, 0).
		{"a parallel constraint", convex.Cube(2, -1, 1), affine(0, -1, -1),
			[]*convex.Form{affine(-1, 1, 1)}, []float64{.5, .5}, 1e-14},
		// The same edge, of which only y ≥ 3/4 is feasible.
		{"a part of an edge", convex.Cube(2, -1, 1), affine(0, -1, -1),
			[]*convex.Form{affine(-1, 1, 1), affine(.75, 0, -1)}, []float64{.25, .75}, 1e-14},
		// The constraint is there twice, and once more three times as large.
		{"repeated constraints", convex.Cube(2, -1, 1), affine(0, -1, -1),
			[]*convex.Form{affine(-1, 1, 1), affine(-1, 1, 1), affine(-3, 3, 3)}, []float64{.5, .5}, 1e-14},
		{"a vertex with three constraints", convex.Cube(2, -1, 1), affine(0, -1, -2),
			[]*convex.Form{affine(-1, 1, 1), affine(-1, 2, 1)}, []float64{0, 1}, 1e-14},
		// The slope along y + z ≤ 1 is so slight that x(ρ) with ρ = 10⁻³ is not at y + z = 1.
		{"a slight slope", &convex.Box{Lower: []float64{-1, .4, -1}, Upper: []float64{1, 1, 1}},
			affine(0, -1, -1e-5, -1e-5), []*convex.Form{affine(-1, 0, 1, 1)}, []float64{1, .5, .5}, 1e-10},
		{"an edge of the simplex", simplex(3, 1), affine(0, 1, 1, 2), nil, []float64{.5, .5, 0}, 1e-13},
		{"a ball, one minimiser", ball(5, 0, 0), affine(0, -3, -4), nil, []float64{3, 4}, 1e-13},
		// −x on the ball with 3x ≤ 4: the chord x = 4/3, whose middle is nearest to 0.
		{"a chord of a ball", ball(2, 0, 0), affine(0, -1, 0), []*convex.Form{affine(-4, 3, 0)},
			[]float64{4. / 3, 0}, 1e-14},
		// (x + y − 1)²/2: the minimisers are the line x + y = 1.
		{"a valley", convex.Cube(2, -1, 1), quadratic([]float64{1, 1, 1, 1}, -1, -1), nil,
			[]float64{.5, .5}, 3e-8},
		{"a valley with y ≥ 7/8", convex.Cube(2, -1, 1), quadratic([]float64{1, 1, 1, 1}, -1, -1),
			[]*convex.Form{affine(.875, 0, -1)}, []float64{.125, .875}, 3e-8},
		// x²/2 − x − y: y is at its end, and x = 1.
		{"flat and tilted", convex.Cube(3, -2, 2),
			quadratic([]float64{1, 0, 0, 0, 0, 0, 0, 0, 0}, -1, -1, 0), nil, []float64{1, 2, 0}, 1e-13},
		{"a valley through a ball", ball(2, 0, 0), quadratic([]float64{1, 0, 0, 0}, -1, 0),
			[]*convex.Form{affine(1, 0, -1)}, []float64{1, 1}, 3e-8},
		{"strongly convex", convex.Cube(2, -1, 1), quadratic([]float64{2, 1, 1, 2}, -3, -3), nil,
			[]float64{1, 1}, 1e-14},
		{"strongly convex on a ball", ball(1, 0, 0), quadratic([]float64{2, 0, 0, 2}, -6, -8), nil,
			[]float64{.6, .8}, 1e-14},
		{"strongly convex on a disk", convex.Cube(2, -5, 5), quadratic([]float64{1, 0, 0, 1}, 0, 0),
			[]*convex.Form{disk}, []float64{1, 0}, 1e-6},
		{"zero loss on a disk", convex.Cube(2, -5, 5), affine(0, 0, 0), []*convex.Form{disk},
			[]float64{1, 0}, 1e-6},
		// x + 2y on the disk: (3, 0) − 2(1, 2)/√5.
		{"a disk, one minimiser", convex.Cube(2, -5, 5), affine(0, 1, 2), []*convex.Form{disk},
			[]float64{3 - 2/math.Sqrt(5), -4 / math.Sqrt(5)}, 1e-6},
		// −x on the disk with x ≤ 2: a chord.
		{"a chord of a disk", convex.Cube(2, -5, 5), affine(0, -1, 0),
			[]*convex.Form{disk, affine(-2, 1, 0)}, []float64{2, 0}, 1e-6},
		{"one dimension, a constant", convex.Cube(1, -2, 3), affine(1, 0), nil, []float64{0}, 0},
		{"one dimension, a constant away from the origin", convex.Cube(1, -3, -2), affine(1, 0), nil,
			[]float64{-2}, 0},
		{"one dimension, downwards", convex.Cube(1, 2, 3), affine(1, 2), nil, []float64{2}, 0},
		{"one dimension, upwards", convex.Cube(1, 2, 8), affine(1, -2), []*convex.Form{affine(-5, 1)},
			[]float64{5}, 0},
		{"one dimension, a parabola", convex.Cube(1, 0, 8), quadratic([]float64{2}, -3), nil,
			[]float64{1.5}, 0},
		// 2|x − 3| + … with a kink; the constraint |x − 3| ≤ 2 is [1, 5].
		{"one dimension, a curved constraint", convex.Cube(1, -8, 8), affine(0, 0),
			[]*convex.Form{convex.Lower(distance(1, -2, 3), 1)}, []float64{1}, 1e-14},
	} {
		t.Run(c.what, func(t *testing.T) {
			x, sol, err := leastNorm(c.set, c.obj, c.gs...)
			if err != nil {
				t.Fatal(err)
			}
			if d := vec.Dist(x, c.want); d > c.tol || math.IsNaN(d) {
				t.Errorf("%v, off by %.2g, want %v", x, d, c.want)
			}
			if v := c.obj.Value(c.want); math.Abs(sol.Value-v) > 1e-12*max(1, math.Abs(v)) ||
				sol.Relative() > 1e-12 || sol.Residual > 1e-12 {
				t.Errorf("%+v, want the value %v", sol, v)
			}
		})
	}
	if _, _, err := leastNorm(convex.Cube(2, -1, 1), affine(0, 1, 0), affine(3, 1, 1)); !errors.Is(err,
		convex.ErrEmpty) {
		t.Errorf("x + y ≤ −3 on [−1, 1]²: got error %v, want %v", err, convex.ErrEmpty)
	}
}

// vertices enumerates the vertices of {x : a_i·x + b_i ≤ 0}: every n rows that are
// independent, of which all of the first equalities many.
func vertices(rows []*convex.Form, equalities, n int) (vs [][]float64) {
	for chosen := range 1 << len(rows) {
		if bits.OnesCount(uint(chosen)) != n || chosen&(1<<equalities-1) != 1<<equalities-1 {
			continue
		}
		a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		k := 0
		for i, f := range rows {
			if chosen>>i&1 == 1 {
				a.SetRow(k, f.Lin)
				b.SetVec(k, -f.Const)
				k++
			}
		}
		if math.Abs(mat.Det(a)) < 1e-9 {
			continue
		}
		var x mat.VecDense
		if x.SolveVec(a, b) != nil {
			continue
		}
		v := slices.Clone(x.RawVector().Data)
		if !slices.ContainsFunc(rows, func(f *convex.Form) bool { return f.Value(v) > 1e-10 }) {
			vs = append(vs, v)
		}
	}
	return vs
}

// nearestInHull is the point of least norm of the convex hull: among all small subsets,
// the nearest point of the affine hull that is a convex combination.
func nearestInHull(vs [][]float64) (best []float64) {
	least := math.Inf(1)
	for chosen := 1; chosen < 1<<len(vs); chosen++ {
		k := bits.OnesCount(uint(chosen))
		if k > len(vs[0])+1 {
			continue
		}
		var some [][]float64
		for i, v := range vs {
			if chosen>>i&1 == 1 {
				some = append(some, v)
			}
		}
		// Gram·λ + ν1 = 0, Σλ = 1.
		a, b := mat.NewDense(k+1, k+1, nil), mat.NewVecDense(k+1, nil)
		b.SetVec(k, 1)
		for i := range k {
			a.Set(i, k, 1)
			a.Set(k, i, 1)
			for j := range k {
				a.Set(i, j, vec.Dot(some[i], some[j]))
			}
		}
		var l mat.VecDense
		if math.Abs(mat.Det(a)) < 1e-9 || l.SolveVec(a, b) != nil {
			continue
		}
		x, inside := make([]float64, len(vs[0])), true
		for i, v := range some {
			inside = inside && l.AtVec(i) >= -1e-12
			vec.Axpy(x, l.AtVec(i), v)
		}
		if norm := vec.Norm(x); inside && norm < least {
			least, best = norm, x
		}
	}
	return best
}

// A linear program with small integers, so that there are many ties and whole faces of
// minimisers, has the least-norm point of the hull of its best vertices.
func TestLeastNormOfLinearProgramsIsThatOfTheHull(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	integer := func(size int) float64 { return float64(rng.IntN(2*size+1) - size) }
	faces, empty := 0, 0
	for k := range 1500 {
		n := 2 + rng.IntN(2)
		var rows []*convex.Form
		var set convex.Set
		equalities := 0
		if k%3 > 0 {
			box := &convex.Box{}
			for i := range n {
				lower := integer(2)
				box.Lower, box.Upper = append(box.Lower, lower), append(box.Upper, lower+float64(1+rng.IntN(3)))
				up, down := convex.NewForm(n), convex.NewForm(n)
				up.Lin[i], up.Const, down.Lin[i], down.Const = 1, -box.Upper[i], -1, box.Lower[i]
				rows = append(rows, up, down)
			}
			set = box
		} else {
			set = simplex(n, 2)
			sum := convex.NewForm(n)
			sum.Const = -2
			rows = append(rows, sum)
			for i := range n {
				sum.Lin[i] = 1
				down := convex.NewForm(n)
				down.Lin[i] = -1
				rows = append(rows, down)
			}
			equalities = 1
		}
		var gs []*convex.Form
		for range rng.IntN(4) {
			g := convex.NewForm(n)
			g.Const = integer(3)
			for i := range n {
				g.Lin[i] = integer(2)
			}
			if vec.Norm(g.Lin) > 0 {
				gs = append(gs, g)
			}
		}
		obj := convex.NewForm(n)
		for i := range n {
			obj.Lin[i] = integer(1 + k%2)
		}
		all := append(slices.Clone(rows), gs...)
		if equalities == 1 { // rows of the simplex are two-sided
			other := rows[0].Clone()
			other.Const *= -1
			vec.Scale(other.Lin, -1)
			all = append(all, other)
		}
		x, sol, err := leastNorm(set, obj, gs...)
		vs := vertices(all, equalities, n)
		if len(vs) == 0 {
			if empty++; !errors.Is(err, convex.ErrEmpty) {
				t.Fatalf("%d: got error %v, want %v", k, err, convex.ErrEmpty)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d: %v", k, err)
		}
		least := math.Inf(1)
		for _, v := range vs {
			least = min(least, obj.Value(v))
		}
		var best [][]float64
		for _, v := range vs {
			if obj.Value(v) <= least+1e-9 && !slices.ContainsFunc(best,
				func(u []float64) bool { return vec.Dist(u, v) < 1e-9 }) {
				best = append(best, v)
			}
		}
		if len(best) > 1 {
			faces++
		}
		want := nearestInHull(best)
		if math.Abs(sol.Value-least) > 1e-12 || sol.Relative() > 1e-12 || sol.Residual > 1e-13 ||
			vec.Dist(x, want) > 1e-11 {
			t.Errorf("%d: %T, %d constraints: %v with %+v is off by %.2g, want %v with %v", k, set, len(gs),
				x, sol, vec.Dist(x, want), want, least)
		}
	}
	if faces < 300 || empty < 100 {
		t.Errorf("got %d programs with many minimisers and %d with none, want at least 300 and 100",
			faces, empty)
	}
}

// squaredHinges is Σ max(0, g_i(x))² of affine g_i: smooth, and flat where all are ≤ 0.
type squaredHinges struct{ gs []*convex.Form }

func (f squaredHinges) Value(x []float64) (v float64) {
	for _, g := range f.gs {
		h := max(0, g.Value(x))
		v += float64(h * h)
	}
	return v
}

func (f squaredHinges) Subgrad(dst, x []float64) {
	clear(dst)
	for _, g := range f.gs {
		vec.Axpy(dst, 2*max(0, g.Value(x)), g.Lin)
	}
}

// A loss that is neither affine nor quadratic: where all g_i ≤ 0 the loss is least, so
// that the twin projects the origin on these constraints. In one dimension too.
func TestLeastNormOfFlatLossesIsAProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	worst := 0.0
	for k := range 200 {
		n := 1 + rng.IntN(4)
		d := draw{rng, "normal"}
		set := []convex.Set{convex.Cube(n, -1, 2), convex.Cube(n, .5, 3),
			ball(1.5, make([]float64, n)...)}[k%3]
		inside := d.member(set)
		f, twin, p := squaredHinges{}, convex.NewProgram(set), convex.NewProgram(set)
		for i := range 1 + rng.IntN(4) {
			g := convex.Lower(&convex.Affine{A: d.vector(n)}, n)
			g.Const = -g.Value(inside) - .1*rng.Float64()
			if twin.Constrain(g); i == 3 {
				p.Constrain(g)
				continue
			}
			f.gs = append(f.gs, g)
		}
		x, want := make([]float64, n), make([]float64, n)
		sol, err := p.MinimizeLeastNorm(x, convex.Lower(convex.NewBasis(f), n))
		if err != nil {
			t.Fatal(k, err)
		}
		if _, err := twin.Minimize(want, convex.Lower(
			&convex.HalfSquaredDistance{Weight: 1, Center: make([]float64, n)}, n)); err != nil {
			t.Fatal(k, err)
		}
		off := vec.Dist(x, want)
		worst = max(worst, off)
		if !(sol.Value >= 0) || sol.Value > sol.Gap || sol.Gap > 1e-7 || sol.Residual > 1e-12 ||
			off > 5e-3 {
			t.Errorf("%d: %T, n=%d: %v is off by %.2g, want %v; %+v", k, set, n, x, off, want, sol)
		}
	}
	t.Logf("the worst is off by %.2g", worst)
}
