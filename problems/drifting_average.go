package problems

import (
	"math"
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var driftingAverage = Problem{
	Name:  "drifting-average",
	Title: "Drifting average",
	Doc: "one constraint plus numbers whose running average is given: it converges at a " +
		"chosen rate, from above, from below, or in swings, or it never does",
	Reference: "none in the literature: the two ends of Perturbed Constraints in Leith, Iosifidis, " +
		"Penalised FTRL With Time-Varying Constraints",
	Definition: []string{
		"$D = [−2, 2]$, with $φ(x) = x$ or $φ(x) = x²$ by kind (affine, quadratic),",
		"$f_t(x) = −x,  g_t(x) = φ(x) + b_t,  b_t = t·m_t − (t − 1)m_{t−1},$",
		"so that $m_t$ is the average of $b_1, …, b_t$:",
		"$m_t = A·t^{−r}cos(ω·log t)$ with $A = amplitude$, $r = rate$ and $ω = turns·2π/log 10$.",
	},
	Version: 1,
	Params:  DriftingAverageParams{Kind: "affine", Amplitude: 0.25, Rate: 0.5},
	New:     Typed(newDriftingAverage),
}

// DriftingAverageParams are the parameters of drifting-average. The parameter turns is the number
// of oscillations a decade. Without turns m_t falls to 0 where A > 0 and rises to it where A < 0.
// With r = 0 and turns it swings for ever: the average at t is that at 10^{1/turns}·t.
//
// X^max_t is {φ ≤ −m_t}, and X̂^max_t is {φ ≤ −max_{i≤t} m_i}, which is {φ ≤ −A} where
// A > 0. Penalised FTRL without a regulariser plays the x at which a share of 1/γ of
// the averages φ(x) + m_i is positive. So with φ = x its penalty violation is O(t^{1−r})
// for r ≤ ½, and linear for r = 0. With φ = x² and A = 0 the set {0} has no interior, and
// every γ leaves x near 1/(2γ).
type DriftingAverageParams struct {
	Kind      string  `name:"kind" doc:"φ(x) = x, or x²" enum:"affine,quadratic"`
	Amplitude float64 `name:"amplitude" doc:"A: the average of b is A·t^(−rate) times a cosine; 0: the constraint is fixed" min:"-0.3" max:"0.3"`
	Rate      float64 `name:"rate" doc:"r: the average of b is of the order t^(−r)" min:"0" max:"1"`
	Turns     float64 `name:"turns" doc:"oscillations of the average a decade" min:"0" max:"1"`
}

// driftingAverageStream reveals one basis φ plus the number b_t.
type driftingAverageStream struct {
	Instance
	p    DriftingAverageParams
	last float64 // (t−1)·m_{t−1}
	base convex.Func
	g    convex.Shifted
}

// newDriftingAverage returns the stream at round 1.
func newDriftingAverage(p DriftingAverageParams, _ *rand.Rand) (Stream, error) {
	// |b_t| ≤ |m_{t−1}| + t·|m_t − m_{t−1}| ≤ |A|(1 + 2(r+ω)), for t ≤ 2(t−1) from round 2 on.
	speed := p.Rate + float64(p.Turns*decadeFrequency) // r + ω
	bound := float64(math.Abs(p.Amplitude) * (1 + float64(2*speed)))
	s := &driftingAverageStream{
		Instance: Instance{
			Domain: convex.Cube(1, -2, 2),
			M:      1,
			Declared: convex.Facts{
				LossLipschitz: 1, LossRange: 4, ConstraintLipschitz: 1, ConstraintBound: 2 + bound, Diameter: 4,
				Slater: max(0, 2-bound), Feasible: bound <= 2, // at −2
				Affine: true, Perturbed: true, Deterministic: true, Fixed: p.Amplitude == 0,
			},
		},
		p:    p,
		base: convex.NewBasis(&convex.Affine{A: []float64{1}}),
	}
	if p.Kind == "quadratic" {
		s.base = convex.NewBasis(&convex.HalfSquaredDistance{Weight: 2, Center: []float64{0}})
		s.Declared.ConstraintLipschitz, s.Declared.ConstraintBound = 4, 4+bound
		s.Declared.Slater, s.Declared.Affine = 0, false
		// t·m_t never rises: 0 is feasible
		s.Declared.Feasible = p.Amplitude == 0 || p.Amplitude < 0 && p.Turns == 0
	}
	s.share(s.base)
	s.g = convex.Shifted{Base: s.base}
	s.Round = convex.Round{Loss: convex.Freeze(&convex.Affine{A: []float64{-1}}),
		Constraints: []convex.Func{&s.g}}
	return s, nil
}

// decadeFrequency is the ω for which cos(ω·log t) has one oscillation a decade of t.
const decadeFrequency = 2 * math.Pi / math.Ln10

// Reveal implements [Stream].
func (s *driftingAverageStream) Reveal(t int, _ []float64) *convex.Round {
	n := float64(t)
	sum := float64(s.p.Amplitude * vec.Pow(n, 1-s.p.Rate) *
		vec.Cos(float64(s.p.Turns*decadeFrequency)*vec.Log(n)))
	s.g = convex.Shifted{Base: s.base, Shift: sum - s.last}
	s.last = sum
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
