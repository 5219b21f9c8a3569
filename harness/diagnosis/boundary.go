package diagnosis

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game/averages"
)

// The margin of constraint j at a point x is −a_{τ,j}(x), by which its average over the first τ
// rounds is below 0. In the second pass over the rounds [boundaryPoints] follows the margins at the
// Slater point z, for the constraints in use: all of them, or those that Corollary 1 cannot leave
// out. [boundaryPoints.trendOfMargin] then tells of each whether it stays in the limit T → ∞ or
// vanishes, by its exponents over the last two decades: a margin like t^p, p < 0, decays.

// boundaryPoints observes the second pass over the rounds: it evaluates the averages at the Slater
// point z, and finds the points where segments from z leave X̂^max_τ.
type boundaryPoints struct {
	*measurement
	*averages.Running // of the constraints in use, whose indices are Use
	z                 []float64
	eta               float64
	segments          []*averages.Segment
	watched           [][]float64 // z and the best actions in hindsight

	burn         int       // t_ε so far: the last round at which an average at z was above −η
	uniform      float64   // the largest average at z over all τ so far
	leastMargins []float64 // by constraint in use: min over the rounds of −g_{i,j}(z)
	excessLoss   float64   // max over i and y of ∇f_i(z)·(z−y)
	largestAtZ   float64   // max_j a_{τ,j}(z)

	// At the checkpoints:
	curves []Curve     // max_j a_{τ,j} at the points watched
	shares [][]float64 // by segment: its share, or NaN if it is not cut
	// by constraint in use: −a_{τ,j}(z), and min over i ≤ τ of −g_{i,j}(z)
	margins, roundMargins [][]float64

	grad, scratch []float64
}

// newBoundary returns an observer that has seen no round, for the constraints with the indices in
// use.
func newBoundary(m *measurement, use []int, z []float64, eta float64) *boundaryPoints {
	n := len(z)
	b := &boundaryPoints{
		measurement: m, Running: averages.Of(n, use), z: z, eta: eta,
		uniform: math.Inf(-1), excessLoss: math.Inf(-1),
		leastMargins: slices.Repeat([]float64{math.Inf(1)}, len(use)),
		margins:      make([][]float64, len(use)), roundMargins: make([][]float64, len(use)),
		watched: [][]float64{z}, curves: []Curve{{Name: "slater"}},
		grad: make([]float64, n), scratch: make([]float64, n),
	}
	for _, best := range m.bests {
		if !best.Empty {
			b.watched, b.curves = append(b.watched, best.Action), append(b.curves, Curve{Name: best.Set})
		}
	}
	for _, p := range m.segmentTargets(use) {
		if vec.Dist(p, z) > float64(1e-9*m.set.Diameter()) {
			b.segments = append(b.segments, averages.NewSegment(z, p))
		}
	}
	b.shares = make([][]float64, len(b.segments))
	return b
}

// segmentTargets returns the points at which segments from z end: the sampled points of the
// boundary of D, the minimiser of the average loss, and the points where affine averages at T are
// largest.
func (m *measurement) segmentTargets(use []int) [][]float64 {
	const maxConstraints = 16 // whose averages add a point; each takes a maximisation over D
	n := m.set.Dim()
	lossMinimiser := make([]float64, n)
	ends := slices.Clone(m.points.points[:m.points.ends])
	sum := convex.NewSum(m.set)
	sum.Add(1, m.loss)
	if _, err := sum.Minimize(lossMinimiser, convex.Prox{}); err == nil {
		ends = append(ends, lossMinimiser)
	}
	for k := 0; k < min(len(use), maxConstraints) && n > 1 && m.forms != nil; k++ {
		p := make([]float64, n)
		if _, ok := averages.Highest(m.set, m.forms[len(m.forms)-1][use[k]], p); ok {
			ends = append(ends, p)
		}
	}
	return ends
}

// Round implements [game.Observer].
func (b *boundaryPoints) Round(t int, x []float64, r *convex.Round) error {
	r.Loss.Subgrad(b.grad, b.z)
	atZ := vec.Dot(b.grad, b.z)
	vec.Scale(b.grad, -1)
	b.excessLoss = max(b.excessLoss, atZ+b.set.Support(b.scratch, b.grad))
	for k, j := range b.Use {
		b.leastMargins[k] = min(b.leastMargins[k], -r.Constraints[j].Value(b.z))
	}
	if err := b.Running.Round(t, x, r); err != nil {
		return err
	}
	b.largestAtZ = b.Max(b.z)
	b.uniform = max(b.uniform, b.largestAtZ)
	if b.largestAtZ > -b.eta {
		// t_ε is not before t, so that no round up to t counts: the segments are whole again.
		b.burn = t
		for _, s := range b.segments {
			s.Reset()
		}
	} else {
		// Each segment shrinks to its part in X̂^max_t.
		for _, s := range b.segments {
			for _, f := range b.Sums {
				s.Shrink(f)
			}
		}
	}
	if t == b.checkpoints[len(b.curves[0].Y)] {
		b.recordCheckpoint()
	}
	return nil
}

// recordCheckpoint stores the averages, margins and shares at the checkpoint that was reached.
func (b *boundaryPoints) recordCheckpoint() {
	for k := range b.Use {
		b.margins[k] = append(b.margins[k], -b.Value(k, b.z))
		b.roundMargins[k] = append(b.roundMargins[k], b.leastMargins[k])
	}
	for k, s := range b.segments {
		share := math.NaN()
		if s.Cut {
			share = s.Share
		}
		b.shares[k] = append(b.shares[k], share)
	}
	for k, x := range b.watched {
		b.curves[k].Y = append(b.curves[k].Y, finiteOrNil(b.Max(x)))
	}
}

