package convex

import (
	"errors"
	"iter"
	"math"
	"slices"

	"ocobench/convex/vec"
)

// ErrEmpty says that the constraints leave no point of the domain.
var ErrEmpty = errors.New("no point of the domain satisfies the constraints")

var (
	errNotFinite = errors.New("convex: a minimisation met numbers that are not finite")
	errCurvature = errors.New("convex: the quadratic part of an objective is not positive " +
		"semidefinite, or too badly scaled")
)

// activeSet solves, exactly up to rounding, the strictly convex programs
//
//	min ½σ xᵀHx + c·x + γ Σ_i w_i max(0, a_i·x + b_i),
//
// where w_i = ∞ makes row i the constraint a_i·x + b_i ≤ 0. There are equality
// rows too, with multipliers of either sign.
//
// The method is the dual active-set method of Goldfarb and Idnani (1983),
// extended to hinges: the multiplier μ_i of a row is in [0, γw_i]. A row is off
// (μ = 0), on (μ = γw) or at its kink (0 ≤ μ ≤ γw and a_i·x + b_i = 0); the rows
// at their kinks are the active ones. A row is violated if it is off but positive,
// or on but negative. Each iteration, an ascent, takes the most violated row and
// changes its multiplier until the row is at its kink or the multiplier reaches
// its other bound. Active rows whose multipliers reach a bound on the way become
// off or on. Each ascent increases the dual objective strictly, so that no
// partition of the rows into off, on and active occurs twice: the method does not
// cycle, even with ties and with parallel or repeated rows.
//
// The partition and its factorisation are kept between calls. After a change of
// c, σ or γ, or with new rows, recompute computes the multipliers of the active
// rows again and releases those out of bounds. The ascents continue from there.
//
// A scan of the rows costs O(rows·n), and an ascent O(n²). In many dimensions, where H is
// diagonal, an ascent costs O(qn + q²) with q active rows that are not bounds: see reduced.
//
// Reference: Goldfarb and Idnani, A numerically stable dual method for solving
// strictly convex quadratic programs, 1983.
type activeSet struct {
	n          int
	a          []float64   // rows×n, in many dimensions the first blockRows of them
	blocks     [][]float64 // the others
	span       []span      // where the rows are not 0
	b, w       []float64
	norm       []float64 // ‖a_i‖
	state      []rowState
	domainRows int // the number of rows of the domain, which come first

	// Of the domain's rows those that are ±x_k + b take no storage: units[i] is ±(k+1), or 0.
	units  []int32
	stored int // those of units that have storage
	held   *heldCoordinates
	resume []float64 // the last solution before the rows were reset; empty: none
	former []int     // the active rows at that solution, until there is another one
	k      int       // the number of coordinates that are not held, the order of J and R

	repeats repeats

	// screen selects the other rows that a scan evaluates; nil: all of them.
	// A few rows are evaluated faster than screened.
	screen    *screen
	spare     *screen
	screening bool // whether there is a screen from screenFrom rows on

	sigma, gamma float64
	c            []float64

	mergeError float64   // a bound on the error of the sum due to merged hinges
	onA        []float64 // Σ w_i a_i over the rows that are on, without γ
	onB        float64
	onChanges  int     // changes of onA since it was last computed afresh
	hingeNorms float64 // Σ w_i‖a_i‖ over all hinges

	// H = LLᵀ, J = L⁻ᵀQ by columns, and R upper triangular by columns, with
	// L⁻¹·[active normals] = Q·[R; 0], in the coordinates that are not held.
	chol    []float64 // nil: H is the identity
	j, r    []float64
	active  []int
	mu      []float64
	changes int // updates since the factorisation was last computed afresh

	written  int  // how much of the storage of a has had rows
	built    bool // the rows of the domain are there
	equated  bool // one of them is an equality
	used     bool // since the last reset there were rows beyond the domain's, or a solution
	factored bool // J is not the zeros of new storage
	blocked  int  // the row that left no feasible point, if the others did; otherwise −1

	nu    float64 // the ball's multiplier at the last solution
	x     []float64
	scale float64 // a bound on ‖x‖, for tolerances

	d, y, v      []float64    // scratch
	h, l         []float64    // H if it is not the identity, and the storage of chol
	spanH        []span       // of the rows of H
	maxDiag      float64      // the largest diagonal entry of H
	formerActive []int        // the active rows before a factorisation
	kinks        []int        // rows that are off, and that the next factorisation makes active
	tmp          [9][]float64 // scratch of minimize, certify, solveOver and minimizeFrom
	reduced      reduced      // in place of J and R in many dimensions
	diagonal     bool         // the next Hessian is known to be
	steps        int          // ascents since the last call of solve
	unsolved     bool         // the last call of solve ended at the limit of ascents
}

type rowState uint8

const (
	off rowState = iota
	on
	kink
	equality
	holding // the bound of a coordinate that is held there
)

func newActiveSet(n int, set Set) *activeSet {
	p := &activeSet{n: n}
	for _, v := range []*[]float64{&p.c, &p.onA, &p.x, &p.d, &p.y, &p.v} {
		*v = make([]float64, n)
	}
	for i := range p.tmp {
		p.tmp[i] = make([]float64, n)
	}
	if set != nil {
		p.scale = magnitude(set)
		p.held = newHeldCoordinates(n, set)
		p.reserve(domainRows(set))
		if p.reducible(set, nil) {
			p.reduced.begin(n)
		}
	}
	p.reset(set)
	return p
}

// reserve makes room for so many rows of the domain.
func (p *activeSet) reserve(rows int) {
	p.units, p.span = slices.Grow(p.units, rows), slices.Grow(p.span, rows)
	p.b, p.w, p.norm = slices.Grow(p.b, rows), slices.Grow(p.w, rows), slices.Grow(p.norm, rows)
	p.state = slices.Grow(p.state, rows)
}

// reset removes all rows but the set's, and everything that depends on earlier
// solutions: the next solution has the bits of that of a new active set.
func (p *activeSet) reset(set Set) {
	if p.built && !p.used {
		return
	}
	kept := 0 // rows of the domain that are there already
	if p.built && !p.equated {
		kept = p.domainRows
	}
	p.built = false
	p.former = append(p.former[:0], p.active...)
	p.keepStored(0)
	p.span, p.b, p.w = p.span[:kept], p.b[:kept], p.w[:kept]
	p.norm, p.state = p.norm[:kept], p.state[:kept]
	clear(p.state)
	p.units, p.stored, p.domainRows = p.units[:kept], 0, 0
	p.active, p.mu, p.kinks = p.active[:0], p.mu[:0], p.kinks[:0]
	clear(p.x)
	p.sigma, p.gamma, p.nu = 1, 1, 0
	p.repeats, p.mergeError, p.hingeNorms = repeats{}, 0, 0
	p.reduced.reset()
	p.resume = nil
	p.beginHeld()
	p.factor(nil)
	p.dropScreen()
	if set != nil && kept == 0 {
		p.equated = false
		set.rows(p)
	}
	p.domainRows = len(p.b)
	p.indexBounds()
	p.resumOn()
	p.built, p.used = true, false
}

