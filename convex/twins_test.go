package convex_test

import (
	"cmp"
	"math"
	"slices"

	"ocobench/convex"
)

// The twins twinSum, twinProgram and latticeProgram store all functions and solve
// slowly, by methods that have no code and no idea in common with package convex:
// enumeration of breakpoints, ellipsoids, and enumeration of the faces of a
// polyhedron in integers. Their answer is an interval that contains the optimum.

// twinSum is the twin of [Sum]: it stores every function and hinge, and
// evaluates all of them every time.
type twinSum struct {
	Set    convex.Set
	Gamma  float64
	parts  []part
	hinges []part
}

type part struct {
	scale float64
	f     *convex.Form
}

// newTwinSum returns the zero sum over the set, with γ = 1.
func newTwinSum(set convex.Set) *twinSum { return &twinSum{Set: set, Gamma: 1} }

// Add adds scale·f.
func (s *twinSum) Add(scale float64, f convex.Func) {
	s.parts = append(s.parts, part{scale, convex.Lower(f, s.Set.Dim())})
}

// SetGamma sets the weight of all hinges.
func (s *twinSum) SetGamma(gamma float64) { s.Gamma = gamma }

// ResetHinges removes all hinges.
func (s *twinSum) ResetHinges() { s.hinges = nil }

// AddHinge adds w·max(0, f).
func (s *twinSum) AddHinge(w float64, f *convex.Form) {
	s.hinges = append(s.hinges, part{w, f.Clone()})
}

// Replay adds all that s was given to another sum.
func (s *twinSum) Replay(to *convex.Sum) {
	to.SetGamma(s.Gamma)
	for _, p := range s.parts {
		to.Add(p.scale, p.f)
	}
	for _, h := range s.hinges {
		to.AddHinge(h.scale, h.f)
	}
}

// Value returns the sum with the regulariser at x.
func (s *twinSum) Value(x []float64, prox convex.Prox) float64 {
	v := 0.0
	for _, p := range s.parts {
		v += p.scale * p.f.Value(x)
	}
	for _, h := range s.hinges {
		v += s.Gamma * h.scale * max(0, h.f.Value(x))
	}
	return v + proxValue(prox, x)
}

// Mass is the size of the numbers that add up to Value; see the function
// mass.
func (s *twinSum) Mass(x []float64, prox convex.Prox) float64 {
	m := proxValue(prox, x)
	for _, p := range s.parts {
		m += p.scale * mass(p.f, x)
	}
	for _, h := range s.hinges {
		m += s.Gamma * h.scale * mass(h.f, x)
	}
	return m
}

func (s *twinSum) subgrad(g, x []float64, prox convex.Prox) {
	work := make([]float64, len(x))
	clear(g)
	add := func(scale float64, f *convex.Form) {
		f.Subgrad(work, x)
		for i, w := range work {
			g[i] += scale * w
		}
	}
	for _, p := range s.parts {
		add(p.scale, p.f)
	}
	for _, h := range s.hinges {
		if h.f.Value(x) > 0 {
			add(s.Gamma*h.scale, h.f)
		}
	}
	if prox.Weight > 0 {
		for i := range g {
			g[i] += 2 * prox.Weight * (x[i] - prox.Center[i])
		}
	}
}

func proxValue(prox convex.Prox, x []float64) float64 {
	if prox.Weight == 0 {
		return 0
	}
	v := 0.0
	for i, c := range prox.Center {
		v += (x[i] - c) * (x[i] - c)
	}
	return prox.Weight * v
}

// optimum bounds a least value: Lower ≤ least value ≤ Upper, up to rounding. Upper is
// the value at X.
type optimum struct {
	Lower, Upper float64
	X            []float64
}

// Minimize minimises the sum. In one dimension, for affine and quadratic parts, it
// tries every breakpoint and the vertex of every parabola between two of them.
// Otherwise it uses ellipsoid.
func (s *twinSum) Minimize(prox convex.Prox) optimum {
	if s.Set.Dim() == 1 {
		if o, ok := s.enumerate(prox); ok {
			return o
		}
	}
	return ellipsoid(s.Set,
		func(x []float64) float64 { return s.Value(x, prox) },
		func(g, x []float64) { s.subgrad(g, x, prox) },
		nil)
}

