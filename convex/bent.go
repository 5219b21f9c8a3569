package convex

import (
	"errors"
	"math"
	"slices"

	"ocobench/convex/vec"
)

// bent minimises, over the set,
//
//	obj(x) + weight‖x−center‖² + rows(x) + family(x) + Σ_k scale_k u_k(x) + Σ_h w_h max(0, p_h·u(x) + c_h),
//
// obj being affine or quadratic and the u_k any convex functions that are
// smooth where it matters, by Newton's method for such compositions (Fletcher
// 1982; for constraints, w_h = ∞, it is sequential quadratic programming): each
// step linearises the u_k inside of the hinges, adds the curvature that they
// have at the multipliers of the step before, and solves what is left by the
// active set. It converges quadratically, and in one step if nothing is
// curved.
//
// Of the family's hinges the model has those as rows that change sign between
// the point where it was made and its minimiser; the others are in it as their
// sum. Which do, the minimiser of the model without them tells: rows are added
// until no other changes sign.
//
// Where the u_k hold multiples of ‖x‖₁, these kinks are in the model as they are,
// and u_k is linearised without them (see lifted).
//
// The certificate needs none of that. For multipliers 0 ≤ λ_h ≤ w_h the convex
// function
//
//	L = obj + … + Σ_h λ_h (p_h·u + c_h)
//
// is below the objective, and above its tangent at x.
type bent struct {
	set      Set
	obj      *Form // its terms are among the atoms
	prox     Prox
	rows     *activeSet // the model, with γ; its hinges come and go behind those there are
	accuracy float64    // the gap to end at, near rounding if 0
	atoms    []atom
	fixed    []outer
	trees    []tree

	family *family // nil: none

	model []outer   // its hinges but for the family's
	mu    []float64 // their multipliers
	lo    float64   // the constant of L

	x, point, row []float64
	g, line, quad []float64
	at            visited

	flat   *activeSet // the model where nothing holds ‖x‖₁
	lifted *lifted    // the model where something does, and then not nil
	raised bool       // which of them
}

// atom is one u_k, at the point visited last.
type atom struct {
	f      Evaluator
	scale  float64
	value  float64
	grad   []float64
	lambda float64 // its factor in L
	kinked float64 // the factor of ‖x‖₁ in it
}

// outer is the hinge w·max(0, p·u_i + q·u_j + c).
type outer struct {
	i, j    int // j < 0: none
	p, q, c float64
	w       float64
}

// tree is a ray or a fan: its hinges in the model are single near the point
// visited last, and elsewhere sums of many, which are below their hinges.
type tree struct {
	steps *breaks
	i, j  int // j < 0: a ray
}

func newBent(set Set, rows *activeSet) *bent {
	n := set.Dim()
	b := &bent{set: set, rows: rows, flat: rows, quad: make([]float64, n*n)}
	for _, v := range []*[]float64{&b.x, &b.point, &b.row, &b.g, &b.line, &b.at.x} {
		*v = make([]float64, n)
	}
	return b
}

// bent returns the problem of the sum, whose affine hinges become the
// family's.
func (s *Sum) bent(prox Prox) *bent {
	if s.newton == nil {
		s.newton = newBent(s.set, s.rows)
	}
	if len(s.rows.b) > s.rows.set {
		s.needFamily().take(s.rows)
	}
	b := s.newton
	b.obj, b.prox, b.family, b.accuracy = s.smooth, prox, s.family, s.accuracy
	b.atoms, b.fixed, b.trees = b.atoms[:0], b.fixed[:0], b.trees[:0]
	b.terms(s.smooth)
	for _, r := range s.rays {
		b.trees = append(b.trees, tree{&r.steps, b.atom(r.basis, 0), -1})
	}
	for _, f := range s.fans {
		b.trees = append(b.trees, tree{&f.steps, b.atom(f.first, 0), b.atom(f.second, 0)})
	}
	for _, h := range s.rest {
		b.fixed = append(b.fixed, outer{i: b.atom(h.f, 0), j: -1, p: 1, w: h.w})
	}
	return b
}

// terms makes one atom of the terms of the objective.
func (b *bent) terms(obj *Form) {
	if len(obj.Terms) > 0 {
		b.atom(newMixture(obj), 1)
	}
}

