package convex

import (
	"math"

	"ocobench/convex/vec"
)

// ElasticNet is f(x) = L1‖x‖₁ + ½L2‖x‖² + Offset with L1, L2 ≥ 0; make a [Basis]
// of it to use it in a round. Where a coordinate is 0, so is that of the
// subgradient.
type ElasticNet struct{ L1, L2, Offset float64 }

// Value implements [Evaluator]; O(n).
func (f *ElasticNet) Value(x []float64) float64 {
	return float64(f.L1*norm1(x)) + float64(float64(f.L2*vec.Dot(x, x))/2) + f.Offset
}

// Subgrad implements [Evaluator]; O(n).
func (f *ElasticNet) Subgrad(dst, x []float64) {
	for i, v := range x {
		dst[i] = float64(f.L2*v) + float64(f.L1*sign(v))
	}
}

func (f *ElasticNet) addHessian(dst, x []float64, s float64) {
	for i := range x {
		dst[i*len(x)+i] += float64(s * f.L2)
	}
}

func norm1(x []float64) (sum float64) {
	for _, v := range x {
		sum += abs(v)
	}
	return sum
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// kinked returns the factor c such that f − c‖x‖₁ is smooth where f is.
func norm1Factor(f Evaluator) float64 {
	switch f := f.(type) {
	case *ElasticNet:
		return f.L1
	case *Basis:
		return norm1Factor(f.f)
	case *Shifted:
		return norm1Factor(f.Base)
	case *Form:
		return norm1FactorOfTerms(f.Terms)
	case *combination:
		return norm1FactorOfTerms(f.terms)
	}
	return 0
}

func norm1FactorOfTerms(terms []Term) (sum float64) {
	for _, t := range terms {
		sum += float64(t.Scale * norm1Factor(t.Basis))
	}
	return sum
}

// lifted is the model of functions with multiples of ‖x‖₁ in them: a program in
// (x, v) ∈ ℝ²ⁿ, where the rows −v_i ≤ x_i ≤ v_i, behind those of the domain,
// make v_i the |x_i| of every function.
type lifted struct {
	*activeSet
	point, row, quad []float64 // (x, |x|), and scratch
	sign             []float64 // the subgradient of ‖x‖₁ in the tangent of the Lagrangian
}

// newLifted copies the rows that there are in p.
func newLifted(p *activeSet, set Set) *lifted {
	n := set.Dim()
	l := &lifted{newActiveSet(2*n, set), make([]float64, 2*n), make([]float64, 2*n), make([]float64, 4*n*n), make([]float64, n)}
	a := l.row
	for i := range n {
		a[n+i] = -1
		for _, s := range []float64{1, -1} {
			a[i] = s
			l.addRow(a, 0, math.Inf(1))
		}
		a[i], a[n+i] = 0, 0
	}
	l.domainRows = len(l.b)
	for i := p.domainRows; i < len(p.b); i++ {
		l.addRow(p.row(i), p.b[i], p.w[i])
	}
	return l
}

// raise brings the model to x, and returns (x, |x|).
func (l *lifted) lift(x []float64) []float64 {
	copy(l.point, x)
	for i, v := range x {
		l.point[len(x)+i] = abs(v)
	}
	return l.point
}

// damp returns the curvature of the model, given that in x, to which sigma is
// yet to be added, and adds the linear part of a proximal term ½δ‖v − |x|‖² that
// makes some in v: so little that Newton's steps hardly feel it.
func (l *lifted) regularize(quad []float64, sigma float64) []float64 {
	n := l.n / 2
	clear(l.quad)
	delta := 0.0
	for i := range n {
		copy(l.quad[i*l.n:], quad[i*n:(i+1)*n])
		delta += quad[i*n+i] + sigma
	}
	delta *= 1e-4 / float64(n)
	for i := n; i < l.n; i++ {
		l.quad[i*l.n+i] = delta
		l.c[i] -= float64(delta * l.point[i])
	}
	return l.quad
}

// signs finds the subgradient of ‖x‖₁ at x that the multipliers of the rows
// make, and clears the coordinates of x that are 0 but for rounding.
func (l *lifted) recoverSigns(x []float64) {
	n := len(x)
	s, sum, first := l.sign, l.row[:n], l.domainRows-2*n
	clear(s)
	clear(sum)
	for k, i := range l.active {
		if i >= first && i < l.domainRows && l.mu[k] > 0 {
			c := (i - first) / 2
			sum[c] += l.mu[k]
			if (i-first)%2 == 0 {
				s[c] += l.mu[k]
			} else {
				s[c] -= l.mu[k]
			}
		}
	}
	for c, v := range sum {
		switch {
		case v == 0:
			s[c] = sign(x[c])
		case abs(s[c]) == v:
			s[c] = sign(s[c])
		default: // both rows hold
			s[c] /= v
			x[c] = 0
		}
	}
}
