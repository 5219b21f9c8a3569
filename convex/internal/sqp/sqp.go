// Package sqp minimises composite functions by sequential quadratic programming.
//
// [Solver] minimises, over a domain,
//
//	obj(x) + weight‖x−center‖² + Σ_k scale_k u_k(x) + γ(rows(x) + features(x) + Σ_h w_h max(0, p_h·u(x) + c_h)),
//
// where obj is affine or quadratic, rows are affine hinges and constraints, features are hinges of
// [Features], and the inner functions u_k are convex and smooth near the minimiser. A hinge with
// w_h = ∞ is a constraint.
//
// The method is sequential quadratic programming, for composite functions
// (Fletcher 1982). Each step linearises the u_k in the hinges, adds their
// Hessians at the multipliers of the previous step, and solves this quadratic
// model with the active-set method, with a damping ½ρ‖x − x_k‖². Steps are judged by a merit
// function, and the best point so far, the incumbent, is kept. Near the minimiser the method
// converges quadratically, and in one step if the u_k are affine.
//
// A hinge of features is a row of the model if it changes sign between the
// point of linearisation and the model's minimiser. The other ones enter the
// model as their sum. The rows are found by iteration: the model is solved, rows
// that change sign are added, and so on until there is none.
//
// The model begins where the one before it ended: a hinge is on, off or at its kink as it
// was at the last minimiser, and a later minimisation begins with the last multipliers.
// The Hessian of the objective is that of the last minimisation, plus those of new terms,
// as long as each step reduces the gap by 10⁴ (the chord method). From then on, every
// step computes its own Hessian (Newton's method).
//
// If u_k contains a multiple of ‖x‖₁, and is in the Lagrangian or in a single hinge, the
// model keeps ‖x‖₁ exactly and linearises the rest of u_k: it is a program in (x, v), v ≥ |x|.
//
// The certificate does not depend on how x was found. For multipliers
// 0 ≤ λ_h ≤ γw_h the convex function
//
//	L = obj + … + Σ_h λ_h (p_h·u + c_h)
//
// is at most the objective, and at least its own tangent at x.
//
// Reference: Fletcher, A model algorithm for composite nondifferentiable
// optimization problems, 1982.
//
// The parts are
//
//	the composite function and its models             sqp.go
//	how far a step goes, and when to stop             descent.go
//	hinges that are affine in common features         features.go
//	models with ‖x‖₁                                  lifted.go
//	models where most numbers are 0                   sparse.go
//
// A step costs an evaluation of all functions, a Hessian, O(n²) for each function whose Hessian is
// dense, its factorisation, O(n³), and a row for each hinge near its kink. On a box or a simplex of
// 64 dimensions or more, without features and ‖x‖₁, n is only the number of coordinates that are
// not at a bound once most are.
package sqp

import (
	"errors"
	"iter"
	"math"
	"slices"
	"sort"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/scalar"
	"ocobench/convex/vec"
)

// Function is a convex function on ℝⁿ that is smooth near the minimiser, but for a multiple of
// ‖x‖₁. Two are the same function if they are equal as interfaces.
type Function interface {
	// Value returns f(x).
	Value(x []float64) float64
	// Subgrad writes a subgradient of f at x to dst.
	Subgrad(dst, x []float64)
	// AddHessian adds s times the Hessian at x, in the coordinates on, to dst; nil: in all.
	AddHessian(dst, x []float64, s float64, on []int)
	// Norm1 returns the coefficient of ‖x‖₁ in f.
	Norm1() float64
}

// Terms is the part of an objective that is neither affine nor quadratic: one function that may
// keep its Hessian, which then is of the points where it was computed.
type Terms interface {
	Function
	// Evaluate returns the value at x and writes a subgradient to grad.
	Evaluate(grad, x []float64) float64
	// IsWorthKeeping reports whether there is a Hessian that costs much to compute again.
	IsWorthKeeping() bool
	// KeepHessian sets whether the Hessian is kept, and KeepsHessian returns it.
	KeepHessian(on bool)
	KeepsHessian() bool
}

