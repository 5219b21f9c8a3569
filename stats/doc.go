// Package stats measures how fast a curve grows, and says how sure one may be.
//
// Numbers go in and numbers come out: the package knows nothing of algorithms
// or problems. It is meant for curves such as regret or constraint violation,
// of which theory bounds the growth of the mean, O(t^p), and of which an
// experiment gives a few dozen replicates.
//
// # Pipeline
//
// A [Curve] holds the replicates of one metric at common checkpoints.
// [Curve.Band] gives its mean with pointwise intervals, to be drawn. [Growth]
// states the assumptions (design, window, confidence) and its [Growth.Fit]
// estimates the exponent of the mean; the [Fit] names the kind of growth by a
// [Verdict] and carries warnings about everything that a reader of the number
// should know. A [Claim] then judges the fit against a claimed bound.
//
// # Philosophy
//
// The exponent is that of the mean curve, not the mean of the replicates'
// exponents: bounds are on expectations, and rare replicates that grow fast
// matter as much to them as they weigh.
//
// The replicate is the unit of chance. The checkpoints of one run share its
// past, so the scatter of points about a line says nothing of the error of the
// slope; intervals come from the differences between replicates alone, and
// more checkpoints do not make them narrower. The scatter and the bend of the
// points are reported beside (Residual, Curvature): they say whether a power
// law describes the mean at all.
//
// No point is dropped or clipped. Where the mean is not positive it has no
// logarithm, and the verdict says that in place of an exponent.
//
// An interval speaks of the window, not of the limit. A mean that bends, as
// log t does or √t + 100, has a slope in the window, which the interval covers,
// and another beyond it.
//
// Results are reproducible: the same data in any order of the replicates give
// the same bits, on every platform.
//
// # The interval
//
// Of the intervals that can be made from whole replicates the one chosen is the
// hull of Student's and the bootstrap-t interval (see [Growth.Fit]), by
// measured coverage.
//
// Student's interval is too short where the replicates are skewed, as regret
// and violation are, and bootstrap-t corrects this. Bootstrap-t is itself too
// short where they have heavy symmetric tails, and there Student's is not. The
// percentile interval and BCa, which have no notion of the R-1 degrees of
// freedom, are too short everywhere with few replicates.
//
// COVERAGE TABLE
package stats
