package quadprog

import (
	"math"
	"slices"

	"ocobench/convex/vec"
)

// rangeSpace is the factorisation for a diagonal Hessian in many dimensions. An
// active row that bounds one coordinate fixes it, and nothing else: the other
// coordinates are free. Let A be the other active rows, in the free coordinates, and D the diagonal
// of H there. Where [dense] stores the n×n matrices J and R, this stores the Cholesky factor
//
//	LLᵀ = A D⁻¹ Aᵀ
//
// of order q, the number of those rows. For a row a, whose free part is a_F,
//
//	s = (A D⁻¹ Aᵀ)⁻¹ A D⁻¹ a_F,   z = D⁻¹(a_F − Aᵀs),   residual2 = a_F·z
//
// are the change of their multipliers, the direction of x and the squared norm, in the metric of
// D⁻¹, of the part of a_F that is orthogonal to the active rows; the multiplier of a fixed
// coordinate i changes by ±(a − Aᵀs)_i. A row costs O(qn + q²), or O(q·k + q²) where rows have k
// numbers that are not 0; a coordinate that becomes fixed or free changes L by a matrix of rank
// one, O(q²).
//
// The product squares the condition of the rows. Where s cancels most of a, it is therefore
// refined; and a solution ends with Newton steps on the rows themselves, as it does with [dense].
// What has no certificate is solved again with that.
//
// Reference: Gill, Murray and Wright, Practical Optimization, 1981, section 5.3 (range-space
// methods).
type rangeSpace struct {
	*partition
	h     []float64 // the diagonal of H, 1 where H is the identity
	plain bool      // H is the identity

	fixed  []bool
	others []int       // the active rows that are not bounds, in the order of active
	l      [][]float64 // by rows
	stale  bool        // L has lost its digits

	// Of the row a projected last:
	z         []float64 // the direction of x, D⁻¹(a_F − Aᵀs)
	e         []float64 // a − Aᵀs
	lRow      []float64 // L⁻¹AD⁻¹a_F, the row that push appends to L
	s         []float64
	residual2 float64

	t        []float64 // scratch
	freeStep []float64 // scratch of newtonStepOnce
}

// newRangeSpace returns the factorisation of no active rows of p for the identity.
func newRangeSpace(p *partition) *rangeSpace {
	f := &rangeSpace{partition: p, fixed: make([]bool, p.n), plain: true}
	for _, v := range []*[]float64{&f.h, &f.z, &f.e, &f.lRow, &f.s, &f.t, &f.freeStep} {
		*v = make([]float64, p.n)
	}
	for i := range f.h {
		f.h[i] = 1
	}
	return f
}

// setHessian implements [factorisation] for a diagonal quad, of which it reads only the diagonal.
func (f *rangeSpace) setHessian(sigma float64, quad []float64, core int) (changed bool, err error) {
	f.sigma, f.maxDiag = sigma, 1
	if quad != nil {
		f.sigma, f.maxDiag = 1, 0
	}
	f.plain = quad == nil
	for i := range f.h {
		h := 1.0
		if quad != nil {
			h = quad[i*f.n+i]
			if i < core {
				h += sigma
			}
			if !(h > 0) {
				return false, ErrCurvature
			}
			f.maxDiag = max(f.maxDiag, h)
		}
		changed = changed || h != f.h[i]
		f.h[i] = h
	}
	return changed, nil
}

// begin implements [factorisation].
func (f *rangeSpace) begin() {
	clear(f.fixed)
	f.others, f.stale = f.others[:0], false
}

// independentProducts is the smallest sine of the angle between a row and the span of the active
// rows at which the row counts as linearly independent of them. It is larger than independent of
// the dense factorisation, since products of rows lose twice the digits.
const independentProducts = 1e-9

// square returns x².
func square(x float64) float64 { return float64(x * x) }

