package quadprog

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// In many dimensions most coordinates of a minimiser over a box or a simplex are at a bound.
// A solver then solves the program in the other ones, the free coordinates: those at a
// bound are held there, have no part in the Hessian and its factorisation, and n is the number of
// the free ones in all costs. After a solution, the gradient of the Lagrangian shows whether a
// coordinate that is held would leave its bound. Such coordinates become free, and the program is
// solved again. If a row cannot be satisfied by the free coordinates, held ones that reduce its
// violation become free.
//
// When a minimisation begins, the free coordinates are those that were not at a bound at the end of
// the last one. It frees further ones, and holds none. If more than half of the coordinates are
// free, none is held any more.
//
// What is held changes the way to a minimiser. The certificate does not depend on it: it is
// the tangent of the Lagrangian in all coordinates.
//
// All this is for boxes and simplices of Sizes.Hold dimensions or more, without further variables
// and without the range space, which fixes coordinates by itself. Holding begins when the share
// Sizes.HoldShare of the coordinates is at a bound. From Sizes.Big dimensions on it begins before
// the first solution, with a guess.

// ErrFreed says that coordinates became free, so that the Hessian has to be computed again.
var ErrFreed = errors.New("convex: coordinates became free")

// holdings is what a solver knows of the coordinates that it may hold at a bound of its domain.
type holdings struct {
	view       *view       // nil: none is ever held
	mustGuess  bool        // the next solution is to guess what is held, see guessHeld
	boundRow   []int32     // the first row of the domain that is the bound of a coordinate
	candidates []candidate // scratch: to be held, or to become free
}

// candidate is a coordinate that is to be held or to become free.
type candidate struct {
	coordinate int
	row        int     // to be held: the active row that is its bound
	gain       float64 // to become free: what it would gain by leaving its bound
}

// beginHeld holds, from Sizes.Big dimensions on, all coordinates but the first, until the first
// solution guesses which to hold: so there is never a factorisation in all coordinates.
func (p *Solver) beginHeld() {
	v := p.view
	if v == nil {
		return
	}
	v.holding, p.mustGuess = false, p.n >= Sizes.Big
	if p.mustGuess {
		v.setFrees(append(v.frees[:0], 0))
	}
}

// indexBounds notes which rows of the domain are bounds of which coordinates, and holds the
// coordinates that beginHeld chose at their lower bounds.
func (p *Solver) indexBounds() {
	v := p.view
	if v == nil {
		return
	}
	p.boundRow = slices.Grow(p.boundRow[:0], p.n)[:p.n]
	for i := p.domainRows - 1; i >= 0; i-- {
		if k, s := p.unit(i); s != 0 {
			p.boundRow[k] = int32(i)
		}
	}
	if v.holding {
		for k, place := range v.places {
			if place < 0 {
				p.holdAt(k, p.lowerRow(k))
			}
		}
	}
}

// bounds returns the rows first, …, end − 1 that are the bounds of coordinate k.
func (p *Solver) bounds(k int) (first, end int) {
	first = int(p.boundRow[k])
	end = first + 1
	if end < p.domainRows {
		if other, _ := p.unit(end); other == k {
			end++
		}
	}
	return first, end
}

// lowerRow returns the row −x_k + b ≤ 0 or, if the bounds of x_k are equal, x_k + b = 0.
func (p *Solver) lowerRow(k int) int {
	_, end := p.bounds(k)
	return end - 1
}

// holdAt holds coordinate k at row i, one of its bounds.
func (p *Solver) holdAt(k, i int) {
	_, s := p.unit(i)
	p.state[i] = holding
	p.x[k] = -s * p.b[i]
}

// heldAt returns the row at which coordinate k is held.
func (p *Solver) heldAt(k int) int {
	first, end := p.bounds(k)
	for i := first; i < end; i++ {
		if p.state[i] == holding {
			return i
		}
	}
	panic("convex: a coordinate is held nowhere")
}

// letGo makes coordinate k free, and returns the row at which it was held.
func (p *Solver) letGo(k int) (i int) {
	i = p.heldAt(k)
	p.state[i] = off
	if p.isFixed(i) {
		p.state[i] = equality
		p.active, p.mu = append(p.active, i), append(p.mu, 0)
	}
	return i
}

// isFixed reports whether row i is a bound of a coordinate with equal bounds.
func (p *Solver) isFixed(i int) bool {
	k, s := p.unit(i)
	if s == 0 {
		return false
	}
	first, end := p.bounds(k)
	return p.view != nil && p.domain.Scale == 0 && end == first+1
}

// visitBounds calls visit with each row that bounds a free coordinate.
func (p *Solver) visitBounds(visit func(i int) (violated bool)) {
	for _, k := range p.view.frees {
		first, end := p.bounds(k)
		for i := first; i < end; i++ {
			visit(i)
		}
	}
}

