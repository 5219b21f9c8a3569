package convex

import (
	"errors"
	"math"
	"slices"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// component is a convex part of an objective that is known by value and
// subgradient only.
type component struct {
	value   func(x []float64) float64
	subgrad func(dst, x []float64)
	// pieces are affine functions of which the component is the largest; nil if they are not known.
	pieces []*Form
}

// components are the parts of the sum that are not rows of the active set: the
// bases in the sum of functions, the hinges of each basis, those of each pair of
// bases, those of features, and all others.
func (s *Sum) components() []component {
	var cs []component
	smooth := func(f Evaluator, scale float64, pieces []*Form) {
		cs = append(cs, component{
			func(x []float64) float64 { return scale * f.Value(x) },
			func(dst, x []float64) {
				f.Subgrad(dst, x)
				vec.Scale(dst, scale)
			}, pieces})
	}
	// One component for each basis gives a better model, but each component is a
	// variable of the model.
	const most = 16
	if len(s.smooth.Terms) > most {
		smooth(newCombination(s.smooth.Terms, s.smooth.Dim()), 1, nil)
	} else {
		for _, t := range s.smooth.Terms {
			smooth(t.Basis, t.Scale, affinePieces(t.Basis, 1, t.Scale, 0, false))
		}
	}
	hinge := func(value func(x []float64) float64, subgrad func(dst, x []float64), pieces []*Form) {
		cs = append(cs, component{
			func(x []float64) float64 { return s.gamma * value(x) },
			func(dst, x []float64) {
				subgrad(dst, x)
				vec.Scale(dst, s.gamma)
			}, pieces})
	}
	single := s.byBasis
	if many := s.kinkedHinges(); len(many.of) > most {
		single = slices.DeleteFunc(slices.Clone(single), (*basisHinges).isKinked)
		hinge(many.value, many.subgrad, nil)
	}
	for _, r := range single {
		var pieces []*Form
		if scale, c, ok := r.single(); ok {
			pieces = affinePieces(r.basis, s.gamma, scale, c, true)
		}
		hinge(r.value, r.subgrad, pieces)
	}
	for _, f := range s.byPair {
		hinge(f.value, f.subgrad, nil)
	}
	if s.features != nil {
		hinge(s.features.nonaffineValue, s.features.nonaffineSubgrad, nil)
	}
	if len(s.others) > 0 {
		hinge(s.othersValue, s.othersSubgrad, nil)
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

// minimizeBundle minimises any sum by cutting planes. It begins at dst, with the
// certificate found there. It is for sums that have a kink at the minimiser that
// is not the kink of a hinge: SQP then comes close to the minimiser, but cannot
// certify it. Examples are ‖x − c‖ with its minimum at c, as for a learner with a
// large multiplier of the constraint ‖x − c‖ ≤ r, and a user's own function such
// as |x_1| + |x_2|.
func (s *Sum) minimizeBundle(dst []float64, prox Prox, found Cert) (Cert, error) {
	rows := s.rows
	if s.features != nil {
		rows = s.features.affineRows(s.rows)
	}
	m := bundle{set: s.set, obj: s.smooth, components: s.components(), rows: rows, prox: prox,
		accuracy: s.accuracy}
	m.start = append(m.start, dst)
	m.start = append(m.start, s.cutPoints...)
	cert, err := m.minimize(dst, found)
	s.cutPoints = m.keptPoints
	return cert, err
}

// bundle solves
//
//	min obj(x) + weight‖x−center‖² + rows(x) + Σ_k N_k(x)   over x in D with g_j(x) ≤ 0
//
// by a proximal bundle method (Kiwiel 1990). Its model has the regulariser, the
// rows and the affine and quadratic part of obj exactly. It replaces N_k and g_j,
// which are any convex functions, by the largest of their cuts: tangents at the
// points evaluated so far. In the model each N_k is a variable v_k above its
// cuts.
//
// If nothing makes the problem strongly convex, the next point minimises the
// model plus ½ρ‖x − x̂‖², where the stability centre x̂ is the best point so far;
// without this term the points jump between vertices of the model. ρ falls when
// the model predicted the decrease well, and rises when the model was far too
// low.
//
// The multipliers of the model give a lower bound of the optimum at any point.
// The method ends when the best value is within the accuracy, or the relative
// tolerance, of this bound.
//
// Reference: Kiwiel, Proximity control in bundle methods for convex
// nondifferentiable minimization, 1990.
type bundle struct {
	set         Set
	obj         *Form // its terms are among components
	prox        Prox
	components  []component
	constraints []nonaffine
	rows        *quadprog.Solver // with γ
	accuracy    float64          // the gap at which to stop, if above the relative tolerance
	start       [][]float64

	model      *quadprog.Solver // in (x, v): the rows of the set, then rows, then the cuts
	firstCut   int              // the number of the model's first cut
	cuts       []cut
	values     []float64 // of the components at the point evaluated last
	slope      float64   // the largest norm of a component's subgradient so far
	keptPoints [][]float64

	best    Cert      // with the value of the best feasible point so far
	point   []float64 // this point
	lower   float64   // the largest lower bound so far
	penalty float64   // of the violation in the merit of a point
	center  visited   // x̂
}

// cut is the tangent g·x + c at point: of component k, or of a constraint if k < 0.
type cut struct {
	k     int
	g     []float64
	c     float64
	point []float64
	idle  int     // solutions of the model since its multiplier was last positive
	kept  bool    // it is a piece of the component, which has no other cuts
	unit  float64 // of a constraint: that of its violation
}

// feasibilityTolerance is the violation up to which a point counts as feasible,
// in units of the constraint's size on the domain.
const feasibilityTolerance = 1e-10

// smooth is the affine and quadratic part of the objective.
func (m *bundle) smooth() *Form {
	return &Form{Const: m.obj.Const, Lin: m.obj.Lin, Quad: m.obj.Quad}
}

// addCutsAt adds the cuts at x, and returns the value and the violation there.
func (m *bundle) addCutsAt(x []float64) (value, violation float64) {
	n := len(x)
	point := slices.Clone(x)
	hinges, violation := m.rows.Hinges(x)
	value = m.smooth().Value(x) + m.prox.value(x) + float64(m.rows.Gamma()*hinges)
	for k, c := range m.components {
		g := make([]float64, n)
		c.subgrad(g, x)
		m.values[k] = c.value(x)
		value += m.values[k]
		m.slope = max(m.slope, vec.Norm(g))
		if c.pieces != nil {
			continue
		}
		m.addCut(cut{k: k, g: g, c: m.values[k] - vec.Dot(g, x), point: point})
	}
	for _, f := range m.constraints {
		fx := f.Value(x)
		if fx <= 0 {
			continue
		}
		g := make([]float64, n)
		f.Subgrad(g, x)
		unit := max(f.size, float64(vec.Norm(g)*m.model.Scale()))
		violation = max(violation, fx/unit)
		m.addCut(cut{k: -1, g: g, c: fx - vec.Dot(g, x), point: point, unit: unit})
	}
	return value, violation
}

func (m *bundle) addCut(c cut) {
	m.cuts = append(m.cuts, c)
	m.addCutRow(c)
}

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
	if len(m.cuts) <= 40*m.model.Dim()+200 {
		return
	}
	m.cuts = slices.DeleteFunc(m.cuts, func(c cut) bool { return c.idle > 20 && !c.kept })
	m.model.Truncate(m.firstCut)
	for _, c := range m.cuts {
		m.addCutRow(c)
	}
}

// solve writes to x the minimiser of the model with ½ρ‖x − center‖² added. It
// returns the model's value there and the number of ascents.
func (m *bundle) solve(x, center []float64, rho float64) (value float64, steps int, err error) {
	p, n, g := m.model, len(x), len(m.components)
	all, c := p.Dim(), p.Linear()
	sigma := 2 * m.prox.Weight
	slope := m.slope
	if slope == 0 {
		slope = 1
	}
	delta := 1e-6 / (slope * p.Scale()) // the weight of a proximal term in v, too small to affect x
	quad := make([]float64, all*all)
	if m.obj.hasQuad() {
		for i := range n {
			copy(quad[i*all:], m.obj.Quad[i*n:(i+1)*n])
		}
	}
	vCenter := slices.Clone(m.values)
	for k := range g {
		quad[(n+k)*all+n+k] = delta
	}
	for range 6 { // one or two suffice
		copy(c, m.obj.Lin)
		if sigma > 0 {
			vec.Axpy(c[:n], -sigma, m.prox.Center)
		}
		vec.Axpy(c[:n], -rho, center)
		for k := range g {
			c[n+k] = 1 - float64(delta*vCenter[k])
		}
		err = p.Solve(sigma+rho, quad)
		steps += p.Steps()
		if err != nil {
			return 0, steps, err
		}
		off := 0.0
		for k := range g {
			off = max(off, float64(delta*abs(p.X()[n+k]-vCenter[k])))
		}
		copy(vCenter, p.X()[n:])
		if off <= 1e-12 {
			break
		}
	}
	m.set.Project(x, p.X()[:n])
	hinges, _ := m.rows.Hinges(x)
	value = m.smooth().Value(x) + m.prox.value(x) + float64(m.rows.Gamma()*hinges)
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
func (m *bundle) minimize(dst []float64, found Cert) (Cert, error) {
	if m.begin(dst, found); m.center.x == nil { // no point where it begins has a value
		return Cert{}, quadprog.ErrNotFinite
	}
	x := make([]float64, len(dst))
	first := 0.0
	if m.prox.Weight == 0 {
		if first = m.slope / m.model.Scale(); first == 0 {
			first = 1
		}
	}
	rho := first
	const most = 4000
	for iter := range most {
		model, steps, err := m.solve(x, m.center.x, rho)
		m.best.Iterations += steps
		if errors.Is(err, quadprog.ErrCurvature) && rho > 0 {
			rho *= 1000
			continue
		}
		if err != nil {
			return Cert{}, err
		}
		bound, multipliers := m.lowerBound(x)
		m.lower = max(m.lower, bound)
		m.penalty = max(m.penalty, 2*multipliers)
		v := m.look(x)
		if m.done(iter) {
			break
		}
		predicted, gain := m.merit(m.center)-model, m.merit(m.center)-m.merit(v)
		// Where predicted < 0, x̂ is infeasible and the penalty was too low.
		if gain > 0 || predicted < 0 {
			m.center = v
		}
		switch {
		case gain >= predicted/2 || predicted <= float64(1e-4*(m.best.Value-bound)):
			// The prediction was good, or ρ causes most of the gap.
			rho = max(rho/10, 1e-15*first)
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
func (m *bundle) begin(dst []float64, found Cert) {
	n, g := m.set.Dim(), len(m.components)
	m.model, m.values = quadprog.New(m.set.domain(), n+g), make([]float64, g)
	m.model.BarRangeSpace(true) // cuts near the minimiser are nearly parallel
	m.model.SetGamma(m.rows.Gamma())
	for i := m.rows.First(); i < m.rows.Len(); i++ {
		m.model.AddRow(m.rows.Row(i))
	}
	m.firstCut = m.model.Len()
	m.best = Cert{Value: math.Inf(1), Iterations: found.Iterations}
	m.best.Exact = m.prox.Weight > 0 && len(m.constraints) == 0
	for k, c := range m.components {
		for _, f := range c.pieces {
			m.addCut(cut{k: k, g: f.Lin, c: f.Const, kept: true})
		}
		m.best.Exact = m.best.Exact && c.pieces != nil
	}
	m.point = slices.Clone(dst)
	m.lower = found.Value - found.Gap
	m.center = visited{value: math.Inf(1)}
	for _, x := range m.start {
		if v := m.look(x); m.merit(v) < m.merit(m.center) {
			m.center = v
		}
	}
	copy(m.model.X(), m.center.x)
}

// look evaluates a point, adds its cuts, and keeps it if it is feasible and the best.
func (m *bundle) look(x []float64) (v visited) {
	v.x = slices.Clone(x)
	v.value, v.violation = m.addCutsAt(x)
	feasible := v.violation <= feasibilityTolerance &&
		float64(m.penalty*v.violation) <= float64(1e-9*max(1, abs(v.value)))
	if feasible && v.value < m.best.Value {
		m.best.Value = v.value
		copy(m.point, x)
	}
	return v
}

// merit is the value of a point with the penalty of its violation.
func (m *bundle) merit(v visited) float64 { return v.value + float64(m.penalty*v.violation) }

// done reports whether the gap is small enough. After many iterations a larger gap suffices.
func (m *bundle) done(iter int) bool {
	const many, enough = 400, 1e-9
	gap, unit := m.best.Value-m.lower, max(1, abs(m.lower))
	return gap <= max(m.accuracy, float64(gapTolerance*unit)) ||
		iter > many && gap <= float64(enough*unit)
}

// end writes the best point to dst, certifies it, and keeps the points of the cuts in use.
func (m *bundle) end(dst []float64) {
	if math.IsInf(m.best.Value, 1) { // no point evaluated was feasible up to rounding
		copy(m.point, m.center.x)
		m.best.Value = m.center.value
	}
	copy(dst, m.point)
	m.keptPoints = nil
	for _, c := range m.cuts {
		kept := func(q []float64) bool { return slices.Equal(q, c.point) }
		if c.idle <= 1 && !c.kept && !slices.ContainsFunc(m.keptPoints, kept) {
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
	g, line := make([]float64, n), make([]float64, n)
	m.smooth().Subgrad(g, x)
	m.prox.addGrad(g, x)
	// The affine part: the rows and the cuts, times their multipliers.
	a, b := p.OnSum()
	vec.Axpy(line, p.Gamma(), a[:n])
	c := float64(p.Gamma() * b)
	total := make([]float64, len(m.components))
	p.Active(func(i int, mu float64) {
		switch {
		case i < p.First():
		case i < m.firstCut:
			a, b, _ := p.Row(i)
			vec.Axpy(line, mu, a[:n])
			c += float64(mu * b)
		case m.cuts[i-m.firstCut].k >= 0:
			total[m.cuts[i-m.firstCut].k] += mu
		}
	})
	p.Active(func(i int, w float64) {
		if i < m.firstCut || w == 0 {
			return
		}
		q := m.cuts[i-m.firstCut]
		if q.k >= 0 {
			w /= total[q.k]
		} else {
			multipliers += float64(w * q.unit)
		}
		vec.Axpy(line, w, q.g)
		c += float64(w * q.c)
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
	value := m.smooth().Value(x) + m.prox.value(x) + vec.Dot(line, x) + c
	return value - quadprog.TangentGap(m.set, x, g, 2*m.prox.Weight, make([]float64, n), make([]float64, n)),
		multipliers
}
