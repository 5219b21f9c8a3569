package diagnosis

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/harness/game/averages"
)

// activeCount observes a game and counts the active averages at points of the boundary of
// X̂^max_τ, which [boundaryPoints] found when it saw the same rounds.
type activeCount struct {
	*boundaryPoints
	running *averages.Running // of the constraints in use
	epsilon float64
	next    int // the index of the next checkpoint
	points  []*exitPoint
	ends    [][]float64       // z and the ends of the segments in X̂^max_T
	facets  []averages.Facets // by constraint in use; nil in one dimension
	early   bool              // an average up to t_ε is positive at one of ends
	upper   []float64         // upper bounds of k_τ at the checkpoints; −1: no average is active
	lower   []float64         // lower bounds of k_τ there; −1: unknown
}

// exitPoint is a point of the boundary of X̂^max_τ at the checkpoints from, …, to, at which a
// segment leaves the set.
type exitPoint struct {
	x        []float64
	from, to int
	active   int // averages that are active within ε/√i, for the upper bound
	ties     int // averages that are active for the lower bound
}

// newActiveCount returns a count at the points of b and at the points where its segments leave the
// sets, before the pass over the rounds that counts.
func newActiveCount(m *measurement, b *boundaryPoints) *activeCount {
	c := &activeCount{boundaryPoints: b, running: averages.Of(len(b.z), b.Use), epsilon: m.Epsilon,
		ends: [][]float64{b.z}}
	if c.epsilon == 0 {
		c.epsilon = b.eta / 10
	}
	if len(b.z) > 1 {
		c.facets = make([]averages.Facets, len(b.Use))
	}
	for s, segment := range b.segments {
		c.ends = append(c.ends, slices.Clone(segment.At(segment.Share)))
		var last *exitPoint // the last one of this segment
		for k, share := range b.shares[s] {
			switch {
			case math.IsNaN(share) || m.at[k] <= b.burn:
			case last != nil && last.to == k-1 && share == b.shares[s][k-1]:
				last.to = k
			default:
				last = &exitPoint{x: slices.Clone(segment.At(share)), from: k, to: k}
				c.points = append(c.points, last)
			}
		}
	}
	return c
}

// Round implements [game.Observer].
func (c *activeCount) Round(t int, x []float64, r *convex.Round) error {
	if err := c.running.Round(t, x, r); err != nil {
		return err
	}
	rounding := float64(1e-13 * float64(t)) // the rounding error of a sum of t rounds
	for k := range c.facets {
		c.facets[k].Add(c.set, c.running.Sums[k], c.scratch, rounding)
	}
	// An average is active if |a| ≤ ε/√t, and the sum is t times that. The lower bound has a
	// tolerance only if the caller chose one.
	upperTolerance, lowerTolerance := float64(c.epsilon*math.Sqrt(float64(t)))+rounding, rounding
	if c.Epsilon > 0 {
		lowerTolerance = upperTolerance
	}
	if t > c.burn {
		for _, p := range c.points {
			if p.to < c.next {
				continue
			}
			for _, f := range c.running.Sums {
				v := math.Abs(f.Value(p.x))
				if v <= upperTolerance {
					p.active++
				}
				if v <= lowerTolerance {
					p.ties++
				}
			}
		}
	} else if !c.early {
		for _, x := range c.ends {
			for _, f := range c.running.Sums {
				c.early = c.early || f.Value(x) > lowerTolerance
			}
		}
	}
	if t == c.at[c.next] {
		c.recordCheckpoint()
	}
	return nil
}

// recordCheckpoint keeps the bounds of k_τ at a checkpoint.
func (c *activeCount) recordCheckpoint() {
	upper, lower := -1, -1
	// leastKnown returns the smaller one; a negative number is not known.
	leastKnown := func(a, b int) int {
		if a < 0 || b >= 0 && b < a {
			return b
		}
		return a
	}
	for _, p := range c.points {
		if p.from <= c.next && c.next <= p.to {
			upper, lower = leastKnown(upper, p.active), leastKnown(lower, p.ties)
		}
	}
	// In more than one dimension the points are only some of the boundary: facets give the bound.
	for k := range c.facets {
		if k == 0 {
			lower = -1
		}
		lower = leastKnown(lower, c.facets[k].Least())
	}
	c.upper, c.lower = append(c.upper, float64(upper)), append(c.lower, float64(lower))
	c.next++
}

// measureGrowth returns the growth of k_τ, without the verdict. It is linear by the lower bound,
// and slower by the count at the points.
func (c *activeCount) measureGrowth() (Growth, Curve) {
	g := Growth{Epsilon: finiteOrNil(c.epsilon), Early: c.early, Tolerant: c.Epsilon > 0 &&
		len(c.z) == 1}
	curve := Curve{Name: "active", Y: make([]*float64, len(c.at))}
	from := max(c.burn+1, c.Horizon/100)
	for q, v := range c.upper {
		if v >= 0 {
			curve.Y[q] = finiteOrNil(v)
		}
		if max(v, c.lower[q]) < 0 { // no average is active yet
			from = max(from, c.at[q]+1)
		}
	}
	last, lower := int(c.upper[len(c.upper)-1]), int(c.lower[len(c.lower)-1])
	if g.Vacuous = last < 0; !g.Vacuous {
		g.Count = &last
	}
	if lower >= 0 {
		g.Lower = &lower
	}
	if max(last, lower) < 0 {
		g.linear = !c.early && c.isSettled()
		return g, curve
	}
	k := c.upper
	g.Exponent = pathExponent(c.at, k, from, c.Horizon)
	late := pathExponent(c.at, k, max(from, c.Horizon/10), c.Horizon)
	shown := pathExponent(c.at, c.lower, from, c.Horizon)
	switch {
	case !c.isSettled():
	case shown != nil && *shown >= linearExponent && !c.early:
		g.linear, g.Exponent, k = true, shown, c.lower
	case g.Exponent != nil && late != nil && max(*g.Exponent, *late) <= sublinearExponent:
		g.slower = c.Horizon >= longHorizon
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
	g.Beta = finiteOrNil(c.eta * ratio)
	return g, curve
}

// Growth like t^p counts as linear for p ≥ linearExponent, and as slower for p ≤ sublinearExponent.
// In between it is open.
const linearExponent, sublinearExponent = 0.95, 0.85