func (b *bent) atom(f Evaluator, scale float64) int {
	k := len(b.atoms)
	b.atoms = slices.Grow(b.atoms, 1)[:k+1]
	grad := b.atoms[k].grad
	if grad == nil {
		grad = make([]float64, b.set.Dim())
	}
	b.atoms[k] = atom{f: f, scale: scale, grad: grad, lambda: scale, kinked: kinked(f)}
	return k
}

// choose takes the lifted model where an atom holds ‖x‖₁.
func (b *bent) choose() {
	b.rows = b.flat
	b.raised = slices.ContainsFunc(b.atoms, func(a atom) bool { return a.kinked > 0 })
	if b.raised {
		if b.lifted == nil {
			b.lifted = newLifted(b.flat, b.set)
		}
		b.rows = b.lifted.activeSet
		b.rows.gamma = b.flat.gamma
	}
}

// visit evaluates everything at x. It returns the objective without the
// constraints, and the largest violation of one in units of max(1, ‖∇g‖·size
// of the domain).
func (b *bent) visit(x []float64) (value, violation float64) {
	smooth := Form{Const: b.obj.Const, Lin: b.obj.Lin, Quad: b.obj.Quad}
	value = smooth.Value(x) + b.prox.value(x)
	for k := range b.atoms {
		a := &b.atoms[k]
		a.value = a.f.Value(x)
		a.f.Subgrad(a.grad, x)
		value += float64(a.scale * a.value)
	}
	hinges, violation := b.rows.hinges(x)
	if b.family != nil {
		hinges += b.family.visit(x)
	}
	for _, t := range b.trees {
		if u := b.atoms[t.i].value; t.j < 0 {
			sum := t.steps.below(u)
			hinges += max(0, float64(sum.a*u)+sum.b)
		} else {
			hinges += (&fan{steps: *t.steps}).at(u, b.atoms[t.j].value)
		}
	}
	for _, o := range b.fixed {
		switch h := b.inner(o); {
		case h <= 0:
		case math.IsInf(o.w, 1):
			violation = max(violation, h/max(1, float64(vec.Norm(b.atoms[o.i].grad)*b.rows.scale)))
		default:
			hinges += float64(o.w * h)
		}
	}
	return value + float64(b.rows.gamma*hinges), violation
}

// inner is p·u_i + q·u_j + c.
func (b *bent) inner(o outer) float64 {
	v := float64(o.p*b.atoms[o.i].value) + o.c
	if o.j >= 0 {
		v += float64(o.q * b.atoms[o.j].value)
	}
	return v
}

// outers brings the hinges of the model to the point visited last.
func (b *bent) outers() {
	hs := append(b.model[:0], b.fixed...)
	for _, t := range b.trees {
		u := b.atoms[t.i].value
		if t.j < 0 {
			t.steps.open(u, func(s increment) { hs = append(hs, outer{i: t.i, j: -1, p: s.a, c: s.b, w: 1}) })
			continue
		}
		v := b.atoms[t.j].value
		theta := 0.0
		if u != v {
			theta = min(max(0, u/(u-v)), 1)
		}
		t.steps.open(theta, func(s increment) { hs = append(hs, outer{i: t.i, j: t.j, p: s.a, q: s.b, w: 1}) })
	}
	b.model = hs
}