// measureSlater returns what was measured at z, without the verdict. limit is the largest margin of
// the expected constraints over D, or nil if these are not known. rises reports that no point has a
// positive margin, but that the largest one at T is above those at earlier rounds.
func (b *boundaryPoints) measureSlater(limit *float64, rises bool) Slater {
	s := Slater{
		Point: b.z, Margin: finiteOrNil(-b.largestAtZ), Burn: b.burn,
		Uniform: finiteOrNil(-b.uniform), Round: finiteOrNil(slices.Min(b.leastMargins)), Limit: limit,
	}
	// The expectation leaves no point a margin: up to rounding, the largest one is 0 or less.
	s.noneInLimit = limit != nil && *limit <= float64(1e-9*b.size)
	// The margins at T alone do not refute a Slater point if they still rise. If the expectation is
	// known, it decides instead of them.
	s.mayTurnPositive = rises || limit != nil
	s.unsettled = !b.isSettled()
	if b.eta <= 0 { // no point has a positive margin, whose trend could be judged
		return s
	}
	s.Eta = finiteOrNil(b.eta)
	// There is no Slater point in the limit if any margin vanishes, even if another one is smaller.
	for k, j := range b.Use {
		exponent, trend := b.trendOfMargin(k)
		s.vanishes = s.vanishes || trend == marginVanishes
		s.unclear = s.unclear || trend == marginUnclear
		if exponent != nil && (s.Exponent == nil || *exponent < *s.Exponent) {
			s.Exponent, s.Constraint = exponent, j+1
		}
	}
	if s.vanishes {
		s.Other = b.otherMargin()
	}
	return s
}

// marginTrend says what becomes of a margin in the limit.
type marginTrend int

const (
	marginStays    marginTrend = iota // it decays at most like t^{−0.1}, or grows
	marginVanishes                    // it decays faster, and nothing speaks for an end of that
	marginUnclear                     // it is not positive throughout, or its decay may come to an end
)

// vanishingExponent is the largest p for which a margin that decays like t^{−p} counts as staying.
const vanishingExponent = 0.1

// marginExponentStays reports whether a margin that grows with this exponent over the last decade
// counts as staying. One without an exponent does not.
func marginExponentStays(exponent *float64) bool {
	return exponent != nil && *exponent >= -vanishingExponent
}

// trendOfMargin returns the exponent of the margin at z of constraint k in use over the last
// decade, or nil if the margin is not positive throughout it, and the trend of the margin.
func (b *boundaryPoints) trendOfMargin(k int) (exponent *float64, trend marginTrend) {
	// The beginnings of the last decade and of the one before.
	lastDecade, decadeBefore := max(1, b.Horizon/10), max(1, b.Horizon/100)
	exponent = pathExponent(b.checkpoints, b.margins[k], lastDecade, b.Horizon)
	exponentBefore := pathExponent(b.checkpoints, b.margins[k], decadeBefore, lastDecade)
	ofSingleRounds := pathExponent(b.checkpoints, b.roundMargins[k], lastDecade, b.Horizon)
	switch {
	case marginExponentStays(ofSingleRounds):
		// The average of the rounds has at least the least margin of the rounds.
		return exponent, marginStays
	case exponent == nil:
		return nil, marginUnclear
	case marginExponentStays(exponent):
		return exponent, marginStays
	case exponentBefore == nil:
		// It was not positive throughout the decade before: nothing shows that the decay lasts.
		return exponent, marginUnclear
	case *exponent > lastingRatio**exponentBefore:
		// The decay slows down: it has less than 0.7 times the exponent of the decade before.
		return exponent, marginUnclear
	case b.marginSwings(k):
		// The margin has been as small before, and has grown again.
		return exponent, marginUnclear
	}
	return exponent, marginVanishes
}

// marginSwings reports whether the margin at z of constraint k in use was about as small before the
// last decade as it is at T, from T/1000 on and after t_ε, so that its decay does not last.
func (b *boundaryPoints) marginSwings(k int) bool {
	const decayed = 0.7943282347242815 // 10^{−0.1}: what is left of a margin like t^{−0.1} in a decade
	least := math.Inf(1)
	for i, t := range b.checkpoints {
		if t > b.burn && 1000*t >= b.Horizon && 10*t <= b.Horizon {
			least = min(least, b.margins[k][i])
		}
	}
	return b.margins[k][len(b.checkpoints)-1] > float64(decayed*least)
}

// otherMargin considers the sampled points where the margins of all constraints in use stay over
// the last decade. It returns the largest of their margins at T, the margin of a point being the
// least over the constraints, or nil if there is no such point.
func (b *boundaryPoints) otherMargin() (largest *float64) {
	points := len(b.points.points)
	for p := range points {
		allStay, marginOfPoint := true, math.Inf(1)
		for _, j := range b.Use {
			var margins []float64 // by checkpoint
			for _, averagesAt := range b.values {
				margins = append(margins, -averagesAt[j*points+p])
			}
			exponent := pathExponent(b.checkpoints, margins, max(1, b.Horizon/10), b.Horizon)
			allStay = allStay && marginExponentStays(exponent)
			marginOfPoint = min(marginOfPoint, margins[len(margins)-1])
		}
		if allStay && marginOfPoint > 0 && (largest == nil || marginOfPoint > *largest) {
			largest = finiteOrNil(marginOfPoint)
		}
	}
	return largest
}

// isSettled reports whether the averages at z were at most −η over the last decade, and the horizon
// is long enough to say so.
func (b *boundaryPoints) isSettled() bool {
	return 10*b.burn <= b.Horizon && b.Horizon >= shortestHorizon
}
