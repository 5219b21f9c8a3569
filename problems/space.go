package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Space are the parameters of problems whose domain is chosen; see [spaceDefinition].
type Space struct {
	Dim    int     `name:"dim" doc:"dimension n" min:"1" max:"1000"`
	Set    string  `name:"set" doc:"domain: the box [−radius, radius]^n, the ball ‖x‖ ≤ radius, or the simplex x ≥ 0, Σx = radius" enum:"box,ball,simplex"`
	Radius float64 `name:"radius" doc:"size of the domain" above:"0" max:"1e6"`
}

// spaceDefinition states the domain of [Space] and the draws of its vectors.
var spaceDefinition = []string{
	"$D$ is, by set, the box $[−R, R]^n$, the ball $‖x‖ ≤ R$ or the simplex $x ≥ 0$, $Σ_i x_i = " +
		"R$, with $n = dim$ and $R = radius$. Its centre $z$ is 0 or, in the simplex, $(R/n, …, " +
		"R/n)$.",
	"The drift $d$ is drawn once: the direction of a uniform vector of $[−1, 1]^n$, less its mean " +
		"on the simplex. A vector near $d$ is $(d + ρe)/‖d + ρe‖$ with $ρ$ uniform on $[0, 1]$ and " +
		"$e$ a random unit vector orthogonal to $d$.",
}

// space is a domain with the numbers that generators need.
type space struct {
	set    convex.Set
	n      int
	center []float64
	reach  float64 // largest distance of a point of the domain from z
	flat   bool    // a simplex: the domain is thin in the direction (1, …, 1)

	inradius float64 // least distance of a point of its boundary from z
}

// new returns the domain, or an error for parameters that describe none.
func (p Space) new() (space, error) {
	s := space{n: p.Dim, center: make([]float64, p.Dim), reach: p.Radius, inradius: p.Radius}
	switch p.Set {
	case "box":
		s.set = convex.Cube(p.Dim, -p.Radius, p.Radius)
		s.reach = p.Radius * math.Sqrt(float64(p.Dim))
	case "ball":
		ball, err := convex.NewBall(s.center, p.Radius)
		if err != nil {
			return space{}, err
		}
		s.set = ball
	case "simplex":
		if p.Dim < 2 {
			return space{}, fmt.Errorf("a simplex in one dimension is a point: give dim=2 or more, or " +
				"set=box")
		}
		simplex, err := convex.NewSimplex(p.Dim, p.Radius)
		if err != nil {
			return space{}, err
		}
		s.set, s.flat = simplex, true
		for i := range s.center {
			s.center[i] = p.Radius / float64(p.Dim)
		}
		s.reach = p.Radius * math.Sqrt(1-1/float64(p.Dim))
		s.inradius = p.Radius / math.Sqrt(float64(p.Dim*(p.Dim-1)))
	default:
		return space{}, fmt.Errorf("set: unknown value %q (expected one of box, ball, simplex)", p.Set)
	}
	return s, nil
}

// direction returns a unit vector along the domain: a uniform draw from
// [−1, 1]^n, minus its mean on a simplex, scaled to length 1.
func (s space) direction(rng *rand.Rand) []float64 {
	d := make([]float64, s.n)
	for {
		for i := range d {
			d[i] = uniform(rng, -1, 1)
		}
		if s.flat {
			mean := vec.Sum(d) / float64(s.n)
			for i := range d {
				d[i] -= mean
			}
		}
		if norm := vec.Norm(d); norm > 1e-3 { // a shorter draw has lost digits: draw again
			vec.Scale(d, 1/norm)
			return d
		}
	}
}

// near returns a unit vector at most 45° from the unit vector d: d plus an
// orthogonal vector of a length that is uniform on [0, 1], scaled to length 1.
// On a line it is d.
func (s space) near(d []float64, rng *rand.Rand) []float64 {
	across, rho := s.direction(rng), rng.Float64()
	vec.Axpy(across, -vec.Dot(across, d), d)
	norm := vec.Norm(across)
	if norm < 1e-3 { // nearly parallel to d, as always on a line: no direction is left but rounding
		norm = 1
	}
	a := make([]float64, s.n)
	vec.AxpyTo(a, rho/norm, across, d)
	vec.Scale(a, 1/vec.Norm(a))
	return a
}

