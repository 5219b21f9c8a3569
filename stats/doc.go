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
// Of the intervals that can be made from whole replicates the one chosen, by
// measured coverage, is the hull of Student's and the bootstrap-t interval (see
// [Growth.Fit]). Student's is too short where the replicates are skewed, as
// regret and violation are, and bootstrap-t corrects this. Bootstrap-t is itself
// too short where they have heavy symmetric tails, and there Student's is not.
// The percentile interval and BCa do not know how little a few replicates tell
// of their own spread. Nominal 95 % intervals cover the truth, in the mean over
// the first eight models below (and at worst),
//
//	replicates             5            10            20            30            50
//	hull           96.0 (93.5)   95.7 (94.2)   95.4 (93.4)   95.6 (94.1)   95.7 (94.6)
//	Student        93.4 (87.9)   93.8 (90.6)   94.3 (91.3)   94.6 (93.0)   95.0 (93.4)
//	bootstrap-t    93.5 (92.0)   93.8 (91.8)   94.2 (91.6)   94.5 (91.6)   94.9 (93.3)
//	percentile     82.9 (81.1)   89.0 (87.6)   92.1 (90.0)   93.1 (91.8)   94.0 (92.5)
//	BCa            82.8 (81.2)   88.4 (84.0)   91.6 (88.1)   92.5 (89.0)   93.7 (92.0)
//
// The hull is longer than Student's interval by 60 % with 5 replicates, 18 %
// with 10, 7 % with 30. Either of its ends misses in at most 3.8 % of
// experiments. Model by model it covers, in per cent,
//
//	replicates                         3*     5    10    20    30    50
//	t^¾ × lognormal level and noise  92.2  95.7  94.5  95.2  94.1  94.8
//	√t × geometric walk in log t     93.2  95.5  94.7  94.5  94.5  95.5
//	3√t + walk                       95.4  96.6  96.2  95.8  95.8  96.2
//	t^¾ + walk                       95.5  97.1  96.0  96.9  96.3  96.4
//	|walk|                           93.5  95.5  96.3  95.2  95.5  95.5
//	running maximum of a walk        92.1  96.0  96.4  96.0  96.7  96.0
//	bounded: level + noise           96.8  98.5  96.9  96.3  96.3  96.2
//	walk²                            89.1  93.5  94.2  93.4  95.2  94.6
//	t^p, p normal(½, 0.1²)           89.5  88.3  89.6  90.1  92.7  92.2
//	√t, one in five t/10             46.3  68.8  88.6  97.5  97.8  97.9
//	                                 * Student's interval alone
//
// In the last two models rare replicates carry the mean, and where a sample has
// none of them no interval made from it can be honest: ten replicates of the
// last model hold no linear path in 11 % of experiments. Thirty replicates are
// advised, ten are the least for a number to be printed.
//
// (2000 repetitions, 999 resamples, window 10²…10⁴ with 33 points; standard
// error about 0.5. Tests hold the code near these numbers; go test -run
// CoverageTable -table 2000 -v measures them afresh.)
package stats
