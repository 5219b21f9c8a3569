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
// [Curve.Band] gives its mean with pointwise intervals and [Growth.Slopes] its
// local exponents, to be drawn. [Growth] states the assumptions (design,
// window, confidence) and its [Growth.Fit] estimates the exponent of the mean;
// the [Fit] names the kind of growth by a [Verdict] and carries warnings about
// everything that a reader of the number should know. A [Claim] then judges the
// fit against a claimed bound. [Growth.Compare] holds two curves against each
// other, replicate by replicate, [Holm] corrects the p-values of many such
// comparisons, and a [Gate] watches many curves for regressions.
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
// more checkpoints do not make them narrower. Whether a power law describes the
// mean at all is a question to the replicates too: how far the exponent drifts
// along the window has an interval of the same kind. The scatter of the points
// is reported beside (Residual), and decides nothing.
//
// The mean may hide paths that grow faster than it does. The exponents of the
// replicates by themselves are reported (Own), and a warning is given where a
// few replicates carry the mean.
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
//
// # The shape
//
// Three more numbers tell one kind of growth from another. All are contrasts of
// logarithms of means over whole replicates, and have the hull as interval:
//
//	Drift        the slope of log ȳ over the second half of the window less
//	             that over the first
//	Increments   (log D₂ − log D₁) / (c₂ − c₁), with D the slope of ȳ itself on
//	             log t over a half, and c the centre of that half
//	bend         the drift of Increments between the thirds of the window
//
// A power law has no drift. The constant in a + b·t^p drops out of D, which
// grows like t^p: Increments is p, whatever a is; for a + b·log t it is zero. So
// one family, of which the logarithm is the member with p = 0, holds whatever
// an offset or a logarithm explains, and for all of it the bend is zero. With
// the tolerance τ of [Growth], the verdict is the first of
//
//	bounded        Upper < τ (and not: drift beyond ±τ to an exponent above τ)
//	offset-power   drift, and Increments > τ, further than τ from Exponent
//	logarithmic    drift, and Increments between ±Exponent, within ±τ somewhere,
//	               and further than τ from Exponent
//	transient      drift beyond ±τ, and no Increments > τ without a bend
//	power          Lower > 0
//	undetermined   otherwise
//
// where drift means that its interval leaves zero out, where "x > τ" is said of
// the whole interval, and where an offset or a logarithm needs growth (Lower >
// 0) and no bend beyond ±τ. A curve whose Increments are within τ of its
// exponent keeps the simpler name: 2√t - 1.46 is a power law, and so is √t·log t,
// which nobody can tell from an offset within two decades. Where noise hides the
// shape the verdict is power, so that this name says that nothing better is
// known, and the others that something is: over many kinds of noise a true power
// law is called anything else in 6 % of experiments at most. A logarithm is hard
// to tell from a small power. With 20 replicates log t is called logarithmic in
// 89 % where they are quiet (a geometric walk of 0.05 in log t) and hardly ever
// where they are not; an offset of 20 to √t is seen in 99 % and 60 %.
//
// docs/calibration.md has the coverage of all intervals and the rates of right
// and wrong verdicts and outcomes of claims, for 60 kinds of growth and noise
// and 10, 20 and 50 replicates; go test -run CalibrationTable -table 1000 writes
// it.
//
// # Two curves
//
// A difference of exponents of paired curves is one contrast more, over pairs,
// and has the interval of one. p-values are read off the same two references as
// the interval, Student's distribution and the resamples, and the larger
// counts: p ≤ α exactly if the interval of confidence 1-α leaves zero out.
//
// The gate of regressions asks two things of a cell: that it has got worse at
// all, for which a family of cells is corrected by Holm, and that its estimate
// is worse by more than a margin. To ask for significance beyond the margin in
// place of the second would halve the distance that a shift of 0.1 has to the
// hypothesis, and take four times the replicates.
//
// Runs of 24 cells with another seed raise a false alarm in 3.2 % at most, and a
// shift of one exponent by 0.1 is caught in 95 % where the difference has a
// standard error of 0.017 or less: for replicates that are geometric walks of s
// in log t, in a window of length L in log t, that takes R = 2.4·s²/(0.017²·L)
// of them, 20 for s = 0.1 in two decades. With the same seeds what they have in
// common drops out: disturbed by walks of 0.05, 10 replicates catch 94 %, 20
// catch 99.9 %, with no false alarm in 750 runs.
package stats
