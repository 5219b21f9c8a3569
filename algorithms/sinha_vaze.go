package algorithms

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var sinhaVaze = Algorithm{
	Name:      "sinha-vaze",
	Title:     "Sinha, Vaze",
	Doc:       "AdaGrad on the losses plus the drift of an exponential Lyapunov function of the violation so far",
	Reference: "Sinha, Vaze, Optimal algorithms for online convex optimization with adversarial constraints, NeurIPS 2024, Theorems 1 and 2",
	Version:   1,
	Params:    sinhaVazeDefaults,
	Feedback:  FirstOrder,
	Claims:    sinhaVazeDefaults.Claims(),
	Assumes:   []Assumption{Undecided("a point feasible in every round")},
	Cost:      "O(m·n) and a projection",
	New:       Typed(newSinhaVaze),
}

var sinhaVazeDefaults = SinhaVazeParams{Losses: "convex"}

// SinhaVazeParams are the parameters of sinha-vaze, which plays, with g_t =
// max_j g_{t,j}, the subgradient ∂[g_t]₊ that is 0 where g_t(x_t) ≤ 0, and Q_0
// = 0,
//
//	Q_t     = Q_{t−1} + β[g_t(x_t)]₊
//	x_{t+1} = Π(x_t − η_t∇_t),   x_1 = Π(x_0)
//
//	convex           ∇_t = β∂f_t(x_t) + λe^{λQ_t} β∂[g_t(x_t)]₊     η_t = Δ/√(2Σ_{τ≤t}‖∇_τ‖²)
//	strongly convex  ∇_t = V∂f_t(x_t) + 2Q_t ∂[g_t(x_t)]₊, β = 1    η_t = 1/(Vαt)
//
// with β = 1/(2GΔ), λ = 1/(2√T), V = 8G²ln(Te)/α. The queue is updated before
// it is used. There is no step while all ∇_τ are 0. The paper has, for every u
// in X^min and t ≤ T, V_T = Σ_{t≤T}[g_t(x_t)]₊ and with the constraints scaled,
//
//	convex           Σ_{τ≤t} f_τ(x_τ) − f_τ(u) ≤ 2GΔ(√t + 1)      V_T ≤ 4GΔ√T ln(2(1+2T))
//	strongly convex  Σ_{τ≤t} f_τ(x_τ) − f_τ(u) ≤ G²ln(Te)/α       V_T ≤ √(2V(G²ln(Te)/α + FT)).
//
// The bounds of the registry are for any β, λ and V (D), and a little less. Let F
// bound the range of the losses. With AdaGrad's regret √2Δ√(Σ‖∇_τ‖²), where ‖∇_τ‖ ≤
// βG(1 + λe^{λQ_τ}), and c = √2βGΔ,
//
//	e^{λQ_t} + β·regret_t ≤ 1 + c√t(1 + λe^{λQ_t}),
//
// so that, if cλ√t < 1, regret_t ≤ √2GΔ(1+λ)√t and Q_t = βV_t ≤ ln((1 + c√t +
// βFt)/(1 − cλ√t))/λ. At the default c = 1/√2 and cλ√T = 1/√8. In the strongly
// convex case gradients of norms ≤ G(V+2Q_τ) cost Σ_τ G²(V+2Q_τ)²/(2Vατ):
//
//	Q_t² + V·regret_t ≤ (VG²/α)ln(te) + rQ_t²,   r = 4G²ln(te)/(Vα),
//
// and r ≤ 1/2 at the default V. So regret_t ≤ (G²/α)ln(te) if r ≤ 1, and V_t ≤
// √(V((G²/α)ln(te) + Ft)/(1−r)). Violation is of the largest constraint of each
// round; the sum over constraints is at most m times as large.
//
// On the problem fixed in three dimensions the slope of the hard violation is
// 0.91 between T = 10² and 10⁵, and 0.63 [0.55, 0.72] between 10⁴ and 10⁶.
type SinhaVazeParams struct {
	Lipschitz float64 `name:"lipschitz" doc:"G bounds the norms of all subgradients; 0 takes what the problem declares" min:"0"`
	Losses    string  `name:"losses" doc:"convex: Theorem 1; strongly-convex: Theorem 2, with regret log T" enum:"convex,strongly-convex"`
	Scale     float64 `name:"scale" doc:"convex: factor β of losses and constraints; 0 takes 1/(2GΔ)" min:"0"`
	Lambda    float64 `name:"lambda" doc:"convex: rate λ of the exponential; 0 takes 1/(2√T)" min:"0"`
	Curvature float64 `name:"curvature" doc:"strongly-convex: α of the losses; 0 takes what the problem declares" min:"0"`
	Weight    float64 `name:"weight" doc:"strongly-convex: factor V of the losses; 0 takes 8G²ln(Te)/α" min:"0"`
	FirstAction
	Epochs
}