// Solver is a composite function and what is known of its last minimisation, where the next one
// begins.
type Solver struct {
	// The composite function, and the gap at which to stop; 0: at rounding.
	domain   quadprog.Domain
	obj      quadprog.Quadratic
	prox     quadprog.Prox
	terms    Terms // of the objective, the first of the inner functions; nil: none
	inner    []innerFunc
	hinges   []compositeHinge
	trees    []hingeTree
	features *Features // nil: none
	accuracy float64

	// Its model, one of two, with γ; a step appends the hinges, and removes them again.
	model       *quadprog.Solver
	plainModel  *quadprog.Solver // without ‖x‖₁
	lifted      *lifted          // with ‖x‖₁; nil until it is needed
	isLifted    bool             // whether model is that of lifted
	modelHinges []compositeHinge // the hinges of the model, without those of features
	mu          []float64        // their multipliers
	constant    float64          // the constant term of L
	quad        []float64        // the Hessian of the model
	curvature   float64          // a bound from below of that of obj, see boundCurvature

	// The points of a minimisation.
	x         []float64 // the present one
	point     []float64 // of the best certificate
	incumbent visited
	g         []float64 // the gradient of L at the point where Gap was called last

	row, line []float64          // scratch
	around    []scalar.Increment // scratch of updateModelHinges
}

// innerFunc is one u_k, with its value and gradient at the point evaluated last.
type innerFunc struct {
	f           Function
	scale       float64 // of u_k in the objective
	value       float64
	grad        []float64
	coefficient float64 // of u_k in L
	model       float64 // its value in the last model, at the minimiser of that model; NaN: unknown
	norm1       float64 // the coefficient of ‖x‖₁ in u_k
	few         []int32 // the coordinates where grad is not 0; empty if they are many
	listed      bool    // few belongs to this grad
}

// compositeHinge is w·max(0, p·u_i + q·u_j + c).
type compositeHinge struct {
	i, j    int // j < 0: no u_j
	p, q, c float64
	w       float64
	unit    float64 // of a constraint: its size on the domain
}

// violationUnit returns the unit in which a violation of the constraint is measured, where its
// gradient is grad and the domain has this size.
func (h compositeHinge) violationUnit(grad []float64, size float64) float64 {
	return max(h.unit, float64(vec.Norm(grad)*size))
}

// hingeTree holds the hinges of one inner function, or of two. The model has single hinges near the
// value that the last model predicts, and far from it sums of many hinges, which are lower bounds:
// max(0, Σ h) ≤ Σ max(0, h).
type hingeTree struct {
	single *scalar.Hinges
	pair   *scalar.PairHinges // nil: the hinges are of one function
	i, j   int                // the functions; j < 0: none
}

// New returns the zero function over the domain. The rows of its models are added to those of rows
// and removed again.
func New(domain quadprog.Domain, rows *quadprog.Solver) *Solver {
	n := domain.Dim()
	q := &Solver{domain: domain, model: rows, plainModel: rows}
	for _, v := range []*[]float64{&q.x, &q.point, &q.row, &q.g, &q.line, &q.incumbent.x} {
		*v = make([]float64, n)
	}
	return q
}

// Begin makes the function obj plus the regulariser, the rows and the hinges of features, nil for
// none. Minimisations may stop at the gap accuracy; 0: at rounding.
func (q *Solver) Begin(obj quadprog.Quadratic, prox quadprog.Prox, features *Features,
	accuracy float64) {
	q.obj, q.prox, q.features, q.accuracy, q.terms = obj, prox, features, accuracy, nil
	q.inner, q.hinges, q.trees = q.inner[:0], q.hinges[:0], q.trees[:0]
}

// SetTerms adds f to the objective, before anything else is added.
func (q *Solver) SetTerms(f Terms) {
	q.terms = f
	q.addInner(f, 1)
}

// AddHinges adds the hinges h(f(x)).
func (q *Solver) AddHinges(h *scalar.Hinges, f Function) {
	q.trees = append(q.trees, hingeTree{single: h, i: q.addInner(f, 0), j: -1})
}