// chooseHeld chooses, when a minimisation begins, the coordinates that it holds at first: those
// whose bounds are active, if they are enough, or none.
func (p *Solver) chooseHeld() {
	v := p.view
	if v == nil || p.mustGuess || p.UsesRangeSpace() {
		return
	}
	active := 0
	for _, i := range p.active {
		if _, s := p.unit(i); s != 0 {
			active++
		}
	}
	inside := v.dim(p.n) - active // free coordinates that are not at a bound
	switch {
	case !v.holding && float64(active) >= float64(Sizes.HoldShare*float64(p.n)):
	case v.holding && len(v.frees) > 2*inside+8: // more than half of the free ones, and 8, are at one
	default:
		return
	}
	bounds := slices.Grow(p.candidates[:0], active)
	kept := 0
	for k, i := range p.active {
		if c, s := p.unit(i); s != 0 && len(bounds) != p.n-1 {
			bounds = append(bounds, candidate{coordinate: c, row: i})
			continue
		}
		p.active[kept], p.mu[kept] = i, p.mu[k]
		kept++
	}
	p.active, p.mu, p.candidates = p.active[:kept], p.mu[:kept], bounds
	if !v.holding {
		v.frees = v.frees[:0]
		for k := range p.n {
			v.frees = append(v.frees, k)
			v.places[k] = int32(k)
		}
	}
	for _, b := range bounds {
		p.holdAt(b.coordinate, b.row)
		v.places[b.coordinate] = -1
	}
	v.setFrees(slices.DeleteFunc(v.frees, func(k int) bool { return v.places[k] < 0 }))
	p.factorForIdentity()
}

// guessHeld holds the coordinates that are at a bound at the minimiser of ½σ‖x‖² + c·x, for a
// first solution.
func (p *Solver) guessHeld(sigma float64) {
	y := p.scratch.ofHeld
	for i, v := range p.c {
		y[i] = -v / sigma
	}
	p.domain.Project(y, y)
	p.holdLike(y)
}

// holdLike moves x to y, a point of the set, and holds the coordinates that are at a bound there,
// up to rounding. If all are, it leaves coordinate 0 free.
func (p *Solver) holdLike(y []float64) {
	v := p.view
	p.mustGuess = false
	kept := 0
	for k, i := range p.active {
		if _, s := p.unit(i); s == 0 {
			p.active[kept], p.mu[kept] = i, p.mu[k]
			kept++
		}
	}
	p.active, p.mu = p.active[:kept], p.mu[:kept]
	frees := v.frees[:0]
	for k, yk := range y {
		first, end := p.bounds(k)
		for i := first; i < end; i++ {
			p.state[i] = off
		}
		if at := p.boundNear(k, yk); at >= 0 {
			p.holdAt(k, at)
		} else {
			frees = append(frees, k)
			p.x[k] = yk
		}
	}
	if len(frees) == 0 {
		p.letGo(0)
		frees = append(frees, 0)
	}
	v.setFrees(frees)
	p.refactorFree()
}

// boundNear returns the row that is the bound of coordinate k at v, up to rounding, or −1.
func (p *Solver) boundNear(k int, v float64) (row int) {
	row = -1
	first, end := p.bounds(k)
	for i := first; i < end; i++ {
		if _, s := p.unit(i); math.Abs(float64(s*v)+p.b[i]) <= float64(1e-14*p.scale) {
			row = i
		}
	}
	return row
}

// resumeHeld holds the coordinates that are at a bound at the last solution before a reset, if
// they are most of them.
func (p *Solver) resumeHeld() {
	y := p.resume
	p.resume = nil
	if p.view == nil || len(y) == 0 {
		return
	}
	atBound := 0
	for k, v := range y {
		if p.boundNear(k, v) >= 0 {
			atBound++
		}
	}
	if float64(atBound) >= float64(Sizes.HoldShare*float64(p.n)) {
		p.useDense()
		p.holdLike(y)
	}
}

// solvePolyhedral moves x to the minimiser of ½σ‖x‖² + ½xᵀ·quad·x + c·x + the rows in the free
// coordinates, and frees held ones until none would leave its bound. σ counts in the coordinates of
// the set, which come first. A quad that is not n×n is one in the free coordinates. Then it frees
// others only if the free ones leave no feasible point, and returns [ErrFreed], since the caller
// has to compute another quad.
func (p *Solver) solvePolyhedral(sigma float64, quad []float64) error {
	if p.mustGuess {
		p.guessHeld(sigma + matrix.LargestDiagonal(quad, p.n))
	}
	steps := 0
	for {
		err := p.setHessian(sigma, quad)
		if err == nil {
			p.blocked = -1
			err = p.ascendAll()
			steps += p.steps
			p.steps = steps
		}
		empty, fullSize := errors.Is(err, ErrEmpty), quad == nil || len(quad) == p.n*p.n
		if err != nil && !empty || !p.view.holds() || !fullSize && !empty {
			return err
		}
		p.candidates = p.candidates[:0]
		if empty {
			p.findUnblocking()
		} else {
			p.findLeaving(sigma, quad)
		}
		if !p.freeCandidates() {
			return err
		}
		if !fullSize {
			return ErrFreed
		}
	}
}

