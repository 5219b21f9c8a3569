package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"ocobench/convex/vec"
)

// An Answer is what a [RegressionTest] says of a curve that was measured again.
type Answer string

// The answers, the better ones first.
const (
	Changed    Answer = "changed"    // no significant change of more than the margin
	Suspicious Answer = "suspicious" // a significant fall
	Regression Answer = "regression" // a significant rise
)

// Compare returns a negative number if a is better than b, and positive if it is worse. Any other
// answer is better than these.
func (a Answer) Compare(b Answer) int {
	order := []Answer{Changed, Suspicious, Regression}
	return slices.Index(order, a) - slices.Index(order, b)
}

// A Rerun is a curve that has been measured again: its reference values and its
// current values.
//
// The reference has to keep the value of every replicate at the checkpoints of
// the window. The exponents of the replicates do not suffice, because the
// exponent of a mean is not a mean of exponents. The exponent of the mean with
// its standard error does not suffice either: its error is skewed, and paired
// replicates have to be compared one by one. Few checkpoints suffice, because
// those of a cumulative curve share its past: four a decade lose little, and six
// digits are enough.
type Rerun struct {
	Name               string
	Reference, Current Curve
	// Paired: replicate r of both curves was played on the same random numbers,
	// as with an unchanged seed. Otherwise the two curves are independent.
	Paired bool
}

// A RegressionTest tests whether curves grow faster than their references, or
// slower. A fall of a regret or a violation is as much a sign of a defect as a rise:
// a term that is no longer counted, or a comparator that is no longer the best.
type RegressionTest struct {
	// Growth has the window, and the confidence 1-α for all curves together. By
	// default Resamples is DefaultResamples, and where the p-value from these is
	// at most α what Holm's correction needs: 10/α times the number of curves. The
	// others are not significant with any correction.
	Growth Growth

	// Margin is the largest change of an exponent that is neither a regression nor
	// suspicious. Default DefaultTolerance.
	Margin float64

	// Each calls f for 0, …, n−1, in any order and as many at the same time as it likes, and
	// returns the first error. Curves are measured by it. Default: one after another.
	Each func(n int, f func(i int) error) error
}

// A Change is the result of a RegressionTest for one curve.
type Change struct {
	Name string
	// Final reports whether final values are compared instead of exponents, because
	// a mean is not positive throughout the window.
	Final bool
	// Estimate is the current value minus that of the reference.
	Estimate
	// Margin is that of the RegressionTest, or its equivalent in final values.
	Margin float64
	// P is the two-sided p-value of the hypothesis that the value has not changed,
	// and Adjusted the same corrected by Holm over all curves.
	P, Adjusted float64
	Answer      Answer
	// Open reports whether a change by the margin or more is not excluded: more
	// replicates are needed to decide.
	Open bool
}

// A Report is the result of a RegressionTest for all curves of a run. Its answer is
// the worst of the curves. The changes are in the order of the given curves.
type Report struct {
	Answer  Answer
	Changes []Change
}

