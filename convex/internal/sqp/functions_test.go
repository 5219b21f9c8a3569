package sqp

import (
	"math"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// cube is {x : −r ≤ x_i ≤ r}.
type cube struct {
	n int
	r float64
}

func (c cube) Dim() int { return c.n }

func (c cube) Project(dst, x []float64) {
	for i, v := range x {
		dst[i] = min(max(-c.r, v), c.r)
	}
}

func (c cube) Support(dst, dir []float64) (most float64) {
	for i, v := range dir {
		dst[i] = math.Copysign(c.r, v)
		most += float64(v * dst[i])
	}
	return most
}

func (c cube) Diameter() float64 { return 2 * c.r * math.Sqrt(float64(c.n)) }

func (c cube) domain() quadprog.Domain {
	d := quadprog.Domain{Set: c, Lower: make([]float64, c.n), Upper: make([]float64, c.n)}
	for i := range c.n {
		d.Lower[i], d.Upper[i] = -c.r, c.r
	}
	return d
}

// newSolver returns the zero function over the cube.
func newSolver(c cube) *Solver {
	return New(c.domain(), quadprog.New(c.domain(), c.n))
}

// affine is the function lin·x.
func affine(lin ...float64) quadprog.Quadratic { return quadprog.Quadratic{Lin: lin} }

// ball is ½w‖x − center‖² + offset.
type ball struct {
	w, offset float64
	center    []float64
}

func (f *ball) Value(x []float64) float64 {
	d := vec.Dist(x, f.center)
	return f.w*d*d/2 + f.offset
}

func (f *ball) Subgrad(dst, x []float64) {
	vec.SubTo(dst, x, f.center)
	vec.Scale(dst, f.w)
}

func (f *ball) AddHessian(dst, x []float64, s float64, on []int) {
	n := len(x)
	if on != nil {
		n = len(on)
	}
	for i := range n {
		dst[i*n+i] += s * f.w
	}
}

func (f *ball) Norm1() float64 { return 0 }

// bowl is ½(a·x)² + (a·x)⁴/4 + offset, whose Hessian changes.
type bowl struct {
	a      []float64
	offset float64
}

func (f *bowl) Value(x []float64) float64 {
	u := vec.Dot(f.a, x)
	return u*u/2 + u*u*u*u/4 + f.offset
}

func (f *bowl) Subgrad(dst, x []float64) {
	u := vec.Dot(f.a, x)
	clear(dst)
	vec.Axpy(dst, u+u*u*u, f.a)
}

func (f *bowl) AddHessian(dst, x []float64, s float64, on []int) {
	u, n := vec.Dot(f.a, x), len(x)
	if on != nil {
		panic("no coordinates are held in these tests")
	}
	for i := range n {
		vec.Axpy(dst[i*n:(i+1)*n], s*(1+3*u*u)*f.a[i], f.a)
	}
}

func (f *bowl) Norm1() float64 { return 0 }

// netBall is ‖x‖₁ + ½‖x‖² + offset.
type netBall struct{ ball }

func newNetBall(n int, offset float64) *netBall {
	return &netBall{ball{1, offset, make([]float64, n)}}
}

func (f *netBall) Norm1() float64 { return 1 }

func (f *netBall) Value(x []float64) float64 {
	v := f.ball.Value(x)
	for _, c := range x {
		v += math.Abs(c)
	}
	return v
}

func (f *netBall) Subgrad(dst, x []float64) {
	f.ball.Subgrad(dst, x)
	for i, c := range x {
		dst[i] += sign(c)
	}
}

// objectiveTerms is a function as the part of an objective.
type objectiveTerms struct{ Function }

func (f objectiveTerms) Evaluate(grad, x []float64) float64 {
	f.Subgrad(grad, x)
	return f.Value(x)
}

func (objectiveTerms) IsWorthKeeping() bool { return false }
func (objectiveTerms) KeepHessian(bool)     {}
func (objectiveTerms) KeepsHessian() bool   { return false }
