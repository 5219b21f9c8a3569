package diagnosis

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// functionConstants observes a game and measures the constants of the functions: in each round at
// one pair of sampled points, and at the point played.
type functionConstants struct {
	horizon int
	facts   convex.Facts
	samplePoints
	probe       convex.Probe
	firstValues [][]float64 // g_{1,j} at the points
	distance2   []float64   // squared distances of the pairs
	diameter    float64

	lossSlope, constraintSlope           slopes
	lossRange, constraintBound           float64
	curvature                            float64 // the least
	nonconvexity                         float64 // the largest departure from a convex function
	fromFixed, fromPerturbed, fromAffine float64 // the largest departures from these facts
	lossSize                             float64 // largest |f_t|
}

// slopes holds the largest slope of the losses or of the constraints, and how it grows.
type slopes struct {
	largest, before float64 // up to this round, and up to the round before
	upToHundredth   float64 // the largest up to round T/100
	upToTenth       float64 // the largest up to round T/10
	records         int     // rounds after T/10 with a slope larger than all before
}

// endRound updates the records after the slopes of round t have been measured.
func (s *slopes) endRound(t, horizon int) {
	switch {
	case 10*t > horizon:
		if s.largest > s.before {
			s.records++
		}
	case 100*t <= horizon:
		s.upToHundredth = s.largest
		fallthrough
	default:
		s.upToTenth = s.largest
	}
	s.before = s.largest
}

// judgeSlopes returns the exponent p of the largest slope over the last decade, and the verdict
// on a Lipschitz constant for all rounds: see the package comment. More than 9 records are not by
// chance: of exchangeable rounds a decade has log 10 on average, whatever their law, and more
// than 9 with probability 10⁻⁴.
func (s *slopes) judgeSlopes(horizon int) (p *float64, verdict Verdict) {
	const maxRecords = 9
	// decadeExponent returns p for growth from early to late in a decade.
	decadeExponent := func(early, late float64) *float64 {
		if early <= 0 {
			return nil
		}
		return finiteOrNil((vec.Log(late) - vec.Log(early)) / math.Ln10)
	}
	p = decadeExponent(s.upToTenth, s.largest)
	early := decadeExponent(s.upToHundredth, s.upToTenth)
	switch {
	case horizon < shortestHorizon:
	case s.largest == 0 || p != nil && *p <= tolerance:
		return p, Holds
	case p != nil && early != nil && *p >= lastingRatio**early && s.records > maxRecords:
		return p, Fails
	}
	return p, Open
}

// newFunctionConstants returns an observer that has seen no round.
func newFunctionConstants(m *measurement, constraints int) *functionConstants {
	f := &functionConstants{horizon: m.Horizon, facts: m.facts, samplePoints: m.points,
		curvature: math.Inf(1), diameter: m.set.Diameter(), firstValues: make([][]float64, constraints)}
	for k := 0; k < len(f.points); k += 2 {
		d := vec.Dist(f.points[k], f.points[k+1])
		f.distance2 = append(f.distance2, float64(d*d))
	}
	return f
}

