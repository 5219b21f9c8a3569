package convex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// counted is a curve that counts its evaluations.
type counted struct {
	Curve
	n *int
}

func (c counted) Value(u float64) float64     { *c.n++; return c.Curve.Value(u) }
func (c counted) Slope(u float64) float64     { *c.n++; return c.Curve.Slope(u) }
func (c counted) Curvature(u float64) float64 { *c.n++; return c.Curve.Curvature(u) }

// curvedGame is a sequence of sums and of programs with functions that are not affine: losses of
// their own, and hinges and constraints of few bases.
type curvedGame struct {
	booksGame
	bases       []*Basis
	evaluations int
	loss        *Form
	hinges      []hinge
	gamma       float64
}

func newCurvedGame(seed uint64) *curvedGame {
	g := &curvedGame{booksGame: *newBooksGame(3*seed + seed/3%3), gamma: 1}
	g.r, g.loss = rand.New(rand.NewPCG(seed, 73)), NewForm(len(g.point))
	for k := range 3 {
		f := Func(&SquaredDistance{Weight: 0.5 + g.r.Float64(), Center: g.vector()})
		switch (seed/2 + uint64(k)) % 4 {
		case 0:
			f = NewBasis(g.ridge())
		case 1:
			f = NewBasis(&Separable{Curve: counted{Exp{}, &g.evaluations}, Weight: 1, Rate: g.vector()})
		case 2:
			f = &Affine{A: g.vector(), B: g.r.NormFloat64()}
		}
		g.bases = append(g.bases, NewBasis(f))
	}
	if seed%5 == 0 {
		g.bases[0] = NewBasis(&ElasticNet{L1: 1, L2: g.r.Float64(), Offset: -1})
	}
	return g
}

func (g *curvedGame) ridge() *Ridge {
	curve := []Curve{Exp{}, Softplus{}}[g.r.IntN(2)]
	return &Ridge{Curve: counted{curve, &g.evaluations}, Weight: 1, A: g.vector(), B: g.r.NormFloat64()}
}

// row is a constraint at the point, or a hinge: of a basis, of two, of all and x, or affine.
func (g *curvedGame) row() *Form {
	f := NewForm(len(g.point))
	positive := func(k int) { g.bases[k].AddTo(f, 0.1+g.r.Float64()) }
	switch g.r.IntN(5) {
	case 0, 1:
		positive(g.r.IntN(3))
	case 2:
		positive(0)
		positive(1)
		return f
	case 3:
		positive(2)
		positive(1)
		copy(f.Lin, g.vector())
	default:
		copy(f.Lin, g.vector())
	}
	f.Const = -f.Value(g.point) - math.Ldexp(1, g.r.IntN(5)-4)
	return f
}

// check looks at a solution and returns its iterations.
func (g *curvedGame) check(t *testing.T, what string, x []float64, cert Cert, err error,
	p *activeSet, value func(x []float64) float64) int {
	t.Helper()
	before := g.evaluations
	v, unit := value(x), 1+abs(cert.Value)
	switch {
	case err != nil || !(cert.Relative() <= 1e-9) || g.set.Residual(x) > 1e-12*unit:
		t.Errorf("%s: %+v, residual %v (%v)", what, cert, g.set.Residual(x), err)
	case abs(v-cert.Value) > 1e-11*unit:
		t.Errorf("%s: the value is %v, not %v", what, v, cert.Value)
	case value(g.point) < cert.Value-cert.Gap-1e-9*unit:
		t.Errorf("%s: %v at another point, less than %+v", what, value(g.point), cert)
	}
	for _, w := range p.audit() {
		t.Errorf("%s, reduced %v, held %v: %s", what, p.reduced.on, p.held.any(), w)
	}
	g.evaluations = before
	return cert.Iterations
}