// AddPairHinges adds the hinges h(f(x), g(x)).
func (q *Solver) AddPairHinges(h *scalar.PairHinges, f, g Function) {
	q.trees = append(q.trees, hingeTree{pair: h, i: q.addInner(f, 0), j: q.addInner(g, 0)})
}

// AddHinge adds w·max(0, f(x)).
func (q *Solver) AddHinge(w float64, f Function) {
	q.hinges = append(q.hinges, compositeHinge{i: q.addInner(f, 0), j: -1, p: 1, w: w})
}

// Constrain adds the constraint f(x) ≤ 0, where f has this size on the domain.
func (q *Solver) Constrain(f Function, size float64) {
	q.hinges = append(q.hinges, compositeHinge{i: q.addInner(f, 0), j: -1, p: 1, w: math.Inf(1),
		unit: size})
}

// Release gives up the model with ‖x‖₁, which is large.
func (q *Solver) Release() { q.lifted, q.model = nil, q.plainModel }

// addInner adds an inner function, scale times which is in the objective, and returns its number.
func (q *Solver) addInner(f Function, scale float64) int {
	k := len(q.inner)
	q.inner = slices.Grow(q.inner, 1)[:k+1]
	last := q.inner[k]
	a := innerFunc{f: f, scale: scale, grad: last.grad, coefficient: scale, norm1: f.Norm1(),
		model: math.NaN(), few: last.few}
	if a.grad == nil {
		a.grad = make([]float64, q.domain.Dim())
	}
	if last.f == f { // the model begins where the last one ended
		a.model = last.model
		if scale == 0 {
			a.coefficient = last.coefficient
		}
	}
	q.inner[k] = a
	return k
}

// predicted returns the value of u_k at the minimiser of the last model in that model or, if
// there is none, its value at the point evaluated last. A hinge that was at its kink in
// the last model is there at its kink, up to rounding, however curved u_k is.
func (q *Solver) predicted(k int) float64 {
	if a := &q.inner[k]; !math.IsNaN(a.model) {
		return a.model
	}
	return q.inner[k].value
}

// chooseModel takes the lifted model if an inner function that contains ‖x‖₁ is in
// the Lagrangian, or in a single hinge that is not slack.
func (q *Solver) chooseModel() {
	q.model = q.plainModel
	q.isLifted = slices.ContainsFunc(q.inner,
		func(a innerFunc) bool { return a.norm1 > 0 && a.coefficient > 0 }) ||
		slices.ContainsFunc(q.hinges, func(h compositeHinge) bool {
			return q.inner[h.i].norm1 > 0 && !q.isSlack(h)
		})
	if q.isLifted {
		if q.lifted == nil {
			q.lifted = newLifted(q.plainModel, q.domain)
		}
		q.model = q.lifted.Solver
		q.model.SetGamma(q.plainModel.Gamma())
	}
}

// isSlack reports whether a hinge is negative at the point evaluated last by more than rounding, so
// that it may have no part in a step. If that is wrong, it has a multiplier after the step, or is
// positive.
func (q *Solver) isSlack(h compositeHinge) bool {
	const rounding = 1e-9
	a := &q.inner[h.i]
	unit := max(h.violationUnit(a.grad, q.plainModel.Scale()), math.SmallestNonzeroFloat64)
	return q.domain.Dim() >= Sizes.LargeModel && q.hingeArgument(h) < -float64(rounding*unit)
}

// Evaluate evaluates all functions at x. It returns the objective, and the
// largest violation of a constraint in units of its size on the domain.
func (q *Solver) Evaluate(x []float64) (value, violation float64) {
	value = q.obj.Value(x) + q.prox.Value(x)
	for k := range q.inner {
		a := &q.inner[k]
		if k == 0 && q.terms != nil {
			a.value = q.terms.Evaluate(a.grad, x)
		} else {
			a.value = a.f.Value(x)
			a.f.Subgrad(a.grad, x)
		}
		a.listed = false
		value += float64(a.scale * a.value)
	}
	hinges, violation := q.model.Hinges(x)
	if q.features != nil {
		hinges += q.features.Value(x)
	}
	for _, t := range q.trees {
		if u := q.inner[t.i].value; t.pair == nil {
			hinges += t.single.Value(u)
		} else {
			hinges += t.pair.Value(u, q.inner[t.j].value)
		}
	}
	for _, h := range q.hinges {
		switch v := q.hingeArgument(h); {
		case v <= 0:
		case math.IsInf(h.w, 1):
			violation = max(violation, v/h.violationUnit(q.inner[h.i].grad, q.model.Scale()))
		default:
			hinges += float64(h.w * v)
		}
	}
	return value + float64(q.model.Gamma()*hinges), violation
}

