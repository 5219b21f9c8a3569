package recorded

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
)

// This file computes the facts of recorded rounds. While the file is read, addFunction bounds every
// function on the domain, or on a ball that contains the domain. At the end mergeDeclaredFacts
// replaces these bounds by the facts that the first line declares: a game that is played again on
// its recorded rounds is then told the same facts as before. A number that is 0 is not declared.

var (
	// computedFacts lists the facts that are computed where the first line does not declare them. A
	// [Writer] therefore writes them also where they are 0 or false.
	computedFacts = []string{"loss_lipschitz", "constraint_lipschitz", "loss_range",
		"constraint_bound", "slater", "curvature", "feasible", "fixed", "affine"}
	// recordingFacts lists the facts that recorded rounds have of their own, whatever is declared.
	recordingFacts = []string{"diameter", "rounds", "adaptive", "deterministic", "known_optimum",
		"opaque"}
)

// mergeDeclaredFacts returns the facts that were computed from the rounds, with those that the
// first line declares in their place. It returns an error if a declared fact contradicts the
// rounds.
func (s *scanner) mergeDeclaredFacts() (convex.Facts, error) {
	facts := s.facts
	facts.LossRange = facts.LossLipschitz * facts.Diameter
	for _, v := range []*float64{
		&facts.LossLipschitz, &facts.ConstraintLipschitz, &facts.LossRange,
		&facts.ConstraintBound, &facts.Diameter,
	} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) { // numbers too large to bound
			*v = 0
		}
	}
	merged, declared := reflect.ValueOf(&facts).Elem(), reflect.ValueOf(s.header.facts)
	for i, key := range wire.FactKeys {
		if s.header.declares(key) && !slices.Contains(recordingFacts, key) {
			merged.Field(i).Set(declared.Field(i))
		}
	}
	contradiction := s.contradiction
	switch {
	case facts.Fixed && !s.facts.Fixed && s.changed:
		contradiction = "fixed is declared, and constraints change"
	case facts.Fixed && !s.facts.Fixed:
		contradiction = "fixed is declared, and the expectation is not that of the constraints"
	case facts.Affine && !s.facts.Affine:
		contradiction = "affine is declared, and a constraint is not affine"
	case facts.KnownConstraints && !facts.Fixed:
		contradiction = "known_constraints is declared, and fixed is not"
	}
	if contradiction == "" {
		return facts, nil
	}
	return facts, fmt.Errorf("%s: facts: %s; correct the fact, or leave it out", s.header.factsPlace,
		contradiction)
}

// functionBound bounds a function on the domain.
type functionBound struct {
	lipschitz float64 // a Lipschitz constant, exact for an affine function
	value     float64 // at s.center
	affine    bool
}

// addFunction adds a function of the round to the facts, the loss (index 0) or constraint j (index
// j), and returns its bound. Only for affine functions is a larger bound than the declared constant
// a contradiction: the bounds of others are not exact.
func (s *scanner) addFunction(f *wire.Function, index int) functionBound {
	var b functionBound
	if f.Other != nil { // it is not given by its coefficients
		b = s.boundOf(f.Other)
	} else {
		b = s.boundOfQuadratic(f.Const, f.Lin, f.Quad)
	}
	facts, key, declared := &s.facts, "loss_lipschitz", s.header.facts.LossLipschitz
	if index > 0 {
		key, declared = "constraint_lipschitz", s.header.facts.ConstraintLipschitz
		facts.ConstraintLipschitz = max(facts.ConstraintLipschitz, b.lipschitz)
		facts.ConstraintBound = max(facts.ConstraintBound,
			math.Abs(b.value)+float64(b.lipschitz*s.domainRadius))
		facts.Affine = facts.Affine && b.affine
	} else {
		facts.LossLipschitz = max(facts.LossLipschitz, b.lipschitz)
	}
	isDeclared := s.header.declares(key) && declared != 0
	if isDeclared && b.affine && b.lipschitz > declared*(1+1e-9) && s.contradiction == "" {
		s.contradiction = fmt.Sprintf("%s of round %d has a slope of length %v, more than the %v "+
			"declared", nameOf(index), s.t, b.lipschitz, declared)
	}
	return b
}

// boundOfQuadratic bounds constant + lin·x + ½xᵀ quad x on the ball of radius r about c by the
// Lipschitz constant ‖lin + quad c‖ + ‖quad‖·r, with the Frobenius norm of the matrix.
func (s *scanner) boundOfQuadratic(constant float64, lin, quad []float64) functionBound {
	if lin == nil && quad == nil {
		return functionBound{0, constant, true}
	}
	c := s.center
	n := len(c)
	grad := make([]float64, n)
	copy(grad, lin)
	value := constant + vec.Dot(grad, c)
	if quad == nil {
		return functionBound{vec.Norm(grad), value, true}
	}
	for i := range c {
		g := vec.Dot(quad[i*n:(i+1)*n], c)
		grad[i] += g
		value += float64(float64(c[i]*g) / 2)
	}
	return functionBound{vec.Norm(grad) + float64(vec.Norm(quad)*s.domainRadius), value, false}
}

