package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var jenatton = Algorithm{
	Name:  "jenatton",
	Title: "Jenatton et al.",
	Doc: "the update of mahdavi with steps and damping that decrease with t, so that the " +
		"horizon is not needed, and a trade-off between regret and violation",
	Reference: "Jenatton, Huang, Archambeau, Adaptive algorithms for online convex optimization " +
		"with long-term constraints, ICML 2016, Algorithm 1",
	Definition: slices.Concat([]string{
		"With $g_t = max_j g_{t,j}$ and the subgradient of the largest,",
		"$x_{t+1} = Π(x_t − η_t(∂f_t(x_t) + λ_t∂g_t(x_t)))$",
		"$λ_{t+1} = [λ_t + μ_t(g_t(x_t) − θ_tλ_t)]₊,  λ_1 = 0,  μ_t = 1/(θ_t(t + 1))$",
		"losses = convex: $η_t = R/(G·t^β)$, $θ_t = 6RG/t^β$; losses = strongly-convex: $η_t = " +
			"1/(σt)$, $θ_t = 6G²/(σt^β)$; $β = beta$, $σ = curvature$, $G$ bounds all subgradients " +
			"(lipschitz), and $R$ is half the diameter of $D$ (radius).",
	}, startDefinition),
	Version:  1,
	Params:   JenattonParams{Beta: 0.5, Losses: "convex"},
	Feedback: FirstOrder,
	UnitFree: true,
	Anytime:  true,
	Cost:     "O(m·n) and a projection",
	New:      Typed(newJenatton),
}

// JenattonParams are the parameters of jenatton. The parameter losses chooses the schedule of the
// steps. It is not taken from what the problem declares, because the claims depend on it.
//
// The paper has one g for all rounds. Its proof does not need that (D): with S
// = Σ_{t≤T} g_t(x_t), losses of the range F and |g_t| ≤ B, at every T and for
// every u in X^min,
//
//	Σ_t (f_t(x_t) − f_t(u)) + [S]₊²/(2(θ_1 + Σ_t θ_t)) ≤ C_T
//	C_T = Δ²/(2η_T) + G²Σ_t η_t + B²Σ_t μ_t        convex
//	C_T =             G²Σ_t η_t + B²Σ_t μ_t        strongly convex.
//
// Regret is at most C_T = O(T^{max(β,1−β)}), or O(T^β) where losses are strongly
// convex, and S ≤ √(2(θ_1+Σθ_t)(FT + C_T)) = O(T^{1−β/2}).
//
// With the damping θ_t the multiplier cannot exceed g t^β/(6RG) where the
// constraint has the value g. On decaying-frequency, 6RG = 120, g ≈ 1 at the
// minimiser of the loss, and a multiplier of 20 is needed: with β = 1/2 it has no
// effect on the action before t ≈ 6·10⁶. The slope of the violation is 1 in the
// experiment rates, which ends at 10⁵, and still 1.00 between 10⁴ and 10⁷.
type JenattonParams struct {
	LipschitzConstant
	Radius    float64 `name:"radius" doc:"R is half the diameter of the domain, which is what 0 takes" min:"0"`
	Beta      float64 `name:"beta" doc:"β trades regret t^max(β,1−β) for violation t^(1−β/2); 1/2 has the least regret, 2/3 the same rate for both" above:"0" below:"1"`
	Losses    string  `name:"losses" doc:"schedule of the steps: for convex losses, or for strongly convex ones, with regret t^β" enum:"convex,strongly-convex"`
	Curvature float64 `name:"curvature" doc:"σ of strongly convex losses; 0 takes what the problem declares" min:"0"`
	FirstAction
}

// Claims returns the rates that the theorems claim at these parameters, and their
// bounds.
func (p JenattonParams) Claims() []Claim {
	const varying = "the paper has fixed constraints; its proof carries over"
	regret := Claim{Metric: RegretXMin, Exponent: max(p.Beta, 1-p.Beta), Note: varying,
		Formula: "C_t = Δ²/(2η_t) + Σ_{τ≤t} (G²η_τ + B²μ_τ)",
		Bound:   provenBound(newJenatton, p, p.regretBound)}
	if p.Losses == "strongly-convex" {
		regret.Exponent, regret.Note, regret.Formula = p.Beta, "if losses are strongly convex; "+varying,
			"C_t = Σ_{τ≤t} (G²η_τ + B²μ_τ)"
	}
	return []Claim{regret, {Metric: SoftViolation, Exponent: 1 - float64(p.Beta/2), Note: varying,
		Formula: "m√(2(θ_1 + Σ_{τ≤t} θ_τ)(Ft + C_t))",
		Bound:   provenBound(newJenatton, p, p.violationBound)}}
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner. It
// requires that the steps are for the constants that the problem declares.
func (p JenattonParams) regretBound(l *jenattonLearner, k *boundInputs) func(t int) float64 {
	g, b, delta := k.largerLipschitz(), k.constraintBound(), k.diameter()
	k.require(g*g*l.eta <= l.theta/6*roundingSlack,
		"the steps are for subgradients of norms ≤ %.3g, and the problem declares %.3g",
		math.Sqrt(l.theta/(6*l.eta)), g)
	if p.Losses == "strongly-convex" {
		k.requireCurvature(1 / l.eta)
		delta = 0 // strong convexity cancels this term at the steps 1/(σt)
	}
	return func(t int) float64 {
		diameterTerm := delta * delta * vec.Pow(float64(t), l.decay) / (2 * l.eta)
		// μ_t ≤ t^(β−1)/θ_1
		return diameterTerm + float64(g*g*l.eta*powerSumBound(t, l.decay)) +
			float64(b*b/l.theta*powerSumBound(t, 1-l.beta))
	}
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p JenattonParams) violationBound(l *jenattonLearner, k *boundInputs) func(t int) float64 {
	regret := p.regretBound(l, k)
	k.requireNonemptyXMin()
	weight := func(t int) float64 { return 2 * l.theta * (1 + powerSumBound(t, l.beta)) }
	return scaledBound(k.m(),
		violationFromRegret(weight, regret, k.lossRange()))
}

// jenattonLearner holds the action x_t and the damped multiplier λ_t.
type jenattonLearner struct {
	Descent
	lambda           float64
	beta, eta, theta float64 // η_1 and θ_1
	decay            float64 // η_t = η_1/t^decay
}

// newJenatton returns the learner at round 1, with the schedule of the parameter losses.
func newJenatton(p JenattonParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	g, err := p.G(s.Facts)
	if err != nil {
		return nil, err
	}
	l := &jenattonLearner{Descent: d, beta: p.Beta}
	switch p.Losses {
	case "strongly-convex":
		sigma, err := lossCurvature(p.Curvature, s.Facts)
		if err != nil {
			return nil, err
		}
		l.eta, l.theta, l.decay = 1/sigma, 6*g*g/sigma, 1
	default:
		r := p.Radius
		if r == 0 {
			r = s.Set.Diameter() / 2
		}
		if r == 0 { // a single point, on which steps do not matter
			r = 1
		}
		l.eta, l.theta, l.decay = r/g, 6*r*g, p.Beta
	}
	return l, nil
}

// Observe implements [Learner].
func (l *jenattonLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	t := float64(l.T)
	theta := l.theta / vec.Pow(t, l.beta)
	g := l.AddLargest(l.lambda, r.Constraints)
	l.Step(l.eta / vec.Pow(t, l.decay))
	l.lambda = max(0, l.lambda+(g/theta-l.lambda)/(t+1))
	return nil
}

// State implements [Stateful].
func (l *jenattonLearner) State() []State { return multiplierState(l.lambda) }
