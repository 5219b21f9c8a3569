// Package oracle minimises
//
//	f(x)   over x in D with g_j(x) ≤ 0, j = 1, …, m
//
// where f and g_j are any convex functions, of which an oracle gives the values and subgradients at
// a point. A call of the oracle is dear, a quadratic program is not.
//
// The points where the functions are known are samples. Each makes a cut of every function, its
// tangent there, and the largest of its cuts is the model of a function. Two programs in (x, v) are
// solved between two calls:
//
//	min v                            over x in D,   v ≥ the cuts of f,   the cuts of g_j ≤ 0
//	min v + ½(x − x̂)ᵀB(x − x̂)        under the same constraints
//
// where x̂ is the best sample so far. The multipliers of both give a lower bound of the optimum:
// the minimum over D of a combination of cuts, which is affine. It holds for convex functions,
// however the samples were found. The second gives the next sample. B is the matrix of a secant
// method: it maps the differences of the samples near x̂ to the differences of the gradients of
// the Lagrangian f + Σ_j λ_j g_j there, as far as BFGS updates can do that. For smooth functions
// the method is thus a quasi-Newton one: it converges superlinearly, with a certificate as soon as
// the gradient of the Lagrangian is small. For others it is a bundle method with a variable metric,
// where a factor of B, the damping, falls as long as the model predicts the decrease. Samples that
// are known from similar problems save calls: they make both the cuts and B.
//
// A constraint may be the largest of many functions, its pieces, of which a sample names the one
// that is largest there. The model has the cuts of every piece that was named, with a multiplier of
// its own: the gradient of the Lagrangian is then as smooth as the pieces are, where that of their
// maximum jumps from one piece to another. Values of a few pieces are cheap, and are asked for
// where the model needs them.
//
// Reference: Lukšan, Vlček, A bundle-Newton method for nonsmooth unconstrained minimization, 1998.
package oracle

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// Sample holds the values of f, g_1, …, g_m at X, and a subgradient of each.
type Sample struct {
	X        []float64
	Values   []float64
	Subgrads [][]float64
	// Reached has for each of the functions the number of the piece that is largest at X, or 0
	// where it is not known; it may be nil.
	Reached []int
	Pieces  []Tangent // of other pieces
}

// Piece is one of the functions of which constraint g_Of is the largest. Its number is positive.
type Piece struct{ Of, Number int }

// Tangent holds the value of a piece at a point, and a subgradient there.
type Tangent struct {
	Piece
	Value   float64
	Subgrad []float64
}

// Problem is what is minimised.
type Problem struct {
	Domain quadprog.Domain
	// Evaluate returns the sample at x. Its pieces include the given ones, which samples have named.
	Evaluate func(x []float64, pieces []Piece) (Sample, error)
	// Refine returns the tangents of pieces at x, the point of a sample. It costs much less than
	// Evaluate, and is needed where samples name pieces.
	Refine func(x []float64, pieces []Piece) ([]Tangent, error)
	Known  []Sample // of earlier calls
	// Accuracy is the gap at which to stop, in units of max(1, |f|).
	Accuracy float64
}

// Solution is the certificate of the best sample that satisfies the constraints up to rounding.
type Solution struct {
	quadprog.Certificate
	Residual float64 // the largest violation of a constraint
}

// Minimize writes the minimiser to dst. It returns [quadprog.ErrEmpty] if the cuts of the
// constraints leave no point of the domain, and the errors of Evaluate. The search also ends where
// no further sample reduces the gap, with a gap above the accuracy, which is +Inf without a
// feasible sample.
func (p Problem) Minimize(dst []float64) (Solution, error) {
	m := &search{Problem: p, n: p.Domain.Dim(), diameter: p.Domain.Diameter(), damping: 1}
	if m.diameter == 0 {
		m.diameter = 1
	}
	for _, s := range p.Known {
		m.addSample(s)
	}
	if err := m.run(); err != nil {
		return Solution{}, err
	}
	best := m.samples[m.bestOrFirst()].Sample
	copy(dst, best.X)
	s := Solution{Certificate: quadprog.Certificate{Value: best.Values[0],
		Gap: max(0, best.Values[0]-m.lower), Iterations: m.calls}}
	for _, g := range best.Values[1:] {
		s.Residual = max(s.Residual, g)
	}
	if m.best < 0 {
		s.Gap = math.Inf(1)
	}
	return s, nil
}

