package quadprog

import (
	"errors"
	"math"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// gapOfProducts is the relative gap up to which a solution by the range space needs no second one.
const gapOfProducts = 1e-12

// Minimize writes to dst the minimiser over the domain of
//
//	obj(x) + weight·‖x − center‖² + the rows,
//
// and certifies it. If the curvature of obj and the regulariser is so small that the minimiser
// without rows would be far outside of the domain, the method is that of proximal points,
//
//	x_{k+1} = argmin objective + ½ρ_k‖x − x_k‖²,   ρ_{k+1} = ρ_k/100.
//
// It ends after finitely many steps if the solution is a vertex, and converges superlinearly
// otherwise. It stops when the gap is at most accuracy, or rounding. The errors are those of
// [Solver.Solve]. A solution by the range space that is not accurate enough is computed again with
// the dense factorisation.
func (p *Solver) Minimize(dst []float64, obj Quadratic, prox Prox, accuracy float64) (Certificate,
	error) {
	cert, err := p.minimize(dst, obj, prox, accuracy)
	if !p.UsesRangeSpace() ||
		err == nil && (cert.Gap <= accuracy || cert.Relative() <= gapOfProducts) {
		return cert, err
	}
	p.barred = true
	defer func() { p.barred = false }()
	return p.minimize(dst, obj, prox, accuracy)
}

// minimize does the work of Minimize in one attempt.
func (p *Solver) minimize(dst []float64, obj Quadratic, prox Prox, accuracy float64) (Certificate,
	error) {
	n := p.domain.Dim()
	quad := obj.Q
	if matrix.IsZero(quad, n) {
		quad = nil
	}
	lin, point := p.scratch.lin, p.scratch.point
	copy(lin, obj.Lin)
	sigma := 2 * prox.Weight
	if sigma > 0 {
		vec.Axpy(lin, -sigma, prox.Center)
	}
	rho, floor, largest := p.proximity(lin, sigma, quad)
	if !p.mayUseRangeSpace(quad) {
		p.resumeHeld()
	}
	p.chooseHeld()
	if p.mustGuess {
		clear(dst)
		p.domain.Project(dst, dst)
	} else {
		p.domain.Project(dst, p.x[:n])
	}
	best := Certificate{Gap: math.Inf(1)}
	steps, solved := 0, false
	const maxSteps, maxStalled = 60, 8 // stalled counts steps in a row that do not halve the gap
	enough := 1e-14                    // a relative gap that is rounding
	if p.n >= Sizes.RangeSpace {
		enough = gapOfProducts // the rounding of longer sums
	}
	for k, stalled := 0, 0; k < maxSteps && stalled < maxStalled; k++ {
		copy(p.c, lin)
		if rho > 0 {
			vec.Axpy(p.c[:n], -rho, dst)
		}
		err := p.Solve(sigma+rho, quad)
		if errors.Is(err, ErrCurvature) && sigma+rho < float64(1e-6*largest) { // ρ was too small
			rho = float64(10*rho) + floor
			floor = rho
			continue
		}
		if (err != nil || p.unsolved && solved) && !math.IsInf(best.Gap, 1) {
			break // ρ is so small that rounding errors dominate
		}
		if err != nil {
			return Certificate{}, err
		}
		solved = solved || !p.unsolved
		steps += p.steps
		p.domain.Project(dst, p.x[:n])
		cert := p.certify(dst, obj, prox)
		stalled++
		if cert.Gap < best.Gap/2 {
			stalled = 0
		}
		if cert.Gap < best.Gap {
			best = cert
			copy(point, dst)
		}
		if rho == 0 || best.Gap <= accuracy || best.Relative() <= enough {
			break
		}
		rho = max(rho/100, floor)
	}
	copy(dst, point)
	best.Iterations = steps
	return best, nil
}

// proximity returns the weight ρ of the first proximal term, or 0 if the objective is so strongly
// convex that it needs none; floor, the least weight with which Q + ρI has a Cholesky
// factorisation; and the largest entry of Q on its diagonal. Under this ρ the slopes of the
// objective and of the hinges move x by about 1000 times the size of the domain.
func (p *Solver) proximity(lin []float64, sigma float64, quad []float64) (rho, floor,
	largest float64) {
	n, size := p.domain.Dim(), p.domain.Diameter()
	if size == 0 {
		size = 1
	}
	largest = matrix.LargestDiagonal(quad, n)
	slopes := vec.Norm(lin) + float64(p.gamma*p.hingeNorms)
	rho = max(float64(1e-3*slopes)/size, 1e-6*largest)
	floor = max(1e-13*largest, 1e-30*rho)
	switch {
	case sigma == 0 && rho == 0:
		rho = 1
	case sigma >= rho || sigma+matrix.LeastEigenvalue(quad, n) >= rho:
		rho = 0
	}
	return rho, floor, largest
}

// certify bounds the gap at x, a point of the domain near p.x. The multipliers give
// the dual bound
//
//	min over y in D of L(y),   L(y) = obj(y) + weight‖y−center‖² + Σ μ_i (a_i·y + b_i),
//
// and L is at least its tangent at x plus weight‖y−x‖².
func (p *Solver) certify(x []float64, obj Quadratic, prox Prox) Certificate {
	hinges, slack := p.slack(x)
	g, rows := p.scratch.gradient, p.scratch.ofRows
	obj.Gradient(g, x)
	prox.AddGradient(g, x)
	clear(rows)
	p.Lagrangian(rows)
	vec.Axpy(g, 1, rows)
	return Certificate{
		Value: obj.Value(x) + prox.Value(x) + hinges,
		Gap: max(0, slack) + float64(p.gamma*p.mergeError) +
			TangentGap(p.domain.Set, x, g, 2*prox.Weight, rows, p.scratch.tangent),
		Exact:      true,
		Iterations: p.steps,
	}
}

// MinimizeLeastNorm does what [Solver.Minimize] does, without a regulariser, for the minimiser x
// of least norm where there is more than one. With x(ρ) the minimiser of obj(x) + ½ρ‖x‖², it
// begins at x(ρ) for a small ρ, and moves little from there where obj is flat. Without a matrix,
// and with a definite one, the result is at the minimiser of least norm up to rounding.
func (p *Solver) MinimizeLeastNorm(dst []float64, obj Quadratic) (Certificate, error) {
	n, quad := p.n, obj.Q
	slope := vec.Norm(obj.Lin) / p.scale
	if matrix.IsZero(quad, n) {
		// The minimum is attained on a face of the rows, and x(ρ) is on this face for small ρ. It is
		// then the point of least norm, since no minimiser has a smaller norm than x(ρ).
		for rho := 1e-3; ; rho /= 100 {
			x, cert, err := p.minimizeFrom(dst, obj, float64(rho*slope), nil)
			if err != nil || rho < 1e-6 || vec.Dist(x, dst) <= float64(1e-12*p.scale) {
				return cert, err
			}
		}
	}
	sigma, rest, definite := 0.0, quad, true // the matrix is sigma·I + rest
	if quad[0] > 0 && matrix.IsMultipleOfIdentity(quad, n) {
		sigma, rest = quad[0], nil
	} else {
		definite, p.dense.l = matrix.IsDefinite(quad, n, p.dense.l)
	}
	if definite {
		copy(p.c, obj.Lin)
		err := p.Solve(sigma, rest)
		if errors.Is(err, ErrEmpty) {
			return Certificate{}, err
		}
		if err == nil {
			p.domain.Project(dst, p.x)
			if cert := p.certify(dst, obj, Prox{}); cert.Relative() <= Tolerance {
				return cert, nil // else proximal points may do better
			}
		}
		return p.Minimize(dst, obj, Prox{}, 0)
	}
	largest := matrix.LargestDiagonal(quad, n)
	_, cert, err := p.minimizeFrom(dst, obj, float64(1e-8*max(largest, slope)), quad)
	return cert, err
}

// minimizeFrom begins Minimize at x(ρ), which it returns too. It takes 1 for ρ = 0.
func (p *Solver) minimizeFrom(dst []float64, obj Quadratic, rho float64,
	quad []float64) ([]float64, Certificate, error) {
	if rho == 0 {
		rho = 1
	}
	copy(p.c, obj.Lin)
	if err := p.Solve(rho, quad); err != nil {
		return nil, Certificate{}, err
	}
	x := p.scratch.start
	copy(x, p.x)
	cert, err := p.Minimize(dst, obj, Prox{}, 0)
	return x, cert, err
}