// project implements [factorisation]. It refines s, which loses digits where it cancels most of a,
// until a step leaves the share keptShare of residual2, at most three times. A row is never
// independent of n others, whatever rounding leaves of it.
func (f *rangeSpace) project(i int) (float64, bool) {
	q := len(f.others)
	clear(f.e)
	f.addTo(f.e, 1, i)
	norm2 := f.squaredNorm(f.unit(i))
	clear(f.s[:q])
	clear(f.lRow[:q])
	residual2 := f.fillDirection()
	start := residual2
	const keptShare = 1e-3
	for refined := range 3 {
		if q == 0 || start == 0 {
			break
		}
		t := f.t[:q]
		if refined == 0 {
			f.fillProducts(t, i)
		} else {
			f.dotActive(t, f.z)
		}
		f.solveL(t)
		vec.Axpy(f.lRow[:q], 1, t)
		f.solveLT(t)
		vec.Axpy(f.s[:q], 1, t)
		for k, g := range f.others {
			f.addTo(f.e, -t[k], g)
		}
		before := residual2
		residual2 = f.fillDirection()
		if residual2 > float64(keptShare*before) { // little cancellation in this step
			break
		}
	}
	f.residual2 = residual2
	return residual2, len(f.active) < f.n &&
		residual2 > float64(square(independentProducts)*norm2)
}

// squaredNorm returns aᵀH⁻¹a of a row a that e holds. Where sign is not 0, as [rows.unit] returns
// it, the row is ± coordinate c, and e is not read.
func (f *rangeSpace) squaredNorm(c int, sign float64) (norm2 float64) {
	if sign != 0 {
		return 1 / f.h[c]
	}
	if f.plain {
		for _, v := range f.e {
			norm2 += float64(v * v)
		}
		return norm2
	}
	for k, v := range f.e {
		if v != 0 {
			norm2 += float64(v*v) / f.h[k]
		}
	}
	return norm2
}

// onlyFixes reports whether row i is the bound of a free coordinate, and all active rows are
// bounds, so that it is independent of them, and push needs no projection.
func (f *rangeSpace) onlyFixes(i int) bool {
	c, sign := f.unit(i)
	return sign != 0 && len(f.others) == 0 && !f.fixed[c]
}

// fillDirection sets z to D⁻¹e in the free coordinates, and returns e·z.
func (f *rangeSpace) fillDirection() (residual2 float64) {
	z, h, fixed := f.z[:len(f.e)], f.h[:len(f.e)], f.fixed[:len(f.e)]
	for k, v := range f.e {
		if v == 0 || fixed[k] {
			z[k] = 0
			continue
		}
		d := v
		if !f.plain {
			d /= h[k]
		}
		z[k] = d
		residual2 += float64(v * d)
	}
	return residual2
}

// fillProducts sets t to AD⁻¹a_F for row a of number i, while z is still D⁻¹a_F. If a is a bound of
// one coordinate, this is a multiple of a column of A.
func (f *rangeSpace) fillProducts(t []float64, i int) {
	if c, sign := f.unit(i); sign != 0 {
		for k, g := range f.others {
			t[k] = float64(f.row(g)[c]*f.z[c]) + 0 // + 0 makes −0 into 0, as a sum of products is
		}
		return
	}
	f.dotActive(t, f.z)
}

// dotActive sets t to Av, the products of v with the active rows that are not bounds.
func (f *rangeSpace) dotActive(t, v []float64) {
	for k, g := range f.others {
		t[k] = f.dot(g, v)
	}
}

// rescale implements [factorisation].
func (f *rangeSpace) rescale(k int, ratio float64) {
	at := slices.Index(f.others, f.active[k])
	vec.Scale(f.l[at][:at+1], ratio)
}

// fillMultipliers implements [factorisation].
func (f *rangeSpace) fillMultipliers() {
	next := 0
	for k, i := range f.active {
		if c, sign := f.unit(i); sign != 0 {
			f.y[k] = float64(sign * f.e[c])
		} else {
			f.y[k] = f.s[next]
			next++
		}
	}
}