// search is the state of a minimisation.
type search struct {
	Problem
	n        int
	diameter float64
	samples  []sample
	calls    int
	best     int // the best sample that is feasible, or −1

	// The functions that have cuts: f, which is {0, 0}, and for each constraint its pieces, {j,
	// number}, or g_j itself, {j, 0}.
	functions     []Piece
	index         map[Piece]int // in functions
	functionSizes []float64     // of each function: the largest size at a sample
	multipliers   []float64     // of each function at the last solution, that of f being 1

	sizes     []float64  // of f and each constraint g_j: the largest size at a sample
	units     []float64  // the sizes, or 1 for those that are 0
	lower     float64    // the largest lower bound so far
	penalty   float64    // the weight of the violation in the merit: the larger of penalties
	penalties [2]float64 // 1.5 times the sum of the multipliers, of the last two solutions
	damping   float64    // the factor of B

	model *quadprog.Solver
	rows  []cut // of the model, from its First on

	scratch, line []float64
}

// cut is the tangent of a function at a sample, by their indices in a search.
type cut struct{ function, sample int }

// sample is a sample with the tangent of each function there. The subgradient of a function that is
// not known there is nil.
type sample struct {
	Sample
	tangents []Tangent
}

// addSample adds a sample, and the functions that it is the first to know.
func (m *search) addSample(s Sample) {
	if m.units == nil {
		m.sizes, m.units = make([]float64, len(s.Values)), make([]float64, len(s.Values))
		m.lower = math.Inf(-1)
		m.index = map[Piece]int{}
	}
	added := sample{Sample: s}
	for k, v := range s.Values {
		m.sizes[k] = max(m.sizes[k], m.sizeOf(v, s.Subgrads[k]))
		if m.units[k] = m.sizes[k]; m.sizes[k] == 0 {
			m.units[k] = 1
		}
		piece := Piece{Of: k}
		if s.Reached != nil {
			piece.Number = s.Reached[k]
		}
		m.addTangent(&added, Tangent{piece, v, s.Subgrads[k]})
	}
	for _, t := range s.Pieces {
		m.addTangent(&added, t)
	}
	m.samples = append(m.samples, added)
}

// addTangent adds the tangent of a function at a sample to it.
func (m *search) addTangent(s *sample, t Tangent) {
	k, ok := m.index[t.Piece]
	if !ok {
		k = len(m.functions)
		m.index[t.Piece] = k
		m.functions = append(m.functions, t.Piece)
		m.functionSizes = append(m.functionSizes, 0)
		m.multipliers = append(m.multipliers, 0)
		m.multipliers[0] = 1
	}
	for len(s.tangents) <= k {
		s.tangents = append(s.tangents, Tangent{})
	}
	s.tangents[k] = t
	m.functionSizes[k] = max(m.functionSizes[k], m.sizeOf(t.Value, t.Subgrad))
}

// sizeOf returns how large a function with a value and a subgradient at a sample may be.
func (m *search) sizeOf(value float64, subgrad []float64) float64 {
	return math.Abs(value) + float64(vec.Norm(subgrad)*m.diameter)
}

// knows reports whether a function is known at a sample.
func (m *search) knows(c cut) bool {
	tangents := m.samples[c.sample].tangents
	return c.function < len(tangents) && tangents[c.function].Subgrad != nil
}

// unitOfFunction returns the unit of a function: the largest size at a sample, or 1.
func (m *search) unitOfFunction(function int) float64 {
	if m.functionSizes[function] == 0 {
		return 1
	}
	return m.functionSizes[function]
}

// evaluate adds the sample at x, with the pieces that the model has.
func (m *search) evaluate(x []float64) error {
	var pieces []Piece
	for _, c := range m.rows {
		if p := m.functions[c.function]; p.Number > 0 && !slices.Contains(pieces, p) {
			pieces = append(pieces, p)
		}
	}
	s, err := m.Evaluate(slices.Clone(x), pieces)
	if err == nil {
		m.calls++
		m.addSample(s)
	}
	return err
}

const (
	maxCalls   = 2000 // calls of the oracle for one minimisation
	maxStalled = 200  // calls at the minimiser of the model of cuts alone, without B
)