// Memory returns how many bytes a [Sum] or a [Program] over the set takes in n dimensions before
// a function is added: 16n². In a box or a simplex of 512 dimensions or more it is 16k² where k
// coordinates are not at a bound, which nobody knows before. A quadratic function takes 8n² more,
// and ‖x‖₁ four times 16n². In one dimension it is 0.
func Memory(set Set) int64 {
	n, rows := int64(set.Dim()), int64(domainRows(set))
	if n == 1 {
		return 0
	}
	return 16*n*n + 45*rows
}

// domainRows is how many rows a set has at most.
func domainRows(set Set) int {
	switch set := set.(type) {
	case *Box:
		return 2 * set.Dim()
	case *Simplex:
		return set.Dim() + 1
	}
	return 0
}

// magnitude is the largest coordinate of the set's points in size: within a factor
// of √n, the largest norm.
func magnitude(set Set) float64 {
	m := 0.0
	switch set := set.(type) {
	case *Box:
		for i, lower := range set.Lower {
			m = max(m, abs(lower), abs(set.Upper[i]))
		}
	case *Ball:
		for _, c := range set.Center {
			m = max(m, abs(set.Radius-c), abs(set.Radius+c))
		}
	case *Simplex:
		m = set.Scale
	}
	return max(m, 1e-300)
}

// row is a_i, which is not one of units.
func (p *activeSet) row(i int) []float64 {
	i = p.slot(i)
	if end := (i + 1) * p.n; end <= len(p.a) {
		return p.a[end-p.n : end]
	}
	at := i % blockRows * p.n
	return p.blocks[i/blockRows-1][at : at+p.n]
}

// From blocksFrom dimensions on rows are stored in blocks of blockRows, so that storage grows
// without copies.
const blocksFrom, blockRows = 64, 256

// slot is the number of row i among those that are stored.
func (p *activeSet) slot(i int) int {
	if i >= len(p.units) {
		i -= len(p.units) - p.stored
	}
	return i
}

func (p *activeSet) col(k int) []float64 { return p.j[k*p.k : (k+1)*p.k] }

// unit returns k and s where a_i·x is s·x_k, and otherwise s = 0.
func (p *activeSet) unit(i int) (k int, s float64) {
	if i >= len(p.units) {
		return 0, 0
	}
	switch u := p.units[i]; {
	case u > 0:
		return int(u) - 1, 1
	case u < 0:
		return int(-u) - 1, -1
	}
	return 0, 0
}

// dot returns a_i·x. Like addTo, it may be given the first coordinates only.
func (p *activeSet) dot(i int, x []float64) float64 {
	if i < len(p.units) {
		switch k := int(p.units[i]); {
		case max(k, -k) > len(x):
			return 0
		case k > 0:
			return x[k-1] + 0
		case k < 0:
			return 0 - x[-k-1]
		}
	}
	at := p.span[i].within(len(x))
	return vec.Dot(p.row(i)[at.from:at.to], x[at.from:at.to])
}

// addTo adds s·a_i to dst.
func (p *activeSet) addTo(dst []float64, s float64, i int) {
	if k, sign := p.unit(i); sign != 0 {
		if k < len(dst) {
			dst[k] += float64(s * sign)
		}
		return
	}
	at := p.span[i].within(len(dst))
	if to, a := dst[at.from:at.to], p.row(i)[at.from:at.to]; len(a) < vec.Long {
		vec.Axpy(to, s, a)
	} else {
		vec.AxpyLong(to, s, a)
	}
}

// span is a range of coordinates outside of which a vector is 0. It begins at a
// multiple of 4, so that products of the parts have the bits of [vec.Dot]. Rows of a
// box have spans of at most four coordinates.
type span struct{ from, to int }

// spanOf returns the shortest span of a.
func spanOf(a []float64) span {
	from, to := 0, len(a)
	for to > 0 && a[to-1] == 0 {
		to--
	}
	for from < to && a[from] == 0 {
		from++
	}
	return span{from &^ 3, to}
}

// within is the part of the span below n.
func (s span) within(n int) span { return span{min(s.from, n), min(s.to, n)} }

// addUnit adds the constraint s·x_k + b ≤ 0 of the domain, s being 1 or −1, whose rows come first.
func (p *activeSet) addUnit(k int, s, b float64) {
	p.units = append(p.units, int32(s)*int32(k+1))
	p.span = append(p.span, span{k &^ 3, k + 1})
	p.b = append(p.b, b)
	p.w = append(p.w, math.Inf(1))
	p.norm = append(p.norm, 1)
	p.state = append(p.state, off)
}

// addRow adds w·max(0, a·x+b), or the constraint a·x+b ≤ 0 where w is +Inf.
// A finite weight multiplies the row, and is 1 from then on.
func (p *activeSet) addRow(a []float64, b, w float64) {
	row := p.nextRow(a)
	if !math.IsInf(w, 1) {
		if w != 1 {
			vec.Scale(row, w)
		}
		b *= w
		w = 1
	}
	p.noteRow(row, spanOf(row), nil, vec.Norm(row), b, w)
}

// noteRow notes the row that was stored last, with its span and its norm. few is where it may be
// other than 0, nil: anywhere.
func (p *activeSet) noteRow(row []float64, at span, few []int32, size, b, w float64) {
	p.used = true
	p.span = append(p.span, at)
	p.b = append(p.b, b)
	p.w = append(p.w, w)
	p.norm = append(p.norm, size)
	p.state = append(p.state, off)
	if p.reduced.h != nil {
		p.reduced.addRow(p.slot(len(p.b)-1), row, few)
	}
	if w == 1 {
		p.hingeNorms += p.norm[len(p.norm)-1]
	}
	switch {
	case p.screen != nil:
		p.screenRow(len(p.b) - 1)
	case p.screening && len(p.b)-p.domainRows >= p.screenFrom():
		if p.screen, p.spare = p.spare, nil; p.screen == nil {
			p.screen = newScreen(p.n, p.scale)
		}
		for i := p.domainRows; i < len(p.b); i++ {
			p.screenRow(i)
		}
	}
}

// nextRow returns the storage of the next row, which is a and zeros. Of rows that are long, only
// the part of a that is not zero is written where nothing was before: the system gives no memory
// to the rest.
func (p *activeSet) nextRow(a []float64) []float64 {
	block, before := &p.a, 0
	if size := blockRows * p.n; p.n >= blocksFrom && len(p.a) == size {
		if k := len(p.blocks); k == 0 || len(p.blocks[k-1]) == size {
			if p.blocks = slices.Grow(p.blocks, 1)[:k+1]; p.blocks[k] == nil {
				p.blocks[k] = make([]float64, 0, size)
			}
		}
		before = len(p.blocks) * size
		block = &p.blocks[len(p.blocks)-1]
	}
	from := len(*block)
	*block = slices.Grow(*block, p.n)[:from+p.n]
	row := (*block)[from:]
	if p.n < sparse {
		clear(row[copy(row, a):])
		return row
	}
	if at := before + from; at < p.written {
		clear(row)
	} else {
		p.written = at + p.n
	}
	first, end := 0, len(a)
	for first < end && math.Float64bits(a[first]) == 0 {
		first++
	}
	for end > first && math.Float64bits(a[end-1]) == 0 {
		end--
	}
	copy(row[first:end], a[first:end])
	return row
}