// moveBy implements [factorisation].
func (f *rangeSpace) moveBy(t float64) { vec.Axpy(f.x, -t/f.sigma, f.z) }

// solveL overwrites t by L⁻¹t.
func (f *rangeSpace) solveL(t []float64) {
	for k := range t {
		row := f.l[k]
		t[k] = (t[k] - vec.Dot(row[:k], t[:k])) / row[k]
	}
}

// solveLT overwrites t by L⁻ᵀt.
func (f *rangeSpace) solveLT(t []float64) {
	for k := len(t) - 1; k >= 0; k-- {
		row := f.l[k]
		t[k] /= row[k]
		vec.AxpyLong(t[:k], -t[k], row[:k])
	}
}

// push implements [factorisation].
func (f *rangeSpace) push(i int) {
	q := len(f.others)
	if c, sign := f.unit(i); sign != 0 {
		f.column(c)
		f.fixed[c] = true
		f.downdate(f.t[:q])
		return
	}
	if q == len(f.l) {
		f.l = append(f.l, make([]float64, len(f.h)))
	}
	copy(f.l[q], f.lRow[:q])
	f.l[q][q] = math.Sqrt(f.residual2)
	f.others = append(f.others, i)
}

// column sets t to column c of A divided by √h_c. Fixing the coordinate subtracts ttᵀ from LLᵀ, and
// freeing it adds ttᵀ.
func (f *rangeSpace) column(c int) {
	root := math.Sqrt(f.h[c])
	for k, g := range f.others {
		f.t[k] = f.row(g)[c] / root
	}
}

// drop implements [factorisation].
func (f *rangeSpace) drop(k int) {
	if c, sign := f.unit(f.active[k]); sign != 0 {
		f.column(c)
		f.fixed[c] = false
		f.update(f.t[:len(f.others)])
		return
	}
	at := 0
	for f.others[at] != f.active[k] {
		at++
	}
	f.remove(at)
}

// remove removes row and column number k of LLᵀ.
func (f *rangeSpace) remove(k int) {
	q := len(f.others) - 1
	free := f.l[k]
	copy(f.l[k:], f.l[k+1:q+1])
	f.l[q] = free
	copy(f.others[k:], f.others[k+1:])
	f.others = f.others[:q]
	for c := k; c < q; c++ { // row c has an entry in column c+1
		own, next := f.l[c][c], f.l[c][c+1]
		h := math.Sqrt(square(own) + square(next))
		cs, sn := own/h, next/h
		f.l[c][c] = h
		for _, row := range f.l[c+1 : q] {
			a, b := row[c], row[c+1]
			row[c] = float64(cs*a) + float64(sn*b)
			row[c+1] = float64(cs*b) - float64(sn*a)
		}
	}
}

// update adds vvᵀ to LLᵀ; v is overwritten.
func (f *rangeSpace) update(v []float64) {
	for k, x := range v {
		if x == 0 {
			continue
		}
		own := f.l[k][k]
		h := math.Sqrt(square(own) + square(x))
		cs, sn := own/h, x/h
		f.l[k][k] = h
		for i := k + 1; i < len(v); i++ {
			row, x := f.l[i], v[i]
			a := row[k]
			row[k] = float64(cs*a) + float64(sn*x)
			v[i] = float64(cs*x) - float64(sn*a)
		}
	}
}

// downdate subtracts vvᵀ from LLᵀ; v is overwritten. L is stale if that cancels most digits.
func (f *rangeSpace) downdate(v []float64) {
	const minKept = 1e-6 // the share of a squared pivot that must remain
	for k, x := range v {
		if x == 0 {
			continue
		}
		own := f.l[k][k]
		rest := float64((own - x) * (own + x))
		if !(rest > float64(minKept*square(own))) {
			f.stale = true
			return
		}
		h := math.Sqrt(rest)
		cs, sn := h/own, x/own
		f.l[k][k] = h
		for i := k + 1; i < len(v); i++ {
			row, x := f.l[i], v[i]
			a := (row[k] - float64(sn*x)) / cs
			row[k] = a
			v[i] = float64(cs*x) - float64(sn*a)
		}
	}
}