// Compare compares every curve with its reference. With d the current value minus
// that of the reference and m the margin, a curve is
//
//	regression   if d > m, and Adjusted is at most α
//	suspicious   if d < −m, and Adjusted is at most α
//	changed      otherwise
//
// A run in which only the seed has changed has a regression or a suspicious curve
// with probability at most α, for any number of curves.
//
// A changed curve is open unless both hypotheses, that it has grown and that it has
// fallen by the margin or more, have p-values of at most α. These need no
// correction for the number of curves: a run with a true change of the margin or
// more has no open curve and the answer changed with probability at most α.
//
// The value of a curve is its exponent. If the curve or its reference has no
// exponent, because the mean is not positive throughout the window, final values
// are compared. Their margin is the change of the final value that a change m of
// the exponent causes in a window of length L = log(To/From),
//
//	(exp(m·L) − 1) · mean of |final values of the reference|.
//
// It is zero if the reference is zero: a violation where there was none is a
// regression as soon as it is significant. A curve that is multiplied by a
// constant keeps its exponent, and the test does not detect this.
//
// The p-values are those of Student's distribution and of resampled pairs, as the intervals of
// [Growth.Fit], and not of sign flips: 3 pairs can show a regression. For independent
// replicates each side is resampled by itself, and Student's distribution has the
// degrees of freedom of Welch and Satterthwaite.
//
// The checkpoints of the reference have to be among those of the current curve,
// whose other checkpoints are left out. Errors name the curve.
func (r RegressionTest) Compare(curves []Rerun) (Report, error) {
	growth, err := r.Growth.withDefaults()
	if err != nil {
		return Report{}, err
	}
	margin := r.Margin
	if margin == 0 {
		margin = DefaultTolerance
	}
	if !(margin > 0) {
		return Report{}, fmt.Errorf("stats: margin must be positive, not %v", margin)
	}
	level := 1 - growth.Confidence
	withMoreResamples := growth // as Holm's correction needs
	if r.Growth.Resamples == 0 {
		needed := int(math.Ceil(float64(10*len(curves))/level)) - 1
		withMoreResamples.Resamples = max(growth.Resamples, needed)
	}
	report := Report{Answer: Changed, Changes: make([]Change, len(curves))}
	p := make([]float64, len(curves))
	each := r.Each
	if each == nil {
		each = inOrder
	}
	err = each(len(curves), func(i int) error {
		change, err := growth.change(curves[i], margin)
		needsMore := err == nil && change.P <= level
		if needsMore && withMoreResamples.Resamples > growth.Resamples {
			change, err = withMoreResamples.change(curves[i], margin)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", curves[i].Name, err)
		}
		report.Changes[i], p[i] = change, change.P
		return nil
	})
	if err != nil {
		return Report{}, err
	}
	for i, adjusted := range Holm(p) {
		change := &report.Changes[i]
		change.Adjusted = adjusted
		change.Answer = Changed
		switch {
		case !(adjusted <= level):
		case change.Value > change.Margin:
			change.Answer = Regression
		case change.Value < -change.Margin:
			change.Answer = Suspicious
		}
		change.Open = change.Open && change.Answer == Changed
		if change.Answer.Compare(report.Answer) > 0 {
			report.Answer = change.Answer
		}
	}
	return report, nil
}

// A Sensitivity is the smallest change of a curve that a RegressionTest detects with some
// probability.
type Sensitivity struct {
	// Final reports whether final values are compared, as in a [Change].
	Final bool
	// Change is that of the exponent, or that of the final mean as a share of the mean of |final
	// values|. It is infinite where the replicates do not bound the value.
	Change float64
}

// Sensitivity returns the smallest change, up or down, that Compare detects with probability power,
// if all of these many curves have changed, and the current replicates are as many as those of
// the reference, independent of them, and vary as much. On the same random numbers most of the
// noise cancels, and smaller changes are detected. It is
//
//	max(m, r·t(1 − α/(2·curves))·se) + t(power)·se,
//
// where m is the margin, t are quantiles of Student's distribution, and r ≥ 1 is how much wider
// than Student's the interval of confidence 1 − α/min(curves, 20) is by the bootstrap. The standard
// error se of the difference of two such samples is known from n replicates: it is multiplied by
// √((n − 1)/χ²(1 − power)), of n − 1 degrees of freedom, so that it is too small with probability
// 1 − power.
func (r RegressionTest) Sensitivity(reference Curve, curves int,
	power float64) (Sensitivity, error) {
	g, err := r.Growth.withDefaults()
	if err != nil {
		return Sensitivity{}, err
	}
	level := 1 - g.Confidence
	// The level, of both tails, of the bootstrap's quantiles. A lower one takes too many resamples.
	resampledLevel := level / float64(min(curves, 20))
	if r.Growth.Resamples == 0 {
		g.Resamples = max(g.Resamples, int(math.Ceil(10/resampledLevel))-1)
	}
	v, err := g.newCurvePair(reference, reference, asIndependent)
	if err != nil {
		return Sensitivity{}, err
	}
	if len(v.t) == 0 {
		return Sensitivity{}, errNoCheckpoints
	}
	margin := cmp.Or(r.Margin, DefaultTolerance)
	if len(reference.Y) == 1 {
		margin = math.Inf(1)
	}
	p, margin, final := v.compared(margin)
	out, size := Sensitivity{Final: final}, 1.0
	if final {
		size = v.finalSize()
	}
	if p.stdErr > p.rounding {
		degrees := float64(len(reference.Y) - 1)
		p.stdErr *= math.Sqrt(degrees / roundTo(distuv.ChiSquared{K: degrees}.Quantile(1-power), 1e9))
		down, up := p.reach(1 - resampledLevel)
		studentHalf := float64(studentQuantile(p.degrees, 1-float64(resampledLevel/2)) * p.stdErr)
		widthRatio := max(down, up) / studentHalf
		critical := float64(widthRatio*studentQuantile(p.degrees, 1-level/float64(2*curves))) * p.stdErr
		margin = max(margin, critical) + float64(studentQuantile(p.degrees, power)*p.stdErr)
	}
	if out.Change = margin; size > 0 {
		out.Change /= size
	}
	return out, nil
}

