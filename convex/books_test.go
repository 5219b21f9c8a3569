package convex

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/convex/vec"
)

// audit computes anew, from the rows and their states alone, what an active set keeps of them, and
// returns what differs: sums, norms, spans, the factorisation, coordinates that are held, and what
// screens and safe rows say.
func (p *activeSet) audit() (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	rows := make([][]float64, len(p.b))
	onA, onB, mass, norms, normMass := make([]float64, p.n), 0.0, 0.0, 0.0, 0.0
	for i := range rows {
		rows[i] = make([]float64, p.n)
		if c, s := p.unit(i); s != 0 {
			rows[i][c] = s
		} else {
			copy(rows[i], p.row(i))
		}
		at := p.span[i]
		for k, v := range rows[i] {
			if !(v == 0 || at.from <= k && k < at.to) {
				say("row %d is %v at %d, outside of %v", i, v, k, at)
			}
		}
		size := vec.Norm(rows[i])
		if !(abs(p.norm[i]-size) <= 1e-12*size) {
			say("the norm of row %d is %v, want %v", i, p.norm[i], size)
		}
		k := slices.Index(p.active, i)
		st := p.state[i]
		if !((k >= 0) == (st == kink || st == equality)) {
			say("row %d: state %d, active %d", i, st, k)
		}
		if !math.IsInf(p.w[i], 1) {
			norms += p.w[i] * size
			if normMass += p.w[i] * size; st == on {
				vec.Axpy(onA, p.w[i], rows[i])
				onB += p.w[i] * p.b[i]
			}
			mass += p.w[i] * (size + abs(p.b[i]))
		} else {
			if !(st != on) {
				say("the constraint %d is on", i)
			}
		}
	}
	if !(vec.Dist(onA, p.onA) <= 1e-12*mass && abs(onB-p.onB) <= 1e-12*mass) {
		say("the sum of what is on is %v, %v, want %v, %v", p.onA, p.onB, onA, onB)
	}
	if !(abs(norms-p.hingeNorms) <= 1e-12*normMass) {
		say("the norms sum up to %v, want %v", p.hingeNorms, norms)
	}
	if !(len(p.mu) == len(p.active)) {
		say("%d multipliers of %d rows", len(p.mu), len(p.active))
	}
	if !(len(p.kinks) == 0) {
		say("%d rows wait for a factorisation", len(p.kinks))
	}
	free := p.auditHeld(say)
	if len(wrong) > 0 {
		return wrong
	}
	if p.reduced.on {
		p.auditReduced(rows, say)
	} else {
		p.auditFactor(rows, free, say)
	}
	p.auditScreen(rows, say)
	return wrong
}

// auditHeld returns the coordinates that are free.
func (p *activeSet) auditHeld(say func(format string, args ...any)) (free []int) {
	at := make([]int, p.n) // the rows that hold a coordinate
	for i, st := range p.state {
		if c, s := p.unit(i); s != 0 && st == holding {
			at[c]++
			if !(abs(s*p.x[c]+p.b[i]) <= 1e-15*p.scale) {
				say("coordinate %d is held at %v", c, p.x[c])
			}
		}
	}
	for c, rows := range at {
		if rows == 0 {
			free = append(free, c)
		}
		if !(rows <= 1) {
			say("coordinate %d is held %d times", c, rows)
		}
	}
	if !p.held.any() {
		if !(len(free) == p.n) {
			say("coordinates are held, but none should: %v", at)
		}
		return free
	}
	if !(slices.Equal(free, p.held.frees)) {
		say("free are %v, want %v", p.held.frees, free)
	}
	for c, place := range p.held.places {
		if !(int(place) == slices.Index(free, c)) {
			say("the place of %d is %d among %v", c, place, free)
		}
	}
	return free
}

