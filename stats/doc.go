// Package stats estimates how fast a curve grows, with an interval.
//
// Numbers go in and numbers come out: the package knows nothing of algorithms
// or problems. It is meant for curves such as regret or constraint violation.
// Theory bounds the growth of their mean, O(t^p), and an experiment gives a few
// dozen replicates.
//
// # Pipeline
//
// A [Curve] holds the replicates of one metric at common checkpoints.
// [Curve.Band] gives its mean with pointwise intervals and [Growth.Slopes] its
// local exponents, to be drawn. [Growth] states the assumptions (design,
// window, confidence) and its [Growth.Fit] estimates the exponent of the mean;
// the [Fit] names the kind of growth by a [Shape] and carries warnings about
// everything that a reader of the number should know. [Claim.Judge] then compares
// the fit with a claimed rate such as √t, and returns a [Verdict]. [Growth.Compare]
// compares two curves, replicate by replicate. [JointFlips] corrects the p-values of
// many such comparisons. A [RegressionTest] tests many curves for regressions, with the
// correction of [Holm].
//
// # Philosophy
//
// The exponent is that of the mean curve, not the mean of the replicates'
// exponents. Bounds are on expectations, and a rare replicate that grows fast
// contributes to an expectation by its size.
//
// The replicates are the independent observations. The checkpoints of one run
// share its past, so the scatter of points about the line says nothing about the
// error of the slope. Intervals come from the differences between replicates
// alone, and more checkpoints do not make them narrower. Whether a power law
// describes the mean is tested with the replicates too: the drift of the
// exponent along the window has an interval of the same kind. The scatter of the
// points is reported (Residual) and decides nothing.
//
// Some paths may grow faster than the mean. A warning is given where a few
// replicates make up half of the mean.
//
// No point is dropped or clipped. Where the mean is not positive it has no
// logarithm, and the shape says so instead of an exponent.
//
// An interval is about the window, not about the limit. A mean such as log t,
// √t + 100 or t/(t + 3000) has one slope in the window, which the interval is to
// cover, and another one later. A theorem is about the limit, so that a true one
// may be [Above] in a window, and a false one [AtMost]. Claims are therefore judged by
// what the envelope of the mean does at the end of the window: see The verdict below.
//
// Coverage is conditional on a positive mean: a sample whose mean is not positive
// throughout the window has no interval and is not counted.
//
// Results are reproducible: the same data give the same bits, in any order of
// the replicates and on every platform. For this, sums, means, spreads and regressions are
// computed here and not by gonum: package vec has the measurements.
//
// # The interval
//
// The interval is the hull of Student's interval and the bootstrap-t interval
// (see [Growth.Fit]). Several intervals can be made from whole replicates, and
// this one was chosen by its coverage of the models below. Student's interval is
// too short for skewed replicates, such as regret and violation, and bootstrap-t
// corrects this. Bootstrap-t is too short for heavy symmetric tails, and Student's
// is long enough there. The percentile interval and BCa do not account for the
// error of a spread that is estimated from few replicates. Nominal 95 % intervals
// cover the slope in the window, in the mean over the first eight models below
// (and at worst),
//
//	replicates             5            10            20            30            50
//	hull           96.0 (93.5)   95.7 (94.2)   95.4 (93.4)   95.6 (94.1)   95.7 (94.6)
//	Student        93.4 (87.9)   93.8 (90.6)   94.3 (91.3)   94.6 (93.0)   95.0 (93.4)
//	bootstrap-t    93.5 (92.0)   93.8 (91.8)   94.2 (91.6)   94.5 (91.6)   94.9 (93.3)
//	percentile     82.9 (81.1)   89.0 (87.6)   92.1 (90.0)   93.1 (91.8)   94.0 (92.5)
//	BCa            82.8 (81.2)   88.4 (84.0)   91.6 (88.1)   92.5 (89.0)   93.7 (92.0)
//
// There the hull is longer than Student's interval by 60 % with 5 replicates, 18 %
// with 10, 7 % with 30, and each of its ends misses the slope in at most 3.8 % of
// experiments. It covers the slope of each model, in per cent,
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
// In the last two models rare replicates dominate the mean. Where a sample has
// none of them, no interval made from it can cover the truth at the nominal
// rate: ten replicates of the last model contain no linear path in 11 % of
// experiments. Rarer paths and infinite variance cost more, as testdata/calibration.md
// shows. Thirty replicates are advised, and at least ten for a number that is
// published.
//
// (2000 repetitions, 999 resamples, window 10²…10⁴ with 33 points; standard
// error about 0.5. Tests keep the code near these numbers; go test -run
// CoverageTable -table 2000 -v measures them again.)
//
// # The shape
//
// Three more numbers distinguish kinds of growth. Each is a contrast of
// logarithms of means over whole replicates, with the hull as its interval:
//
//	Drift        the slope of log ȳ over the second half of the window minus
//	             that over the first
//	Increments   (log D₂ − log D₁) / (c₂ − c₁), with D the slope of ȳ itself on
//	             log t over a half, and c the centre of that half
//	bend         Increments of the last two thirds of the window minus
//	             Increments of the first two
//
// A power law has no drift. The constant in a + b·t^p drops out of D, which
// grows like t^p, so that Increments is p for every a. For a + b·log t
// Increments is zero. The power laws with an offset and the logarithm therefore
// form one class, in which the logarithm has p = 0, and the bend is zero for
// all of it. With the tolerance τ of [Growth], the shape is the first of
//
//	bounded        Upper < τ (and not: drift beyond ±τ to an exponent above τ)
//	offset-power   drift, and Increments > τ, further than τ from Exponent
//	logarithmic    drift, and Increments between ±Exponent, within ±τ somewhere,
//	               and further than τ from Exponent
//	transient      drift beyond ±τ, and no Increments > τ without a bend; or growth that wavers
//	power          Lower > 0
//	undetermined   otherwise
//
// where "drift" means that its interval excludes zero, and "x > τ" is a
// condition on the whole interval. The shapes offset-power and logarithmic
// also require growth (Lower > 0), no bend beyond ±τ, and that the growth does not waver. It
// wavers if the slope over a quarter decade is shown to rise by more than τ somewhere and to fall
// by as much elsewhere, as that of a mean which is periodic in log t. A curve whose Increments
// are within τ of its exponent has the shape power: 2√t - 1.46, and also
// √t·log t, which two decades hardly distinguish from an offset. Where noise
// hides the shape it is power too. Power thus means that no other shape
// is shown, and every shape is about the window: a mean that rises to a level is
// transient, and its exponent there is positive. In the rows of testdata/calibration.md,
//
//	t^¼ … t              is not power in 7 % at most, without rare replicates
//	log t                is logarithmic in 32 % and 97 % (10 and 30 replicates) with
//	                     a geometric walk of 0.05 in log t, else in 2 % at most
//	√t log t             is offset-power in 3 to 22 %
//	20 + √t              is offset-power in 32 to 100 %
//	t/(t + 3000)         is transient in 38 to 100 %, offset-power in 0 to 57 %
//	t^0.7, then t^0.2    is transient in 30 to 100 %, logarithmic in 0 to 69 %
//	log-periodic √t      is transient in 99 to 100 % with a walk, in 9 to 100 % with noise
//	                     of 0.33 at every checkpoint, which hides it in 10 replicates
//
// # The verdict
//
// Theory bounds the mean by c·t^p for some c. That holds exactly if it holds for the
// envelope of the mean, its largest positive value so far, which exists where the mean
// is negative and is flat where it falls. A [Claim] is compared with the exponent of the
// envelope over the last decade of the window, or its last half where the window has
// less than two decades. Its interval has two bounds of 95 % each, and
//
//	✓  at most √t    its upper end is below 0.6
//	△  slowing       its lower end is above 0.52, and the exponent is shown to fall
//	▲  above         its lower end is above 0.52
//	?  undecided     otherwise
//	–  too little    the mean has just become positive, or the exponent has no interval
//
// for √t; [Claim.Judge] has the details. A verdict is a statement on one curve: nothing is
// corrected for the number of curves. In the rows of testdata/calibration.md,
//
//	O(√t)            is ▲ in 7.1 %, and in 0.9 % where it has come to √t
//	t^0.7 … t        is ▲ or △ in 95.3 %, with 10 replicates
//
// testdata/calibration.md has the coverage of all intervals, and how often each shape
// and each verdict is found, for these and other curves, heavy tails, rare
// paths and games; go test -run CalibrationTable -table 500 writes it.
//
// # Two curves
//
// Paired differences are tested by sign flips, exactly with fewer than 12 pairs. From 12 pairs
// on, the flips are drawn, and the p-value is the larger of theirs and of that of the hull, whose
// interval a difference of exponents has as a contrast over pairs. p ≤ α exactly if
// the interval of confidence 1-α excludes zero, unless all differences are equal, which show
// no spread: their interval is unbounded. With 3, 4 or 5 pairs no difference is significant at
// 5 % ([LeastPairs]). [JointFlips] corrects the p-values of many rows. Differences whose laws
// are symmetric about 0 are called different in at most 5.2 % of testdata/calibration.md, and
// skewed ones of mean 0 in up to 60 %, with a warning beside at least 91 % of those, but for
// exponential ones (77 %).
//
// A [RegressionTest] reports a rise or a fall of a curve under two conditions. The
// curve has changed at all, by a two-sided test that Holm's procedure corrects for
// all curves. And its estimate has changed by more than a margin. A test of the
// hypothesis that it has changed by more than the margin, instead of the second
// condition, would halve the distance of a shift of 0.1 to the hypothesis, and need
// four times the replicates.
//
// Runs of 24 curves with another seed raise a false alarm, of a rise or a fall, in
// 3.2 % (12 of 375). A rise or a fall of one exponent by 0.1 is detected in 99 % where
// the difference has a standard error of 0.016. Replicates that are geometric walks
// of s in log t, in a window of length L in log t, reach it with R = 2.4·s²/(0.016²·L)
// of them, 20 for s = 0.1 in two decades. With the same seeds the common noise
// cancels: when each replicate is multiplied by a walk of 0.05, 10 replicates detect
// 92 % of the rises and 90 % of the falls, and 20 detect 100.0 % and 99.6 %, with no
// false alarm in 375 runs.
package stats