// step brings x to the minimiser of the model at x, with ½ρ‖·−x‖² added, and
// sets the multipliers.
func (b *bent) step(x []float64, rho float64) error {
	n, p, at, row, quad := len(x), b.rows, x, b.row, b.quad
	if b.raised {
		at, row = b.lifted.raise(x), b.lifted.row
	}
	base := len(p.b)
	defer p.truncate(base)
	b.outers()
	for _, h := range b.model {
		inner := b.inner(h)
		clear(row)
		b.addGrad(row, at, h.i, h.p)
		if h.j >= 0 {
			b.addGrad(row, at, h.j, h.q)
		}
		p.addRow(row, inner-vec.Dot(row, at), h.w)
		if inner > 0 && !math.IsInf(h.w, 1) {
			p.is[len(p.is)-1] = on
			p.weigh(len(p.is)-1, 1)
		}
	}
	first := len(p.b)
	clear(quad)
	if b.family != nil {
		b.family.addHessian(quad, b.family.lambda)
	}
	for _, a := range b.atoms {
		if a.lambda != 0 {
			addHessian(a.f, quad, x, a.lambda)
		}
	}
	copy(p.c, b.obj.Lin)
	for i := range n {
		p.c[i] -= vec.Dot(quad[i*n:(i+1)*n], x)
	}
	if b.obj.curved() {
		vec.Axpy(quad, 1, b.obj.Quad)
	}
	sigma := 2 * b.prox.Weight
	if sigma > 0 {
		vec.Axpy(p.c[:n], -sigma, b.prox.Center)
	}
	vec.Axpy(p.c[:n], -rho, x)
	clear(p.c[n:])
	for k := range b.atoms {
		a := &b.atoms[k]
		b.addGrad(p.c, at, k, a.scale)
		a.lambda = a.scale
	}
	if b.raised {
		quad = b.lifted.damp(quad, sigma+rho)
	}
	err := error(nil)
	if b.family == nil {
		err = p.solveIn(b.set, sigma+rho, quad)
	} else {
		err = b.family.solve(p, sigma+rho, quad)
	}
	if err != nil {
		return err
	}
	b.set.Project(x, p.x[:n])
	if b.raised {
		b.lifted.signs(x)
	}
	// The multipliers of the model's hinges, and with them L.
	b.mu = slices.Grow(b.mu[:0], len(b.model))[:len(b.model)]
	for k := range b.model {
		b.mu[k] = 0
		if p.is[base+k] == on {
			b.mu[k] = p.cap(base + k)
		}
	}
	for k, i := range p.active {
		if i >= base && i < first {
			b.mu[i-base] = p.mu[k]
		}
	}
	b.lo = 0
	if b.family != nil {
		b.lo = b.family.multiply(p, first)
	}
	for k, h := range b.model {
		if !math.IsInf(h.w, 1) {
			b.mu[k] *= h.w // the active set has the weight in the row
		}
		b.atoms[h.i].lambda += float64(b.mu[k] * h.p)
		if h.j >= 0 {
			b.atoms[h.j].lambda += float64(b.mu[k] * h.q)
		}
		b.lo += float64(b.mu[k] * h.c)
	}
	return nil
}

// addGrad adds s times the gradient of atom k in the model at the point at,
// which is x, or (x, |x|) where the model is lifted.
func (b *bent) addGrad(dst, at []float64, k int, s float64) {
	a := &b.atoms[k]
	n := len(a.grad)
	vec.Axpy(dst[:n], s, a.grad)
	if a.kinked > 0 {
		c := float64(s * a.kinked)
		for i, v := range at[:n] {
			dst[i] -= float64(c * sign(v))
			dst[n+i] += c
		}
	}
}

// gap bounds how far value is above the least one by the tangent of L at x,
// the point visited last.
func (b *bent) gap(x []float64, value float64) float64 {
	smooth := Form{Const: b.obj.Const, Lin: b.obj.Lin, Quad: b.obj.Quad}
	rows, g := b.line, b.g
	clear(rows)
	lower := b.lo + b.rows.lagrangian(rows)
	lower += vec.Dot(rows, x) + smooth.Value(x) + b.prox.value(x)
	smooth.Subgrad(g, x)
	vec.Axpy(g, 1, rows)
	b.prox.addGrad(g, x)
	for _, a := range b.atoms {
		lower += float64(a.lambda * a.value)
		vec.Axpy(g, a.lambda, a.grad)
		if c := float64(a.lambda * a.kinked); c > 0 { // ‖y‖₁ ≥ sign·y
			for i, v := range x {
				s := b.lifted.sign[i] - sign(v)
				g[i] += float64(c * s)
				lower += float64(c * float64(s*v))
			}
		}
	}
	if f := b.family; f != nil {
		lower += vec.Dot(f.lambda, f.phi) - float64(b.rows.gamma*f.blur)
		f.pull(g, 1, f.lambda)
	}
	return max(0, value-lower) + tangentGap(b.set, x, g, 2*b.prox.Weight, rows, b.row)
}

