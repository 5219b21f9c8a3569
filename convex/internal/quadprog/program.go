package quadprog

import (
	"math"
	"slices"

	"ocobench/convex/vec"
)

// This file has what callers of a [Solver] change between solutions (rows, weights, where the next
// solution begins) and what they read after one (the point, the states and multipliers of the
// rows). Numbers of rows are as in [Solver.Len] and [Solver.First].

// ExtendDomain makes the rows that were added so far rows of the domain.
func (p *Solver) ExtendDomain() { p.domainRows = len(p.b) }

// Resume makes the next minimisation begin near x, which the solver returned before a reset: it
// holds the coordinates that are at a bound there.
func (p *Solver) Resume(x []float64) { p.resume = x }

// Dim returns the number of variables.
func (p *Solver) Dim() int { return p.n }

// Len returns the number of rows, with those of the domain.
func (p *Solver) Len() int { return len(p.b) }

// HasOwnRows reports whether there are rows besides those of the domain.
func (p *Solver) HasOwnRows() bool { return len(p.b) > p.domainRows }

// First returns the number of the first row that is not of the domain.
func (p *Solver) First() int { return p.domainRows }

// Row returns a_i, b_i and w_i of a row that is not of the domain. The caller must not change a_i.
func (p *Solver) Row(i int) (a []float64, b, w float64) { return p.row(i), p.b[i], p.w[i] }

// Scale returns the magnitude of the domain.
func (p *Solver) Scale() float64 { return p.scale }

// X returns the last solution, n numbers that stay those of the solver.
func (p *Solver) X() []float64 { return p.x }

// Linear returns c of the next program, which the caller writes.
func (p *Solver) Linear() []float64 { return p.c }

// Gamma returns the weight γ of the hinges.
func (p *Solver) Gamma() float64 { return p.gamma }

// SetGamma sets the weight γ of the hinges.
func (p *Solver) SetGamma(gamma float64) { p.gamma = gamma }

// SetScreening sets whether many rows are screened.
func (p *Solver) SetScreening(on bool) { p.screening = on }

// BarRangeSpace bars the factorisation by the range space, or allows it again: rows that are nearly
// parallel need the dense one.
func (p *Solver) BarRangeSpace(bar bool) { p.barred = bar }

// Steps returns the number of ascents of the last solution.
func (p *Solver) Steps() int { return p.steps }

// MergeError bounds the error of the sum of hinges that is due to merged hinges, without γ.
func (p *Solver) MergeError() float64 { return p.mergeError }

// IsOn reports whether row i is on.
func (p *Solver) IsOn(i int) bool { return p.state[i] == on }

// AtKink reports whether row i is at its kink.
func (p *Solver) AtKink(i int) bool { return p.state[i] == kink }

// Active calls f with the numbers and the multipliers of the active rows, with those of the domain.
func (p *Solver) Active(f func(row int, multiplier float64)) {
	for k, i := range p.active {
		f(i, p.mu[k])
	}
}

// OnSum returns Σ w_i a_i and Σ w_i b_i over the rows that are on, without γ.
func (p *Solver) OnSum() (a []float64, b float64) { return p.onA, p.onB }

// BeginOn makes row i, which is off, on. A row that is constant and not positive stays off: no
// solution would make it so again.
func (p *Solver) BeginOn(i int) {
	if p.norm[i] == 0 && p.b[i] <= 0 {
		return
	}
	p.state[i] = on
	p.addOn(i, 1)
}

// BeginAtKink makes row i, which is off, active at the next factorisation.
func (p *Solver) BeginAtKink(i int) { p.kinks = append(p.kinks, i) }

// Tighten raises b_i of a constraint.
func (p *Solver) Tighten(i int, b float64) {
	p.b[i] = b
	p.forgetMargin(i)
}

// FindRow returns the number of a recent row with the slope a, or −1.
func (p *Solver) FindRow(a []float64) int {
	for i := range p.repeats.Candidates(p.domainRows, len(p.b)) {
		if slices.Equal(p.row(i), a) {
			return i
		}
	}
	return -1
}

