package quadprog

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/internal/screen"
	"ocobench/convex/vec"
)

// The sets of the tests: their own projections are simple, and a check of those of package convex.
type (
	box     struct{ lower, upper []float64 }
	simplex struct {
		n     int
		scale float64
	}
	ball struct {
		center []float64
		radius float64
	}
)

func (b box) Dim() int          { return len(b.lower) }
func (b box) Diameter() float64 { return vec.Dist(b.lower, b.upper) }

func (b box) Project(dst, x []float64) {
	for i, v := range x {
		dst[i] = min(max(v, b.lower[i]), b.upper[i])
	}
}

func (b box) Support(dst, dir []float64) float64 {
	for i, d := range dir {
		if dst[i] = b.lower[i]; d > 0 {
			dst[i] = b.upper[i]
		}
	}
	return vec.Dot(dst, dir)
}

func (s simplex) Dim() int          { return s.n }
func (s simplex) Diameter() float64 { return math.Sqrt2 * s.scale }

func (s simplex) Project(dst, x []float64) {
	sorted := slices.Sorted(slices.Values(x))
	slices.Reverse(sorted)
	theta, sum := 0.0, -s.scale
	for k, v := range sorted {
		if sum += v; v > sum/float64(k+1) {
			theta = sum / float64(k+1)
		}
	}
	sum = 0
	for i, v := range x {
		dst[i] = max(0, v-theta)
		sum += dst[i]
	}
	vec.Scale(dst, s.scale/sum)
}

func (s simplex) Support(dst, dir []float64) float64 {
	clear(dst)
	best := slices.Index(dir, slices.Max(dir))
	dst[best] = s.scale
	return s.scale * dir[best]
}

func (b ball) Dim() int          { return len(b.center) }
func (b ball) Diameter() float64 { return 2 * b.radius }

func (b ball) Project(dst, x []float64) {
	ratio := min(1, b.radius/vec.Dist(x, b.center))
	for i, c := range b.center {
		dst[i] = c + ratio*(x[i]-c)
	}
}

func (b ball) Support(dst, dir []float64) float64 {
	vec.AxpyTo(dst, b.radius/max(vec.Norm(dir), 1e-300), dir, b.center)
	return vec.Dot(dst, dir)
}

func domainOf(set Set) Domain {
	switch s := set.(type) {
	case box:
		return Domain{Set: s, Lower: s.lower, Upper: s.upper}
	case simplex:
		return Domain{Set: s, Scale: s.scale}
	case ball:
		return Domain{Set: s, Center: s.center, Radius: s.radius}
	}
	panic("no domain")
}

// cube returns [lower, upper]ⁿ.
func cube(n int, lower, upper float64) Set {
	return box{slices.Repeat([]float64{lower}, n), slices.Repeat([]float64{upper}, n)}
}

// newSolver returns the solver over a set, with a screen once there are many rows.
func newSolver(set Set) *Solver {
	p := New(domainOf(set), set.Dim())
	p.SetScreening(!screen.Off)
	return p
}

// restoreSizes restores Sizes at the end of the test.
func restoreSizes(t *testing.T) {
	was := Sizes
	t.Cleanup(func() { Sizes = was })
}

const never = math.MaxInt

// useDenseOnly sets Sizes so that every program is solved by the dense factorisation in all
// coordinates.
func useDenseOnly() {
	Sizes.Lists, Sizes.Watch, Sizes.RangeSpace, Sizes.RangeSpaceDiagonal = never, never, never, never
	Sizes.Big, Sizes.Hold = never, never
}

// useRangeSpaceFrom sets Sizes so that programs with a diagonal Hessian are solved by the range
// space from n dimensions on, and all others by the dense factorisation.
func useRangeSpaceFrom(n int) {
	useDenseOnly()
	Sizes.RangeSpace, Sizes.RangeSpaceDiagonal = n, n
}

// affine is the row w·max(0, a·x + b), or the constraint a·x + b ≤ 0.
type affine struct {
	a    []float64
	b, w float64
}

func (f affine) value(x []float64) float64 { return f.b + vec.Dot(f.a, x) }

