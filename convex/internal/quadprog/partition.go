package quadprog

import (
	"math"

	"ocobench/convex/vec"
)

// rowState says how a row takes part in the Lagrangian.
type rowState uint8

const (
	off      rowState = iota // the multiplier is 0
	on                       // the multiplier is γw
	kink                     // active: a·x + b = 0, the multiplier is between its bounds
	equality                 // active, with a multiplier of either sign
	holding                  // the bound of a coordinate that is held there
)

// partition holds the rows with their states and multipliers, and the point x and the objective
//
//	½σ xᵀHx + c·x + γ Σ_i w_i max(0, a_i·x + b_i)
//
// that the multipliers belong to. The factorisation holds H.
type partition struct {
	rows
	state  []rowState
	active []int     // the rows at their kinks, in the order of the factorisation
	mu     []float64 // their multipliers

	onA       []float64 // Σ w_i a_i over the rows that are on
	onB       float64   // Σ w_i b_i
	onChanges int       // changes of these sums since they were computed anew

	x            []float64
	c            []float64
	sigma, gamma float64
	maxDiag      float64 // the largest diagonal entry of H
	scale        float64 // a bound on ‖x‖, for tolerances

	y []float64 // the changes of the multipliers of active rows that project last computed
}

// MaxMultiplier returns γw_i, the upper bound of the multiplier of row i, which is +Inf for a
// constraint.
func (p *partition) MaxMultiplier(i int) float64 {
	if math.IsInf(p.w[i], 1) {
		return p.w[i] // even if γ = 0
	}
	return p.gamma * p.w[i]
}

// addOn adds s times row i to the sum of the rows that are on.
func (p *partition) addOn(i int, s float64) {
	p.addTo(p.onA, float64(s*p.w[i]), i)
	p.onB += float64(float64(s*p.w[i]) * p.b[i])
	p.onChanges++
}

// resumOn computes the sum of the rows that are on anew, without the rounding
// errors of its updates.
func (p *partition) resumOn() {
	clear(p.onA)
	p.onB = 0
	for i, st := range p.state {
		if st == on {
			p.addOn(i, 1)
		}
	}
	p.onChanges = 0
}

// excess returns a·x + b or, if the row is on, −(a·x + b): positive if the row is
// violated.
func (p *partition) excess(i int, x []float64) float64 {
	s := p.dot(i, x) + p.b[i]
	if p.state[i] == on {
		return -s
	}
	return s
}

// direction returns the direction in which the multiplier of a violated row must
// change.
func (p *partition) direction(i int) float64 {
	if p.state[i] == on {
		return -1
	}
	return 1
}

// force returns the size of the terms of the Lagrangian's gradient.
func (p *partition) force() float64 {
	force := vec.Norm(p.c) + float64(p.gamma*vec.Norm(p.onA)) +
		float64(float64(p.sigma*p.maxDiag)*vec.Norm(p.x))
	for k, i := range p.active {
		force = max(force, math.Abs(p.mu[k])*p.norm[i])
	}
	return force
}

// Lagrangian adds the gradient of the affine function Σ μ_i (a_i·x + b_i), over all
// rows but those of the domain, to dst, and returns its value at 0. dst may have the
// first coordinates only.
func (p *partition) Lagrangian(dst []float64) float64 {
	vec.Axpy(dst, p.gamma, p.onA[:len(dst)])
	v := float64(p.gamma * p.onB)
	for k, i := range p.active {
		if i >= p.domainRows {
			p.addTo(dst, p.mu[k], i)
			v += float64(p.mu[k] * p.b[i])
		}
	}
	return v
}

// Hinges returns Σ w max(0, a·x+b) over the rows that are hinges, and the largest
// violation of a row that is a constraint, in units of ‖a‖·size of the domain.
func (p *partition) Hinges(x []float64) (sum, violation float64) {
	for i := p.domainRows; i < len(p.b); i++ {
		s := p.dot(i, x) + p.b[i]
		switch {
		case s <= 0:
		case math.IsInf(p.w[i], 1):
			violation = max(violation, s/float64(p.norm[i]*p.scale))
		default:
			sum += float64(p.w[i] * s)
		}
	}
	return sum, violation
}