// addUnit adds the constraint s·x_k + b ≤ 0 of the domain, s being 1 or −1, whose rows come first.
func (p *Solver) addUnit(k int, s, b float64) {
	p.appendBound(k, s, b)
	p.state = append(p.state, off)
}

// AddRow adds w·max(0, a·x+b), or the constraint a·x+b ≤ 0 where w is +Inf.
// A finite weight multiplies the row, and is 1 from then on.
func (p *Solver) AddRow(a []float64, b, w float64) {
	p.append(a, b, w)
	p.used = true
	p.state = append(p.state, off)
	p.watchLast()
}

// AddSparse adds max(0, s·a·x + b), where a is 0 but in the coordinates at.
func (p *Solver) AddSparse(at []int32, a []float64, s, b float64) {
	p.appendSparse(at, a, s, b)
	p.used = true
	p.state = append(p.state, off)
	p.watchLast()
}

// AddHinge adds w·max(0, a·x+b). If this is a multiple of a recent hinge, up to
// rounding, the two are merged: the sum of two positive multiples of a hinge is a
// multiple of it. The averages of constraints that do not change are an example.
// The certificate contains a bound on the rounding error.
func (p *Solver) AddHinge(a []float64, b, w float64) {
	size := float64(w * vec.Norm(a))
	for i := range p.repeats.Candidates(p.domainRows, len(p.b)) {
		if math.IsInf(p.w[i], 1) || p.norm[i] == 0 {
			continue
		}
		ratio, row, dev := size/p.norm[i], p.row(i), 0.0
		maxDev := float64(1e-13 * float64(size*p.scale)) // rounding, in units of the hinge
		for k, v := range a {
			dev = max(dev, math.Abs(float64(w*v)-float64(ratio*row[k])))
			if float64(dev*float64(p.n)*p.scale) > maxDev { // usually at the first coordinate
				break
			}
		}
		dev = float64(dev*float64(p.n)*p.scale) + math.Abs(float64(w*b)-float64(ratio*p.b[i]))
		if dev <= maxDev {
			p.mergeRow(i, a, b, w)
			p.mergeError += dev
			return
		}
	}
	p.AddRow(a, b, w)
}

// mergeRow adds w·(a, b), a multiple of row i, to row i.
func (p *Solver) mergeRow(i int, a []float64, b, w float64) {
	oldNorm := p.norm[i]
	p.addMultiple(i, a, b, w)
	switch p.state[i] {
	case on:
		vec.Axpy(p.onA[:len(a)], w, a)
		p.onB += float64(w * b)
	case kink:
		k := slices.Index(p.active, i)
		p.rescale(k, p.norm[i]/oldNorm)
		p.mu[k] *= oldNorm / p.norm[i]
	}
	p.forgetMargin(i)
	if p.screen != nil {
		p.screen.Change(i-p.domainRows, p.row(i))
	}
}

// addEquality adds a·x+b = 0, the first row of the domain.
func (p *Solver) addEquality(a []float64, b float64) {
	p.AddRow(a, b, math.Inf(1))
	p.units = append(p.units, 0)
	p.stored++
	p.equate(len(p.b) - 1)
}

// equate makes row i an equality and active. If row i fixes one coordinate and this is held at its
// bound, nothing else is needed.
func (p *Solver) equate(i int) {
	p.equated = true
	if c, s := p.unit(i); s != 0 && p.view.holds() && p.view.place(c) < 0 {
		return
	}
	p.state[i] = equality
	p.project(i)
	p.push(i, 0)
}

// Truncate removes all rows from number k on.
func (p *Solver) Truncate(k int) {
	for q := len(p.active) - 1; q >= 0; q-- {
		if p.active[q] >= k {
			p.drop(q)
		}
	}
	p.rows.truncate(k)
	p.state, p.kinks = p.state[:k], p.kinks[:0]
	p.resumOn()
	if k == p.domainRows {
		p.mergeError = 0
	}
	p.forgetRows(k)
}