// game is a sequence of programs with constraints, and of programs with hinges.
type game struct {
	r     *rand.Rand
	set   Set
	point []float64 // where every row is at most 0
	many  bool      // rows, so that they are screened
	kept  []affine  // all rows so far
	obj   Quadratic
	prox  Prox

	answers []answer
	work    work
}

// answer is what a program has for its minimum.
type answer struct {
	value, gap float64
	empty      bool
}

// work counts the ascents of programs that are solved for the first time and again, the rows with a
// screen or a watch that the next scan would have to evaluate, and the solutions by the range space
// or with coordinates that are held.
type work struct{ first, again, left, special int }

func newGame(seed uint64) *game {
	r := rand.New(rand.NewPCG(seed, 71))
	n := 3 + r.IntN(8)
	if seed%20 == 1 {
		n = vec.Long + r.IntN(3) // sums are of other code
	}
	g := &game{r: r, point: make([]float64, n), many: seed%7 == 0}
	switch seed % 3 {
	case 0:
		b := box{make([]float64, n), make([]float64, n)}
		for i := range n {
			b.lower[i] = float64(r.IntN(3) - 2)
			b.upper[i] = b.lower[i] + float64(r.IntN(5)) // some are points
			g.point[i] = b.lower[i] + r.Float64()*(b.upper[i]-b.lower[i])
		}
		g.set = b
	case 1:
		g.set = simplex{n, 1 + r.Float64()}
		g.set.Project(g.point, g.vector())
	default:
		g.set = ball{g.vector(), 1 + r.Float64()}
		g.set.Project(g.point, g.vector())
	}
	return g
}

// vector draws a vector of which one, two or three thirds are 0.
func (g *game) vector() []float64 {
	v := make([]float64, len(g.point))
	some := 1 + g.r.IntN(3)
	for i := range v {
		if g.r.IntN(some) == 0 {
			v[i] = g.r.NormFloat64()
		}
	}
	return v
}

// row draws a row that is less than 0 at the point. It is new, or repeats or nearly repeats one
// before, or is a multiple.
func (g *game) row() affine {
	f := affine{a: g.vector(), w: math.Ldexp(1, g.r.IntN(6)-3)}
	margin := []float64{1e-3, 0.1, 1}[g.r.IntN(3)]
	if k := len(g.kept); k > 0 && g.r.IntN(2) == 0 {
		last := g.kept[g.r.IntN(k)]
		switch copy(f.a, last.a); g.r.IntN(4) {
		case 0:
			return last
		case 1:
			f.b = 2 * last.b
			vec.Scale(f.a, 2)
			return f
		case 2:
			vec.Axpy(f.a, 1e-3, g.vector())
		}
	}
	f.b = -vec.Dot(f.a, g.point) - margin
	return f
}

// drawObjective draws an affine, diagonal or dense objective, with or without a regulariser.
func (g *game) drawObjective() {
	n := len(g.point)
	g.obj = Quadratic{Lin: g.vector()}
	vec.Scale(g.obj.Lin, math.Ldexp(1, g.r.IntN(5)))
	switch kind := g.r.IntN(4); kind {
	case 0:
		g.obj.Q = make([]float64, n*n)
		for i := range n {
			g.obj.Q[i*n+i] = float64(g.r.IntN(4))
		}
	case 1:
		g.obj.Q = make([]float64, n*n)
		for range 1 + g.r.IntN(n) {
			h := g.vector()
			for i := range n {
				vec.Axpy(g.obj.Q[i*n:(i+1)*n], h[i], h)
			}
		}
	}
	if g.prox = (Prox{}); g.r.IntN(3) > 0 {
		g.prox = Prox{Weight: math.Ldexp(1, g.r.IntN(6)-3), Center: g.vector()}
	}
}

