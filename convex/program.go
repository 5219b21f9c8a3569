package convex

import (
	"errors"
	"math"
	"slices"

	"ocobench/convex/internal/cuttingplane"
	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/scalar"
	"ocobench/convex/internal/screen"
	"ocobench/convex/internal/separable"
	"ocobench/convex/internal/sqp"
)

// Program is the convex program
//
//	min f(x)   over x in D with g_i(x) ≤ 0, i = 1, 2, …
//
// to which constraints are added between solutions: the comparator of a game
// whose constraints accumulate. A solution begins at the last one. The method and
// its cost depend on the functions:
//
//	n = 1                                   the constraints are an interval, found by bisection if they are not affine
//	multiples of one basis plus constants   only the tightest one is kept
//	one [Separable] in a box, n ≥ 128       its multiplier, O(n) a step
//	affine g, affine or quadratic f         exact, active set, O(rows·n) a step
//	other smooth f and g                    SQP, a step O(n³), and O(n²) for each constraint
//	multiples of ‖x‖₁ in any of these       SQP in 2n variables; n ≥ 24: where they are not slack
//	the largest of functions, see [Max]     as its pieces
//	sums of those, of more than 64 pieces   cutting planes, up to a certified gap
//	other kinks at the solution             cutting planes, up to a certified gap
//
// On a box or a simplex of 64 dimensions or more, n is in the powers above only the number of
// coordinates that are not at a bound.
type Program struct {
	set    Set
	n      int
	size   float64          // the magnitude of the domain
	ends   [2]float64       // n = 1: of the domain
	affine affineInterval   // n = 1: of the affine constraints
	rows   *quadprog.Solver // n > 1: affine constraints
	bounds []bound          // constraints on one basis
	pairs  []*pairBound     // constraints on two bases
	others []nonaffine      // all other constraints
	empty  bool             // no point of the domain is feasible

	// What a solution leaves to the next one.
	point     []float64    // the last solution, where the next one begins
	cutPoints [][]float64  // where the last solution by cutting planes ended
	sqp       *sqp.Solver  // of the last solution by SQP; nil: none is kept
	terms     *combination // the sum of bases of its objective, with its Hessian
	separable separable.Solver

	zero     *Form     // scratch of Project: the objective
	center   []float64 // scratch of Project: the centre of the regulariser
	anchor   []float64 // where magnitudes are measured, the projection of 0; nil until it is needed
	gradient []float64 // scratch: a gradient at the anchor
}

// affineInterval is the interval that affine constraints leave in one dimension.
type affineInterval struct {
	lo, hi   float64
	steepest float64 // the largest |slope| of a constraint
}

// reset removes all constraints.
func (i *affineInterval) reset() { *i = affineInterval{lo: math.Inf(-1), hi: math.Inf(1)} }

// constrain adds the constraint slope·x + c ≤ 0, where slope is not 0.
func (i *affineInterval) constrain(slope, c float64) {
	i.steepest = max(i.steepest, abs(slope))
	if end := -c / slope; slope > 0 {
		i.hi = min(i.hi, end)
	} else {
		i.lo = max(i.lo, end)
	}
}

// violation bounds the violation of every constraint at x.
func (i *affineInterval) violation(x float64) float64 {
	return float64(i.steepest * max(0, x-i.hi, i.lo-x))
}

// bound is the constraint basis(x) + offset ≤ 0. It stands for all constraints
// s·(basis(x) + c) ≤ 0 with s > 0: offset is the largest c, and scale the largest s.
type bound struct {
	basis  *Basis
	offset float64
	scale  float64
	affine *Form   // the basis if it is affine and n > 1, otherwise nil
	row    int     // the row of affine
	size   float64 // the magnitude of the basis, if it is not affine
}

// nonaffine is a constraint that is not kept as a row, since it is not affine or n = 1, with its
// magnitude on the domain.
type nonaffine struct {
	Func
	size float64
}

// Solution is an answer of [Program.Minimize].
type Solution struct {
	Cert
	// Residual bounds the violation of every constraint, and of the domain,
	// at the point returned, in the units of the constraint as it was added.
	Residual float64
}

// NewProgram returns the program over the set without constraints.
func NewProgram(set Set) *Program {
	p := &Program{set: set, n: set.Dim(), size: magnitude(set)}
	if p.n == 1 {
		p.ends[0], p.ends[1] = interval(set)
	} else {
		p.rows = quadprog.New(set.domain(), p.n)
		p.rows.SetScreening(!screen.Off)
	}
	p.Reset()
	return p
}

