package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var yuLeeLee = Algorithm{
	Name:  "yu-lee-lee",
	Title: "Yu, Lee, Lee",
	Doc: "AdaGrad on the Lagrangian whose multiplier is the derivative of an exponential of a " +
		"regularised queue, without a Slater point",
	Reference: "Yu, Lee, Lee, Constrained online convex optimization without Slater's condition, " +
		"arXiv:2606.31480, 2026, Algorithm 1",
	Definition: slices.Concat([]string{
		"With $g_t = max_j g_{t,j}$ (constraint = signed), or its positive part (constraint = " +
			"clipped), and $Q_1 = 0$,",
		"$x_{t+1} = Π(x_t − η_t∇_t),  ∇_t = ∂f_t(x_t) + φ_t∂g_t(x_t),  Q_{t+1} = Q_t + g_t(x_t) − " +
			"R_t$",
		"$φ_t = γ_t e^{γ_t Q_t},  γ_t = min{1/(12B√t), 1/(24ΔL), 1},  η_t = Δ/√(2(1 + " +
			"Σ_{i≤t}‖∇_i‖²))$",
		"$R_t = 12γ_t B² + 4ΔLφ_t/(√S_t + √S_{t−1}),  S_t = Σ_{i≤t} φ_i²$",
		"where $B$ bounds $|g_t|$ (bound), $L$ all subgradients (lipschitz), and Δ is the diameter " +
			"of $D$.",
	}, startDefinition),
	Version:  1,
	Params:   YuLeeLeeParams{Constraint: "signed"},
	Feedback: FirstOrder,
	Anytime:  true,
	Assumes: []Assumption{IIDConstraints,
		Undecided("with several constraints: a point where the largest is ≤ 0 in expectation")},
	Cost: "O(m·n), an exponential and a projection",
	New:  Typed(newYuLeeLee),
}

// YuLeeLeeParams are the parameters of yu-lee-lee. ∂g_t is the subgradient of the largest
// constraint, or 0 where constraints are clipped and the largest is ≤ 0. B bounds |g_t| and L all
// subgradients. The queue may go below 0. With
//
//	C_t = 2ΔL√t + √2Δ + 1 + ln(γ_1/γ_{t+1})/e   and   P_t = C_t + Ft,
//
// F being the range of the losses, the regret is at most C_T against X^min and, where rounds are
// i.i.d., in expectation against every u with E g_t(u) ≤ 0. The violation is at most
//
//	signed   E[Σ_t g_t(x_t)]₊ ≤ ln(1 + P_T)/γ_{T+1} + 2B√T + 4ΔL√(T(1 + ln(T²P_T²)))
//	clipped  Σ_t [g_t(x_t)]₊  ≤ ln(P_T)/γ_{T+1} + 2B√T + 4ΔL√(T(1 + ln(T P_T²))).
//
// Both are O(√T log T). With several constraints the regret is bounded against the set
// {x : E max_j g_{t,j}(x) ≤ 0}, a subset of X^E. The constants 1 in η_t and γ_t make the steps
// depend on the unit of the losses.
//
// The proof (D): let ∇_t = ∂f_t(x_t) + φ_t∂g_t(x_t), φ_t = γ_tΨ_t, Ψ_t = exp(γ_tQ_t),
// Q_{t+1} = Q_t + g_t(x_t) − R_t with the regulariser R_t of the queue, and S_t = Σ_{τ≤t} φ_τ².
// Then
//
//	Σ_t f_t(x_t) − f_t(u) + Ψ_{T+1} ≤ C_T
//
// for every u in X^min, and in expectation for every u with E g_t(u) ≤ 0 where rounds are i.i.d.,
// as φ_t does not depend on g_t.
//
//  1. The regret of AdaGrad is √2Δ√(1 + Σ‖∇_τ‖²) ≤ √2Δ + 2ΔL√T + 2ΔL√S_T. R_t cancels the last
//     term. The decrease of γ_t while Q < 0 increases Ψ by at most ln(γ_1/γ_{T+1})/e in all.
//  2. Ψ_{t+1} ≤ P_T for all t ≤ T, and Σ_t g_t(x_t) = Q_{T+1} + Σ_t R_t is at most
//     ln(Ψ_{T+1})/γ_{T+1} + 12B²Σ_t γ_t + 4ΔL√(T(1 + ln(S_T/S_1))), where 12B²Σ_t γ_t ≤ 2B√T, and
//     S_T/S_1 ≤ Σ_{t≤T} Ψ_t² as γ_t ≤ γ_1.
//  3. Clipped, this holds on every path: ln Ψ_{T+1} ≤ ln P_T and S_T/S_1 ≤ T P_T².
//  4. Signed, only E Ψ_t ≤ P_T is known. There max(0, ln Ψ_{T+1}) ≤ ln(1 + Ψ_{T+1}) and
//     S_T/S_1 ≤ (Σ_{t≤T} Ψ_t)², and Jensen's inequality gives ln(1 + P_T) and ln(T²P_T²). T² cannot
//     be T here: one Ψ_t of T, drawn at random, may be T P_T and the others 0.
//
// The multiplier φ is of the order of 1 only from Q ≈ ln(1/γ_t)/γ_t = 12B√t
// ln(12B√t) on. Until violations of v in a round have summed to that, for √t <
// (12B/v) ln(12B√t), the violation is linear in t: up to about 10⁵ on the
// registered problems. The bounds hold there too, but exponents should be
// measured beyond. On the problem fixed in three dimensions the slope of the
// soft violation is 0.98 between 10² and 10⁵, and 0.58 [0.40, 0.76] between 10⁴
// and 10⁶.
type YuLeeLeeParams struct {
	Constants
	Constraint string `name:"constraint" doc:"signed: g_t, for i.i.d. constraints, soft violation, comparator X^E; clipped: [g_t]₊, for any rounds, hard violation, comparator X^min" enum:"signed,clipped"`
	FirstAction
}

