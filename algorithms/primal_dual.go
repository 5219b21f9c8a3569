package algorithms

import (
	"math"

	"ocobench/convex"
)

var primalDual = Algorithm{
	Name:  "primal-dual",
	Title: "Primal-dual",
	Doc: "the canonical online primal-dual update: projected gradient descent on the " +
		"Lagrangian, gradient ascent in the multipliers",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, last displayed " +
		"update of the Example; Valls et al. 2020",
	Version:  1,
	Params:   PrimalDualParams{Step: 5},
	Feedback: FirstOrderPlus,
	Anytime:  true,
	Cost:     "O(m·n) and a projection",
	New:      Typed(newPrimalDual),
}

// PrimalDualParams are the parameters of primal-dual and primal-dual-average.
// With α_t = step/√t, x_1 = Π(x_0) and λ_1 = 0, primal-dual plays
//
//	x_{t+1} = Π(x_t − α_t(∂f_t(x_t) + Σ_j λ_{t,j}∂g_{t,j}(x_t)))
//	λ_{t+1} = [λ_t + α_tg_t(x_{t+1})]₊.
//
// The multipliers are updated with the constraints of round t at the next action.
//
// primal-dual-average has ḡ_t = (1/t) Σ_{i≤t} g_i in place of g_t in both
// updates. The averages are not clipped at 0, because clipped averages would let
// the multipliers only grow.
//
// The paper conjectures that primal-dual-average has the bounds of Penalised
// FTRL. With the default step the slope of the penalty violation between t = 10²
// and 10⁵ is 0.84 to 0.93 on four of the six problems of the experiment rates,
// 0.53 on shrinking, and 0.90 [0.75, 3.72], which decides nothing, on the fixed one
// with quadratic losses. The experiment conjecture has tuned steps. The slope of the
// soft violation on the paper's Example with c = 1 is 0.19 [0.07, 0.33] between 10²
// and 10⁴. The multiplier, a sum of averages, oscillates, and the signed sum of the
// constraints cancels what the clipped sum keeps.
type PrimalDualParams struct {
	Step float64 `name:"step" doc:"steps are α_t = step/√t" above:"0"`
	FirstAction
}

type primalDualLearner struct {
	Descent
	step   float64
	lambda []float64
}

func newPrimalDual(p PrimalDualParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	return &primalDualLearner{d, p.Step, make([]float64, s.Constraints)}, err
}

// Observe implements [Learner].
func (l *primalDualLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	alpha := l.step / math.Sqrt(float64(l.T))
	for j, g := range r.Constraints {
		l.Add(l.lambda[j], g)
	}
	l.Step(alpha)
	for j, g := range r.Constraints {
		l.lambda[j] = max(0, l.lambda[j]+float64(alpha*g.Value(l.X)))
	}
	return nil
}

var primalDualAverage = Algorithm{
	Name:  "primal-dual-average",
	Title: "Primal-dual, averaged",
	Doc: "the primal-dual update on the running averages of the constraints, the paper's " +
		"closing conjecture",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Summary",
	Version:   1,
	Params:    PrimalDualParams{Step: 5},
	Feedback:  FullInfo,
	Anytime:   true,
	Claims: []Claim{
		{Metric: RegretXHat, Exponent: 0.5, Note: "conjectured", NoBound: noProof},
		{Metric: PenaltyViolation, Exponent: 0.5, Note: "conjectured; slopes above it are measured",
			NoBound: noProof},
	},
	Cost: "O(m·n) and a projection where constraints are affine",
	New:  Typed(newPrimalDualAverage),
}

const noProof = "it is a conjecture, without a proof"

type primalDualAverageLearner struct {
	Descent
	step   float64
	lambda []float64
	cum    []*convex.Form // t·ḡ_t
}

func newPrimalDualAverage(p PrimalDualParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	l := &primalDualAverageLearner{Descent: d, step: p.Step, lambda: make([]float64, s.Constraints)}
	for range s.Constraints {
		l.cum = append(l.cum, convex.NewForm(s.Set.Dim()))
	}
	return l, err
}

// Observe implements [Learner].
func (l *primalDualAverageLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	alpha := l.step / math.Sqrt(float64(l.T))
	for j, g := range r.Constraints {
		g.AddTo(l.cum[j], 1)
		l.Add(l.lambda[j]/float64(l.T), l.cum[j])
	}
	l.Step(alpha)
	for j, g := range l.cum {
		l.lambda[j] = max(0, l.lambda[j]+float64(alpha*g.Value(l.X))/float64(l.T))
	}
	return nil
}