// run adds samples until the gap is at most the accuracy, or no further sample reduces it.
func (m *search) run() error {
	x := make([]float64, m.n)
	if len(m.samples) == 0 {
		m.Domain.Project(x, x)
		if err := m.evaluate(x); err != nil {
			return err
		}
	}
	m.model = quadprog.New(m.Domain, m.n+1)
	m.model.BarRangeSpace(true)
	m.scratch, m.line = make([]float64, m.n), make([]float64, m.n)
	for stalled := 0; m.calls < maxCalls; {
		center := m.chooseCenter()
		// The model of cuts alone raises the lower bound. Its minimiser is the next sample only where
		// the model with B has none, or one that is a sample already.
		_, cutsErr := m.solve(x, center, m.negligibleWeight(), nil)
		if errors.Is(cutsErr, quadprog.ErrEmpty) {
			return cutsErr
		}
		if m.isDone(m.Accuracy) {
			return nil
		}
		ofCuts := slices.Clone(x)
		b, err := m.secantMatrix(center)
		if err != nil {
			return err
		}
		modelValue, err := m.solve(x, center, 0, b)
		largest := matrix.LargestDiagonal(b, m.n)
		for weight := 1e-6; errors.Is(err, quadprog.ErrCurvature) && weight <= 1; weight *= 100 {
			modelValue, err = m.solve(x, center, float64(weight*largest), b)
		}
		if errors.Is(err, quadprog.ErrEmpty) {
			return err
		}
		center = m.chooseCenter() // the penalty has changed
		if m.isDone(m.Accuracy) {
			return nil
		}
		if err != nil || m.isKnown(x) {
			copy(x, ofCuts)
			if stalled++; stalled > maxStalled || cutsErr != nil || m.isKnown(x) {
				return nil
			}
		}
		before := m.merit(center)
		if err := m.evaluate(x); err != nil {
			return err
		}
		predicted, gain := before-modelValue, before-m.merit(len(m.samples)-1)
		// The first case: the model was right, or it predicted little although the gap is large.
		switch {
		case gain > 0.8*predicted, predicted < float64(1e-3*(before-m.lower)):
			m.damping = max(m.damping/4, 1e-10)
		case gain < 0.3*predicted:
			m.damping = min(float64(4*m.damping), 1)
		}
	}
	m.chooseCenter()
	return nil
}

// negligibleWeight returns a weight of a proximal term that changes lower bounds by much less than
// the accuracy.
func (m *search) negligibleWeight() float64 {
	return float64(1e-3*m.Accuracy*m.gapUnit()) / (m.units[0] * m.diameter * m.diameter)
}

// gapUnit returns the unit of gaps, max(1, |f|).
func (m *search) gapUnit() float64 { return max(1, math.Abs(m.samples[m.bestOrFirst()].Values[0])) }

// bestOrFirst returns the best feasible sample, or the first one.
func (m *search) bestOrFirst() int { return max(0, m.best) }

// chooseCenter returns the sample of least merit, and sets the best one that is feasible.
func (m *search) chooseCenter() (center int) {
	m.best = -1
	for i, s := range m.samples {
		if m.merit(i) < m.merit(center) {
			center = i
		}
		v := m.violation(i)
		if v <= feasible && float64(m.penalty*v) <= float64(m.Accuracy*max(1, math.Abs(s.Values[0]))) &&
			(m.best < 0 || s.Values[0] < m.samples[m.best].Values[0]) {
			m.best = i
		}
	}
	return center
}

// feasible is the violation up to which a sample counts as feasible, in units of the constraint.
const feasible = 1e-9

// violation returns the largest violation at a sample, in units of the constraints. What the model
// leaves is none.
func (m *search) violation(i int) (worst float64) {
	for j, v := range m.samples[i].Values {
		if j > 0 && v > 0 {
			worst = max(worst, v/m.units[j])
		}
	}
	return max(0, worst-2*slack)
}

// merit returns the value of a sample with the penalty of its violation.
func (m *search) merit(i int) float64 {
	return m.samples[i].Values[0] + float64(m.penalty*m.violation(i))
}

// gap returns the gap of the best sample.
func (m *search) gap() float64 {
	if m.best < 0 {
		return math.Inf(1)
	}
	return m.samples[m.best].Values[0] - m.lower
}

// isDone reports whether the best sample is certified to be this accurate.
func (m *search) isDone(accuracy float64) bool { return m.gap() <= float64(accuracy*m.gapUnit()) }

// isKnown reports whether there is a sample at x, up to rounding.
func (m *search) isKnown(x []float64) bool {
	return slices.ContainsFunc(m.samples, func(s sample) bool {
		return vec.Dist(s.X, x) <= float64(1e-14*m.diameter)
	})
}

