// Package quadprog minimises strictly convex quadratic functions with hinges and affine
// constraints, and certifies the result.
//
// [Solver] solves, exactly up to rounding, the programs
//
//	min ½σ xᵀHx + c·x + γ Σ_i w_i max(0, a_i·x + b_i)   over x in a [Domain],
//
// where w_i = ∞ makes row i the constraint a_i·x + b_i ≤ 0. The method is the dual active-set
// method of Goldfarb and Idnani (1983), extended to hinges: the multiplier μ_i of a row is in [0,
// γw_i]. A row is off (μ = 0), on (μ = γw) or at its kink (0 ≤ μ ≤ γw and a_i·x + b_i = 0); the
// rows at their kinks are the active ones. A row is violated if it is off but positive, or on but
// negative. Each iteration, an ascent, takes a violated row (of those that it evaluates, the one
// farthest from its kink; otherwise the first one crossed on the way from the last solution) and
// changes its multiplier until the row is at its kink or the multiplier reaches its other bound.
// Active rows whose multipliers reach a bound on the way become off or on. Each ascent increases
// the dual objective strictly, so that no partition of the rows into off, on and active occurs
// twice: the method does not cycle, even with ties and with parallel or repeated rows. Rounding
// errors may do so all the same, and therefore the number of ascents is bounded.
//
// The partition and its factorisation are kept between calls. After a change of
// c, σ or γ, or with new rows, the multipliers of the active rows are computed
// again, and those out of bounds are released. The ascents continue from there.
//
// The parts are
//
//	program        what callers change between solutions, and read after them  program.go
//	solver         ascents, and which factorisation is used                    solver.go
//	domain         the set, its rows, the tangent's bound of certificates      domain.go
//	rows           a_i, b_i, w_i: storage and products                         rows.go
//	partition      the states and multipliers of the rows                      partition.go
//	factorisation  of the active rows, an interface:                           factorisation.go
//	               dense, an ascent costs O(n²),                               dense.go
//	               or of their products alone where H is diagonal and n large  rangespace.go
//	scan           which row is violated, at few evaluations                   scan.go
//	holdings       coordinates that stay at a bound and leave the program      hold.go, view.go
//	ball           a domain that is not polyhedral                             ball.go
//	minimisation   of functions that are not strictly convex; certificates     minimize.go
//	sizes          from how many dimensions on a method is used                sizes.go
//
// Reference: Goldfarb and Idnani, A numerically stable dual method for solving
// strictly convex quadratic programs, 1983.
package quadprog

