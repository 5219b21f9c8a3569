package algtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ocobench/convex"
)

// game is a small random game. What it reveals is a pure function of its fields, and is made anew
// in each round, so that no two learners share memory.
type game struct {
	domain string // box, ball or simplex
	kind   string // affine, quadratic, perturbed, norm or fixed
	n, m   int
	rounds int
	seed   uint64

	perm  []int   // of the coordinates, or nil; see permuted
	order []int   // of the constraints, or nil; see reordered
	shift float64 // added to every loss
	unit  float64 // multiplies losses and constraints; 0 stands for 1

	bases []*convex.Basis // of perturbed and norm, by constraint
}

// String names the game in messages.
func (g *game) String() string {
	return fmt.Sprintf("%s/%s/n=%d/m=%d", g.domain, g.kind, g.n, g.m)
}

// slater is the distance below 0 that every constraint keeps at the interior point of the domain.
const slater = 0.1

// newGame returns a game of this kind on this domain, with a seed that n and m determine.
func newGame(domain, kind string, n, m, rounds int) *game {
	g := &game{domain: domain, kind: kind, n: n, m: m, rounds: rounds, seed: uint64(100*n + m)}
	g.makeBases()
	return g
}

// makeBases sets the bases, as the seed and perm determine them.
func (g *game) makeBases() {
	g.bases = nil
	for j := range g.m {
		rng := rand.New(rand.NewPCG(g.seed, uint64(1000+j)))
		switch center := g.permute(uniformVector(rng, g.n, -1, 1)); g.kind {
		case "perturbed":
			g.bases = append(g.bases, convex.NewBasis(
				&convex.HalfSquaredDistance{Weight: 0.5 + rng.Float64()/2, Center: center}))
		case "norm":
			g.bases = append(g.bases, convex.NewBasis(
				&convex.Distance{Weight: 0.5 + rng.Float64()/2, Center: center}))
		}
	}
}

// permuted returns the game whose coordinate i is coordinate perm[i] of g.
func (g *game) permuted(perm []int) *game {
	v := *g
	v.perm = perm
	v.makeBases()
	return &v
}

// reordered returns the game whose constraint j is constraint order[j] of g.
func (g *game) reordered(order []int) *game {
	v := *g
	v.order = order
	return &v
}

// shifted returns the game with this constant added to every loss.
func (g *game) shifted(constant float64) *game {
	v := *g
	v.shift = constant
	return &v
}

// reseeded returns another game of the same kind, on the domain of the next seed.
func (g *game) reseeded() *game {
	v := *g
	v.seed++
	v.makeBases()
	return &v
}

// allGames returns games over all kinds of domains and rounds, n = 1..4, m = 0..3.
func allGames(rounds int) []*game {
	return newGames(rounds, []int{1, 2, 3, 4}, []int{0, 1, 2, 3})
}

// fewGames returns games over all domains and kinds, with n = 1 or 3 and m = 1 or 2.
func fewGames(rounds int) []*game { return newGames(rounds, []int{1, 3}, []int{1, 2}) }

// newGames returns a game for every combination of a domain, a kind, a dimension and a number of
// constraints.
func newGames(rounds int, dims, constraints []int) []*game {
	var list []*game
	for _, domain := range []string{"box", "ball", "simplex"} {
		for _, kind := range []string{"affine", "quadratic", "perturbed", "norm", "fixed"} {
			for _, n := range dims {
				for _, m := range constraints {
					list = append(list, newGame(domain, kind, n, m, rounds))
				}
			}
		}
	}
	return list
}

// uniformVector returns n numbers that are uniform in [lo, hi].
func uniformVector(rng *rand.Rand, n int, lo, hi float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = lo + (hi-lo)*rng.Float64()
	}
	return v
}

// permute returns the coordinates of v in the order of the game.
func (g *game) permute(v []float64) []float64 {
	if g.perm == nil {
		return v
	}
	w := make([]float64, len(v))
	for i, p := range g.perm {
		w[i] = v[p]
	}
	return w
}

// set returns the domain, made anew.
func (g *game) set() convex.Set {
	rng := rand.New(rand.NewPCG(g.seed, 2000))
	var s convex.Set
	var err error
	switch g.domain {
	case "box":
		s, err = convex.NewBox(g.permute(uniformVector(rng, g.n, -1.5, -0.5)),
			g.permute(uniformVector(rng, g.n, 0.5, 1.5)))
	case "ball":
		s, err = convex.NewBall(g.permute(uniformVector(rng, g.n, -0.3, 0.3)), 1.2)
	case "simplex":
		s, err = convex.NewSimplex(g.n, 1.5)
	}
	if err != nil {
		panic("algtest: " + err.Error())
	}
	return s
}

