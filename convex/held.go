package convex

import (
	"cmp"
	"errors"
	"slices"

	"ocobench/convex/vec"
)

// In many dimensions most coordinates of a minimiser over a box or a simplex are at a bound.
// An active set then solves the program in the other ones, the free coordinates: those at a
// bound are held there, have no part in H, J and R, and n is the number of the free ones in
// all costs. After a solution, the gradient of the Lagrangian shows whether a coordinate that
// is held would leave its bound. Such coordinates become free, and the program is solved
// again. A program that has no feasible point frees the coordinates that make the row
// feasible that no free coordinate can.
//
// A minimisation begins with the coordinates that were not at a bound at the end of the last
// one. It frees further ones, and holds none. If more than half of the coordinates are free,
// none is held any more.
//
// What is held changes the way to a minimiser. The certificate does not depend on it: it is
// the tangent of the Lagrangian in all coordinates.

// heldCoordinates are the coordinates that an active set holds at a bound of the domain. Nil
// and the zero value hold none.
type heldCoordinates struct {
	n       int
	simplex bool
	holding bool
	unknown bool    // nothing was solved since the last reset
	frees   []int   // in increasing order
	places  []int32 // of the coordinates in frees, or −1
	rows    []int32 // the first row of the domain that is the bound of a coordinate

	slope      []float64    // H·x of the coordinates that are held, in the others
	scratch    [4][]float64 // of gather and gatherAll
	candidates []candidate
}

// candidate is a coordinate that is held, and how much it would gain by leaving its bound.
type candidate struct {
	coordinate int
	gain       float64
}

var (
	// holdFrom is the number of dimensions from which on coordinates are held. Below it, what is
	// saved is little.
	holdFrom = 64 // tests change it

	// heldShare is the share of coordinates at a bound from which on they are held.
	heldShare = 0.75
)

// newHeldCoordinates returns nil if coordinates of the set are never held: those of a ball, and
// those of models with more variables than the set.
func newHeldCoordinates(n int, set Set) *heldCoordinates {
	_, ball := set.(*Ball)
	if n < holdFrom || n != set.Dim() || ball {
		return nil
	}
	_, simplex := set.(*Simplex)
	return &heldCoordinates{n: n, simplex: simplex, places: make([]int32, n)}
}

// any reports whether a coordinate is held.
func (h *heldCoordinates) any() bool { return h != nil && h.holding }

// free is the number of coordinates, of n, that are not held.
func (h *heldCoordinates) free(n int) int {
	if h.any() {
		return len(h.frees)
	}
	return n
}

// place is the place of a coordinate among those that are not held.
func (h *heldCoordinates) place(k int) int {
	if h.any() {
		return int(h.places[k])
	}
	return k
}

// gather returns the free coordinates of a, until the next call.
func (h *heldCoordinates) gather(a []float64) []float64 { return h.gatherTo(0, a) }

// gatherAll returns the free coordinates of three vectors, until the next call.
func (h *heldCoordinates) gatherAll(x, y, z []float64) (a, b, c []float64) {
	return h.gatherTo(1, x), h.gatherTo(2, y), h.gatherTo(3, z)
}

func (h *heldCoordinates) gatherTo(k int, a []float64) []float64 {
	to := slices.Grow(h.scratch[k][:0], len(h.frees))
	for _, c := range h.frees {
		to = append(to, a[c])
	}
	h.scratch[k] = to
	return to
}

// restrict appends the matrix quad in the free coordinates to dst, and sets slope. A quad that
// is not n×n is one in the free coordinates.
func (h *heldCoordinates) restrict(dst, quad, x []float64) []float64 {
	n, k := h.n, len(h.frees)
	h.slope = slices.Grow(h.slope[:0], k)[:k]
	clear(h.slope)
	if len(quad) == k*k {
		return append(dst, quad...)
	}
	for _, i := range h.frees {
		for _, j := range h.frees {
			dst = append(dst, quad[i*n+j])
		}
	}
	for j, place := range h.places {
		if v := x[j]; place < 0 && v != 0 {
			for r, i := range h.frees {
				h.slope[r] += float64(quad[i*n+j] * v)
			}
		}
	}
	return dst
}

