package convex

import (
	"errors"
	"math"
	"slices"

	"ocobench/convex/vec"
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
	smooth := func(f Evaluator, scale float64) {
		cs = append(cs, component{
			func(x []float64) float64 { return scale * f.Value(x) },
			func(dst, x []float64) {
				f.Subgrad(dst, x)
				vec.Scale(dst, scale)
			}})
	}
	// A component a basis makes a better model; but each is a variable of it.
	const most = 16
	if len(s.smooth.Terms) > most {
		smooth(newCombination(s.smooth), 1)
	} else {
		for _, t := range s.smooth.Terms {
			smooth(t.Basis, t.Scale)
		}
	}
	hinge := func(value func(x []float64) float64, subgrad func(dst, x []float64)) {
		cs = append(cs, component{
			func(x []float64) float64 { return s.gamma * value(x) },
			func(dst, x []float64) {
				subgrad(dst, x)
				vec.Scale(dst, s.gamma)
			}})
	}
	for _, r := range s.byBasis {
		hinge(r.value, r.subgrad)
	}
	for _, f := range s.byPair {
		hinge(f.value, f.subgrad)
	}
	if s.features != nil {
		hinge(s.features.nonaffineValue, s.features.nonaffineSubgrad)
	}
	if len(s.others) > 0 {
		hinge(s.othersValue, s.othersSubgrad)
	}
	return cs
}

func (s *Sum) othersValue(x []float64) float64 {
	v := 0.0
	for _, h := range s.others {
		v += float64(h.w * max(0, h.f.Value(x)))
	}
	return v
}

func (s *Sum) othersSubgrad(dst, x []float64) {
	g := make([]float64, len(x))
	clear(dst)
	for _, h := range s.others {
		if h.f.Value(x) > 0 {
			h.f.Subgrad(g, x)
			vec.Axpy(dst, h.w, g)
		}
	}
}

// minimizeCuts minimises any sum by cutting planes, with everything affine or
// quadratic, the regulariser and the affine hinges kept exact in the model. It starts at dst, where the certificate is so far.
func (s *Sum) minimizeBundle(dst []float64, prox Prox, found Cert) (Cert, error) {
	rows := s.rows
	if s.features != nil {
		rows = s.features.affineRows(s.rows)
	}
	m := bundle{set: s.set, obj: s.smooth, components: s.components(), rows: rows, prox: prox, accuracy: s.accuracy}
	m.start = append(m.start, dst)
	m.start = append(m.start, s.cutPoints...)
	cert, err := m.minimize(dst, found)
	s.cutPoints = m.keptPoints
	return cert, err
}

// cutModel is the program
//
//	min obj(x) + weight‖x−center‖² + rows(x) + Σ_k N_k(x)   over D with g_j(x) ≤ 0
//
// with the affine and quadratic part of obj and the rows exact, and the N_k and
// g_j (any convex functions) below by the cuts made so far: tangents at the
// points visited. In the model each N_k is a variable v_k above its cuts.
//
// Where nothing makes the program strongly convex, the next point is the
// model's minimiser with ½ρ‖x − x̂‖² added, x̂ being the best point so far (a
// proximal bundle; Kiwiel 1990): without it the points jump from corner to
// corner of the model. ρ falls when the model was right about a step, and
// rises when it was far too low.
//
// The multipliers of the model bound the optimum from below whatever the
// points are, so the method ends when the best value found is within accuracy,
// or the relative tolerance, of that.
type bundle struct {
	set         Set
	obj         *Form // its terms are among comps
	prox        Prox
	components  []component
	constraints []Func     // constraints
	rows        *activeSet // with γ
	accuracy    float64    // the gap to end at, if above the relative tolerance
	start       [][]float64

	model      *activeSet // of (x, v): the set, the rows, the cuts
	firstCut   int        // how many of p's rows are not cuts
	cuts       []cut
	values     []float64 // the components at the point visited last
	slope      float64   // the steepest component seen
	keptPoints [][]float64
}

// cut is a tangent: of component k, or of a constraint if k < 0.
type cut struct {
	k     int
	g     []float64
	c     float64
	point []float64
	idle  int // model solutions since it last had a multiplier
}

// feasible is the violation below which a point counts as feasible, in units
// of max(1, size of the constraint's subgradient × size of the domain).
const feasibilityTolerance = 1e-10

// smooth is the affine and quadratic part of the objective.
func (m *bundle) smooth() *Form {
	return &Form{Const: m.obj.Const, Lin: m.obj.Lin, Quad: m.obj.Quad}
}