// Reset removes all constraints. It keeps the last solution, where the next one
// begins.
func (p *Program) Reset() {
	p.affine.reset()
	p.bounds, p.others, p.empty = p.bounds[:0], p.others[:0], false
	p.pairs = slices.DeleteFunc(p.pairs, func(q *pairBound) bool { return len(q.scales) == 0 })
	for _, q := range p.pairs {
		q.scales = q.scales[:0]
	}
	if p.rows != nil {
		p.rows.Reset()
		p.rows.Resume(p.point)
	}
}

// Constrain adds the constraint f(x) ≤ 0. The program copies f, but not its bases.
// It panics on a dimension other than the set's.
func (p *Program) Constrain(f *Form) {
	checkLen("constraint", f.Dim(), p.n)
	if pieces := f.split(); pieces != nil {
		for _, g := range pieces {
			p.Constrain(g)
		}
		return
	}
	if p.boundPair(f) {
		return
	}
	expanded := len(f.Terms) > 0 && !f.hasPositiveTerms(1)
	if expanded {
		f = f.Clone()
		f.expandTerms(2)
	}
	switch {
	case f.isConstant():
		// A constant may be the rounding error of a sum that is 0.
		p.empty = p.empty || f.Const > 1e-12
	case f.isAffine() && p.n == 1:
		p.affine.constrain(f.Lin[0], f.Const)
	case f.isAffine():
		p.addRow(f)
	case f.hasPositiveTerms(1):
		p.boundBasis(f.Terms[0].Basis, f.Const/f.Terms[0].Scale, f.Terms[0].Scale)
	case expanded: // f is a copy already
		p.others = append(p.others, nonaffine{f, p.magnitude(f)})
	default:
		p.others = append(p.others, nonaffine{f.Clone(), p.magnitude(f)})
	}
}

// Len returns the number of constraints that the program keeps, apart from the domain. Constraints
// on one basis count once, and so does an affine one that repeats a recent one. In one dimension,
// affine constraints without a basis are an interval, and count as none.
func (p *Program) Len() int {
	k := len(p.others)
	for _, q := range p.bounds {
		if q.affine == nil {
			k++
		}
	}
	for _, q := range p.pairs {
		k += len(q.tightest())
	}
	if p.rows != nil {
		k += p.rows.Len() - p.rows.First()
	}
	return k
}

// addRow adds an affine constraint. If a recent one has the same linear part, as in a
// problem with fixed constraints, the tighter of the two is kept.
func (p *Program) addRow(f *Form) {
	if i := p.rows.FindRow(f.Lin); i >= 0 {
		p.tighten(i, f.Const)
		return
	}
	p.rows.AddRow(f.Lin, f.Const, math.Inf(1))
}

// tighten raises the constant of row i to b, if it is less.
func (p *Program) tighten(i int, b float64) {
	if _, constant, _ := p.rows.Row(i); b > constant {
		p.rows.Tighten(i, b)
	}
}

// boundBasis adds the constraint scale·(basis(x) + offset) ≤ 0. Of the constraints on one basis
// only the tightest is kept.
func (p *Program) boundBasis(b *Basis, offset, scale float64) {
	for k := range p.bounds {
		if q := &p.bounds[k]; q.basis == b {
			q.scale = max(q.scale, scale)
			if offset > q.offset {
				q.offset = offset
				if q.affine != nil { // addRow may have raised it already
					p.tighten(q.row, q.affine.Const+offset)
				}
			}
			return
		}
	}
	q := bound{basis: b, offset: offset, scale: scale}
	if form, ok := b.expansion(p.n); ok && form.isAffine() && p.n > 1 {
		q.affine, q.row = form, p.rows.Len()
		p.rows.AddRow(form.Lin, form.Const+offset, math.Inf(1))
	} else {
		q.size = p.magnitude(b)
	}
	p.bounds = append(p.bounds, q)
}

// nonaffineConstraints returns the constraints that are not rows.
func (p *Program) nonaffineConstraints() (cons []nonaffine) {
	for _, q := range p.bounds {
		if q.affine == nil {
			cons = append(cons, nonaffine{&Shifted{q.basis, q.offset}, q.size + abs(q.offset)})
		}
	}
	for _, q := range p.pairs {
		for _, f := range q.tightest() {
			cons = append(cons, nonaffine{f, p.magnitude(f)})
		}
	}
	return append(cons, p.others...)
}