// keepStored removes all but the first so many rows that are stored, and keeps the storage.
func (p *activeSet) keepStored(rows int) {
	p.a = p.a[:min(rows*p.n, len(p.a))]
	for k, block := range p.blocks {
		left := max(0, rows-(k+1)*blockRows)
		p.blocks[k] = block[:min(left*p.n, len(block))]
	}
	full := max(0, (rows+blockRows-1)/blockRows-1)
	p.blocks = p.blocks[:min(full, len(p.blocks))]
}

// sparse is the number of dimensions from which on storage that is zero is left alone.
var sparse = 512 // tests change it

// dropScreen ends the screen, and keeps its storage for the next one.
func (p *activeSet) dropScreen() {
	if p.screen != nil {
		p.screen.reset()
		p.screen, p.spare = nil, p.screen
	}
}

// screenFrom is the number of rows from which on a screen saves time. With reduced there are fewer
// scans.
func (p *activeSet) screenFrom() int {
	if p.reduced.on {
		return 2048
	}
	return 64
}

// screenRow adds row i, the next in number, to the screen.
func (p *activeSet) screenRow(i int) {
	p.screen.add(p.row(i))
	p.screen.recenter(func(i int) []float64 { return p.row(p.domainRows + i) })
}

// repeats remembers the row after the one that was repeated last.
type repeats struct{ next int }

// candidates yields those of the rows from first to end that a new row is likely
// to repeat. They are the row after the one that was repeated last, that row, and
// the first row, since constraints that do not change return in the same order;
// and the last few rows. The caller breaks the loop at the row that is repeated.
func (r *repeats) candidates(first, end int) iter.Seq[int] {
	return func(yield func(i int) bool) {
		const back = 8
		try := func(i int) bool {
			if i < first || i >= end || yield(i) {
				return false
			}
			r.next = i + 1
			return true
		}
		if try(r.next) || try(r.next-1) || try(first) {
			return
		}
		for i := end - 1; i >= end-back; i-- {
			if try(i) {
				return
			}
		}
	}
}

// addHinge adds w·max(0, a·x+b). If this is a multiple of a recent hinge, up to
// rounding, the two are merged: the sum of two positive multiples of a hinge is a
// multiple of it. The averages of constraints that do not change are an example.
// The certificate contains a bound on the rounding error.
func (p *activeSet) addHinge(a []float64, b, w float64) {
	size := float64(w * vec.Norm(a))
	for i := range p.repeats.candidates(p.domainRows, len(p.b)) {
		if math.IsInf(p.w[i], 1) || p.norm[i] == 0 {
			continue
		}
		ratio, row, dev := size/p.norm[i], p.row(i), 0.0
		most := float64(1e-13 * float64(size*p.scale))
		for k, v := range a {
			dev = max(dev, abs(float64(w*v)-float64(ratio*row[k])))
			if float64(dev*float64(p.n)*p.scale) > most { // most often at once
				break
			}
		}
		dev = float64(dev*float64(p.n)*p.scale) + abs(float64(w*b)-float64(ratio*p.b[i]))
		if dev <= most {
			p.mergeRow(i, a, b, w)
			p.mergeError += dev
			return
		}
	}
	p.addRow(a, b, w)
}

// mergeRow adds w·(a, b), a multiple of row i, to row i.
func (p *activeSet) mergeRow(i int, a []float64, b, w float64) {
	vec.Axpy(p.row(i)[:len(a)], w, a)
	p.span[i] = spanOf(p.row(i))
	if p.reduced.h != nil {
		p.reduced.many[p.slot(i)] = true // the multiple may have other numbers that are almost 0
	}
	p.b[i] += float64(w * b)
	was := p.norm[i]
	p.norm[i] = vec.Norm(p.row(i))
	p.hingeNorms += p.norm[i] - was
	switch p.state[i] {
	case on:
		vec.Axpy(p.onA[:len(a)], w, a)
		p.onB += float64(w * b)
	case kink:
		k := slices.Index(p.active, i)
		if p.reduced.on {
			at := slices.Index(p.reduced.rows, i)
			vec.Scale(p.reduced.l[at][:at+1], p.norm[i]/was)
			p.reduced.places = p.reduced.places[:0]
		} else {
			vec.Scale(p.r[k*p.k:k*p.k+k+1], p.norm[i]/was)
		}
		p.mu[k] *= was / p.norm[i]
	}
	p.screenAgain(i)
	if p.screen != nil {
		p.screen.change(i-p.domainRows, p.row(i))
	}
}

// addEquality adds a·x+b = 0, the first row of the domain.
func (p *activeSet) addEquality(a []float64, b float64) {
	p.addRow(a, b, math.Inf(1))
	p.units = append(p.units, 0)
	p.stored++
	p.equate(len(p.b) - 1)
}

// equate makes row i an equality. A coordinate of its own is held there, if any is held.
func (p *activeSet) equate(i int) {
	p.equated = true
	if c, s := p.unit(i); s != 0 && p.held.any() && p.held.place(c) < 0 {
		return
	}
	p.state[i] = equality
	p.project(i)
	p.push(i, 0)
}

// truncate removes all rows from number k on.
func (p *activeSet) truncate(k int) {
	for q := len(p.active) - 1; q >= 0; q-- {
		if p.active[q] >= k {
			p.drop(q)
		}
	}
	p.keepStored(k - len(p.units) + p.stored)
	p.span, p.b, p.w, p.norm, p.state = p.span[:k], p.b[:k], p.w[:k], p.norm[:k], p.state[:k]
	p.kinks = p.kinks[:0]
	p.reduced.safeTo = p.reduced.safeTo[:min(k, len(p.reduced.safeTo))]
	p.resumOn()
	if k == p.domainRows {
		p.mergeError = 0
	}
	switch {
	case k == p.domainRows:
		p.dropScreen()
	case p.screen != nil:
		p.screen.truncate(k - p.domainRows)
	}
	p.hingeNorms = 0
	for i, w := range p.w {
		if !math.IsInf(w, 1) {
			p.hingeNorms += float64(w * p.norm[i])
		}
	}
}

// resumOn computes the sum of the rows that are on afresh, without the rounding
// errors of its updates.
func (p *activeSet) resumOn() {
	clear(p.onA)
	p.onB = 0
	for i, st := range p.state {
		if st == on {
			p.addOn(i, 1)
		}
	}
	p.onChanges = 0
}

// addOn adds s times row i to the sum of the rows that are on.
func (p *activeSet) addOn(i int, s float64) {
	p.addTo(p.onA, float64(s*p.w[i]), i)
	p.onB += float64(float64(s*p.w[i]) * p.b[i])
	p.onChanges++
}

// factor computes the factorisation afresh for H = I (nil) or H = LLᵀ and the
// active rows. Active rows that depend linearly on others become off or on.
func (p *activeSet) factor(chol []float64) {
	p.chol, p.changes = chol, 0
	if p.reduced.on {
		p.reduced.clear()
		p.factorRows()
		return
	}
	n := p.held.free(p.n)
	if p.k = n; n*n > cap(p.j) {
		p.j, p.r, p.factored = make([]float64, n*n), make([]float64, n*n), false
	}
	p.j, p.r = p.j[:n*n], p.r[:n*n]
	if n < sparse || p.factored {
		clear(p.j)
	}
	p.factored = true
	for k := range n {
		col := p.col(k)
		col[k] = 1
		if chol != nil { // Lᵀ·col = e_k
			for i := k; i >= 0; i-- {
				if col[i] != 0 {
					col[i] /= chol[i*n+i]
					from := min(p.spanH[i].from, i)
					vec.Axpy(col[from:i], -col[i], chol[i*n+from:i*n+i])
				}
			}
		}
	}
	p.factorRows()
}