func (g *curvedGame) play(t *testing.T, name string) {
	n := len(g.point)
	program, sum, x := NewProgram(g.set), NewSum(g.set), make([]float64, n)
	var now []*Form
	for round := range 6 {
		what := fmt.Sprintf("%s, round %d", name, round)
		switch g.r.IntN(6) {
		case 0:
			program.Reset()
			now = nil
		case 1:
			sum.ResetHinges()
			g.hinges = nil
		case 2:
			g.gamma = math.Ldexp(1, g.r.IntN(5)-1)
			sum.SetGamma(g.gamma)
		case 3:
			sum.Reset()
			g.loss.Reset()
			g.hinges, g.gamma = nil, 1
		}
		loss := NewBasis(g.ridge())
		loss.AddTo(g.loss, 1)
		sum.Add(1, loss)
		for range 1 + g.r.IntN(3) {
			f := g.row()
			w := math.Ldexp(1, g.r.IntN(5)-2)
			g.hinges = append(g.hinges, hinge{w, f})
			sum.AddHinge(w, f)
			if f = g.row(); f.Value(g.point) < -1e-3 {
				now = append(now, f)
				program.Constrain(f)
			}
		}
		prox := Prox{Weight: math.Ldexp(1, g.r.IntN(4)-2), Center: g.vector()}
		ofSum := func(x []float64) float64 {
			v := g.loss.Value(x) + prox.value(x)
			for _, h := range g.hinges {
				v += g.gamma * h.w * max(0, h.f.Value(x))
			}
			return v
		}
		ofProgram := func(x []float64) float64 { return g.loss.Value(x) + prox.value(x) }
		for _, iterations := range []*int{&g.work.first, &g.work.again} {
			cert, err := sum.Minimize(x, prox)
			*iterations += g.check(t, what+", a sum", x, cert, err, sum.rows, ofSum)
			sol, err := program.minimize(x, g.loss, prox)
			*iterations += g.check(t, what+", a program", x, sol.Cert, err, program.rows, ofProgram)
			for _, f := range now {
				before := g.evaluations
				if v := f.Value(x); v > 1e-9 || sol.Residual < v-1e-12 {
					t.Errorf("%s: a constraint is %v, the residual %v", what, v, sol.Residual)
				}
				g.evaluations = before
			}
		}
	}
}

// TestCurvedWork plays games of functions that are not affine. Solutions have the values of their
// functions and certificates, active sets keep their books, and all together take no more ascents
// and evaluations than they did, up to a few.
func TestCurvedWork(t *testing.T) {
	const never = math.MaxInt
	for _, c := range []struct {
		name          string
		reduced, hold int // from how many dimensions on
		large, model  int
		most          work
		evaluations   int
	}{
		{"small", never, never, never, never, work{first: 3150, again: 560}, 145000},
		{"large", never, never, never, 2, work{first: 3000, again: 400}, 144000},
		{"held", never, 3, never, 2, work{first: 3050, again: 380}, 144500},
		{"held at first", never, 3, 3, 2, work{first: 2800, again: 390}, 144500},
		{"reduced", 2, never, never, 2, work{first: 3050, again: 410}, 144000},
	} {
		t.Run(c.name, func(t *testing.T) {
			holdingFrom(t, c.hold, c.large, 0.3)
			defer func(a, b, m int) { reducedFrom, reducedDiagonalFrom, largeModel = a, b, m }(reducedFrom,
				reducedDiagonalFrom, largeModel)
			reducedFrom, reducedDiagonalFrom, largeModel = c.reduced, c.reduced, c.model
			var all work
			evaluations := 0
			for seed := range uint64(60) {
				g := newCurvedGame(seed)
				g.work = all
				g.play(t, fmt.Sprintf("game %d", seed))
				all = g.work
				evaluations += g.evaluations
			}
			if !all.within(c.most) || evaluations > c.evaluations {
				t.Errorf("the work is %+v with %d evaluations, want at most %+v, %d", all, evaluations,
					c.most, c.evaluations)
			}
		})
	}
}
