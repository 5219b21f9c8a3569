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
	errNotFinite = errors.New("convex: numbers in a minimisation are not finite")
	errCurvature = errors.New("convex: the quadratic part of an objective is not positive semidefinite, or too badly scaled")
)

// activeSet solves, exactly up to rounding, the strictly convex programs
//
//	min ½σ xᵀHx + c·x + γ Σ_i w_i max(0, a_i·x + b_i),
//
// where w_i = ∞ makes row i the constraint a_i·x + b_i ≤ 0, and equality rows
// hold with a multiplier of either sign.
//
// The method is the dual active-set method of Goldfarb and Idnani (1983),
// extended to hinges: the multiplier μ_i of a row lives in [0, γw_i]. A row is
// off (μ=0), on (μ=γw) or a kink (in between, and then a_i·x + b_i = 0). From
// a partition whose kinks have multipliers within bounds, the most violated
// row (off but positive, or on but negative) moves its multiplier until it
// becomes a kink or reaches its other bound; kinks that reach a bound on the
// way leave. The dual objective rises strictly with each such ascent, so no
// partition comes twice: ties, parallel and duplicated rows do not cycle.
//
// The partition and its factorisation stay between calls. After c, σ or γ
// changed or rows were added, resolve re-computes the multipliers of the old
// kinks, releases those out of bounds, and the ascents go on from there.
//
// One scan of the rows costs O(rows·n), one ascent O(n²).
type activeSet struct {
	n          int
	a          []float64 // rows×n
	b, w       []float64
	norm       []float64 // ‖a_i‖
	state      []rowState
	domainRows int // the first rows are those of the domain

	repeats repeats

	// watch tells which of the others to look at; nil for all of them. A few
	// are looked at sooner than watched.
	screen    *screen
	screening bool // from many rows on

	sigma, gamma float64
	c            []float64

	mergeError float64   // by how much hinges that joined others may be off
	onA        []float64 // Σ w_i a_i over rows that are on; without γ
	onB        float64
	onChanges  int     // changes of these since they were summed afresh
	hingeNorms float64 // Σ w_i‖a_i‖ over all hinges

	// H = LLᵀ, J = L⁻ᵀQ by columns, and R upper triangular by columns, with
	// L⁻¹·[active normals] = Q·[R; 0].
	chol    []float64 // nil: H is the identity
	j, r    []float64
	active  []int
	mu      []float64
	changes int // changes since the factorisation was computed afresh

	nu    float64 // the ball's multiplier at the last solution
	x     []float64
	scale float64 // the size of numbers in x, for tolerances

	d, y, v      []float64    // scratch
	h, l         []float64    // H where it is not the identity, and storage of chol
	maxDiag      float64      // the largest entry of H
	formerActive []int        // the rows active before a factorisation
	tmp          [7][]float64 // scratch of minimize, certify and solveIn
	steps        int          // ascents since the last call of solve
}

type rowState uint8

const (
	off rowState = iota
	on
	kink
	equality
)

func newActiveSet(n int, set Set) *activeSet {
	p := &activeSet{n: n}
	for _, v := range []*[]float64{&p.c, &p.onA, &p.x, &p.d, &p.y, &p.v} {
		*v = make([]float64, n)
	}
	for i := range p.tmp {
		p.tmp[i] = make([]float64, n)
	}
	p.j, p.r = make([]float64, n*n), make([]float64, n*n)
	if set != nil {
		p.scale = magnitude(set)
	}
	p.reset(set)
	return p
}

// reset forgets all rows but the set's, and all that earlier solutions left: to
// the bit, the next one is that of a new active set.
func (p *activeSet) reset(set Set) {
	p.a, p.b, p.w, p.norm, p.state = p.a[:0], p.b[:0], p.w[:0], p.norm[:0], p.state[:0]
	p.active, p.mu = p.active[:0], p.mu[:0]
	clear(p.x)
	p.sigma, p.gamma, p.nu = 1, 1, 0
	p.repeats, p.mergeError, p.hingeNorms = repeats{}, 0, 0
	p.factor(nil)
	p.screen = nil
	if set != nil {
		set.rows(p)
	}
	p.domainRows = len(p.b)
	p.resumOn()
}

