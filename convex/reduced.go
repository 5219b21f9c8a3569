package convex

import (
	"math"
	"slices"

	"ocobench/convex/vec"
)

// reduced is the linear algebra of an active set whose Hessian is diagonal, in many dimensions. An
// active row of the domain that bounds one coordinate fixes it, and nothing else: the other
// coordinates are free. Let A be the other active rows, in the free coordinates, and D the diagonal
// of H there. In place of J and R, n×n numbers each, there is the Cholesky factor
//
//	LLᵀ = A D⁻¹ Aᵀ
//
// of order q, the number of those rows. For a row a, whose free part is a_F,
//
//	y = (A D⁻¹ Aᵀ)⁻¹ A D⁻¹ a_F,   z = D⁻¹(a_F − Aᵀy),   beyond = a_F·z
//
// are the change of their multipliers, the direction of x and the square of the part of the row
// that is orthogonal to the active ones; a fixed coordinate i has the multiplier's change
// ±(a − Aᵀy)_i. A row costs O(qn + q²), or O(q·k + q²) where rows have k numbers that are not 0;
// a coordinate that becomes fixed or free changes L by a matrix of rank one, O(q²).
//
// The product squares the condition of the rows. Where y cancels most of a, it is therefore
// refined; and a solution ends with Newton steps on the rows themselves, as it does with J and R.
// What has no certificate is solved again with J and R.
type reduced struct {
	on     bool
	barred bool      // not to be used now
	h      []float64 // the diagonal of H, 1 where H is the identity

	fixed []bool
	rows  []int       // the active rows that are not units, in the order of active
	l     [][]float64 // by rows
	stale bool        // L has lost its digits
	plain bool        // H is the identity

	// The rows side by side, by coordinates, each at its place among n: see dotActive. They are not
	// there unless there are as many places as rows.
	beside []float64
	places []int
	sums   [4][]float64

	cs, sn [rotations]float64 // of the columns of L that rotate changes

	// Without a screen: the length of the path of x over the points where all rows were looked at, of
	// which seen is the last one, and the length up to which a row is not violated, less than any
	// if that is unknown.
	path   float64
	seen   []float64
	safeTo []float64

	z, e []float64 // of the last row projected: the direction, and a − Aᵀy
	w, y []float64 // L⁻¹AD⁻¹a, and y
	t    []float64 // scratch
	last float64   // beyond

	// AD⁻¹a of the row that an ascent is of, kept while rows are dropped; empty: not known. The row
	// is ascending, or −1 between ascents.
	gram      []float64
	ascending int

	// The coordinates where rows are not 0, one after the other, and where those of a row begin;
	// many: there are many, or the row is no longer the one that was added.
	index []int32
	at    []int32
	many  []bool

	// When all rows were last evaluated, hot ones were violated, and near ones almost were; a hot
	// one that is violated no longer is near.
	hot, near []int32
}

// Numbers of dimensions from which on active sets use reduced: where H is a multiple of the
// identity, and where it is any other diagonal. They are above those of the problems' defaults.
var reducedFrom, reducedDiagonalFrom = 64, 128 // tests change them

// reducible reports whether the domain, and the Hessian quad, are such that reduced serves them.
func (p *activeSet) reducible(set Set, quad []float64) bool {
	if p.reduced.barred || p.n < reducedFrom || p.n >= sparse ||
		quad != nil && (p.n < reducedDiagonalFrom || len(quad) != p.n*p.n) {
		return false
	}
	switch set.(type) {
	case *Box, *Simplex:
		return quad == nil || p.diagonal || isDiagonal(quad, p.n)
	}
	return false
}

// isDiagonal reports whether the n×n matrix q is diagonal.
func isDiagonal(q []float64, n int) bool {
	for i := range n {
		for j, v := range q[i*n : (i+1)*n] {
			if v != 0 && i != j {
				return false
			}
		}
	}
	return true
}

// reducedGap is the relative gap up to which a solution by reduced needs no second one.
const reducedGap = 1e-12