// newtonStep implements [factorisation]. One step suffices unless L has lost digits: then
// steps are repeated while they halve the violation of the active rows, until this is rounding. If
// it stays larger, L is stale.
func (f *rangeSpace) newtonStep() {
	const maxSteps, enough, tolerable = 8, 1e-14, 1e-13 // in units of the domain's magnitude
	miss := math.Inf(1)
	for range maxSteps {
		f.newtonStepOnce()
		before := miss
		miss = 0
		t := f.t[:len(f.others)]
		f.dotActive(t, f.x)
		for k, g := range f.others {
			miss = max(miss, math.Abs(t[k]+f.b[g])/f.norm[g])
		}
		if miss <= float64(enough*f.scale) || miss > before/2 {
			break
		}
	}
	f.stale = f.stale || !(miss <= float64(tolerable*f.scale))
}

// newtonStepOnce takes one Newton step: it solves, for the
// residuals r and ρ at x,
//
//	σH·Δx + Σ_k Δμ_k a_k = −r,   r = σHx + c + γ·onA + Σ_k μ_k a_k,
//	a_k·Δx = −ρ_k,               ρ_k = a_k·x + b_k,   k over the active rows.
//
// The bounds give Δx in the fixed coordinates. Let Δx⁰ be that, and −r/(σh) in the free ones. The
// other rows A then have
//
//	A D⁻¹Aᵀ t = −ρ − A·Δx⁰,   Δμ = −σt,   Δx = −(r − σAᵀt)/(σh) in the free coordinates.
//
// A·Δx⁰ is the sum of two products, of the fixed and of the free part of Δx⁰. The fixed part is 0
// unless a fixed coordinate has left its bound.
func (f *rangeSpace) newtonStepOnce() {
	// e is the residual r, z the step Δx, of which the fixed part comes first.
	for k, x := range f.x {
		f.e[k] = float64(float64(f.sigma*f.h[k])*x) + f.c[k] + float64(f.gamma*f.onA[k])
		f.z[k] = 0
	}
	moved := false // a fixed coordinate was not at its bound
	for k, i := range f.active {
		f.addTo(f.e, f.mu[k], i)
		if c, sign := f.unit(i); sign != 0 {
			f.z[c] = -float64(sign * (float64(sign*f.x[c]) + f.b[i]))
			moved = moved || f.z[c] != 0
		}
	}
	q := len(f.others)
	t, product := f.t[:q], f.s[:q]
	f.dotActive(t, f.x)
	for k, g := range f.others {
		t[k] = -(t[k] + f.b[g])
	}
	if moved {
		f.dotActive(product, f.z)
		vec.Axpy(t, -1, product)
	}
	clear(f.freeStep)
	f.fillFreeStep(f.freeStep)
	f.dotActive(product, f.freeStep)
	vec.Axpy(t, -1, product)
	f.solveL(t)
	f.solveLT(t)
	for k, g := range f.others {
		f.addTo(f.e, -float64(f.sigma*t[k]), g)
	}
	next := 0
	for k, i := range f.active {
		if c, sign := f.unit(i); sign != 0 {
			f.mu[k] -= float64(sign * (f.e[c] + float64(float64(f.sigma*f.h[c])*f.z[c])))
		} else {
			f.mu[k] -= float64(f.sigma * t[next])
			next++
		}
	}
	f.fillFreeStep(f.z)
	vec.Axpy(f.x, 1, f.z)
}

// fillFreeStep sets the free coordinates of dst to −e/(σh).
func (f *rangeSpace) fillFreeStep(dst []float64) {
	for k, v := range f.e {
		if !f.fixed[k] {
			dst[k] = -v / (f.sigma * f.h[k])
		}
	}
}
