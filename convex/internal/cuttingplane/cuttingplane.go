// Package cuttingplane minimises
//
//	obj(x) + weight‖x−center‖² + rows(x) + Σ_k N_k(x)   over x in D with g_j(x) ≤ 0
//
// by a proximal bundle method (Kiwiel 1990), where N_k and g_j are any convex functions, known by
// values and subgradients, obj is affine or quadratic, and the rows are hinges and constraints. Its
// model has the regulariser, the rows and obj exactly. It replaces N_k and g_j by the largest of
// their cuts, which are tangents at the points evaluated so far. In the model each N_k is a
// variable v_k above its cuts.
//
// If nothing makes the problem strongly convex, the next point minimises the
// model plus ½ρ‖x − x̂‖², where the stability centre x̂ is the best point so far;
// without this term the points jump between vertices of the model. ρ falls when
// the model predicted the decrease well, and rises when the model was far too
// low.
//
// The multipliers of the model give a lower bound of the optimum at any point.
// The method ends when the best value is within the accuracy, or the relative
// tolerance, of this bound. An iteration costs the evaluation of all functions at one point, and a
// quadratic program in (x, v) with a row for each cut; some 10 to 400 iterations are usual.
//
// Reference: Kiwiel, Proximity control in bundle methods for convex
// nondifferentiable minimization, 1990.
package cuttingplane

