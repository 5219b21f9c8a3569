package convex

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// restoreSizes restores, at the end of the test, the numbers of dimensions from which on methods
// for many dimensions are used.
func restoreSizes(t *testing.T) {
	sizes, pairs, singles := quadprog.Sizes, pairFrom, largeSingles
	t.Cleanup(func() { quadprog.Sizes, pairFrom, largeSingles = sizes, pairs, singles })
}

// holdFrom makes quadratic programs hold coordinates from n dimensions on, where a share of them is
// at a bound, and from large dimensions on at once.
func holdFrom(n, large int, share float64) {
	quadprog.Sizes.Hold, quadprog.Sizes.Big, quadprog.Sizes.HoldShare = n, large, share
}

// useRangeSpaceFrom makes the range space serve diagonal Hessians from n dimensions on.
func useRangeSpaceFrom(n int) {
	quadprog.Sizes.RangeSpace, quadprog.Sizes.RangeSpaceDiagonal = n, n
}

// affineGame draws programs and sums over a box, a simplex or a ball.
type affineGame struct {
	r     *rand.Rand
	set   Set
	point []float64 // where every row is at most 0
	rows  []*Form   // that were drawn
}

func newAffineGame(seed uint64) *affineGame {
	r := rand.New(rand.NewPCG(seed, 71))
	n := 3 + r.IntN(8)
	g := &affineGame{r: r, point: make([]float64, n)}
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

// vector draws a vector of which none, a half or two thirds are 0.
func (g *affineGame) vector() []float64 {
	v := make([]float64, len(g.point))
	some := 1 + g.r.IntN(3)
	for i := range v {
		if g.r.IntN(some) == 0 {
			v[i] = g.r.NormFloat64()
		}
	}
	return v
}

// row draws an affine form that is less than 0 at the point: new, one that was drawn before, or a
// multiple or a neighbour of it.
func (g *affineGame) row() *Form {
	f := &Form{Lin: g.vector()}
	if k := len(g.rows); k > 0 && g.r.IntN(3) == 0 {
		last := g.rows[g.r.IntN(k)]
		copy(f.Lin, last.Lin)
		switch f.Const = last.Const; g.r.IntN(3) {
		case 0:
			f.Const *= 2
			vec.Scale(f.Lin, 2)
		case 1:
			vec.Axpy(f.Lin, 1e-3, g.vector())
			f.Const = -vec.Dot(f.Lin, g.point) - 0.1
		}
	} else {
		f.Const = -vec.Dot(f.Lin, g.point) - []float64{1e-3, 0.1, 1}[g.r.IntN(3)]
	}
	g.rows = append(g.rows, f)
	return f
}

// objective draws one that is affine, diagonal, or has a matrix of any rank.
func (g *affineGame) objective() *Form {
	n := len(g.point)
	f := &Form{Lin: g.vector()}
	vec.Scale(f.Lin, 5)
	switch g.r.IntN(3) {
	case 0:
		q := f.quad()
		for i := range n {
			q[i*n+i] = float64(g.r.IntN(3))
		}
	case 1:
		for range 1 + g.r.IntN(n) {
			(&LeastSquares{H: g.vector(), Y: []float64{g.r.NormFloat64()}}).AddTo(f, 1)
		}
	}
	return f
}

// play returns the certificates of programs and sums, which are nil where no point is feasible.
func (g *affineGame) play(t *testing.T, name string) (certs []*Cert) {
	n := len(g.point)
	program, sum, x := NewProgram(g.set), NewSum(g.set), make([]float64, n)
	loss := NewForm(n) // of the sum so far
	var now []*Form    // the constraints
	var hinges []hinge
	gamma := 1.0
	note := func(what string, cert Cert, err error, value float64) {
		t.Helper()
		if errors.Is(err, ErrEmpty) {
			certs = append(certs, nil)
			return
		}
		certs = append(certs, &cert)
		if unit := 1 + abs(value); err != nil || cert.Relative() > 1e-9 ||
			abs(value-cert.Value) > 1e-10*unit || g.set.Residual(x) > 1e-12*unit {
			t.Errorf("%s, %s: %+v (%v), residual %v, want the value %v", name, what, cert, err,
				g.set.Residual(x), value)
		}
	}
	for round := range 6 {
		switch g.r.IntN(5) {
		case 0:
			program.Reset()
			now = nil
		case 1:
			sum.Reset()
			loss.Reset()
			hinges, gamma = nil, 1
		case 2:
			gamma = math.Ldexp(1, g.r.IntN(6)-2)
			sum.SetGamma(gamma)
		}
		for range g.r.IntN(n) {
			f := g.row()
			now = append(now, f)
			w := math.Ldexp(1, g.r.IntN(6)-3)
			hinges = append(hinges, hinge{w, f})
			if g.r.IntN(3) == 0 { // as a basis
				f = Lower(NewBasis(&Affine{A: f.Lin, B: f.Const}), n)
			}
			program.Constrain(f)
			sum.AddHinge(w, f)
		}
		obj, prox := g.objective(), Prox{Weight: math.Ldexp(1, g.r.IntN(8)-4), Center: g.vector()}
		if g.r.IntN(3) == 0 {
			prox = Prox{}
		}
		sol, err := program.minimize(x, obj, prox)
		note(fmt.Sprintf("round %d, program", round), sol.Cert, err, obj.Value(x)+prox.value(x))
		for _, f := range now {
			if v := f.Value(x); v > 1e-11*(1+vec.Norm(f.Lin)) || err != nil {
				t.Errorf("%s, round %d: a constraint is %v (%v), want at most 0", name, round, v, err)
			}
		}
		obj.AddTo(loss, 1)
		sum.Add(1, obj)
		cert, err := sum.Minimize(x, prox)
		value := loss.Value(x) + prox.value(x)
		for _, h := range hinges {
			value += gamma * h.w * max(0, h.f.Value(x))
		}
		note(fmt.Sprintf("round %d, sum", round), cert, err, value)
		if g.r.IntN(4) == 0 { // beyond the point of the set that is farthest in a direction
			f := &Form{Lin: g.vector()}
			most := g.set.Support(x, f.Lin)
			if size := vec.Norm(f.Lin); size > 0 {
				vec.Scale(f.Lin, -1)
				f.Const = most + 0.01*size
				program.Constrain(f)
				sol, err := program.Minimize(x, obj)
				note(fmt.Sprintf("round %d, contradiction", round), sol.Cert, err, obj.Value(x))
				program.Reset()
				now = nil
			}
		}
	}
	return certs
}

// Programs and sums with affine rows, whether these are bases or not, have the same least values by
// every method of quadratic programs, and the same programs have no feasible point.
func TestProgramsAndSumsHaveOneMinimumByEveryMethod(t *testing.T) {
	restoreSizes(t)
	defaults := quadprog.Sizes
	methods := map[string]func(){
		"range space": func() { useRangeSpaceFrom(2); largeSingles = 2 },
		"held":        func() { holdFrom(3, math.MaxInt, 0.4) },
		"held at once, lists, watch": func() {
			holdFrom(3, 3, 0.4)
			quadprog.Sizes.Lists, quadprog.Sizes.Watch = 2, 2
		},
	}
	empty := 0
	for seed := range uint64(150) {
		quadprog.Sizes, largeSingles = defaults, math.MaxInt
		want := newAffineGame(seed).play(t, fmt.Sprintf("game %d", seed))
		for what, set := range methods {
			quadprog.Sizes, largeSingles = defaults, math.MaxInt
			set()
			got := newAffineGame(seed).play(t, fmt.Sprintf("game %d, %s", seed, what))
			for k, w := range want {
				switch c := got[k]; {
				case (w == nil) != (c == nil):
					t.Errorf("game %d, answer %d, %s: %v, want %v", seed, k, what, c, w)
				case w == nil:
					empty++
				case abs(c.Value-w.Value) > 1e-9*(1+abs(w.Value))+c.Gap+w.Gap:
					t.Errorf("game %d, answer %d, %s: %+v, want %+v", seed, k, what, *c, *w)
				}
			}
		}
	}
	if empty < 300 {
		t.Errorf("%d programs have no point, want 300", empty)
	}
}
