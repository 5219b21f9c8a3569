package diagnosis

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/harness/game/averages"
)

// count is the observer that counts the active averages at points of the boundary of
// X̂^max_τ, which boundary found when it saw the same rounds.
type count struct {
	*boundary
	running *averages.Running // of the constraints in use
	epsilon float64
	next    int // checkpoint
	points  []*point
	ends    [][]float64       // z and the ends of the segments in X̂^max_T
	facets  []averages.Facets // by constraint in use; nil in one dimension
	early   bool              // an average up to t_ε is positive at an end
	active  []int             // k_τ at the checkpoints, or −1
	lower   []int             // lower bounds of it, or −1
}

// point is a point of the boundary of X̂^max_τ at the checkpoints from, …, to.
type point struct {
	x        []float64
	from, to int
	active   int
	ties     int // active ones for the lower bound
}

func newCount(m *measurement, b *boundary) *count {
	c := &count{boundary: b, running: averages.Of(len(b.z), b.Use), epsilon: m.Epsilon}
	c.ends = append(c.ends, b.z)
	if c.epsilon == 0 {
		c.epsilon = b.eta / 10
	}
	if len(b.z) > 1 {
		c.facets = make([]averages.Facets, len(b.Use))
	}
	for s, segment := range b.segments {
		c.ends = append(c.ends, slices.Clone(segment.At(segment.Share)))
		var last *point // of this segment
		for k, share := range b.shares[s] {
			switch {
			case math.IsNaN(share) || m.at[k] <= b.burn:
			case last != nil && last.to == k-1 && share == b.shares[s][k-1]:
				last.to = k
			default:
				last = &point{x: slices.Clone(segment.At(share)), from: k, to: k}
				c.points = append(c.points, last)
			}
		}
	}
	return c
}

// Round implements [game.Observer].
func (c *count) Round(t int, x []float64, r *convex.Round) error {
	if err := c.running.Round(t, x, r); err != nil {
		return err
	}
	tie := float64(1e-13 * float64(t)) // the rounding error of sums
	for k := range c.facets {
		c.facets[k].Add(c.set, c.running.Sums[k], c.scratch, tie)
	}
	if t > c.burn {
		c.see(t, tie)
	} else if !c.early {
		for _, x := range c.ends {
			positive := func(f *convex.Form) bool { return f.Value(x) > c.tied(t, tie) }
			c.early = c.early || slices.ContainsFunc(c.running.Sums, positive)
		}
	}
	if t == c.at[c.next] {
		c.record()
	}
	return nil
}

// most is the largest sum that counts as active: |a| ≤ ε/√t, times t.
func (c *count) most(t int, tie float64) float64 {
	return float64(c.epsilon*math.Sqrt(float64(t))) + tie
}

// tied is the same for the lower bound, which has a tolerance only if the caller chose one.
func (c *count) tied(t int, tie float64) float64 {
	if c.Epsilon > 0 {
		return c.most(t, tie)
	}
	return tie
}

// see counts the averages of round t that are active at the points.
func (c *count) see(t int, tie float64) {
	most, tied := c.most(t, tie), c.tied(t, tie)
	for _, p := range c.points {
		if p.to < c.next {
			continue
		}
		for _, f := range c.running.Sums {
			v := math.Abs(f.Value(p.x))
			if v <= most {
				p.active++
			}
			if v <= tied {
				p.ties++
			}
		}
	}
}

// record keeps the bounds of k_τ at a checkpoint.
func (c *count) record() {
	least, lower := -1, -1
	for _, p := range c.points {
		if p.from > c.next || c.next > p.to {
			continue
		}
		if least < 0 || p.active < least {
			least = p.active
		}
		if lower < 0 || p.ties < lower {
			lower = p.ties
		}
	}
	for k := range c.facets {
		if v := c.facets[k].Least(); k == 0 || v >= 0 && (lower < 0 || v < lower) {
			lower = v
		}
	}
	c.active, c.lower = append(c.active, least), append(c.lower, lower)
	c.next++
}

// growth returns the growth of k_τ, without the verdict. It is linear by the lower bound,
// and slower by the count at the points.
func (c *count) growth() (Growth, Curve) {
	g := Growth{Epsilon: number(c.epsilon), Early: c.early}
	g.Tolerant = c.Epsilon > 0 && len(c.z) == 1
	curve := Curve{Name: "active", Y: make([]*float64, len(c.at))}
	last, lower := c.active[len(c.active)-1], c.lower[len(c.lower)-1]
	if g.Vacuous = last < 0; !g.Vacuous {
		g.Count = &last
	}
	if lower >= 0 {
		g.Lower = &lower
	}
	from := max(c.burn+1, c.Horizon/100)
	var k, least []float64
	for q, v := range c.active {
		k, least = append(k, float64(v)), append(least, float64(c.lower[q]))
		if v >= 0 {
			curve.Y[q] = number(float64(v))
		}
		if max(v, c.lower[q]) < 0 { // no average is active yet
			from = max(from, c.at[q]+1)
		}
	}
	if max(last, lower) < 0 {
		g.linear = !c.early && c.settled()
		return g, curve
	}
	g.Exponent = slope(c.at, k, from, c.Horizon)
	late := slope(c.at, k, max(from, c.Horizon/10), c.Horizon)
	shown := slope(c.at, least, from, c.Horizon)
	slower := g.Exponent != nil && late != nil && max(*g.Exponent, *late) <= sublinear
	switch {
	case !c.settled():
	case shown != nil && *shown >= linear && !c.early:
		g.linear, g.Exponent, k = true, shown, least
	case slower && c.Horizon >= long:
		g.slower = true
	}
	ratio := math.Inf(1)
	for q, t := range c.at {
		if t < from {
			continue
		}
		if g.From == 0 {
			g.From = t
		}
		ratio = min(ratio, k[q]/float64(t))
	}
	g.Beta = number(c.eta * ratio)
	return g, curve
}

// Growth like t^p counts as linear from the first p on, and as slower up to the second.
const linear, sublinear = 0.95, 0.85
