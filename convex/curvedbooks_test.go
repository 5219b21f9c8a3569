package convex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/sqp"
	"ocobench/convex/vec"
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
	r           *rand.Rand
	set         Set
	point       []float64 // where every constraint holds
	bases       []*Basis
	evaluations int
	loss        *Form
	hinges      []hinge
	gamma       float64
	work        iterations
}

// iterations counts those of first and of repeated minimisations.
type iterations struct{ first, again int }

func newCurvedGame(seed uint64) *curvedGame {
	r := rand.New(rand.NewPCG(3*seed+seed/3%3, 71))
	n := 3 + r.IntN(6)
	if (3*seed+seed/3%3)%20 == 1 {
		n = vec.Long + r.IntN(3) // sums are of other code
	}
	g := &curvedGame{r: r, point: make([]float64, n), gamma: 1, loss: NewForm(n)}
	switch seed / 3 % 3 {
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
	g.r = rand.New(rand.NewPCG(seed, 73))
	for k := range 3 {
		f := Func(&HalfSquaredDistance{Weight: 0.5 + g.r.Float64(), Center: g.vector()})
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

func (g *curvedGame) vector() []float64 {
	v := make([]float64, len(g.point))
	some := 1 + g.r.IntN(3)
	for i := range v {
		if g.r.IntN(some) == 0 {
			v[i] = g.r.NormFloat64()
		}
	}
	return v
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
	value func(x []float64) float64) int {
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
		for _, count := range []*int{&g.work.first, &g.work.again} {
			cert, err := sum.Minimize(x, prox)
			*count += g.check(t, what+", a sum", x, cert, err, ofSum)
			sol, err := program.minimize(x, g.loss, prox)
			*count += g.check(t, what+", a program", x, sol.Cert, err, ofProgram)
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
// functions and certificates, and all together take no more ascents and evaluations than they
// did, up to a few.
func TestCurvedWork(t *testing.T) {
	const never = math.MaxInt
	for _, c := range []struct {
		name             string
		rangeSpace, hold int // from how many dimensions on
		big, model       int
		most             iterations
		evaluations      int
	}{
		{"small", never, never, never, never, iterations{first: 3150, again: 560}, 145000},
		{"large", never, never, never, 2, iterations{first: 3000, again: 400}, 144000},
		{"held", never, 3, never, 2, iterations{first: 3050, again: 380}, 144500},
		{"held at first", never, 3, 3, 2, iterations{first: 2800, again: 390}, 144500},
		{"range space", 2, never, never, 2, iterations{first: 3050, again: 410}, 144000},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, programs := quadprog.Sizes, sqp.Sizes
			defer func() { quadprog.Sizes, sqp.Sizes = rows, programs }()
			quadprog.Sizes.RangeSpace, quadprog.Sizes.RangeSpaceDiagonal = c.rangeSpace, c.rangeSpace
			quadprog.Sizes.Hold, quadprog.Sizes.Big, quadprog.Sizes.HoldShare = c.hold, c.big, 0.3
			sqp.Sizes.LargeModel = c.model
			var all iterations
			evaluations := 0
			for seed := range uint64(60) {
				g := newCurvedGame(seed)
				g.work = all
				g.play(t, fmt.Sprintf("game %d", seed))
				all = g.work
				evaluations += g.evaluations
			}
			if all.first > c.most.first || all.again > c.most.again || evaluations > c.evaluations {
				t.Errorf("the work is %+v with %d evaluations, want at most %+v, %d", all, evaluations,
					c.most, c.evaluations)
			}
		})
	}
}