// findLeaving makes those held coordinates candidates that would leave their bounds: a step from
// there into the set reduces the Lagrangian.
func (p *Solver) findLeaving(sigma float64, quad []float64) {
	g := p.scratch.ofHeld
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

// findUnblocking makes those held coordinates candidates whose release makes the blocked row
// feasible. Its gradient g is a_blocked minus the combination of active rows that the last ascent
// computed (y), which is 0 in the free coordinates.
func (p *Solver) findUnblocking() {
	if p.blocked < 0 {
		return
	}
	g := p.scratch.ofHeld
	clear(g)
	p.addTo(g, 1, p.blocked)
	size := p.norm[p.blocked]
	for k, i := range p.active {
		if _, s := p.unit(i); s == 0 {
			p.addTo(g, -p.y[k], i)
			size = max(size, float64(math.Abs(p.y[k])*p.norm[i]))
		}
	}
	p.addCandidates(g, float64(1e-12*size))
}

// addCandidates makes a held coordinate a candidate if a step from its bound into the set reduces
// g·x by more than minGain a unit.
func (p *Solver) addCandidates(g []float64, minGain float64) {
	v := p.view
	for k, place := range v.places {
		if place >= 0 {
			continue
		}
		i := p.heldAt(k)
		_, s := p.unit(i)
		if gain := float64(s * g[k]); gain > minGain && !p.isFixed(i) {
			p.candidates = append(p.candidates, candidate{coordinate: k, gain: gain})
		}
	}
}

// freeCandidates frees the candidates that gain most, and reports whether there is a candidate. It
// frees at most as many as are free already, or 8, since freeing some changes what the others would
// gain.
func (p *Solver) freeCandidates() bool {
	v := p.view
	if len(p.candidates) == 0 {
		return false
	}
	if maxFreed := max(8, len(v.frees)); len(p.candidates) > maxFreed {
		slices.SortFunc(p.candidates, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.coordinate, b.coordinate))
		})
		p.candidates = p.candidates[:maxFreed]
	}
	p.freeAll()
	return true
}

// freeAll frees all candidates.
func (p *Solver) freeAll() {
	v := p.view
	if len(p.candidates) == 0 {
		return
	}
	for _, c := range p.candidates {
		p.letGo(c.coordinate)
		v.frees = append(v.frees, c.coordinate)
	}
	slices.Sort(v.frees)
	v.setFrees(v.frees)
	p.refactorFree()
}

// refactorFree computes the factorisation after coordinates became free. If more than half are
// free, all others become free, too, and begin at their bounds.
func (p *Solver) refactorFree() {
	v := p.view
	if 2*len(v.frees) > p.n {
		p.holdNone()
	}
	p.factorForIdentity()
}

// holdNone lets all coordinates go that are held: they begin at their bounds.
func (p *Solver) holdNone() {
	for k, place := range p.view.places {
		if place >= 0 {
			continue
		}
		if i := p.letGo(k); p.state[i] == off {
			p.kinks = append(p.kinks, i)
		}
	}
	p.view.holding = false
}

// ChooseFree chooses the coordinates that the solution of a model at x holds at first: those at a
// bound at the last solution, unless x has left it.
func (p *Solver) ChooseFree(x []float64) {
	v := p.view
	if v == nil {
		return
	}
	p.resumeHeld()
	p.chooseHeld()
	p.mustGuess = false
	if !v.holding {
		return
	}
	p.candidates = p.candidates[:0]
	for k, place := range v.places {
		if place < 0 && math.Abs(x[k]-p.x[k]) > float64(1e-12*p.scale) {
			p.candidates = append(p.candidates, candidate{coordinate: k})
		}
	}
	p.freeAll()
}

// Free returns the coordinates that are not held. It returns nil if none is held, or if the next
// solution is to guess which are.
func (p *Solver) Free() []int {
	if p.view.holds() && !p.mustGuess {
		return p.view.frees
	}
	return nil
}

// Gather returns the free coordinates of x, until the next call.
func (p *Solver) Gather(x []float64) []float64 { return p.view.gather(x) }

// FreeLeaving frees the coordinates that would leave their bounds where the gradient of the
// Lagrangian without the domain's rows is g, which is overwritten.
func (p *Solver) FreeLeaving(g []float64) {
	for k, i := range p.active {
		if i < p.domainRows && !p.isBound(i) {
			p.addTo(g, p.mu[k], i)
		}
	}
	p.candidates = p.candidates[:0]
	p.addCandidates(g, float64(1e-15*p.force()))
	p.freeCandidates()
}
