package stats

import "math"

// A Claim is an upper bound on growth: that the mean is O(t^Exponent log^Log t).
type Claim struct {
	Exponent float64
	Log      float64

	// Tolerance is how far above the claim a measured exponent may lie and
	// still agree with it: a bound on the limit does not speak of lower terms,
	// which bend a curve at any horizon one can afford. 2√t - 1.46, the sum of
	// s^(-1/2), has slope 0.513 between 10² and 10⁴. Zero means
	// DefaultTolerance, a negative value none.
	Tolerance float64
}

// An Outcome is what a measurement says of a claim, or of a change.
type Outcome string

const (
	Supported    Outcome = "supported"
	Refuted      Outcome = "refuted"
	Inconclusive Outcome = "inconclusive"
)

// Judge compares the claim, one-sidedly, with the interval of a fit,
//
//	supported       Upper ≤ limit
//	refuted         Lower > limit
//	inconclusive    otherwise, or no interval
//
// with the limit of [Claim.Limit].
//
// Each end of the fit's interval is a bound of confidence (1+Confidence)/2:
// at 0.95 an exponent at the limit is put on its wrong side, either way, in
// about 2.5 % of experiments (measured: up to 3.8 %), one further from it less
// often. A growth slower than claimed supports the claim.
//
// A claim is about the limit t → ∞, and where a fit knows that its exponent is
// not the one in the limit, the outcome is more careful. An offset power law
// supports or refutes a claim only if the interval of Increments does so too.
// A logarithm refutes no claim with a positive Exponent. A transient with a
// falling exponent refutes none, and one with a rising exponent supports none.
//
// A mean that is not positive has no exponent. The claim is then supported if
// no replicate is positive at any point of the window, of two replicates at
// least, or if the mean is negative throughout, and in all but a few resamples
// too (so that the exponent of its size has an interval); otherwise the outcome
// is inconclusive.
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
// where LogSlope is the exponent that log t itself has in the fit's window. A
// claim that the mean keeps may be broken by some of the paths: see
// [Fit.ShareAbove].
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
