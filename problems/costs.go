package problems

import (
	"math/rand/v2"

	"ocobench/convex/vec"
)

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

// costs draws the vectors c_t of [Costs], round after round.
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

// draw writes c_t to dst. Rounds have to be drawn in order.
func (c *costs) draw(dst []float64, t int) {
	k := (t-1)%c.period + 1
	low, high := 0.0, 1.0
	// k ≤ 0.3P, 0.4P ≤ k ≤ 0.7P or k ≥ 0.8P, in tenths, which are exact
	if tenK, p := float64(k)*10, float64(c.period); tenK <= 3*p || 4*p <= tenK && tenK <= 7*p ||
		8*p <= tenK {
		low, high = -1, 0
	}
	width := vec.Pow(float64(k), 0.1)
	sign := c.sign()
	for i := range dst {
		dst[i] = uniform(c.rng, -width, width) + uniform(c.rng, low, high) + sign
	}
}

// sign returns the next (−1)^{μ(k)}. Only the parities of μ matter, and the parities of a random
// permutation are draws without replacement.
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
