package diagnosis

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/harness/game/averages"
)

// activeCount observes the last pass over the rounds and counts the active averages at the points
// of the boundary of X̂^max_τ that [boundaryPoints] found in the pass before. From the counts it
// bounds k_τ of the package comment from both sides.
type activeCount struct {
	*boundaryPoints
	running        *averages.Running // of the constraints in use
	epsilon        float64
	nextCheckpoint int // the index of the next checkpoint
	exits          []*exitPoint
	segmentEnds    [][]float64       // z and the ends of the segments in X̂^max_T
	facets         []averages.Facets // by constraint in use; nil in one dimension
	cutEarly       bool              // an average up to t_ε is positive at a point of segmentEnds
	upper          []float64         // upper bounds of k_τ at checkpoints; −1: none is active
	lower          []float64         // lower bounds of k_τ there; −1: unknown
}

// exitPoint is a point of the boundary of X̂^max_τ at the checkpoints from, …, to, at which a
// segment leaves the set.
type exitPoint struct {
	x              []float64
	from, to       int
	activeForUpper int // averages that are active within ε/√i, for the upper bound
	activeForLower int // averages that are active for the lower bound
}

// newActiveCount returns an observer that counts at the points where the segments of b leave the
// sets X̂^max_τ.
func newActiveCount(m *measurement, b *boundaryPoints) *activeCount {
	c := &activeCount{boundaryPoints: b, running: averages.Of(len(b.z), b.Use), epsilon: m.Epsilon,
		segmentEnds: [][]float64{b.z}}
	if c.epsilon == 0 {
		c.epsilon = b.eta / 10
	}
	if len(b.z) > 1 {
		c.facets = make([]averages.Facets, len(b.Use))
	}
	for s, segment := range b.segments {
		c.segmentEnds = append(c.segmentEnds, slices.Clone(segment.At(segment.Share)))
		var current *exitPoint // where this segment left the set at the last checkpoint
		for k, share := range b.shares[s] {
			switch {
			case math.IsNaN(share) || m.checkpoints[k] <= b.burn:
			case current != nil && current.to == k-1 && share == b.shares[s][k-1]:
				current.to = k
			default:
				current = &exitPoint{x: slices.Clone(segment.At(share)), from: k, to: k}
				c.exits = append(c.exits, current)
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
	sumError := float64(1e-13 * float64(t)) // the rounding error of a sum of t rounds
	for k := range c.facets {
		c.facets[k].Add(c.set, c.running.Sums[k], c.scratch, sumError)
	}
	// An average a is active if |a| ≤ ε/√t, that is if |S| ≤ ε√t for its sum S = t·a. The lower bound
	// has this tolerance only if the caller chose ε.
	upperTolerance, lowerTolerance := float64(c.epsilon*math.Sqrt(float64(t)))+sumError, sumError
	if c.Epsilon > 0 {
		lowerTolerance = upperTolerance
	}
	if t > c.burn {
		for _, p := range c.exits {
			if p.to < c.nextCheckpoint {
				continue
			}
			for _, f := range c.running.Sums {
				sum := math.Abs(f.Value(p.x))
				if sum <= upperTolerance {
					p.activeForUpper++
				}
				if sum <= lowerTolerance {
					p.activeForLower++
				}
			}
		}
	} else if !c.cutEarly {
		for _, x := range c.segmentEnds {
			for _, f := range c.running.Sums {
				c.cutEarly = c.cutEarly || f.Value(x) > lowerTolerance
			}
		}
	}
	if t == c.checkpoints[c.nextCheckpoint] {
		c.recordCheckpoint()
	}
	return nil
}

// recordCheckpoint stores the bounds of k_τ at the checkpoint that was reached.
func (c *activeCount) recordCheckpoint() {
	upper, lower := -1, -1
	// leastKnown returns the smaller one of two counts; a negative count is not known.
	leastKnown := func(a, b int) int {
		if a < 0 || b >= 0 && b < a {
			return b
		}
		return a
	}
	for _, p := range c.exits {
		if p.from <= c.nextCheckpoint && c.nextCheckpoint <= p.to {
			upper, lower = leastKnown(upper, p.activeForUpper), leastKnown(lower, p.activeForLower)
		}
	}
	// In more than one dimension the points are only some of the boundary. There the lower bound is
	// the least count of a facet.
	if c.facets != nil {
		lower = -1
	}
	for k := range c.facets {
		lower = leastKnown(lower, c.facets[k].Least())
	}
	c.upper, c.lower = append(c.upper, float64(upper)), append(c.lower, float64(lower))
	c.nextCheckpoint++
}

// measureGrowth returns the growth of k_τ, without the verdict, and the curve of its upper bound.
// The growth is linear if the lower bound is, and slower than that if the upper bound is.
func (c *activeCount) measureGrowth() (Growth, Curve) {
	g := Growth{Epsilon: finiteOrNil(c.epsilon), Early: c.cutEarly, Tolerant: c.Epsilon > 0 &&
		len(c.z) == 1}
	curve := Curve{Name: "active", Y: make([]*float64, len(c.checkpoints))}
	from := max(c.burn+1, c.Horizon/100)
	for q, v := range c.upper {
		if v >= 0 {
			curve.Y[q] = finiteOrNil(v)
		}
		if max(v, c.lower[q]) < 0 { // no average is active yet
			from = max(from, c.checkpoints[q]+1)
		}
	}
	upper, lower := int(c.upper[len(c.upper)-1]), int(c.lower[len(c.lower)-1])
	if upper >= 0 {
		g.Count = &upper
	}
	g.Vacuous = upper < 0
	if lower >= 0 {
		g.Lower = &lower
	}
	if max(upper, lower) < 0 {
		g.linear = !c.cutEarly && c.isSettled()
		return g, curve
	}
	counts := c.upper // the bound that Exponent and Beta are of
	g.Exponent = pathExponent(c.checkpoints, counts, from, c.Horizon)
	lastDecade := pathExponent(c.checkpoints, counts, max(from, c.Horizon/10), c.Horizon)
	lowerExponent := pathExponent(c.checkpoints, c.lower, from, c.Horizon)
	switch {
	case !c.isSettled():
	case lowerExponent != nil && *lowerExponent >= linearExponent && !c.cutEarly:
		g.linear, g.Exponent, counts = true, lowerExponent, c.lower
	case g.Exponent != nil && lastDecade != nil && max(*g.Exponent, *lastDecade) <= sublinearExponent:
		g.slower = c.Horizon >= longHorizon
	}
	ratio := math.Inf(1)
	for q, t := range c.checkpoints {
		if t < from {
			continue
		}
		if g.From == 0 {
			g.From = t
		}
		ratio = min(ratio, counts[q]/float64(t))
	}
	g.Beta = finiteOrNil(c.eta * ratio)
	return g, curve
}

// Growth like t^p counts as linear for p ≥ linearExponent, and as slower for p ≤ sublinearExponent.
// In between it is open.
const linearExponent, sublinearExponent = 0.95, 0.85