// inOrder calls f for 0, …, n−1, one after another, until it returns an error.
func inOrder(n int, f func(i int) error) error {
	for i := range n {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// change estimates the change of a curve and its p-value; Compare gives the answer, which needs the
// p-values of all curves.
func (g Growth) change(c Rerun, margin float64) (Change, error) {
	v, err := g.alignRerun(c)
	if err != nil {
		return Change{}, err
	}
	change := Change{Name: c.Name}
	var pivot pivot
	pivot, change.Margin, change.Final = v.compared(margin)
	change.Estimate = pivot.estimate(g.Confidence)
	change.P = pivot.twoSided(0)
	excluded := math.Max(pivot.below(change.Margin), pivot.above(-change.Margin)) <= 1-g.Confidence
	change.Open = !excluded && !(change.Margin == 0 && change.Value == 0)
	return change, nil
}

// errNoCheckpoints is the error of a curve without a checkpoint in the window.
var errNoCheckpoints = errors.New("stats: no checkpoints in the window")

// alignRerun returns the current replicates of a curve and those of its reference, at the
// checkpoints of the reference.
func (g Growth) alignRerun(c Rerun) (curvePair, error) {
	if err := c.Current.Validate(); err != nil {
		return curvePair{}, err
	}
	current := Curve{T: c.Reference.T, Y: make([][]float64, len(c.Current.Y))}
	for _, t := range c.Reference.T {
		k, found := slices.BinarySearch(c.Current.T, t)
		if !found {
			return curvePair{}, fmt.Errorf("stats: the reference has a checkpoint at t = %v, the current "+
				"curve has not", t)
		}
		for r, y := range c.Current.Y {
			current.Y[r] = append(current.Y[r], y[k])
		}
	}
	v, err := g.newCurvePair(current, c.Reference, c.Paired)
	if err == nil && len(v.t) == 0 {
		err = errNoCheckpoints
	}
	return v, err
}

// compared returns the difference of the exponents with their margin or, if final is set, that of
// the final values with the margin that is equivalent.
func (v curvePair) compared(margin float64) (p pivot, itsMargin float64, final bool) {
	if v.positive() {
		return v.exponent(), margin, false
	}
	return v.final(), v.finalMargin(margin), true
}

// finalMargin returns the margin of final values for this margin of the exponent.
func (v curvePair) finalMargin(margin float64) float64 {
	length := vec.Log(v.t[len(v.t)-1]) - vec.Log(v.t[0])
	return float64((vec.Exp(float64(margin*length)) - 1) * v.finalSize())
}

// finalSize returns the mean of |final values| of the reference.
func (v curvePair) finalSize() float64 {
	_, b := v.finals()
	var size float64
	for _, y := range b {
		size += math.Abs(y)
	}
	return size / float64(len(b))
}
