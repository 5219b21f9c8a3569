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

// An Outcome is what a measurement says about a claim, or about a change.
type Outcome string

const (
	Supported    Outcome = "supported"
	Refuted      Outcome = "refuted"
	Inconclusive Outcome = "inconclusive"
)

// Judge compares the claim with the interval of a fit. The test is one-sided:
// growth that is slower than claimed supports the claim. With the limit of
// [Claim.Limit],
//
//	supported       Upper ≤ limit
//	refuted         Lower > limit
//	inconclusive    otherwise, or no interval
//
// Each end of the interval is a bound of confidence (1+Confidence)/2. If the true
// exponent is the limit and the confidence 0.95, the interval lies below the limit
// in about 2.5 % of experiments, and above it in as many (measured: up to 3.8 %).
// If the true exponent is further from the limit, the error is rarer.
//
// A claim is about the limit t → ∞. Where the exponent of a fit is known not to
// be the one in the limit, the outcome is more careful. An offset power law
// supports or refutes a claim only if the interval of Increments does so too. A
// logarithm refutes no claim with a positive Exponent. A transient with a falling
// exponent refutes no claim, and one with a rising exponent supports none.
//
// A mean that is not positive throughout has no exponent. The claim is then
// supported in two cases: no replicate, of at least two, is positive at any point
// of the window; or the mean is negative throughout, and in all but a few
// resamples too, so that the exponent of its size has an interval. Otherwise the
// outcome is inconclusive.
func (c Claim) Judge(f Fit) Outcome {
	limit := c.Limit(f)
	lower, upper := f.Lower, f.Upper
	switch {
	case f.Verdict == OffsetPower:
		lower, upper = min(lower, f.Increments.Lower), max(upper, f.Increments.Upper)
	case f.Verdict == Logarithmic && c.Exponent > 0, f.Verdict == Transient && f.Drift.Value < 0:
		lower = math.Inf(-1)
	case f.Verdict == Transient:
		upper = math.Inf(1)
	}
	switch {
	case f.NeverPositive && f.Replicates > 1:
		return Supported
	case f.Negated != nil && f.Negated.Resamples > 0 && !math.IsInf(f.Negated.Lower, 0):
		return Supported
	case upper <= limit:
		return Supported
	case lower > limit:
		return Refuted
	}
	return Inconclusive
}

// Limit is the largest exponent that agrees with the claim,
//
//	Exponent + Log·LogSlope + Tolerance,
//
// where LogSlope is the exponent of log t in the window of the fit. Some paths may
// break a claim that the mean keeps: see [Fit.ShareAbove].
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
