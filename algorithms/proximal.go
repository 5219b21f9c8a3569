package algorithms

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// proximal is the common part of methods that linearise the losses but not the constraints, for
// embedding. Their actions minimise, over the domain,
//
//	∂f_t(x_t)·x + Σ_j c_j g_{t,j}(x) + w‖x − x_t‖²       (move)
//	∂f_t(x_t)·x + Σ_j c_j [g_{t,j}(x)]₊ + w‖x − x_t‖²    (moveRectified).
type proximal struct {
	x      []float64     // x_t, and x_{t+1} after a move
	loss   convex.Affine // ∂f_t(x_t)·x
	center []float64     // of the squared distance in the objective
	sum    *convex.Sum   // the objective without the squared distance
	g      *convex.Form  // scratch: one constraint
	cert   convex.Cert
}

// newProximal starts at x_1 = Π(x_0).
func newProximal(s Setup, x0 FirstAction) (proximal, error) {
	x, err := x0.Project(s.Set)
	n := s.Set.Dim()
	return proximal{
		x: x, loss: convex.Affine{A: make([]float64, n)}, center: make([]float64, n),
		sum: convex.NewSum(s.Set), g: convex.NewForm(n), cert: convex.Cert{Exact: true},
	}, err
}

// Act implements [Learner].
func (p *proximal) Act(dst []float64) { copy(dst, p.x) }

// Cert implements [Certified].
func (p *proximal) Cert() convex.Cert { return p.cert }

// move goes from x_t to x_{t+1} with the multipliers c_j ≥ 0 and the weight w.
func (p *proximal) move(r convex.Round, c []float64, w float64) (err error) {
	copy(p.center, p.x)
	r.Loss.Subgrad(p.loss.A, p.x)
	p.sum.Reset()
	p.sum.Add(1, &p.loss)
	for j, g := range r.Constraints {
		p.sum.Add(c[j], g)
	}
	p.cert, err = p.sum.Minimize(p.x, convex.Prox{Weight: w, Center: p.center})
	return err
}

// moveRectified does what move does, with the constraints clipped at 0. The loss is part of the
// squared distance, whose centre is x_t − ∂f_t(x_t)/(2w): only hinges are left in the sum.
func (p *proximal) moveRectified(r convex.Round, c []float64, w float64) (err error) {
	r.Loss.Subgrad(p.loss.A, p.x)
	vec.AxpyTo(p.center, -1/(2*w), p.loss.A, p.x)
	p.sum.ResetHinges()
	for j, g := range r.Constraints {
		p.g.Reset()
		g.AddTo(p.g, 1)
		if !isFiniteForm(p.g) || !(c[j] <= math.MaxFloat64) {
			return fmt.Errorf("constraint %d, or its multiplier %v, is not finite", j+1, c[j])
		}
		p.sum.AddHinge(c[j], p.g)
	}
	p.cert, err = p.sum.Minimize(p.x, convex.Prox{Weight: w, Center: p.center})
	return err
}