// factorRows factors the active rows anew.
func (p *activeSet) factorRows() {
	p.formerActive = append(p.formerActive[:0], p.active...)
	mu := p.y[:copy(p.y, p.mu)]
	p.active, p.mu = p.active[:0], p.mu[:0]
	add := func(k, i int) {
		if p.isFree(i) {
			p.push(i, mu[k])
		} else if _, ok := p.project(i); ok {
			p.push(i, mu[k])
		} else {
			p.setInactive(i, mu[k])
		}
	}
	for _, units := range []bool{true, false} { // with reduced, first what does not change L
		for k, i := range p.formerActive {
			if _, s := p.unit(i); p.reduced.on && units == (s != 0) || !p.reduced.on && units {
				add(k, i)
			}
		}
	}
	for _, i := range p.kinks {
		if _, ok := p.project(i); ok {
			p.screenAgain(i)
			p.state[i] = kink
			p.push(i, 0)
		}
	}
	p.kinks = p.kinks[:0]
}

// independent is the smallest sine of the angle between a row and the span of the
// active rows at which the row counts as linearly independent of them. It is some
// orders of magnitude above the rounding error of the sine.
const independent = 1e-11

// project writes d = Jᵀa_i to p.d. It returns the squared norm of the part of a_i
// orthogonal to the active rows, and whether a_i is linearly independent of them.
func (p *activeSet) project(i int) (float64, bool) {
	if p.reduced.on {
		return p.projectReduced(i)
	}
	d := p.d[:p.k]
	if c, s := p.unit(i); s != 0 {
		c = p.held.place(c)
		for k := range d {
			d[k] = float64(s*p.j[k*p.k+c]) + 0
		}
	} else {
		at := p.span[i]
		a := p.row(i)
		if p.held.any() {
			a, at = p.held.gather(a), span{0, p.k}
		}
		a = a[at.from:at.to]
		for k := range d {
			d[k] = vec.Dot(p.col(k)[at.from:at.to], a)
		}
	}
	q := len(p.active)
	all, beyond := vec.Norm(d), vec.Norm(d[q:])
	return float64(beyond * beyond), beyond > float64(independent*all)
}

// push makes row i, whose projection is in p.d, the last active row. It applies a
// Householder reflection to the columns of J after those of the active rows.
func (p *activeSet) push(i int, mu float64) {
	if p.reduced.on {
		p.pushReduced(i)
	} else {
		p.reflect()
	}
	p.active = append(p.active, i)
	p.mu = append(p.mu, mu)
	p.changes++
}

// reflect adds the row whose projection is in p.d to the columns of R.
func (p *activeSet) reflect() {
	q := len(p.active)
	v := p.d[q:p.k]
	if tail := vec.Norm(v[1:]); tail > 0 {
		alpha := vec.Norm(v)
		if v[0] > 0 {
			alpha = -alpha
		}
		head := v[0] - alpha
		v[0] = head
		beta := 2 / vec.Dot(v, v)
		sum := p.v[:p.k]
		clear(sum)
		if p.k < vec.Long {
			for k, vk := range v {
				vec.Axpy(sum, vk, p.col(q+k))
			}
			for k, vk := range v {
				vec.Axpy(p.col(q+k), -float64(beta*vk), sum)
			}
		} else {
			for k, vk := range v {
				vec.AxpyLong(sum, vk, p.col(q+k))
			}
			for k, vk := range v {
				vec.AxpyLong(p.col(q+k), -float64(beta*vk), sum)
			}
		}
		p.d[q] = alpha
	}
	copy(p.r[q*p.k:], p.d[:q+1])
}

// drop removes the k-th active row from the factorisation.
func (p *activeSet) drop(k int) {
	if p.reduced.on {
		p.dropReduced(k)
	} else {
		p.rotate(k)
	}
	p.active = slices.Delete(p.active, k, k+1)
	p.mu = slices.Delete(p.mu, k, k+1)
	p.changes++
}

// rotate removes the k-th column of R.
func (p *activeSet) rotate(k int) {
	n, q := p.k, len(p.active)
	for c := k; c < q-1; c++ { // column c+1 moves to c, one entry too long
		copy(p.r[c*n:c*n+c+2], p.r[(c+1)*n:(c+1)*n+c+2])
	}
	for c := k; c < q-1; c++ {
		f, g := p.r[c*n+c], p.r[c*n+c+1]
		pair := [2]float64{f, g}
		h := vec.Norm(pair[:])
		if h == 0 {
			continue
		}
		cs, sn := f/h, g/h
		for e := c; e < q-1; e++ {
			s, t := p.r[e*n+c], p.r[e*n+c+1]
			p.r[e*n+c] = float64(cs*s) + float64(sn*t)
			p.r[e*n+c+1] = float64(cs*t) - float64(sn*s)
		}
		s, t := p.col(c), p.col(c+1)
		for i := range s {
			a, b := s[i], t[i]
			s[i] = float64(cs*a) + float64(sn*b)
			t[i] = float64(cs*b) - float64(sn*a)
		}
	}
}

// maxMultiplier is the upper bound of a row's multiplier.
func (p *activeSet) maxMultiplier(i int) float64 {
	if math.IsInf(p.w[i], 1) {
		return p.w[i] // even if γ = 0
	}
	return p.gamma * p.w[i]
}

// setInactive makes row i, which is no longer active, off or on by the bound that is
// nearer to mu.
func (p *activeSet) setInactive(i int, mu float64) {
	p.screenAgain(i)
	p.state[i] = off
	if mu > p.maxMultiplier(i)/2 {
		p.state[i] = on
		p.addOn(i, 1)
	}
}

// screenAgain notes that the state of row i has changed or will change now.
func (p *activeSet) screenAgain(i int) {
	if p.screen != nil && i >= p.domainRows {
		p.screen.markPending(i - p.domainRows)
	}
	if i < len(p.reduced.safeTo) {
		p.reduced.safeTo[i] = math.Inf(-1)
	}
}

// release makes the k-th active row off or on.
func (p *activeSet) release(k int) {
	i, mu := p.active[k], p.mu[k]
	p.drop(k)
	p.setInactive(i, mu)
}

// recompute computes x and the multipliers from the partition, and releases
// active rows whose multipliers are out of bounds by more than rounding, the one
// farthest out first. Rounding could release a row that an ascent has just made
// active, and so on without end; therefore the tolerance grows with the number of
// ascents.
func (p *activeSet) recompute() {
	loose := 1e-15
	for range 8 * p.steps / p.maxAscents() {
		loose *= 10
	}
	for {
		p.newtonStep()
		worst, at := float64(loose*p.force()), -1
		for k, i := range p.active {
			if p.state[i] == equality {
				continue
			}
			if out := max(-p.mu[k], p.mu[k]-p.maxMultiplier(i)) * p.norm[i]; out > worst {
				worst, at = out, k
			}
		}
		if at < 0 {
			break
		}
		p.release(at)
	}
	for k, i := range p.active {
		if p.state[i] == kink {
			p.mu[k] = min(max(0, p.mu[k]), p.maxMultiplier(i))
		}
	}
}

