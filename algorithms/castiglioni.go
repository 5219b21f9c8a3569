package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var castiglioni = Algorithm{
	Name:  "castiglioni",
	Title: "Castiglioni et al.",
	Doc: "projected gradient descent in the actions and ascent in multipliers whose sum is " +
		"capped by the Slater margin: a fraction of the best reward of X^max",
	Reference: "Castiglioni, Celli, Marchesi, Romano, Gatti, A unifying framework for online " +
		"optimization with long-term constraints, NeurIPS 2022, the primal-dual update with projected " +
		"gradient steps as its regret minimisers, steps and bounds re-derived; the abstract states the " +
		"fraction ρ/(1+ρ)",
	Definition: slices.Concat([]string{
		"$x_{t+1} = Π(x_t − η(∂f_t(x_t) + Σ_j λ_{t,j}∂g_{t,j}(x_t)))$",
		"$λ_{t+1} = Π_Λ(λ_t + ξg_t(x_t)),  Λ = {λ ≥ 0 : Σ_j λ_j ≤ Φ},  λ_1 = 0$",
		"with $Φ = cap·F/ρ$ ($cap = 2√m$ by default), $η = step$, by default $Δ/(G(1 + Φ)√T)$, and " +
			"$ξ = dual-step$, by default $η(F/(ρΔ))²$. $G$ bounds all subgradients (lipschitz), $F$ " +
			"the range of the losses (loss-range), and some point has $g_{t,j} ≤ −ρ$ in all rounds, $ρ " +
			"= slater$; Δ is the diameter of $D$.",
	}, startDefinition, epochsDefinition),
	Version:  1,
	Params:   CastiglioniParams{},
	Feedback: FirstOrder,
	UnitFree: true,
	Assumes: []Assumption{
		SlaterPoint,
		Undecided("T so large that the multipliers stay below the cap, for the violation"),
	},
	Cost: "O(m·n), a projection, and one of the multipliers",
	New:  Typed(newCastiglioni),
}

// CastiglioniParams are the parameters of castiglioni. With any steps, both updates
// are regret minimisers, and at every t ≤ T and for every u in X^min
//
//	Σ_{τ≤t} (f_τ(x_τ) − f_τ(u)) ≤ C_t = Δ²/(2η) + tK/2,   K = ηG²(1+Φ)² + ξmB²,
//
// O(√T) at T, with any cap.
//
// Where z is the Slater point, (ρu + Bz)/(B+ρ) is in X^min for every u of D. So
// the rewards max f_t − f_t(x_t) sum to at least ρ/(B+ρ) times those of any u
// of D, also of the best one of X^max, less C_t. The paper has B = 1 and the
// fraction ρ/(1+ρ).
//
// As long as Σ_j λ_j < Φ, λ_{t+1} ≥ ξΣ_{τ≤t} g_τ(x_τ). Over any rounds in which
// Σλ_j ≥ (F + K/2)/ρ, the regret against z bounds the growth of ‖λ‖² by ξΔ²/η.
// So the multipliers never reach the cap, and the violation is at most √mΛ/ξ =
// O(√T), if (D)
//
//	√mΛ ≤ Φ,   Λ² = ((F + K/2)/ρ + √mξB)² + ξΔ²/η.
//
// With the default steps, K and ξ vanish as T grows and Λ tends to √2F/ρ: a cap
// of more than √(2m) is enough for large T, and one of √(2m) or less for no T.
//
// The paper, with F = 1, has Σλ_j ≤ 1/ρ, which is cap=1. Then λ can be at the
// cap for many rounds, in which violations do not change it. On [0, 1] with the
// constraints x ≤ 1/(1+ε) and −ρ ≤ 0 in alternate rounds, the violation is linear
// in T with these steps. These are the steps of one phase. The paper's meta-algorithm
// may have a phase of recovery from violations, which is not here. The example says
// nothing about the paper's cap in that algorithm.
//
// The regret contains the rounds in which the multiplier rises from 0. On the
// problem fixed in three dimensions the slope of the regret is 0.77 between T =
// 10² and 10⁵, and 0.53 [0.47, 0.58] between 10⁴ and 10⁶.
type CastiglioniParams struct {
	LipschitzConstant
	LossRange float64 `name:"loss-range" doc:"F bounds |f_t(x)−f_t(y)| on the domain; 0 takes what the problem declares" min:"0"`
	Slater    float64 `name:"slater" doc:"ρ: a point of the domain has g_{t,j} ≤ −ρ in all rounds; 0 takes what the problem declares" min:"0"`
	Epochs
	Cap      float64 `name:"cap" doc:"the multipliers sum to at most Φ = cap·F/ρ; 0 takes 2√m, and the paper's is 1" min:"0"`
	Step     float64 `name:"step" doc:"step η of the actions; 0 takes Δ/(G(1+Φ)√T)" min:"0"`
	DualStep float64 `name:"dual-step" doc:"step ξ of the multipliers; 0 takes η(F/(ρΔ))²" min:"0"`
	FirstAction
}