// hingeArgument returns p·u_i + q·u_j + c, the argument of the hinge.
func (q *Solver) hingeArgument(h compositeHinge) float64 {
	v := float64(h.p*q.inner[h.i].value) + h.c
	if h.j >= 0 {
		v += float64(h.q * q.inner[h.j].value)
	}
	return v
}

// updateModelHinges lists the hinges of the model.
func (q *Solver) updateModelHinges() {
	hs := append(q.modelHinges[:0], q.hinges...)
	for _, t := range q.trees {
		var key func(s scalar.Increment) float64 // the breakpoint of a hinge, or of a sum of hinges
		at := q.predicted(t.i)
		var breakpoints *scalar.Breakpoints
		if t.pair == nil {
			breakpoints = &t.single.Breakpoints
			key = func(s scalar.Increment) float64 { return -s.B / s.A }
		} else {
			breakpoints = &t.pair.Breakpoints
			key = func(s scalar.Increment) float64 { return s.B / (s.A + s.B) }
			if u, v := at, q.predicted(t.j); u != v {
				at = min(max(0, u/(u-v)), 1)
			} else {
				at = 0
			}
		}
		q.around = q.around[:0]
		breakpoints.VisitAround(at, func(s scalar.Increment) { q.around = append(q.around, s) })
		middle := sort.Search(len(q.around), func(k int) bool { return key(q.around[k]) >= at })
		for s := range groupFromMiddle(q.around, middle) {
			h := compositeHinge{i: t.i, j: t.j, p: s.A, q: s.B, w: 1}
			if t.j < 0 {
				h.q, h.c = 0, s.B
			}
			hs = append(hs, h)
		}
	}
	q.modelHinges = hs
}

// rowsPerSide is the number of hinges of a tree on each side of the predicted value that are rows
// of the model by themselves. The prediction is off by few hinges once the method
// converges. The sums farther away are lower bounds, and a step that reaches them makes
// them exact.
const rowsPerSide = 5

// groupFromMiddle yields the rowsPerSide increments on each side of number middle, and then sums of
// groups of 2, 4, 8, … increments farther away.
func groupFromMiddle(around []scalar.Increment, middle int) iter.Seq[scalar.Increment] {
	return func(yield func(scalar.Increment) bool) {
		for _, side := range []struct{ from, step int }{{middle - 1, -1}, {middle, 1}} {
			size := 1
			for i, k := side.from, 0; i >= 0 && i < len(around); k++ {
				var sum scalar.Increment
				for range size {
					if i >= 0 && i < len(around) {
						sum = sum.Plus(around[i])
						i += side.step
					}
				}
				if !yield(sum) {
					return
				}
				if k+1 >= rowsPerSide {
					size *= 2
				}
			}
		}
	}
}

// step moves x to the minimiser of the model at x with ½ρ‖·−x‖² added, and sets
// the multipliers.
func (q *Solver) step(x []float64, rho float64) error {
	q.chooseModel()
	p, at, row := q.model, x, q.row
	if q.isLifted {
		at, row = q.lifted.lift(x), q.lifted.row
	}
	base := p.Len()
	defer p.Truncate(base)
	q.addModelHinges(at, row)
	first := p.Len()
	err := q.solveModel(x, at, rho)
	for errors.Is(err, quadprog.ErrFreed) { // again, with the Hessian in more coordinates
		err = q.solveModel(x, at, rho)
	}
	for k := range q.inner {
		q.inner[k].coefficient = q.inner[k].scale
	}
	if err != nil {
		return err
	}
	for k := range q.inner {
		clear(row)
		q.addGrad(row, at, k, 1)
		q.inner[k].model = q.inner[k].value + vec.Dot(row, p.X()) - vec.Dot(row, at)
	}
	q.domain.Project(x, p.X()[:len(x)])
	if q.isLifted {
		q.lifted.recoverSigns(x)
	}
	q.setMultipliers(base, first)
	return nil
}