// solve writes to x the minimiser of the model plus ½(x − x̂)ᵀ(B + weight·I)(x − x̂), where x̂ is
// the sample center and B is b, nil for 0, both in units of f. It returns the value of the model
// there. The multipliers raise the lower bound. The model begins with few cuts; those that its
// solution violates are added until there are none.
func (m *search) solve(x []float64, center int, weight float64, b []float64) (float64, error) {
	p, n := m.model, m.n
	p.Truncate(p.First())
	m.rows = m.rows[:0]
	origin := m.samples[center].Values[0] // v is (f − origin) in units of f
	m.addNearCuts(center, origin)
	quad := make([]float64, (n+1)*(n+1))
	for i := range n {
		if b != nil {
			copy(quad[i*(n+1):], b[i*n:(i+1)*n])
		}
		quad[i*(n+1)+i] += weight
	}
	const delta = 1e-6 // the weight of a proximal term in v, too small to affect x
	quad[n*(n+1)+n] = delta
	v := 0.0
	const maxSolutions = 60 // far more than are needed until no cut is violated
	for range maxSolutions {
		c := p.Linear()
		for i := range n {
			c[i] = -vec.Dot(quad[i*(n+1):i*(n+1)+n], m.samples[center].X)
		}
		c[n] = 1 - float64(delta*v)
		if err := p.Solve(0, quad); err != nil {
			return 0, err
		}
		settled := math.Abs(p.X()[n]-v) <= 1e-6
		v = p.X()[n]
		m.Domain.Project(x, p.X()[:n])
		if !m.addViolated(x, v, origin) && settled {
			break
		}
	}
	m.raiseLower(x)
	return origin + float64(v*m.units[0]), nil
}

// cutValue returns the value of a cut at x.
func (m *search) cutValue(c cut, x []float64) float64 {
	s := &m.samples[c.sample]
	vec.SubTo(m.scratch, x, s.X)
	return s.tangents[c.function].Value + vec.Dot(s.tangents[c.function].Subgrad, m.scratch)
}

// addRow adds a cut to the model, as a row in units of its function: f − origin ≤ v, or g_j ≤
// slack.
func (m *search) addRow(c cut, origin float64) {
	s, unit := m.samples[c.sample], m.unitOfFunction(c.function)
	row := make([]float64, m.n+1)
	copy(row, s.tangents[c.function].Subgrad)
	vec.Scale(row, 1/unit)
	b := s.tangents[c.function].Value / unit
	if c.function == 0 {
		row[m.n] = -1
		b = (s.Values[0] - origin) / unit
	} else {
		b -= slack
	}
	m.model.AddRow(row, b-vec.Dot(row[:m.n], s.X), math.Inf(1))
	m.rows = append(m.rows, c)
}

// slack is how far cuts of constraints may be violated, in units of the constraint: a set that is a
// point is not empty by rounding.
const slack = 1e-11

// addNearCuts adds to the model, for each function, the cuts that are largest at the sample center.
// A piece counts only if it had a multiplier at the last solution.
func (m *search) addNearCuts(center int, origin float64) {
	type ranked struct {
		cut
		value float64
	}
	all := make([]ranked, 0, len(m.samples))
	for k, piece := range m.functions {
		if piece.Number > 0 && !(m.multipliers[k] > 0) {
			continue
		}
		all = all[:0]
		for i := range m.samples {
			if c := (cut{k, i}); m.knows(c) {
				all = append(all, ranked{c, m.cutValue(c, m.samples[center].X)})
			}
		}
		slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.value, a.value) })
		maxCuts := m.n + 2 // of f: as many as can be active, and one
		if k > 0 {
			maxCuts = 2
		}
		for _, c := range all[:min(maxCuts, len(all))] {
			m.addRow(c.cut, origin)
		}
	}
}

// addViolated adds, for every function, the cut that (x, v) violates most, and reports whether
// there was one.
func (m *search) addViolated(x []float64, v, origin float64) bool {
	added := false
	for k := range m.functions {
		worst, at := 1e-10, -1
		if k > 0 {
			worst += slack
		}
		for i := range m.samples {
			if !m.knows(cut{k, i}) {
				continue
			}
			excess := m.cutValue(cut{k, i}, x)
			if k == 0 {
				excess -= origin
			}
			if excess /= m.unitOfFunction(k); k == 0 {
				excess -= v
			}
			if excess > worst && !slices.Contains(m.rows, cut{k, i}) {
				worst, at = excess, i
			}
		}
		if at >= 0 {
			m.addRow(cut{k, at}, origin)
			added = true
		}
	}
	return added
}

