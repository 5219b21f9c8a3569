package sqp

import (
	"cmp"
	"math"

	"ocobench/convex/internal/quadprog"
)

// lifted is the model of functions that contain multiples of ‖x‖₁: a program in
// (x, v) ∈ ℝ²ⁿ, where v_i stands for |x_i| in all functions. The rows
// −v_i ≤ x_i ≤ v_i follow those of the domain.
type lifted struct {
	*quadprog.Solver
	point     []float64 // (x, |x|)
	row, quad []float64 // scratch
	sign      []float64 // the subgradient of ‖x‖₁ in the tangent of the Lagrangian
}

// newLifted copies the rows of p.
func newLifted(p *quadprog.Solver, domain quadprog.Domain) *lifted {
	n := domain.Dim()
	l := &lifted{quadprog.New(domain, 2*n), make([]float64, 2*n), make([]float64, 2*n),
		make([]float64, 4*n*n), make([]float64, n)}
	a := l.row
	for i := range n {
		a[n+i] = -1
		for _, s := range []float64{1, -1} {
			a[i] = s
			l.AddRow(a, 0, math.Inf(1))
		}
		a[i], a[n+i] = 0, 0
	}
	l.ExtendDomain()
	for i := p.First(); i < p.Len(); i++ {
		l.AddRow(p.Row(i))
	}
	return l
}

// lift stores and returns the point (x, |x|).
func (l *lifted) lift(x []float64) []float64 {
	copy(l.point, x)
	for i, v := range x {
		l.point[len(x)+i] = math.Abs(v)
	}
	return l.point
}

// regularize returns the Hessian of the model for the Hessian quad in x, to which
// the caller will add sigma. It adds a proximal term ½δ‖v − |x|‖² so that the model
// is strictly convex in v too; δ is so small that it hardly changes the steps.
func (l *lifted) regularize(quad []float64, sigma float64) []float64 {
	dim := l.Dim()
	n, lin := dim/2, l.Linear()
	clear(l.quad)
	delta := 0.0
	for i := range n {
		copy(l.quad[i*dim:], quad[i*n:(i+1)*n])
		delta += quad[i*n+i] + sigma
	}
	delta *= 1e-4 / float64(n)
	for i := n; i < dim; i++ {
		l.quad[i*dim+i] = delta
		lin[i] -= float64(delta * l.point[i])
	}
	return l.quad
}

// recoverSigns computes the subgradient of ‖x‖₁ at x from the multipliers of the
// rows ±x_i ≤ v_i, and sets the coordinates of x to 0 that are 0 up to rounding.
func (l *lifted) recoverSigns(x []float64) {
	n := len(x)
	s, sum, first := l.sign, l.row[:n], l.First()-2*n
	clear(s)
	clear(sum)
	l.Active(func(i int, mu float64) {
		if i >= first && i < l.First() && mu > 0 {
			c := (i - first) / 2
			sum[c] += mu
			if (i-first)%2 == 0 {
				s[c] += mu
			} else {
				s[c] -= mu
			}
		}
	})
	for c, v := range sum {
		switch {
		case v == 0:
			s[c] = sign(x[c])
		case math.Abs(s[c]) == v:
			s[c] = sign(s[c])
		default: // both rows are active
			s[c] /= v
			x[c] = 0
		}
	}
}

// sign returns the sign of x, 0 for 0.
func sign(x float64) float64 { return float64(cmp.Compare(x, 0)) }