// enumerate tries every breakpoint in one dimension.
func (s *twinSum) enumerate(prox convex.Prox) (optimum, bool) {
	lo, hi := interval(s.Set)
	at := []float64{lo, hi}
	for _, h := range s.hinges {
		if len(h.f.Terms) > 0 {
			return optimum{}, false
		}
		at = append(at, roots(h.f)...)
	}
	for _, p := range s.parts {
		if len(p.f.Terms) > 0 {
			return optimum{}, false
		}
	}
	slices.Sort(at)
	at = slices.DeleteFunc(slices.Compact(at), func(x float64) bool { return !(x >= lo && x <= hi) })
	candidates := slices.Clone(at)
	for k := range len(at) - 1 {
		// Between two breakpoints the sum is one parabola.
		mid := at[k] + (at[k+1]-at[k])/2
		q, a := 2*prox.Weight, 0.0
		if prox.Weight > 0 {
			a = -2 * prox.Weight * prox.Center[0]
		}
		add := func(scale float64, f *convex.Form) {
			a += scale * f.Lin[0]
			if len(f.Quad) > 0 {
				q += scale * f.Quad[0]
			}
		}
		for _, p := range s.parts {
			add(p.scale, p.f)
		}
		for _, h := range s.hinges {
			if h.f.Value([]float64{mid}) > 0 {
				add(s.Gamma*h.scale, h.f)
			}
		}
		if x := -a / q; x > at[k] && x < at[k+1] {
			candidates = append(candidates, x)
		}
	}
	o := optimum{Upper: math.Inf(1)}
	for _, x := range candidates {
		if v := s.Value([]float64{x}, prox); v < o.Upper {
			o.Upper, o.X = v, []float64{x}
		}
	}
	o.Lower = o.Upper
	return o, true
}

// interval returns the ends of a set of one dimension.
func interval(set convex.Set) (lo, hi float64) {
	at := make([]float64, 1)
	return -set.Support(at, []float64{-1}), set.Support(at, []float64{1})
}

// roots returns the roots of an affine or quadratic form of one variable.
func roots(f *convex.Form) []float64 {
	a, b := f.Lin[0], f.Const
	if len(f.Quad) == 0 || f.Quad[0] == 0 {
		return []float64{-b / a}
	}
	q := f.Quad[0]
	disc := a*a - 2*q*b
	if disc < 0 {
		return nil
	}
	r := math.Sqrt(disc)
	if a > 0 {
		r = -r
	}
	return []float64{(-a + r) / q, 2 * b / (-a + r)}
}

// twinProgram is the twin of [Program], for feasible sets with an interior.
type twinProgram struct {
	Set  convex.Set
	cons []*convex.Form
}

// newTwinProgram returns the program over the set without constraints.
func newTwinProgram(set convex.Set) *twinProgram { return &twinProgram{Set: set} }

// Reset removes all constraints.
func (p *twinProgram) Reset() { p.cons = nil }

// Constrain adds the constraint f ≤ 0.
func (p *twinProgram) Constrain(f *convex.Form) { p.cons = append(p.cons, f.Clone()) }

// Residual is the largest violation of a constraint or of the set at x.
func (p *twinProgram) Residual(x []float64) float64 {
	r := p.Set.Residual(x)
	for _, f := range p.cons {
		r = max(r, f.Value(x))
	}
	return r
}

// Minimize minimises f by ellipsoid.
func (p *twinProgram) Minimize(f *convex.Form) optimum {
	return ellipsoid(p.Set, f.Value, f.Subgrad, p.cons)
}

