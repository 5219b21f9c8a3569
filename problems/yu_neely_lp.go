package problems

import (
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var yuNeelyLP = Problem{
	Name:  "yu-neely-lp",
	Title: "Online LP",
	Doc: "online linear programming: three fixed constraints in the plane, and costs whose " +
		"mean changes with time",
	Reference: "Yu, Neely, A low complexity algorithm with O(√T) regret and O(1) constraint " +
		"violations for online convex optimization with long term constraints, JMLR 21, 2020, the " +
		"experiment",
	Definition: slices.Concat([]string{
		"$D = [−1, 1]²$. $A ∈ [0, 1]^{3×2}$ and $b ∈ [0, 2]³$ are drawn once, uniformly;",
		"$f_t(x) = c_t·x,  g_t(x) = Ax − b.$",
	}, costsDefinition),
	Version: 1,
	Params:  YuNeelyLPParams{Costs: Costs{Period: 5000}},
	New:     Typed(newYuNeelyLP),
}

// YuNeelyLPParams are the parameters of yu-neely-lp. As A ≥ 0 and b ≥ 0, the corner (−1, −1)
// satisfies the constraints with the largest margin.
type YuNeelyLPParams struct {
	Costs
}

// Costs are the parameters of the cost vectors of Yu and Neely, which later
// experiments use too.
//
// The paper has T = P = 5000 rounds. After a period, the law repeats, with a
// new random permutation: the facts hold for every horizon, and rounds do not
// depend on it. A game of fewer rounds than P has the beginning of a period
// only, where the mean is mostly −½.
type Costs struct {
	Period int `name:"period" doc:"rounds after which the law of the costs repeats; the horizon T of the paper" min:"1" max:"1000000000"`
}

// costsDefinition states the vectors of [Costs].
var costsDefinition = []string{
	"$c_t = u_t + v_t + s_t·(1, …, 1)$, with $k = 1 + ((t − 1) mod P)$ and $P = period$:",
	"$u_t$ is uniform on $[−k^{1/10}, k^{1/10}]^n$; $v_t$ on $[−1, 0]^n$ where $k ≤ 0.3P$, $0.4P ≤ " +
		"k ≤ 0.7P$ or $k ≥ 0.8P$, else on $[0, 1]^n$; $s_t = (−1)^{μ(k)}$, $μ$ a random permutation " +
		"of $1, …, P$.",
}

// yuNeelyLPStream reveals the rounds of one instance, those of a seed.
type yuNeelyLPStream struct {
	Instance
	costs costs
	cost  []float64 // of the round
	loss  convex.Affine
}

// newYuNeelyLP starts a stream with these parameters.
func newYuNeelyLP(p YuNeelyLPParams, rng *rand.Rand) (Stream, error) {
	const n, m = 2, 3
	s := &yuNeelyLPStream{
		Instance: Instance{
			Domain: convex.Cube(n, -1, 1),
			M:      m,
			Declared: convex.Facts{Slater: math.Inf(1), Feasible: true, Fixed: true, Affine: true,
				KnownConstraints: true},
		},
		cost: make([]float64, n),
	}
	for range m {
		g := &convex.Affine{A: []float64{rng.Float64(), rng.Float64()}, B: -uniform(rng, 0, 2)}
		margin := vec.Sum(g.A) - g.B // −g at the corner (−1, −1), where g is smallest
		s.Declared.ConstraintLipschitz = max(s.Declared.ConstraintLipschitz, vec.Norm(g.A))
		s.Declared.ConstraintBound = max(s.Declared.ConstraintBound, margin)
		s.Declared.Slater = min(s.Declared.Slater, margin)
		s.Round.Constraints = append(s.Round.Constraints, convex.Freeze(g))
	}
	s.Round.Loss = &s.loss
	s.costs = newCosts(p.Costs, rng)
	s.Declared.Diameter = s.Domain.Diameter()
	s.Declared.LossLipschitz = s.costs.bound * math.Sqrt(n)
	s.Declared.LossRange = s.costs.bound * (2 * n)
	return s, nil
}

// Reveal implements [Stream].
func (s *yuNeelyLPStream) Reveal(t int, _ []float64) *convex.Round {
	s.costs.draw(s.cost, t)
	s.loss = convex.Affine{A: s.cost}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}

// costs draws the vectors of [Costs].
type costs struct {
	rng       *rand.Rand
	period    int
	odd, even int     // how many odd and even numbers μ has left in this period
	bound     float64 // of |c_{t,i}|
}

// newCosts returns the costs from round 1 on.
func newCosts(p Costs, rng *rand.Rand) costs {
	return costs{rng: rng, period: p.Period, bound: vec.Pow(float64(p.Period), 0.1) + 2}
}

// draw writes c_t to dst. Rounds have to be drawn in turn.
func (c *costs) draw(dst []float64, t int) {
	k := (t-1)%c.period + 1
	low, high := 0.0, 1.0
	if at, p := float64(k)*10, float64(c.period); at <= 3*p || 4*p <= at && at <= 7*p || 8*p <= at {
		low, high = -1, 0
	}
	width := vec.Pow(float64(k), 0.1)
	sign := c.sign()
	for i := range dst {
		dst[i] = uniform(c.rng, -width, width) + uniform(c.rng, low, high) + sign
	}
}

// sign returns the next (−1)^{μ(k)}. Only the parities of μ are needed, and
// those of a random permutation are draws without replacement.
func (c *costs) sign() float64 {
	if c.odd+c.even == 0 {
		c.odd, c.even = (c.period+1)/2, c.period/2
	}
	if c.rng.IntN(c.odd+c.even) < c.odd {
		c.odd--
		return -1
	}
	c.even--
	return 1
}