// reduce changes to reduced, or from it. With it, no coordinate is held: one that was begins at
// its bound.
func (p *activeSet) reduce(on bool) {
	if on == p.reduced.on || p.reduced.h == nil {
		return
	}
	p.reduced.on = on
	if on && p.held.any() {
		p.holdNone()
	}
	p.factor(nil)
}

// beginAnew takes all rows but equalities off, and leaves their multipliers.
func (p *activeSet) beginAnew() {
	for i, st := range p.state {
		if st != equality {
			p.screenAgain(i)
			p.state[i] = off
		}
	}
	p.active = slices.DeleteFunc(p.active, func(i int) bool { return p.state[i] != equality })
	p.mu = p.mu[:len(p.active)]
	clear(p.mu)
	p.kinks = p.kinks[:0]
	p.resumOn()
	p.factor(nil)
}

// resumeActive makes the rows active that were before the last reset: those of a program that is
// much like the last one.
func (p *activeSet) resumeActive() {
	if len(p.former) == 0 {
		return
	}
	for _, i := range p.former {
		if i < len(p.b) && p.state[i] == off {
			p.screenAgain(i)
			p.state[i] = kink
			p.active, p.mu = append(p.active, i), append(p.mu, 0)
		}
	}
	p.factor(nil)
}

// begin makes room for n dimensions.
func (r *reduced) begin(n int) {
	for _, v := range []*[]float64{&r.h, &r.z, &r.e, &r.w, &r.y, &r.t} {
		*v = make([]float64, n)
	}
	r.fixed, r.seen = make([]bool, n), make([]float64, n)
}

// reset sets H to the identity, without active rows.
func (r *reduced) reset() {
	for i := range r.h {
		r.h[i] = 1
	}
	r.plain, r.safeTo = true, r.safeTo[:0]
	r.on = r.h != nil && !r.barred
	r.clear()
}

// clear removes all active rows.
func (r *reduced) clear() {
	clear(r.fixed)
	r.gram, r.ascending = r.gram[:0], -1
	r.places = r.places[:0]
	r.rows, r.stale, r.hot, r.near = r.rows[:0], false, r.hot[:0], r.near[:0]
}

// addRow notes row a, the next that is stored, number i, where it is not 0; few as in noteRow.
func (r *reduced) addRow(i int, a []float64, few []int32) {
	from := 0
	if i > 0 {
		from = int(r.at[i])
	} else {
		r.at = append(r.at[:0], 0)
	}
	r.index, r.many, r.at = r.index[:from], r.many[:i], r.at[:i+1]
	const costs = 4 // a product by indices costs that much more than one without
	most := len(a) / costs
	if few != nil {
		r.index = append(r.index, few...)
	} else {
		for k, v := range a {
			if v == 0 {
				continue
			}
			if r.index = append(r.index, int32(k)); len(r.index)-from > most {
				break
			}
		}
	}
	many := len(r.index)-from > most
	if many {
		r.index = r.index[:from]
	}
	r.many, r.at = append(r.many, many), append(r.at, int32(len(r.index)))
}

// indices are the coordinates where the row with number i of those stored is not 0.
func (r *reduced) indices(i int) []int32 { return r.index[r.at[i]:r.at[i+1]] }

// dotRow is a_i·v.
func (p *activeSet) dotRow(i int, v []float64) float64 {
	r, at := &p.reduced, p.slot(i)
	if _, sign := p.unit(i); sign != 0 || r.many[at] {
		return p.dot(i, v)
	}
	a, s := p.row(i), 0.0
	for _, k := range r.indices(at) {
		s += float64(a[k] * v[k])
	}
	return s
}

// addRowTo adds s·a_i to dst.
func (p *activeSet) addRowTo(dst []float64, s float64, i int) {
	r, at := &p.reduced, p.slot(i)
	if _, sign := p.unit(i); sign != 0 || r.many[at] {
		p.addTo(dst, s, i)
		return
	}
	a := p.row(i)
	for _, k := range r.indices(at) {
		dst[k] += float64(s * a[k])
	}
}