// interiorPoint returns a point in the interior of the domain.
func (g *game) interiorPoint() []float64 {
	z := make([]float64, g.n)
	if g.domain == "simplex" {
		for i := range z {
			z[i] = 1.5 / float64(g.n)
		}
	}
	return z
}

// facts returns constants that hold for every kind of game: points of the domains have norms ≤ 3,
// centres and gradients of affine functions norms ≤ 2, and weights are ≤ 1.
func (g *game) facts() convex.Facts {
	f := convex.Facts{
		LossLipschitz: 5, ConstraintLipschitz: 5, LossRange: 25, ConstraintBound: 30,
		Diameter: g.set().Diameter(), Slater: slater,
		Affine: g.kind == "affine" || g.kind == "fixed", Fixed: g.kind == "fixed",
	}
	if g.kind == "quadratic" {
		f.Curvature = 0.5
	}
	if g.unit != 0 {
		for _, v := range []*float64{&f.LossLipschitz, &f.ConstraintLipschitz, &f.LossRange,
			&f.ConstraintBound, &f.Slater, &f.Curvature} {
			*v *= g.unit
		}
	}
	return f
}

// inUnit returns the game with its losses and constraints, and the facts about them, multiplied by
// the unit.
func (g *game) inUnit(unit float64) *game {
	v := *g
	v.unit = unit
	return &v
}

// scaleToUnit returns f multiplied by the unit of the game.
func (g *game) scaleToUnit(f convex.Func) convex.Func {
	if g.unit == 0 {
		return f
	}
	form := convex.NewForm(g.n)
	f.AddTo(form, g.unit)
	return form
}

// reveal returns round t. Its functions belong to the caller, except for the bases, which are
// immutable and common to all rounds.
func (g *game) reveal(t int) convex.Round {
	rng := rand.New(rand.NewPCG(g.seed, uint64(t)))
	var r convex.Round
	switch g.kind {
	case "quadratic":
		r.Loss = &convex.HalfSquaredDistance{Weight: 0.5 + rng.Float64()/2,
			Center: g.permute(uniformVector(rng, g.n, -1, 1)), Offset: g.shift}
	default:
		r.Loss = &convex.Affine{A: g.permute(uniformVector(rng, g.n, -1, 1)), B: g.shift}
	}
	r.Loss = g.scaleToUnit(r.Loss)
	for j := range g.m {
		r.Constraints = append(r.Constraints, g.scaleToUnit(g.constraint(t, j)))
	}
	if g.order != nil {
		sorted := make([]convex.Func, g.m)
		for j, o := range g.order {
			sorted[j] = r.Constraints[o]
		}
		r.Constraints = sorted
	}
	return r
}

// constraint returns g_{t,j}, which is at most −slater at the interior point.
func (g *game) constraint(t, j int) convex.Func {
	if g.kind == "fixed" {
		t = 1
	}
	rng := rand.New(rand.NewPCG(g.seed, uint64(10000*(j+1)+t)))
	v := g.permute(uniformVector(rng, g.n, -1, 1))
	depth := slater + 0.3*rng.Float64()
	z := g.interiorPoint()
	switch g.kind {
	case "quadratic":
		q := make([]float64, g.n*g.n)
		for i := range g.n {
			q[i*g.n+i] = 0.5
		}
		f := &convex.Quadratic{Q: q, A: v}
		f.B = -depth - f.Value(z)
		return f
	case "perturbed", "norm":
		return &convex.Shifted{Base: g.bases[j], Shift: -depth - g.bases[j].Value(z)}
	}
	f := &convex.Affine{A: v}
	f.B = -depth - f.Value(z)
	return f
}

// overwriteRound overwrites the memory of a round that is over, as a stream that uses it again may.
func overwriteRound(r convex.Round) {
	overwriteFunc(r.Loss)
	for j, g := range r.Constraints {
		overwriteFunc(g)
		r.Constraints[j] = nil
	}
}

// overwriteFunc overwrites the numbers of a function with NaN.
func overwriteFunc(f convex.Func) {
	switch f := f.(type) {
	case *convex.Affine:
		fillWithNaN(f.A)
		f.B = math.NaN()
	case *convex.Quadratic:
		fillWithNaN(f.A)
		fillWithNaN(f.Q)
		f.B = math.NaN()
	case *convex.HalfSquaredDistance:
		fillWithNaN(f.Center)
		f.Weight, f.Offset = math.NaN(), math.NaN()
	case *convex.Shifted: // its base is immutable
		f.Shift = math.NaN()
	}
}

// fillWithNaN overwrites all numbers with NaN.
func fillWithNaN(v []float64) {
	for i := range v {
		v[i] = math.NaN()
	}
}
