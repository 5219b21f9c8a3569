package algorithms

import (
	"math"

	"ocobench/convex"
)

var mahdaviZeroViolation = Algorithm{
	Name:      "mahdavi-zero-violation",
	Doc:       "mahdavi on the largest constraint plus a margin that vanishes with the horizon: no violation at the horizon, at the cost of a larger regret",
	Reference: "Mahdavi, Jin, Yang, Trading regret for efficiency: online convex optimization with long term constraints, JMLR 13, 2012, Theorem 8",
	Version:   1,
	Params:    MahdaviZeroViolationParams{},
	Feedback:  FirstOrder,
	Claims: []Claim{
		{Metric: RegretXMin, Exponent: 0.75},
		{Metric: SoftViolation, Exponent: 0, Note: "none, once the margin γ is below that of the Slater point"},
	},
	Assumes: []Assumption{
		SlaterPoint,
		Undecided("T so large that γ is at most the margin of the Slater point, and T ≥ 12R²"),
	},
	Cost: "O(m·n) and a projection",
	New:  Typed(newMahdaviZeroViolation),
}

// MahdaviZeroViolationParams are the parameters of mahdavi-zero-violation,
// which plays, with g_t = max_j g_{t,j} and the subgradient of the largest,
//
//	x_{t+1} = Π(x_t − η(∇f_t(x_t) + λ_t∇g_t(x_t))),        x_1 = Π(x_0)
//	λ_{t+1} = [λ_t + η(g_t(x_t) + γ − ηδλ_t)]₊,            λ_1 = 0,
//
// with a = R√(2G² + 6B²), η = R²/(a√T), δ = 4G² and
//
//	γ = min(b·T^{−1/4}, B),   b² = 2(F + a/√T)(δR²/a + a/R²).
//
// For every u with g_t(u) ≤ −γ in all rounds, if 24G²η² ≤ 1,
//
//	Σ_t (f_t(x_t) − f_t(u)) + [Σ_t (g_t(x_t) + γ)]₊²/(2(δηT + 1/η)) ≤ a√T.
//
// The first sum is at least −FT, hence Σ_t (g_t(x_t) + γ) ≤ b·T^{3/4}, and if
// that is γT there is no violation: Σ_t g_t(x_t) ≤ 0. With a Slater point of
// margin s ≥ γ, some u is within a loss of Fγ/s a round of any point of X^min:
// regret is at most a√T + FTγ/s = O(T^{3/4}).
//
// The b of the paper is defined in terms of itself; this is the least one for
// which the proof holds at every T. Where γ > s nothing is proven. As b is
// large, this may be the case up to millions of rounds. The paper has one g for
// all rounds, and in place of the Slater point a lower bound of ‖∇g‖ on the
// boundary.
//
// The margin is a multiple of T^{−1/4} only where that is less than B. On the
// problem fixed in three dimensions the slope of the regret is
// 0.93 between T = 10² and 10⁵, and 0.75 [0.72, 0.79] between 10⁴ and 10⁶.
type MahdaviZeroViolationParams struct {
	Constants
	Epochs
	LossRange float64 `name:"loss-range" doc:"F bounds |f_t(x)−f_t(y)| on the domain; 0 takes what the problem declares" min:"0"`
	Radius    float64 `name:"radius" doc:"R bounds the distances of the domain's points from x_1; 0 takes the largest of them" min:"0"`
	Margin    float64 `name:"margin" doc:"γ is added to the constraints; 0 takes the theorem's min(b·T^(−1/4), B)" min:"0"`
	FirstAction
}

type mahdaviZeroViolationLearner struct {
	Descent
	lambda, eta, delta, margin float64
}

func newMahdaviZeroViolation(p MahdaviZeroViolationParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	g, b, err := p.both(s.Facts)
	if err != nil {
		return nil, err
	}
	root := math.Sqrt(float64(s.Horizon))
	radius := radiusAbout(p.Radius, s.Set, d.X)
	k := math.Sqrt(float64(2*g*g) + float64(6*b*b)) // a/R
	l := &mahdaviZeroViolationLearner{Descent: d, eta: radius / (k * root), delta: 4 * g * g, margin: p.Margin}
	if l.margin == 0 {
		span, err := lossRange(p.LossRange, s.Facts)
		if err != nil {
			return nil, err
		}
		square := 2 * (span + float64(radius*k)/root) * (l.delta*radius/k + k/radius) / root // γ² = b²/√T
		l.margin = min(math.Sqrt(square), b)
	}
	return l, nil
}

// Observe implements [Learner].
func (l *mahdaviZeroViolationLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	g := l.AddLargest(l.lambda, r.Constraints)
	l.Step(l.eta)
	l.lambda = damped(l.lambda, l.eta, l.delta, g+l.margin)
	return nil
}
