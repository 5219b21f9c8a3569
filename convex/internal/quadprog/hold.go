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
// the free ones in all costs. In which order:
//
//  1. When a minimisation begins, chooseHeld holds the coordinates whose bounds were active at the
//     end of the last one, if they are the share Sizes.HoldShare of all. After a reset, resumeHeld
//     does that by the point that the caller returns to. From Sizes.Big dimensions on there is
//     never a factorisation in all coordinates: all but one are held, until guessHeld guesses which
//     before the first solution.
//  2. solvePolyhedral solves the program in the free coordinates. The gradient of the Lagrangian
//     shows which of those that are held would leave their bounds, and if a row cannot be
//     satisfied, which would reduce its violation. It frees these, and solves again, until there
//     are none. No coordinate becomes held on the way.
//  3. If more than half of the coordinates are free, none is held any more.
//
// For a coordinate that is held, the state of one of its bounds is holding, and x has its value.
// What is held changes the way to a minimiser. The certificate does not depend on it: it is
// the tangent of the Lagrangian in all coordinates.
//
// All this is for boxes and simplices of Sizes.Hold dimensions or more, without further variables
// and without the range space, which fixes coordinates by itself.

// ErrFreed says that coordinates became free, so that the Hessian has to be computed again.
var ErrFreed = errors.New("convex: coordinates became free")

// holdings is what a solver knows of the coordinates that it may hold at a bound of its domain.
type holdings struct {
	view      *view       // nil: none is ever held
	mustGuess bool        // the next solution is to guess what is held
	boundRow  []int32     // the first row of the domain that is the bound of a coordinate
	leaving   []candidate // scratch of freeLeaving
}

// candidate is a coordinate that is held, and what it would gain by leaving its bound.
type candidate struct {
	coordinate int
	gain       float64
}

// beginHeld holds, from Sizes.Big dimensions on, all coordinates but the first, until the first
// solution guesses which to hold.
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
	if !v.holding {
		return
	}
	for k, place := range v.places {
		if place < 0 {
			_, end := p.bounds(k)
			p.holdAt(k, end-1)
		}
	}
}

// bounds returns the rows first, …, end − 1 that are the bounds of coordinate k. The last one is
// −x_k + b ≤ 0 or, if the bounds of x_k are equal, x_k + b = 0.
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

// isFixed reports whether the bounds of coordinate k are equal.
func (p *Solver) isFixed(k int) bool {
	first, end := p.bounds(k)
	return p.domain.Scale == 0 && end == first+1
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
	if p.isFixed(k) {
		p.state[i] = equality
		p.active, p.mu = append(p.active, i), append(p.mu, 0)
	}
	return i
}

// chooseHeld chooses the coordinates that a minimisation holds at first: those whose bounds are
// active, if they are enough, or those that were held before.
func (p *Solver) chooseHeld() {
	v := p.view
	if v == nil || p.mustGuess || p.UsesRangeSpace() {
		return
	}
	atBound := 0 // free coordinates at a bound
	for _, i := range p.active {
		if p.isBound(i) {
			atBound++
		}
	}
	if v.holding {
		if inside := len(v.frees) - atBound; len(v.frees) <= 2*inside+8 {
			return // less than half of the free ones, or 8, are at a bound
		}
	} else {
		if float64(atBound) < float64(Sizes.HoldShare*float64(p.n)) {
			return
		}
		frees := v.frees[:0]
		for k := range p.n {
			frees = append(frees, k)
		}
		v.setFrees(frees)
	}
	held := 0
	p.filterActive(func(i int) bool {
		k, s := p.unit(i)
		if s == 0 || held == p.n-1 { // one coordinate stays free
			return true
		}
		p.holdAt(k, i)
		v.places[k] = -1
		held++
		return false
	})
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

// holdLike moves x to y, a point of the set, and holds the coordinates that are at a bound there,
// up to rounding. If all are, it leaves coordinate 0 free.
func (p *Solver) holdLike(y []float64) {
	v := p.view
	p.mustGuess = false
	p.filterActive(func(i int) bool { return !p.isBound(i) })
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
	p.setFrees(frees)
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
		freed := false
		if empty {
			freed = p.freeUnblocking()
		} else {
			freed = p.freeLeaving(p.lagrangianGradient(sigma, quad), float64(1e-15*p.force()))
		}
		if !freed {
			return err
		}
		if !fullSize {
			return ErrFreed
		}
	}
}

// lagrangianGradient returns the gradient at x of the Lagrangian without the bounds of coordinates.
func (p *Solver) lagrangianGradient(sigma float64, quad []float64) []float64 {
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
		if !p.isBound(i) {
			p.addTo(g, p.mu[k], i)
		}
	}
	return g
}

// freeUnblocking frees held coordinates whose release makes the blocked row feasible, and reports
// whether there are any. Its gradient g is a_blocked minus the combination of active rows that the
// last ascent computed (y), which is 0 in the free coordinates.
func (p *Solver) freeUnblocking() bool {
	if p.blocked < 0 {
		return false
	}
	g := p.scratch.ofHeld
	clear(g)
	p.addTo(g, 1, p.blocked)
	size := p.norm[p.blocked]
	for k, i := range p.active {
		if !p.isBound(i) {
			p.addTo(g, -p.y[k], i)
			size = max(size, float64(math.Abs(p.y[k])*p.norm[i]))
		}
	}
	return p.freeLeaving(g, float64(1e-12*size))
}

// freeLeaving frees held coordinates from whose bounds a step into the set reduces g·x by more than
// minGain a unit, and reports whether there are any. It frees those that gain most, at most as many
// as are free already, or 8, since freeing some changes what the others would gain.
func (p *Solver) freeLeaving(g []float64, minGain float64) bool {
	v := p.view
	leaving := p.leaving[:0]
	for k, place := range v.places {
		if place >= 0 || p.isFixed(k) {
			continue
		}
		_, s := p.unit(p.heldAt(k))
		if gain := float64(s * g[k]); gain > minGain {
			leaving = append(leaving, candidate{k, gain})
		}
	}
	p.leaving = leaving
	if maxFreed := max(8, len(v.frees)); len(leaving) > maxFreed {
		slices.SortFunc(leaving, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.coordinate, b.coordinate))
		})
		leaving = leaving[:maxFreed]
	}
	frees := v.frees
	for _, c := range leaving {
		p.letGo(c.coordinate)
		frees = append(frees, c.coordinate)
	}
	if len(leaving) > 0 {
		p.setFrees(frees)
	}
	return len(leaving) > 0
}

// setFrees makes these coordinates the free ones, and computes the factorisation in them. If they
// are more than half, all others become free, too, and begin at their bounds.
func (p *Solver) setFrees(frees []int) {
	slices.Sort(frees)
	p.view.setFrees(frees)
	if 2*len(frees) > p.n {
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

// What follows is for sequential programs, whose Hessians are in the free coordinates.

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
	frees := v.frees
	for k, place := range v.places {
		if place < 0 && math.Abs(x[k]-p.x[k]) > float64(1e-12*p.scale) {
			p.letGo(k)
			frees = append(frees, k)
		}
	}
	if len(frees) > len(v.frees) {
		p.setFrees(frees)
	}
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
	p.freeLeaving(g, float64(1e-15*p.force()))
}
