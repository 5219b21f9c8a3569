package probtest

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// This file checks the laws about single functions of a round: their numbers, forms, convexity,
// and the constants that the facts declare of them.

// checkShapes checks that every round has the declared number of functions, none nil, whose values,
// subgradients and normal forms are finite at a sampled point.
func checkShapes(p *problemUnderTest) error {
	return p.eachRound(maxRounds, func(stream problems.Stream, t int, funcs []convex.Func) error {
		n := stream.Set().Dim()
		if m := stream.Constraints(); m < 1 || len(funcs) != 1+m {
			return fmt.Errorf("%d constraints, the stream declares %d", len(funcs)-1, m)
		}
		x := newSampler(stream.Set(), t).drawPoint()
		grad := make([]float64, n)
		for j, f := range funcs {
			if f == nil {
				return fmt.Errorf("%s is nil", functionName(j))
			}
			f.Subgrad(grad, x)
			form := convex.Lower(f, n)
			numbers := slices.Concat(grad, []float64{f.Value(x), form.Const}, form.Lin, form.Quad)
			if !allFinite(numbers...) {
				return fmt.Errorf("%s is %v with subgradient %v and form %+v at %v", functionName(j),
					f.Value(x), grad, form, x)
			}
		}
		return nil
	})
}

// magnitude returns the sum of the absolute values of the terms of f(x), which may cancel.
func magnitude(f *convex.Form, x []float64) float64 {
	v := math.Abs(f.Const)
	for i, xi := range x {
		v += math.Abs(f.Lin[i] * xi)
		if len(f.Quad) > 0 {
			for j, xj := range x {
				v += math.Abs(f.Quad[i*len(x)+j] * xi * xj)
			}
		}
	}
	for _, t := range f.Terms {
		v += math.Abs(t.Scale * t.Basis.Value(x))
	}
	return v
}

// checkForms compares the value of every function with the value of its normal form at three
// points.
func checkForms(p *problemUnderTest) error {
	return p.eachRound(maxRounds/2, func(stream problems.Stream, t int, funcs []convex.Func) error {
		points := newSampler(stream.Set(), t).drawPoints(3)
		for j, f := range funcs {
			form := convex.Lower(f, stream.Set().Dim())
			for _, x := range points {
				a, b := f.Value(x), form.Value(x)
				if math.Abs(a-b) > roundingTol*(math.Abs(a)+magnitude(form, x)) {
					return fmt.Errorf("%s is %v at %v, its form %v", functionName(j), a, x, b)
				}
			}
		}
		return nil
	})
}

// checkConvexity checks midpoint convexity of every function between three pairs of points, and
// that the linearisation at one of them is not above the value at the other. All functions of a
// round are checked at the same points: a program answers for all of them at once.
func checkConvexity(p *problemUnderTest) error {
	var probe convex.Probe
	return p.eachRound(maxRounds/2, func(stream problems.Stream, t int, funcs []convex.Func) error {
		sample, grad := newSampler(stream.Set(), t), make([]float64, stream.Set().Dim())
		for range 3 {
			x, y := sample.drawPoint(), sample.drawPoint()
			for j, f := range funcs {
				fx, fy, above := probe.Chord(f, x, y)
				size := 1 + math.Abs(fx) + math.Abs(fy)
				if above < -roundingTol*size {
					return fmt.Errorf("%s is, in the middle of %v and %v, %v above the mean of its values there, "+
						"%v and %v", functionName(j), x, y, -above, fx, fy)
				}
				f.Subgrad(grad, x)
				below := fx + vec.Dot(grad, y) - vec.Dot(grad, x)
				if fy < below-slopeTol(stream)*size {
					return fmt.Errorf("%s is %v at %v, below %v of its linearisation at %v", functionName(j), fy,
						y, below, x)
				}
			}
		}
		return nil
	})
}

// checkLipschitz compares subgradients of every function at four points with the declared Lipschitz
// constants.
func checkLipschitz(p *problemUnderTest) error {
	var probe convex.Probe
	return p.eachRound(maxRounds, func(stream problems.Stream, t int, funcs []convex.Func) error {
		declared, points := stream.Facts(), newSampler(stream.Set(), t).drawPoints(4)
		for _, x := range points {
			for j, f := range funcs {
				most := declared.ConstraintLipschitz
				if j == 0 {
					most = declared.LossLipschitz
				}
				if slope := probe.Slope(f, x); most > 0 && slope > most*(1+slopeTol(stream)) {
					return fmt.Errorf("%s has a subgradient of length %v at %v, declared is %v", functionName(j),
						slope, x, most)
				}
			}
		}
		return nil
	})
}

// checkBounds compares the values of every function at six points with the declared range of losses
// and bound on constraints. Two of the points are the ends of the set along a subgradient, where an
// affine function is extreme.
func checkBounds(p *problemUnderTest) error {
	return p.eachRound(maxRounds, func(stream problems.Stream, t int, funcs []convex.Func) error {
		declared := stream.Facts()
		grad, points := make([]float64, stream.Set().Dim()), newSampler(stream.Set(), t).drawPoints(6)
		for j, f := range funcs {
			f.Subgrad(grad, points[0]) // the ends of an affine function
			convex.Extremes(stream.Set(), grad, points[1], points[2])
			low, high := math.Inf(1), math.Inf(-1)
			for _, x := range points {
				low, high = min(low, f.Value(x)), max(high, f.Value(x))
			}
			switch size := max(high, -low); {
			case j == 0 && declared.LossRange > 0 && high-low > declared.LossRange+roundingTol*size:
				return fmt.Errorf("the loss has values from %v to %v, declared is a range of %v", low, high,
					declared.LossRange)
			case j > 0 && declared.ConstraintBound > 0 && size > declared.ConstraintBound*(1+roundingTol):
				return fmt.Errorf("%s has values from %v to %v, declared is a bound of %v", functionName(j),
					low, high, declared.ConstraintBound)
			}
		}
		return nil
	})
}

// checkCurvature checks on five chords that the loss lies below its chord as far as the declared
// strong convexity σ demands: by σ/8·d² in the middle of a chord of length d.
func checkCurvature(p *problemUnderTest) error {
	var probe convex.Probe
	return p.eachRound(maxRounds/2, func(stream problems.Stream, t int, funcs []convex.Func) error {
		sigma := stream.Facts().Curvature
		if sigma == 0 {
			return errEnough
		}
		points := newSampler(stream.Set(), t).drawPoints(6)
		for k, y := range points[1:] {
			x := points[k]
			fx, fy, above := probe.Chord(funcs[0], x, y)
			d := vec.Dist(x, y)
			if least := sigma / 8 * d * d; above < least-roundingTol*(1+math.Abs(fx)+math.Abs(fy)) {
				return fmt.Errorf("in the middle of %v and %v the loss is %v below the mean of its values "+
					"there, less than the %v of curvature %v", x, y, above, least, sigma)
			}
		}
		return nil
	})
}
