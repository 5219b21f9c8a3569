package algorithms

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var primalDual = Algorithm{
	Name:      "primal-dual",
	Doc:       "the canonical online primal-dual update: projected gradient on the Lagrangian, multipliers fed with the constraints",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, last displayed update of the Example; Valls et al. 2020",
	Version:   1,
	Params:    PrimalDualParams{Step: 5},
	Feedback:  FirstOrderPlus,
	Anytime:   true,
	Cost:      "O(m·n) and a projection",
	New:       build(newPrimalDual),
}

// PrimalDualParams are the parameters of primal-dual and of its averaged
// variant.
type PrimalDualParams struct {
	Step float64   `name:"step" doc:"steps are α_t = step/√t" above:"0"`
	X0   []float64 `name:"x0" doc:"first action, projected; one number stands for all coordinates, default the origin"`
}

// PrimalDual plays, with α_t = step/√t,
//
//	x_{t+1} = Π(x_t − α_t (∂f_t(x_t) + Σ_j λ_{t,j} ∂g_{t,j}(x_t)))
//	λ_{t+1} = [λ_t + α_t g_t(x_{t+1})]₊,      x_1 = Π(x_0), λ_1 = 0.
//
// The multipliers see the constraint of round t at the next action.
type PrimalDual struct {
	descent
	lambda []float64
}

func newPrimalDual(p PrimalDualParams, s Setup) (Learner, error) {
	d, err := newDescent(s, p.Step, p.X0)
	return &PrimalDual{d, make([]float64, s.Constraints)}, err
}

// Observe implements [Learner].
func (l *PrimalDual) Observe(_ []float64, r convex.Round) error {
	alpha := l.begin(r.Loss)
	for j, g := range r.Constraints {
		l.push(l.lambda[j], g)
	}
	l.move(alpha)
	for j, g := range r.Constraints {
		v := l.lambda[j] + float64(alpha*g.Value(l.x))
		if v < 0 {
			v = 0
		}
		l.lambda[j] = v
	}
	return nil
}

var primalDualAverage = Algorithm{
	Name:      "primal-dual-average",
	Doc:       "the primal-dual update on the running averages of the constraints, the paper's closing conjecture",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Summary",
	Version:   1,
	Params:    PrimalDualParams{Step: 5},
	Feedback:  FullInfo,
	Anytime:   true,
	Claims: []Claim{
		{Metric: RegretXHat, Exponent: 0.5, Note: "conjectured"},
		{Metric: PenaltyViolation, Exponent: 0.5, Note: "conjectured"},
	},
	Cost: "O(m·n) and a projection where constraints are affine",
	New:  build(newPrimalDualAverage),
}

// PrimalDualAverage is [PrimalDual] with ḡ_t = (1/t) Σ_{i≤t} g_i in place of
// g_t, in both updates. The averages are not clipped at 0: clipped ones would
// let the multipliers only grow.
//
// The conjecture does not hold for the penalty violation, which the paper proves
// bounds of for Penalised FTRL: its slope is 0.8 to 0.95 on every problem of the
// experiment rates, while that of the soft violation is 0.19 [0.07, 0.33] on the
// paper's Example with c = 1: the multiplier, a sum of averages, swings, and the
// signed sum of the constraints cancels what the clipped one keeps.
type PrimalDualAverage struct {
	descent
	lambda []float64
	cum    []*convex.Form // t·ḡ_t
}

func newPrimalDualAverage(p PrimalDualParams, s Setup) (Learner, error) {
	d, err := newDescent(s, p.Step, p.X0)
	l := &PrimalDualAverage{descent: d, lambda: make([]float64, s.Constraints)}
	for range s.Constraints {
		l.cum = append(l.cum, convex.NewForm(s.Set.Dim()))
	}
	return l, err
}

// Observe implements [Learner].
func (l *PrimalDualAverage) Observe(_ []float64, r convex.Round) error {
	alpha := l.begin(r.Loss)
	for j, g := range r.Constraints {
		g.AddTo(l.cum[j], 1)
		l.push(l.lambda[j]/float64(l.t), l.cum[j])
	}
	l.move(alpha)
	for j, g := range l.cum {
		l.lambda[j] = max(0, l.lambda[j]+float64(alpha*g.Value(l.x))/float64(l.t))
	}
	return nil
}

// descent is the state common to projected gradient methods with steps
// proportional to 1/√t.
type descent struct {
	set   convex.Set
	step  float64
	t     int
	x     []float64
	grad  []float64 // of the Lagrangian at x_t
	piece []float64
}

func newDescent(s Setup, step float64, x0 []float64) (descent, error) {
	x, err := s.start(x0)
	n := s.Set.Dim()
	return descent{set: s.Set, step: step, x: x, grad: make([]float64, n), piece: make([]float64, n)}, err
}

// Act implements [Learner].
func (d *descent) Act(dst []float64) { copy(dst, d.x) }

// begin starts round t+1 with the gradient of the loss and returns its step.
func (d *descent) begin(loss convex.Func) float64 {
	d.t++
	loss.Subgrad(d.grad, d.x)
	return d.step / math.Sqrt(float64(d.t))
}

// push adds lambda·∂g(x_t) to the gradient.
func (d *descent) push(lambda float64, g convex.Func) {
	if lambda == 0 {
		return
	}
	if g, ok := g.(*convex.Affine); ok { // spares a copy
		vec.Axpy(d.grad, lambda, g.A)
		return
	}
	g.Subgrad(d.piece, d.x)
	vec.Axpy(d.grad, lambda, d.piece)
}

// pushWorst adds lambda·∂g(x_t), where g is the constraint largest at x_t, and
// returns g(x_t); it returns 0 if there are none.
func (d *descent) pushWorst(lambda float64, constraints []convex.Func) float64 {
	g, value := d.worst(constraints)
	if g != nil {
		d.push(lambda, g)
	}
	return value
}

// worst returns the constraint largest at x_t, the first of several, and its
// value; or nil and 0 if there are none.
func (d *descent) worst(constraints []convex.Func) (worst convex.Func, value float64) {
	for j, g := range constraints {
		if v := g.Value(d.x); j == 0 || v > value || math.IsNaN(v) {
			worst, value = g, v
		}
	}
	return worst, value
}

// move makes the projected step.
func (d *descent) move(alpha float64) {
	vec.Axpy(d.x, -alpha, d.grad)
	d.set.Project(d.x, d.x)
}
