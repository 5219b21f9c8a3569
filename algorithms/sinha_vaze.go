package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var sinhaVaze = Algorithm{
	Name:  "sinha-vaze",
	Title: "Sinha, Vaze",
	Doc: "AdaGrad on the losses plus the drift of an exponential or quadratic Lyapunov " +
		"function of the violation so far",
	Reference: "Sinha, Vaze, Optimal algorithms for online convex optimization with adversarial " +
		"constraints, NeurIPS 2024, Theorems 1 and 2",
	Definition: slices.Concat([]string{
		"With $g_t = max_j g_{t,j}$ and a subgradient $∂[g_t]₊$ that is 0 where $g_t(x_t) ≤ 0$,",
		"$Q_t = Q_{t−1} + β[g_t(x_t)]₊,  Q_0 = 0,  x_{t+1} = Π(x_t − η_t∇_t)$",
		"losses = convex: $∇_t = β∂f_t(x_t) + φ_t β∂[g_t(x_t)]₊$, $η_t = Δ/√(2Σ_{i≤t}‖∇_i‖²)$, with, " +
			"by potential, exponential: $φ_t = λe^{λQ_t}$; quadratic: $φ_t = 2λQ_t$. $β = scale$, by " +
			"default $1/(2GΔ)$ (exponential) or 1, and $λ = lambda$, by default $1/(2√T)$ " +
			"(exponential) or $1/√T$.",
		"losses = strongly-convex: $∇_t = V∂f_t(x_t) + 2Q_t∂[g_t(x_t)]₊$, $β = 1$, $η_t = 1/(Vαt)$, " +
			"with $α = curvature$ and $V = weight$, by default $8G²ln(e·T)/α$.",
		"anytime = true: $λ_t = λ/√t$ and $V_t = V·ln(e·t)$ in their place, by default with $λ = " +
			"1/2$ (exponential) or 1, and $V = 16G²/α$.",
		"$G$ bounds all subgradients (lipschitz) and Δ is the diameter of $D$. There is no step " +
			"while all $∇_i$ are 0.",
	}, startDefinition, epochsDefinition),
	Version:  1,
	Params:   SinhaVazeParams{Losses: "convex", Potential: "exponential"},
	Feedback: FirstOrder,
	UnitFree: true,
	Assumes:  []Assumption{CommonPoint},
	Cost:     "O(m·n) and a projection",
	New:      Typed(newSinhaVaze),
}