// boundOf bounds a function of any form that a file of rounds may have.
func (s *scanner) boundOf(f convex.Evaluator) functionBound {
	value := f.Value(s.center)
	curved := func(lipschitz float64) functionBound { return functionBound{lipschitz, value, false} }
	switch f := f.(type) {
	case *convex.Basis:
		b, ok := s.basisBounds[f]
		if !ok {
			b = s.boundOf(convex.Describe(f))
			s.basisBounds[f] = b
		}
		return b
	case *convex.Single:
		return s.boundOf(f.Of)
	case *convex.Shifted:
		b := s.boundOf(f.Base)
		b.value = value
		return b
	case *convex.Affine:
		return s.boundOfQuadratic(f.B, f.A, nil)
	case *convex.Quadratic:
		return s.boundOfQuadratic(f.B, f.A, f.Q)
	case *convex.Linear:
		return functionBound{vec.Norm(f.A), value, true}
	case *convex.Ridge:
		least, most := s.LinearRange(f.A)
		return curved(f.Weight * steepest(f.Curve, least+f.B, most+f.B) * vec.Norm(f.A))
	case *convex.Separable:
		lower, upper := s.Bounds()
		slopes := make([]float64, len(f.Rate))
		for k, rate := range f.Rate {
			u, v := float64(rate*lower[f.First+k]), float64(rate*upper[f.First+k])
			slopes[k] = rate * steepest(f.Curve, min(u, v)+f.Offset, max(u, v)+f.Offset)
		}
		return curved(f.Weight * vec.Norm(slopes))
	case *convex.LeastSquares:
		sum, n := 0.0, len(s.center)
		for k, y := range f.Y {
			row := f.H[k*n : (k+1)*n]
			least, most := s.LinearRange(row)
			sum += float64(vec.Norm(row) * max(math.Abs(least-y), math.Abs(most-y)))
		}
		return curved(sum)
	case *convex.Distance:
		return curved(f.Weight)
	case *convex.HalfSquaredDistance:
		return curved(f.Weight * (vec.Dist(s.center, f.Center) + s.domainRadius))
	case *convex.ElasticNet:
		return curved(float64(f.L1*math.Sqrt(float64(len(s.center)))) +
			float64(f.L2*(vec.Norm(s.center)+s.domainRadius)))
	}
	return s.boundOfMany(f)
}

// boundOfMany bounds a maximum or a sum of other functions by the bounds of its parts.
func (s *scanner) boundOfMany(f convex.Evaluator) functionBound {
	out := functionBound{value: f.Value(s.center), affine: true}
	add := func(scale float64, b functionBound) {
		out.lipschitz += float64(math.Abs(scale) * b.lipschitz)
		out.affine = out.affine && b.affine
	}
	switch f := f.(type) {
	case *convex.Max:
		for _, piece := range f.Pieces {
			out.lipschitz = max(out.lipschitz, s.boundOf(piece).lipschitz)
		}
		out.affine = false
	case *convex.Form:
		add(1, s.boundOfQuadratic(0, f.Lin, nilIfZero(f.Quad)))
		for _, t := range f.Terms {
			add(t.Scale, s.boundOf(t.Basis))
		}
	case *convex.Composite:
		add(1, s.boundOfQuadratic(0, f.Lin, f.Quad))
		if f.Diag != nil {
			slope := make([]float64, len(f.Diag))
			for i, d := range f.Diag {
				slope[i] = float64(d * s.center[i])
			}
			add(1, functionBound{lipschitz: vec.Norm(slope) + float64(slices.Max(f.Diag)*s.domainRadius)})
		}
		for _, part := range f.Parts {
			add(part.Scale, s.boundOf(part.Func))
		}
	default:
		panic(fmt.Sprintf("recorded: a function of type %T was read", f))
	}
	return out
}

// steepest returns the largest |slope| of a convex curve on [least, most], which is at an end.
func steepest(c convex.Curve, least, most float64) float64 {
	return max(math.Abs(c.Slope(least)), math.Abs(c.Slope(most)))
}

// nilIfZero returns xs, or nil if all numbers are 0.
func nilIfZero(xs []float64) []float64 {
	if !slices.ContainsFunc(xs, func(x float64) bool { return x != 0 }) {
		return nil
	}
	return xs
}

// enclosingBall returns the centre and the radius of a ball that contains the set.
func enclosingBall(set convex.Set) (center []float64, radius float64) {
	n := set.Dim()
	center = make([]float64, n)
	switch d := set.(type) {
	case *convex.Box:
		for i := range center {
			center[i] = float64(d.Lower[i]/2) + float64(d.Upper[i]/2)
		}
		return center, vec.Dist(d.Lower, d.Upper) / 2
	case *convex.Ball:
		copy(center, d.Center)
		return center, d.Radius
	case *convex.Simplex:
		for i := range center {
			center[i] = d.Scale / float64(n)
		}
		return center, d.Scale * math.Sqrt(1-1/float64(n))
	}
	panic(fmt.Sprintf("recorded: a domain of type %T", set))
}
