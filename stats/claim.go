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
// It is at most 1 − Confidence exactly if End.Exponent.Lower is above this. It is NaN where the
// exponent has no value or no interval.
func (c Claim) P(f Fit) float64 {
	return max(f.End.exponent.above(c.limit(f)+Beyond), f.End.noGrowth)
}

// ReasonNeverPositive is the reason for the verdict [AtMost] on a mean that is never positive, and
// has no exponent.
const ReasonNeverPositive = "its mean is never positive"

// Judge compares the claim with a fit. With E the envelope of the mean at the end of the window,
// p its exponent there, and limit = Exponent + Log·LogSlope, the verdict is the first of
//
//	TooLittle  p has no value, since E has become positive in the last half of the window, or no
//	           interval, since one replicate makes all of it
//	AtMost     p < limit + Near, also for the secant of E, and E does not turn upwards
//	Slowing    p > limit + Beyond, and E slows down
//	Above      p > limit + Beyond
//	Undecided  otherwise
//
// where a condition on p is one on its bound of confidence Confidence (End.Exponent.Lower or
// Upper). E slows down if Drift is shown to be below −Beyond, or if E was zero at first, so
// that its exponent has come down from infinity; unless the increments of the mean are shown to
// grow faster than claimed, as those of t − 99, whose exponent falls towards 1 and not towards ½.
// It turns upwards if Drift is shown to be above DefaultTolerance, and the increments grow faster
// than claimed too: their interval ends more than Near above limit. A linear curve below c·√t in
// the window is thus not O(√t).
//
// A mean that is not positive is AtMost any claim, and why says so, in two cases: no replicate, of
// at least two, is positive at any point of the window; or the mean is negative throughout, and in
// all but a few resamples too, so that the exponent of its size has an interval. Otherwise why is
// the reason of TooLittle, and else empty.
func (c Claim) Judge(f Fit) (v Verdict, why string) {
	limit, end := c.limit(f), f.End
	exceeds := end.Exponent.Lower > limit+Beyond
	slows := (end.Drift.Upper < -Beyond || math.IsNaN(end.Drift.Value)) &&
		!(f.Increments.Lower > limit+Beyond)
	turnsUp := end.Drift.Lower > DefaultTolerance && !(f.Increments.Upper <= limit+Near)
	switch {
	case f.NeverPositive && f.Replicates > 1,
		f.Negated != nil && f.Negated.Resamples > 0 && !math.IsInf(f.Negated.Lower, 0):
		return AtMost, ReasonNeverPositive
	case math.IsNaN(end.Exponent.Value):
		return TooLittle, "its mean has become positive in the last half of the window"
	case math.IsNaN(end.Exponent.Lower):
		return TooLittle, "its exponent has no interval"
	case !turnsUp && max(end.Exponent.Upper, end.Secant) < limit+Near-negligible:
		return AtMost, ""
	case exceeds && slows:
		return Slowing, ""
	case exceeds:
		return Above, ""
	}
	return Undecided, ""
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