// constants returns the constants that the parameters state, or 0, for [provenBound].
func (p CastiglioniParams) constants() convex.Facts {
	stated := p.LipschitzConstant.constants()
	stated.LossRange = p.LossRange
	return stated
}

// Claims returns O(√T) twice, and the bounds of these steps; of violation only with
// a cap that can be large enough.
func (p CastiglioniParams) Claims() []Claim {
	claims := []Claim{{
		Metric: RegretXMin, Exponent: 0.5, Note: "re-derived; of the reward of X^max, the fraction " +
			"ρ/(B+ρ)",
		Formula: "C_t = Δ²/(2η) + tK/2, K = ηG²(1+Φ)² + ξmB²",
		Bound:   provenBound(newCastiglioni, p, p.regretBound),
	}}
	if p.Cap == 0 || p.Cap > math.Sqrt2 {
		note := "re-derived"
		if p.Cap > 0 {
			note += ", if the cap is more than √(2m)"
		}
		claims = append(claims, Claim{
			Metric: SoftViolation, Exponent: 0.5, Note: note,
			Formula: "√mΛ/ξ, Λ² = ((F + K/2)/ρ + √mξB)² + ξΔ²/η, if √mΛ ≤ Φ",
			Bound:   provenBound(newCastiglioni, p, p.violationBound),
		})
	}
	return noteStepsSetByHand(claims, p.Step, p.DualStep)
}

// squaresPerRound returns K = ηG²(1+Φ)² + ξmB², the squares of the two gradients of a round times
// their steps.
func (p CastiglioniParams) squaresPerRound(l *castiglioniLearner, k *boundInputs) float64 {
	k.requireDiameter()
	g, b := k.largerLipschitz(), k.constraintBound()
	return float64(l.eta*square(g*(1+l.cap))) + float64(l.xi*k.m()*b*b)
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p CastiglioniParams) regretBound(l *castiglioniLearner, k *boundInputs) func(t int) float64 {
	squares := p.squaresPerRound(l, k)
	return affineBound(square(k.diameter())/(2*l.eta), squares/2)
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p CastiglioniParams) violationBound(l *castiglioniLearner,
	k *boundInputs) func(t int) float64 {
	squares := p.squaresPerRound(l, k)
	rootM := math.Sqrt(k.m())
	theta := (k.lossRange() +
		float64(squares/2)) / k.slaterMargin()
	lambda := rootM * math.Sqrt(square(theta+float64(rootM*l.xi*k.constraintBound()))+
		float64(l.xi/l.eta*square(k.diameter())))
	k.require(lambda <= l.cap*roundingSlack,
		"the multipliers may reach the cap Φ = %.3g, as √mΛ = %.3g: the horizon is too short, or the cap",
		l.cap, lambda)
	return constantBound(lambda / l.xi)
}

// castiglioniLearner holds the action x_t and the multipliers λ_t, whose sum is at most Φ.
type castiglioniLearner struct {
	Descent
	lambda  []float64
	cap     float64         // Φ
	face    *convex.Simplex // the points of Λ on the cap; nil without constraints
	eta, xi float64
}

// newCastiglioni returns the learner at round 1. A cap or a step that is 0 gets its default, for
// which the constants G, F and ρ have to be known.
func newCastiglioni(p CastiglioniParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	g, err := p.G(s.Facts)
	if err != nil {
		return nil, err
	}
	span, err := lossRange(p.LossRange, s.Facts)
	if err != nil {
		return nil, err
	}
	rho, err := Declared(p.Slater, s.Facts.Slater, "Slater margin", "slater")
	if err != nil {
		return nil, err
	}
	l := &castiglioniLearner{Descent: d, lambda: make([]float64, s.Constraints),
		cap: p.Cap * span / rho, eta: p.Step, xi: p.DualStep}
	if p.Cap == 0 {
		l.cap = 2 * math.Sqrt(float64(s.Constraints)) * span / rho
	}
	if s.Constraints > 0 {
		if l.face, err = convex.NewSimplex(s.Constraints, l.cap); err != nil {
			return nil, err
		}
	}
	delta := s.Set.Diameter()
	if l.eta == 0 {
		l.eta = delta / (g * (1 + l.cap) * math.Sqrt(float64(s.Horizon)))
	}
	if l.xi == 0 && delta > 0 {
		ratio := span / (rho * delta)
		l.xi = l.eta * ratio * ratio
	}
	return l, nil
}

// Observe implements [Learner].
func (l *castiglioniLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	for j, g := range r.Constraints {
		lambda := l.lambda[j]
		l.Add(lambda, g)
		l.lambda[j] = max(0, lambda+float64(l.xi*g.Value(l.X)))
	}
	if vec.Sum(l.lambda) > l.cap { // then the nearest point of Λ is on the cap
		l.face.Project(l.lambda, l.lambda)
	}
	l.Step(l.eta)
	return nil
}

// State implements [Stateful].
func (l *castiglioniLearner) State() []State { return multiplierState(l.lambda...) }