// auditFactor: JᵀHJ = I and Jᵀ·[active rows] = [R; 0] in the free coordinates.
func (p *activeSet) auditFactor(rows [][]float64, free []int,
	say func(format string, args ...any)) {
	k := len(free)
	if !(p.k == k) {
		say("the order is %d, want %d", p.k, k)
	}
	if p.k != k {
		return
	}
	image, sizes := make([]float64, k), make([]float64, k) // of a column under H
	for a := range k {
		copy(image, p.col(a))
		for r := range k {
			if p.chol != nil {
				image[r] = vec.Dot(p.h[r*k:(r+1)*k], p.col(a))
			}
			sizes[r] = abs(image[r])
			for c := range k {
				if p.chol != nil {
					sizes[r] = max(sizes[r], abs(p.h[r*k+c]*p.col(a)[c]))
				}
			}
		}
		for b := range k {
			got, size, want := 0.0, 1.0, 0.0
			for r, v := range p.col(b) {
				got += v * image[r]
				size += abs(v * sizes[r])
			}
			if a == b {
				want = 1
			}
			if abs(got-want) > 1e-8*size {
				say("entry %d, %d of JᵀHJ is %v", b, a, got)
			}
		}
	}
	for q, i := range p.active {
		size := vec.Norm(p.j) * p.norm[i]
		for a := range k {
			got, want := 0.0, 0.0
			for r, c := range free {
				got += p.col(a)[r] * rows[i][c]
			}
			if a <= q {
				want = p.r[q*k+a]
			}
			if !(abs(got-want) <= 1e-10*size) {
				say("entry %d, %d of R is %v, want %v", a, q, want, got)
			}
		}
	}
}

// auditReduced: LLᵀ = A D⁻¹Aᵀ, and what is known of rows that were not evaluated.
func (p *activeSet) auditReduced(rows [][]float64, say func(format string, args ...any)) {
	r := &p.reduced
	fixed := make([]bool, p.n)
	var others []int
	for _, i := range p.active {
		if c, s := p.unit(i); s != 0 {
			fixed[c] = true
		} else {
			others = append(others, i)
		}
	}
	if !(slices.Equal(fixed, r.fixed)) {
		say("fixed are %v, want %v", r.fixed, fixed)
	}
	if !(slices.Equal(others, r.rows)) {
		say("the rows are %v, want %v", r.rows, others)
	}
	if !(len(r.gram) == 0 && r.ascending == -1) {
		say("products of row %d are kept", r.ascending)
	}
	for j, g := range r.rows {
		for k, h := range r.rows[:j+1] {
			want, size := 0.0, 0.0
			for c := range p.n {
				size += abs(rows[g][c]*rows[h][c]) / r.h[c]
				if !fixed[c] {
					want += rows[g][c] * rows[h][c] / r.h[c]
				}
			}
			got := vec.Dot(r.l[j][:k+1], r.l[k][:k+1])
			if !(abs(got-want) <= 1e-7*(1+size)) {
				say("entry %d, %d of LLᵀ is %v, want %v", j, k, got, want)
			}
		}
	}
	if len(r.places) == len(r.rows) {
		for k, i := range r.rows {
			for c, v := range rows[i] {
				if !(r.beside[c*p.n+r.places[k]] == v) {
					say("row %d is not beside the others", i)
				}
			}
		}
	}
	plain := true
	for _, h := range r.h {
		plain = plain && h == 1
	}
	if !(!r.plain || plain) {
		say("H is %v, not the identity", r.h)
	}
	for i, to := range r.safeTo {
		if i >= p.domainRows && p.norm[i] > 0 && p.state[i] < kink {
			if !(p.excess(i, r.seen) <= (r.path-to)*p.norm[i]+1e-12) {
				say("row %d is not safe to %v at %v", i, to,
					r.path)
			}
		}
	}
	v := make([]float64, p.n)
	for i, row := range rows {
		for c := range v {
			v[c] = math.Sin(float64(i + 3*c))
		}
		if !(abs(p.dotRow(i, v)-vec.Dot(row, v)) <= 1e-13*(1+p.norm[i])) {
			say("the product of row %d", i)
		}
	}
}

