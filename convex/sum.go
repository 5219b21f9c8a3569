package convex

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/scalar"
	"ocobench/convex/internal/screen"
	"ocobench/convex/internal/separable"
	"ocobench/convex/internal/sqp"
	"ocobench/convex/vec"
)

// Prox is the regulariser Weight·‖x − Center‖². The zero value is the zero function, and Center may
// be nil where Weight is 0.
type Prox = quadprog.Prox

// Sum accumulates functions and hinges over a domain D,
//
//	S(x) = Σ_i s_i f_i(x) + γ Σ_i w_i max(0, h_i(x)),
//
// and minimises it. The method and its cost depend on the functions; t is the
// number of hinges:
//
//	n = 1, affine and quadratic functions and hinges   exact, O(log t)
//	n = 1, all others                                  bisection up to rounding, about 50 evaluations
//	affine hinges, affine and quadratic functions      exact, active set: O(n²), and O(n) for each hinge that may have changed sign
//	hinges of one basis, s·φ(x)+c (perturbed)          SQP, a step O(n³ + n·log t)
//	a hinge of a [Separable] in a box, n ≥ 128         its multiplier, O(n) a step
//	one hinge for each basis, affine, n ≥ 128          exact, active set, each hinge a row
//	hinges of two bases, p·φ(x)+q·ψ(x)                 SQP, as hinges of one basis
//	hinges of K bases and x, a·x+Σ_k s_k φ_k(x)+c      SQP, a step O(n³ + K·n²), and O(n+K) for each hinge that may have changed sign
//	quadratic hinges, each with its own matrix         the same with K = n(n+1)/2
//	hinges of a new smooth function each               the same with K = t; if K·t > 2²⁶, a step evaluates every hinge
//	losses of K bases, such as log-wealth              Newton's method, K evaluations a step, O(K·n²) for a new Hessian if they are dense
//	multiples of ‖x‖₁ in any of these                  SQP in 2n variables, with sparse minimisers
//	single hinges and sums of the largest of affine    exact, active set in n+1 variables
//	functions, see [Max], and affine or quadratic ones
//	functions with another kink at the minimiser       cutting planes, up to a certified gap
//
// On a box or a simplex of 64 dimensions or more, n is in the powers above only the number of
// coordinates that are not at a bound.
//
// Where SQP ends with a relative gap above 1e-10, cutting planes go on from its incumbent.
//
// Every method begins at the last minimiser, with the same hinges at their kinks. SQP also
// begins with the last multipliers. It then takes two or three steps, in place of about
// ten. Affine hinges may be added to all other ones. Only Sum and [Program] branch on the
// form of functions.
type Sum struct {
	set       Set
	n         int
	smooth    *Form
	gamma     float64
	constants float64 // the sum of the constant hinges

	accuracy float64 // the gap at which iterative methods may stop; 0: near rounding

	lo, hi     float64           // n = 1: the ends of the set
	univariate *scalar.Piecewise // n = 1: affine and quadratic hinges
	rows       *quadprog.Solver  // n > 1: affine hinges
	byBasis    []*basisHinges    // the hinges of one basis, in the order in which bases were added
	byPair     []*pairHinges     // the hinges of two bases
	features   *featureHinges    // n > 1: hinges of more bases, or of bases and x
	others     []hinge           // hinges of too many bases
	sqp        *sqp.Solver       // n > 1: for functions that are not affine or quadratic
	terms      *combination      // of its objective, with its Hessian
	separable  separable.Solver  // one hinge of a separable function
	point      []float64         // the last minimiser, where the next minimisation begins
	cutPoints  [][]float64       // where the last minimisation by cutting planes ended
}

// hinge is the function w·max(0, f(x)).
type hinge struct {
	w float64
	f *Form
}

// NewSum returns the zero sum over the set, with γ = 1.
func NewSum(set Set) *Sum {
	s := &Sum{set: set, n: set.Dim(), smooth: NewForm(set.Dim())}
	if s.n == 1 {
		s.lo, s.hi = interval(set)
		s.univariate = new(scalar.Piecewise)
	} else {
		s.rows = quadprog.New(set.domain(), s.n)
	}
	s.Reset()
	return s
}

// Reset makes s the zero sum again, and keeps its storage. Minimisations then have
// the same bits as those of a new sum.
func (s *Sum) Reset() {
	s.smooth.Reset()
	s.gamma, s.accuracy = 1, 0
	s.features, s.sqp, s.terms, s.cutPoints = nil, nil, nil, nil
	s.point = s.point[:0]
	if s.rows != nil {
		s.rows.Reset()
	}
	s.ResetHinges()
}