// solveModel solves the model at x with ½ρ‖·−x‖² added. at is x as in addGrad.
func (q *Solver) solveModel(x, at []float64, rho float64) error {
	p, curvature := q.model, float64(2*q.prox.Weight)+rho
	quad := q.setModelObjective(x, at, rho)
	if q.isLifted {
		quad = q.lifted.regularize(quad, curvature)
	}
	if q.features != nil {
		return q.features.solveModel(p, curvature, quad)
	}
	return p.Solve(curvature, quad)
}

// addModelHinges adds the hinges of the model, linearised at the point at, as rows. row is
// scratch.
func (q *Solver) addModelHinges(at, row []float64) {
	p := q.model
	q.updateModelHinges()
	for _, h := range q.modelHinges {
		if !q.addSparseRow(h, at) {
			argument := q.hingeArgument(h)
			clear(row)
			q.addGrad(row, at, h.i, h.p)
			if h.j >= 0 {
				q.addGrad(row, at, h.j, h.q)
			}
			p.AddRow(row, argument-vec.Dot(row, at), h.w)
		}
		if !math.IsInf(h.w, 1) {
			q.setInitialState(h, p.Len()-1)
		}
	}
}

// setModelObjective sets the linear part of the model's objective at x, and returns its
// quadratic part without 2·weight + ρ: the Hessians of the inner functions at their
// multipliers, in the free coordinates. at is x as in addGrad.
func (q *Solver) setModelObjective(x, at []float64, rho float64) (quad []float64) {
	n, p, on := len(x), q.model, q.freeCoordinates()
	c := p.Linear()
	k, free := n, x
	if on != nil {
		k, free = len(on), p.Gather(x)
	}
	q.quad = slices.Grow(q.quad[:0], k*k)[:k*k]
	clear(q.quad)
	quad = q.quad
	if q.features != nil {
		q.features.addHessian(quad, q.features.lambda)
	}
	for _, a := range q.inner {
		if a.coefficient != 0 {
			a.f.AddHessian(quad, x, a.coefficient, on)
		}
	}
	copy(c, q.obj.Lin)
	for r := range k {
		i := r
		if on != nil {
			i = on[r]
		}
		c[i] -= vec.Dot(quad[r*k:(r+1)*k], free)
	}
	switch {
	case matrix.IsZero(q.obj.Q, n):
	case on != nil:
		matrix.AddOn(quad, 1, q.obj.Q, on, n)
	default:
		matrix.Add(quad, 1, q.obj.Q)
	}
	if sigma := 2 * q.prox.Weight; sigma > 0 {
		vec.Axpy(c[:n], -sigma, q.prox.Center)
	}
	vec.Axpy(c[:n], -rho, x)
	clear(c[n:])
	for k := range q.inner {
		q.addGrad(c, at, k, q.inner[k].scale)
	}
	return quad
}

// setMultipliers sets the multipliers of the model's hinges, whose rows are base, …,
// first − 1, and of those of features, the rows from first on. They determine L.
func (q *Solver) setMultipliers(base, first int) {
	p := q.model
	q.mu = slices.Grow(q.mu[:0], len(q.modelHinges))[:len(q.modelHinges)]
	for k := range q.modelHinges {
		q.mu[k] = 0
		if p.IsOn(base + k) {
			q.mu[k] = p.MaxMultiplier(base + k)
		}
	}
	p.Active(func(i int, mu float64) {
		if i >= base && i < first {
			q.mu[i-base] = mu
		}
	})
	q.constant = 0
	if q.features != nil {
		q.constant = q.features.setMultipliers(p, first)
	}
	for k, h := range q.modelHinges {
		if !math.IsInf(h.w, 1) {
			q.mu[k] *= h.w // the row contains the weight
		}
		q.inner[h.i].coefficient += float64(q.mu[k] * h.p)
		if h.j >= 0 {
			q.inner[h.j].coefficient += float64(q.mu[k] * h.q)
		}
		q.constant += float64(q.mu[k] * h.c)
	}
}

