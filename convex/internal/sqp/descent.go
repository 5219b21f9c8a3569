package sqp

import (
	"errors"
	"math"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// This file has the loop of the method. It determines how far a step goes, what happens with the
// point at its end, and when to stop.
//
// A full step along a curved kink may end at a worse point off the kink, and the following
// steps return to it. Therefore steps are full, with a damping ρ that falls, and the point
// of least merit so far, the incumbent, is kept. The end of a step is one of these:
//
//   - accept: it is a new incumbent. The damping falls.
//   - take back: it is not, and the step used an old Hessian. The next one begins at the
//     incumbent, with a new Hessian.
//   - stall: it is not. The next step begins there nevertheless, with less damping if the
//     merit is lower than at the step before.
//   - restart: it is not, for too many times. The next step begins at the incumbent, with
//     more damping; from then on, the step after the first one from an incumbent is short,
//     as a correction.
//
// The certificate is independent of all this: the best one is kept with its point, and
// determines when to stop.

// When to stop. Of the 21,000 minimisations of the short tests of this package, half take
// three steps, 99 % at most 35, and the longest one 179.
const (
	// maxSteps ends a minimisation whose error falls too slowly.
	maxSteps = 200

	// progress is the factor by which the error has to fall to count as progress. Smaller
	// gains may go on and on.
	progress = 2

	// patience is the number of steps without progress after which SQP gives up, and the
	// bundle method takes over. In the tests, progress came back after 59 of them.
	patience = 60

	// nearRounding is the relative error from which on patienceNearRounding holds. A step of
	// Newton's method squares the error, so that one more is enough. The others allow for a
	// step that is taken back.
	nearRounding         = 1e-12
	patienceNearRounding = 4

	// leastError is the relative error at which to stop: values and tangents are sums, whose
	// roundings of 10⁻¹⁶ add up to some 10⁻¹⁵. A step with an old Hessian has to reach
	// leastErrorOldHessian: it converges linearly and ends just below the tolerance, whereas
	// a step of Newton's method ends far below it.
	leastError           = 1e-14
	leastErrorOldHessian = 1e-15

	// noViolation is the violation below which one more step does not reduce it: a few units
	// in the last place of 1.
	noViolation = 1e-15
)

// How far to go.
const (
	// slopeOfDamping gives the unit of ρ: with ρ = slopeOfDamping·slope/diameter, the damping
	// changes the gradient by a thousandth of the steepest slope across the whole set. That
	// makes the minimiser of the model unique, and hardly moves it.
	slopeOfDamping = 1e-3

	// accepted divides ρ after a step that is accepted, and falling after one that is not
	// accepted but has a lower merit. falling is about √accepted: half of the evidence.
	accepted = 10
	falling  = 3

	// raised multiplies ρ after a restart, and where a model has no minimiser. It undoes two
	// divisions by accepted, since the one before the last may have been too much, too.
	raised = 100

	// negligible is the share of the curvature of the regulariser below which ρ is 0, so that
	// steps end as Newton's do.
	negligible = 1e-6

	// leastRaised is the first damping, in units, of a model that has no minimiser without
	// damping. It is far above the rounding of a Cholesky factor, and too small to shorten a
	// step. Where it is not enough, it is raised.
	leastRaised = 1e-6

	// correction multiplies ρ for a short step, to which one unit is added. It is more than
	// raised, so that a correction is shorter than the full step after the next restart.
	correction = 1000

	// maxRises and maxWorse bound the rises of the merit, and the steps, without a new
	// incumbent: one more causes a restart. Leaving a curved kink and returning to it is one
	// rise; three mean that the steps go around in circles. In the tests there are at most 32
	// steps in a row that are not accepted.
	maxRises = 2
	maxWorse = 50
)

// oldHessianGain is the factor of the gap that a step with an old Hessian has to reach. Such
// a step costs a fraction of one with a new Hessian; a Hessian that gains less than four
// digits a step needs more steps than it saves.
const oldHessianGain = 1e-4

// weightMargin is the weight of the violation in the merit, in units of the largest
// multiplier. Above 1 the merit is exact: its minimiser is feasible. The rest is room for
// multipliers of later steps, so that the weight, and with it the merit, seldom changes.
const weightMargin = 2

// descent is the state of a minimisation.
type descent struct {
	q                *Solver
	value, violation float64 // at q.x
	weight           float64 // of the violation in the merit
	iterations       int     // of the active-set method

	// The best certificate, which is that of q.point, and when to stop.
	best              quadprog.Certificate
	error             float64 // its gap plus the gain that its violation may have caused
	stalled, patience int     // steps without progress, and their largest number
	polished          bool    // the last step, which reduces the violation, is done
	lastGap           float64

	// How far to go.
	rho, unit float64
	corrects  bool    // there was a restart
	rises     int     // how often the merit rose since the incumbent or the restart
	worse     int     // the number of steps since then
	previous  float64 // the merit at the step before
}

// Minimize writes the minimiser to dst, and certifies it. It begins at start unless that is empty.
// If models were solved by the range space, and the result has no certificate, it minimises again
// with the dense factorisation.
func (q *Solver) Minimize(dst, start []float64) (quadprog.Certificate, error) {
	cert, err := q.descend(dst, start)
	if !q.model.UsesRangeSpace() ||
		err == nil && (cert.Gap <= q.accuracy || cert.Relative() <= quadprog.Tolerance) {
		return cert, err
	}
	rows := q.model
	rows.BarRangeSpace(true)
	defer func() { rows.BarRangeSpace(false) }()
	return q.descend(dst, start)
}

// descend does the work of Minimize in one attempt.
func (q *Solver) descend(dst, start []float64) (quadprog.Certificate, error) {
	d := descent{q: q}
	d.begin(start)
	for k := 0; k < maxSteps && d.stalled < d.patience; k++ {
		err := q.step(q.x, d.damping())
		d.iterations += q.model.Steps()
		if errors.Is(err, quadprog.ErrCurvature) {
			d.dampFlatModel()
			continue
		}
		if err != nil {
			if !isFinite(d.value) || !isFinite(d.violation) { // the model says nothing
				err = quadprog.ErrNotFinite
			}
			return quadprog.Certificate{Iterations: d.iterations}, err
		}
		d.raiseWeight()
		d.value, d.violation = q.Evaluate(q.x)
		old := q.keepsHessian()
		if d.certify(old) {
			break
		}
		q.freeLeaving()
		merit, previous := d.merit(d.value, d.violation), d.previous
		d.previous = merit
		switch {
		case merit < d.merit(q.incumbent.value, q.incumbent.violation):
			d.accept()
		case old:
			d.takeBack()
		default:
			d.stall(merit < previous)
		}
	}
	copy(dst, q.point)
	d.best.Iterations = d.iterations
	return d.best, nil
}

// begin evaluates the first point, which is the incumbent: start, or the centre of the
// regulariser, or 0.
func (d *descent) begin(start []float64) {
	q := d.q
	q.model = q.plainModel
	q.boundCurvature()
	switch {
	case len(start) > 0:
		copy(q.x, start)
	case q.prox.Weight > 0:
		q.domain.Project(q.x, q.prox.Center)
	default:
		clear(q.x)
		q.domain.Project(q.x, q.x)
	}
	d.value, d.violation = q.Evaluate(q.x)
	q.incumbent.set(q.x, d.value, d.violation)
	copy(q.point, q.x)
	q.chooseModel()
	q.chooseFree()
	q.keepHessian(q.terms != nil && q.terms.IsWorthKeeping())
	d.best = quadprog.Certificate{Value: d.value, Gap: math.Inf(1)}
	d.error, d.lastGap, d.previous, d.patience = math.Inf(1), math.Inf(1), math.Inf(1), patience
	if d.unit = q.dampingUnit(); q.prox.Weight == 0 {
		d.rho = d.unit
	}
}

// dampingUnit returns the unit of ρ. The slope is that of the objective or, if that is constant,
// the largest one of an inner function at the point evaluated last, or of a feature.
func (q *Solver) dampingUnit() float64 {
	diameter := q.domain.Diameter()
	if diameter == 0 {
		diameter = 1
	}
	steepest := 0.0
	for _, a := range q.inner {
		steepest = max(steepest, vec.Norm(a.grad))
	}
	if q.features != nil {
		steepest = max(steepest, q.features.maxGradient())
	}
	if f := vec.Norm(q.obj.Lin); f > 0 {
		steepest = f
	}
	if steepest == 0 {
		steepest = 1
	}
	return slopeOfDamping * steepest / diameter
}

// damping returns the damping ρ of the next step.
func (d *descent) damping() float64 {
	if d.corrects && d.worse%2 == 1 {
		return float64(correction*d.rho) + d.unit
	}
	return d.rho
}

// merit returns the value plus weight times the violation.
func (d *descent) merit(value, violation float64) float64 {
	return value + float64(d.weight*violation)
}

// raiseWeight keeps the weight above the multipliers of the constraints, in the units of the
// violation.
func (d *descent) raiseWeight() {
	q := d.q
	for k, mu := range q.mu[:len(q.hinges)] { // the first hinges of the model
		if h := q.hinges[k]; math.IsInf(h.w, 1) {
			unit := h.violationUnit(q.inner[h.i].grad, q.model.Scale())
			d.weight = max(d.weight, float64(weightMargin*mu*unit))
		}
	}
}

// certify bounds the error at x, keeps the best certificate with its point, and reports
// whether that is good enough. old reports that the step used an old Hessian.
func (d *descent) certify(old bool) (done bool) {
	q := d.q
	gap, unit := q.Gap(q.x, d.value), max(1, math.Abs(d.value))
	if gap > float64(oldHessianGain*d.lastGap) {
		q.keepHessian(false)
	}
	d.lastGap = gap
	d.stalled++
	// The error is at most the gap plus the gain that the violation may have caused.
	if bound := d.merit(gap, d.violation); d.violation <= quadprog.Feasible && bound < d.error {
		if bound < d.error/progress {
			d.stalled = 0
		}
		if d.error = bound; bound <= float64(nearRounding*unit) {
			d.patience = patienceNearRounding
		}
		d.best.Value, d.best.Gap = d.value, gap
		copy(q.point, q.x)
	}
	tolerance := leastError
	if old {
		tolerance = leastErrorOldHessian
	}
	reached := d.error <= max(q.accuracy, float64(tolerance*unit))
	done = reached && (d.polished || d.violation <= noViolation)
	d.polished = d.polished || reached // one step more reduces the violation
	return done
}

// accept makes x the incumbent.
func (d *descent) accept() {
	d.q.incumbent.set(d.q.x, d.value, d.violation)
	d.rises, d.worse = 0, 0
	if d.rho /= accepted; d.q.prox.Weight > 0 && d.rho < float64(negligible*d.q.prox.Weight) {
		d.rho = 0
	}
}

// stall counts a step that is not accepted, whose merit falls or rises, and restarts if
// there are too many.
func (d *descent) stall(falls bool) {
	d.worse++
	if falls {
		d.rho /= falling
	} else {
		d.rises++
	}
	if d.rises > maxRises || d.worse > maxWorse {
		d.restart()
	}
}

// restart begins again at the incumbent, with more damping.
func (d *descent) restart() {
	d.rises, d.worse, d.corrects = 0, 0, true
	d.takeBack()
	d.rho = max(raised*d.rho, d.unit)
}

// takeBack returns to the incumbent.
func (d *descent) takeBack() {
	d.previous = math.Inf(1)
	d.q.recall()
}

// dampFlatModel returns to the incumbent, with more damping, from a model that has no minimiser.
func (d *descent) dampFlatModel() {
	d.rho = max(raised*d.rho, leastRaised*d.unit)
	d.q.recall()
	d.stalled++
}

// recall sets x to the incumbent, and forgets the minimiser of the last model and the
// Hessian, which is of another point.
func (q *Solver) recall() {
	copy(q.x, q.incumbent.x)
	q.Evaluate(q.x)
	q.keepHessian(false)
	for k := range q.inner {
		q.inner[k].model = math.NaN()
	}
}

// keepHessian sets whether the Hessian of the terms is kept.
func (q *Solver) keepHessian(on bool) {
	if q.terms != nil {
		q.terms.KeepHessian(on)
	}
}

// keepsHessian reports whether the Hessian of the terms is kept.
func (q *Solver) keepsHessian() bool { return q.terms != nil && q.terms.KeepsHessian() }

// isFinite reports whether v is neither infinite nor NaN.
func isFinite(v float64) bool { return v-v == 0 } // v − v is NaN otherwise
