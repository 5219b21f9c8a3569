package algorithms

import "ocobench/convex"

// proximal is the common part of methods that linearise the losses but not the constraints, for
// embedding. Their actions minimise, over the domain,
//
//	∂f_t(x_t)·x + Σ_j c_j g_{t,j}(x) + w‖x − x_t‖².
type proximal struct {
	x      []float64     // x_t, and x_{t+1} after move
	center []float64     // x_t
	loss   convex.Affine // ∂f_t(x_t)·x
	sum    *convex.Sum   // the objective without the proximal term
	cert   convex.Cert
}

// newProximal starts at x_1 = Π(x_0).
func newProximal(s Setup, x0 FirstAction) (proximal, error) {
	x, err := x0.Project(s.Set)
	n := s.Set.Dim()
	return proximal{
		x: x, center: make([]float64, n), loss: convex.Affine{A: make([]float64, n)},
		sum: convex.NewSum(s.Set), cert: convex.Cert{Exact: true},
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