// force is the size of the terms of the Lagrangian's gradient.
func (p *activeSet) force() float64 {
	force := vec.Norm(p.c) + float64(p.gamma*vec.Norm(p.onA)) +
		float64(float64(p.sigma*p.maxDiag)*vec.Norm(p.x))
	for k, i := range p.active {
		force = max(force, abs(p.mu[k])*p.norm[i])
	}
	return force
}

// maxAscents bounds the number of ascents of one solution.
func (p *activeSet) maxAscents() int { return 40*p.n + 4*len(p.b) + 100 }

// newtonStep takes a Newton step from x and the multipliers for the system
//
//	σHx + c + γ·onA + Σ_k μ_k a_k = 0,   a_k·x + b_k = 0,   k over the active rows.
//
// The system is linear, so that one step solves it. Further steps reduce the
// rounding error.
func (p *activeSet) newtonStep() {
	if p.reduced.on {
		p.newtonReduced()
		return
	}
	n, q := p.k, len(p.active)
	v := p.stationarity()
	for k := range n {
		p.d[k] = vec.Dot(p.col(k), v) / p.sigma
	}
	// The step of x is Σ_k t_k col_k, where Rᵀt is minus the residual of the
	// second line for the active rows, and t = −d for the other columns.
	t := p.y[:n]
	for k, i := range p.active {
		col := p.r[k*n : k*n+k+1]
		t[k] = -(p.dot(i, p.x) + p.b[i] + vec.Dot(col[:k], t[:k])) / col[k]
	}
	for k := q; k < n; k++ {
		t[k] = -p.d[k]
	}
	p.moveAlong(0, t)
	vec.Axpy(t[:q], 1, p.d[:q])
	p.solveR(t[:q])
	vec.Axpy(p.mu, -p.sigma, t[:q])
}

// stationarity returns the residual of the first line of newtonStep in the coordinates that are
// not held.
func (p *activeSet) stationarity() []float64 {
	n, x, c, onA := p.k, p.x, p.c, p.onA
	v := p.v[:n]
	held := p.held.any()
	if held {
		x, c, onA = p.held.gatherAll(p.x, p.c, p.onA)
	}
	if p.chol == nil {
		copy(v, x)
	} else {
		for i := range n { // with H itself, since LLᵀ differs from it by rounding
			at := p.spanH[i]
			v[i] = vec.Dot(p.h[i*n+at.from:i*n+at.to], x[at.from:at.to])
		}
	}
	vec.Scale(v, p.sigma)
	vec.Axpy(v, 1, c)
	vec.Axpy(v, p.gamma, onA)
	if !held {
		for k, i := range p.active {
			p.addTo(v, p.mu[k], i)
		}
		return v
	}
	if p.chol != nil {
		vec.Axpy(v, 1, p.held.slope[:n])
	}
	for k, i := range p.active {
		if c, s := p.unit(i); s != 0 {
			v[p.held.place(c)] += float64(p.mu[k] * s)
		} else {
			vec.Axpy(v, p.mu[k], p.held.gather(p.row(i)))
		}
	}
	return v
}

// moveAlong adds the columns of J from number first on, times s, to x.
func (p *activeSet) moveAlong(first int, s []float64) {
	switch {
	case p.held.any():
		for k, v := range s {
			col := p.col(first + k)
			for r, c := range p.held.frees {
				p.x[c] += float64(v * col[r])
			}
		}
	case p.k < vec.Long:
		for k, v := range s {
			vec.Axpy(p.x, v, p.col(first+k))
		}
	default:
		for k, v := range s {
			vec.AxpyLong(p.x, v, p.col(first+k))
		}
	}
}

// solveR overwrites y by R⁻¹y.
func (p *activeSet) solveR(y []float64) {
	for k := len(y) - 1; k >= 0; k-- {
		col := p.r[k*p.k : k*p.k+k+1]
		y[k] /= col[k]
		vec.Axpy(y[:k], -y[k], col[:k])
	}
}

// scan returns a row that is violated at x by more than rounding, and the direction
// in which its multiplier must change, or direction 0 if no row is violated. Among
// the rows that it evaluates in any case, it returns the one whose kink is
// farthest from x. If none of these is violated, it returns the first screened row
// that changes sign on the segment from the last solution to x. The point x may be
// far away, when an active row was released and only the curvature bounds the
// step; it then violates very many rows, and the first one brings it back.
func (p *activeSet) scan() (row int, dir float64) {
	if p.reduced.on {
		return p.scanReduced()
	}
	worst := 1e-14 * p.scale
	look := func(i int) {
		if p.state[i] >= kink {
			return
		}
		s := p.excess(i, p.x)
		switch {
		case s <= float64(worst*p.norm[i]):
			return
		case p.norm[i] > 0:
			worst, row = s/p.norm[i], i
		case p.state[i] == on || math.IsInf(p.w[i], 1) && s <= float64(1e-14*p.scale):
			return // a row with a = 0 is on or off without effect on x
		default:
			worst, row = math.Inf(1), i
		}
		dir = p.direction(i)
	}
	if p.held.any() {
		p.lookAtBounds(look)
	} else {
		for i := range p.domainRows {
			look(i)
		}
	}
	if p.screen == nil {
		for i := p.domainRows; i < len(p.b); i++ {
			look(i)
		}
		return row, dir
	}
	p.screen.lookAtPending(func(i int) (margin float64, screened bool) {
		i += p.domainRows
		return -p.excess(i, p.screen.x), p.state[i] < kink
	})
	for _, i := range p.screen.pending {
		look(p.domainRows + int(i))
	}
	if dir != 0 {
		return row, dir
	}
	if row, dir = p.hotCrossing(); dir != 0 {
		return row, dir
	}
	return p.firstCrossing()
}

// firstCrossing returns the first screened row that changes sign on the segment from the last
// solution to x, and the direction in which its multiplier must change.
func (p *activeSet) firstCrossing() (row int, dir float64) {
	r, settles := &p.reduced, p.n >= settleFrom
	i := p.screen.firstCrossing(p.x, func(i int, least float64) float64 {
		if len(r.hot) == hotRows { // none was hot before: those are enough to go on with
			return math.Inf(1)
		}
		i += p.domainRows
		if least > 0 && (!r.on || least > float64(nearby*float64(p.norm[i]*p.screen.length))) {
			p.screen.noteLeft(i - p.domainRows)
			return math.Inf(1)
		}
		end := p.excess(i, p.x)
		if settles {
			p.screen.note(i-p.domainRows, -end)
		}
		if end > float64(1e-14*float64(p.scale*p.norm[i])) {
			if settles || r.on {
				r.hot = append(r.hot, int32(i))
			}
			return p.crossing(i, end)
		}
		if r.on && len(r.near) < hotRows &&
			end > -float64(nearby*float64(p.norm[i]*p.screen.length)) {
			r.near = append(r.near, int32(i))
		}
		return math.Inf(1)
	})
	if i == notPlaced {
		if settles {
			p.screen.settle(p.x, func(i int) float64 { return -p.excess(p.domainRows+i, p.x) })
		}
		return 0, 0
	}
	i += p.domainRows
	return i, p.direction(i)
}

// nearby is the margin, in units of what the segment could change it by, below which a row is
// likely to be violated at the end of a segment that is much like it.
const nearby = 0.05