// auditScreen: every row is in its level or pending, and those in a level have the sign that they
// had when they were evaluated.
func (p *activeSet) auditScreen(rows [][]float64, say func(format string, args ...any)) {
	s := p.screen
	if s == nil {
		return
	}
	if !(len(s.levelOf) == len(p.b)-p.domainRows) {
		say("the screen has %d rows", len(s.levelOf))
	}
	sizes := make([]int, len(s.clusters))
	for i, l := range s.levelOf {
		row := p.domainRows + i
		c := s.clusters[s.clusterOf[i]]
		sizes[s.clusterOf[i]]++
		if !(abs(vec.Dist(rows[row], c.center)-s.deviation[i]) <= 1e-12*(c.size+p.norm[row])) {
			say("row %d is %v from the centre, not %v", row, vec.Dist(rows[row], c.center), s.deviation[i])
		}
		pending, placed := 0, 0
		for _, j := range s.pending {
			if int(j) == i {
				pending++
			}
		}
		if l >= 0 {
			for _, j := range s.levels[l].rows {
				if int(j) == i {
					placed++
				}
			}
			if !(p.excess(row, s.x) <= 1e-13*p.scale*p.norm[row]) {
				say("row %d has the other sign: %v", row,
					p.excess(row, s.x))
			}
		}
		if !((pending == 1) == (l == notPlaced) && pending <= 1) {
			say("row %d is pending %d times, level %d",
				row, pending, l)
		}
		if !((placed > 0) == (l >= 0)) {
			say("row %d is %d times in level %d", row, placed, l)
		}
		if !(l != notScreened || p.state[row] >= kink) {
			say("row %d, state %d, is not screened", row,
				p.state[row])
		}
	}
	for k, c := range s.clusters {
		if !(c.rows == sizes[k]) {
			say("cluster %d has %d rows, not %d", k, sizes[k], c.rows)
		}
	}
}

// auditSolution returns what is wrong with the solution of the last program that p solved: the
// gradient of the Lagrangian is 0 where coordinates are free, every row is on the side that its
// state says, and multipliers are within their bounds.
func (p *activeSet) auditSolution(set Set) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	g := slices.Clone(p.c)
	vec.Axpy(g, p.gamma, p.onA)
	if ball, ok := set.(*Ball); ok {
		vec.Axpy(g, -2*p.nu, ball.Center)
	}
	for k, i := range p.active {
		p.addTo(g, p.mu[k], i)
		if !(abs(p.dot(i, p.x)+p.b[i]) <= 1e-12*p.scale*p.norm[i]) {
			say("row %d is not at its kink: %v", i,
				p.dot(i, p.x)+p.b[i])
		}
		if !(p.state[i] == equality || 0 <= p.mu[k] && p.mu[k] <= p.maxMultiplier(i)) {
			say("the multiplier of row %d is %v", i, p.mu[k])
		}
	}
	force := p.force() + 1e-60
	for c := range p.n {
		v, place := 0.0, p.held.place(c)
		switch {
		case place < 0:
			continue
		case p.reduced.on:
			v = p.reduced.h[c] * p.x[c]
		case p.chol == nil:
			v = p.x[c]
		default:
			for r := range p.k {
				at := r
				if p.held.any() {
					at = p.held.frees[r]
				}
				v += p.h[place*p.k+r] * p.x[at]
			}
			if p.held.any() {
				v += p.held.slope[place]
			}
		}
		v = p.sigma*v + g[c]
		if !(abs(v) <= 1e-11*force) {
			say("the gradient has %v in coordinate %d, of forces up to %v", v, c, force)
		}
	}
	for i, st := range p.state {
		if !(st >= kink || p.excess(i, p.x) <= 1e-12*p.scale*p.norm[i]) {
			say("row %d is violated: %v", i,
				p.excess(i, p.x))
		}
	}
	return wrong
}

// booksGame is a sequence of programs and of sums with affine rows.
type booksGame struct {
	r     *rand.Rand
	set   Set
	point []float64 // where every constraint holds
	many  bool      // rows, so that they are screened
	kept  []*Form   // the constraints, and those that were
	obj   *Form
	prox  Prox
	work  work
}