// projectReduced computes y, z and beyond for row i. It returns beyond, and whether the row is
// linearly independent of the active ones. None is of n others, whatever rounding leaves of it.
func (p *activeSet) projectReduced(i int) (float64, bool) {
	r := &p.reduced
	q := len(r.rows)
	clear(r.e)
	p.addRowTo(r.e, 1, i)
	all := r.square(p.unit(i))
	clear(r.y[:q])
	clear(r.w[:q])
	beyond := r.fillDirection()
	own := beyond
	const kept = 1e-3
	for refined := range 3 {
		if q == 0 || own == 0 {
			break
		}
		t := r.t[:q]
		if refined == 0 {
			p.fillProducts(t, i)
		} else {
			p.dotActive(t, r.z)
		}
		r.solveL(t)
		vec.Axpy(r.w[:q], 1, t)
		r.solveLT(t)
		vec.Axpy(r.y[:q], 1, t)
		for k, g := range r.rows {
			p.addRowTo(r.e, -t[k], g)
		}
		last := beyond
		beyond = r.fillDirection()
		if beyond > float64(kept*last) { // little cancellation in this step
			break
		}
	}
	r.last = beyond
	return beyond, len(p.active) < p.n && beyond > float64(square(independentReduced)*all)
}

// fillProducts sets t to AD⁻¹a for row i, whose direction is z without multiples of other rows. If
// that is one coordinate, it is a multiple of a column of A.
func (p *activeSet) fillProducts(t []float64, i int) {
	r := &p.reduced
	c, sign := p.unit(i)
	switch {
	case sign != 0:
		for k, g := range r.rows {
			t[k] = float64(p.row(g)[c]*r.z[c]) + 0
		}
	case i == r.ascending && len(r.gram) == len(t):
		copy(t, r.gram)
	default:
		p.dotActive(t, r.z)
		if i == r.ascending {
			r.gram = append(r.gram[:0], t...)
		}
	}
}

// isFree reports whether row i is a bound that is known to be linearly independent of the active
// rows: the other ones are bounds, too, of other coordinates.
func (p *activeSet) isFree(i int) bool {
	r := &p.reduced
	c, sign := p.unit(i)
	return r.on && sign != 0 && len(r.rows) == 0 && !r.fixed[c]
}

// independentReduced is independent for products of rows.
const independentReduced = 1e-9

func square(x float64) float64 { return float64(x * x) }

// square is e·D⁻¹e of the row that e is, which is ± coordinate c where sign is not 0.
func (r *reduced) square(c int, sign float64) (all float64) {
	if sign != 0 {
		return 1 / r.h[c]
	}
	if r.plain {
		for _, v := range r.e {
			all += float64(v * v)
		}
		return all
	}
	for k, v := range r.e {
		if v != 0 {
			all += float64(v*v) / r.h[k]
		}
	}
	return all
}

// fillDirection sets z to D⁻¹e in the free coordinates, and returns e·z.
func (r *reduced) fillDirection() (beyond float64) {
	z, h, fixed := r.z[:len(r.e)], r.h[:len(r.e)], r.fixed[:len(r.e)]
	for k, v := range r.e {
		if v == 0 || fixed[k] {
			z[k] = 0
			continue
		}
		d := v
		if !r.plain {
			d /= h[k]
		}
		z[k] = d
		beyond += float64(v * d)
	}
	return beyond
}

// dotActive sets t to Av, the products of v with the active rows that are not units. The rows side
// by side, one coordinate after the other, are added to four sums as [vec.Dot] adds products, and
// have its bits: gonum's kernel adds numbers faster than they are summed up.
func (p *activeSet) dotActive(t, v []float64) {
	r, q := &p.reduced, len(p.reduced.rows)
	if q < vec.Long || !p.putBeside() {
		for k, g := range r.rows {
			t[k] = p.dotRow(g, v)
		}
		return
	}
	for k := range r.sums {
		clear(r.sums[k][:q])
	}
	for c, x := range v {
		if x != 0 {
			vec.AxpyLong(r.sums[c&3][:q], x, r.beside[c*p.n:c*p.n+q])
		}
	}
	for k, at := range r.places {
		t[k] = (r.sums[0][at] + r.sums[1][at]) + (r.sums[2][at] + r.sums[3][at])
	}
}