// settleFrom is the number of dimensions from which on a screen settles at every point where no row
// is violated, and rows that were violated are looked at before all others. Below, the bits would
// change for little.
var settleFrom = 64 // tests change it

// crossing returns the fraction of the segment from the last solution to x at which row i, whose
// excess at x is end > 0, changes sign.
func (p *activeSet) crossing(i int, end float64) float64 {
	start := min(0, p.excess(i, p.screen.x))
	return start / (start - end)
}

// hotCrossing is firstCrossing among the rows that were violated when others were evaluated last.
func (p *activeSet) hotCrossing() (row int, dir float64) {
	r, best := &p.reduced, math.Inf(1)
	kept := r.hot[:0]
	for _, h := range r.hot {
		i := int(h)
		if i >= len(p.b) || p.state[i] >= kink {
			continue
		}
		end := p.excess(i, p.x)
		if end <= float64(1e-14*float64(p.scale*p.norm[i])) {
			continue
		}
		kept = append(kept, h)
		if part := p.crossing(i, end); part < best {
			best, row, dir = part, i, p.direction(i)
		}
	}
	r.hot = kept
	return row, dir
}

// excess is a·x + b or, if the row is on, −(a·x + b): positive if the row is
// violated.
func (p *activeSet) excess(i int, x []float64) float64 {
	s := p.dot(i, x) + p.b[i]
	if p.state[i] == on {
		return -s
	}
	return s
}

// direction is the direction in which the multiplier of a violated row must
// change.
func (p *activeSet) direction(i int) float64 {
	if p.state[i] == on {
		return -1
	}
	return 1
}

// slack returns, over all rows but those of the domain, the sum of γw·max(0, a·x+b)
// at x, and this sum minus Σ μ(a·x+b): the complementary slackness. A constraint
// contributes only −μ(a·x+b).
func (p *activeSet) slack(x []float64) (hinges, slack float64) {
	hinges = float64(p.gamma * (vec.Dot(p.onA[:len(x)], x) + p.onB))
	look := func(i int) float64 {
		s := p.excess(i, x)
		if w := p.maxMultiplier(i); s > 0 && !math.IsInf(w, 1) {
			hinges += float64(w * s)
			slack += float64(w * s)
		}
		return s
	}
	if p.screen != nil {
		p.screen.update(x, func(i int) (margin float64, screened bool) {
			i += p.domainRows
			if p.state[i] >= kink {
				return 0, false
			}
			return -look(i), true
		})
	} else {
		for i := p.domainRows; i < len(p.b); i++ {
			if p.state[i] < kink && !math.IsInf(p.w[i], 1) {
				look(i)
			}
		}
	}
	for k, i := range p.active {
		if i < p.domainRows {
			continue
		}
		s := p.dot(i, x) + p.b[i]
		slack -= float64(p.mu[k] * s)
		if w := p.maxMultiplier(i); !math.IsInf(w, 1) {
			hinges += float64(w * max(0, s))
			slack += float64(w * max(0, s))
		}
	}
	return hinges, slack
}

// violation returns the largest violation max(0, a·x + b) at x of a constraint that
// is not of the domain.
func (p *activeSet) violation(x []float64) (worst float64) {
	look := func(i int) float64 {
		s := p.dot(i, x) + p.b[i]
		worst = max(worst, s)
		return s
	}
	if p.screen == nil {
		far := 0.0
		if len(p.reduced.safeTo) > 0 {
			far = vec.Dist(x, p.reduced.seen)
		}
		for i := p.domainRows; i < len(p.b); i++ {
			if !p.reduced.isSafe(i, far) {
				look(i)
			}
		}
		return worst
	}
	p.screen.update(x, func(i int) (margin float64, screened bool) {
		i += p.domainRows
		if p.state[i] >= kink {
			return 0, false
		}
		return -look(i), true
	})
	for _, i := range p.active {
		if i >= p.domainRows {
			look(i)
		}
	}
	return worst
}

// ascend changes the multiplier of row i in direction dir until the row is at its
// kink or the multiplier reaches its other bound. It returns ErrEmpty if the row is
// a constraint and the multiplier grows without bound.
func (p *activeSet) ascend(i int, dir float64) error {
	p.steps++
	p.screenAgain(i)
	mu := 0.0
	if p.state[i] == on {
		mu = p.maxMultiplier(i)
		p.addOn(i, -1)
	}
	if p.norm[i] == 0 {
		if math.IsInf(p.w[i], 1) {
			return ErrEmpty
		}
		p.state[i] = on
		p.addOn(i, 1)
		return nil
	}
	for {
		q := len(p.active)
		s := p.dot(i, p.x) + p.b[i]
		beyond, free := p.project(i)
		p.fillMultipliers()

		full := math.Inf(1)
		if free {
			full = max(0, float64(dir*s)) * p.sigma / beyond
		}
		own := mu
		if dir > 0 {
			own = p.maxMultiplier(i) - mu
		}
		block, at := math.Inf(1), -1
		for k, h := range p.active {
			if p.state[h] == equality {
				continue
			}
			step := dir * p.y[k] // the decrease of μ_k per unit
			room := p.mu[k]
			if step < 0 {
				room, step = p.maxMultiplier(h)-p.mu[k], -step
			}
			// The step may consist of rounding errors.
			if step <= float64(1e-13*p.norm[i])/p.norm[h] {
				continue
			}
			if t := max(0, room) / step; t < block {
				block, at = t, k
			}
		}
		t := min(full, own, block)
		if math.IsInf(t, 1) {
			return p.emptyBy(i)
		}
		for k := range q {
			p.mu[k] -= float64(float64(dir*t) * p.y[k])
		}
		mu += float64(dir * t)
		if free {
			p.moveBy(float64(dir * t))
		}
		switch t {
		case full:
			p.state[i] = kink
			p.push(i, mu)
			return nil
		case own:
			if p.state[i] = off; dir > 0 {
				p.state[i] = on
				p.addOn(i, 1)
			}
			return nil
		}
		if at < 0 {
			return errNotFinite
		}
		p.release(at)
	}
}

// fillMultipliers writes the changes of the multipliers of the active rows, per unit of that of the
// row projected last, to p.y.
func (p *activeSet) fillMultipliers() {
	if p.reduced.on {
		p.fillReduced()
		return
	}
	q := len(p.active)
	copy(p.y[:q], p.d[:q])
	p.solveR(p.y[:q])
}

// moveBy moves x as much as t units of the multiplier of the row projected last do.
func (p *activeSet) moveBy(t float64) {
	if p.reduced.on {
		vec.Axpy(p.x, -t/p.sigma, p.reduced.z)
		return
	}
	q := len(p.active)
	s := p.v[:p.k-q]
	for k, d := range p.d[q:p.k] {
		s[k] = -float64(t*d) / p.sigma
	}
	p.moveAlong(q, s)
}

// emptyBy notes that row i cannot become feasible, and returns ErrEmpty.
func (p *activeSet) emptyBy(i int) error {
	p.blocked = i
	return ErrEmpty
}

// maxChanges is the number of updates after which the factorisation is computed afresh.
func (p *activeSet) maxChanges() int {
	if p.reduced.on {
		return 2000
	}
	return 50*p.n + 200
}

