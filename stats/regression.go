package stats

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex/vec"
)

// An Outcome is what a measurement says about a change.
type Outcome string

const (
	Pass         Outcome = "pass"
	Regression   Outcome = "regression"
	Inconclusive Outcome = "inconclusive"
)

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

// A RegressionTest tests whether curves grow faster than their references.
type RegressionTest struct {
	// Growth has the window, and the confidence 1-α for all curves together. By
	// default Resamples is what Holm's correction needs: 10/α times the number
	// of curves, and at least DefaultResamples.
	Growth Growth

	// Margin is the largest increase of an exponent that is no regression.
	// Default DefaultTolerance.
	Margin float64
}

// A Change is the result of a RegressionTest for one curve.
type Change struct {
	Name string
	// Final tells that final values are compared instead of exponents, because
	// a mean is not positive throughout the window.
	Final bool
	// Estimate is the current value minus that of the reference.
	Estimate
	// Margin is that of the RegressionTest, or its equivalent in final values.
	Margin float64
	// P is the one-sided p-value of the hypothesis that the curve has not become
	// worse, and Adjusted the same corrected by Holm over all curves.
	P, Adjusted float64
	Outcome     Outcome
}

// A Report is the result of a RegressionTest for all curves of a run: regression
// if a curve has one, pass if all curves pass, and inconclusive otherwise. The
// changes are in the order of the given curves.
type Report struct {
	Outcome Outcome
	Changes []Change
}

// Compare compares every curve with its reference. A curve is
//
//	regression     if its value has grown by more than the margin, and
//	               Adjusted is at most α
//	pass           if the hypothesis that it has grown by the margin or more has
//	               a p-value of at most α
//	inconclusive   otherwise: more replicates are needed
//
// A run in which only the seed has changed has a regression with probability at
// most α, for any number of curves. The p-values of pass need no correction,
// because a run passes only if all its curves do: a run with a true change of the
// margin or more passes with probability at most α.
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
// The p-values are those of [Growth.Compare] for pairs. For independent
// replicates each side is resampled by itself, and Student's distribution has the
// degrees of freedom of Welch and Satterthwaite.
//
// The checkpoints of the reference have to be among those of the current curve,
// whose other checkpoints are left out. Errors name the curve.
func (r RegressionTest) Compare(curves []Rerun) (Report, error) {
	growth, err := r.growth(len(curves))
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
	report := Report{Outcome: Pass, Changes: make([]Change, len(curves))}
	p := make([]float64, len(curves))
	small := make([]bool, len(curves))
	level := 1 - growth.Confidence
	for i, c := range curves {
		v, err := growth.against(c)
		if err != nil {
			return Report{}, fmt.Errorf("%s: %w", c.Name, err)
		}
		change := Change{Name: c.Name, Margin: margin}
		var pivot pivot
		if change.Final = !v.positive(); change.Final {
			pivot = v.final()
			change.Margin = v.finalMargin(margin)
		} else {
			pivot = v.exponent()
		}
		change.Estimate = pivot.estimate(growth.Confidence)
		change.P = pivot.above(0)
		p[i] = change.P
		small[i] = pivot.below(change.Margin) <= level || change.Margin == 0 && pivot.value <= 0
		report.Changes[i] = change
	}
	for i, adjusted := range Holm(p) {
		change := &report.Changes[i]
		change.Adjusted = adjusted
		switch {
		case adjusted <= level && change.Value > change.Margin:
			change.Outcome = Regression
			report.Outcome = Regression
		case small[i]:
			change.Outcome = Pass
		default:
			change.Outcome = Inconclusive
			if report.Outcome == Pass {
				report.Outcome = Inconclusive
			}
		}
	}
	return report, nil
}

// growth returns the Growth with the defaults for this number of curves.
func (r RegressionTest) growth(curves int) (Growth, error) {
	chosen := r.Growth.Resamples != 0
	growth, err := r.Growth.withDefaults()
	if !chosen && err == nil {
		growth.Resamples = max(growth.Resamples, int(math.Ceil(float64(10*curves)/(1-growth.Confidence)))-1)
	}
	return growth, err
}

// against returns the current replicates of a curve and those of its reference.
func (g Growth) against(c Rerun) (versus, error) {
	if err := c.Current.Validate(); err != nil {
		return versus{}, err
	}
	current := Curve{T: c.Reference.T, Y: make([][]float64, len(c.Current.Y))}
	for _, t := range c.Reference.T {
		k, found := slices.BinarySearch(c.Current.T, t)
		if !found {
			return versus{}, fmt.Errorf("stats: the reference has a checkpoint at t = %v, the current curve has not", t)
		}
		for r, y := range c.Current.Y {
			current.Y[r] = append(current.Y[r], y[k])
		}
	}
	v, err := g.versus(current, c.Reference, c.Paired)
	if err == nil && len(v.t) == 0 {
		err = fmt.Errorf("stats: no checkpoints in the window")
	}
	return v, err
}

// finalMargin is the margin of final values for this margin of the exponent.
func (v versus) finalMargin(margin float64) float64 {
	_, b := v.finals()
	var size float64
	for _, y := range b {
		size += math.Abs(y)
	}
	length := vec.Log(v.t[len(v.t)-1]) - vec.Log(v.t[0])
	return float64((vec.Exp(float64(margin*length)) - 1) * (size / float64(len(b))))
}
