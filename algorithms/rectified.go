package algorithms

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// rectified is the state common to methods that linearise the losses and
// charge for constraints above 0 only: their actions minimise, over the
// domain,
//
//	∂f_t(x_t)·x + Σ_j c_j [g_{t,j}(x)]₊ + w‖x − x_t‖².
type rectified struct {
	x      []float64
	grad   []float64
	center []float64 // x_t − ∂f_t(x_t)/(2w), where the sum without hinges is least
	sum    *convex.Sum
	g      *convex.Form
	cert   convex.Cert
}

func newRectified(s Setup, x0 []float64) (rectified, error) {
	x, err := s.start(x0)
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

// move goes from x_t to x_{t+1} with the multipliers c ≥ 0 and the weight w.
func (p *rectified) move(r convex.Round, c []float64, w float64) (err error) {
	r.Loss.Subgrad(p.grad, p.x)
	vec.AxpyTo(p.center, -1/(2*w), p.grad, p.x)
	p.sum.ResetHinges()
	for j, g := range r.Constraints {
		p.g.Reset()
		g.AddTo(p.g, 1)
		if !finite(p.g) || !(c[j] <= math.MaxFloat64) {
			return fmt.Errorf("constraint %d, or its multiplier %v, is not finite", j+1, c[j])
		}
		p.sum.AddHinge(c[j], p.g)
	}
	p.cert, err = p.sum.Minimize(p.x, convex.Prox{Weight: w, Center: p.center})
	return err
}

// LossConstants is the constant of the losses that theorems compute their
// steps from, for embedding in parameters.
type LossConstants struct {
	Lipschitz float64 `name:"lipschitz" doc:"G bounds the norms of the losses' subgradients; 0 takes what the problem declares" min:"0"`
}

// stiffness returns G/Δ, the weight of squared distances from which steps are
// computed, or else the name of a parameter that is to be set.
func (p LossConstants) stiffness(s Setup, parameter string) (float64, error) {
	g := p.Lipschitz
	if g == 0 {
		g = s.Facts.LossLipschitz
	}
	if !(g > 0) {
		return 0, fmt.Errorf("the problem declares no Lipschitz constant of its losses; set lipschitz or %s", parameter)
	}
	if d := s.Set.Diameter(); d > 0 {
		return g / d, nil
	}
	return g, nil // one point, from which no step leads away
}
