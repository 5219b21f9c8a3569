package algorithms_test

import (
	"slices"
	"strings"

	"ocobench/convex"
)

// proximalStep returns the twins' minimiser over the domain of
//
//	∂f_t(x)·y + Σ_j c_j g_{t,j}(y) + w‖y − x‖²
//
// by projected gradients, the curvature of the g_j being known; on a line by
// bisection of the derivative. It is nil for norms beyond the line, whose
// curvature has no bound.
func proximalStep(s script, r twinRound, x, c []float64, w float64) []float64 {
	lin := r.loss.gradient(x)
	curvature := 2 * w
	for j, g := range r.constraints {
		if g.u != 0 && s.n > 1 {
			return nil
		}
		curvature += c[j] * g.w
	}
	gradient := func(y []float64) []float64 {
		d := slices.Clone(lin)
		for i := range d {
			d[i] += 2 * w * (y[i] - x[i])
		}
		for j, g := range r.constraints {
			for i, v := range g.gradient(y) {
				d[i] += c[j] * v
			}
		}
		return d
	}
	if s.n == 1 {
		lo, hi := nearestPoint(s.set, []float64{-100})[0], nearestPoint(s.set, []float64{100})[0]
		for range 200 {
			mid := []float64{(lo + hi) / 2}
			if gradient(mid)[0] > 0 {
				hi = mid[0]
			} else {
				lo = mid[0]
			}
		}
		return []float64{(lo + hi) / 2}
	}
	y := slices.Clone(x)
	for range 100000 {
		next := descend(s.set, y, 1/curvature, gradient(y))
		moved := distance(y, next)
		y = next
		if moved <= 1e-14 {
			break
		}
	}
	return y
}

// fixedConstraints returns the script with the constraints of its first round in
// all of them.
func (s script) fixedConstraints() script {
	rounds := slices.Clone(s.rounds)
	for i := range rounds {
		rounds[i].constraints = s.rounds[0].constraints
		rounds[i].real = convex.Round{Loss: rounds[i].real.Loss,
			Constraints: s.rounds[0].real.Constraints}
	}
	s.rounds = rounds
	return s
}

// proximalTolerance returns how near actions come to those of [proximalStep]: where
// the kernel does not solve exactly, a gap of 1e-14 of the value moves them by
// its square root.
func proximalTolerance(where string) float64 {
	if strings.Contains(where, "norm") {
		return 1e-6
	}
	return 1e-9
}