// minimize solves a program, and checks the certificate, the value, and the books of the solver.
func (g *game) minimize(t *testing.T, what string, p *Solver, gamma float64,
	rows []affine) (steps int) {
	t.Helper()
	x := make([]float64, len(g.point))
	cert, err := p.Minimize(x, g.obj, g.prox, 0)
	value := func(x []float64) float64 {
		v := g.obj.Value(x) + g.prox.Value(x)
		for _, f := range rows {
			if !math.IsInf(f.w, 1) {
				v += gamma * f.w * max(0, f.value(x))
			}
		}
		return v
	}
	v, other, inside := value(x), value(g.point), slices.Clone(x)
	g.set.Project(inside, x)
	unit, off := 1+math.Abs(v), vec.Dist(inside, x)
	var wrong findings
	wrong.expect(err == nil && cert.Relative() <= 1e-10 && off <= 1e-12*unit,
		"%+v (%v), %v off the set, want a gap up to 1e-10 in the set", cert, err, off)
	wrong.expect(math.Abs(v-cert.Value) <= 1e-11*unit, "the value is %v, want %v", cert.Value, v)
	wrong.expect(other >= cert.Value-cert.Gap-1e-12*unit, "%+v, but %v at another point", cert, other)
	most := 0.0
	for k, f := range rows {
		if math.IsInf(f.w, 1) {
			wrong.expect(f.value(x) <= 1e-11*(1+vec.Norm(f.a)), "constraint %d is %v", k, f.value(x))
			most = max(most, f.value(g.point))
		}
	}
	if gamma == 0 {
		got := p.Violation(g.point)
		wrong.expect(math.Abs(got-most) <= 1e-12, "the violation is %v at the point of all constraints, "+
			"want %v", got, most)
	}
	wrong = slices.Concat(wrong, audit(p), auditSolution(p))
	for _, w := range wrong {
		t.Errorf("%s, range space %v, held %v, screen %v: %s", what, p.UsesRangeSpace(), p.view.holds(),
			p.screen != nil, w)
	}
	if p.screen != nil {
		g.work.left += len(p.screen.Pending)
	}
	if p.UsesRangeSpace() || p.view.holds() {
		g.work.special++
	}
	g.answers = append(g.answers, answer{value: cert.Value, gap: cert.Gap})
	return cert.Iterations
}

// contradict adds a row to p, or two, that leave no point.
func (g *game) contradict(p *Solver) {
	n := len(g.point)
	for {
		f, at := g.vector(), make([]float64, n)
		size := vec.Norm(f)
		apart := size * math.Pow(10, float64(g.r.IntN(4)-3))
		switch {
		case size == 0:
			continue
		case g.r.IntN(2) == 0:
			most := g.set.Support(at, f)
			vec.Scale(f, -1)
			p.AddRow(f, most+apart, math.Inf(1))
		default:
			b := -vec.Dot(f, g.point)
			p.AddRow(f, b, math.Inf(1))
			vec.Scale(f, -1)
			p.AddRow(f, apart-b, math.Inf(1))
		}
		return
	}
}

// addSparse adds f with weight 1 as a sparse row.
func addSparse(p *Solver, f affine) {
	var at []int32
	for k, v := range f.a {
		if v != 0 {
			at = append(at, int32(k))
		}
	}
	half := slices.Clone(f.a)
	vec.Scale(half, 0.5)
	p.AddSparse(at, half, 2, f.b)
}

