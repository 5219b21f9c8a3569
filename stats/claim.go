package stats

import (
	"fmt"
	"math"

	"ocobench/convex/vec"
)

// A Claim is an upper bound on growth: the mean is O(t^Exponent log^Log t).
type Claim struct {
	Exponent float64
	Log      float64
}

// A Verdict is the verdict of the measured growth in a window on a claim. None of these words
// is about the limit t → ∞, which no window shows.
type Verdict string

const (
	AtMost    Verdict = "within"  // at the end of the window it grows at most about as claimed
	Above     Verdict = "above"   // it grows faster than claimed, and does not slow down to the claim
	Undecided Verdict = "open"    // neither is shown
	Trivial   Verdict = "trivial" // no play, or at least not this one, could have been above
)

// Bounds on the limit leave out lower terms, which change the slope at every horizon that can
// be computed: 2√t − 1.46, the sum of s^(-1/2), has slope 0.513 between 10² and 10⁴.
const (
	// Beyond is how far a measured exponent may lie above the claim and still not
	// contradict it.
	Beyond = 0.02
	// Near is how far a measured exponent may lie above the claim and still support it.
	Near = 0.1
)

// What a verdict on growth needs of its window. Across horizons every point is the end of games of
// its own, so that three will do.
const (
	leastDecades     = 1
	leastDecadesPath = 2 // of a single path without chance
	leastPoints      = 8 // along t
)

// NoVerdict returns why the window of the fit has too little evidence for a verdict on growth: it
// is shorter than a decade, or has fewer than eight checkpoints along t. A single path, of games
// without chance, needs two decades. It is an empty string where there is enough.
func (f Fit) NoVerdict(path bool) string {
	decades, points, of := float64(leastDecades), leastPoints, "a verdict"
	if path {
		decades, of = leastDecadesPath, "a verdict on a single path"
	}
	if f.Design == AcrossT {
		points = minPoints
	}
	window := fmt.Sprintf("the window [%g, %g]", f.Window.From, f.Window.To)
	switch {
	case f.Decades < decades-1e-9:
		return fmt.Sprintf("%s is shorter than %s, which %s needs", window,
			map[float64]string{1: "a decade", 2: "two decades"}[decades], of)
	case f.Points < points:
		return fmt.Sprintf("%s has %d checkpoints, and %s needs %d", window, f.Points, of, points)
	}
	return ""
}

// P is the p-value of the hypothesis that at the end of the window the exponent of the envelope
// is at most
//
//	limit = Exponent + Log·LogSlope + Beyond.
//
// It is NaN where the envelope is not positive in the whole window, and with one replicate.
//
// A bootstrap of n samples gives no p-value below 1/(n+1). For a family of m claims at level α,
// Resamples has to be well above 2m/α.
func (c Claim) P(f Fit) float64 {
	limit := c.limit(f) + Beyond
	if !f.End.Positive || math.IsNaN(limit) {
		return math.NaN()
	}
	return f.End.exponent.above(limit)
}

// Judge compares the claim with a fit. The argument p is [Claim.P], or what a correction for
// several claims has made of it. With α = 1 − Confidence,
//
//	trivial   the mean is not positive, which any claim allows
//	above     p ≤ α/2, and it does not slow down to the claim, see [Claim.Slows]
//	within    at the end of the window, the upper bound of the exponent of the envelope
//	          (End.Exponent.Upper, of confidence 1 − α) is below Exponent + Log·LogSlope + Near
//	open      otherwise, or no interval
//
// A linear curve below c·√t in the window is thus not within O(√t). An envelope whose exponent
// rises, by an interval of Drift above DefaultTolerance, supports the claim only if its
// increments grow as claimed too: the interval of Increments ends at most Near above.
//
// Trivial is a mean that is not positive in two cases: no replicate, of at least two, is
// positive at any point of the window; or the mean is negative throughout, and in all but a few
// resamples too, so that the exponent of its size has an interval.
func (c Claim) Judge(f Fit, p float64) Verdict {
	alpha := 1 - f.Confidence
	limit := c.limit(f) + Near
	rises := f.End.Drift.Lower > DefaultTolerance && !(f.Increments.Upper <= limit)
	switch {
	case f.NeverPositive && f.Replicates > 1,
		f.Negated != nil && f.Negated.Resamples > 0 && !math.IsInf(f.Negated.Lower, 0):
		return Trivial
	case p <= alpha/2 && !c.Slows(f):
		return Above
	case !rises && f.End.Exponent.Upper < limit-negligible:
		return AtMost
	}
	return Undecided
}

// Slows reports whether the envelope grows faster than claimed at the end of the window, and
// slows down by so much that one decade later it may grow as claimed: with the limit of
// [Claim.P] the interval of Exponent lies above, that of Next does not, and Drift is negative.
func (c Claim) Slows(f Fit) bool {
	limit := c.limit(f) + Beyond
	return f.End.Drift.Value < 0 && f.End.Exponent.Lower > limit && !(f.End.Next.Lower > limit)
}

// limit is the exponent of the claim at the end of the window, Exponent + Log·LogSlope.
func (c Claim) limit(f Fit) float64 {
	limit := c.Exponent
	if c.Log != 0 {
		limit += float64(c.Log * f.End.LogSlope)
	}
	return limit
}

// Factor is the least c with E(t) ≤ c·t^Exponent log^Log t at all checkpoints of the window
// with t > 1, where E is the envelope of the mean. It is NaN where there are none.
func (c Claim) Factor(f Fit) float64 {
	factor := math.NaN()
	for k, t := range f.End.t {
		if t <= 1 {
			continue
		}
		log := vec.Log(t)
		rate := vec.Exp(float64(c.Exponent * log))
		if c.Log != 0 {
			rate *= vec.Exp(float64(c.Log * vec.Log(log)))
		}
		if r := f.End.envelope[k] / rate; !(r <= factor) {
			factor = r
		}
	}
	return factor
}
