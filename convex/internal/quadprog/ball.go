package quadprog

import (
	"math"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// solveOverBall does the work of Solve for the ball with centre z and radius r, which is not
// a row. Let x(ν) be the minimiser with ν‖x−z‖² added. The answer is x(0) if that is
// in the ball, and otherwise x(ν) on the surface of the ball, where
//
//	1/‖x(ν)−z‖ = 1/r.
//
// The left side is nearly linear in ν, and ν is found by Newton's method with
// bisection as a safeguard.
//
// Reference: Moré and Sorensen, Computing a trust region step, 1983.
func (p *Solver) solveOverBall(sigma float64, quad []float64) error {
	core, radius := p.domain.Dim(), p.domain.Radius
	c, away := p.scratch.cost, p.scratch.away[:core] // away is x − z
	copy(c, p.c)
	defer func() { copy(p.c, c) }()
	tolerance := 4e-16 * (2 + p.scale/radius) // the rounding of ‖x − z‖/r
	// x(ν) is outside of the ball at lo, and inside at hi; lo = −1 says that no such ν is known.
	nu, lo, hi := p.nu, -1.0, math.Inf(1)
	// unit is the curvature that moves x by about the radius. If c and σ are 0, it is a small part
	// of that of quad.
	largest := matrix.LargestDiagonal(quad, p.n)
	unit := max(sigma+vec.Norm(c)/radius, 1e-6*largest)
	// Beyond maxNu, x(ν) is the feasible point nearest to z, up to rounding.
	maxNu := float64(1e12 * (unit + largest))
	steps := 0
	for range 100 { // a few steps of Newton; bisection needs up to 60
		for i, z := range p.domain.Center {
			p.c[i] = c[i] - float64(2*nu*z)
		}
		if err := p.setHessian(sigma+float64(2*nu), quad); err != nil {
			return err
		}
		err := p.ascendAll()
		steps += p.steps
		p.steps = steps
		if err != nil {
			return err
		}
		vec.SubTo(away, p.x[:core], p.domain.Center)
		d := vec.Norm(away)
		excess := d/radius - 1
		p.nu = nu
		if math.Abs(excess) <= tolerance || excess < 0 && nu == 0 {
			return nil
		}
		if excess > 0 {
			lo = nu
		} else {
			hi = nu
		}
		// rate is minus the derivative of ½‖x−z‖² in 2ν, times σ.
		rate := 0.0
		for k := len(p.active); k < p.n; k++ {
			v := vec.Dot(p.dense.col(k)[:core], away)
			rate += float64(v * v)
		}
		next := nu + float64(float64(d*d)*excess)/2*p.sigma/rate
		switch {
		case next >= 0 && next > lo && next < min(hi, maxNu): // and not NaN
		case lo < 0: // the answer may be at ν = 0
			next = 0
		case math.IsInf(hi, 1):
			next = float64(4*nu) + float64(1e-3*unit) + math.SmallestNonzeroFloat64
			if nu > maxNu {
				return p.nearest()
			}
		default:
			next = lo + float64((hi-lo)/2)
		}
		if next == lo || next == hi {
			return nil
		}
		nu = next
	}
	return nil
}