// SinhaVazeParams are the parameters of sinha-vaze. The queue is updated before it is used.
// φ_t is the derivative of the potential, e^{λQ} or λQ². The quadratic potential is that of
// Abdullah, Iosifidis et al., AAAI 2026, without memory. The paper of the exponential one has, for
// every u in X^min and t ≤ T, and the violation CCV_T = Σ_{t≤T}[g_t(x_t)]₊,
//
//	convex           Σ_{τ≤t} f_τ(x_τ) − f_τ(u) ≤ 2GΔ(√t + 1)      CCV_T ≤ 4GΔ√T ln(2(1+2T))
//	strongly convex  Σ_{τ≤t} f_τ(x_τ) − f_τ(u) ≤ G²ln(Te)/α       CCV_T ≤ √(2V(G²ln(Te)/α + FT)).
//
// The bounds that Claims states are derived here (D), for any β, λ and V, and are a little smaller.
// With anytime=true, the horizon is not used. Round t has
//
//	λ_t = λ_1/√t,   V_t = V_1ln(te),
//
// with λ_1 = 1/2 or, quadratic, 1, and V_1 = 16G²/α. That λ may decrease with t is
// the abstract of arXiv:2510.22579, which claims O(√t) and O(√t) but for logarithms
// for every t; this λ_t is ours.
//
// Each bound follows from an inequality about a potential U_t of the violation Q_t = β·CCV_t, with
// c = √2βGΔ. Strongly convex losses have β = 1, and λ_t = λ and V_t = V if anytime is not set.
//
//	                           U_t ≥        U_t + β·regret_t ≤
//	exponential                e^{λQ_t}     1 + c√t + aU_t,          a = cλ√t
//	exponential, anytime       e^{λ_tQ_t}   1 + c√t + b_t + aU_t,    a = √5cλ_1, b_t = cλ_1e√ln(te)
//	quadratic                  λQ_t²        c√t + 2w√U_t,            w² = λc²t
//	quadratic, anytime         λ_tQ_t²      c√t + 2w√U_t,            w² = 3λ_tc²t
//	strongly convex            Q_t²/V       (G²/α)ln(te) + rU_t,     r = 4G²ln(te)/(Vα)
//	strongly convex, anytime   Q_t²/V_t     (G²/α)ln(te) + rU_t,     r = 8G²/(V_1α)
//
// The left side absorbs aU_t if a < 1, and rU_t if r < 1. As U_t ≥ 1 with the exponential, and
// 2w√U_t − U_t ≤ w² with the quadratic, and as regret_t ≥ −Ft if F bounds the range of the losses,
//
//	                  regret_t ≤             CCV_t ≤
//	exponential       (c√t + b_t + a)/β      ln((1 + c√t + b_t + βFt)/(1 − a))/(βλ_t)
//	quadratic         (c√t + w²)/β           (w + √(w² + c√t + βFt))/(β√λ_t)
//	strongly convex   (G²/α)ln(te)           √(V_t((G²/α)ln(te) + Ft)/(1 − r)).
//
// At the defaults a is at most 1/√8, or √(5/8) if anytime, and r at most 1/2. The quadratic
// potential has O(√T) and O(T^{3/4}). The violation CCV_t is that of the largest constraint of each
// round (violation_ccv). The sum over all constraints is at most m times as large.
//
// With anytime=true, epochs of doubling are not needed; they change the actions.
//
// On the problem fixed in three dimensions the slope of the hard violation is
// 0.91 between T = 10² and 10⁵, and 0.63 [0.55, 0.72] between 10⁴ and 10⁶. Without
// the horizon it is 0.91 too between 10² and 10⁵, and with epochs of doubling 1.01;
// on iid these three are 0.90, 0.90 and 1.00. With the quadratic potential they are
// 0.50 on fixed and 0.60 on iid, or 0.48 and 0.61 without the horizon, and the violation
// at 10⁵ is 60 to 240 times smaller than with the exponential: the better claim is not the
// better learner at these horizons.
type SinhaVazeParams struct {
	LipschitzConstant
	Losses    string  `name:"losses" doc:"convex: Theorem 1; strongly-convex: Theorem 2, with regret log T" enum:"convex,strongly-convex"`
	Potential string  `name:"potential" doc:"convex: exponential, violation √T log T; quadratic, T^(3/4)" enum:"exponential,quadratic"`
	Anytime   bool    `name:"anytime" doc:"the horizon is not used: λ_t = λ/√t, or V_t = V·ln(te)"`
	Scale     float64 `name:"scale" doc:"convex: factor β of losses and constraints; 0 takes 1/(2GΔ), quadratic 1" min:"0"`
	Lambda    float64 `name:"lambda" doc:"convex: λ of the potential; 0 takes 1/(2√T), quadratic 1/√T; anytime 1/2 and 1" min:"0"`
	Curvature float64 `name:"curvature" doc:"strongly-convex: α of the losses; 0 takes what the problem declares" min:"0"`
	Weight    float64 `name:"weight" doc:"strongly-convex: factor V of the losses; 0 takes 8G²ln(Te)/α, anytime 16G²/α" min:"0"`
	FirstAction
	Epochs
}

// HorizonFree reports whether anytime is set, see [Algorithm.AnytimeWith].
func (p SinhaVazeParams) HorizonFree() bool { return p.Anytime }

