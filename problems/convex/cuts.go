package convex

import (
	"math"
	"slices"

	"ocobench/problems/convex/vec"
)

// component is a convex part of an objective that is known by value and
// subgradient only.
type component struct {
	value   func(x []float64) float64
	subgrad func(dst, x []float64)
}

// components are the parts of the sum that the active set cannot hold: the
// bases of the smooth part, each ray, each fan, and the hinges of no special
// shape.
func (s *Sum) components() []component {
	var cs []component
	for _, t := range s.smooth.Terms {
		cs = append(cs, component{
			func(x []float64) float64 { return t.Scale * t.Basis.Value(x) },
			func(dst, x []float64) {
				t.Basis.Subgrad(dst, x)
				vec.Scale(dst, t.Scale)
			}})
	}
	hinge := func(value func(x []float64) float64, subgrad func(dst, x []float64)) {
		cs = append(cs, component{
			func(x []float64) float64 { return s.gamma * value(x) },
			func(dst, x []float64) {
				subgrad(dst, x)
				vec.Scale(dst, s.gamma)
			}})
	}
	for _, r := range s.rays {
		hinge(r.value, r.subgrad)
	}
	for _, f := range s.fans {
		hinge(f.value, f.subgrad)
	}
	if len(s.rest) > 0 {
		hinge(s.restValue, s.restSubgrad)
	}
	return cs
}

func (s *Sum) restValue(x []float64) float64 {
	v := 0.0
	for _, h := range s.rest {
		v += float64(h.w * max(0, h.f.Value(x)))
	}
	return v
}

func (s *Sum) restSubgrad(dst, x []float64) {
	g := make([]float64, len(x))
	clear(dst)
	for _, h := range s.rest {
		if h.f.Value(x) > 0 {
			h.f.Subgrad(g, x)
			vec.Axpy(dst, h.w, g)
		}
	}
}

// minimizeCuts minimises any sum by cutting planes: Kelley's method, with
// everything affine or quadratic, the regulariser and the affine hinges kept
// exact in the model. It starts at dst, where the certificate is so far.
func (s *Sum) minimizeCuts(dst []float64, prox Prox, so Cert) (Cert, error) {
	m := cutModel{set: s.set, obj: s.smooth, comps: s.components(), rows: s.rows, gamma: s.gamma, prox: prox}
	m.start = append(m.start, dst)
	m.start = append(m.start, s.cuts...)
	cert, err := m.minimize(dst, so)
	s.cuts = m.kept
	return cert, err
}

// cutModel is the program
//
//	min obj(x) + weight‖x−center‖² + rows(x) + Σ_k N_k(x)   over D with g_j(x) ≤ 0
//
// with the affine and quadratic part of obj, the rows exact, and the N_k and
// g_j (any convex functions) below by the cuts made so far: tangents at the
// points visited. In the model each N_k is a variable v_k above its cuts.
//
// The dual solution of the model bounds the optimum from below whatever the
// points are, so the method ends when the best value found is within the
// relative tolerance of it.
type cutModel struct {
	set   Set
	obj   *Form // its Terms are among comps
	prox  Prox
	comps []component
	cons  []Func // constraints
	rows  *activeSet
	gamma float64
	start [][]float64 // points to make cuts at first

	kept [][]float64 // points whose cuts carry the solution
}

// cut is a tangent: of component k, or of a constraint if k < 0.
type cut struct {
	k     int
	g     []float64
	c     float64
	point []float64
	idle  int // model solutions since it last had a multiplier
}

// feasible is the residual below which a point counts as feasible, in units
// of max(1, size of the constraint's subgradient × size of the domain).
const feasible = 1e-10

