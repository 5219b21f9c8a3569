package algorithms

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// WithTwoPoint returns the algorithm with two-point feedback: of round t it gets the
// values of the loss and of every constraint at two points beside the action, and
// nothing else. The error is for an algorithm whose own feedback is not [FirstOrder].
//
// Let c and r be the centre and the radius of a largest ball in the domain, within its
// affine hull of d dimensions, and y_t the action of the learner that is wrapped. With
//
//	ξ_t = 1/(t+1),   δ_t = ξ_t r,   x_t = c + (1−ξ_t)(y_t − c),   u_t uniform on the unit sphere of the hull,
//
// the action is x_t, and x_t ± δ_t u_t are points of D. The learner is shown the round
// of the functions h_t(y) = f_t(c + (1−ξ_t)(y−c)), for f_t the loss and each
// constraint, by the estimates of value and gradient at y_t
//
//	½(f_t(x_t+δ_t u_t) + f_t(x_t−δ_t u_t))   and   (1−ξ_t)·d/(2δ_t)·(f_t(x_t+δ_t u_t) − f_t(x_t−δ_t u_t))·u_t.
//
// Let f̃_t(x) be the mean of f_t over the ball of radius δ_t about x. By the divergence
// theorem the estimated gradient has the expectation of that of f̃_t(c + (1−ξ_t)(y−c)).
// For convex f_t of the Lipschitz constant G, f_t ≤ f̃_t ≤ f_t + Gδ_t.
//
// The estimated gradient p_t has ‖p_t‖ ≤ dG, and
//
//	E‖p_t‖² ≤ κG²,   κ = d²/(d−1) ≤ 2d,   and κ = 1 for d = 1.
//
// Proof: u ↦ f_t(x_t+δu) − f_t(x_t−δu) has the Lipschitz constant 2Gδ and the mean 0 on
// the sphere, whose Poincaré inequality Var ≤ E‖∇‖²/(d−1) bounds its mean square by
// 4G²δ²/(d−1). For affine functions E‖p_t‖² = d‖∂f_t‖². So the learner gets the
// Lipschitz constants √κG, which theorems need that bound Σ‖p_t‖² in expectation.
// Bounds of values are those of the problem. The curvature of h_t is (1−ξ_t)²σ, and
// its Slater margin at least (1−ξ_t)s − ξ_t B: the learner gets σ and s. It does not
// learn that constraints are fixed or known.
//
// Metrics are those of x_t. The mean of the two values of a function exceeds the value
// at x_t by 0 to Gδ_t, which over t rounds is at most Gr·ln(t+1).
//
// The claims of the algorithm are proven for first-order feedback. The only claims with
// two-point feedback are those of a method TwoPointClaims of its parameters. The draws are
// the learner's own, so that the rounds must not depend on the actions ([Oblivious]).
//
// Reference: Shamir, An optimal algorithm for bandit and zero-order convex optimization
// with two-point feedback, JMLR 18, 2017, Section 2; κ, ξ_t and the bounds are derived
// here.
func (a Algorithm) WithTwoPoint() (Algorithm, error) {
	if a.Feedback != FirstOrder {
		return a, fmt.Errorf("%s is of feedback %s, and two-point feedback takes the place of %s", a.Name,
			a.Feedback, FirstOrder)
	}
	start := a.New
	a.New = func(params any, s Setup) (Learner, error) {
		ball, err := inscribedBall(s.Set)
		if err != nil {
			return nil, err
		}
		l, err := start(params, ball.innerSetup(s))
		if err != nil {
			return nil, err
		}
		return newTwoPoint(l, ball, s), nil
	}
	a.Feedback, a.Draws = TwoPoint, true
	if !slices.Contains(a.AssumptionNames(), Oblivious.Name) {
		a.Assumes = append(slices.Clip(a.Assumes), Oblivious)
	}
	a.Cost += ", and two values of every function"
	return a, nil
}