// setFrees holds all coordinates but these, at their bounds of the set.
func (h *heldCoordinates) setFrees(frees []int) {
	h.holding, h.frees = true, frees
	for i := range h.places {
		h.places[i] = -1
	}
	for r, i := range frees {
		h.places[i] = int32(r)
	}
}

// beginHeld holds all coordinates but the first, if an active set in all coordinates would be
// large.
func (p *activeSet) beginHeld() {
	h := p.held
	if h == nil {
		return
	}
	h.holding, h.unknown = false, p.n >= sparse
	if h.unknown {
		h.setFrees(append(h.frees[:0], 0))
	}
}

// indexBounds notes the rows of the domain.
func (p *activeSet) indexBounds() {
	h := p.held
	if h == nil {
		return
	}
	h.rows = slices.Grow(h.rows[:0], p.n)[:p.n]
	for i := p.domainRows - 1; i >= 0; i-- {
		if k, s := p.unit(i); s != 0 {
			h.rows[k] = int32(i)
		}
	}
	if h.holding {
		for k, place := range h.places {
			if place < 0 {
				p.holdAt(k, p.lowerRow(k))
			}
		}
	}
}

// bounds are the rows first, …, end − 1, the bounds of coordinate k.
func (p *activeSet) bounds(k int) (first, end int) {
	first = int(p.held.rows[k])
	end = first + 1
	if end < p.domainRows {
		if other, _ := p.unit(end); other == k {
			end++
		}
	}
	return first, end
}

// lowerRow is the row −x_k + b ≤ 0 or, if the bounds of x_k are equal, x_k + b = 0.
func (p *activeSet) lowerRow(k int) int {
	_, end := p.bounds(k)
	return end - 1
}

// holdAt holds coordinate k at row i, one of its bounds.
func (p *activeSet) holdAt(k, i int) {
	_, s := p.unit(i)
	p.state[i] = holding
	p.x[k] = -s * p.b[i]
}

// heldAt returns the row at which coordinate k is held.
func (p *activeSet) heldAt(k int) int {
	first, end := p.bounds(k)
	for i := first; i < end; i++ {
		if p.state[i] == holding {
			return i
		}
	}
	panic("convex: a coordinate is held nowhere")
}

// letGo holds coordinate k no longer, and returns its row.
func (p *activeSet) letGo(k int) (i int) {
	i = p.heldAt(k)
	p.state[i] = off
	if p.isFixed(i) {
		p.state[i] = equality
		p.active, p.mu = append(p.active, i), append(p.mu, 0)
	}
	return i
}

// isFixed reports whether row i is a bound of a coordinate with equal bounds.
func (p *activeSet) isFixed(i int) bool {
	k, s := p.unit(i)
	if s == 0 {
		return false
	}
	first, end := p.bounds(k)
	return p.held != nil && !p.held.simplex && end == first+1
}

// lookAtBounds calls look with the bounds of the free coordinates.
func (p *activeSet) lookAtBounds(look func(i int)) {
	for _, k := range p.held.frees {
		first, end := p.bounds(k)
		for i := first; i < end; i++ {
			look(i)
		}
	}
}

// isUnknown reports whether nothing was solved yet and coordinates are held, so that x is no
// point to begin at.
func (h *heldCoordinates) isUnknown() bool { return h != nil && h.unknown }