// work counts ascents, of first and of repeated minimisations and of sums of bases, and the rows
// that the next scan would have to evaluate.
type work struct{ first, again, bases, left int }

func (w work) within(most work) bool {
	return w.first <= most.first && w.again <= most.again && w.bases <= most.bases &&
		w.left <= most.left
}

func newBooksGame(seed uint64) *booksGame {
	r := rand.New(rand.NewPCG(seed, 71))
	n := 3 + r.IntN(6)
	if seed%20 == 1 {
		n = vec.Long + r.IntN(3) // sums are of other code
	}
	g := &booksGame{r: r, point: make([]float64, n), obj: NewForm(n), many: seed%7 == 0}
	switch seed % 3 {
	case 0:
		box := &Box{make([]float64, n), make([]float64, n)}
		for i := range n {
			box.Lower[i] = float64(r.IntN(3) - 2)
			box.Upper[i] = box.Lower[i] + float64(r.IntN(5)) // some are points
			g.point[i] = box.Lower[i] + r.Float64()*(box.Upper[i]-box.Lower[i])
		}
		g.set = box
	case 1:
		g.set = &Simplex{n, 1 + r.Float64()}
		g.set.Project(g.point, g.vector())
	default:
		g.set = &Ball{g.vector(), 1 + r.Float64()}
		g.set.Project(g.point, g.vector())
	}
	return g
}

func (g *booksGame) vector() []float64 {
	v := make([]float64, len(g.point))
	some := 1 + g.r.IntN(3)
	for i := range v {
		if g.r.IntN(some) == 0 {
			v[i] = g.r.NormFloat64()
		}
	}
	return v
}

// row is ≤ 0 at the point. It is new, or repeats or nearly repeats one before, or is a multiple.
func (g *booksGame) row() *Form {
	f := &Form{Lin: g.vector()}
	margin := []float64{1e-3, 0.1, 1}[g.r.IntN(3)]
	if k := len(g.kept); k > 0 && g.r.IntN(2) == 0 {
		last := g.kept[g.r.IntN(k)]
		switch copy(f.Lin, last.Lin); g.r.IntN(4) {
		case 0:
			return last
		case 1:
			f.Const = 2 * last.Const
			vec.Scale(f.Lin, 2)
			return f
		case 2:
			vec.Axpy(f.Lin, 1e-3, g.vector())
		}
	}
	f.Const = -vec.Dot(f.Lin, g.point) - margin
	return f
}

// draw draws the next objective.
func (g *booksGame) draw() {
	n := len(g.point)
	g.obj.Reset()
	copy(g.obj.Lin, g.vector())
	vec.Scale(g.obj.Lin, math.Ldexp(1, g.r.IntN(5)))
	switch kind := g.r.IntN(4); kind {
	case 0:
		for i := range n {
			g.obj.quad()[i*n+i] = float64(g.r.IntN(4))
		}
	case 1:
		for range 1 + g.r.IntN(n) {
			(&LeastSquares{H: g.vector(), Y: []float64{g.r.NormFloat64()}}).AddTo(g.obj, 1)
		}
	}
	if g.prox = (Prox{}); g.r.IntN(3) > 0 {
		g.prox = Prox{Weight: math.Ldexp(1, g.r.IntN(6)-3), Center: g.vector()}
	}
}

// value is that of the objective and the hinges at x.
func (g *booksGame) value(x []float64, gamma float64, hinges []hinge) float64 {
	v := g.obj.Value(x) + g.prox.value(x)
	for _, h := range hinges {
		v += gamma * h.w * max(0, h.f.Value(x))
	}
	return v
}