// Claims returns the rates that the theorems claim at these parameters, and their bounds. The bound
// of the violation is for problems with a point that is feasible in every round.
func (p YuLeeLeeParams) Claims() []Claim {
	regret := Claim{Metric: RegretXE, Exponent: 0.5, Note: "in expectation", Expected: true,
		Formula: "C_t = 2ΔL√t + √2Δ + 1 + ln(γ_1/γ_{t+1})/e",
		Bound:   provenBound(newYuLeeLee, p, p.regretBound)}
	violation := Claim{
		Metric: SoftViolation, Exponent: 0.5, Log: 1, Note: "in expectation", Expected: true,
		Formula: "m(ln(1 + P)/γ_{t+1} + 2B√t + 4ΔL√(t(1 + ln(t²P²)))), P = C_t + Ft",
		Bound:   provenBound(newYuLeeLee, p, p.violationBound),
	}
	if p.Constraint == "clipped" {
		regret.Metric, regret.Note, regret.Expected = RegretXMin, "", false
		violation.Metric, violation.Note, violation.Expected = HardViolation, "", false
		violation.Formula = "m(ln(P)/γ_{t+1} + 2B√t + 4ΔL√(t(1 + ln(tP²)))), P = C_t + Ft"
	}
	return []Claim{regret, violation}
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p YuLeeLeeParams) regretBound(l *yuLeeLeeLearner, k *boundInputs) func(t int) float64 {
	k.require(l.clipped || k.Constraints <= 1 || k.Facts.Fixed, "with several constraints the "+
		"comparators are the actions where the largest is ≤ 0 in expectation, a part of X^E")
	l.requireConstants(k)
	return l.potentialBound
}

// requireConstants requires that the learner's constants are not less than those that the problem
// declares, and that the domain is more than a point.
func (l *yuLeeLeeLearner) requireConstants(k *boundInputs) {
	g, b := k.largerLipschitz(), k.constraintBound()
	k.require(g <= l.lipschitz && b <= l.bound, "the parameters lipschitz = %.3g and bound = %.3g "+
		"are less than the problem declares, %.3g and %.3g", l.lipschitz, l.bound, g, b)
	k.requireDiameter()
}

// potentialBound returns C_t, which bounds the regret plus the potential Ψ_{t+1}.
func (l *yuLeeLeeLearner) potentialBound(t int) float64 {
	return float64(2*l.diameter*l.lipschitz*math.Sqrt(float64(t))) +
		float64(math.Sqrt2*l.diameter) + 1 + vec.Log(l.gamma(1)/l.gamma(t+1))/math.E
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p YuLeeLeeParams) violationBound(l *yuLeeLeeLearner, k *boundInputs) func(t int) float64 {
	l.requireConstants(k)
	k.requireNonemptyXMin()
	f := k.lossRange()
	return func(t int) float64 {
		T := float64(t)
		potential := l.potentialBound(t) + float64(f*T) // P_t
		// The logarithms of these two are the bounds of ln Ψ_{t+1} and ln(S_t/S_1).
		lastPotential, weightRatio := potential, float64(T*potential*potential)
		if !l.clipped {
			lastPotential, weightRatio = 1+potential, float64(T*weightRatio)
		}
		regulariser := float64(4 * l.diameter * l.lipschitz * math.Sqrt(T*(1+vec.Log(weightRatio))))
		return k.m() * (vec.Log(lastPotential)/l.gamma(t+1) + float64(2*l.bound*math.Sqrt(T)) +
			regulariser)
	}
}

// yuLeeLeeLearner holds the action x_t and the regularised queue Q_t.
type yuLeeLeeLearner struct {
	Descent
	lipschitz, bound float64 // L and B
	diameter         float64
	clipped          bool
	queue            float64
	squares          float64 // 1 + Σ‖∇_τ‖²
	weights          float64 // S_t
}

// newYuLeeLee returns the learner at round 1. The constants L and B have to be known.
func newYuLeeLee(p YuLeeLeeParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	l := &yuLeeLeeLearner{Descent: d, diameter: s.Set.Diameter(), clipped: p.Constraint == "clipped",
		squares: 1}
	if l.lipschitz, err = p.G(s.Facts); err != nil {
		return nil, err
	}
	if l.bound, err = p.B(s.Facts); err != nil {
		return nil, err
	}
	return l, nil
}

// gamma returns γ_t = min{1/(12B√t), 1/(24ΔL), 1}.
func (l *yuLeeLeeLearner) gamma(t int) float64 {
	return min(1/(12*l.bound*math.Sqrt(float64(t))), 1/(24*(l.diameter*l.lipschitz)), 1)
}

// Observe implements [Learner].
func (l *yuLeeLeeLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	gamma := l.gamma(l.T)
	phi := gamma * vec.Exp(gamma*l.queue)
	g, value := l.Largest(r.Constraints)
	if l.clipped && value <= 0 {
		g, value = nil, 0
	}
	if g != nil {
		l.Add(phi, g)
	}
	l.squares += vec.Dot(l.Grad, l.Grad)
	l.Step(l.diameter / math.Sqrt(2*l.squares))

	before := math.Sqrt(l.weights)
	l.weights += float64(phi * phi)
	l.queue += value - float64(12*gamma*l.bound*l.bound) -
		4*(l.diameter*l.lipschitz)*phi/(math.Sqrt(l.weights)+before)
	return nil
}

// State implements [Stateful].
func (l *yuLeeLeeLearner) State() []State { return queueState(l.queue) }
