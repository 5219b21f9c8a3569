package algorithms

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// rectified is the common part of methods that linearise the losses and penalise constraints by
// hinges, for embedding. Their actions minimise, over the domain,
//
//	∂f_t(x_t)·x + Σ_j c_j [g_{t,j}(x)]₊ + w‖x − x_t‖².
type rectified struct {
	x      []float64 // x_t, and x_{t+1} after move
	grad   []float64 // ∂f_t(x_t)
	center []float64 // x_t − ∂f_t(x_t)/(2w), the minimiser over ℝⁿ without hinges
	sum    *convex.Sum
	g      *convex.Form // scratch: one constraint
	cert   convex.Cert
}

// newRectified starts at x_1 = Π(x_0).
func newRectified(s Setup, x0 FirstAction) (rectified, error) {
	x, err := x0.Project(s.Set)
	n := s.Set.Dim()
	return rectified{
		x: x, grad: make([]float64, n), center: make([]float64, n),
		sum: convex.NewSum(s.Set), g: convex.NewForm(n), cert: convex.Cert{Exact: true},
	}, err
}

// Act implements [Learner].
func (p *rectified) Act(dst []float64) { copy(dst, p.x) }

// Cert implements [Certified].
func (p *rectified) Cert() convex.Cert { return p.cert }

// move goes from x_t to x_{t+1} with the multipliers c_j ≥ 0 and the weight w.
func (p *rectified) move(r convex.Round, c []float64, w float64) (err error) {
	r.Loss.Subgrad(p.grad, p.x)
	vec.AxpyTo(p.center, -1/(2*w), p.grad, p.x)
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