// magnitude is a bound on the Euclidean norm of the set's points, within √n.
func magnitude(set Set) float64 {
	n := set.Dim()
	dir, at := make([]float64, n), make([]float64, n)
	m := 0.0
	for i := range n {
		for _, s := range []float64{-1, 1} {
			dir[i] = s
			m = max(m, abs(set.Support(at, dir)))
		}
		dir[i] = 0
	}
	return max(m, 1e-300)
}

func (p *activeSet) row(i int) []float64 { return p.a[i*p.n : (i+1)*p.n] }
func (p *activeSet) col(k int) []float64 { return p.j[k*p.n : (k+1)*p.n] }

// addRow adds w·max(0, a·x+b), or the constraint a·x+b ≤ 0 where w is +Inf.
// A finite weight goes into the row.
func (p *activeSet) addRow(a []float64, b, w float64) {
	from := len(p.a)
	p.a = append(p.a, a...)
	for range p.n - len(a) {
		p.a = append(p.a, 0)
	}
	row := p.a[from:]
	if !math.IsInf(w, 1) {
		vec.Scale(row, w)
		b *= w
		w = 1
	}
	p.b = append(p.b, b)
	p.w = append(p.w, w)
	p.norm = append(p.norm, vec.Norm(row))
	p.state = append(p.state, off)
	if w == 1 {
		p.hingeNorms += p.norm[len(p.norm)-1]
	}
	switch {
	case p.screen != nil:
		p.screenRow(len(p.b) - 1)
	case p.screening && len(p.b)-p.domainRows == screenFrom:
		p.screen = newScreen(p.n, p.scale)
		for i := p.domainRows; i < len(p.b); i++ {
			p.screenRow(i)
		}
	}
}

// many is the number of rows from which on a watch pays.
const screenFrom = 64

// watchRow has row i, the next in number, watched.
func (p *activeSet) screenRow(i int) {
	p.screen.add(p.row(i))
	p.screen.recenter(func(i int) []float64 { return p.row(p.domainRows + i) })
}

// repeats knows the row after the one that was repeated last.
type repeats struct{ next int }

// among yields those of the rows from first to end that a row to come may well
// repeat: the one after the row that was repeated last, that row and the first,
// for constraints that do not change come back in their order, and the last
// few. To stop tells that it repeats this one.
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

// addHinge adds w·max(0, a·x+b). Where that is a multiple of a recent hinge,
// but for rounding, as the averages of constraints that do not change are, it
// joins that one: the sum of two hinges along one ray is one hinge. What the
// rounding may amount to is kept for the certificate.
func (p *activeSet) addHinge(a []float64, b, w float64) {
	size := float64(w * vec.Norm(a))
	for i := range p.repeats.candidates(p.domainRows, len(p.b)) {
		if math.IsInf(p.w[i], 1) || p.norm[i] == 0 {
			continue
		}
		ratio, row, dev := size/p.norm[i], p.row(i), 0.0
		for k, v := range a {
			dev = max(dev, abs(float64(w*v)-float64(ratio*row[k])))
		}
		dev = float64(dev*float64(p.n)*p.scale) + abs(float64(w*b)-float64(ratio*p.b[i]))
		if dev <= float64(1e-13*float64(size*p.scale)) {
			p.mergeRow(i, a, b, w)
			p.mergeError += dev
			return
		}
	}
	p.addRow(a, b, w)
}

// grow adds w·(a, b), a multiple of row i, to row i.
func (p *activeSet) mergeRow(i int, a []float64, b, w float64) {
	vec.Axpy(p.row(i)[:len(a)], w, a)
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
		vec.Scale(p.r[k*p.n:k*p.n+k+1], p.norm[i]/was)
		p.mu[k] *= was / p.norm[i]
	}
	if p.screen != nil {
		p.screen.change(i-p.domainRows, p.row(i))
	}
}

// addEquality adds a·x+b = 0. It may not depend on equalities added before.
func (p *activeSet) addEquality(a []float64, b float64) {
	p.addRow(a, b, math.Inf(1))
	i := len(p.b) - 1
	p.state[i] = equality
	p.project(p.row(i))
	p.push(i, 0)
}