// chooseHeld chooses the coordinates that a minimisation, which begins, holds at first.
func (p *activeSet) chooseHeld() {
	h := p.held
	if h == nil || h.unknown || p.reduced.on {
		return
	}
	active := 0
	for _, i := range p.active {
		if _, s := p.unit(i); s != 0 {
			active++
		}
	}
	inside := h.free(p.n) - active
	switch {
	case !h.holding && float64(active) >= float64(heldShare*float64(p.n)):
	case h.holding && len(h.frees) > 2*inside+8:
	default:
		return
	}
	at := slices.Grow(h.candidates[:0], active) // the bounds
	kept := 0
	for k, i := range p.active {
		if c, s := p.unit(i); s != 0 && !(len(at) == p.n-1) {
			at = append(at, candidate{coordinate: c, gain: float64(i)})
			continue
		}
		p.active[kept], p.mu[kept] = i, p.mu[k]
		kept++
	}
	p.active, p.mu, h.candidates = p.active[:kept], p.mu[:kept], at
	if !h.holding {
		h.frees = h.frees[:0]
		for k := range p.n {
			h.frees = append(h.frees, k)
			h.places[k] = int32(k)
		}
	}
	for _, a := range at {
		p.holdAt(a.coordinate, int(a.gain))
		h.places[a.coordinate] = -1
	}
	h.setFrees(slices.DeleteFunc(h.frees, func(k int) bool { return h.places[k] < 0 }))
	p.factor(nil)
}

// guessHeld holds the coordinates that are at a bound at the minimiser of ½σ‖x‖² + c·x, for a
// first solution.
func (p *activeSet) guessHeld(set Set, sigma float64) {
	y := p.tmp[7]
	for i, v := range p.c {
		y[i] = -v / sigma
	}
	set.Project(y, y)
	p.holdLike(y)
}

// holdLike moves x to y, a point of the set, and holds the coordinates that are at a bound there,
// up to rounding.
func (p *activeSet) holdLike(y []float64) {
	h := p.held
	h.unknown = false
	kept := 0
	for k, i := range p.active {
		if _, s := p.unit(i); s == 0 {
			p.active[kept], p.mu[kept] = i, p.mu[k]
			kept++
		}
	}
	p.active, p.mu = p.active[:kept], p.mu[:kept]
	frees := h.frees[:0]
	for k, v := range y {
		first, end := p.bounds(k)
		for i := first; i < end; i++ {
			p.state[i] = off
		}
		if at := p.boundNear(k, v); at >= 0 {
			p.holdAt(k, at)
		} else {
			frees = append(frees, k)
			p.x[k] = v
		}
	}
	if len(frees) == 0 {
		p.letGo(0)
		frees = append(frees, 0)
	}
	h.setFrees(frees)
	p.freed()
}

// boundNear returns the row that is the bound of coordinate k at v, up to rounding, or −1.
func (p *activeSet) boundNear(k int, v float64) (at int) {
	at = -1
	first, end := p.bounds(k)
	for i := first; i < end; i++ {
		if _, s := p.unit(i); abs(float64(s*v)+p.b[i]) <= float64(1e-14*p.scale) {
			at = i
		}
	}
	return at
}

// resumeHeld holds the coordinates that are at a bound at the last solution before a reset, if
// they are most of them.
func (p *activeSet) resumeHeld() {
	y := p.resume
	p.resume = nil
	if p.held == nil || len(y) == 0 {
		return
	}
	at := 0
	for k, v := range y {
		if p.boundNear(k, v) >= 0 {
			at++
		}
	}
	if float64(at) >= float64(heldShare*float64(p.n)) {
		p.reduce(false)
		p.holdLike(y)
	}
}

// solveHeld moves x to the minimiser of ½σ‖x‖² + ½xᵀ·quad·x + c·x + the rows in the free
// coordinates, and frees others until none leaves its bound. σ counts in the coordinates of
// the set, which come first. A quad that is not n×n is one in the free coordinates. Then none is
// freed unless the free ones leave no feasible point, which is errFreed.
func (p *activeSet) solveHeld(set Set, sigma float64, quad []float64) error {
	if p.held.isUnknown() {
		p.guessHeld(set, sigma+largestDiagonal(quad, p.n))
	}
	steps := 0
	for {
		err := p.setHessian(sigma, quad, set.Dim())
		if err == nil {
			p.blocked = -1
			err = p.solve()
			steps += p.steps
			p.steps = steps
		}
		empty, whole := errors.Is(err, ErrEmpty), quad == nil || len(quad) == p.n*p.n
		if err != nil && !empty || !p.held.any() || !whole && !empty {
			return err
		}
		p.held.candidates = p.held.candidates[:0]
		if empty {
			p.findUnblocking()
		} else {
			p.findLeaving(sigma, quad)
		}
		if !p.freeCandidates() {
			return err
		}
		if !whole {
			return errFreed
		}
	}
}