// Claims are the rates that the theorems claim at these parameters, and their
// bounds.
func (p SinhaVazeParams) Claims() []Claim {
	if p.Losses == "strongly-convex" {
		return byHand([]Claim{
			{Metric: RegretXMin, Log: 1, Note: "if losses are strongly convex", Formula: "(G²/α)ln(te), if r ≤ 1", Bound: p.regret},
			{Metric: HardViolation, Exponent: 0.5, Log: 0.5, Formula: "m√(V((G²/α)ln(te) + Ft)/(1−r)), r = 4G²ln(Te)/(Vα)", Bound: p.violation},
		}, p.Weight)
	}
	return byHand([]Claim{
		{Metric: RegretXMin, Exponent: 0.5, Formula: "√2GΔ(1+λ)√t", Bound: p.regret},
		{Metric: HardViolation, Exponent: 0.5, Log: 1, Formula: "m·ln((1 + c√t + βFt)/(1 − cλ√T))/(βλ), c = √2βGΔ", Bound: p.violation},
	}, p.Scale, p.Lambda)
}

// start returns the learner, G, and cλ√T or r, which must be less than 1.
func (p SinhaVazeParams) start(s Setup) (l *sinhaVazeLearner, g, share float64, k *known) {
	l, err := of[*sinhaVazeLearner](newSinhaVaze(p, s))
	k = &known{s, err}
	if err != nil {
		return nil, 0, 0, k
	}
	g, T := k.lipschitz(p.Lipschitz), float64(s.Horizon)
	delta := k.diameter()
	if l.strength == 0 {
		share = math.Sqrt2 * l.scale * g * delta * l.lambda * math.Sqrt(T)
		k.demand(share < 1, "cλ√T = %.3g is not less than 1", share)
		return l, g, share, k
	}
	share = 4 * g * g * (1 + vec.Log(T)) / l.strength
	k.demand(share < 1, "r = %.3g is not less than 1", share)
	sigma := k.constant(s.Facts.Curvature, 0, "curvature of its losses")
	k.demand(l.strength <= l.weight*sigma*(1+1e-12), "the steps are for losses of curvature %.3g, and the problem declares %.3g", l.strength/l.weight, sigma)
	return l, g, share, k
}

func (p SinhaVazeParams) regret(s Setup) (func(t int) float64, error) {
	l, g, _, k := p.start(s)
	if k.err != nil {
		return nil, k.err
	}
	if l.strength == 0 {
		return root(math.Sqrt2 * g * k.diameter() * (1 + l.lambda)), nil
	}
	each := g * g * l.weight / l.strength
	return func(t int) float64 { return each * (1 + vec.Log(float64(t))) }, nil
}

func (p SinhaVazeParams) violation(s Setup) (func(t int) float64, error) {
	regret, err := p.regret(s)
	if err != nil {
		return nil, err
	}
	l, g, share, k := p.start(s)
	k.slater()
	f := k.span(0, k.losses(p.Lipschitz))
	if l.strength > 0 {
		return scaled(k.m(), outweighed(constant(l.weight/(1-share)), regret, f)), k.err
	}
	c := math.Sqrt2 * l.scale * g * k.diameter()
	return func(t int) float64 {
		T := float64(t)
		top := 1 + float64(c*math.Sqrt(T)) + float64(l.scale*f*T)
		return k.m() * vec.Log(top/(1-share)) / (l.scale * l.lambda)
	}, k.err
}

type sinhaVazeLearner struct {
	Descent
	scale, queue     float64
	lambda           float64 // convex
	diameter         float64
	squares          float64 // Σ‖∇_τ‖²
	weight, strength float64 // strongly convex: V and Vα, else 0
}

func newSinhaVaze(p SinhaVazeParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	l := &sinhaVazeLearner{Descent: d, diameter: s.Set.Diameter(), scale: 1}
	if p.Losses == "strongly-convex" {
		alpha, err := curvature(p.Curvature, s.Facts)
		if err != nil {
			return nil, err
		}
		l.weight = p.Weight
		if l.weight == 0 {
			g, err := lipschitz(p.Lipschitz, s.Facts)
			if err != nil {
				return nil, err
			}
			l.weight = 8 * g * g * (1 + vec.Log(float64(s.Horizon))) / alpha
		}
		l.strength = l.weight * alpha
		return l, nil
	}
	if l.scale = p.Scale; l.scale == 0 {
		g, err := lipschitz(p.Lipschitz, s.Facts)
		if err != nil {
			return nil, err
		}
		l.scale = 1
		if l.diameter > 0 { // else there is one action
			l.scale = 1 / (2 * g * l.diameter)
		}
	}
	if l.lambda = p.Lambda; l.lambda == 0 {
		l.lambda = 1 / (2 * math.Sqrt(float64(s.Horizon)))
	}
	return l, nil
}

// Observe implements [Learner].
func (l *sinhaVazeLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	g, value := l.Largest(r.Constraints)
	violated := !(value <= 0) // or not a number
	l.queue += float64(l.scale * max(0, value))
	if l.strength > 0 {
		vec.Scale(l.Grad, l.weight)
		if violated {
			l.Add(2*l.queue, g)
		}
		l.Step(1 / (l.strength * float64(l.T)))
		return nil
	}
	vec.Scale(l.Grad, l.scale)
	if violated {
		l.Add(l.scale*l.lambda*vec.Exp(l.lambda*l.queue), g)
	}
	if l.squares += vec.Dot(l.Grad, l.Grad); l.squares != 0 {
		l.Step(l.diameter / math.Sqrt(2*l.squares))
	}
	return nil
}