// putBeside puts the active rows that are not units side by side, if they are not yet. It reports
// whether they are: rows where most numbers are 0 are not.
func (p *activeSet) putBeside() bool {
	r := &p.reduced
	if len(r.places) == len(r.rows) {
		return true
	}
	if slices.ContainsFunc(r.rows, func(i int) bool { return !r.many[p.slot(i)] }) {
		return false
	}
	if r.beside == nil {
		r.beside = make([]float64, p.n*p.n)
		for k := range r.sums {
			r.sums[k] = make([]float64, p.n)
		}
	}
	r.places = r.places[:0]
	for _, i := range r.rows {
		r.place(p.row(i))
	}
	return true
}

// place puts the row a beside the others.
func (r *reduced) place(a []float64) {
	n, at := len(a), len(r.places)
	for c, v := range a {
		r.beside[c*n+at] = v
	}
	r.places = append(r.places, at)
}

// displace removes row number k from those side by side. The last one takes its place.
func (r *reduced) displace(k int) {
	n, at, last := len(r.h), r.places[k], len(r.places)-1
	r.places[slices.Index(r.places, last)] = at
	r.places = slices.Delete(r.places, k, k+1)
	for c := 0; c < len(r.beside); c += n {
		r.beside[c+at] = r.beside[c+last]
	}
}

// fillReduced is fillMultipliers.
func (p *activeSet) fillReduced() {
	r := &p.reduced
	next := 0
	for k, i := range p.active {
		if c, sign := p.unit(i); sign != 0 {
			p.y[k] = float64(sign * r.e[c])
		} else {
			p.y[k] = r.y[next]
			next++
		}
	}
}

// solveL overwrites t by L⁻¹t.
func (r *reduced) solveL(t []float64) {
	for k := range t {
		row := r.l[k]
		t[k] = (t[k] - vec.Dot(row[:k], t[:k])) / row[k]
	}
}

// solveLT overwrites t by L⁻ᵀt.
func (r *reduced) solveLT(t []float64) {
	for k := len(t) - 1; k >= 0; k-- {
		row := r.l[k]
		t[k] /= row[k]
		vec.AxpyLong(t[:k], -t[k], row[:k])
	}
}

// pushReduced makes row i, projected last, an active one.
func (p *activeSet) pushReduced(i int) {
	r := &p.reduced
	q := len(r.rows)
	if c, sign := p.unit(i); sign != 0 {
		r.column(p, c)
		r.fixed[c] = true
		r.downdate(r.t[:q])
		return
	}
	if q == len(r.l) {
		r.l = append(r.l, make([]float64, len(r.h)))
	}
	copy(r.l[q], r.w[:q])
	r.l[q][q] = math.Sqrt(r.last)
	if len(r.places) == q && q > 0 {
		if r.many[p.slot(i)] {
			r.place(p.row(i))
		} else {
			r.places = r.places[:0]
		}
	}
	r.rows = append(r.rows, i)
}

// column sets t to column c of A, divided by the root of H there.
func (r *reduced) column(p *activeSet, c int) {
	root := math.Sqrt(r.h[c])
	for k, g := range r.rows {
		r.t[k] = p.row(g)[c] / root
	}
}

// dropReduced removes the row that is number k of the active ones.
func (p *activeSet) dropReduced(k int) {
	r := &p.reduced
	if c, sign := p.unit(p.active[k]); sign != 0 {
		r.column(p, c)
		r.fixed[c] = false
		if len(r.gram) > 0 {
			vec.Axpy(r.gram, p.row(r.ascending)[c]/math.Sqrt(r.h[c]), r.t[:len(r.rows)])
		}
		r.update(r.t[:len(r.rows)])
		return
	}
	at := 0
	for r.rows[at] != p.active[k] {
		at++
	}
	r.remove(at)
}