// truncate forgets all rows from the k-th on.
func (p *activeSet) truncate(k int) {
	for q := len(p.active) - 1; q >= 0; q-- {
		if p.active[q] >= k {
			p.drop(q)
		}
	}
	p.a, p.b, p.w, p.norm, p.state = p.a[:k*p.n], p.b[:k], p.w[:k], p.norm[:k], p.state[:k]
	p.resumOn()
	if k == p.domainRows {
		p.mergeError = 0
	}
	switch {
	case k == p.domainRows:
		p.screen = nil
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

// reweigh sums the rows that are on afresh, free of the rounding errors of all
// that came and went.
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

// weigh adds s times row i to the sum of the rows that are on.
func (p *activeSet) addOn(i int, s float64) {
	vec.Axpy(p.onA, float64(s*p.w[i]), p.row(i))
	p.onB += float64(float64(s*p.w[i]) * p.b[i])
	p.onChanges++
}

// factor starts the factorisation afresh for H = I (nil) or H = LLᵀ, with the
// active rows there are; rows that depend on others become off or on.
func (p *activeSet) factor(chol []float64) {
	p.chol, p.changes = chol, 0
	clear(p.j)
	n := p.n
	for k := range n {
		col := p.col(k)
		col[k] = 1
		if chol != nil { // Lᵀ·col = e_k
			for i := k; i >= 0; i-- {
				col[i] /= chol[i*n+i]
				for h := range i {
					col[h] -= float64(chol[i*n+h] * col[i])
				}
			}
		}
	}
	p.formerActive = append(p.formerActive[:0], p.active...)
	mu := p.y[:copy(p.y, p.mu)]
	p.active, p.mu = p.active[:0], p.mu[:0]
	for k, i := range p.formerActive {
		if _, ok := p.project(p.row(i)); ok {
			p.push(i, mu[k])
		} else {
			p.setInactive(i, mu[k])
		}
	}
}

// independent is the least sine of the angle between a row and the span of
// the active ones at which it counts as independent of them: some orders
// above the rounding error of the sine itself.
const independent = 1e-11

// project writes d = Jᵀa to p.d and returns the squared norm of its part
// beyond the active rows, and whether a is independent of them.
func (p *activeSet) project(a []float64) (float64, bool) {
	for k := range p.n {
		p.d[k] = vec.Dot(p.col(k), a)
	}
	q := len(p.active)
	all, beyond := vec.Norm(p.d), vec.Norm(p.d[q:])
	return float64(beyond * beyond), beyond > float64(independent*all)
}

// push makes row i, whose projection is in p.d, the last active row, by a
// Householder reflection of the columns of J beyond the active ones.
func (p *activeSet) push(i int, mu float64) {
	q := len(p.active)
	v := p.d[q:]
	if tail := vec.Norm(v[1:]); tail > 0 {
		alpha := vec.Norm(v)
		if v[0] > 0 {
			alpha = -alpha
		}
		head := v[0] - alpha
		v[0] = head
		beta := 2 / vec.Dot(v, v)
		clear(p.v)
		for k, vk := range v {
			vec.Axpy(p.v, vk, p.col(q+k))
		}
		for k, vk := range v {
			vec.Axpy(p.col(q+k), -float64(beta*vk), p.v)
		}
		p.d[q] = alpha
	}
	copy(p.r[q*p.n:], p.d[:q+1])
	p.active = append(p.active, i)
	p.mu = append(p.mu, mu)
	p.changes++
}

// drop removes the k-th active row from the factorisation.
func (p *activeSet) drop(k int) {
	n, q := p.n, len(p.active)
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
	p.active = slices.Delete(p.active, k, k+1)
	p.mu = slices.Delete(p.mu, k, k+1)
	p.changes++
}

// cap is the upper bound of a row's multiplier.
func (p *activeSet) maxMultiplier(i int) float64 {
	if math.IsInf(p.w[i], 1) {
		return p.w[i] // with γ = 0 too
	}
	return p.gamma * p.w[i]
}

// leave gives row i, no longer active, the state of the bound nearer to mu.
func (p *activeSet) setInactive(i int, mu float64) {
	p.screenAgain(i)
	p.state[i] = off
	if mu > p.maxMultiplier(i)/2 {
		p.state[i] = on
		p.addOn(i, 1)
	}
}

// moved tells that row i is in another state, or about to be.
func (p *activeSet) screenAgain(i int) {
	if p.screen != nil && i >= p.domainRows {
		p.screen.markPending(i - p.domainRows)
	}
}

// release makes the k-th active row leave at its bound.
func (p *activeSet) release(k int) {
	i, mu := p.active[k], p.mu[k]
	p.drop(k)
	p.setInactive(i, mu)
}

// resolve computes x and the multipliers from the partition, and releases
// kinks whose multipliers are out of bounds by more than rounding, the
// farthest first. Such rounding could bring a row back that an ascent has just
// made a kink, and so on for ever: what counts as rounding grows with the
// number of ascents.
func (p *activeSet) recompute() {
	loose := 1e-15
	for range 8 * p.steps / p.maxAscents() {
		loose *= 10
	}
	for {
		p.newtonStep()
		force := vec.Norm(p.c) + float64(p.gamma*vec.Norm(p.onA)) + float64(float64(p.sigma*p.maxDiag)*vec.Norm(p.x))
		for k, i := range p.active {
			force = max(force, abs(p.mu[k])*p.norm[i])
		}
		worst, at := float64(loose*force), -1
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

// limit bounds the number of ascents of one solution.
func (p *activeSet) maxAscents() int { return 40*p.n + 4*len(p.b) + 100 }

// newton takes one step from x and the multipliers to the solution of
//
//	σHx + c + γ·onA + Σ_k μ_k a_k = 0,   a_k·x + b_k = 0,   k over the active rows.
//
// The system is linear: the first step is the solution, and those that follow
// remove the rounding errors of the ones before.
func (p *activeSet) newtonStep() {
	n, q := p.n, len(p.active)
	// The residual of the first line, to v.
	copy(p.v, p.x)
	if p.chol != nil {
		for i := range n { // by H itself: LLᵀ differs by rounding
			p.v[i] = vec.Dot(p.h[i*n:(i+1)*n], p.x)
		}
	}
	vec.Scale(p.v, p.sigma)
	vec.Axpy(p.v, 1, p.c)
	vec.Axpy(p.v, p.gamma, p.onA)
	for k, i := range p.active {
		vec.Axpy(p.v, p.mu[k], p.row(i))
	}
	for k := range n {
		p.d[k] = vec.Dot(p.col(k), p.v) / p.sigma
	}
	// With x + Σ_k t_k col_k: Rᵀt = −residual of the second line, and t = −d
	// beyond the active rows.
	t := p.y
	for k, i := range p.active {
		col := p.r[k*n : k*n+k+1]
		t[k] = -(vec.Dot(p.row(i), p.x) + p.b[i] + vec.Dot(col[:k], t[:k])) / col[k]
	}
	for k := q; k < n; k++ {
		t[k] = -p.d[k]
	}
	for k, v := range t {
		vec.Axpy(p.x, v, p.col(k))
	}
	vec.Axpy(t[:q], 1, p.d[:q])
	p.solveR(t[:q])
	vec.Axpy(p.mu, -p.sigma, t[:q])
}

// back overwrites y by R⁻¹y.
func (p *activeSet) solveR(y []float64) {
	for k := len(y) - 1; k >= 0; k-- {
		col := p.r[k*p.n : k*p.n+k+1]
		y[k] /= col[k]
		vec.Axpy(y[:k], -y[k], col[:k])
	}
}

// scan returns a row that x violates, by more than rounding, and in which
// direction its multiplier must go; 0 where none is. Of the rows it looks at in
// any case it is the one violated most, in distance. Where x has come far from
// the last solution, as it does when a kink is released and nothing but the
// curvature holds it, it violates very many rows and is about to come back: of
// the rows watched scan returns the first on the way.
func (p *activeSet) scan() (row int, dir float64) {
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
			return // without direction, and on where it may as well be off
		default:
			worst, row = math.Inf(1), i
		}
		dir = p.direction(i)
	}
	for i := range p.domainRows {
		look(i)
	}
	if p.screen == nil {
		for i := p.domainRows; i < len(p.b); i++ {
			look(i)
		}
		return row, dir
	}
	p.screen.lookAtPending(func(i int) (margin float64, kept bool) {
		i += p.domainRows
		return -p.excess(i, p.screen.x), p.state[i] < kink
	})
	for _, i := range p.screen.pending {
		look(p.domainRows + int(i))
	}
	if dir != 0 {
		return row, dir
	}
	i := p.screen.firstCrossing(p.x, func(i int) float64 {
		i += p.domainRows
		end := p.excess(i, p.x)
		if end <= float64(1e-14*float64(p.scale*p.norm[i])) {
			return math.Inf(1)
		}
		start := min(0, p.excess(i, p.screen.x))
		return start / (start - end)
	})
	if i == notPlaced {
		return 0, 0
	}
	i += p.domainRows
	return i, p.direction(i)
}

// side is a·x + b, its sign changed where the row is on: above 0 where the
// row is violated.
func (p *activeSet) excess(i int, x []float64) float64 {
	s := vec.Dot(p.row(i)[:len(x)], x) + p.b[i]
	if p.state[i] == on {
		return -s
	}
	return s
}

// toward is the direction in which the multiplier of a violated row must go.
func (p *activeSet) direction(i int) float64 {
	if p.state[i] == on {
		return -1
	}
	return 1
}

// slack returns, at x, the sum of γw·max(0, a·x+b), and how much more that is
// than Σ μ(a·x+b) at the multipliers there are, both over all rows but those of
// the domain; of constraints only −μ(a·x+b) counts.
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
		p.screen.update(x, func(i int) (margin float64, kept bool) {
			i += p.domainRows
			if p.state[i] >= kink {
				return 0, false
			}
			return -look(i), true
		})
	} else {
		for i := p.domainRows; i < len(p.b); i++ {
			if p.state[i] < kink {
				look(i)
			}
		}
	}
	for k, i := range p.active {
		if i < p.domainRows {
			continue
		}
		s := vec.Dot(p.row(i)[:len(x)], x) + p.b[i]
		slack -= float64(p.mu[k] * s)
		if w := p.maxMultiplier(i); !math.IsInf(w, 1) {
			hinges += float64(w * max(0, s))
			slack += float64(w * max(0, s))
		}
	}
	return hinges, slack
}