import (
	"errors"
	"math"
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// Component is a convex part N of the objective.
type Component struct {
	Value   func(x []float64) float64
	Subgrad func(dst, x []float64)
	// Pieces are affine functions of which the component is the largest; nil if they are not known.
	Pieces []quadprog.Quadratic
}

// Constraint is a constraint g(x) ≤ 0, with the size of g on the domain.
type Constraint struct {
	Value   func(x []float64) float64
	Subgrad func(dst, x []float64)
	Size    float64
}

// Problem is what is minimised.
type Problem struct {
	Domain      quadprog.Domain
	Objective   quadprog.Quadratic
	Prox        quadprog.Prox
	Rows        *quadprog.Solver // rows(x) is γ times the sum of its hinges; other rows constrain
	Components  []Component
	Constraints []Constraint
	Accuracy    float64     // the gap at which to stop, if above the relative tolerance
	Start       [][]float64 // points to evaluate first, at least one
}

// Minimize writes the minimiser to dst, and certifies it. dst has a point already, with the
// certificate found: its value less its gap is a lower bound. points are those of the cuts in use,
// from which a similar problem may start. The errors are those of [quadprog.Solver.Solve], and
// [quadprog.ErrNotFinite] if no point of Start has a finite value.
func (p Problem) Minimize(dst []float64, found quadprog.Certificate) (cert quadprog.Certificate,
	points [][]float64, err error) {
	m := bundle{Problem: p}
	cert, err = m.minimize(dst, found)
	return cert, m.keptPoints, err
}

// bundle is the state of a minimisation.
type bundle struct {
	Problem

	model      *quadprog.Solver // in (x, v): the rows of the domain, then rows, then the cuts
	firstCut   int              // the number of the model's first cut
	cuts       []cut
	values     []float64   // the values of the components at the point evaluated last
	slope      float64     // the largest norm of a component's subgradient so far
	keptPoints [][]float64 // the points of the cuts in use, at the end

	best    quadprog.Certificate // with the value of the best feasible point so far
	point   []float64            // the best feasible point so far
	lower   float64              // the largest lower bound so far
	penalty float64              // the weight of the violation in the merit of a point
	center  candidate            // x̂
}

// candidate is a point with its value and its violation.
type candidate struct {
	x                []float64
	value, violation float64
}

// cut is the tangent g·x + c at point: of component k, or of a constraint if k < 0.
type cut struct {
	k       int
	g       []float64
	c       float64
	point   []float64
	idle    int     // solutions of the model since its multiplier was last positive
	isPiece bool    // it is a piece of the component, which has no other cuts
	unit    float64 // of a constraint: the unit of its violation
}

// addCutsAt adds the cuts at x of all components and of the constraints that are violated, and
// returns the value and the largest violation there.
func (m *bundle) addCutsAt(x []float64) (value, violation float64) {
	n := len(x)
	point := slices.Clone(x)
	hinges, violation := m.Rows.Hinges(x)
	value = m.Objective.Value(x) + m.Prox.Value(x) + float64(m.Rows.Gamma()*hinges)
	for k, c := range m.Components {
		g := make([]float64, n)
		c.Subgrad(g, x)
		m.values[k] = c.Value(x)
		value += m.values[k]
		m.slope = max(m.slope, vec.Norm(g))
		if c.Pieces != nil {
			continue
		}
		m.addCut(cut{k: k, g: g, c: m.values[k] - vec.Dot(g, x), point: point})
	}
	for _, f := range m.Constraints {
		fx := f.Value(x)
		if fx <= 0 {
			continue
		}
		g := make([]float64, n)
		f.Subgrad(g, x)
		unit := max(f.Size, float64(vec.Norm(g)*m.model.Scale()))
		violation = max(violation, fx/unit)
		m.addCut(cut{k: -1, g: g, c: fx - vec.Dot(g, x), point: point, unit: unit})
	}
	return value, violation
}

// addCut adds a cut, and its row to the model.
func (m *bundle) addCut(c cut) {
	m.cuts = append(m.cuts, c)
	m.addCutRow(c)
}

// addCutRow adds the row of a cut to the model: g·x + c ≤ v_k for a component k, and g·x + c ≤ 0
// for a constraint.
func (m *bundle) addCutRow(c cut) {
	row := make([]float64, m.model.Dim())
	copy(row, c.g)
	if c.k >= 0 {
		row[len(c.g)+c.k] = -1
	}
	m.model.AddRow(row, c.c, math.Inf(1))
}

// prune removes cuts that have been idle for long, if there are many cuts.
func (m *bundle) prune() {
	const maxIdle = 20                       // solutions of the model
	if len(m.cuts) <= 40*m.model.Dim()+200 { // a solution has at most Dim active rows
		return
	}
	m.cuts = slices.DeleteFunc(m.cuts, func(c cut) bool { return c.idle > maxIdle && !c.isPiece })
	m.model.Truncate(m.firstCut)
	for _, c := range m.cuts {
		m.addCutRow(c)
	}
}

// solve writes to x the minimiser of the model with ½ρ‖x − center‖² added. It
// returns the model's value there and the number of ascents.
func (m *bundle) solve(x, center []float64, rho float64) (value float64, steps int, err error) {
	p, n, components := m.model, len(x), len(m.Components)
	dim, c := p.Dim(), p.Linear()
	sigma := 2 * m.Prox.Weight
	slope := m.slope
	if slope == 0 {
		slope = 1
	}
	delta := 1e-6 / (slope * p.Scale()) // the weight of a proximal term in v, too small to affect x
	quad := make([]float64, dim*dim)
	if !matrix.IsZero(m.Objective.Q, n) {
		for i := range n {
			copy(quad[i*dim:], m.Objective.Q[i*n:(i+1)*n])
		}
	}
	vCenter := slices.Clone(m.values)
	for k := range components {
		quad[(n+k)*dim+n+k] = delta
	}
	// The proximal term ½δ(v − vCenter)² makes the model strictly convex in v. Repeated with
	// vCenter at the last v, it vanishes; one or two solutions suffice.
	for range 6 {
		copy(c, m.Objective.Lin)
		if sigma > 0 {
			vec.Axpy(c[:n], -sigma, m.Prox.Center)
		}
		vec.Axpy(c[:n], -rho, center)
		for k := range components {
			c[n+k] = 1 - float64(delta*vCenter[k])
		}
		err = p.Solve(sigma+rho, quad)
		steps += p.Steps()
		if err != nil {
			return 0, steps, err
		}
		moved := 0.0
		for k := range components {
			moved = max(moved, float64(delta*math.Abs(p.X()[n+k]-vCenter[k])))
		}
		copy(vCenter, p.X()[n:])
		if moved <= 1e-12 {
			break
		}
	}
	m.Domain.Project(x, p.X()[:n])
	hinges, _ := m.Rows.Hinges(x)
	value = m.Objective.Value(x) + m.Prox.Value(x) + float64(m.Rows.Gamma()*hinges)
	for _, v := range vCenter {
		value += v
	}
	for i := range m.cuts {
		m.cuts[i].idle++
	}
	p.Active(func(i int, mu float64) {
		if i >= m.firstCut && mu > 0 {
			m.cuts[i-m.firstCut].idle = 0
		}
	})
	return value, steps, nil
}

// minimize begins at dst, with the certificate found there.
func (m *bundle) minimize(dst []float64, found quadprog.Certificate) (quadprog.Certificate, error) {
	if m.begin(dst, found); m.center.x == nil { // no point where it begins has a value
		return quadprog.Certificate{}, quadprog.ErrNotFinite
	}
	x := make([]float64, len(dst))
	firstRho := 0.0 // the regulariser, if there is one, keeps points from jumping
	if m.Prox.Weight == 0 {
		if firstRho = m.slope / m.model.Scale(); firstRho == 0 {
			firstRho = 1
		}
	}
	rho := firstRho
	const maxIterations = 4000 // 10 to 400 are usual
	for iter := range maxIterations {
		model, steps, err := m.solve(x, m.center.x, rho)
		m.best.Iterations += steps
		if errors.Is(err, quadprog.ErrCurvature) && rho > 0 {
			rho *= 1000 // ρ was lost in the rounding of the Hessian
			continue
		}
		if err != nil {
			return quadprog.Certificate{}, err
		}
		bound, multipliers := m.lowerBound(x)
		m.lower = max(m.lower, bound)
		m.penalty = max(m.penalty, 2*multipliers)
		next := m.evaluate(x)
		if m.done(iter) {
			break
		}
		predicted, gain := m.merit(m.center)-model, m.merit(m.center)-m.merit(next)
		// Where predicted < 0, x̂ is infeasible and the penalty was too low.
		if gain > 0 || predicted < 0 {
			m.center = next
		}
		switch {
		case gain >= predicted/2 || predicted <= float64(1e-4*(m.best.Value-bound)):
			// The prediction was good, or it was small although the gap is large: ρ holds the point back.
			rho = max(rho/10, 1e-15*firstRho)
		case gain < -predicted:
			rho *= 4
		}
		m.prune()
	}
	m.end(dst)
	return m.best, nil
}

// begin makes the model of the rows, and evaluates the points of start. The best of them is
// the first stability centre.
func (m *bundle) begin(dst []float64, found quadprog.Certificate) {
	n, components := m.Domain.Dim(), len(m.Components)
	m.model, m.values = quadprog.New(m.Domain, n+components), make([]float64, components)
	// Cuts near the minimiser are nearly parallel, and need the dense factorisation.
	m.model.BarRangeSpace(true)
	m.model.SetGamma(m.Rows.Gamma())
	for i := m.Rows.First(); i < m.Rows.Len(); i++ {
		m.model.AddRow(m.Rows.Row(i))
	}
	m.firstCut = m.model.Len()
	m.best = quadprog.Certificate{Value: math.Inf(1), Iterations: found.Iterations}
	m.best.Exact = m.Prox.Weight > 0 && len(m.Constraints) == 0
	for k, c := range m.Components {
		for _, f := range c.Pieces {
			m.addCut(cut{k: k, g: f.Lin, c: f.Const, isPiece: true})
		}
		m.best.Exact = m.best.Exact && c.Pieces != nil
	}
	m.point = slices.Clone(dst)
	if m.lower = found.Value - found.Gap; math.IsNaN(m.lower) { // no value, and no gap
		m.lower = math.Inf(-1)
	}
	m.center = candidate{value: math.Inf(1)}
	for _, x := range m.Start {
		if v := m.evaluate(x); m.merit(v) < m.merit(m.center) {
			m.center = v
		}
	}
	copy(m.model.X(), m.center.x)
}

// evaluate evaluates a point, adds its cuts, and keeps it if it is feasible and the best.
func (m *bundle) evaluate(x []float64) (v candidate) {
	v.x = slices.Clone(x)
	v.value, v.violation = m.addCutsAt(x)
	feasible := v.violation <= quadprog.Feasible &&
		float64(m.penalty*v.violation) <= float64(1e-9*max(1, math.Abs(v.value)))
	if feasible && v.value < m.best.Value {
		m.best.Value = v.value
		copy(m.point, x)
	}
	return v
}

// merit returns the value of a point with the penalty of its violation.
func (m *bundle) merit(v candidate) float64 { return v.value + float64(m.penalty*v.violation) }

// done reports whether the gap is small enough. After many iterations a larger gap suffices.
func (m *bundle) done(iter int) bool {
	const manyIterations, tolerance = 400, 1e-9
	gap, unit := m.best.Value-m.lower, max(1, math.Abs(m.lower))
	return gap <= max(m.Accuracy, float64(quadprog.Tolerance*unit)) ||
		iter > manyIterations && gap <= float64(tolerance*unit)
}

// end writes the best point to dst, certifies it, and keeps the points of the cuts in use.
func (m *bundle) end(dst []float64) {
	if math.IsInf(m.best.Value, 1) { // no point evaluated was feasible up to rounding
		copy(m.point, m.center.x)
		m.best.Value = m.center.value
	}
	copy(dst, m.point)
	m.keptPoints = nil
	for _, c := range m.cuts { // new cuts are in use, and cuts active in one of the last two models
		isPoint := func(q []float64) bool { return slices.Equal(q, c.point) }
		if c.idle <= 1 && !c.isPiece && !slices.ContainsFunc(m.keptPoints, isPoint) {
			m.keptPoints = append(m.keptPoints, c.point)
		}
	}
	m.best.Gap = max(0, m.best.Value-m.lower)
}

// lowerBound returns the dual bound of the model's multipliers, by a tangent at x,
// the model's last minimiser. It also returns the sum of the constraints'
// multipliers, in the units of their violations. The multipliers of the cuts of a
// component are scaled to sum to 1, so that its variable v_k drops out.
func (m *bundle) lowerBound(x []float64) (lower, multipliers float64) {
	n, p := len(x), m.model
	g := make([]float64, n)
	m.Objective.Gradient(g, x)
	m.Prox.AddGradient(g, x)
	// The affine part line·x + c: the hinges that are on, with γ, and those at their kink, the
	// constraints and the cuts, times their multipliers. The rows of the domain are left to
	// TangentGap.
	line := make([]float64, n)
	onA, onB := p.OnSum()
	vec.Axpy(line, p.Gamma(), onA[:n])
	c := float64(p.Gamma() * onB)
	total := make([]float64, len(m.Components)) // of the multipliers of the cuts of each component
	p.Active(func(i int, mu float64) {
		switch {
		case i < p.First(): // a row of the domain
		case i < m.firstCut:
			a, b, _ := p.Row(i)
			vec.Axpy(line, mu, a[:n])
			c += float64(mu * b)
		case m.cuts[i-m.firstCut].k >= 0:
			total[m.cuts[i-m.firstCut].k] += mu
		}
	})
	p.Active(func(i int, mu float64) {
		if i < m.firstCut || mu == 0 {
			return
		}
		q := m.cuts[i-m.firstCut]
		if q.k >= 0 {
			mu /= total[q.k]
		} else {
			multipliers += float64(mu * q.unit)
		}
		vec.Axpy(line, mu, q.g)
		c += float64(mu * q.c)
	})
	for k, t := range total {
		for i := len(m.cuts) - 1; t == 0 && i >= 0; i-- { // no multiplier: any cut is a lower bound
			if m.cuts[i].k == k {
				vec.Axpy(line, 1, m.cuts[i].g)
				c += m.cuts[i].c
				break
			}
		}
	}
	vec.Axpy(g, 1, line)
	value := m.Objective.Value(x) + m.Prox.Value(x) + vec.Dot(line, x) + c
	gap := quadprog.TangentGap(m.Domain.Set, x, g, 2*m.Prox.Weight, make([]float64, n),
		make([]float64, n))
	return value - gap, multipliers
}