// remove removes row and column number k of LLᵀ.
func (r *reduced) remove(k int) {
	q := len(r.rows) - 1
	if len(r.places) > q {
		r.displace(k)
	}
	free := r.l[k]
	copy(r.l[k:], r.l[k+1:q+1])
	r.l[q] = free
	copy(r.rows[k:], r.rows[k+1:])
	r.rows = r.rows[:q]
	if len(r.gram) > 0 {
		r.gram = slices.Delete(r.gram, k, k+1)
	}
	for c := k; c < q; c++ { // row c has an entry in column c+1
		f, g := r.l[c][c], r.l[c][c+1]
		h := math.Sqrt(square(f) + square(g))
		cs, sn := f/h, g/h
		r.l[c][c] = h
		for _, row := range r.l[c+1 : q] {
			a, b := row[c], row[c+1]
			row[c] = float64(cs*a) + float64(sn*b)
			row[c+1] = float64(cs*b) - float64(sn*a)
		}
	}
}

// rotations is how many columns of L one pass over its rows changes: a line of the cache.
const rotations = 8

// update adds vvᵀ to LLᵀ; v is overwritten.
func (r *reduced) update(v []float64) {
	r.rotate(v, func(f, x float64) (h, cs, sn float64) {
		h = math.Sqrt(square(f) + square(x))
		return h, f / h, x / h
	}, func(row []float64, cs, sn *[rotations]float64, x float64) float64 {
		for k, a := range row {
			c, s := cs[k], sn[k]
			row[k] = float64(c*a) + float64(s*x)
			x = float64(c*x) - float64(s*a)
		}
		return x
	})
}

// downdate subtracts vvᵀ from LLᵀ; v is overwritten. L is stale if that cancels most digits.
func (r *reduced) downdate(v []float64) {
	const lost = 1e-6 // of a pivot's square
	r.rotate(v, func(f, x float64) (h, cs, sn float64) {
		rest := float64((f - x) * (f + x))
		if !(rest > float64(lost*square(f))) {
			return 0, 0, 0
		}
		h = math.Sqrt(rest)
		return h, h / f, x / f
	}, func(row []float64, cs, sn *[rotations]float64, x float64) float64 {
		for k, a := range row {
			c, s := cs[k], sn[k]
			a = (a - float64(s*x)) / c
			row[k] = a
			x = float64(c*x) - float64(s*a)
		}
		return x
	})
}

// rotate changes LLᵀ by ±vvᵀ with a rotation for each column k. From L_kk and v_k, pivot computes
// the new L_kk, which is 0 if L is stale, the cosine and the sine; turn applies the rotations of
// some columns to a row of L in these columns and to its entry x of v, which it returns.
func (r *reduced) rotate(v []float64, pivot func(f, x float64) (h, cs, sn float64),
	turn func(row []float64, cs, sn *[rotations]float64, x float64) float64) {
	cs, sn, lost := &r.cs, &r.sn, false
	for from := 0; from < len(v) && !lost; from += rotations {
		end := min(from+rotations, len(v))
		for i := from; i < len(v); i++ {
			row := r.l[i]
			v[i] = turn(row[from:min(i, end)], cs, sn, v[i])
			if i >= end {
				continue
			}
			cs[i-from], sn[i-from] = 1, 0
			if v[i] == 0 {
				continue
			}
			var h float64
			if h, cs[i-from], sn[i-from] = pivot(row[i], v[i]); h == 0 {
				lost, r.stale, end = true, true, i
				continue
			}
			row[i] = h
		}
	}
}

// refresh computes L anew, and x and the multipliers with it. It reports whether L is good
// enough for the active rows.
func (p *activeSet) refresh() bool {
	p.factor(nil)
	p.recompute()
	return !p.reduced.stale
}

