package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
)

var primalDual = Algorithm{
	Name:  "primal-dual",
	Title: "Primal-dual",
	Doc: "the canonical online primal-dual update: projected gradient descent on the " +
		"Lagrangian, gradient ascent in the multipliers",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, last displayed " +
		"update of the Example; Valls et al. 2020",
	Definition: slices.Concat([]string{
		"$x_{t+1} = Π(x_t − α_t(∂f_t(x_t) + Σ_j λ_{t,j}∂g_{t,j}(x_t)))$",
		"$λ_{t+1} = [λ_t + α_t g_t(x_{t+1})]₊,  λ_1 = 0,  α_t = step/√t.$",
	}, startDefinition),
	Version:  1,
	Params:   PrimalDualParams{Step: 5},
	Feedback: FirstOrderPlus,
	Anytime:  true,
	Cost:     "O(m·n) and a projection",
	New:      Typed(newPrimalDual),
}

// PrimalDualParams are the parameters of primal-dual.
// The multipliers are updated with the constraints of round t at the next action.
type PrimalDualParams struct {
	Step float64 `name:"step" doc:"steps are α_t = step/√t" above:"0"`
	FirstAction
}

// primalDualLearner holds the action x_t and the multipliers λ_t.
type primalDualLearner struct {
	Descent
	step   float64
	lambda []float64
}

// newPrimalDual returns the learner at round 1.
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

// State implements [Stateful].
func (l *primalDualLearner) State() []State { return multiplierState(l.lambda...) }

var primalDualAverage = Algorithm{
	Name:  "primal-dual-average",
	Title: "Primal-dual, averaged",
	Doc: "the primal-dual update on the running averages of the constraints, the paper's " +
		"closing conjecture: as printed, or with averages clipped at 0",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Summary",
	Definition: slices.Concat([]string{
		"With $ḡ_t = (1/t)Σ_{i≤t} g_i$ and $α_t = step/√t$,",
		"$x_{t+1} = Π(x_t − α_t(∂f_t(x_t) + Σ_j λ_{t,j}∂ḡ_{t,j}(x_t)))$",
		"$λ_{t+1} = [λ_t + α_t ḡ_t(x_{t+1})]₊,  λ_1 = 0.$",
		"clip = true: with $h_t = Σ_j [ḡ_{t,j}]₊$, of which the subgradient is 0 where $ḡ_{t,j} ≤ " +
			"0$, and one multiplier,",
		"$x_{t+1} = Π(x_t − α_t(∂f_t(x_t) + λ_t∂h_t(x_t)))$",
		"$λ_{t+1} = λ_t + α_t h_t(x_{t+1}),  λ_1 = 0.$",
	}, startDefinition),
	Version:  1,
	Params:   PrimalDualAverageParams{PrimalDualParams: PrimalDualParams{Step: 5}},
	Feedback: FullInfo,
	Anytime:  true,
	Assumes:  []Assumption{WholeFunctions},
	Cost:     "O(m·n) and a projection where constraints are affine",
	New:      Typed(newPrimalDualAverage),
}

// PrimalDualAverageParams are the parameters of primal-dual-average. As printed in the Summary of
// the paper, which is the default, the average is not clipped. With clip, h_t is the penalty that
// the paper has elsewhere, and its multiplier never falls.
//
// The paper conjectures that the first performs like Penalised FTRL. As printed, let D be convex
// with diameter Δ, let L bound the subgradients of the losses, F the f_t(z) − f_t(x) and B all
// |g_{t,j}|, and let two subgradients of one average differ by at most H: 0 for affine
// constraints, and at most 2G for G-Lipschitz ones. Let all averages be ≤ −η at the point z in
// every round. For steps a/√t with
//
//	a²mBH² < η,
//
// which are all steps if constraints are affine, and with η' = η − a²mBH²,
//
//	S = (F + 2a²mBLH + ½a(L² + mB²))/η',   Λ² = Δ² + max{S², 2aη'S},
//
// all ‖λ_t‖ are at most Λ, the regret against X̂^max is at most
//
//	((Δ² + Λ²)/(2a) + a((L + H√mΛ)² + mB²))√t,
//
// and Σ_i ḡ_{i,j}(x_i) at most (Λ/a)√t + B(1 + 2 log t) for each j (D). So is the soft violation
// of fixed constraints. The penalty violation is linear for every a: on a fixed affine constraint
// (x_t, λ_t) rotates. Steps that are large beside 1/G may be linear in every notion, clipped or
// not: with steps 5/√t, f_t = −x and g_t = |x| − ½ on [−2, 2], x_t is 2 and −2 in turn from round 2
// on.
//
// With clip, let D be convex with diameter Δ, and let G bound all subgradients of the h_t,
// L those of the losses and B all |g_{t,j}|. Let all averages be ≤ −η at one point z of D
// for t > t_ε, and μ = η/Δ. For steps a/√t with
//
//	a² < min{1/(2G²), μ/G³}
//
// λ_t = O(log t), and the regret against X̂^max and the penalty violation are O(√t·log t).
// Nothing is asked of the growth of the penalty (D). The condition on steps is needed, and the
// regret may be Ω(√(t·log t)). The proofs are in paper/article/clipped.tex.
type PrimalDualAverageParams struct {
	PrimalDualParams
	Clip bool `name:"clip" doc:"averages are clipped at 0, their sum has one multiplier; false: as printed"`
}

