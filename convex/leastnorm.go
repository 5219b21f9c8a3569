package convex

import (
	"errors"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/scalar"
	"ocobench/convex/vec"
)

// MinimizeLeastNorm does what [Program.Minimize] does, for the minimiser of least Euclidean norm,
// where there is more than one. It does not depend on what was solved before the last
// [Program.Reset].
//
// With x(ρ) the minimiser of obj(x) + ½ρ‖x‖², no minimiser of obj has a smaller norm
// than x(ρ). If x(ρ) is a minimiser of obj, it is the one of least norm. Otherwise it is
// near to that one for small ρ. Minimize begins at x(ρ), and moves little from there
// where obj is flat. The distance of the result from the minimiser of least norm depends
// on the functions. S is the largest coordinate of the domain in size:
//
//	n = 1, affine or quadratic obj           at it
//	obj with a definite matrix               at it, since there is one minimiser; x(ρ) is not computed
//	affine g, affine obj                     at it: x(ρ) is a minimiser for small ρ, which is tested
//	affine g, quadratic obj                  10⁻⁷ S; ρ is 10⁻⁸ of the curvature
//	n = 1, terms in obj                      10⁻⁷ S
//	n > 1, and a curved g or terms in obj    10⁻³ S; ρS² is 10⁻⁶ of max(1, |obj|, ‖∇obj‖S)
//
// "At it" means up to rounding, which x(ρ) with ρ = 10⁻³ enlarges to 10⁻¹³ S. The other
// numbers were measured in tests. They are not bounds, and grow with the condition of the
// problem. In the last two lines even a unique minimiser has fewer digits where obj is
// almost flat near it. The gap and the residual of the solution are proven in every line.
// A matrix is definite here if the squared pivots of its Cholesky factorisation are at
// least 10⁻¹⁰ of its largest entry.
//
// Affine or quadratic obj with fewer than 64 affine constraints take no memory.
func (p *Program) MinimizeLeastNorm(dst []float64, obj *Form) (Solution, error) {
	checkLen("dst", len(dst), p.n)
	checkLen("objective", obj.Dim(), p.n)
	if p.empty {
		return Solution{}, ErrEmpty
	}
	p.point, p.cutPoints = p.point[:0], nil // the next minimisation begins at no point
	if obj.canExpand(2) {
		obj = obj.Clone()
		obj.expandTerms(2)
	}
	cons := p.nonaffineConstraints()
	var cert Cert
	var err error
	switch isQuadratic := len(obj.Terms) == 0; {
	case isQuadratic && p.n == 1:
		cert, err = p.minimizeParabola(dst, obj, cons)
	case p.n == 1:
		cert, err = p.minimizeOnLine(dst, obj, cons)
	case isQuadratic && len(cons) == 0:
		cert, err = p.rows.MinimizeLeastNorm(dst, obj.quadratic())
	default:
		return p.minimizeFrom(dst, obj)
	}
	if errors.Is(err, ErrEmpty) {
		p.empty = true
	}
	if err != nil {
		return Solution{}, err
	}
	return Solution{cert, p.residual(dst)}, nil
}

// minimizeParabola minimises an affine or quadratic function in one dimension.
func (p *Program) minimizeParabola(dst []float64, obj *Form, cons []nonaffine) (Cert, error) {
	lo, hi, err := p.interval(cons)
	if err != nil {
		return Cert{}, err
	}
	q, a, x := 0.0, obj.Lin[0], 0.0
	if obj.hasQuad() {
		q = obj.Quad[0]
	}
	switch {
	case q > 0:
		x = -a / q
	case a > 0:
		x = lo
	case a < 0:
		x = hi
	}
	x = min(max(x, lo), hi) + 0 // + 0 makes −0 into 0
	dst[0] = x
	gap := scalar.SlopeGap(x, float64(q*x)+a, lo, hi)
	return Cert{Value: obj.Value(dst), Gap: gap, Exact: true}, nil
}

// minimizeOnLine minimises any obj in one dimension: of the points with the least value,
// up to rounding, it takes the nearest to 0.
func (p *Program) minimizeOnLine(dst []float64, obj *Form, cons []nonaffine) (Cert, error) {
	lo, hi, err := p.interval(cons)
	if err != nil {
		return Cert{}, err
	}
	s := NewSum(&Box{[]float64{lo}, []float64{hi}})
	s.Add(1, obj)
	cert, err := s.Minimize(dst, Prox{})
	if err != nil {
		return Cert{}, err
	}
	level := cert.Value + float64(1e-15*max(1, abs(cert.Value)))
	above := func(x float64) float64 { return obj.Value([]float64{x}) - level }
	if nearest := min(max(0, lo), hi); above(nearest) <= 0 {
		dst[0] = nearest
	} else {
		dst[0] = scalar.SublevelEnd(above, dst[0], nearest)
	}
	lower := cert.Value - cert.Gap
	cert.Value = obj.Value(dst)
	cert.Gap = max(0, cert.Value-lower)
	return cert, nil
}

// minimizeFrom minimises any obj in more dimensions, beginning at x(ρ). It returns x(ρ)
// itself, with a gap of its own, if Minimize moves far from it: near kinks and where obj
// is flat on one side, SQP and cutting planes go to other minimisers.
func (p *Program) minimizeFrom(dst []float64, obj *Form) (Solution, error) {
	if definite, _ := matrix.IsDefinite(obj.Quad, p.n, nil); definite {
		return p.Minimize(dst, obj)
	}
	x, g := make([]float64, p.n), make([]float64, p.n)
	p.set.Project(x, x)
	obj.Subgrad(g, x)
	unit := max(1, abs(obj.Value(x)), float64(vec.Norm(g)*p.size))
	rho := 1e-6 * unit / float64(p.size*p.size)
	regular := obj.Clone()
	quad := regular.quadStorage()
	for i := range p.n {
		quad[i*p.n+i] += rho
	}
	sol, err := p.Minimize(x, regular)
	if err != nil {
		return sol, err
	}
	least, err := p.Minimize(dst, obj) // begins at x(ρ), the last solution of the program
	if err == nil && vec.Dist(dst, x) > float64(1e-4*p.size) {
		copy(dst, x)
		sol.Value = obj.Value(x)
		sol.Gap = max(0, sol.Value-(least.Value-least.Gap))
		return sol, nil
	}
	return least, err
}