// Claims returns the rates that the theorems claim at these parameters, and their
// bounds.
func (p SinhaVazeParams) Claims() []Claim {
	regret := Claim{Metric: RegretXMin, Exponent: 0.5,
		Bound: provenBound(newSinhaVaze, p, p.regretBound)}
	violation := Claim{Metric: CCViolation, Exponent: 0.5,
		Bound: provenBound(newSinhaVaze, p, p.violationBound)}
	steps := []float64{p.Scale, p.Lambda}
	switch {
	case p.Losses == "strongly-convex":
		steps = []float64{p.Weight}
		regret.Exponent, regret.Log, regret.Note, regret.Formula = 0, 1, "if losses are strongly convex",
			"(G²/α)ln(te), if r ≤ 1"
		violation.Log, violation.Formula = 0.5, "√(V((G²/α)ln(te) + Ft)/(1−r)), r = 4G²ln(Te)/(Vα)"
		if p.Anytime {
			violation.Formula = "√(V_t((G²/α)ln(te) + Ft)/(1−r)), V_t = V·ln(te), r = 8G²/(Vα)"
		}
	case p.Potential == "quadratic":
		regret.Formula = "√2GΔ√t + w²/β, w² = λc²t, c = √2βGΔ"
		if p.Anytime {
			regret.Formula = "√2GΔ√t + w²/β, w² = 3λ_tc²t, c = √2βGΔ"
		}
		violation.Exponent, violation.Formula = 0.75, "(w + √(w² + c√t + βFt))/(β√λ_t)"
	case p.Anytime:
		regret.Formula = "√2GΔ(√t + λ(√5 + e√ln(te))), if √5cλ < 1, c = √2βGΔ"
		violation.Log, violation.Formula = 1, "√t·ln((1 + c√t + cλe√ln(te) + βFt)/(1 − √5cλ))/(βλ)"
	default:
		regret.Formula = "√2GΔ(1+λ)√t"
		violation.Log, violation.Formula = 1, "ln((1 + c√t + βFt)/(1 − cλ√T))/(βλ), c = √2βGΔ"
	}
	if p.Anytime {
		regret, violation = regret.withNote("re-derived"), violation.withNote("re-derived")
	}
	return noteStepsSetByHand([]Claim{regret, violation}, steps...)
}

// regretBound returns the bound of the regret that Claims states, at the learner's parameters.
func (p SinhaVazeParams) regretBound(l *sinhaVazeLearner, k *boundInputs) func(t int) float64 {
	return l.bounds(k).regret
}

// violationBound returns the bound of the violation that Claims states, at the learner's
// parameters.
func (p SinhaVazeParams) violationBound(l *sinhaVazeLearner, k *boundInputs) func(t int) float64 {
	bounds := l.bounds(k)
	k.requireNonemptyXMin()
	lossRange := k.lossRange()
	return func(t int) float64 { return bounds.violation(t, lossRange) }
}

// sinhaVazeBounds has the bounds that [SinhaVazeParams] lists for a potential. There is one
// implementation for each potential, whose comment has the proof of the inequality.
type sinhaVazeBounds interface {
	regret(t int) float64
	violation(t int, lossRange float64) float64
}

// bounds returns the bounds for the potential of the learner. It requires that the left side of the
// inequality absorbs what the right side has of U_t.
func (l *sinhaVazeLearner) bounds(k *boundInputs) sinhaVazeBounds {
	g := k.largerLipschitz()
	c := math.Sqrt2 * l.scale * g * k.diameter()
	switch {
	case l.stronglyConvex():
		r := 4 * g * g * (1 + vec.Log(float64(k.Horizon))) / (l.weight * l.alpha)
		if l.anytime {
			r = 8 * g * g / (l.weight * l.alpha)
		}
		k.require(r < 1, "r = %.3g is not less than 1", r)
		k.requireCurvature(l.alpha)
		return stronglyConvexBounds{l, g, r}
	case l.quadratic:
		return quadraticBounds{l, c}
	}
	a, formula := c*l.lambda*math.Sqrt(float64(k.Horizon)), "cλ√T"
	if l.anytime {
		a, formula = math.Sqrt(5)*c*l.lambda, "√5cλ"
	}
	k.require(a < 1, "%s = %.3g is not less than 1", formula, a)
	return exponentialBounds{l, c, a}
}

// exponentialBounds computes the bounds with the exponential potential. AdaGrad's regret on the sum
// of losses and drift is √2Δ√(Σ_τ‖∇_τ‖²), where ‖∇_τ‖ ≤ βG(1 + φ_τ), and a potential grows by at
// most φ_τβ[g_τ(x_τ)]₊ in round τ. So with U_t = e^{λQ_t} and φ_τ = λU_τ,
//
//	U_t + β·regret_t ≤ 1 + c√(Σ_τ(1 + φ_τ)²) ≤ 1 + c√t(1 + λU_t).
//
// With anytime, P_t = e^{λ_tQ_t} increases with Q_t and decreases with λ_t. Let U_t be P_t plus all
// that it lost by the decreases up to round t. Then U_t is 1 plus the increases, so that it is at
// least P_τ for all τ ≤ t, and
//
//	U_t + β·regret_t ≤ 1 + c√t + c√(Σ_τ λ_τ²P_τ²).
//
// A decrease from λ_τ to λ_{τ+1} loses at least P_τ(1 − e^{−y}) ≥ P_τ y/(1+y), with y =
// ln P_τ/(2(τ+1)), which is at least P_τ/(5τ) where P_τ ≥ e. There Σ P_τ²/τ ≤ 5U_t². Where P_τ < e
// the sum is less than e²ln(te). So the last term is at most cλ_1(√5U_t + e√ln(te)).
type exponentialBounds struct {
	*sinhaVazeLearner
	c float64
	a float64 // at the horizon
}