// play plays the game.
func (g *game) play(t *testing.T, name string) {
	t.Helper()
	n := len(g.point)
	program, sum := newSolver(g.set), newSolver(g.set)
	var now, hinges []affine // the constraints and the hinges
	constrain := func(f affine) {
		if i := program.FindRow(f.a); i < 0 {
			program.AddRow(f.a, f.b, math.Inf(1))
		} else if program.b[i] < f.b {
			program.Tighten(i, f.b)
		}
	}
	gamma := 1.0
	for round := range 8 {
		what := fmt.Sprintf("%s, round %d", name, round)
		begin := g.r.IntN(6)
		if begin == 3 && round > 0 {
			g.contradict(program)
			cert, err := program.Minimize(make([]float64, n), g.obj, g.prox, 0)
			if !errors.Is(err, ErrEmpty) {
				t.Errorf("%s: %+v (%v), want %v", what, cert, err, ErrEmpty)
			}
			for _, w := range audit(program) {
				t.Errorf("%s, no point: %s", what, w)
			}
			g.answers = append(g.answers, answer{empty: true})
		}
		switch begin {
		case 0, 3:
			program.Reset()
			now = now[:g.r.IntN(len(now)+1)]
			for _, f := range now {
				constrain(f)
			}
		case 1:
			sum.Truncate(sum.First())
			hinges = nil
		case 2:
			gamma = math.Ldexp(1, g.r.IntN(6)-2)
			sum.SetGamma(gamma)
		}
		rows := g.r.IntN(n)
		if g.many && round%3 == 0 {
			rows = 50
		}
		for range rows {
			f := g.row()
			g.kept = append(g.kept, f)
			if g.r.IntN(4) > 0 {
				sum.AddHinge(f.a, f.b, f.w)
			} else {
				f.w = 1
				addSparse(sum, f)
				if g.r.IntN(2) == 0 && vec.Norm(f.a) > 0 {
					sum.BeginOn(sum.Len() - 1)
				}
			}
			hinges = append(hinges, f)
			f.w = math.Inf(1)
			now = append(now, f)
			constrain(f)
		}
		g.drawObjective()
		if t.Failed() {
			return
		}
		for turn := range 2 {
			steps := g.minimize(t, what+", hinges", sum, gamma, hinges)
			steps += g.minimize(t, what+", constraints", program, 0, now)
			if turn == 0 {
				g.work.first += steps
			} else {
				g.work.again += steps
			}
		}
	}
}

// TestEveryMethodSolvesAndKeepsItsBooks plays games with every method. What a solver keeps is what
// its rows say; its solutions satisfy the conditions of optimality and have the values that the
// dense factorisation has; a program without a point is found; a repeated minimisation has nothing
// to do, and all together take few ascents.
func TestEveryMethodSolvesAndKeepsItsBooks(t *testing.T) {
	const seeds = 100
	restoreSizes(t)
	var want [seeds][]answer
	for _, c := range []struct {
		name string
		set  func()
		want work
	}{
		{"dense", func() {}, work{14500, 0, 400, 0}},
		{"every row is evaluated", func() { screen.Off = true }, work{12000, 0, 0, 0}},
		{"lists and rows that are watched", func() { Sizes.Lists, Sizes.Watch = 2, 2 },
			work{14700, 0, 9000, 0}},
		{"range space", func() { useRangeSpaceFrom(2) }, work{12700, 0, 180, 1500}},
		{"range space with lists and rows that are watched", func() {
			useRangeSpaceFrom(2)
			Sizes.Lists, Sizes.Watch = 2, 2
		}, work{13900, 0, 12000, 1500}},
		{"held coordinates", func() { Sizes.Hold, Sizes.HoldShare = 3, 0.4 }, work{15900, 0, 400, 900}},
		{"held from the beginning", func() {
			Sizes.Hold, Sizes.HoldShare, Sizes.Big, Sizes.Lists, Sizes.Watch = 3, 0.4, 3, 2, 2
		}, work{15800, 0, 9000, 900}},
		{"held coordinates and range space", func() {
			Sizes.Hold, Sizes.HoldShare, Sizes.RangeSpace = 3, 0.3, 2
		}, work{14500, 0, 400, 1500}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() { screen.Off = false }()
			useDenseOnly()
			c.set()
			var all work
			for seed := range uint64(seeds) {
				g := newGame(seed)
				g.work = all
				g.play(t, fmt.Sprintf("game %d", seed))
				all = g.work
				if want[seed] == nil { // the first method
					want[seed] = g.answers
				}
				for k, a := range g.answers[:min(len(g.answers), len(want[seed]))] {
					b := want[seed][k]
					if math.Abs(a.value-b.value) > 1e-9*(1+math.Abs(b.value))+a.gap+b.gap {
						t.Errorf("game %d, program %d: got %+v, want %+v as dense", seed, k, a, b)
					}
				}
				if t.Failed() { // one game says enough
					return
				}
			}
			if w := c.want; all.first > w.first || all.again > w.again || all.left > w.left ||
				all.special < w.special {
				t.Errorf("the work is %+v, want at most %+v, and as many special solutions", all, w)
			}
		})
	}
}
