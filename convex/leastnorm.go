package convex

import (
	"errors"

	"ocobench/convex/vec"
)

// MinimizeLeastNorm is [Program.Minimize] for the minimiser of least Euclidean norm,
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
	p.point, p.cutPoints = p.point[:0], nil
	if obj.expands(true) {
		obj = obj.Clone()
		obj.expand(true)
	}
	cons := p.nonaffineConstraints()
	var cert Cert
	var err error
	switch simple := len(obj.Terms) == 0; {
	case simple && p.n == 1:
		cert, err = p.minimizeParabola(dst, obj, cons)
	case p.n == 1:
		cert, err = p.minimizeOnLine(dst, obj, cons)
	case simple && len(cons) == 0:
		cert, err = p.rows.minimizeLeastNorm(dst, p.set, obj)
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
	x = min(max(x, lo), hi) + 0 // −0 is 0
	dst[0] = x
	return Cert{Value: obj.Value(dst), Gap: slopeGap(x, float64(q*x)+a, lo, hi), Exact: true}, nil
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
		dst[0] = sublevelEnd(above, dst[0], nearest)
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
	if isDefinite(obj, nil) {
		return p.Minimize(dst, obj)
	}
	x, g := make([]float64, p.n), make([]float64, p.n)
	p.set.Project(x, x)
	obj.Subgrad(g, x)
	unit := max(1, abs(obj.Value(x)), float64(vec.Norm(g)*p.size))
	rho := 1e-6 * unit / float64(p.size*p.size)
	regular := obj.Clone()
	quad := regular.quad()
	for i := range p.n {
		quad[i*p.n+i] += rho
	}
	sol, err := p.Minimize(x, regular)
	if err != nil {
		return sol, err
	}
	least, err := p.Minimize(dst, obj)
	if err == nil && vec.Dist(dst, x) > float64(1e-4*p.size) {
		copy(dst, x)
		sol.Value = obj.Value(x)
		sol.Gap = max(0, sol.Value-(least.Value-least.Gap))
		return sol, nil
	}
	return least, err
}

// minimizeLeastNorm is minimize without a regulariser, for the minimiser of least norm
// of [Program.MinimizeLeastNorm].
func (p *activeSet) minimizeLeastNorm(dst []float64, set Set, obj *Form) (Cert, error) {
	slope := vec.Norm(obj.Lin) / p.scale
	if !obj.hasQuad() {
		for rho := 1e-3; ; rho /= 100 {
			x, cert, err := p.minimizeFrom(dst, set, obj, float64(rho*slope), nil)
			if err != nil || rho < 1e-6 || vec.Dist(x, dst) <= float64(1e-12*p.scale) {
				return cert, err
			}
		}
	}
	n, quad := p.n, obj.Quad
	largest := 0.0
	for i := range n {
		largest = max(largest, quad[i*n+i])
	}
	sigma, core := 0.0, quad
	if quad[0] > 0 && isMultipleOfIdentity(quad, n) {
		sigma, core = quad[0], nil
	}
	if core == nil || isDefinite(obj, p) {
		copy(p.c, obj.Lin)
		err := p.solveOver(set, sigma, core)
		if errors.Is(err, ErrEmpty) {
			return Cert{}, err
		}
		if err == nil {
			set.Project(dst, p.x)
			if cert := p.certify(dst, set, obj, Prox{}); cert.Relative() <= gapTolerance {
				return cert, nil
			}
		}
		return p.minimize(dst, set, obj, Prox{}, 0)
	}
	_, cert, err := p.minimizeFrom(dst, set, obj, float64(1e-8*max(largest, slope)), quad)
	return cert, err
}

// minimizeFrom is minimize beginning at x(ρ), which it returns too.
func (p *activeSet) minimizeFrom(dst []float64, set Set, obj *Form, rho float64,
	quad []float64) ([]float64, Cert, error) {
	if rho == 0 {
		rho = 1
	}
	copy(p.c, obj.Lin)
	if err := p.solveOver(set, rho, quad); err != nil {
		return nil, Cert{}, err
	}
	x := p.tmp[8]
	copy(x, p.x)
	cert, err := p.minimize(dst, set, obj, Prox{}, 0)
	return x, cert, err
}

// isDefinite reports whether the matrix of a form is positive definite with pivots that
// are not of the size of rounding errors. It uses the memory of p unless p is nil.
func isDefinite(f *Form, p *activeSet) bool {
	if !f.hasQuad() {
		return false
	}
	var l []float64
	if p != nil {
		l = p.l[:0]
	}
	n := f.Dim()
	l = append(l, f.Quad...)
	if p != nil {
		p.l = l
	}
	largest := 0.0
	for i := range n {
		largest = max(largest, l[i*n+i])
	}
	if !cholesky(l, n) {
		return false
	}
	for i := range n {
		if float64(l[i*n+i]*l[i*n+i]) < float64(1e-10*largest) {
			return false
		}
	}
	return true
}

// isMultipleOfIdentity reports whether the n×n matrix q is a multiple of the identity.
func isMultipleOfIdentity(q []float64, n int) bool {
	for i := range n {
		for j, v := range q[i*n : (i+1)*n] {
			if i == j && v != q[0] || i != j && v != 0 {
				return false
			}
		}
	}
	return true
}
