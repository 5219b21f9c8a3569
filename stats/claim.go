package stats

import "math"

// A Claim is an upper bound on growth: the mean is O(t^Exponent log^Log t).
type Claim struct {
	Exponent float64
	Log      float64

	// Tolerance is how far a measured exponent may lie above the claim and still
	// agree with it. A bound on the limit leaves out lower terms, which change the
	// slope at every horizon that can be computed: 2√t - 1.46, the sum of
	// s^(-1/2), has slope 0.513 between 10² and 10⁴. Zero means
	// DefaultTolerance, and a negative value no tolerance.
	Tolerance float64
}

// A Slope is the verdict of the measured exponent of a window on a claim. None of
// these words is about the limit t → ∞, which no window shows.
type Slope string

const (
	Within  Slope = "within"  // at most the claimed exponent in the window
	Above   Slope = "above"   // larger than the claimed one in the window
	Open    Slope = "open"    // neither is shown
	Trivial Slope = "trivial" // no play, or at least not this one, could have been above
)

// P is the p-value of the hypothesis that the exponent of the window is at most the
// limit of [Claim.Limit]. It is NaN where the mean has no exponent, and with one
// replicate.
//
// A bootstrap of n samples gives no p-value below 1/(n+1). For a family of m
// claims at level α, Resamples has to be well above m/α.
func (c Claim) P(f Fit) float64 {
	limit := c.Limit(f)
	if math.IsNaN(f.Lower) || math.IsNaN(limit) {
		return math.NaN()
	}
	return f.exponent.above(limit)
}

// Judge compares the claim with the interval of a fit. The argument p is
// [Claim.P], or what a correction for several claims has made of it. With the
// limit of [Claim.Limit] and α = 1 − Confidence,
//
//	trivial   the mean is not positive, which any claim allows
//	above     p ≤ α/2
//	within    Upper ≤ limit
//	open      otherwise, or no interval
//
// Without a correction the word above says that the interval lies above the
// limit. If the exponent is the limit, a fit is above in at most about α/2 of all
// experiments, and within in as many (measured: up to 3.8 % for α/2 = 2.5 %).
//
// An exponent that rises along the window supports nothing: an offset power law is
// within the claim only if the interval of Increments is too, and a transient with
// a rising exponent never is.
//
// A mean that is not positive throughout has no exponent. It is trivial in two
// cases: no replicate, of at least two, is positive at any point of the window; or
// the mean is negative throughout, and in all but a few resamples too, so that
// the exponent of its size has an interval. Otherwise it is open.
func (c Claim) Judge(f Fit, p float64) Slope {
	upper := f.Upper
	switch {
	case f.NeverPositive && f.Replicates > 1,
		f.Negated != nil && f.Negated.Resamples > 0 && !math.IsInf(f.Negated.Lower, 0):
		return Trivial
	case p <= float64(1-f.Confidence)/2:
		return Above
	case f.Verdict == OffsetPower:
		upper = max(upper, f.Increments.Upper)
	case f.Verdict == Transient && f.Drift.Value > 0:
		upper = math.Inf(1)
	}
	if upper <= c.Limit(f) {
		return Within
	}
	return Open
}

// Limit is the largest exponent that agrees with the claim,
//
//	Exponent + Log·LogSlope + Tolerance,
//
// where LogSlope is the exponent of log t in the window of the fit.
func (c Claim) Limit(f Fit) float64 {
	limit := c.Exponent
	if c.Log != 0 {
		limit += float64(c.Log * f.LogSlope)
	}
	switch {
	case c.Tolerance == 0:
		limit += DefaultTolerance
	case c.Tolerance > 0:
		limit += c.Tolerance
	}
	return limit
}