// raiseLower raises the lower bound to that of the model's multipliers, and keeps those of the
// functions. The multipliers of the cuts of f are scaled to sum to 1, so that v drops out.
func (m *search) raiseLower(x []float64) {
	first, total := m.model.First(), 0.0
	m.model.Active(func(i int, mu float64) {
		if i >= first && m.rows[i-first].function == 0 {
			total += mu
		}
	})
	if !(total > 0) {
		return
	}
	clear(m.line)
	clear(m.multipliers)
	m.multipliers[0] = 1
	value, penalty := 0.0, 0.0
	m.model.Active(func(i int, mu float64) {
		if i < first || !(mu > 0) {
			return
		}
		c := m.rows[i-first]
		weight := mu / total
		if c.function > 0 {
			weight = float64(weight*m.units[0]) / m.unitOfFunction(c.function)
			penalty += float64(weight * m.units[m.functions[c.function].Of])
			m.multipliers[c.function] += weight
		}
		vec.Axpy(m.line, weight, m.samples[c.sample].tangents[c.function].Subgrad)
		value += float64(weight * m.cutValue(c, x))
	})
	m.penalties = [2]float64{m.penalties[1], float64(1.5 * penalty)}
	m.penalty = max(m.penalties[0], m.penalties[1])
	y, d := make([]float64, m.n), make([]float64, m.n)
	gap := quadprog.TangentGap(m.Domain.Set, x, m.line, 0, y, d)
	if bound := value - gap; bound > m.lower {
		m.lower = bound
	}
}

// secantMatrix returns B in units of f. It begins with a multiple of the identity, and updates it
// by BFGS with the differences s of nearby samples from the sample center, and y of their
// gradients. The nearest sample comes last.
func (m *search) secantMatrix(center int) ([]float64, error) {
	n := m.n
	type pair struct {
		s, y     []float64
		distance float64
	}
	at := m.samples[center].X
	distances, nearest := make([]float64, len(m.samples)), make([]int, len(m.samples))
	for i, q := range m.samples {
		distances[i], nearest[i] = vec.Dist(q.X, at), i
	}
	slices.SortStableFunc(nearest, func(i, j int) int {
		return cmp.Compare(distances[i], distances[j])
	})
	base, err := m.gradient(center)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for _, i := range nearest {
		if distances[i] == 0 {
			continue
		}
		d := pair{s: make([]float64, n), distance: distances[i]}
		if d.y, err = m.gradient(i); err != nil {
			return nil, err
		}
		vec.SubTo(d.s, m.samples[i].X, at)
		vec.SubTo(d.y, d.y, base)
		if vec.Dot(d.s, d.y) <= float64(1e-10*d.distance*vec.Norm(d.y)) {
			continue
		}
		if pairs = append(pairs, d); len(pairs) == 2*n {
			break
		}
	}
	slices.Reverse(pairs)
	curvature := float64(4*vec.Norm(base)) / m.diameter
	if len(pairs) > 0 {
		curvature = 0
		for _, d := range pairs {
			curvature += vec.Dot(d.s, d.y) / float64(d.distance*d.distance)
		}
		curvature /= float64(len(pairs))
	}
	if curvature == 0 {
		curvature = 1 / (m.diameter * m.diameter)
	}
	b, bs := make([]float64, n*n), make([]float64, n)
	for i := range n {
		b[i*n+i] = curvature
	}
	for range 4 { // updates of later pairs change earlier ones: more passes satisfy all better
		for _, d := range pairs {
			for i := range n {
				bs[i] = vec.Dot(b[i*n:(i+1)*n], d.s)
			}
			sbs, sy := vec.Dot(d.s, bs), vec.Dot(d.s, d.y)
			for i := range n {
				row := b[i*n : (i+1)*n]
				vec.Axpy(row, -bs[i]/sbs, bs)
				vec.Axpy(row, d.y[i]/sy, d.y)
			}
		}
	}
	minCurvature := float64(1e-7 * matrix.LargestDiagonal(b, n))
	vec.Scale(b, m.damping)
	for i := range n {
		for k := range i { // symmetric also in rounding
			b[i*n+k] = b[k*n+i]
		}
		b[i*n+i] += float64(m.damping * minCurvature)
	}
	return b, nil
}

// gradient returns the gradient of the Lagrangian at a sample, in units of f.
func (m *search) gradient(at int) ([]float64, error) {
	var unknown []Piece
	for k, weight := range m.multipliers {
		if weight > 0 && !m.knows(cut{k, at}) {
			unknown = append(unknown, m.functions[k])
		}
	}
	if unknown != nil {
		tangents, err := m.Refine(m.samples[at].X, unknown)
		if err != nil {
			return nil, err
		}
		for _, t := range tangents {
			m.addTangent(&m.samples[at], t)
		}
	}
	g := make([]float64, m.n)
	for k, weight := range m.multipliers {
		if weight > 0 {
			vec.Axpy(g, weight/m.units[0], m.samples[at].tangents[k].Subgrad)
		}
	}
	return g, nil
}