// Add adds scale·f, scale ≥ 0.
func (s *Sum) Add(scale float64, f Func) {
	f.AddTo(s.smooth, scale)
	s.smooth.expandTerms(2)
}

// SetGamma sets the weight γ ≥ 0 common to all hinges, past and future.
func (s *Sum) SetGamma(gamma float64) { s.gamma = gamma }

// SetAccuracy sets the gap at which iterative methods may stop, in the units of
// the sum: proximal points, SQP and cutting planes. With 0, the default, they stop
// near rounding. Finite methods always do.
func (s *Sum) SetAccuracy(gap float64) { s.accuracy = gap }

// ResetHinges removes all hinges.
func (s *Sum) ResetHinges() {
	s.constants = 0
	s.byBasis, s.byPair, s.others = nil, nil, nil
	if s.features != nil {
		s.features.Reset()
	}
	if s.n == 1 {
		s.univariate.Reset()
		return
	}
	s.rows.Truncate(s.rows.First()) // the rows of the domain stay
	s.rows.SetScreening(!screen.Off)
}

// AddHinge adds w·max(0, f(x)), w ≥ 0. The sum copies f, but not its bases. It
// panics on a dimension other than the set's, a negative weight, a number that is
// not finite or, in one dimension, a concave quadratic f.
func (s *Sum) AddHinge(w float64, f *Form) {
	checkLen("hinge", f.Dim(), s.n)
	if !(w >= 0) || math.IsInf(w, 1) || !f.finite() {
		panic(fmt.Sprintf("convex: a hinge needs a finite weight ≥ 0 and finite numbers, got weight %v "+
			"and %+v", w, f))
	}
	if w == 0 {
		return
	}
	// One basis, or two without a constant, stay as they are where n > 1: such hinges of all rounds
	// are kept together. Others are written out in x where their bases are affine or, if n = 1,
	// quadratic.
	keepsBases := s.n > 1 && (f.hasPositiveTerms(1) || f.hasPositiveTerms(2) && f.Const == 0)
	maxDegree := 1
	if s.n == 1 {
		maxDegree = 2
	}
	if !keepsBases && f.canExpand(maxDegree) {
		f = f.Clone()
		f.expandTerms(maxDegree)
	}
	switch {
	case f.isConstant():
		s.constants += float64(w * max(0, f.Const))
	case s.n == 1 && len(f.Terms) == 0:
		q := 0.0
		if f.hasQuad() {
			q = f.Quad[0]
		}
		s.univariate.Add(w, q, f.Lin[0], f.Const)
	case f.isAffine() && s.features.isEmpty():
		s.rows.AddHinge(f.Lin, f.Const, w)
	case f.hasPositiveTerms(1):
		s.addBasisHinge(f.Terms[0].Basis, float64(w*f.Terms[0].Scale), float64(w*f.Const))
	case f.hasPositiveTerms(2) && f.Const == 0:
		s.addPairHinge(f.Terms[0], f.Terms[1], w)
	default:
		if s.n == 1 || !s.needFeatures().addHinge(w, f) {
			s.others = append(s.others, hinge{w, f.Clone()})
		}
	}
}

// needFeatures returns the hinges of features, which it creates if necessary.
func (s *Sum) needFeatures() *featureHinges {
	if s.features == nil {
		s.features = newFeatureHinges(s.set)
	}
	return s.features
}

// finite reports whether all numbers of f are finite.
func (f *Form) finite() bool {
	ok := finite(f.Const)
	for _, v := range f.Lin {
		ok = ok && finite(v)
	}
	for _, v := range f.Quad {
		ok = ok && finite(v)
	}
	for _, t := range f.Terms {
		ok = ok && finite(t.Scale)
	}
	return ok
}

// hasPositiveTerms reports whether f is k positive multiples of bases plus a constant.
func (f *Form) hasPositiveTerms(k int) bool {
	if f.hasQuad() || len(f.Terms) != k {
		return false
	}
	for _, v := range f.Lin {
		if v != 0 {
			return false
		}
	}
	for _, t := range f.Terms {
		if !(t.Scale > 0) {
			return false
		}
	}
	return true
}

// addBasisHinge adds the hinge max(0, scale·basis + c). If c = 0 and the basis is
// one of a pair, the hinge becomes one of the pair.
func (s *Sum) addBasisHinge(b *Basis, scale, c float64) {
	if c == 0 {
		for _, f := range s.byPair {
			switch b {
			case f.first:
				f.Add(scale, 0)
				return
			case f.second:
				f.Add(0, scale)
				return
			}
		}
	}
	for _, r := range s.byBasis {
		if r.basis == b {
			r.Add(scale, c)
			return
		}
	}
	r := &basisHinges{basis: b}
	r.Add(scale, c)
	s.byBasis = append(s.byBasis, r)
}