// regret implements [sinhaVazeBounds].
func (b exponentialBounds) regret(t int) float64 {
	descent := float64(b.c * math.Sqrt(float64(t)))
	if b.anytime {
		return (descent + float64(b.c*b.lambda*math.Sqrt(5)) + float64(b.lowPotential(t))) / b.scale
	}
	return descent * (1 + b.lambda) / b.scale // with the a of round t
}

// violation implements [sinhaVazeBounds].
func (b exponentialBounds) violation(t int, lossRange float64) float64 {
	T := float64(t)
	total := float64(b.c*math.Sqrt(T)) + float64(b.scale*lossRange*T)
	if b.anytime {
		total += float64(b.lowPotential(t))
	}
	return vec.Log((1+total)/(1-b.a)) / (b.scale * b.lambdaAt(t))
}

// lowPotential returns b_t, the cost of the gradients in the rounds with P_τ < e if anytime.
func (b exponentialBounds) lowPotential(t int) float64 {
	return b.c * b.lambda * math.E * math.Sqrt(powerSumBound(t, 1))
}

// quadraticBounds computes the bounds with the quadratic potential. With U_t = λQ_t² and φ_τ =
// 2λQ_τ, the gradients cost c√t + c√(Σ_τφ_τ²) ≤ c√t + 2cλQ_t√t, as with the exponential.
//
// With anytime, let U_t be the sum of λ_τ(Q_τ² − Q_{τ−1}²) up to round t, which is at least λ_tQ_t²
// as λ_τ decreases. The gradients cost c√t + 2c√(Σ_τ λ_τ²Q_τ²). As Σ_{τ≥s} τ^{−3/2} ≤ 3/√s,
//
//	Σ_τ Q_τ²/τ ≤ √t Σ_τ Q_τ²/τ^{3/2} ≤ 3√t U_t/λ_1.
type quadraticBounds struct {
	*sinhaVazeLearner
	c float64
}

// regret implements [sinhaVazeBounds].
func (b quadraticBounds) regret(t int) float64 {
	descent := float64(b.c * math.Sqrt(float64(t)))
	return (descent + float64(b.crossTermSquared(t))) / b.scale
}

// violation implements [sinhaVazeBounds].
func (b quadraticBounds) violation(t int, lossRange float64) float64 {
	T, w2 := float64(t), b.crossTermSquared(t)
	total := float64(b.c*math.Sqrt(T)) + float64(b.scale*lossRange*T)
	return (math.Sqrt(w2) + math.Sqrt(w2+total)) / (b.scale * math.Sqrt(b.lambdaAt(t)))
}

// crossTermSquared returns w².
func (b quadraticBounds) crossTermSquared(t int) float64 {
	w2 := b.lambdaAt(t) * b.c * b.c * float64(t)
	if b.anytime {
		w2 *= 3
	}
	return w2
}

// stronglyConvexBounds computes the bounds for strongly convex losses, with a quadratic potential.
// Gradients
// of norms ≤ G(V+2Q_τ) cost Σ_τ G²(V+2Q_τ)²/(2Vατ), so that
//
//	Q_t² + V·regret_t ≤ (VG²/α)ln(te) + rQ_t²,   r = 4G²ln(te)/(Vα),
//
// which is V times the inequality for U_t = Q_t²/V.
//
// With anytime, let U_t be the sum of (Q_τ² − Q_{τ−1}²)/V_τ up to round t, which is at least
// Q_t²/V_t as V_τ increases. The gradients, divided by V_τ, cost
//
//	(G²/α)ln(te) + (4G²/(V_1²α))Σ_τ Q_τ²/(τ ln²(τe)).
//
// As Σ_{τ≥s} 1/(τ ln²(τe)) ≤ 2/ln(se), the last term is at most rU_t with r = 8G²/(V_1α).
type stronglyConvexBounds struct {
	*sinhaVazeLearner
	g float64
	r float64 // at the horizon
}