// check looks at a solution.
func (g *booksGame) check(t *testing.T, what string, x []float64, cert Cert, err error,
	p *activeSet, value func(x []float64) float64) {
	t.Helper()
	switch {
	case p.screen != nil:
		g.work.left += len(p.screen.pending)
	case p.reduced.on:
		for i := p.domainRows; i < len(p.b); i++ {
			if !p.reduced.isSafe(i, 0.01) {
				g.work.left++
			}
		}
	}
	v, other := value(x), value(g.point)
	unit := 1 + abs(v)
	switch {
	case err != nil || !(cert.Relative() <= 1e-10) || g.set.Residual(x) > 1e-12*unit:
		t.Errorf("%s: %+v, residual %v (%v)", what, cert, g.set.Residual(x), err)
	case abs(v-cert.Value) > 1e-11*unit:
		t.Errorf("%s: the value is %v, not %v", what, v, cert.Value)
	case other < cert.Value-cert.Gap-1e-12*unit:
		t.Errorf("%s: %v at the point of all constraints, less than %+v", what, other, cert)
	}
	wrong := p.audit()
	if !strings.HasSuffix(what, "bases") { // the rows of bases are gone
		wrong = append(wrong, p.auditSolution(g.set)...)
	}
	for _, w := range wrong {
		t.Errorf("%s, reduced %v, held %v, screen %v: %s", what, p.reduced.on, p.held.any(),
			p.screen != nil, w)
	}
}

// contradict adds a row, or two, that leave no feasible point.
func (g *booksGame) contradict(p *Program) {
	n := len(g.point)
	for {
		f, at := &Form{Lin: g.vector()}, make([]float64, n)
		switch size := vec.Norm(f.Lin); {
		case size == 0:
			continue
		case g.r.IntN(2) == 0:
			most := g.set.Support(at, f.Lin)
			vec.Scale(f.Lin, -1)
			f.Const = most + 0.01*size
		default:
			f.Const = -vec.Dot(f.Lin, g.point)
			p.Constrain(f)
			vec.Scale(f.Lin, -1)
			f.Const = 0.01*size - f.Const
		}
		p.Constrain(f)
		return
	}
}

// play plays the game.
func (g *booksGame) play(t *testing.T, name string) {
	n := len(g.point)
	program, sum, ofBases, x := NewProgram(g.set), NewSum(g.set), NewSum(g.set), make([]float64, n)
	var now []*Form // the constraints
	var hinges []hinge
	gamma := 1.0
	for round := range 8 {
		begin := g.r.IntN(6)
		if begin == 3 {
			g.contradict(program)
			if sol, err := program.minimize(x, g.obj, g.prox); !errors.Is(err, ErrEmpty) {
				t.Errorf("%s, round %d: %+v (%v), want no feasible point", name, round, sol, err)
			}
			for _, w := range program.rows.audit() {
				t.Errorf("%s, round %d, empty: %s", name, round, w)
			}
		}
		switch begin {
		case 0, 3:
			program.Reset()
			now = now[:g.r.IntN(len(now)+1)]
			for _, f := range now {
				program.Constrain(f)
			}
		case 1:
			sum.ResetHinges()
			ofBases.ResetHinges()
			hinges = nil
		case 2:
			gamma = math.Ldexp(1, g.r.IntN(6)-2)
			sum.SetGamma(gamma)
			ofBases.SetGamma(gamma)
		}
		rows := g.r.IntN(n)
		if g.many && round%3 == 0 {
			rows = 50
		}
		for range rows {
			f := g.row()
			g.kept, now = append(g.kept, f), append(now, f)
			w := math.Ldexp(1, g.r.IntN(6)-3)
			hinges = append(hinges, hinge{w, f})
			sum.AddHinge(w, f)
			basis := Lower(NewBasis(&Affine{A: f.Lin, B: f.Const}), n)
			ofBases.AddHinge(w, basis)
			if g.r.IntN(4) == 0 {
				f = basis
			}
			program.Constrain(f)
		}
		g.draw()
		what := fmt.Sprintf("%s, round %d", name, round)
		sum.smooth.Reset()
		sum.Add(1, g.obj)
		ofBases.smooth.Reset()
		ofBases.Add(1, g.obj)
		ofSum := func(x []float64) float64 { return g.value(x, gamma, hinges) }
		ofProgram := func(x []float64) float64 { return g.value(x, 0, nil) }
		for turn := range 2 {
			cert, err := sum.Minimize(x, g.prox)
			g.check(t, what+", a sum", x, cert, err, sum.rows, ofSum)
			sol, err := program.minimize(x, g.obj, g.prox)
			g.check(t, what+", a program", x, sol.Cert, err, program.rows, ofProgram)
			for _, f := range now {
				if v := f.Value(x); v > 1e-11*(1+vec.Norm(f.Lin)) {
					t.Errorf("%s: a constraint is %v", what, v)
				}
			}
			if turn == 0 {
				g.work.first += cert.Iterations + sol.Iterations
			} else {
				g.work.again += cert.Iterations + sol.Iterations
			}
		}
		if len(hinges) < 60 {
			cert, err := ofBases.Minimize(x, g.prox)
			g.check(t, what+", a sum of bases", x, cert, err, ofBases.rows, ofSum)
			g.work.bases += cert.Iterations
		}
	}
}