// newtonReduced is newtonStep, repeated until the active rows hold up to rounding, as they do not
// at once where L has lost digits. If they never do, L is stale.
func (p *activeSet) newtonReduced() {
	const most, enough, tolerable = 8, 1e-14, 1e-13
	r := &p.reduced
	miss := math.Inf(1)
	for range most {
		p.stepReduced()
		last := miss
		miss = 0
		t := r.t[:len(r.rows)]
		p.dotActive(t, p.x)
		for k, g := range r.rows {
			miss = max(miss, abs(t[k]+p.b[g])/p.norm[g])
		}
		if miss <= float64(enough*p.scale) || miss > last/2 {
			break
		}
	}
	r.stale = r.stale || !(miss <= float64(tolerable*p.scale))
}

// stepReduced is one Newton step.
func (p *activeSet) stepReduced() {
	r := &p.reduced
	q := len(r.rows)
	// e is the residual of the first line, z the step of x.
	for k, x := range p.x {
		r.e[k] = float64(float64(p.sigma*r.h[k])*x) + p.c[k] + float64(p.gamma*p.onA[k])
		r.z[k] = 0
	}
	off := false // a coordinate is not at its bound
	for k, i := range p.active {
		p.addRowTo(r.e, p.mu[k], i)
		if c, sign := p.unit(i); sign != 0 {
			r.z[c] = -float64(sign * (float64(sign*p.x[c]) + p.b[i]))
			off = off || r.z[c] != 0
		}
	}
	t, other := r.t[:q], r.y[:q]
	p.dotActive(t, p.x)
	if clear(other); off {
		p.dotActive(other, r.z)
	}
	for k, g := range r.rows {
		t[k] = -(t[k] + p.b[g]) - other[k]
	}
	for k, v := range r.e {
		if !r.fixed[k] {
			r.z[k] = -v / (p.sigma * r.h[k])
		}
	}
	copy(r.w, r.z)
	for k := range r.w {
		if r.fixed[k] {
			r.w[k] = 0
		}
	}
	p.dotActive(other, r.w)
	vec.Axpy(t, -1, other)
	r.solveL(t)
	r.solveLT(t) // t is A D⁻¹Aᵀ's; the multipliers change by −σt
	for k, g := range r.rows {
		p.addRowTo(r.e, -float64(p.sigma*t[k]), g)
	}
	next := 0
	for k, i := range p.active {
		if c, sign := p.unit(i); sign != 0 {
			p.mu[k] -= float64(sign * (r.e[c] + float64(float64(p.sigma*r.h[c])*r.z[c])))
		} else {
			p.mu[k] -= float64(p.sigma * t[next])
			next++
		}
	}
	for k, v := range r.e {
		if !r.fixed[k] {
			r.z[k] = -v / (p.sigma * r.h[k])
		}
	}
	vec.Axpy(p.x, 1, r.z)
}

// hotRows bounds the number of rows that are looked at before the others.
const hotRows = 128

// scanReduced is scan with few evaluations of all rows. It looks at the bounds of coordinates and
// at the rows that were violated when all were last evaluated. Only if none of them is, all other
// rows are evaluated.
func (p *activeSet) scanReduced() (row int, dir float64) {
	r := &p.reduced
	worst := 1e-14 * p.scale
	for i := range p.domainRows {
		c, sign := p.unit(i)
		if p.state[i] >= kink || sign == 0 {
			continue
		}
		if s := float64(sign*p.x[c]) + p.b[i]; s > worst {
			worst, row, dir = s, i, 1
		}
	}
	s := 0.0 // of the row looked at last
	look := func(i int) (violated bool) {
		if s = math.Inf(1); p.state[i] >= kink {
			return false
		}
		s = p.dotRow(i, p.x) + p.b[i]
		if p.state[i] == on {
			s = -s
		}
		small := float64(1e-14 * float64(p.scale*p.norm[i]))
		switch {
		case p.norm[i] == 0:
			if s > float64(1e-14*p.scale) && p.state[i] == off {
				worst, row, dir = math.Inf(1), i, 1
			}
			return false
		case s <= small:
			return false
		case s > float64(worst*p.norm[i]):
			worst, row, dir = s/p.norm[i], i, p.direction(i)
		}
		return true
	}
	if p.lookAtHot(look); dir != 0 {
		return row, dir
	}
	if p.lookAtNear(look); dir != 0 {
		return row, dir
	}
	r.near = r.near[:0]
	for i := range p.domainRows {
		if _, sign := p.unit(i); sign == 0 {
			look(i)
		}
	}
	if p.screen == nil {
		r.advance(p.x, len(p.b))
		for i := p.domainRows; i < len(p.b); i++ {
			if r.isSafe(i, 0) {
				continue
			}
			if look(i) {
				r.heat(i)
			}
			r.safeTo[i] = r.path - s/p.norm[i] - float64(safely*p.scale)
		}
		return row, dir
	}
	p.screen.lookAtPending(func(i int) (margin float64, screened bool) {
		i += p.domainRows
		return -p.excess(i, p.screen.x), p.state[i] < kink
	})
	for _, i := range p.screen.pending {
		if i := p.domainRows + int(i); look(i) {
			r.heat(i)
		}
	}
	if dir != 0 {
		return row, dir
	}
	return p.firstCrossing()
}

