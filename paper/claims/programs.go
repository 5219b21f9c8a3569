package claims

import (
	"math"
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// program holds the problem min f(x) over x in D with g_j(x) ≤ 0 for m constraints, which
// have a Slater point z.
type program struct {
	set     convex.Set
	f       *convex.Form
	g       []*convex.Form
	z       []float64
	least   float64 // a certified lower bound of f*, within tol of it
	tol     float64
	margin  float64 // −max_j g_j(z), the margin of the Slater point
	deepest float64 // −min_j g_j(z), the largest margin of a single constraint
}

// drawProgram draws a convex program in up to 3 dimensions with up to 5 constraints, and
// solves it. The margins of the Slater point differ by up to a hundredfold.
func drawProgram(rng *rand.Rand) (*program, error) {
	n, m := 1+rng.IntN(3), 1+rng.IntN(5)
	p := &program{set: convex.Cube(n, -1, 1), margin: math.Inf(1)}
	if rng.IntN(3) == 0 {
		p.set = &convex.Ball{Center: make([]float64, n), Radius: 1}
	}
	p.z = drawPoint(rng, p.set)
	steepness := float64(int(1) << rng.IntN(8)) // 1, 2, …, 128
	p.f = drawFunction(rng, p.z, steepness, 0)
	for range m {
		u := rng.Float64()
		margin := max(0.01, u*u) // squared: small margins are the more frequent ones
		p.g = append(p.g, drawFunction(rng, p.z, 1, margin))
		p.margin, p.deepest = min(p.margin, margin), max(p.deepest, margin)
	}
	solver := convex.NewProgram(p.set)
	for _, g := range p.g {
		solver.Constrain(g)
	}
	sol, err := solver.Minimize(make([]float64, n), p.f)
	p.least = sol.Value - sol.Gap
	p.tol = sol.Gap + float64(1e-9*(1+math.Abs(sol.Value)))
	return p, err
}

// drawSymmetric draws a number in [−1, 1).
func drawSymmetric(rng *rand.Rand) float64 { return float64(2*float64(rng.Float64())) - 1 }

// drawPoint draws from [−1, 1)^n and projects to the set.
func drawPoint(rng *rand.Rand, set convex.Set) []float64 {
	x := make([]float64, set.Dim())
	for k := range x {
		x[k] = drawSymmetric(rng)
	}
	set.Project(x, x)
	return x
}

// drawFunction draws s·(a·(x−z) + q‖x−z‖²/2) − margin with a in [−1, 1)^n and, in half of the
// cases, q in [0, 1), else q = 0. At z it is −margin.
func drawFunction(rng *rand.Rand, z []float64, s, margin float64) *convex.Form {
	f := convex.NewForm(len(z))
	slope := make([]float64, len(z))
	for k := range slope {
		slope[k] = s * drawSymmetric(rng)
	}
	(&convex.Affine{A: slope, B: -margin - vec.Dot(slope, z)}).AddTo(f, 1)
	if rng.IntN(2) == 0 {
		(&convex.HalfSquaredDistance{Weight: s * rng.Float64(), Center: z}).AddTo(f, 1)
	}
	return f
}

// threshold returns γ_0 of the paper's Lemma 1 with depth for −max_j g_j(z): (f(z) − f* + 1)/depth.
func (p *program) threshold(depth float64) float64 {
	return (p.f.Value(p.z) - p.least + 1) / depth
}

// hinges returns H(x) = Σ_j max(0, g_j(x)).
func (p *program) hinges(x []float64) (h float64) {
	for _, g := range p.g {
		h += max(0, g.Value(x))
	}
	return h
}

// minimizePenalised minimises F = f + γH over D, with H the sum of hinges. It writes the minimiser
// to x.
func (p *program) minimizePenalised(gamma float64, x []float64) (convex.Cert, error) {
	sum := convex.NewSum(p.set)
	sum.Add(1, p.f)
	for _, g := range p.g {
		sum.AddHinge(1, g)
	}
	sum.SetGamma(gamma)
	return sum.Minimize(x, convex.Prox{})
}