import (
	"errors"
	"math"
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// Errors of solvers, which are values to compare with [errors.Is].
var (
	// ErrEmpty says that the constraints leave no point of the domain.
	ErrEmpty = errors.New("no point of the domain satisfies the constraints")
	// ErrCurvature says that a Hessian is not positive definite.
	ErrCurvature = errors.New("convex: the quadratic part of an objective is not positive " +
		"semidefinite, or too badly scaled")
	// ErrNotFinite says that numbers in a minimisation are not finite.
	ErrNotFinite = errors.New("convex: a minimisation met numbers that are not finite")
)

// Solver is a program whose rows and objective change between solutions. Rows have numbers: those
// of the domain come first, and those that are added follow from [Solver.First] on.
type Solver struct {
	partition
	holdings
	watch

	domain Domain

	factorisation // of the active rows: dense, or rangeSpace
	dense         *dense
	rangeSpace    *rangeSpace // nil: it is never used
	changes       int         // updates since the factorisation was last computed anew
	formerActive  []int       // the active rows before a factorisation

	built   bool // the rows of the domain are there
	equated bool // one of them is an equality
	used    bool // since the last reset a row was added, or a program solved

	// What the next solution is told.
	barred bool      // rangeSpace must not be used
	kinks  []int     // rows that are off, and that the next factorisation makes active
	resume []float64 // where it begins, see [Solver.Resume]; empty: anywhere

	// What the last solution says.
	steps    int     // the ascents of the last call of ascendAll
	unsolved bool    // the last call of ascendAll ended at the limit of ascents
	blocked  int     // the row that left no feasible point in the last ascents, or −1
	nu       float64 // the ball's multiplier

	scratch scratch
}

// scratch holds vectors of n numbers that a method overwrites before it reads them.
type scratch struct {
	cost, away       []float64 // of solveOverBall: c without the multiplier of the ball, and x − z
	lin, point       []float64 // of minimize: the linear part, and the minimiser
	gradient, ofRows []float64 // of certify: the gradient of L, and the part of it of the rows
	tangent          []float64 // of TangentGap
	ofHeld           []float64 // gradients and points where coordinates are held or freed
	start            []float64 // of minimizeFrom: x(ρ)
}

// New returns the solver of programs in n variables. The domain bounds the first of them; further
// variables have no bounds.
func New(domain Domain, n int) *Solver {
	p := &Solver{domain: domain}
	p.n = n
	for _, v := range []*[]float64{&p.c, &p.onA, &p.x, &p.y} {
		*v = make([]float64, n)
	}
	s := &p.scratch
	for _, v := range []*[]float64{&s.cost, &s.away, &s.lin, &s.point, &s.gradient, &s.ofRows,
		&s.tangent, &s.ofHeld, &s.start} {
		*v = make([]float64, n)
	}
	p.scale = domain.Magnitude()
	if n >= Sizes.Hold && n == domain.Dim() && domain.Radius == 0 {
		p.view = &view{n: n, places: make([]int32, n)}
	}
	p.reserve(domain.Rows())
	p.state = slices.Grow(p.state, domain.Rows())
	p.dense = &dense{partition: &p.partition, view: p.view, d: make([]float64, n),
		v: make([]float64, n)}
	if p.mayUseRangeSpace(nil) {
		p.rangeSpace = newRangeSpace(&p.partition)
	}
	p.Reset()
	return p
}

// Reset removes all rows but the domain's, and everything that depends on earlier
// solutions: the next solution has the bits of that of a new solver.
func (p *Solver) Reset() {
	if p.built && !p.used {
		return
	}
	kept := 0 // rows of the domain that are there already
	if p.built && !p.equated {
		kept = p.domainRows
	}
	p.built = false
	p.rows.reset(kept)
	p.state = p.state[:kept]
	clear(p.state)
	p.active, p.mu, p.kinks = p.active[:0], p.mu[:0], p.kinks[:0]
	clear(p.x)
	p.sigma, p.gamma, p.nu = 1, 1, 0
	p.resume, p.hot = nil, p.hot[:0]
	p.factorisation = p.dense
	if p.rangeSpace != nil && !p.barred {
		p.factorisation = p.rangeSpace
	}
	if p.rangeSpace != nil {
		p.rangeSpace.setHessian(1, nil, p.n)
	}
	p.beginHeld()
	p.factorForIdentity()
	p.dropScreen()
	if kept == 0 {
		p.equated = false
		p.addDomain()
	}
	p.domainRows = len(p.b)
	p.indexBounds()
	p.resumOn()
	p.built, p.used = true, false
}

// push makes row i, which was projected last, the last active row.
func (p *Solver) push(i int, mu float64) {
	p.factorisation.push(i)
	p.active = append(p.active, i)
	p.mu = append(p.mu, mu)
	p.changes++
}

// drop removes the k-th active row from the factorisation.
func (p *Solver) drop(k int) {
	p.factorisation.drop(k)
	p.active = slices.Delete(p.active, k, k+1)
	p.mu = slices.Delete(p.mu, k, k+1)
	p.changes++
}

// filterActive makes those active rows inactive that keep refuses. The factorisation has to be
// computed anew.
func (p *Solver) filterActive(keep func(i int) bool) {
	kept := 0
	for k, i := range p.active {
		if keep(i) {
			p.active[kept], p.mu[kept] = i, p.mu[k]
			kept++
		}
	}
	p.active, p.mu = p.active[:kept], p.mu[:kept]
}

// factor computes the factorisation of the active rows anew, and makes the rows of p.kinks active,
// too. Rows that depend linearly on others become off or on.
func (p *Solver) factor() {
	p.changes = 0
	p.begin()
	p.formerActive = append(p.formerActive[:0], p.active...)
	mu := p.y[:copy(p.y, p.mu)]
	p.active, p.mu = p.active[:0], p.mu[:0]
	add := func(k, i int) { // k is the place of row i in formerActive
		if p.UsesRangeSpace() && p.rangeSpace.onlyFixes(i) {
			p.push(i, mu[k])
		} else if _, ok := p.project(i); ok {
			p.push(i, mu[k])
		} else {
			p.setInactive(i, mu[k])
		}
	}
	boundsFirst := p.UsesRangeSpace() // its Cholesky factor is then computed once
	if boundsFirst {
		for k, i := range p.formerActive {
			if p.isBound(i) {
				add(k, i)
			}
		}
	}
	for k, i := range p.formerActive {
		if !(boundsFirst && p.isBound(i)) {
			add(k, i)
		}
	}
	for _, i := range p.kinks {
		if _, ok := p.project(i); ok {
			p.forgetMargin(i)
			p.state[i] = kink
			p.push(i, 0)
		}
	}
	p.kinks = p.kinks[:0]
}

// factorForIdentity does what factor does, for H = I, until the next Hessian is set.
func (p *Solver) factorForIdentity() {
	p.dense.chol = nil
	p.factor()
}

// UsesRangeSpace reports whether the factorisation is that of the range space, and not the dense
// one.
func (p *Solver) UsesRangeSpace() bool {
	return p.rangeSpace != nil && p.factorisation == factorisation(p.rangeSpace)
}

// mayUseRangeSpace reports whether the domain, and the Hessian quad, are such that the range space
// serves them. In very many dimensions coordinates are held instead.
func (p *Solver) mayUseRangeSpace(quad []float64) bool {
	if p.barred || p.domain.Radius > 0 || p.n < Sizes.RangeSpace || p.n >= Sizes.Big {
		return false
	}
	return quad == nil || p.n >= Sizes.RangeSpaceDiagonal && len(quad) == p.n*p.n &&
		matrix.IsDiagonal(quad, p.n)
}

// useRangeSpace changes to the range space, if it is not used. With it, no coordinate is held: one
// that was begins at its bound.
func (p *Solver) useRangeSpace() {
	if p.UsesRangeSpace() || p.rangeSpace == nil {
		return
	}
	p.factorisation = p.rangeSpace
	if p.view.holds() {
		p.holdNone()
	}
	p.factorForIdentity()
}

// useDense changes to the dense factorisation, if it is not used.
func (p *Solver) useDense() {
	if p.UsesRangeSpace() {
		p.factorisation = p.dense
		p.factorForIdentity()
	}
}

// beginAnew makes all rows but the equalities off, and sets the multipliers of those to 0. No
// coordinate may be held.
func (p *Solver) beginAnew() {
	for i, st := range p.state {
		if st != equality {
			p.forgetMargin(i)
			p.state[i] = off
		}
	}
	p.filterActive(func(i int) bool { return p.state[i] == equality })
	clear(p.mu)
	p.kinks = p.kinks[:0]
	p.resumOn()
	p.factorForIdentity()
}

// refactorRangeSpace computes the factorisation of the range space, which is used, anew, and x and
// the multipliers with it. It reports whether the Cholesky factor has kept its digits.
func (p *Solver) refactorRangeSpace() bool {
	p.factor()
	p.recompute()
	return !p.rangeSpace.stale
}

// setInactive makes row i, which is no longer active, off or on by the bound that is
// nearer to mu.
func (p *Solver) setInactive(i int, mu float64) {
	p.forgetMargin(i)
	p.state[i] = off
	if mu > p.MaxMultiplier(i)/2 {
		p.BeginOn(i)
	}
}

// release makes the k-th active row off or on.
func (p *Solver) release(k int) {
	i, mu := p.active[k], p.mu[k]
	p.drop(k)
	p.setInactive(i, mu)
}

// recompute computes x and the multipliers from the partition, and releases
// active rows whose multipliers are out of bounds by more than rounding, the one
// farthest out first. Rounding could release a row that an ascent has just made
// active, and so on without end; therefore the tolerance grows with the number of
// ascents, from 1e-15 to 1e-7.
func (p *Solver) recompute() {
	tolerance := 1e-15
	for range 8 * p.steps / p.maxAscents() {
		tolerance *= 10
	}
	for {
		p.newtonStep()
		worst, at := float64(tolerance*p.force()), -1
		for k, i := range p.active {
			if p.state[i] == equality {
				continue
			}
			if out := max(-p.mu[k], p.mu[k]-p.MaxMultiplier(i)) * p.norm[i]; out > worst {
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
			p.mu[k] = min(max(0, p.mu[k]), p.MaxMultiplier(i))
		}
	}
}

// maxAscents bounds the number of ascents of one solution, far above what programs without rounding
// trouble take: a few for each variable and each row.
func (p *Solver) maxAscents() int { return 40*p.n + 4*len(p.b) + 100 }

// maxChanges returns the number of updates after which the factorisation is computed anew, so that
// their rounding errors do not add up. It is so large that this costs little.
func (p *Solver) maxChanges() int {
	if p.UsesRangeSpace() {
		return 2000
	}
	return 50*p.n + 200
}

// ascend changes the multiplier of row i in direction dir until the row is at its
// kink or the multiplier reaches its other bound. It returns ErrEmpty if the row is
// a constraint and the multiplier grows without bound.
func (p *Solver) ascend(i int, dir float64) error {
	p.steps++
	p.forgetMargin(i)
	mu := 0.0
	if p.state[i] == on {
		mu = p.MaxMultiplier(i)
		p.addOn(i, -1)
	}
	if p.norm[i] == 0 {
		if math.IsInf(p.w[i], 1) {
			return ErrEmpty
		}
		p.BeginOn(i)
		return nil
	}
	for {
		q := len(p.active)
		s := p.dot(i, p.x) + p.b[i]
		residual2, independent := p.project(i)
		p.fillMultipliers()

		// The multiplier changes by the least of three amounts: toKink brings row i to its kink, toBound
		// brings its multiplier, and toBlock that of an active row, to a bound.
		toKink := math.Inf(1)
		if independent {
			toKink = max(0, float64(dir*s)) * p.sigma / residual2
		}
		toBound := mu
		if dir > 0 {
			toBound = p.MaxMultiplier(i) - mu
		}
		toBlock, blocking := math.Inf(1), -1
		for k, h := range p.active {
			if p.state[h] == equality {
				continue
			}
			step := dir * p.y[k] // the decrease of μ_k per unit
			room := p.mu[k]
			if step < 0 {
				room, step = p.MaxMultiplier(h)-p.mu[k], -step
			}
			// A smaller step may consist of rounding errors.
			if step <= float64(1e-13*p.norm[i])/p.norm[h] {
				continue
			}
			if t := max(0, room) / step; t < toBlock {
				toBlock, blocking = t, k
			}
		}
		t := min(toKink, toBound, toBlock)
		if math.IsInf(t, 1) {
			p.blocked = i
			return ErrEmpty
		}
		for k := range q {
			p.mu[k] -= float64(float64(dir*t) * p.y[k])
		}
		mu += float64(dir * t)
		if independent {
			p.moveBy(float64(dir * t))
		}
		switch t {
		case toKink:
			p.state[i] = kink
			p.push(i, mu)
			return nil
		case toBound:
			if p.state[i] = off; dir > 0 {
				p.BeginOn(i)
			}
			return nil
		}
		if blocking < 0 {
			return ErrNotFinite
		}
		p.release(blocking)
	}
}

// ascendAll moves x to the minimiser for the Hessian that is set: it ascends from violated rows
// until there is none, and once more after a Newton step, which polishes the solution. The number
// of ascents is bounded. If rounding errors prevent convergence, as they do with rows that are
// nearly parallel and very little curvature, unsolved is set, and rows may be violated by far.
func (p *Solver) ascendAll() error {
	p.steps, p.used = 0, true
	if p.changes > p.maxChanges() {
		p.factor()
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
			if p.UsesRangeSpace() && p.rangeSpace.stale && !p.refactorRangeSpace() {
				break
			}
			continue
		}
		polished = false
		if err := p.ascend(i, dir); err != nil {
			return err
		}
		switch {
		case !p.UsesRangeSpace():
			p.recompute()
		case p.rangeSpace.stale || p.changes > p.maxChanges():
			p.refactorRangeSpace()
		}
	}
	p.unsolved = true
	return nil
}

// setHessian sets σH to quad (nil for 0) plus sigma·I on the coordinates of the domain. A quad that
// is not n×n is one in the free coordinates.
func (p *Solver) setHessian(sigma float64, quad []float64) error {
	changed, err := p.factorisation.setHessian(sigma, quad, p.domain.Dim())
	if changed || err == nil && p.UsesRangeSpace() && len(p.kinks) > 0 {
		p.factor()
	}
	return err
}

// Solve moves x to the minimiser of ½σ‖x‖² + ½xᵀ·quad·x + c·x + the rows over the domain, where σ
// counts in the coordinates of the domain. It returns [ErrEmpty] if no point is feasible,
// [ErrCurvature] if the program is not strictly convex, and [ErrFreed] for a quad in the free
// coordinates alone if these leave no feasible point.
func (p *Solver) Solve(sigma float64, quad []float64) error {
	if p.mayUseRangeSpace(quad) {
		p.useRangeSpace()
	} else {
		p.useDense()
	}
	err := p.solve(sigma, quad)
	if p.UsesRangeSpace() && (err != nil || p.unsolved) {
		p.useDense()
		if errors.Is(err, ErrEmpty) {
			p.beginAnew()
		}
		err = p.solve(sigma, quad)
	}
	if errors.Is(err, ErrEmpty) && quad != nil && p.nearest() == nil && !p.unsolved {
		// The constraints are feasible. quad is so badly scaled that rows seemed to be linearly
		// dependent that are not.
		return ErrCurvature
	}
	return err
}

// solve does the work of Solve with the factorisation that was chosen.
func (p *Solver) solve(sigma float64, quad []float64) error {
	if p.domain.Radius > 0 {
		return p.solveOverBall(sigma, quad)
	}
	return p.solvePolyhedral(sigma, quad)
}

// nearest moves x to the feasible point nearest to the origin or, for a ball, to
// its centre. It returns ErrEmpty if no point of the domain is feasible. What is unsolved is tried
// once more, from no active rows.
func (p *Solver) nearest() error {
	c, gamma := slices.Clone(p.c), p.gamma
	clear(p.c)
	center := p.domain.Center
	if len(center) > 0 {
		vec.Axpy(p.c[:len(center)], -1, center)
	}
	p.gamma = 0
	err := p.solvePolyhedral(1, nil)
	if err == nil && p.unsolved {
		if p.view.holds() {
			p.holdNone()
		}
		clear(p.x)
		p.beginAnew()
		err = p.solvePolyhedral(1, nil)
	}
	copy(p.c, c)
	p.gamma = gamma
	if len(center) > 0 && err == nil && !p.unsolved && vec.Dist(p.x[:len(center)], center) >
		p.domain.Radius+float64(1e-12*(p.scale+p.domain.Radius)) {
		return ErrEmpty
	}
	return err
}