// ellipsoid minimises a convex function over the set and the constraints g ≤ 0 by
// the ellipsoid method with deep cuts (Shor 1977; Bland, Goldfarb, Todd 1981). Every
// ellipsoid contains the minimiser, which gives a lower bound. The method needs
// about 2n² ln(1/ε) steps for any functions. Upper is +Inf if no point satisfies the
// constraints, or if the interior of the feasible set is too small.
func ellipsoid(set convex.Set, value func(x []float64) float64, subgrad func(g, x []float64),
	cons []*convex.Form) optimum {
	c := newChart(set)
	n, k := set.Dim(), len(c.cols)
	o := optimum{Lower: math.Inf(-1), Upper: math.Inf(1)}
	z := make([]float64, k)
	x, g := make([]float64, n), make([]float64, n)
	// The ellipsoid is z + B·(unit ball).
	b := make([][]float64, k)
	for i := range b {
		b[i] = make([]float64, k)
		b[i][i] = c.radius
	}
	h, u, bu := make([]float64, k), make([]float64, k), make([]float64, k)
	for range 60*k*k + 400*k + 1 {
		c.point(x, z)
		// The cut, of the most violated constraint or of the objective, is
		// level + g·(y−x) ≤ 0. The minimiser satisfies it.
		level, feasible := 0.0, true
		if l := c.outside(g, x); l > 0 {
			level, feasible = l, false
		}
		if feasible {
			worst := -1
			for i, f := range cons {
				if v := f.Value(x); v > level {
					level, worst = v, i
				}
			}
			if worst >= 0 {
				feasible = false
				cons[worst].Subgrad(g, x)
			}
		}
		v := 0.0
		if feasible {
			v = value(x)
			subgrad(g, x)
			if v < o.Upper {
				o.Upper, o.X = v, slices.Clone(x)
			}
			level = v - o.Upper
		}
		c.pull(h, g)
		// u = Bᵀh; the least value of the cut on the ellipsoid is level − ‖u‖.
		norm := 0.0
		for j := range u {
			u[j] = 0
			for i := range h {
				u[j] += b[i][j] * h[i]
			}
			norm += u[j] * u[j]
		}
		norm = math.Sqrt(norm)
		if feasible {
			o.Lower = max(o.Lower, v-norm)
			if norm == 0 || o.Upper-o.Lower <= 1e-13*max(1, math.Abs(o.Upper)) {
				break
			}
		}
		depth := level / norm
		if !(depth < 1) {
			break // the cut leaves nothing
		}
		kf := float64(k)
		if k == 1 { // an interval
			r := math.Abs(b[0][0])
			s := 1.0
			if h[0] < 0 {
				s = -1
			}
			z[0] -= s * r * (1 + depth) / 2
			b[0][0] = r * (1 - depth) / 2
			continue
		}
		tau := (1 + kf*depth) / (kf + 1)
		delta := math.Sqrt(kf * kf * (1 - depth*depth) / (kf*kf - 1))
		sigma := 2 * (1 + kf*depth) / ((kf + 1) * (1 + depth))
		shrink := 1 - math.Sqrt(max(0, 1-sigma))
		for i := range bu {
			bu[i] = 0
			for j := range u {
				u2 := u[j] / norm
				bu[i] += b[i][j] * u2
			}
			z[i] -= tau * bu[i]
		}
		for i := range b {
			for j := range b[i] {
				b[i][j] = delta * (b[i][j] - shrink*bu[i]*u[j]/norm)
			}
		}
	}
	o.Lower = min(o.Lower, o.Upper)
	return o
}

// chart is an affine map x = base + Σ z_k cols_k onto the affine hull of a
// set, in which the set has an interior.
type chart struct {
	set    convex.Set
	base   []float64
	cols   [][]float64
	radius float64
}

func newChart(set convex.Set) chart {
	n := set.Dim()
	c := chart{set: set, base: make([]float64, n)}
	axis := func(i int) []float64 {
		e := make([]float64, n)
		e[i] = 1
		return e
	}
	switch s := set.(type) {
	case *convex.Box:
		for i := range n {
			c.base[i] = s.Lower[i] + (s.Upper[i]-s.Lower[i])/2
			if s.Lower[i] < s.Upper[i] {
				c.cols = append(c.cols, axis(i))
			}
		}
		c.radius = set.Diameter() / 2
	case *convex.Ball:
		copy(c.base, s.Center)
		for i := range n {
			c.cols = append(c.cols, axis(i))
		}
		c.radius = s.Radius
	case *convex.Simplex:
		for i := range n {
			c.base[i] = s.Scale / float64(n)
		}
		for i := range n - 1 {
			e := axis(i)
			e[n-1] = -1
			c.cols = append(c.cols, e)
		}
		c.radius = s.Scale
	}
	c.radius *= 1.0001
	return c
}

func (c *chart) point(x, z []float64) {
	copy(x, c.base)
	for k, e := range c.cols {
		for i := range x {
			x[i] += z[k] * e[i]
		}
	}
}

// pull writes the gradient in z for the gradient g in x.
func (c *chart) pull(h, g []float64) {
	for k, e := range c.cols {
		h[k] = 0
		for i := range g {
			h[k] += g[i] * e[i]
		}
	}
}

