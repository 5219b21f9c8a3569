package problems

import (
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Shapes are the parameters of constraints g_1, …, g_m that the centre z of the domain satisfies
// with a margin, and that are violated in the direction of the drift d of the losses; see
// [shapesDefinition]. Along the ray from z in the direction d, g_1 is 0 at a distance of at most
// √2·margin. That point is in the domain for margin < h/√2, where the inradius h is the radius of a
// box or ball, and radius/√(n(n−1)) of a simplex.
type Shapes struct {
	Constraints int     `name:"constraints" doc:"number of constraints m" min:"1" max:"1000"`
	Kind        string  `name:"kind" doc:"of the constraints: a·(x−z) − μ, that plus a convex quadratic form, or a ball ‖x−c‖ ≤ ρ" enum:"affine,quadratic,norm"`
	Margin      float64 `name:"margin" doc:"the centre z of the domain has g_j(z) ≤ −margin, with equality for j = 1" above:"0" max:"1e6"`
}

// shapesDefinition states the constraints of [Shapes]; d, near, z and R are those of
// [spaceDefinition].
var shapesDefinition = []string{
	"$m = constraints$ functions are drawn once, with $a_j$ near $d$, $μ_1 = margin$ and the other " +
		"$μ_j$ uniform on $[margin, 2·margin]$. By kind,",
	"affine: $g_j(x) = a_j·(x − z) − μ_j$;",
	"quadratic: $g_j(x) = ½(x − z)ᵀQ_j(x − z) + a_j·(x − z) − μ_j$, $Q_j$ the mean of $u uᵀ/R$ " +
		"over $n$ vectors $u$, each drawn like $d$;",
	"norm: $g_j(x) = ‖x − z + s_j a_j‖ − s_j − μ_j$, $s_j$ uniform on $[0, R]$.",
}

// shapes holds the constraints of [Shapes] that were drawn.
type shapes struct {
	funcs     []convex.Func // frozen
	margins   []float64     // μ_j
	lipschitz float64       // bounds their Lipschitz constants
	bound     float64       // bounds their sizes on the domain
}

// newShapes draws the constraints on a domain of this radius.
func newShapes(p Shapes, s space, radius float64, drift []float64, rng *rand.Rand) (shapes, error) {
	var out shapes
	for j := range p.Constraints {
		a, margin := s.drawNear(drift, rng), uniform(rng, p.Margin, float64(2*p.Margin))
		if j == 0 {
			margin = p.Margin
		}
		f, excess, err := newShape(p.Kind, s, radius, a, margin, rng)
		if err != nil {
			return shapes{}, err
		}
		lipschitz := 1 + excess
		out.funcs = append(out.funcs, f)
		out.margins = append(out.margins, margin)
		out.lipschitz = max(out.lipschitz, lipschitz)
		out.bound = max(out.bound, margin+float64(lipschitz*s.reach))
	}
	return out, nil
}

// newShape returns a frozen constraint of [Shapes] with the slope a at the centre, a unit vector at
// most 45° from the drift. It keeps a, and may change it. excess bounds by how much subgradients in
// the domain are longer than a.
func newShape(kind string, s space, radius float64, a []float64, margin float64,
	rng *rand.Rand) (f convex.Func, excess float64, err error) {
	switch n := s.n; kind {
	case "affine":
		return convex.Freeze(&convex.Affine{A: a, B: -vec.Dot(a, s.center) - margin}), 0, nil
	case "quadratic":
		q := make([]float64, n*n)
		for range n {
			u := s.drawDirection(rng)
			for i, v := range u {
				vec.Axpy(q[i*n:(i+1)*n], v/(float64(n)*radius), u)
			}
		}
		// ½(x−z)ᵀQ(x−z) + a·(x−z) − μ = ½xᵀQx + (a−Qz)·x + ½zᵀQz − a·z − μ
		zQz := 0.0
		for i, v := range s.center {
			vec.Axpy(a, -v, q[i*n:(i+1)*n])
			zQz += float64(v * vec.Dot(q[i*n:(i+1)*n], s.center))
		}
		b := -vec.Dot(a, s.center) - float64(zQz/2) - margin
		f, err := convex.NewQuadratic(q, a, b)
		// The trace of Q, which bounds its norm, is 1/radius.
		return convex.NewBasis(f), s.reach / radius, err
	default: // norm
		setback := uniform(rng, 0, radius) // s_j
		c := make([]float64, n)
		vec.AxpyTo(c, -setback, a, s.center)
		return convex.NewBasis(&convex.Distance{Weight: 1, Center: c, Offset: -setback - margin}), 0, nil
	}
}
