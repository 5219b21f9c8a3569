package stats

// A Claim is an upper bound on growth: that the mean is O(t^Exponent).
type Claim struct {
	Exponent float64

	// Tolerance is how far above Exponent a measured exponent may lie and
	// still agree with the claim: a bound on the limit does not speak of lower
	// terms, which bend a curve at any horizon one can afford. 2√t - 1.46, the
	// sum of s^(-1/2), has slope 0.513 between 10² and 10⁴. Zero means
	// DefaultTolerance, a negative value none.
	Tolerance float64
}

// An Outcome is what a measurement says of a claim.
type Outcome string

const (
	Supported    Outcome = "supported"
	Refuted      Outcome = "refuted"
	Inconclusive Outcome = "inconclusive"
)

// Judge compares the claim, one-sidedly, with the interval of a fit:
//
//	supported       Upper ≤ Exponent + Tolerance
//	refuted         Lower > Exponent + Tolerance
//	inconclusive    otherwise, or no interval
//
// Each end of the fit's interval is a bound of confidence (1+Confidence)/2:
// at 0.95 an exponent at the limit is put on its wrong side, either way, in
// about 2.5 % of experiments (measured: up to 3.8 %), one further from it less
// often. A growth slower than claimed supports the claim.
//
// A mean that is not positive has no exponent. The claim is then supported only
// if no replicate is positive at any point of the window, of two replicates at
// least; otherwise the outcome is inconclusive.
func (c Claim) Judge(f Fit) Outcome {
	limit := c.Exponent
	switch {
	case c.Tolerance == 0:
		limit += DefaultTolerance
	case c.Tolerance > 0:
		limit += c.Tolerance
	}
	switch {
	case f.NeverPositive && f.Replicates > 1:
		return Supported
	case f.Upper <= limit:
		return Supported
	case f.Lower > limit:
		return Refuted
	}
	return Inconclusive
}