// violation returns the largest a·x + b over the constraints that may be
// violated at x, those of the domain aside; 0 where none is.
func (p *activeSet) violation(x []float64) (worst float64) {
	look := func(i int) float64 {
		s := vec.Dot(p.row(i)[:len(x)], x) + p.b[i]
		worst = max(worst, s)
		return s
	}
	if p.screen == nil {
		for i := p.domainRows; i < len(p.b); i++ {
			look(i)
		}
		return worst
	}
	p.screen.update(x, func(i int) (margin float64, kept bool) {
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

// ascend moves the multiplier of row i in direction dir until the row is a
// kink or its multiplier is at the other bound. ErrEmpty: the row is a
// constraint that no multiplier satisfies.
func (p *activeSet) ascend(i int, dir float64) error {
	p.steps++
	p.screenAgain(i)
	a := p.row(i)
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
		s := vec.Dot(a, p.x) + p.b[i]
		beyond, free := p.project(a)
		copy(p.y[:q], p.d[:q])
		p.solveR(p.y[:q])

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
			step := dir * p.y[k] // μ_k falls by this per unit
			room := p.mu[k]
			if step < 0 {
				room, step = p.maxMultiplier(h)-p.mu[k], -step
			}
			// A direction of rounding errors alone moves no multiplier.
			if step <= float64(1e-13*p.norm[i])/p.norm[h] {
				continue
			}
			if t := max(0, room) / step; t < block {
				block, at = t, k
			}
		}
		t := min(full, own, block)
		if math.IsInf(t, 1) {
			return ErrEmpty
		}
		for k := range q {
			p.mu[k] -= float64(float64(dir*t) * p.y[k])
		}
		mu += float64(dir * t)
		if free {
			for k := q; k < p.n; k++ {
				vec.Axpy(p.x, -float64(float64(dir*t)*p.d[k])/p.sigma, p.col(k))
			}
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

// solve brings x to the minimiser. The number of ascents is bounded; where
// rounding keeps the partition from settling, the caller's certificate tells.
func (p *activeSet) solve() error {
	p.steps = 0
	if p.changes > 50*p.n+200 {
		p.factor(p.chol)
	}
	if p.onChanges > len(p.b)/2 {
		p.resumOn()
	}
	p.recompute()
	polished := false
	for limit := p.maxAscents(); p.steps < limit; {
		i, dir := p.scan()
		if dir == 0 {
			if polished {
				return nil
			}
			polished = true
			p.newtonStep()
			p.recompute()
			continue
		}
		polished = false
		if err := p.ascend(i, dir); err != nil {
			return err
		}
		p.recompute()
	}
	return nil
}

// curve sets σH to sigma·I on the first core coordinates, plus quad (n×n by
// rows, nil for none); errCurvature if this is not positive definite.
func (p *activeSet) setHessian(sigma float64, quad []float64, core int) error {
	if quad == nil {
		p.sigma, p.maxDiag = sigma, 1
		if p.chol != nil {
			p.factor(nil)
		}
		return nil
	}
	p.h = append(p.h[:0], quad...)
	for i := range core {
		p.h[i*p.n+i] += sigma
	}
	p.l = append(p.l[:0], p.h...)
	if !cholesky(p.l, p.n) {
		return errCurvature
	}
	p.sigma, p.maxDiag = 1, 0
	for i := range p.n {
		p.maxDiag = max(p.maxDiag, p.h[i*p.n+i])
	}
	p.factor(p.l)
	return nil
}

// solveIn brings x to the minimiser of ½σ‖x‖² + ½xᵀ·quad·x + c·x + the rows,
// over the set. The set bounds the first set.Dim() coordinates.
func (p *activeSet) solveOver(set Set, sigma float64, quad []float64) error {
	var err error
	if ball, ok := set.(*Ball); ok {
		err = p.solveOverBall(ball, sigma, quad)
	} else if err = p.setHessian(sigma, quad, set.Dim()); err == nil {
		err = p.solve()
	}
	if errors.Is(err, ErrEmpty) && quad != nil && p.nearest(set) == nil {
		// Rows that differ looked as one to a curvature of very uneven size.
		return errCurvature
	}
	return err
}

// solveInBall is solveIn over a ball, which is not a row. With x(ν) the
// minimiser with ν‖x−z‖² added, the answer is x(0) if that is in the ball, and
// else the x(ν) on its surface. The root of
//
//	1/‖x(ν)−z‖ = 1/r,
//
// whose left side is nearly linear in ν, is found by Newton's method (Moré and
// Sorensen 1983), guarded by bisection.
func (p *activeSet) solveOverBall(ball *Ball, sigma float64, quad []float64) error {
	core := ball.Dim()
	c, away := p.tmp[0], p.tmp[1][:core] // away is x − z
	copy(c, p.c)
	defer func() { copy(p.c, c) }()
	tight := 4e-16 * (2 + p.scale/ball.Radius)
	nu, lo, hi := p.nu, -1.0, math.Inf(1) // outside at lo, inside at hi
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
		// The rate at which ½‖x−z‖² falls with 2ν.
		rate := 0.0
		for k := len(p.active); k < p.n; k++ {
			v := vec.Dot(p.col(k)[:core], away)
			rate += float64(v * v)
		}
		next := nu + float64(float64(d*d)*excess)/2*p.sigma/rate
		switch {
		case next >= 0 && next > lo && next < hi: // and not NaN
		case lo < 0:
			next = 0
		case math.IsInf(hi, 1):
			next = float64(4*nu) + float64(1e-3*(sigma+vec.Norm(c)/ball.Radius)) + math.SmallestNonzeroFloat64
			if nu > float64(1e12*(sigma+vec.Norm(c)/ball.Radius)) {
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

// nearest brings x to the point nearest to the origin, or to the centre of a
// ball, of those that satisfy the constraints. It returns ErrEmpty if there is
// none in the set.
func (p *activeSet) nearest(set Set) error {
	c, gamma := slices.Clone(p.c), p.gamma
	clear(p.c)
	ball, ok := set.(*Ball)
	if ok {
		vec.Axpy(p.c[:len(ball.Center)], -1, ball.Center)
	}
	p.gamma = 0
	err := p.setHessian(1, nil, p.n)
	if err == nil {
		err = p.solve()
	}
	copy(p.c, c)
	p.gamma = gamma
	if ok && err == nil && vec.Dist(p.x[:len(ball.Center)], ball.Center) > ball.Radius+float64(1e-12*(p.scale+ball.Radius)) {
		return ErrEmpty
	}
	return err
}

// minimize writes to dst the minimiser over the set of
//
//	obj(x) + weight·‖x − center‖² + the rows,
//
// obj being affine or quadratic, and certifies it. Where the curvature of this
// is little or none, so that the minimiser without rows would be far outside
// of the set, it is solved by proximal points,
//
//	x_{k+1} = argmin objective + ½ρ_k‖x − x_k‖²,
//
// with ρ_k falling a hundredfold a step. They end after finitely many steps when
// the solution is a vertex, and converge superlinearly when it is not; or at
// this gap.
func (p *activeSet) minimize(dst []float64, set Set, obj *Form, prox Prox, accuracy float64) (Cert, error) {
	n := set.Dim()
	var quad []float64
	largest, least := 0.0, 0.0 // diagonal entry; eigenvalue, by Gershgorin's circles
	if obj.hasQuad() {
		quad = obj.Quad
		least = math.Inf(1)
		for i := range n {
			row, d := quad[i*n:(i+1)*n], quad[i*n+i]
			largest = max(largest, d)
			for j, v := range row {
				if j != i {
					d -= abs(v)
				}
			}
			least = min(least, d)
		}
		least = max(0, least)
	}
	lin, point := p.tmp[2], p.tmp[3]
	copy(lin, obj.Lin)
	sigma := 2 * prox.Weight
	if sigma > 0 {
		vec.Axpy(lin, -sigma, prox.Center)
	}
	size := set.Diameter()
	if size == 0 {
		size = 1
	}
	rho := max(float64(1e-3*(vec.Norm(lin)+float64(p.gamma*p.hingeNorms)))/size, 1e-6*largest)
	floor := max(1e-13*largest, 1e-30*rho) // so that Q + ρI has a Cholesky factor
	switch {
	case sigma == 0 && rho == 0:
		rho = 1
	case sigma+least >= rho:
		rho = 0
	}
	set.Project(dst, p.x[:n])
	best := Cert{Gap: math.Inf(1)}
	steps := 0
	for k, stalled := 0, 0; k < 60 && stalled < 8; k++ {
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
		if err != nil && k > 0 && !math.IsInf(best.Gap, 1) {
			break // ρ is too small for anything but rounding errors
		}
		if err != nil {
			return Cert{}, err
		}
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
		if rho == 0 || best.Gap <= accuracy || best.Relative() <= 1e-14 {
			break
		}
		rho = max(rho/100, floor)
	}
	copy(dst, point)
	best.Iterations = steps
	return best, nil
}

// certify bounds the gap at x, a point of the set near p.x: the multipliers
// give the dual bound
//
//	min over y in D of L(y),   L(y) = obj(y) + weight‖y−center‖² + Σ μ_i (a_i·y + b_i),
//
// and L is bounded below by its tangent at x plus weight‖y−x‖².
func (p *activeSet) certify(x []float64, set Set, obj *Form, prox Prox) Cert {
	hinges, slack := p.slack(x)
	g, rows := p.tmp[4], p.tmp[5]
	obj.Subgrad(g, x)
	prox.addGrad(g, x)
	clear(rows)
	p.lagrangian(rows)
	vec.Axpy(g, 1, rows)
	return Cert{
		Value:      obj.Value(x) + prox.value(x) + hinges,
		Gap:        max(0, slack) + float64(p.gamma*p.mergeError) + tangentGap(set, x, g, 2*prox.Weight, rows, p.tmp[6]),
		Exact:      true,
		Iterations: p.steps,
	}
}

// tangentGap returns max over y in D of s·(x−y) − ½σ‖y−x‖²: how far a
// σ-strongly convex function with subgradient s at x can fall below its value
// at x within the set.
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

// lagrangian adds to dst the gradient, and returns the value at 0, of the
// linear function Σ μ_i (a_i·x + b_i) over all rows but those of the domain,
// for the first len(dst) coordinates.
func (p *activeSet) lagrangian(dst []float64) float64 {
	vec.Axpy(dst, p.gamma, p.onA[:len(dst)])
	v := float64(p.gamma * p.onB)
	for k, i := range p.active {
		if i >= p.domainRows {
			vec.Axpy(dst, p.mu[k], p.row(i)[:len(dst)])
			v += float64(p.mu[k] * p.b[i])
		}
	}
	return v
}
