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

// The two margins of a claim are for lower-order terms, which bounds on the limit leave out, and
// which change the slope at every horizon that can be computed: 2√t − 1.46, the sum of s^(-1/2),
// has slope 0.513 between 10² and 10⁴.
const (
	// Beyond is how far a measured exponent may lie above the claim and still not
	// contradict it.
	Beyond = 0.02
	// Near is how far a measured exponent may lie above the claim and still support it.
	Near = 0.1
)

// A verdict on growth needs a window of minDecades and, along t, minVerdictPoints checkpoints.
// Across horizons every point is the end of other games, and minPoints of them suffice. A single
// path of deterministic games has no replicates to show its noise, and needs minDecadesPath.
const (
	minDecades       = 1
	minDecadesPath   = 2
	minVerdictPoints = 8
)

// NoVerdictReason returns why the window of the fit has too little evidence for a verdict on
// growth: it is shorter than a decade, or has fewer than eight checkpoints along t. Where
// singlePath is set, for deterministic games, it needs two decades. It returns an empty string
// where there is enough.
func (f Fit) NoVerdictReason(singlePath bool) string {
	decades, length, verdict := float64(minDecades), "a decade", "a verdict"
	if singlePath {
		decades, length, verdict = minDecadesPath, "two decades", "a verdict on a single path"
	}
	points := minVerdictPoints
	if f.Design == AcrossT {
		points = minPoints
	}
	window := fmt.Sprintf("the window [%g, %g]", f.Window.From, f.Window.To)
	switch {
	case f.Decades < decades-1e-9:
		return fmt.Sprintf("%s is shorter than %s, which %s needs", window, length, verdict)
	case f.Points < points:
		return fmt.Sprintf("%s has %d checkpoints, and %s needs %d", window, f.Points, verdict, points)
	}
	return ""
}

// P returns the p-value of the hypothesis that at the end of the window the exponent of the
// envelope is at most
//
//	limit + Beyond,   limit = Exponent + Log·LogSlope.
//
// The envelope of a mean that is not positive is 0 and has exponent 0, so that the hypothesis also
// holds if the mean which makes the envelope is at most 0: P is the larger one of both p-values.
//
// It is at most 1 − Confidence exactly if End.Exponent.Lower is above this. It is NaN where the
// exponent has no value or no interval.
func (c Claim) P(f Fit) float64 {
	return max(f.End.exponent.above(c.limit(f)+Beyond), f.End.noGrowth)
}

// ReasonNeverPositive is the reason for the verdict [AtMost] on a mean that is never positive, and
// has no exponent.
const ReasonNeverPositive = "its mean is never positive"

// Judge compares the claim with a fit, by these numbers:
//
//	limit       the claimed exponent at the end of the window, Exponent + Log·LogSlope, where
//	            LogSlope is the exponent of log t there
//	Exponent    the exponent of the envelope, the largest positive mean so far, over the last half:
//	            the last decade, or half of a window that is shorter than two
//	Secant      the same between the two ends of the last half: it counts a jump near an end, to
//	            which Exponent gives little weight
//	Drift       the change of Exponent since the half before, per decade
//	Increments  the exponent of the increments of the mean in the window: p for a + b·t^p
//
// [End] defines all but the last. A number is shown above or below another one if its bound of
// confidence Confidence, Lower or Upper, is; a number without an interval is shown to be neither.
// The verdict is the first of
//
//	AtMost     the mean is never positive
//	TooLittle  Exponent has no value, since the envelope has become positive in the last half, or
//	           no interval, since one replicate makes all of it
//	AtMost     Exponent is shown below limit + Near, Secant is below it too, and the envelope does
//	           not turn upwards
//	Slowing    Exponent is shown above limit + Beyond, and the envelope slows down
//	Above      Exponent is shown above limit + Beyond
//	Undecided  otherwise
//
// The envelope slows down if Drift is shown below −Beyond, or if the envelope was zero at first, so
// that its exponent has come down from infinity. It does not if Increments is shown above
// limit + Beyond: the exponent of t − 99 falls towards 1 and not towards ½.
//
// It turns upwards if Drift is shown above DefaultTolerance, and Increments is not shown to be at
// most limit + Near. A linear curve below c·√t in the window is thus not O(√t).
//
// The string is the reason of TooLittle, ReasonNeverPositive for a mean that is never positive, and
// else empty.
func (c Claim) Judge(f Fit) (v Verdict, why string) {
	limit, end := c.limit(f), f.End
	exceeds := end.Exponent.Lower > limit+Beyond
	staysBelow := max(end.Exponent.Upper, end.Secant) < limit+Near-negligible

	// A comparison with NaN is false: what has no interval is shown to be neither.
	incrementsExceed := f.Increments.Lower > limit+Beyond
	incrementsStayBelow := f.Increments.Upper <= limit+Near
	beganWithZero := math.IsNaN(end.Drift.Value)
	slows := (end.Drift.Upper < -Beyond || beganWithZero) && !incrementsExceed
	turnsUp := end.Drift.Lower > DefaultTolerance && !incrementsStayBelow
	switch {
	case f.neverPositive(): // every claim bounds it
		return AtMost, ReasonNeverPositive
	case math.IsNaN(end.Exponent.Value): // no power of t leads from zero to a positive number
		return TooLittle, "its mean has become positive in the last half of the window"
	case math.IsNaN(end.Exponent.Lower): // resamples change the envelope by a factor alone
		return TooLittle, "its exponent has no interval"
	case staysBelow && !turnsUp: // a curve that turns upwards will not stay below
		return AtMost, ""
	case exceeds && slows: // its exponent may come down to the claim after the window
		return Slowing, ""
	case exceeds: // nothing shows that its exponent comes down
		return Above, ""
	}
	return Undecided, ""
}

// neverPositive reports whether the mean is shown to be never positive in the window. This is so in
// two cases: no replicate, of at least two, is positive at any point; or the mean is negative
// throughout, and in all but a few resamples too, so that the exponent of its size, that of the
// negated fit, has a finite interval.
func (f Fit) neverPositive() bool {
	if f.NeverPositive && f.Replicates > 1 {
		return true
	}
	return f.Negated != nil && f.Negated.Resamples > 0 && !math.IsInf(f.Negated.Lower, 0)
}

// limit returns the exponent of the claim at the end of the window, Exponent + Log·LogSlope.
func (c Claim) limit(f Fit) float64 {
	limit := c.Exponent
	if c.Log != 0 {
		limit += float64(c.Log * f.End.LogSlope)
	}
	return limit
}

// Factor returns the least c with E(t) ≤ c·t^Exponent log^Log t at all checkpoints of the window
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