// TestActiveSetKeepsItsBooks plays games with every kind of factorisation. What an active set keeps
// is what its rows say; its solutions satisfy the conditions of optimality; a repeated minimisation
// has nothing to do, and all together take no more ascents than they did, up to a few.
func TestActiveSetKeepsItsBooks(t *testing.T) {
	const never = math.MaxInt
	for _, c := range []struct {
		name              string
		reduced, diagonal int // from how many dimensions on
		hold, large       int
		share             float64
		settle            int
		most              work
	}{
		{"dense", never, never, never, never, 1, 64, work{9100, 0, 5700, 200}},
		{"reduced", 2, 2, never, never, 1, 64, work{9300, 0, 4150, 6900}},
		{"reduced, settles", 2, never, never, never, 1, 2, work{9400, 0, 5700, 5050}},
		{"held", never, never, 3, never, 0.4, 64, work{10350, 0, 7400, 250}},
		{"held, large", never, never, 3, 3, 0.4, 2, work{10300, 0, 6700, 250}},
		{"held and reduced", 2, never, 3, never, 0.3, 64, work{9600, 0, 6850, 5050}},
	} {
		t.Run(c.name, func(t *testing.T) {
			holdingFrom(t, c.hold, c.large, c.share)
			defer func(a, b, s int) { reducedFrom, reducedDiagonalFrom, settleFrom = a, b, s }(reducedFrom,
				reducedDiagonalFrom, settleFrom)
			reducedFrom, reducedDiagonalFrom, settleFrom = c.reduced, c.diagonal, c.settle
			var all work
			for seed := range uint64(100) {
				g := newBooksGame(seed)
				g.work = all
				g.play(t, fmt.Sprintf("game %d", seed))
				all = g.work
			}
			if !all.within(c.most) {
				t.Errorf("the work is %+v, want at most %+v", all, c.most)
			}
		})
	}
}

// A half-space that does not meet the ball, by little or by much, leaves no feasible point,
// whatever the objective.
func TestBallAndRowWithoutPoint(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 72))
		n := 2 + r.IntN(6)
		ball, f, obj := &Ball{make([]float64, n), 0.5 + r.Float64()}, NewForm(n), NewForm(n)
		for i := range n {
			ball.Center[i], f.Lin[i] = r.NormFloat64(), r.NormFloat64()
			obj.Lin[i] = float64(seed%3) * r.NormFloat64()
		}
		if seed%2 == 0 {
			(&SquaredDistance{Weight: r.Float64(), Center: ball.Center}).AddTo(obj, 1)
		}
		x := make([]float64, n)
		size := vec.Norm(f.Lin)
		apart := ball.Radius * math.Pow(10, float64(r.IntN(5)-3))
		f.Const = float64(size*(ball.Radius+apart)) - vec.Dot(f.Lin, ball.Center)
		p := NewProgram(ball)
		p.Constrain(f)
		if sol, err := p.Minimize(x, obj); !errors.Is(err, ErrEmpty) {
			t.Errorf("seed %d, %v apart: %+v (%v), want no feasible point", seed, apart, sol, err)
		}
	}
}