func (m *cutModel) minimize(dst []float64, so Cert) (Cert, error) {
	prox := m.prox
	n, g := m.set.Dim(), len(m.comps)
	dim := n + g
	p := newActiveSet(dim, m.set)
	p.gamma = m.gamma
	for i := m.rows.set; i < len(m.rows.b); i++ {
		p.addRow(m.rows.row(i), m.rows.b[i], m.rows.w[i])
	}
	base := len(p.b)
	smooth := &Form{Const: m.obj.Const, Lin: m.obj.Lin, Quad: m.obj.Quad}

	// The objective of the model, without the proximal terms on v (and, if
	// it is not strongly convex, on x) that make it uniquely solvable.
	lin := make([]float64, dim)
	copy(lin, smooth.Lin)
	sigma := 2 * prox.Weight
	if sigma > 0 {
		vec.Axpy(lin[:n], -sigma, prox.Center)
	}
	for k := range g {
		lin[n+k] = 1
	}
	var cuts []cut
	size := p.scale
	slope := vec.Norm(smooth.Lin) + float64(m.gamma*vec.Norm(p.onA))

	add := func(c cut) {
		row := make([]float64, dim)
		copy(row, c.g)
		if c.k >= 0 {
			row[n+c.k] = -1
		}
		p.addRow(row, c.c, math.Inf(1))
	}
	best := math.Inf(1)
	bestPoint := make([]float64, n)
	v := make([]float64, g)    // the components at the point visited last
	vMid := make([]float64, g) // where the proximal term of v is centred
	residual := 0.0            // of the point visited last, relative
	visit := func(x []float64) {
		point := slices.Clone(x)
		value := smooth.Value(x) + prox.value(x)
		hinges, violation := m.rows.hinges(x)
		value += float64(m.gamma * hinges)
		residual = violation
		for k, c := range m.comps {
			grad := make([]float64, n)
			c.subgrad(grad, x)
			v[k] = c.value(x)
			value += v[k]
			cuts = append(cuts, cut{k: k, g: grad, c: v[k] - vec.Dot(grad, x), point: point})
			add(cuts[len(cuts)-1])
			slope = max(slope, vec.Norm(grad))
		}
		for _, f := range m.cons {
			fx := f.Value(x)
			if fx <= 0 {
				continue
			}
			grad := make([]float64, n)
			f.Subgrad(grad, x)
			residual = max(residual, fx/max(1, float64(vec.Norm(grad)*size)))
			cuts = append(cuts, cut{k: -1, g: grad, c: fx - vec.Dot(grad, x), point: point})
			add(cuts[len(cuts)-1])
		}
		if value < best && residual <= feasible {
			best = value
			copy(bestPoint, x)
		}
	}
	x := make([]float64, n)
	for _, at := range m.start {
		copy(x, at)
		visit(x)
	}
	copy(p.x, x)

	lower := so.Value - so.Gap
	steps := so.Iterations
	for iter := range 4000 {
		// Proximal points of the model; in v they end after a step or two.
		force := slope
		if force == 0 {
			force = 1
		}
		delta := 0.1 / (force * size)
		rho := 0.0
		if sigma == 0 {
			rho = 1e-3 * force / size
		}
		quad := make([]float64, dim*dim)
		if smooth.curved() {
			for i := range n {
				copy(quad[i*dim:i*dim+n], smooth.Quad[i*n:(i+1)*n])
			}
		}
		for k := range g {
			quad[(n+k)*dim+n+k] = delta
		}
		copy(vMid, v)
		mid := slices.Clone(x)
		var bound float64
		for range 6 {
			copy(p.c, lin)
			vec.Axpy(p.c[:n], -rho, mid)
			vec.Axpy(p.c[n:], -delta, vMid)
			if err := p.solveIn(m.set, sigma+rho, quad); err != nil {
				return Cert{}, err
			}
			steps += p.steps
			m.set.Project(x, p.x[:n])
			moved := rho * vec.Dist(x, mid) * size
			copy(mid, x)
			off := 0.0
			for k := range g {
				off = max(off, float64(delta*abs(p.x[n+k]-vMid[k])))
			}
			copy(vMid, p.x[n:])
			bound = m.bound(p, base, cuts, x, smooth, prox)
			lower = max(lower, bound)
			if off <= 1e-12 && moved <= float64(1e-12*max(1, abs(bound))) {
				break
			}
		}
		// Which cuts carry the model.
		for i := range cuts {
			cuts[i].idle++
		}
		for k, i := range p.active {
			if i >= base && p.mu[k] > 0 {
				cuts[i-base].idle = 0
			}
		}
		visit(x)
		if gap := best - lower; !math.IsInf(best, 1) && (gap <= float64(certified*max(1, abs(best))) || iter > 400 && gap <= float64(1e-9*max(1, abs(best)))) {
			break
		}
		if len(cuts) > 40*dim+200 {
			cuts = slices.DeleteFunc(cuts, func(c cut) bool { return c.idle > 20 })
			p.truncate(base)
			for _, c := range cuts {
				add(c)
			}
		}
	}
	if math.IsInf(best, 1) { // no point visited was feasible to rounding
		copy(bestPoint, x)
		best = smooth.Value(x) + prox.value(x)
		for k := range v {
			best += v[k]
		}
	}
	copy(dst, bestPoint)
	m.kept = m.kept[:0]
	for _, c := range cuts {
		if c.idle <= 1 && !slices.ContainsFunc(m.kept, func(q []float64) bool { return slices.Equal(q, c.point) }) {
			m.kept = append(m.kept, c.point)
		}
	}
	return Cert{Value: best, Gap: max(0, best-lower), Iterations: steps}, nil
}

// bound returns the dual bound of the model's multipliers: those of a
// component's cuts are scaled to sum to 1, so that its variable drops out.
func (m *cutModel) bound(p *activeSet, base int, cuts []cut, x []float64, smooth *Form, prox Prox) float64 {
	n := len(x)
	g := make([]float64, n)
	smooth.Subgrad(g, x)
	value := smooth.Value(x) + prox.value(x)
	prox.addGrad(g, x)
	// Hinges that are rows, at their multipliers.
	rows := make([]float64, n)
	vec.Axpy(rows, p.gamma, p.onA[:n])
	c := float64(p.gamma * p.onB)
	total := make([]float64, len(m.comps))
	for k, i := range p.active {
		switch {
		case i < p.set:
		case i < base:
			vec.Axpy(rows, p.mu[k], p.row(i)[:n])
			c += float64(p.mu[k] * p.b[i])
		case cuts[i-base].k >= 0:
			total[cuts[i-base].k] += p.mu[k]
		}
	}
	for k, i := range p.active {
		w := p.mu[k]
		if i < base || w == 0 {
			continue
		}
		if comp := cuts[i-base].k; comp >= 0 {
			w /= total[comp]
		}
		vec.Axpy(rows, w, cuts[i-base].g)
		c += float64(w * cuts[i-base].c)
	}
	for k, t := range total {
		if t > 0 {
			continue
		}
		for i := len(cuts) - 1; i >= 0; i-- {
			if cuts[i].k == k {
				vec.Axpy(rows, 1, cuts[i].g)
				c += cuts[i].c
				break
			}
		}
	}
	vec.Axpy(g, 1, rows)
	value += vec.Dot(rows, x) + c
	return value - tangentGap(m.set, x, g, 2*prox.Weight, make([]float64, n), make([]float64, n))
}