// twoPointClaims returns the claims that are proven with two-point feedback, or nil.
func twoPointClaims(params any) []Claim {
	if p, ok := params.(interface{ TwoPointClaims() []Claim }); ok {
		return p.TwoPointClaims()
	}
	return nil
}

// TwoPointDistance returns δ_t, the distance of the two points of round t from the action; see
// [Algorithm.WithTwoPoint]. It returns an error for a domain of one point.
func TwoPointDistance(set convex.Set, t int) (float64, error) {
	ball, err := inscribedBall(set)
	return ball.radius / float64(t+1), err
}

// inball holds a largest ball in a domain, within the affine hull of the domain.
type inball struct {
	center []float64
	radius float64
	dim    float64 // of the hull
	fixed  []bool  // the coordinates that are constant
	flat   bool    // the domain is a simplex, where the sum of the coordinates is constant
}

// inscribedBall returns a largest ball in the set. It returns an error for a set of one point.
func inscribedBall(set convex.Set) (b inball, err error) {
	n := set.Dim()
	b = inball{center: make([]float64, n), radius: math.Inf(1), dim: float64(n),
		fixed: make([]bool, n)}
	switch set := set.(type) {
	case *convex.Ball:
		copy(b.center, set.Center)
		b.radius = set.Radius
	case *convex.Box:
		for i, lower := range set.Lower {
			half := float64(set.Upper[i]/2) - float64(lower/2)
			b.center[i] = float64(lower/2) + float64(set.Upper[i]/2)
			if b.fixed[i] = half <= 0; b.fixed[i] {
				b.dim--
			} else {
				b.radius = min(b.radius, half)
			}
		}
	case *convex.Simplex:
		for i := range b.center {
			b.center[i] = set.Scale / float64(n)
		}
		b.flat, b.dim = true, float64(n-1)
		b.radius = set.Scale / math.Sqrt(float64(n)*b.dim)
	default:
		panic(fmt.Sprintf("algorithms: no ball is known in a %T", set))
	}
	if b.dim < 1 {
		return b, errors.New("two-point feedback needs a domain of more than one point")
	}
	return b, nil
}

// secondMoment returns κ, for which E‖p_t‖² ≤ κG².
func (b inball) secondMoment() float64 {
	if b.dim == 1 {
		return 1
	}
	return b.dim * b.dim / (b.dim - 1)
}

// innerSetup returns the setup of the wrapped learner: with larger Lipschitz constants, and without
// the facts that estimates do not keep.
func (b inball) innerSetup(s Setup) Setup {
	root := math.Sqrt(b.secondMoment())
	s.Facts.LossLipschitz *= root
	s.Facts.ConstraintLipschitz *= root
	s.Facts.Fixed, s.Facts.Perturbed, s.Facts.KnownConstraints = false, false, false
	return s
}

// drawDirection draws u uniformly from the unit sphere of the hull, as a normal draw that is
// projected on the span and scaled to length 1.
func (b inball) drawDirection(u []float64, rng *rand.Rand) {
	for {
		for i := range u {
			u[i] = 0
			if !b.fixed[i] {
				u[i] = vec.Normal(rng)
			}
		}
		if b.flat {
			mean := vec.Sum(u) / float64(len(u))
			for i := range u {
				u[i] -= mean
			}
		}
		if norm := vec.Norm(u); norm > 1e-3 { // a shorter draw has lost digits: draw again
			for i := range u {
				u[i] /= norm
			}
			return
		}
	}
}

// twoPoint shows a learner of first-order feedback estimates from two points.
type twoPoint struct {
	Learner
	inball
	rng    *rand.Rand
	played int // rounds that are over

	y, u        []float64  // the action of the wrapped learner, and the direction
	plus, minus []float64  // the two points of the round
	estimates   []estimate // of the loss and of each constraint
	round       convex.Round
}