// outside returns by how much x violates the set's worst inequality, and
// writes its gradient to g; 0 inside.
func (c *chart) outside(g, x []float64) float64 {
	worst := 0.0
	mark := func(v float64, i int, s float64) {
		if v > worst {
			worst = v
			clear(g)
			g[i] = s
		}
	}
	switch s := c.set.(type) {
	case *convex.Box:
		for i, v := range x {
			if s.Lower[i] == s.Upper[i] {
				continue
			}
			mark(v-s.Upper[i], i, 1)
			mark(s.Lower[i]-v, i, -1)
		}
	case *convex.Ball:
		d := 0.0
		for i, v := range x {
			d += (v - s.Center[i]) * (v - s.Center[i])
		}
		if d = math.Sqrt(d); d > s.Radius {
			worst = d - s.Radius
			for i, v := range x {
				g[i] = (v - s.Center[i]) / d
			}
		}
	case *convex.Simplex:
		for i, v := range x {
			mark(-v, i, -1)
		}
	}
	return worst
}

// latticeProgram is a convex program in integers,
//
//	min ½xᵀQx + c·x   over lower ≤ x ≤ upper with a_i·x + b_i ≤ 0 and e_i·x + d_i = 0,
//
// solved exactly: the answer is the best feasible optimum on the affine hull of a
// face. It is the twin for programs without feasible points or without interior.
// With entries below ten and up to three dimensions, all numbers fit in 64 bits.
type latticeProgram struct {
	N    int
	Q, C []int64   // Q may be nil
	Rows [][]int64 // n+1 numbers each: a, b
	Eqs  [][]int64
}

// Minimize returns the optimum and one minimiser, or false if no point is feasible.
func (l *latticeProgram) Minimize() (optimum, bool) {
	o := optimum{Upper: math.Inf(1)}
	var subset func(from int, rows [][]int64)
	subset = func(from int, rows [][]int64) {
		l.try(rows, &o)
		if len(rows) == l.N {
			return
		}
		for i := from; i < len(l.Rows); i++ {
			subset(i+1, append(slices.Clone(rows), l.Rows[i]))
		}
	}
	subset(0, l.Eqs)
	o.Lower = o.Upper
	return o, o.X != nil
}

// try solves the stationarity conditions with these rows held with equality.
func (l *latticeProgram) try(rows [][]int64, o *optimum) {
	n, q := l.N, len(rows)
	m := make([][]int64, n+q)
	for i := range m {
		m[i] = make([]int64, n+q+1)
		if i < n {
			for j := range n {
				if l.Q != nil {
					m[i][j] = l.Q[i*n+j]
				}
			}
			for k, r := range rows {
				m[i][n+k] = r[i]
			}
			m[i][n+q] = -l.C[i]
		} else {
			r := rows[i-n]
			copy(m[i], r[:n])
			m[i][n+q] = -r[n]
		}
	}
	num, den, ok := bareiss(m)
	if !ok {
		return
	}
	for _, r := range l.Rows {
		if dotWithoutLast(r, num)+r[n]*den > 0 {
			return
		}
	}
	for _, r := range l.Eqs {
		if dotWithoutLast(r, num)+r[n]*den != 0 {
			return
		}
	}
	x := make([]float64, n)
	v := 0.0
	for i := range x {
		x[i] = float64(num[i]) / float64(den)
	}
	for i := range x {
		v += float64(l.C[i]) * x[i]
		for j := range x {
			if l.Q != nil {
				v += float64(l.Q[i*n+j]) * x[i] * x[j] / 2
			}
		}
	}
	if cmp.Less(v, o.Upper) {
		o.Upper, o.X = v, x
	}
}

// dotWithoutLast returns the product of num and the row without its last entry, the right side.
func dotWithoutLast(r, num []int64) int64 {
	var s int64
	for i, a := range r[:len(r)-1] {
		s += a * num[i]
	}
	return s
}

// bareiss solves the square system with the right side as last column in
// fractions num/den, den > 0; false if it is singular.
func bareiss(m [][]int64) (num []int64, den int64, ok bool) {
	n := len(m)
	prev := int64(1)
	for k := range n {
		p := slices.IndexFunc(m[k:], func(r []int64) bool { return r[k] != 0 })
		if p < 0 {
			return nil, 0, false
		}
		m[k], m[k+p] = m[k+p], m[k]
		// Gauss–Jordan without fractions: all divisions are exact.
		for i := range n {
			if i == k {
				continue
			}
			f := m[i][k]
			for j := range m[i] {
				m[i][j] = (m[k][k]*m[i][j] - f*m[k][j]) / prev
			}
		}
		prev = m[k][k]
	}
	num = make([]int64, n)
	for i := range num {
		num[i] = m[i][n]
	}
	den = prev
	if n == 0 {
		return nil, 1, true
	}
	if den < 0 {
		den = -den
		for i := range num {
			num[i] = -num[i]
		}
	}
	return num, den, true
}