// Claims returns the rates of the two theorems, and for the update as printed the conjectured rate
// of the penalty violation.
func (p PrimalDualAverageParams) Claims() []Claim {
	if p.Clip {
		const when = "for small steps and one point with all averages ≤ −η; larger steps may be linear"
		const none = "it holds from a round on that the proof does not give"
		return []Claim{
			{Metric: RegretXHat, Exponent: 0.5, Log: 1, Note: when, NoBound: none},
			{Metric: PenaltyViolation, Exponent: 0.5, Log: 1, Note: when, NoBound: none},
		}
	}
	return []Claim{
		{Metric: RegretXHat, Exponent: 0.5,
			Note: "for affine constraints or small steps, and one point with all averages ≤ −η",
			Formula: "((Δ² + Λ²)/(2a) + a((L + H√mΛ)² + mB²))√t, Λ² = Δ² + max{S², 2aη'S}, " +
				"S = (F + 2a²mBLH + ½a(L² + mB²))/η', η' = η − a²mBH²",
			Bound: provenBound(newPrimalDualAverage, p, p.regretBound)},
		{Metric: PenaltyViolation, Exponent: 0.5, Note: "conjectured; linear on x ≤ 0 for every step",
			NoBound: "it is a conjecture, and fails"},
	}
}

// Multipliers returns Λ, the bound of ‖λ_t‖ of the update as printed, where one point is feasible
// in every round. The error says which constant is not declared, or that the steps are too large.
func (p PrimalDualAverageParams) Multipliers(s Setup) (float64, error) {
	return provenBound(newPrimalDualAverage, p, p.multiplierBound)(s)
}

// multiplierBound returns Λ, and requires η' = η − a²mBH² > 0.
func (p PrimalDualAverageParams) multiplierBound(_ Learner, k *boundInputs) float64 {
	a, m, delta, L, B, eta := p.Step, k.m(), k.diameter(), k.lossLipschitz(), k.constraintBound(),
		k.slaterMargin()
	H := p.subgradientSpread(k)
	halfWeight := float64(a * a * m * B) // half of the largest α_tΣ_jλ_{t,j}
	etaPrime := eta - float64(halfWeight*H*H)
	k.require(etaPrime > 0, "the steps are too large: a²mBH² = %.3g is not below η = %.3g",
		halfWeight*H*H, eta)
	S := (k.lossRange() + float64(2*halfWeight*L*H) +
		float64(a*(square(L)+float64(m*square(B)))/2)) / etaPrime
	return math.Sqrt(square(delta) + max(square(S), 2*a*etaPrime*S))
}

// subgradientSpread returns H, by which two subgradients of an average may differ.
func (PrimalDualAverageParams) subgradientSpread(k *boundInputs) float64 {
	if k.Facts.Affine {
		return 0
	}
	return 2 * k.constraintLipschitz()
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p PrimalDualAverageParams) regretBound(l Learner, k *boundInputs) func(t int) float64 {
	lambdaMax, a, m := p.multiplierBound(l, k), p.Step, k.m()
	gradient := k.lossLipschitz() + float64(p.subgradientSpread(k)*math.Sqrt(m)*lambdaMax)
	return sqrtBound((square(k.diameter())+square(lambdaMax))/(2*a) +
		float64(a*(square(gradient)+float64(m*square(k.constraintBound())))))
}

// primalDualAverageLearner holds the action x_t, the multipliers λ_t, and the sums of the
// constraints.
type primalDualAverageLearner struct {
	Descent
	step   float64
	clip   bool
	lambda []float64      // with clip one, for all constraints
	cum    []*convex.Form // t·ḡ_t
}

// newPrimalDualAverage returns the learner at round 1.
func newPrimalDualAverage(p PrimalDualAverageParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	n := s.Constraints
	if p.Clip {
		n = 1
	}
	l := &primalDualAverageLearner{Descent: d, step: p.Step, clip: p.Clip, lambda: make([]float64, n)}
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
		if !l.clip {
			l.Add(l.lambda[j]/float64(l.T), l.cum[j])
		} else if l.cum[j].Value(l.X) > 0 {
			l.Add(l.lambda[0]/float64(l.T), l.cum[j])
		}
	}
	l.Step(alpha)
	for j, g := range l.cum {
		if v := g.Value(l.X); l.clip {
			l.lambda[0] += float64(alpha*max(0, v)) / float64(l.T)
		} else {
			l.lambda[j] = max(0, l.lambda[j]+float64(alpha*v)/float64(l.T))
		}
	}
	return nil
}

// State implements [Stateful].
func (l *primalDualAverageLearner) State() []State { return multiplierState(l.lambda...) }