// Round implements [game.Observer].
func (f *functionConstants) Round(t int, played []float64, r *convex.Round) error {
	a, b := f.pairOfRound(t)
	x, y := f.points[a], f.points[b]
	lossSlope, constraintSlope := &f.lossSlope.largest, &f.constraintSlope.largest

	fx, fy, belowChord := f.probe.Chord(r.Loss, x, y)
	f.lossSize = max(f.lossSize, math.Abs(fx), math.Abs(fy))
	f.lossRange = max(f.lossRange, math.Abs(fx-fy))
	f.nonconvexity = max(f.nonconvexity, -belowChord)
	const leastDistance2 = 1e-6 // relative; a curvature over less would be rounding error
	if distance2 := f.distance2[a/2]; distance2 > float64(leastDistance2*f.diameter*f.diameter) {
		// A function of curvature c is c‖x−y‖²/8 below the chord at its middle.
		f.curvature = min(f.curvature, 8*belowChord/distance2)
	}
	*lossSlope = max(*lossSlope, f.probe.Slope(r.Loss, x), f.probe.Slope(r.Loss, y))
	if played != nil {
		*lossSlope = max(*lossSlope, f.probe.Slope(r.Loss, played))
		f.lossRange = max(f.lossRange, math.Abs(r.Loss.Value(played)-fx))
	}
	for j, g := range r.Constraints {
		if t == 1 {
			for _, p := range f.points {
				f.firstValues[j] = append(f.firstValues[j], g.Value(p))
			}
		}
		gx, gy, belowChord := f.probe.Chord(g, x, y)
		f.constraintBound = max(f.constraintBound, math.Abs(gx), math.Abs(gy))
		f.nonconvexity = max(f.nonconvexity, -belowChord)
		f.fromAffine = max(f.fromAffine, math.Abs(belowChord))
		dx, dy := gx-f.firstValues[j][a], gy-f.firstValues[j][b]
		f.fromFixed = max(f.fromFixed, math.Abs(dx), math.Abs(dy))
		f.fromPerturbed = max(f.fromPerturbed, math.Abs(dx-dy))
		*constraintSlope = max(*constraintSlope, f.probe.Slope(g, x), f.probe.Slope(g, y))
		if played != nil {
			*constraintSlope = max(*constraintSlope, f.probe.Slope(g, played))
			f.constraintBound = max(f.constraintBound, math.Abs(g.Value(played)))
		}
	}
	f.lossSlope.endRound(t, f.horizon)
	f.constraintSlope.endRound(t, f.horizon)
	return nil
}

// measuredFacts returns the measured constants beside the declared ones.
func (f *functionConstants) measuredFacts() []Fact {
	const relativeError = 1e-9 // of a value in floating point
	scale, declared := 1+max(f.lossSize, f.constraintBound), &f.facts
	largest := func(name string, measured, declared float64) Fact {
		fact := Fact{Name: name, Measured: measured}
		if declared > 0 {
			fact.Declared = &declared
			fact.Broken = measured > declared+float64(relativeError*max(scale, declared))
		}
		return fact
	}
	lipschitz := func(name string, s *slopes, constant float64) Fact {
		fact := largest(name, s.largest, constant)
		fact.Grows, fact.bounded = s.judgeSlopes(f.horizon)
		// What a stream that ends declares is about its own rounds.
		if fact.Declared != nil && !fact.Broken && declared.Rounds == 0 {
			fact.bounded = Holds
		}
		return fact
	}
	// departure returns the departure from a property that may be declared.
	departure := func(name string, measured float64, declared bool) Fact {
		fact := Fact{Name: "departure_from_" + name, Measured: measured}
		if measured <= float64(relativeError*scale) {
			fact.Measured = 0
		}
		if declared {
			fact.Declared, fact.Broken = new(float64), fact.Measured > 0
		}
		return fact
	}
	facts := []Fact{
		lipschitz("loss_lipschitz", &f.lossSlope, declared.LossLipschitz),
		lipschitz("constraint_lipschitz", &f.constraintSlope, declared.ConstraintLipschitz),
		largest("loss_range", f.lossRange, declared.LossRange),
		largest("constraint_bound", f.constraintBound, declared.ConstraintBound),
		largest("diameter", f.diameter, declared.Diameter),
	}
	if !math.IsInf(f.curvature, 1) {
		c := Fact{Name: "curvature", Measured: max(0, f.curvature)}
		if d := declared.Curvature; d > 0 {
			c.Declared = &d
			c.Broken = f.curvature < d-float64(1e-6*max(scale, d))
		}
		facts = append(facts, c)
	}
	return append(facts, departure("convex", f.nonconvexity, true),
		departure("affine", f.fromAffine, declared.Affine),
		departure("fixed", f.fromFixed, declared.Fixed),
		departure("perturbed", f.fromPerturbed, declared.Perturbed))
}
