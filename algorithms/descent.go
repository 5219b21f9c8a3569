package algorithms

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// startDefinition states the parameter of [FirstAction].
var startDefinition = []string{
	"$x_1 = Π(x_0)$, with the projection Π on $D$ and $x_0$ the parameter x0.",
}

// FirstAction is the parameter x0, for embedding in the parameters of an
// algorithm: the first action is x_1 = Π(x_0).
type FirstAction struct {
	X0 []float64 `name:"x0" doc:"first action, projected; one number stands for all coordinates, default the origin; random draws it for every game"`
}

// Point returns x_0 in n dimensions: the coordinates given, one number for all
// of them, or the origin if none are given. Any other number of coordinates is
// an error.
func (p FirstAction) Point(n int) ([]float64, error) {
	x := make([]float64, n)
	switch len(p.X0) {
	case 0:
	case 1:
		for i := range x {
			x[i] = p.X0[0]
		}
	case n:
		copy(x, p.X0)
	default:
		return nil, fmt.Errorf("x0 has %d coordinates; the domain has %d", len(p.X0), n)
	}
	return x, nil
}

// Project returns x_1 = Π(x_0), with the errors of [FirstAction.Point].
func (p FirstAction) Project(set convex.Set) ([]float64, error) {
	x, err := p.Point(set.Dim())
	if err != nil {
		return nil, err
	}
	set.Project(x, x)
	return x, nil
}

// Descent is the state of a projected gradient method, for embedding in a
// learner. It plays
//
//	x_{t+1} = Π(x_t − α_t(∂f_t(x_t) + Σ_j λ_{t,j}∂g_{t,j}(x_t))),   x_1 = Π(x_0),
//
// where the learner chooses α_t and λ_t. A round of primal-dual, for example,
// with λ_{t+1} = [λ_t + αg_t(x_{t+1})]₊, is
//
//	func (l *learner) Observe(_ []float64, r convex.Round) error {
//		l.Begin(r.Loss)
//		for j, g := range r.Constraints {
//			l.Add(l.lambda[j], g)
//		}
//		l.Step(alpha)
//		for j, g := range r.Constraints {
//			l.lambda[j] = max(0, l.lambda[j]+float64(alpha*g.Value(l.X)))
//		}
//		return nil
//	}
//
// The methods cost O(n) besides the subgradients and values that they ask for;
// Step costs a projection. None allocates.
type Descent struct {
	T    int       // the number of rounds begun
	X    []float64 // x_t, and x_{t+1} after Step
	Grad []float64 // the gradient of the step

	set   convex.Set
	piece []float64 // scratch: the subgradient of one constraint
}

// NewDescent starts at x_1 = Π(x_0). It returns the error of [FirstAction.Point].
func NewDescent(s Setup, x0 FirstAction) (Descent, error) {
	x, err := x0.Project(s.Set)
	n := s.Set.Dim()
	return Descent{set: s.Set, X: x, Grad: make([]float64, n), piece: make([]float64, n)}, err
}

// Act implements [Learner].
func (d *Descent) Act(dst []float64) { copy(dst, d.X) }

// Begin begins the next round: it sets Grad to ∂f(x_t).
func (d *Descent) Begin(loss convex.Func) {
	d.T++
	loss.Subgrad(d.Grad, d.X)
}

// Add adds lambda·∂g(x_t) to Grad. It does not look at g if lambda is 0.
func (d *Descent) Add(lambda float64, g convex.Func) {
	if lambda == 0 {
		return
	}
	convex.AddSubgrad(d.Grad, lambda, g, d.X, d.piece)
}

// AddLargest adds lambda·∂g(x_t) to Grad, where g is the constraint that is largest at x_t, and
// returns g(x_t). Without constraints it returns 0.
func (d *Descent) AddLargest(lambda float64, constraints []convex.Func) float64 {
	g, value := d.Largest(constraints)
	if g != nil {
		d.Add(lambda, g)
	}
	return value
}

// Largest returns the constraint that is largest at x_t, the first of several,
// and its value; a NaN counts as the largest. Without constraints it returns
// nil and 0.
func (d *Descent) Largest(constraints []convex.Func) (largest convex.Func, value float64) {
	for j, g := range constraints {
		if v := g.Value(d.X); j == 0 || v > value || math.IsNaN(v) {
			largest, value = g, v
		}
	}
	return largest, value
}

// Step moves X to Π(X − alpha·Grad).
func (d *Descent) Step(alpha float64) {
	vec.Axpy(d.X, -alpha, d.Grad)
	d.set.Project(d.X, d.X)
}