// Minimize writes to dst a minimiser of obj and certifies it. It returns
// [ErrEmpty] if no point of the domain satisfies the constraints. It panics if the
// length of dst or the dimension of obj is not the set's dimension.
func (p *Program) Minimize(dst []float64, obj *Form) (Solution, error) {
	checkLen("dst", len(dst), p.n)
	checkLen("objective", obj.Dim(), p.n)
	return p.minimize(dst, obj, Prox{})
}

// Project writes the feasible point nearest to x to dst, which may be x, and certifies it as
// the minimiser of ½‖y − x‖². It returns [ErrEmpty] if no point of the domain satisfies the
// constraints.
func (p *Program) Project(dst, x []float64) (Solution, error) {
	checkLen("dst", len(dst), p.n)
	checkLen("x", len(x), p.n)
	if p.zero == nil {
		p.zero, p.center = NewForm(p.n), make([]float64, p.n)
	}
	p.zero.Reset()
	var prox Prox
	if p.n < largeSeparable && (p.n < projectFrom || p.isCurved()) {
		(&HalfSquaredDistance{Weight: 1, Center: x}).AddTo(p.zero, 1)
	} else {
		copy(p.center, x)
		prox = Prox{Weight: 0.5, Center: p.center}
	}
	return p.minimize(dst, p.zero, prox)
}

// projectFrom is the number of dimensions from which on Project gives ½‖y − x‖² to the solvers as a
// regulariser, which needs no n×n matrix, and not as a quadratic objective. It is above the default
// sizes of the problems.
var projectFrom = 64 // tests change it

// minimize does the work of Minimize for obj plus the regulariser. The next minimisation begins at
// its answer.
func (p *Program) minimize(dst []float64, obj *Form, prox Prox) (s Solution, err error) {
	if s.Cert, err = p.solve(dst, obj, prox); err == nil {
		p.point = append(p.point[:0], dst...)
		s.Residual = p.residual(dst)
	}
	return s, err
}

// isCurved reports whether there are constraints that are not rows.
func (p *Program) isCurved() bool {
	curved := func(q bound) bool { return q.affine == nil }
	return len(p.others) > 0 || p.hasPairs() || slices.ContainsFunc(p.bounds, curved)
}

// solve does the work of minimize, without the residual.
func (p *Program) solve(dst []float64, obj *Form, prox Prox) (cert Cert, err error) {
	if len(obj.Terms) > 0 {
		obj = obj.Clone()
		obj.expandTerms(2)
	}
	if p.empty {
		return Cert{}, ErrEmpty
	}
	if cert, ok := p.minimizeSeparable(dst, obj, prox); ok {
		return cert, nil
	}
	var cons []nonaffine
	if p.isCurved() {
		cons = p.nonaffineConstraints()
	}
	switch {
	case p.n == 1:
		cert, err = p.minimizeInterval(dst, obj, cons)
	case len(cons)+len(obj.Terms) == 0:
		cert, err = p.rows.Minimize(dst, obj.quadratic(), prox, 0)
	default:
		cert, err = p.minimizeSQP(dst, obj, prox, cons)
	}
	if err != nil {
		p.empty = errors.Is(err, ErrEmpty)
		return Cert{}, err
	}
	return cert, nil
}

// minimizeSQP minimises with constraints that are not affine, or an objective that
// is not affine or quadratic: by SQP and, if that has no certificate, by cutting
// planes. Where a function is [Kinked], it uses cutting planes only.
func (p *Program) minimizeSQP(dst []float64, obj *Form, prox Prox, cons []nonaffine) (Cert, error) {
	var cert Cert
	if anyKinked(obj.Terms) ||
		slices.ContainsFunc(cons, func(f nonaffine) bool { return isKinked(f.Func) }) {
		beginAt(dst, p.point, p.set, prox)
		cert = Cert{Value: obj.Value(dst) + prox.Value(dst), Gap: math.Inf(1)}
	} else {
		b := p.prepareSQP(obj, prox, cons)
		var err error
		cert, err = b.Minimize(dst, p.point)
		b.Release() // it is large, and next time there may be other rows
		if err != nil || cert.Relative() <= gapTolerance {
			return cert, err
		}
	}
	problem := cuttingplane.Problem{Domain: p.set.domain(), Objective: obj.quadratic(),
		Prox: prox, Rows: p.rows, Components: objectiveComponents(obj),
		Start: append([][]float64{dst}, p.cutPoints...)}
	for _, f := range cons {
		problem.Constraints = append(problem.Constraints,
			cuttingplane.Constraint{Value: f.Value, Subgrad: f.Subgrad, Size: f.size})
	}
	found, points, err := problem.Minimize(dst, cert)
	p.cutPoints = points
	return found, err
}