// findLeaving makes the coordinates candidates that would leave their bounds: the gradient of
// the Lagrangian points out of the set there.
func (p *activeSet) findLeaving(sigma float64, quad []float64) {
	g := p.tmp[7]
	vec.AxpyTo(g, sigma, p.x, p.c)
	vec.Axpy(g, p.gamma, p.onA)
	if quad != nil {
		for k, v := range p.x {
			if v != 0 {
				vec.AxpyLong(g, v, quad[k*p.n:(k+1)*p.n])
			}
		}
	}
	for k, i := range p.active {
		if _, s := p.unit(i); s == 0 {
			p.addTo(g, p.mu[k], i)
		}
	}
	p.addCandidates(g, float64(1e-15*p.force()))
}

// findUnblocking makes the coordinates candidates that would reduce the row that blocked the
// last solution, with multiples of the active rows that leave the free coordinates no part
// in it.
func (p *activeSet) findUnblocking() {
	if p.blocked < 0 {
		return
	}
	g := p.tmp[7]
	clear(g)
	p.addTo(g, 1, p.blocked)
	size := p.norm[p.blocked]
	for k, i := range p.active {
		if _, s := p.unit(i); s == 0 {
			p.addTo(g, -p.y[k], i)
			size = max(size, float64(abs(p.y[k])*p.norm[i]))
		}
	}
	p.addCandidates(g, float64(1e-12*size))
}

// addCandidates makes the coordinates candidates whose step into the set reduces g·x by more
// than least.
func (p *activeSet) addCandidates(g []float64, least float64) {
	h := p.held
	for k, place := range h.places {
		if place >= 0 {
			continue
		}
		i := p.heldAt(k)
		_, s := p.unit(i)
		if gain := float64(s * g[k]); gain > least && !p.isFixed(i) {
			h.candidates = append(h.candidates, candidate{k, gain})
		}
	}
}

// freeCandidates frees the candidates that gain most, and reports whether there is one. It at
// most doubles the free coordinates, since the first ones change what others gain.
func (p *activeSet) freeCandidates() bool {
	h := p.held
	if len(h.candidates) == 0 {
		return false
	}
	if most := max(8, len(h.frees)); len(h.candidates) > most {
		slices.SortFunc(h.candidates, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.coordinate, b.coordinate))
		})
		h.candidates = h.candidates[:most]
	}
	p.freeAll()
	return true
}

// freeAll frees all candidates.
func (p *activeSet) freeAll() {
	h := p.held
	if len(h.candidates) == 0 {
		return
	}
	for _, c := range h.candidates {
		p.letGo(c.coordinate)
		h.frees = append(h.frees, c.coordinate)
	}
	slices.Sort(h.frees)
	h.setFrees(h.frees)
	p.freed()
}

// freed computes the factorisation after coordinates became free. If these are more than half,
// all others become free, too, and begin at their bounds.
func (p *activeSet) freed() {
	h := p.held
	if 2*len(h.frees) > p.n {
		p.holdNone()
	}
	p.factor(nil)
}

// holdNone lets all coordinates go that are held: they begin at their bounds.
func (p *activeSet) holdNone() {
	for k, place := range p.held.places {
		if place >= 0 {
			continue
		}
		if i := p.letGo(k); p.state[i] == off {
			p.kinks = append(p.kinks, i)
		}
	}
	p.held.holding = false
}