// behind returns z − h·d for a unit vector d, h being the inradius (see [Shapes]).
func (s space) behind(d []float64) []float64 {
	x := make([]float64, s.n)
	vec.AxpyTo(x, -s.inradius, d, s.center)
	return x
}

// farthest returns the largest distance of a point of the domain from a point z of it.
func (s space) farthest(z []float64) float64 {
	switch set := s.set.(type) {
	case *convex.Box:
		corner := make([]float64, s.n)
		for i, v := range z {
			corner[i] = max(set.Upper[i]-v, v-set.Lower[i])
		}
		return vec.Norm(corner)
	case *convex.Simplex:
		farthest, corner := 0.0, make([]float64, s.n)
		for i := range corner {
			corner[i] = set.Scale
			farthest = max(farthest, vec.Dist(z, corner))
			corner[i] = 0
		}
		return farthest
	}
	return vec.Norm(z) + s.reach // a ball about 0
}

// satisfied reports whether all functions are at most v at x.
func satisfied(fs []convex.Func, x []float64, v float64) bool {
	return !slices.ContainsFunc(fs, func(f convex.Func) bool { return f.Value(x) > v })
}

// centred returns a uniform draw from [-1, 1): uniform(rng, -1, 1), inlined.
func centred(rng *rand.Rand) float64 {
	// The 53 random bits divided by 2⁵², and 1 subtracted, are exact on all platforms.
	return float64(float64(rng.Uint64()<<11>>11)/(1<<52)) - 1
}

// uniform returns a uniform draw from [lo, hi).
func uniform(rng *rand.Rand, lo, hi float64) float64 {
	return lo + float64((hi-lo)*rng.Float64())
}

// normal returns a standard normal draw, of a size of at most maxNormal.
func normal(rng *rand.Rand) float64 { return vec.Normal(rng) }

// maxNormal bounds |normal|, which is at most √(−2 log 2⁻⁵³) = 8.5717.
const maxNormal = 8.572

// Losses are the parameters of i.i.d. losses that decrease, on average, in one
// direction: that of a unit vector d, the drift; see [lossesDefinition].
type Losses struct {
	LossNoise float64 `name:"loss-noise" doc:"size of the noise of the losses, whose mean has size 1" min:"0" max:"1e6"`
	Curvature float64 `name:"curvature" doc:"0: losses are linear; else σ of the losses ½σ‖x−θ_t‖²" min:"0" max:"1e6"`
}

// lossesDefinition states the losses of [Losses].
var lossesDefinition = []string{
	"$f_t(x) = −(d + ε·v_t)·x$ for $σ = 0$, else $f_t(x) = ½σ‖x − θ_t‖²$ with $θ_t = z + R(d + " +
		"ε·v_t)$,",
	"where $σ = curvature$, $ε = loss-noise$ and $v_t$ is uniform on $[−1, 1]^n/√n$, independent.",
}

// losses draws the functions of [Losses].
type losses struct {
	drift     []float64 // d
	noise     float64   // ε/√n
	curvature float64   // σ
	center    []float64 // z
	radius    float64   // R

	slope, target []float64 // −(d + ε·v_t) and θ_t of the round
	linear        convex.Affine
	squared       convex.HalfSquaredDistance
}

// newLosses returns the losses with this drift on a domain of this radius.
func newLosses(p Losses, s space, radius float64, drift []float64) *losses {
	return &losses{
		drift:     drift,
		noise:     p.LossNoise / math.Sqrt(float64(s.n)),
		curvature: p.Curvature,
		center:    s.center,
		radius:    radius,
		slope:     make([]float64, s.n),
		target:    make([]float64, s.n),
	}
}

// declare adds the facts of the losses to those of a stream.
func (p Losses) declare(f *convex.Facts, s space, radius float64) {
	f.LossLipschitz = 1 + p.LossNoise
	if p.Curvature > 0 {
		f.LossLipschitz = p.Curvature * (s.reach + float64(radius*(1+p.LossNoise)))
	}
	f.LossRange = f.LossLipschitz * s.set.Diameter()
	f.Curvature = p.Curvature
}