// prepareSQP returns the composite problem of a minimisation.
func (p *Program) prepareSQP(obj *Form, prox Prox, cons []nonaffine) *sqp.Solver {
	b, terms := p.sqp, p.terms
	if b == nil {
		b, terms = sqp.New(p.set.domain(), p.rows), newCombination(nil, p.n)
	}
	if p.n >= sqp.Sizes.LargeModel {
		p.sqp, p.terms = b, terms
	}
	b.Begin(obj.quadratic(), prox, nil, 0)
	terms.keepFor(obj.Terms)
	if terms.terms = obj.Terms; len(obj.Terms) > 0 {
		b.SetTerms(terms)
	}
	for _, f := range cons {
		b.Constrain(function{f.Func}, f.size)
	}
	return b
}

// magnitude returns the size of a function on the domain.
func (p *Program) magnitude(f Func) float64 {
	if p.anchor == nil {
		p.anchor, p.gradient = make([]float64, p.n), make([]float64, p.n)
		p.set.Project(p.anchor, p.anchor)
	}
	return Magnitude(f, p.anchor, p.size, p.gradient)
}

// residual returns the largest violation at x of a constraint, or of the domain.
func (p *Program) residual(x []float64) float64 {
	r := p.set.Residual(x)
	if p.n == 1 {
		r = max(r, p.affine.violation(x[0]))
	} else {
		r = max(r, p.rows.Violation(x))
	}
	for _, q := range p.bounds {
		r = max(r, float64(q.scale*(q.basis.Value(x)+q.offset)))
	}
	for _, q := range p.pairs {
		r = max(r, q.residual(x))
	}
	for _, f := range p.others {
		r = max(r, f.Value(x))
	}
	return r
}

// minimizeInterval solves in one dimension: the constraints leave an interval.
func (p *Program) minimizeInterval(dst []float64, obj *Form, cons []nonaffine) (Cert, error) {
	lo, hi, err := p.interval(cons)
	if err != nil {
		return Cert{}, err
	}
	s := NewSum(&Box{[]float64{lo}, []float64{hi}})
	s.Add(1, obj)
	return s.Minimize(dst, Prox{})
}

// interval returns the ends of the interval that is feasible in one dimension, or
// ErrEmpty.
func (p *Program) interval(cons []nonaffine) (lo, hi float64, err error) {
	lo, hi = max(p.ends[0], p.affine.lo), min(p.ends[1], p.affine.hi)
	tol := float64(1e-13 * p.size) // rounding
	for k := 0; ; k++ {
		if lo > hi+tol {
			return 0, 0, ErrEmpty
		}
		lo = min(lo, hi) // one point, up to rounding
		if k == len(cons) {
			return lo, hi, nil
		}
		if !sublevel(cons[k].Func, &lo, &hi) {
			return 0, 0, ErrEmpty
		}
	}
}

// sublevel shrinks [lo, hi] to the part where the convex f is ≤ 0, by bisection, and
// returns false if it is ≤ 0 nowhere.
func sublevel(f Func, lo, hi *float64) bool {
	value := func(x float64) float64 { return f.Value([]float64{x}) }
	vlo, vhi := value(*lo), value(*hi)
	if vlo <= 0 && vhi <= 0 {
		return true
	}
	inside := *lo
	if vlo > 0 {
		s := NewSum(&Box{[]float64{*lo}, []float64{*hi}})
		s.Add(1, f)
		var at [1]float64
		cert, err := s.Minimize(at[:], Prox{})
		if err != nil || cert.Value > float64(1e-14*max(1, vlo, abs(vhi))) {
			return false
		}
		inside = at[0]
		*lo = scalar.SublevelEnd(value, inside, *lo)
	}
	if vhi > 0 {
		*hi = scalar.SublevelEnd(value, inside, *hi)
	}
	return true
}

// objectiveComponents returns the bases of an objective as components.
func objectiveComponents(obj *Form) []cuttingplane.Component {
	s := Sum{smooth: obj}
	return s.components()
}