// addPairHinge adds w·max(0, a + b). A new pair takes over the hinges of its single
// bases if these have no constants.
func (s *Sum) addPairHinge(a, b Term, w float64) {
	for _, f := range s.byPair {
		switch {
		case f.first == a.Basis && f.second == b.Basis:
			f.Add(float64(w*a.Scale), float64(w*b.Scale))
			return
		case f.first == b.Basis && f.second == a.Basis:
			f.Add(float64(w*b.Scale), float64(w*a.Scale))
			return
		}
	}
	f := &pairHinges{first: a.Basis, second: b.Basis}
	f.Add(float64(w*a.Scale), float64(w*b.Scale))
	s.byPair = append(s.byPair, f)
	s.byBasis = slices.DeleteFunc(s.byBasis, func(r *basisHinges) bool {
		scale, ok := r.Homogeneous()
		switch {
		case ok && r.basis == a.Basis:
			f.Add(scale, 0)
		case ok && r.basis == b.Basis:
			f.Add(0, scale)
		default:
			return false
		}
		return true
	})
}

// Value returns S(x); see Hinges for its cost.
func (s *Sum) Value(x []float64) float64 {
	return s.smooth.Value(x) + float64(s.gamma*s.Hinges(x))
}

// Hinges returns Σ_i w_i max(0, h_i(x)), without γ. Affine hinges in n > 1
// dimensions cost O(n) each, and hinges of too many bases one evaluation each.
// Hinges of one basis or of two, and those in one dimension, cost O(log t)
// together. All others cost O(n+K) for each hinge that may have changed sign.
func (s *Sum) Hinges(x []float64) float64 {
	v := s.constants
	if s.univariate != nil {
		v += s.univariate.Value(x[0])
	}
	if s.rows != nil {
		rows, _ := s.rows.Hinges(x)
		v += rows
	}
	if s.features != nil {
		v += s.features.Value(x)
	}
	for _, r := range s.byBasis {
		v += r.valueAt(x)
	}
	for _, f := range s.byPair {
		v += f.valueAt(x)
	}
	for _, h := range s.others {
		v += h.value(x)
	}
	return v
}

// Minimize writes to dst the minimiser over D of
//
//	S(x) + prox.Weight·‖x − prox.Center‖²,
//
// and certifies it. If the sum is not strictly convex, dst is one of its
// minimisers. It is an error if numbers in the minimisation are not finite, or if
// a quadratic part is not positive semidefinite. It panics if the length of dst or
// of the centre is not the set's dimension.
func (s *Sum) Minimize(dst []float64, prox Prox) (Cert, error) {
	checkLen("dst", len(dst), s.n)
	if prox.Weight != 0 {
		checkLen("prox centre", len(prox.Center), s.n)
	}
	cert, err := s.minimize(dst, prox)
	if err != nil {
		return cert, err
	}
	if !finite(cert.Value) || !finite(cert.Gap) {
		return cert, quadprog.ErrNotFinite
	}
	s.point = append(s.point[:0], dst...)
	return cert, nil
}

// minimize does the work of Minimize by the first method that serves the sum: in one dimension
// exactly or by bisection; by the active set, if there are only affine hinges; by cutting planes,
// if a function is [Kinked]; otherwise by the special methods for many dimensions and, if these do
// not apply, by SQP, and from its incumbent by cutting planes if it has no certificate.
func (s *Sum) minimize(dst []float64, prox Prox) (Cert, error) {
	onlyRows := len(s.smooth.Terms)+len(s.byBasis)+len(s.byPair)+len(s.others) == 0 &&
		s.features.isEmpty()
	var cert Cert
	var err error
	switch {
	case s.n == 1 && onlyRows:
		return s.minimizeLine(dst, prox), nil
	case s.n == 1:
		return s.bisect(dst, prox), nil
	case onlyRows:
		s.rows.SetGamma(s.gamma)
		cert, err = s.rows.Minimize(dst, s.smooth.quadratic(), prox, s.accuracy)
	case s.isKinked():
		s.rows.SetGamma(s.gamma)
		beginAt(dst, s.point, s.set, prox)
		// As in the other methods, the constant hinges are not in the value yet.
		cert = Cert{Gap: math.Inf(1),
			Value: s.Value(dst) + prox.Value(dst) - float64(s.gamma*s.constants)}
		cert, err = s.minimizeByCuts(dst, prox, cert)
	default:
		var ok bool
		if cert, ok = s.minimizeSeparable(dst, prox); ok {
			break
		}
		if cert, ok = s.minimizeSingles(dst, prox); ok {
			break
		}
		s.rows.SetGamma(s.gamma)
		b := s.prepareSQP(prox)
		cert, err = b.Minimize(dst, s.point)
		if err == nil && cert.Gap > s.accuracy && cert.Relative() > gapTolerance {
			cert, err = s.minimizeByCuts(dst, prox, cert)
		}
	}
	cert.Value += float64(s.gamma * s.constants)
	return cert, err
}