// newTwoPoint returns the learner of two-point feedback that plays l on estimates.
func newTwoPoint(l Learner, ball inball, s Setup) *twoPoint {
	vector := func() []float64 { return make([]float64, s.Set.Dim()) }
	p := &twoPoint{
		Learner: l, inball: ball, rng: rand.New(rand.NewPCG(s.Seed, twoPointStream)),
		y: vector(), u: vector(), plus: vector(), minus: vector(),
		estimates: make([]estimate, 1+s.Constraints),
		round:     convex.Round{Constraints: make([]convex.Func, s.Constraints)},
	}
	for k := range p.estimates {
		p.estimates[k].at, p.estimates[k].along = p.y, p.u
	}
	p.round.Loss = &p.estimates[0]
	for j := range p.round.Constraints {
		p.round.Constraints[j] = &p.estimates[1+j]
	}
	return p
}

// twoPointStream keeps the draws of the directions apart from those of the learner: "two-poin" in
// ASCII.
const twoPointStream = 0x74776f2d706f696e

// shrinkage returns ξ_t = 1/(t+1) of the round t that is played next.
func (p *twoPoint) shrinkage() float64 { return 1 / float64(p.played+2) }

// Act implements [Learner].
func (p *twoPoint) Act(dst []float64) {
	p.Learner.Act(p.y)
	kept := 1 - p.shrinkage()
	for i, c := range p.center {
		dst[i] = c + float64(kept*(p.y[i]-c))
	}
}

// Observe implements [Learner].
func (p *twoPoint) Observe(x []float64, r convex.Round) error {
	p.drawDirection(p.u, p.rng)
	xi := p.shrinkage()
	delta := float64(xi * p.radius)
	vec.AxpyTo(p.plus, delta, p.u, x)
	vec.AxpyTo(p.minus, -delta, p.u, x)
	scale := float64((1-xi)*p.dim) / (2 * delta)
	p.estimates[0].estimateFrom(r.Loss, p.plus, p.minus, scale)
	for j, g := range r.Constraints {
		p.estimates[1+j].estimateFrom(g, p.plus, p.minus, scale)
	}
	p.played++
	return p.Learner.Observe(p.y, p.round)
}

// Cert implements [Certified]; it is zero if the learner is not certified.
func (p *twoPoint) Cert() convex.Cert { return certOf(p.Learner) }

// State implements [Stateful]; it is nil if the learner shows no state.
func (p *twoPoint) State() []State { return StateOf(p.Learner) }

// Err implements [Fallible].
func (p *twoPoint) Err() error {
	if l, ok := p.Learner.(Fallible); ok {
		return l.Err()
	}
	return nil
}

// Close implements [io.Closer].
func (p *twoPoint) Close() error {
	if c, ok := p.Learner.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// estimate is a function that is known at one point, the action of the wrapped learner. It
// implements [convex.Func], and panics if it is asked for more.
type estimate struct {
	at, along    []float64
	value, slope float64
}

// estimateFrom estimates the value and the slope of f along the direction from its values at two
// points.
func (e *estimate) estimateFrom(f convex.Func, plus, minus []float64, scale float64) {
	above, below := f.Value(plus), f.Value(minus)
	e.value = float64(above/2) + float64(below/2)
	e.slope = scale * (above - below)
}

// requireAction panics unless x is the action of the wrapped learner.
func (e *estimate) requireAction(x []float64) {
	if !slices.Equal(x, e.at) {
		panic("algorithms: with two-point feedback a function is known at the action of the learner " +
			"alone")
	}
}

// Value implements [convex.Func].
func (e *estimate) Value(x []float64) float64 {
	e.requireAction(x)
	return e.value
}

// Subgrad implements [convex.Func].
func (e *estimate) Subgrad(dst, x []float64) {
	e.requireAction(x)
	for i, u := range e.along {
		dst[i] = e.slope * u
	}
}

// AddTo implements [convex.Func].
func (e *estimate) AddTo(*convex.Form, float64) {
	panic("algorithms: with two-point feedback a function has no normal form")
}
