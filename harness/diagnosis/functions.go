package diagnosis

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// functions is the observer that measures the constants of the functions: in each
// round at one pair of sampled points, and at the point played.
type functions struct {
	at    []int // checkpoints
	facts convex.Facts
	sample
	first     [][]float64 // g_{1,j} at the points
	mid, grad []float64
	apart     []float64 // squared distances of the pairs
	diameter  float64

	lossSlope, constraintSlope slopes
	lossRange, constraintBound float64
	curvature, concave         float64 // least curvature; largest departure from convexity
	fixed, perturbed, affine   float64 // largest departures
	size                       float64 // largest value
}

// slopes has the largest slope of a kind of functions, and how it grows.
type slopes struct {
	largest, before float64
	at              [2]float64 // the largest up to T/100 and T/10
	records         int        // rounds after T/10 with a slope larger than all before
}

// end ends round t.
func (s *slopes) end(t, horizon int) {
	switch {
	case 10*t > horizon:
		if s.largest > s.before {
			s.records++
		}
	case 100*t <= horizon:
		s.at[0] = s.largest
		fallthrough
	default:
		s.at[1] = s.largest
	}
	s.before = s.largest
}

// growth returns the verdict on a Lipschitz constant for all rounds. Let p be the
// exponent of the largest slope over the last decade. The slopes stay if p is at most
// agree. They grow if p is larger and at least lasting times that of the decade before, so
// that the growth does not come to an end, and if more than 9 rounds of the last decade
// have a slope larger than all before: of exchangeable rounds a number of log 10 has on
// average, whatever their law, and more than 9 have with probability 10⁻⁴.
func (s *slopes) growth(horizon int) (p *float64, verdict Verdict) {
	const most = 9
	p, early := decade(s.at[1], s.largest), decade(s.at[0], s.at[1])
	switch {
	case horizon < shortest:
	case s.largest == 0 || p != nil && *p <= agree:
		return p, Holds
	case p != nil && early != nil && *p >= lasting**early && s.records > most:
		return p, Fails
	}
	return p, Open
}

func newFunctions(m *measurement, constraints int) *functions {
	n := m.set.Dim()
	f := &functions{
		at: m.at, facts: m.facts, sample: m.points, mid: make([]float64, n), grad: make([]float64, n),
		curvature: math.Inf(1), diameter: m.set.Diameter(),
	}
	for k := 0; k < len(f.points); k += 2 {
		d := vec.Dist(f.points[k], f.points[k+1])
		f.apart = append(f.apart, float64(d*d))
	}
	f.first = make([][]float64, constraints)
	return f
}

// Round implements [game.Observer].
func (f *functions) Round(t int, played []float64, r *convex.Round) error {
	a, b := f.pair(t)
	x, y := f.points[a], f.points[b]
	for i := range f.mid {
		f.mid[i] = float64(x[i]/2) + float64(y[i]/2)
	}
	apart := f.apart[a/2]

	fx, fy := r.Loss.Value(x), r.Loss.Value(y)
	f.size = max(f.size, math.Abs(fx), math.Abs(fy))
	f.lossRange = max(f.lossRange, math.Abs(fx-fy))
	bulge := float64(fx/2) + float64(fy/2) - r.Loss.Value(f.mid)
	f.concave = max(f.concave, -bulge)
	if apart > float64(1e-6*f.diameter*f.diameter) {
		f.curvature = min(f.curvature, 8*bulge/apart)
	}
	loss, constraint := &f.lossSlope.largest, &f.constraintSlope.largest
	*loss = max(*loss, f.slope(r.Loss, x), f.slope(r.Loss, y))
	if played != nil {
		*loss = max(*loss, f.slope(r.Loss, played))
		f.lossRange = max(f.lossRange, math.Abs(r.Loss.Value(played)-fx))
	}
	for j, g := range r.Constraints {
		if t == 1 {
			for _, p := range f.points {
				f.first[j] = append(f.first[j], g.Value(p))
			}
		}
		gx, gy := g.Value(x), g.Value(y)
		f.constraintBound = max(f.constraintBound, math.Abs(gx), math.Abs(gy))
		bulge := float64(gx/2) + float64(gy/2) - g.Value(f.mid)
		f.concave = max(f.concave, -bulge)
		f.affine = max(f.affine, math.Abs(bulge))
		dx, dy := gx-f.first[j][a], gy-f.first[j][b]
		f.fixed = max(f.fixed, math.Abs(dx), math.Abs(dy))
		f.perturbed = max(f.perturbed, math.Abs(dx-dy))
		*constraint = max(*constraint, f.slope(g, x), f.slope(g, y))
		if played != nil {
			*constraint = max(*constraint, f.slope(g, played))
			f.constraintBound = max(f.constraintBound, math.Abs(g.Value(played)))
		}
	}
	horizon := f.at[len(f.at)-1]
	f.lossSlope.end(t, horizon)
	f.constraintSlope.end(t, horizon)
	return nil
}

func (f *functions) slope(g convex.Func, x []float64) float64 {
	g.Subgrad(f.grad, x)
	return vec.Norm(f.grad)
}

// report compares the measurements with the declarations.
func (f *functions) report() []Fact {
	const rounding = 1e-9
	scale := 1 + max(f.size, f.constraintBound)
	largest := func(name string, measured, declared float64) Fact {
		fact := Fact{Name: name, Measured: measured}
		if declared > 0 {
			fact.Declared = &declared
			fact.Broken = measured > declared+float64(rounding*max(scale, declared))
		}
		return fact
	}
	lipschitz := func(name string, s *slopes, declared float64) Fact {
		fact := largest(name, s.largest, declared)
		fact.Grows, fact.bounded = s.growth(f.at[len(f.at)-1])
		// What a stream that ends declares is about its own rounds.
		if fact.Declared != nil && !fact.Broken && f.facts.Rounds == 0 {
			fact.bounded = Holds
		}
		return fact
	}
	facts := []Fact{
		lipschitz("loss_lipschitz", &f.lossSlope, f.facts.LossLipschitz),
		lipschitz("constraint_lipschitz", &f.constraintSlope, f.facts.ConstraintLipschitz),
		largest("loss_range", f.lossRange, f.facts.LossRange),
		largest("constraint_bound", f.constraintBound, f.facts.ConstraintBound),
		largest("diameter", f.diameter, f.facts.Diameter),
	}
	if !math.IsInf(f.curvature, 1) {
		c := Fact{Name: "curvature", Measured: max(0, f.curvature)}
		if d := f.facts.Curvature; d > 0 {
			c.Declared = &d
			c.Broken = f.curvature < d-float64(1e-6*max(scale, d))
		}
		facts = append(facts, c)
	}
	// For flags, the measurement is the departure from the property.
	none := func(name string, departure float64, declared bool) {
		fact := Fact{Name: name, Measured: departure}
		if departure <= float64(rounding*scale) {
			fact.Measured = 0
		}
		if declared {
			fact.Declared = new(float64)
			fact.Broken = fact.Measured > 0
		}
		facts = append(facts, fact)
	}
	none("departure_from_convex", f.concave, true)
	none("departure_from_affine", f.affine, f.facts.Affine)
	none("departure_from_fixed", f.fixed, f.facts.Fixed)
	none("departure_from_perturbed", f.perturbed, f.facts.Perturbed)
	return facts
}

// decade is the exponent of a running maximum over the last decade.
func decade(early, late float64) *float64 {
	if early <= 0 {
		return nil
	}
	return number((vec.Log(late) - vec.Log(early)) / math.Ln10)
}