// draw returns the loss of the next round. It is valid until the next draw.
func (l *losses) draw(rng *rand.Rand) convex.Func {
	a, noise := l.slope[:len(l.drift)], l.noise
	for i, d := range l.drift {
		a[i] = -(d + float64(noise*centred(rng)))
	}
	if l.curvature == 0 {
		l.linear = convex.Affine{A: a}
		return &l.linear
	}
	vec.AxpyTo(l.target, -l.radius, a, l.center)
	l.squared = convex.HalfSquaredDistance{Weight: l.curvature, Center: l.target}
	return &l.squared
}

// Shapes are the parameters of constraints g_1, …, g_m that the centre z of the
// domain satisfies with a margin, and that are violated in the direction of the
// drift d of the losses; see [shapesDefinition]. Along the ray from z in the direction d, g_1
// is 0 at a
// distance of at most √2·margin. That point is in the domain for margin < h/√2, h
// being the inradius (radius of a box or ball, radius/√(n(n−1)) of a simplex).
type Shapes struct {
	Constraints int     `name:"constraints" doc:"number of constraints m" min:"1" max:"1000"`
	Kind        string  `name:"kind" doc:"of the constraints: a·(x−z) − μ, that plus a convex quadratic form, or a ball ‖x−c‖ ≤ ρ" enum:"affine,quadratic,norm"`
	Margin      float64 `name:"margin" doc:"the centre z of the domain has g_j(z) ≤ −margin, with equality for j = 1" above:"0" max:"1e6"`
}

// shapesDefinition states the constraints of [Shapes].
var shapesDefinition = []string{
	"$m = constraints$ functions are drawn once, with $a_j$ near $d$, $μ_1 = margin$ and the other " +
		"$μ_j$ uniform on $[margin, 2·margin]$. By kind,",
	"affine: $g_j(x) = a_j·(x − z) − μ_j$;",
	"quadratic: $g_j(x) = ½(x − z)ᵀQ_j(x − z) + a_j·(x − z) − μ_j$, $Q_j$ the mean of $u uᵀ/R$ " +
		"over $n$ draws $u$ as of $d$;",
	"norm: $g_j(x) = ‖x − z + s_j a_j‖ − s_j − μ_j$, $s_j$ uniform on $[0, R]$.",
}

// shapes are the constraints of [Shapes].
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
		a, margin := s.near(drift, rng), uniform(rng, p.Margin, float64(2*p.Margin))
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

// newShape returns a constraint of [Shapes], frozen, with the slope a, which must be a
// unit vector for kind=norm only, and a bound of the norms of its subgradients
// in the domain minus that of a.
func newShape(kind string, s space, radius float64, a []float64, margin float64,
	rng *rand.Rand) (convex.Func, float64, error) {
	switch n := s.n; kind {
	case "affine":
		return convex.Freeze(&convex.Affine{A: a, B: -vec.Dot(a, s.center) - margin}), 0, nil
	case "quadratic":
		q := make([]float64, n*n)
		for range n {
			u := s.direction(rng)
			for i, v := range u {
				vec.Axpy(q[i*n:(i+1)*n], v/(float64(n)*radius), u)
			}
		}
		// ½(x−z)ᵀQ(x−z) + a·(x−z) − μ = ½xᵀQx + (a−Qz)·x + ½zᵀQz − a·z − μ
		zq := 0.0
		for i, v := range s.center {
			vec.Axpy(a, -v, q[i*n:(i+1)*n])
			zq += float64(v * vec.Dot(q[i*n:(i+1)*n], s.center))
		}
		b := -vec.Dot(a, s.center) - float64(zq/2) - margin
		f, err := convex.NewQuadratic(q, a, b)
		// The trace of Q, which bounds its norm, is 1/radius.
		return convex.NewBasis(f), s.reach / radius, err
	case "norm":
		setback := uniform(rng, 0, radius) // s_j
		c := make([]float64, n)
		vec.AxpyTo(c, -setback, a, s.center)
		return convex.NewBasis(&convex.Distance{Weight: 1, Center: c, Offset: -setback - margin}), 0, nil
	}
	return nil, 0, fmt.Errorf("kind: unknown value %q (expected one of affine, quadratic, norm)", kind)
}