// solve moves x to the minimiser. The number of ascents is bounded. If rounding
// errors prevent convergence, as they do with rows that are nearly parallel and very
// little curvature, unsolved is set, and rows may be violated by far.
func (p *activeSet) solve() error {
	p.steps, p.used, p.former = 0, true, p.former[:0]
	if p.changes > p.maxChanges() {
		p.factor(p.chol)
	}
	if p.onChanges > len(p.b)/2 {
		p.resumOn()
	}
	p.recompute()
	polished := false
	p.unsolved = false
	for limit := p.maxAscents(); p.steps < limit; {
		i, dir := p.scan()
		if dir == 0 {
			if polished {
				return nil
			}
			polished = true
			p.newtonStep()
			p.recompute()
			if p.reduced.on && p.reduced.stale && !p.refresh() {
				break
			}
			continue
		}
		polished = false
		p.reduced.ascending = i
		err := p.ascend(i, dir)
		p.reduced.gram, p.reduced.ascending = p.reduced.gram[:0], -1
		if err != nil {
			return err
		}
		switch {
		case !p.reduced.on:
			p.recompute()
		case p.reduced.stale || p.changes > p.maxChanges():
			p.refresh()
		}
	}
	p.unsolved = true
	return nil
}

// setHessian sets σH to quad (n×n by rows, nil for 0) plus sigma·I on the first
// core coordinates. It returns errCurvature if this is not positive definite.
func (p *activeSet) setHessian(sigma float64, quad []float64, core int) error {
	if p.reduced.on {
		return p.setDiagonal(sigma, quad, core)
	}
	if quad == nil {
		p.sigma, p.maxDiag = sigma, 1
		if p.chol != nil {
			p.factor(nil)
		}
		return nil
	}
	n := p.held.free(p.n)
	if p.held.any() {
		p.h = p.held.restrict(p.h[:0], quad, p.x)
	} else {
		p.h = append(p.h[:0], quad...)
	}
	p.spanH = p.spanH[:0]
	for i := range n {
		row := p.h[i*n : (i+1)*n]
		if i < core {
			row[i] += sigma
		}
		p.spanH = append(p.spanH, spanOf(row))
	}
	p.l = append(p.l[:0], p.h...)
	if !cholesky(p.l, n) {
		return errCurvature
	}
	p.sigma, p.maxDiag = 1, 0
	for i := range n {
		p.maxDiag = max(p.maxDiag, p.h[i*n+i])
	}
	p.factor(p.l)
	return nil
}

// setDiagonal is setHessian for a diagonal matrix.
func (p *activeSet) setDiagonal(sigma float64, quad []float64, core int) error {
	r := &p.reduced
	p.sigma, p.maxDiag = sigma, 1
	if quad != nil {
		p.sigma, p.maxDiag = 1, 0
	}
	changed := false
	r.plain = quad == nil
	for i := range r.h {
		h := 1.0
		if quad != nil {
			h = quad[i*p.n+i]
			if i < core {
				h += sigma
			}
			if !(h > 0) {
				return errCurvature
			}
			p.maxDiag = max(p.maxDiag, h)
		}
		changed = changed || h != r.h[i]
		r.h[i] = h
	}
	if changed || len(p.kinks) > 0 {
		p.factor(nil)
	}
	return nil
}

// solveOver moves x to the minimiser of ½σ‖x‖² + ½xᵀ·quad·x + c·x + the rows over
// the set. The set bounds the first set.Dim() coordinates.
func (p *activeSet) solveOver(set Set, sigma float64, quad []float64) error {
	p.reduce(p.reducible(set, quad))
	err := p.solveWith(set, sigma, quad)
	if p.reduced.on && (err != nil || p.unsolved) {
		p.reduce(false)
		if errors.Is(err, ErrEmpty) {
			p.beginAnew()
		}
		err = p.solveWith(set, sigma, quad)
	}
	if errors.Is(err, ErrEmpty) && quad != nil && p.nearest(set) == nil && !p.unsolved {
		// The constraints are feasible: quad is so badly scaled that different
		// rows seemed linearly dependent.
		return errCurvature
	}
	return err
}

// solveWith is solveOver with the factorisation that was chosen.
func (p *activeSet) solveWith(set Set, sigma float64, quad []float64) error {
	if ball, ok := set.(*Ball); ok {
		return p.solveOverBall(ball, sigma, quad)
	}
	return p.solveHeld(set, sigma, quad)
}

