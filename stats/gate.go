package stats

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex/vec"
)

const (
	Pass       Outcome = "pass"
	Regression Outcome = "regression"
)

// A Cell is one curve to be watched for regressions: as it was, and as it is.
//
// The reference has to keep the value of every replicate at the checkpoints of
// the window. Exponents of replicates would not do, nor the exponent of the
// mean with its standard error: the exponent of a mean is not a mean of
// exponents, its error is skewed, and pairs need their partners. Few
// checkpoints do, for those of a cumulative curve share its past: four a decade
// lose little, and six digits are enough.
type Cell struct {
	Name               string
	Reference, Current Curve
	// Paired: replicate r of both has been played on the same random numbers,
	// as with an unchanged seed. Otherwise the two are independent.
	Paired bool
}

// A Gate decides whether curves have come to grow faster than they did.
type Gate struct {
	// Growth has the window, and the confidence 1-α, which is that of all
	// cells together. Resamples are by default as many as Holm's correction
	// needs: 10 times the number of cells over α, DefaultResamples at least.
	Growth Growth

	// Margin is the change of an exponent that does not matter. Default
	// DefaultTolerance.
	Margin float64
}

// A Change is what a Gate says of a cell.
type Change struct {
	Name string
	// Final tells that final values are compared, not exponents, because a
	// mean is not positive throughout the window.
	Final bool
	// Estimate is the current value less that of the reference.
	Estimate
	// Margin is the Gate's, or what it comes to in final values.
	Margin float64
	// P is the one-sided p-value of the hypothesis that the cell has not got
	// worse, Adjusted the same by Holm over all cells.
	P, Adjusted float64
	Outcome     Outcome
}

// A Report is what a Gate says of a run: a regression if a cell has one, pass
// if all cells pass, and else inconclusive. Its Cells are in the order given.
type Report struct {
	Outcome Outcome
	Cells   []Change
}

// Compare compares every cell with its reference. A cell is
//
//	regression     if its value has grown by more than the margin, and P by
//	               Holm over all cells is at most α
//	pass           if it has not grown by the margin: that hypothesis has a
//	               p-value of at most α
//	inconclusive   otherwise: more replicates are needed
//
// A run in which nothing has changed but the seed has a regression with
// probability α at most, whatever the number of cells. To pass, the cells need
// no correction: all of them must. One in which a true change of the margin or
// more remains passes with probability α at most.
//
// The value of a cell is its exponent. Where one of the two has none, since its
// mean is not positive throughout the window, final values are compared, with a
// margin that a change of the exponent by m would make of them in a window of
// length L = log(To/From),
//
//	(exp(m·L) − 1) · mean of |final values of the reference|,
//
// which is zero if the reference is: a violation where there was none is a
// regression as soon as it is significant. A change of level by a constant
// factor is none of exponent, and is not seen.
//
// The p-values are those of [Growth.Compare] for pairs. For independent
// replicates both sides are resampled, each by itself, and Student's
// distribution has the degrees of Welch and Satterthwaite.
//
// The checkpoints of the reference must be among those of the current curve,
// of which the others are left out. Errors name the cell.
func (g Gate) Compare(cells []Cell) (Report, error) {
	growth, err := g.growth(len(cells))
	if err != nil {
		return Report{}, err
	}
	margin := g.Margin
	if margin == 0 {
		margin = DefaultTolerance
	}
	if !(margin > 0) {
		return Report{}, fmt.Errorf("stats: margin must be positive, not %v", margin)
	}
	report := Report{Outcome: Pass, Cells: make([]Change, len(cells))}
	p := make([]float64, len(cells))
	small := make([]bool, len(cells))
	level := 1 - growth.Confidence
	for i, c := range cells {
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
		report.Cells[i] = change
	}
	for i, adjusted := range Holm(p) {
		change := &report.Cells[i]
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

// growth returns the Growth with its defaults for so many cells.
func (g Gate) growth(cells int) (Growth, error) {
	chosen := g.Growth.Resamples != 0
	growth, err := g.Growth.withDefaults()
	if !chosen && err == nil {
		growth.Resamples = max(growth.Resamples, int(math.Ceil(float64(10*cells)/(1-growth.Confidence)))-1)
	}
	return growth, err
}

// against returns the current replicates of a cell against the reference.
func (g Growth) against(c Cell) (versus, error) {
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

// finalMargin is what a margin of the exponent comes to at the end.
func (v versus) finalMargin(margin float64) float64 {
	_, b := v.finals()
	var size float64
	for _, y := range b {
		size += math.Abs(y)
	}
	length := vec.Log(v.t[len(v.t)-1]) - vec.Log(v.t[0])
	return float64((vec.Exp(float64(margin*length)) - 1) * (size / float64(len(b))))
}