// atKink is the size of the argument of a hinge, in units of its terms, up to which the
// hinge is at its kink. Three terms, each from sums of n products, have a rounding of
// 10⁻¹⁵ or 10⁻¹⁴; a step that is not yet at rounding leaves far more than 10⁻¹².
const atKink = 1e-12

// setInitialState sets the state of row i, a hinge of the model, to that at the minimiser of the
// last model: on, off, or at its kink.
func (q *Solver) setInitialState(h compositeHinge, i int) {
	p := q.model
	u, v := float64(h.p*q.predicted(h.i)), 0.0
	if h.j >= 0 {
		v = float64(h.q * q.predicted(h.j))
	}
	s := u + v + h.c
	switch {
	case math.Abs(s) <= float64(atKink*(math.Abs(u)+math.Abs(v)+math.Abs(h.c))):
		p.BeginAtKink(i)
	case s > 0:
		p.BeginOn(i)
	}
}

// addGrad adds s times the model's gradient of u_k at the point at, which is x or,
// in the lifted model, (x, |x|).
func (q *Solver) addGrad(dst, at []float64, k int, s float64) {
	a := &q.inner[k]
	n := len(a.grad)
	vec.Axpy(dst[:n], s, a.grad)
	if a.norm1 > 0 && len(dst) > n {
		c := float64(s * a.norm1)
		for i, v := range at[:n] {
			dst[i] -= float64(c * sign(v))
			dst[n+i] += c
		}
	}
}

// boundCurvature bounds the curvature of the objective's quadratic part from below. Projections,
// whose objective has no other part, have the bits that they had without.
func (q *Solver) boundCurvature() {
	const rounding = 1e-13
	if q.curvature = 0; len(q.obj.Q) > 0 && q.terms != nil && q.domain.Dim() >= Sizes.LargeModel {
		n := q.domain.Dim()
		q.curvature = max(0, matrix.LeastEigenvalue(q.obj.Q, n)-
			float64(rounding*matrix.LargestDiagonal(q.obj.Q, n)))
	}
}

// Gap bounds value minus the least value by the tangent of L at x, the point
// evaluated last.
func (q *Solver) Gap(x []float64, value float64) float64 {
	rows, g := q.line, q.g
	clear(rows)
	lower := q.constant + q.model.Lagrangian(rows)
	lower += vec.Dot(rows, x) + q.obj.Value(x) + q.prox.Value(x)
	q.obj.Gradient(g, x)
	vec.Axpy(g, 1, rows)
	q.prox.AddGradient(g, x)
	for _, a := range q.inner {
		lower += float64(a.coefficient * a.value)
		vec.Axpy(g, a.coefficient, a.grad)
		if c := float64(a.coefficient * a.norm1); c > 0 && q.isLifted { // ‖y‖₁ ≥ sign·y
			for i, v := range x {
				s := q.lifted.sign[i] - sign(v)
				g[i] += float64(c * s)
				lower += float64(c * float64(s*v))
			}
		}
	}
	if f := q.features; f != nil {
		lower += vec.Dot(f.lambda, f.phi) - float64(q.model.Gamma()*f.mergeError)
		f.addGrad(g, 1, f.lambda)
	}
	return max(0, value-lower) +
		quadprog.TangentGap(q.domain.Set, x, g, 2*q.prox.Weight+q.curvature, rows, q.row)
}

// visited is a point with its value and its violation.
type visited struct {
	x                []float64
	value, violation float64
}

// set copies a point and its values.
func (v *visited) set(x []float64, value, violation float64) {
	copy(v.x, x)
	v.value, v.violation = value, violation
}