// solveOverBall is solveOver for the ball with centre z and radius r, which is not
// a row. Let x(ν) be the minimiser with ν‖x−z‖² added. The answer is x(0) if that is
// in the ball, and otherwise x(ν) on the surface of the ball, where
//
//	1/‖x(ν)−z‖ = 1/r.
//
// The left side is nearly linear in ν, and ν is found by Newton's method with
// bisection as a safeguard.
//
// Reference: Moré and Sorensen, Computing a trust region step, 1983.
func (p *activeSet) solveOverBall(ball *Ball, sigma float64, quad []float64) error {
	core := ball.Dim()
	c, away := p.tmp[0], p.tmp[1][:core] // away is x − z
	copy(c, p.c)
	defer func() { copy(p.c, c) }()
	tight := 4e-16 * (2 + p.scale/ball.Radius)
	nu, lo, hi := p.nu, -1.0, math.Inf(1) // x(ν) is outside of the ball at lo, and inside at hi
	unit := sigma + vec.Norm(c)/ball.Radius
	most := float64(1e12 * unit) // beyond it x(ν) is the feasible point nearest to z, up to rounding
	steps := 0
	for range 100 {
		for i, z := range ball.Center {
			p.c[i] = c[i] - float64(2*nu*z)
		}
		if err := p.setHessian(sigma+float64(2*nu), quad, core); err != nil {
			return err
		}
		err := p.solve()
		steps += p.steps
		p.steps = steps
		if err != nil {
			return err
		}
		vec.SubTo(away, p.x[:core], ball.Center)
		d := vec.Norm(away)
		excess := d/ball.Radius - 1
		p.nu = nu
		if abs(excess) <= tight || excess < 0 && nu == 0 {
			return nil
		}
		if excess > 0 {
			lo = nu
		} else {
			hi = nu
		}
		// Minus the derivative of ½‖x−z‖² in 2ν.
		rate := 0.0
		for k := len(p.active); k < p.n; k++ {
			v := vec.Dot(p.col(k)[:core], away)
			rate += float64(v * v)
		}
		next := nu + float64(float64(d*d)*excess)/2*p.sigma/rate
		switch {
		case next >= 0 && next > lo && next < min(hi, most): // and not NaN
		case lo < 0:
			next = 0
		case math.IsInf(hi, 1):
			next = float64(4*nu) + float64(1e-3*unit) + math.SmallestNonzeroFloat64
			if nu > most {
				return p.nearest(ball)
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

// nearest moves x to the feasible point nearest to the origin or, for a ball, to
// its centre. It returns ErrEmpty if no point of the set is feasible. What is unsolved is tried
// once more, from no active rows.
func (p *activeSet) nearest(set Set) error {
	c, gamma := slices.Clone(p.c), p.gamma
	clear(p.c)
	ball, ok := set.(*Ball)
	if ok {
		vec.Axpy(p.c[:len(ball.Center)], -1, ball.Center)
	}
	p.gamma = 0
	err := p.solveHeld(set, 1, nil)
	if err == nil && p.unsolved {
		if p.held.any() {
			p.holdNone()
		}
		clear(p.x)
		p.beginAnew()
		err = p.solveHeld(set, 1, nil)
	}
	copy(p.c, c)
	p.gamma = gamma
	if ok && err == nil && !p.unsolved && vec.Dist(p.x[:len(ball.Center)], ball.Center) > ball.Radius+
		float64(1e-12*(p.scale+ball.Radius)) {
		return ErrEmpty
	}
	return err
}

// minimize writes to dst the minimiser over the set of
//
//	obj(x) + weight·‖x − center‖² + the rows,
//
// and certifies it; obj is affine or quadratic. If the curvature of obj and the
// regulariser is so small that the minimiser without rows would be far outside of
// the set, the method is that of proximal points,
//
//	x_{k+1} = argmin objective + ½ρ_k‖x − x_k‖²,   ρ_{k+1} = ρ_k/100.
//
// It ends after finitely many steps if the solution is a vertex, and converges
// superlinearly otherwise. It stops when the gap is at most accuracy.
func (p *activeSet) minimize(dst []float64, set Set, obj *Form, prox Prox, accuracy float64) (Cert,
	error) {
	cert, err := p.minimizeWith(dst, set, obj, prox, accuracy)
	if !p.reduced.on || err == nil && (cert.Gap <= accuracy || cert.Relative() <= reducedGap) {
		return cert, err
	}
	p.reduced.barred = true
	defer func() { p.reduced.barred = false }()
	return p.minimizeWith(dst, set, obj, prox, accuracy)
}

// minimizeWith is minimize without another attempt.
func (p *activeSet) minimizeWith(dst []float64, set Set, obj *Form, prox Prox,
	accuracy float64) (Cert, error) {
	n := set.Dim()
	var quad []float64
	if obj.hasQuad() {
		quad = obj.Quad
	}
	lin, point := p.tmp[2], p.tmp[3]
	copy(lin, obj.Lin)
	sigma := 2 * prox.Weight
	if sigma > 0 {
		vec.Axpy(lin, -sigma, prox.Center)
	}
	rho, floor, largest := p.proximity(lin, set.Diameter(), sigma, quad)
	if !p.reducible(set, quad) {
		p.resumeHeld()
	} else if rho > 0 {
		p.resumeActive()
	}
	p.chooseHeld()
	if p.held.isUnknown() {
		clear(dst)
		set.Project(dst, dst)
	} else {
		set.Project(dst, p.x[:n])
	}
	best := Cert{Gap: math.Inf(1)}
	steps, solved := 0, false
	const most, patience = 60, 8 // steps, and those in a row that do not halve the gap
	enough := 1e-14
	if p.n >= reducedFrom {
		enough = reducedGap // its sums are longer: what is left is rounding
	}
	for k, stalled := 0, 0; k < most && stalled < patience; k++ {
		copy(p.c, lin)
		if rho > 0 {
			vec.Axpy(p.c[:n], -rho, dst)
		}
		err := p.solveOver(set, sigma+rho, quad)
		if errors.Is(err, errCurvature) && sigma+rho < float64(1e-6*largest) {
			rho = float64(10*rho) + floor
			floor = rho
			continue
		}
		if (err != nil || p.unsolved && solved) && !math.IsInf(best.Gap, 1) {
			break // ρ is so small that rounding errors dominate
		}
		if err != nil {
			return Cert{}, err
		}
		solved = solved || !p.unsolved
		steps += p.steps
		set.Project(dst, p.x[:n])
		cert := p.certify(dst, set, obj, prox)
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

// largestDiagonal returns the largest entry on the diagonal of an n×n matrix, 0 without one.
func largestDiagonal(quad []float64, n int) (largest float64) {
	for i := 0; i < len(quad); i += n + 1 {
		largest = max(largest, quad[i])
	}
	return largest
}

// leastDiagonal returns the least entry on the diagonal of an n×n matrix.
func leastDiagonal(quad []float64, n int) float64 {
	least := math.Inf(1)
	for i := 0; i < len(quad); i += n + 1 {
		least = min(least, quad[i])
	}
	return least
}

// leastEigenvalue bounds the eigenvalues of a positive semidefinite n×n matrix from below by
// Gershgorin's circles. It is 0 without a matrix.
func leastEigenvalue(quad []float64, n int) float64 {
	if quad == nil {
		return 0
	}
	least := math.Inf(1)
	for i := range n {
		d := quad[i*n+i]
		for j, v := range quad[i*n : (i+1)*n] {
			if j != i {
				d -= abs(v)
			}
		}
		least = min(least, d)
	}
	return max(0, least)
}

// proximity returns the weight ρ of the first proximal term, 0 if the objective is so
// strongly convex that it needs none, the least weight with which Q + ρI has a Cholesky
// factorisation, and the largest entry of Q on its diagonal. The slopes of the objective and of
// the hinges move x by about 1000 times the size of the set under this ρ.
func (p *activeSet) proximity(lin []float64, size, sigma float64, quad []float64) (rho, floor,
	largest float64) {
	if size == 0 {
		size = 1
	}
	n := len(lin)
	largest = largestDiagonal(quad, n)
	slopes := vec.Norm(lin) + float64(p.gamma*p.hingeNorms)
	rho = max(float64(1e-3*slopes)/size, 1e-6*largest)
	floor = max(1e-13*largest, 1e-30*rho)
	switch {
	case sigma == 0 && rho == 0:
		rho = 1
	case sigma >= rho || sigma+leastEigenvalue(quad, n) >= rho:
		rho = 0
	}
	return rho, floor, largest
}

// certify bounds the gap at x, a point of the set near p.x. The multipliers give
// the dual bound
//
//	min over y in D of L(y),   L(y) = obj(y) + weight‖y−center‖² + Σ μ_i (a_i·y + b_i),
//
// and L is at least its tangent at x plus weight‖y−x‖².
func (p *activeSet) certify(x []float64, set Set, obj *Form, prox Prox) Cert {
	hinges, slack := p.slack(x)
	g, rows := p.tmp[4], p.tmp[5]
	obj.Subgrad(g, x)
	prox.addGrad(g, x)
	clear(rows)
	p.lagrangian(rows)
	vec.Axpy(g, 1, rows)
	return Cert{
		Value: obj.Value(x) + prox.value(x) + hinges,
		Gap: max(0, slack) + float64(p.gamma*p.mergeError) +
			tangentGap(set, x, g, 2*prox.Weight, rows, p.tmp[6]),
		Exact:      true,
		Iterations: p.steps,
	}
}

// tangentGap returns max over y in D of s·(x−y) − ½σ‖y−x‖². It bounds f(x) − min f
// over the set for every σ-strongly convex f with the subgradient s at x. y and d
// are scratch.
func tangentGap(set Set, x, s []float64, sigma float64, y, d []float64) float64 {
	if sigma > 0 {
		vec.AxpyTo(d, -1/sigma, s, x)
		set.Project(y, d)
	} else {
		copy(d, s)
		vec.Scale(d, -1)
		set.Support(y, d)
	}
	vec.SubTo(d, x, y)
	return max(0, vec.Dot(s, d)-float64(float64(sigma/2)*vec.Dot(d, d)))
}

// lagrangian adds the gradient of the affine function Σ μ_i (a_i·x + b_i), over all
// rows but those of the domain, to dst, and returns its value at 0. dst has the
// first coordinates only.
func (p *activeSet) lagrangian(dst []float64) float64 {
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