// safely is far above the rounding of the product of a row and a point, in units of its size.
const safely = 1e-9

// advance adds the way from the point seen last to x to the path, and makes room for so many rows.
func (r *reduced) advance(x []float64, rows int) {
	r.path += vec.Dist(x, r.seen)
	copy(r.seen, x)
	for len(r.safeTo) < rows {
		r.safeTo = append(r.safeTo, math.Inf(-1))
	}
}

// isSafe reports whether row i is known not to be violated at a point that far from the one seen
// last.
func (r *reduced) isSafe(i int, far float64) bool {
	return i < len(r.safeTo) && r.safeTo[i] > r.path+far && !rescan
}

// lookAtHot calls look with the hot rows. Those that are violated no longer are near.
func (p *activeSet) lookAtHot(look func(i int) (violated bool)) {
	r := &p.reduced
	kept := r.hot[:0]
	for _, i := range r.hot {
		if int(i) < len(p.b) && look(int(i)) {
			kept = append(kept, i)
		} else if p.screen != nil {
			r.near = append(r.near, i)
		}
	}
	r.hot = kept
}

// lookAtNear calls look with the near rows. Those that are violated are hot.
func (p *activeSet) lookAtNear(look func(i int) (violated bool)) {
	r := &p.reduced
	kept := r.near[:0]
	for _, i := range r.near {
		if int(i) < len(p.b) && look(int(i)) {
			r.hot = append(r.hot, i)
		} else {
			kept = append(kept, i)
		}
	}
	r.near = kept
}

// heat adds row i to those that are looked at first.
func (r *reduced) heat(i int) {
	if len(r.hot) < hotRows {
		r.hot = append(r.hot, int32(i))
	}
}

// minimizeSingles is minimize where every hinge is of an affine basis with one kink, as those of
// one round of perturbed constraints are: they are rows for this minimisation. It reports whether
// they are such, in enough dimensions, and the solution is certified.
func (s *Sum) minimizeSingles(dst []float64, prox Prox) (Cert, bool) {
	if s.n < reducedDiagonalFrom || len(s.smooth.Terms)+len(s.byPair)+len(s.others) > 0 ||
		!s.features.isEmpty() {
		return Cert{}, false
	}
	for _, h := range s.byBasis {
		form, ok := h.basis.expansion(s.n)
		if _, single := h.single(); !single || !ok || !form.isAffine() {
			return Cert{}, false
		}
	}
	p, row := s.rows, s.rows.tmp[7]
	base := len(p.b)
	defer p.truncate(base)
	for _, h := range s.byBasis {
		form, _ := h.basis.expansion(s.n)
		hinge, _ := h.single()
		clear(row)
		vec.Axpy(row, hinge.a, form.Lin)
		p.addRow(row, float64(hinge.a*form.Const)+hinge.b, 1)
	}
	p.gamma = s.gamma
	cert, err := p.minimize(dst, s.set, s.smooth, prox, s.accuracy)
	return cert, err == nil && (cert.Gap <= s.accuracy || cert.Relative() <= gapTolerance)
}