// minimize writes the minimiser to dst, from start where there is one.
//
// A full step may well lead to a worse point, off a curved kink that it ran
// along; the next ones come back to it. So steps are full, and less and less
// damped, as long as values fall. When they rose three times without a better
// point found, the method goes back to the best one, damps its steps a
// hundredfold, and from then on corrects every first step from a best point
// by a short one.
func (b *bent) minimize(dst, start []float64) (Cert, error) {
	b.choose()
	x, point, at := b.x, b.point, &b.at
	switch {
	case len(start) > 0:
		copy(x, start)
	case b.prox.Weight > 0:
		b.set.Project(x, b.prox.Center)
	default:
		clear(x)
		b.set.Project(x, x)
	}
	value, violation := b.visit(x)
	// Violations count in the merit of a point by more than any multiplier.
	weight := 0.0
	at.set(x, value, violation)
	best := Cert{Value: value, Gap: math.Inf(1)}
	copy(point, x)
	quality := math.Inf(1)
	diameter := b.set.Diameter()
	if diameter == 0 {
		diameter = 1
	}
	force := 0.0
	for _, a := range b.atoms {
		force = max(force, vec.Norm(a.grad))
	}
	if b.family != nil {
		force = max(force, b.family.steepest())
	}
	if f := vec.Norm(b.obj.Lin); f > 0 {
		force = f
	}
	if force == 0 {
		force = 1
	}
	first := 1e-3 * force / diameter
	rho := 0.0
	if b.prox.Weight == 0 {
		rho = first
	}
	missed, away, before := 0, 0, math.Inf(1)
	restarts, stalled, steps, polished := 0, 0, 0, false
	patience := 60
	for k := 0; k < 200 && stalled < patience; k++ {
		tight := rho
		if restarts > 0 && away%2 == 1 {
			tight = float64(1000*rho) + first
		}
		err := b.step(x, tight)
		steps += b.rows.steps
		if errors.Is(err, errCurvature) {
			rho = max(100*rho, 1e-6*first)
			copy(x, at.x)
			b.visit(x)
			stalled++
			continue
		}
		if err != nil {
			return Cert{Iterations: steps}, err
		}
		for h, mu := range b.mu[:len(b.fixed)] {
			if o := b.fixed[h]; math.IsInf(o.w, 1) {
				weight = max(weight, float64(2*mu*max(1, float64(vec.Norm(b.atoms[o.i].grad)*b.rows.scale))))
			}
		}
		value, violation = b.visit(x)
		gap := b.gap(x, value)
		stalled++
		// Off by the gap above the least value, and by what the violation may
		// have gained below it.
		if q := gap + float64(weight*violation); violation <= feasible && q < quality {
			if q < quality/2 {
				stalled = 0
			}
			// So near, a step that does not halve it is one of rounding.
			if quality = q; q <= float64(1e-12*max(1, abs(value))) {
				patience = 4
			}
			best.Value, best.Gap = value, gap
			copy(point, x)
		}
		if quality <= max(b.accuracy, float64(1e-14*max(1, abs(value)))) {
			if polished || violation <= 1e-15 {
				break
			}
			polished = true // one step more for the violation's sake
		}
		merit, last := value+float64(weight*violation), before
		before = merit
		if merit < at.value+float64(weight*at.violation) {
			at.set(x, value, violation)
			missed, away = 0, 0
			if rho /= 10; b.prox.Weight > 0 && rho < float64(1e-6*b.prox.Weight) {
				rho = 0
			}
			continue
		}
		away++
		if merit < last {
			rho /= 3
		} else {
			missed++
		}
		if missed > 2 || away > 50 {
			missed, away, before = 0, 0, math.Inf(1)
			restarts++
			copy(x, at.x)
			b.visit(x)
			rho = max(100*rho, first)
		}
	}
	copy(dst, point)
	best.Iterations = steps
	return best, nil
}

// visited is a point with its value and violation.
type visited struct {
	x                []float64
	value, violation float64
}

func (v *visited) set(x []float64, value, violation float64) {
	copy(v.x, x)
	v.value, v.violation = value, violation
}