// visit makes cuts at x, and returns its value and violation.
func (m *bundle) addCutsAt(x []float64) (value, violation float64) {
	n := len(x)
	point := slices.Clone(x)
	hinges, violation := m.rows.hinges(x)
	value = m.smooth().Value(x) + m.prox.value(x) + float64(m.rows.gamma*hinges)
	for k, c := range m.components {
		g := make([]float64, n)
		c.subgrad(g, x)
		m.values[k] = c.value(x)
		value += m.values[k]
		m.slope = max(m.slope, vec.Norm(g))
		m.addCut(cut{k: k, g: g, c: m.values[k] - vec.Dot(g, x), point: point})
	}
	for _, f := range m.constraints {
		fx := f.Value(x)
		if fx <= 0 {
			continue
		}
		g := make([]float64, n)
		f.Subgrad(g, x)
		violation = max(violation, fx/m.unit(g))
		m.addCut(cut{k: -1, g: g, c: fx - vec.Dot(g, x), point: point})
	}
	return value, violation
}

// unit is that of the violation of a constraint with this subgradient.
func (m *bundle) unit(g []float64) float64 { return max(1, float64(vec.Norm(g)*m.model.scale)) }

func (m *bundle) addCut(c cut) {
	m.cuts = append(m.cuts, c)
	m.addCutRow(c)
}

func (m *bundle) addCutRow(c cut) {
	row := make([]float64, m.model.n)
	copy(row, c.g)
	if c.k >= 0 {
		row[len(c.g)+c.k] = -1
	}
	m.model.addRow(row, c.c, math.Inf(1))
}

// prune forgets cuts that have long been idle, once there are many.
func (m *bundle) prune() {
	if len(m.cuts) <= 40*m.model.n+200 {
		return
	}
	m.cuts = slices.DeleteFunc(m.cuts, func(c cut) bool { return c.idle > 20 })
	m.model.truncate(m.firstCut)
	for _, c := range m.cuts {
		m.addCutRow(c)
	}
}

// solve writes to x the minimiser of the model with ½ρ‖x − center‖² added, and
// returns the model's value there and how many ascents it took.
func (m *bundle) solve(x, center []float64, rho float64) (value float64, steps int, err error) {
	p, n, g := m.model, len(x), len(m.components)
	sigma := 2 * m.prox.Weight
	force := m.slope
	if force == 0 {
		force = 1
	}
	delta := 1e-6 / (force * p.scale) // of a proximal term in v, too small to hold x back
	quad := make([]float64, p.n*p.n)
	if m.obj.hasQuad() {
		for i := range n {
			copy(quad[i*p.n:], m.obj.Quad[i*n:(i+1)*n])
		}
	}
	vCenter := slices.Clone(m.values)
	for k := range g {
		quad[(n+k)*p.n+n+k] = delta
	}
	for range 6 { // a pass or two
		copy(p.c, m.obj.Lin)
		if sigma > 0 {
			vec.Axpy(p.c[:n], -sigma, m.prox.Center)
		}
		vec.Axpy(p.c[:n], -rho, center)
		for k := range g {
			p.c[n+k] = 1 - float64(delta*vCenter[k])
		}
		err = p.solveOver(m.set, sigma+rho, quad)
		steps += p.steps
		if err != nil {
			return 0, steps, err
		}
		off := 0.0
		for k := range g {
			off = max(off, float64(delta*abs(p.x[n+k]-vCenter[k])))
		}
		copy(vCenter, p.x[n:])
		if off <= 1e-12 {
			break
		}
	}
	m.set.Project(x, p.x[:n])
	hinges, _ := m.rows.hinges(x)
	value = m.smooth().Value(x) + m.prox.value(x) + float64(m.rows.gamma*hinges)
	for _, v := range vCenter {
		value += v
	}
	for i := range m.cuts {
		m.cuts[i].idle++
	}
	for k, i := range p.active {
		if i >= m.firstCut && p.mu[k] > 0 {
			m.cuts[i-m.firstCut].idle = 0
		}
	}
	return value, steps, nil
}