// prepareSQP returns the composite problem of the sum. The affine hinges become
// hinges of features.
func (s *Sum) prepareSQP(prox Prox) *sqp.Solver {
	if s.sqp == nil {
		s.sqp, s.terms = sqp.New(s.set.domain(), s.rows), newCombination(nil, s.n)
	}
	if s.rows.HasOwnRows() {
		s.needFeatures().TakeRows(s.rows)
	}
	// Without features, all rows are of the quadratic program of one SQP step, which scans them too
	// few times for a screen to pay.
	s.rows.SetScreening(!screen.Off && s.features != nil)
	b := s.sqp
	var features *sqp.Features
	if s.features != nil {
		features = s.features.Features
	}
	b.Begin(s.smooth.quadratic(), prox, features, s.accuracy)
	if s.terms.terms = s.smooth.Terms; len(s.smooth.Terms) > 0 {
		b.SetTerms(s.terms)
	}
	for _, h := range s.byBasis {
		b.AddHinges(&h.Hinges, function{h.basis})
	}
	for _, h := range s.byPair {
		b.AddPairHinges(&h.PairHinges, function{h.first}, function{h.second})
	}
	for _, h := range s.others {
		b.AddHinge(h.w, function{h.f})
	}
	return b
}

// isKinked reports whether the sum contains a [Kinked] function.
func (s *Sum) isKinked() bool {
	if anyKinked(s.smooth.Terms) {
		return true
	}
	kinked := func(b *Basis) bool { return isKinked(b) }
	return slices.ContainsFunc(s.byBasis, (*basisHinges).isKinked) ||
		slices.ContainsFunc(s.byPair, func(f *pairHinges) bool {
			return kinked(f.first) || kinked(f.second)
		}) ||
		!s.features.isEmpty() && slices.ContainsFunc(s.features.bases, kinked) ||
		slices.ContainsFunc(s.others, func(h hinge) bool { return anyKinked(h.f.Terms) })
}

// beginAt writes to dst the point where a minimisation begins: that of the last one, or the
// centre of the regulariser, or 0.
func beginAt(dst, last []float64, set Set, prox Prox) {
	switch {
	case len(last) > 0:
		copy(dst, last)
		return
	case prox.Weight > 0:
		copy(dst, prox.Center)
	default:
		clear(dst)
	}
	set.Project(dst, dst)
}

// gapTolerance is the relative gap up to which a result is accepted; above it another method is
// tried.
const gapTolerance = quadprog.Tolerance

// largeSingles is the number of dimensions from which on hinges of affine bases are rows. It is
// above the default sizes of all problems: their results keep their bits.
var largeSingles = 128 // tests change it

// minimizeSingles minimises with every hinge as a row, where each basis is affine and has one kink,
// as the bases of one round of perturbed constraints have. ok is false in few dimensions, with
// other hinges, and where the solution is not certified.
func (s *Sum) minimizeSingles(dst []float64, prox Prox) (cert Cert, ok bool) {
	if s.n < largeSingles || len(s.smooth.Terms)+len(s.byPair)+len(s.others) > 0 ||
		!s.features.isEmpty() {
		return Cert{}, false
	}
	for _, h := range s.byBasis {
		form, ok := h.basis.expansion(s.n)
		if _, _, single := h.Single(); !single || !ok || !form.isAffine() {
			return Cert{}, false
		}
	}
	p, row := s.rows, make([]float64, s.n)
	base := p.Len()
	defer p.Truncate(base)
	for _, h := range s.byBasis {
		form, _ := h.basis.expansion(s.n)
		scale, c, _ := h.Single()
		clear(row)
		vec.Axpy(row, scale, form.Lin)
		p.AddRow(row, float64(scale*form.Const)+c, 1)
	}
	p.SetGamma(s.gamma)
	cert, err := p.Minimize(dst, s.smooth.quadratic(), prox, s.accuracy)
	return cert, err == nil && (cert.Gap <= s.accuracy || cert.Relative() <= gapTolerance)
}