// regret implements [sinhaVazeBounds].
func (b stronglyConvexBounds) regret(t int) float64 {
	return b.g * b.g / b.alpha * powerSumBound(t, 1)
}

// violation implements [sinhaVazeBounds].
func (b stronglyConvexBounds) violation(t int, lossRange float64) float64 {
	weight := func(t int) float64 { return b.weightAt(t) / (1 - b.r) }
	return violationFromRegret(weight, b.regret, lossRange)(t)
}

// sinhaVazeLearner holds the action x_t, the queue Q_t of violations, and the constants of its
// schedule.
type sinhaVazeLearner struct {
	Descent
	anytime       bool
	scale, queue  float64 // β and Q_t
	quadratic     bool    // the potential is λQ², not e^{λQ}
	lambda        float64 // convex: λ, or λ_1 if anytime
	diameter      float64
	squares       float64 // Σ‖∇_τ‖²
	weight, alpha float64 // strongly convex: V, or V_1 if anytime, and α; else 0
}

// stronglyConvex reports whether the learner is that of strongly convex losses.
func (l *sinhaVazeLearner) stronglyConvex() bool { return l.alpha > 0 }

// lambdaAt returns λ_t of the potential.
func (l *sinhaVazeLearner) lambdaAt(t int) float64 {
	if l.anytime {
		return l.lambda / math.Sqrt(float64(t))
	}
	return l.lambda
}

// weightAt returns V_t, the weight of the losses.
func (l *sinhaVazeLearner) weightAt(t int) float64 {
	if l.anytime {
		return l.weight * (1 + vec.Log(float64(t)))
	}
	return l.weight
}

// newSinhaVaze returns the learner at round 1, with the schedule of the parameters losses,
// potential and anytime.
func newSinhaVaze(p SinhaVazeParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	l := &sinhaVazeLearner{Descent: d, diameter: s.Set.Diameter(), scale: 1, anytime: p.Anytime}
	if p.Losses == "strongly-convex" {
		if l.alpha, err = lossCurvature(p.Curvature, s.Facts); err != nil {
			return nil, err
		}
		if l.weight = p.Weight; l.weight == 0 {
			g, err := p.G(s.Facts)
			if err != nil {
				return nil, err
			}
			l.weight = 16 * g * g / l.alpha
			if !p.Anytime {
				l.weight = 8 * g * g * (1 + vec.Log(float64(s.Horizon))) / l.alpha
			}
		}
		return l, nil
	}
	l.quadratic = p.Potential == "quadratic"
	switch {
	case p.Scale > 0:
		l.scale = p.Scale
	case !l.quadratic:
		g, err := p.G(s.Facts)
		if err != nil {
			return nil, err
		}
		if l.diameter > 0 { // else there is one action
			l.scale = 1 / (2 * g * l.diameter)
		}
	}
	if l.lambda = p.Lambda; l.lambda == 0 {
		l.lambda = 0.5
		if l.quadratic {
			l.lambda = 1
		}
		if !p.Anytime {
			l.lambda /= math.Sqrt(float64(s.Horizon))
		}
	}
	return l, nil
}

// Observe implements [Learner].
func (l *sinhaVazeLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	g, value := l.Largest(r.Constraints)
	violated := !(value <= 0) // or not a number
	l.queue += float64(l.scale * max(0, value))
	if l.stronglyConvex() {
		weight := l.weightAt(l.T)
		vec.Scale(l.Grad, weight)
		if violated {
			l.Add(2*l.queue, g)
		}
		l.Step(1 / (weight * l.alpha * float64(l.T)))
		return nil
	}
	vec.Scale(l.Grad, l.scale)
	if violated {
		lambda := l.lambdaAt(l.T)
		slope := 2 * l.queue
		if !l.quadratic {
			slope = vec.Exp(lambda * l.queue)
		}
		l.Add(l.scale*lambda*slope, g)
	}
	if l.squares += vec.Dot(l.Grad, l.Grad); l.squares != 0 {
		l.Step(l.diameter / math.Sqrt(2*l.squares))
	}
	return nil
}

// State implements [Stateful].
func (l *sinhaVazeLearner) State() []State { return queueState(l.queue) }