// minimize starts from dst and its certificate so far.
func (m *bundle) minimize(dst []float64, found Cert) (Cert, error) {
	n, g := m.set.Dim(), len(m.components)
	m.model, m.values = newActiveSet(n+g, m.set), make([]float64, g)
	p := m.model
	p.gamma = m.rows.gamma
	for i := m.rows.domainRows; i < len(m.rows.b); i++ {
		p.addRow(m.rows.row(i), m.rows.b[i], m.rows.w[i])
	}
	m.firstCut = len(p.b)

	best, point := Cert{Value: math.Inf(1), Iterations: found.Iterations}, slices.Clone(dst)
	lower := found.Value - found.Gap
	penalty := 0.0 // of violations, in the merit of a point
	center := visited{value: math.Inf(1)}
	look := func(x []float64) (v visited) {
		v.x = slices.Clone(x)
		v.value, v.violation = m.addCutsAt(x)
		if v.violation <= feasibilityTolerance && float64(penalty*v.violation) <= float64(1e-9*max(1, abs(v.value))) && v.value < best.Value {
			best.Value = v.value
			copy(point, x)
		}
		return v
	}
	merit := func(v visited) float64 { return v.value + float64(penalty*v.violation) }
	for _, x := range m.start {
		if v := look(x); merit(v) < merit(center) {
			center = v
		}
	}
	copy(p.x, center.x)
	x := make([]float64, n)
	first := 0.0
	if m.prox.Weight == 0 {
		if first = m.slope / p.scale; first == 0 {
			first = 1
		}
	}
	rho := first
	for iter := range 4000 {
		model, steps, err := m.solve(x, center.x, rho)
		best.Iterations += steps
		if errors.Is(err, errCurvature) && rho > 0 {
			rho *= 1000
			continue
		}
		if err != nil {
			return Cert{}, err
		}
		bound, force := m.lowerBound(x)
		lower = max(lower, bound)
		penalty = max(penalty, 2*force)
		v := look(x)
		gap, unit := best.Value-lower, max(1, abs(lower))
		if gap <= max(m.accuracy, float64(gapTolerance*unit)) || iter > 400 && gap <= float64(1e-9*unit) {
			break
		}
		predicted, gain := merit(center)-model, merit(center)-merit(v)
		if gain > 0 || predicted < 0 { // there x̂ is infeasible, at too low a weight
			center = v
		}
		switch {
		case gain >= predicted/2 || predicted <= float64(1e-4*(best.Value-bound)):
			// The model was right; or most of what is open is due to ρ.
			rho = max(rho/10, 1e-15*first)
		case gain < -predicted:
			rho *= 4
		}
		m.prune()
	}
	if math.IsInf(best.Value, 1) { // no point visited was feasible to rounding
		copy(point, center.x)
		best.Value = center.value
	}
	copy(dst, point)
	m.keptPoints = nil
	for _, c := range m.cuts {
		if c.idle <= 1 && !slices.ContainsFunc(m.keptPoints, func(q []float64) bool { return slices.Equal(q, c.point) }) {
			m.keptPoints = append(m.keptPoints, c.point)
		}
	}
	best.Gap = max(0, best.Value-lower)
	return best, nil
}

// bound returns the dual bound of the model's multipliers at x, the point
// solved for last, and the force of the constraints there: Σ μ in the units of
// their violations. The multipliers of a component's cuts are scaled to sum to
// 1, so that its variable drops out.
func (m *bundle) lowerBound(x []float64) (lower, force float64) {
	n, p := len(x), m.model
	g, line := make([]float64, n), make([]float64, n)
	m.smooth().Subgrad(g, x)
	m.prox.addGrad(g, x)
	// The affine part: rows at their multipliers, and cuts.
	vec.Axpy(line, p.gamma, p.onA[:n])
	c := float64(p.gamma * p.onB)
	total := make([]float64, len(m.components))
	for k, i := range p.active {
		switch {
		case i < p.domainRows:
		case i < m.firstCut:
			vec.Axpy(line, p.mu[k], p.row(i)[:n])
			c += float64(p.mu[k] * p.b[i])
		case m.cuts[i-m.firstCut].k >= 0:
			total[m.cuts[i-m.firstCut].k] += p.mu[k]
		}
	}
	for k, i := range p.active {
		w := p.mu[k]
		if i < m.firstCut || w == 0 {
			continue
		}
		q := m.cuts[i-m.firstCut]
		if q.k >= 0 {
			w /= total[q.k]
		} else {
			force += float64(w * m.unit(q.g))
		}
		vec.Axpy(line, w, q.g)
		c += float64(w * q.c)
	}
	for k, t := range total {
		for i := len(m.cuts) - 1; t == 0 && i >= 0; i-- { // any cut is a bound
			if m.cuts[i].k == k {
				vec.Axpy(line, 1, m.cuts[i].g)
				c += m.cuts[i].c
				break
			}
		}
	}
	vec.Axpy(g, 1, line)
	value := m.smooth().Value(x) + m.prox.value(x) + vec.Dot(line, x) + c
	return value - tangentGap(m.set, x, g, 2*m.prox.Weight, make([]float64, n), make([]float64, n)), force
}
