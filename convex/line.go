package convex

import "ocobench/convex/internal/scalar"

// minimizeLine minimises affine and quadratic functions and hinges in one dimension.
func (s *Sum) minimizeLine(dst []float64, prox Prox) Cert {
	q, a := s.smoothSlope(prox)
	x, hinges, gap, probes := s.univariate.Minimize(s.gamma, q, a, s.lo, s.hi)
	dst[0] = x
	return Cert{
		Value: s.smooth.Value(dst) + prox.Value(dst) +
			float64(s.gamma*(s.constants+hinges.Value(x))),
		Gap:        gap,
		Exact:      true,
		Iterations: probes,
	}
}

// interval returns the ends of a set in one dimension.
func interval(set Set) (lo, hi float64) {
	var at [1]float64
	set.Support(at[:], []float64{-1})
	lo = at[0]
	set.Support(at[:], []float64{1})
	return lo, at[0]
}

// smoothSlope returns q and a with q·x + a the slope of the affine and
// quadratic functions and the regulariser.
func (s *Sum) smoothSlope(prox Prox) (q, a float64) {
	a = s.smooth.Lin[0]
	if s.smooth.hasQuad() {
		q = s.smooth.Quad[0]
	}
	if prox.Weight > 0 {
		q += 2 * prox.Weight
		a -= float64(2 * prox.Weight * prox.Center[0])
	}
	return q, a
}

// bisect minimises any convex sum in one dimension.
func (s *Sum) bisect(dst []float64, prox Prox) Cert {
	smooth := Form{Const: s.smooth.Const, Lin: s.smooth.Lin, Quad: s.smooth.Quad}
	parts := s.components()
	var x, g, work [1]float64
	at := func(point float64) (value, slope float64) {
		x[0] = point
		value = smooth.Value(x[:]) + prox.Value(x[:]) + float64(s.gamma*s.univariate.Value(point))
		smooth.Subgrad(g[:], x[:])
		prox.AddGradient(g[:], x[:])
		g[0] += float64(s.gamma * s.univariate.Slope(point))
		for _, c := range parts {
			value += c.Value(x[:])
			c.Subgrad(work[:], x[:])
			g[0] += work[0]
		}
		return value, g[0]
	}
	best, value, gap, steps := scalar.Bisect(at, s.lo, s.hi, s.accuracy)
	dst[0] = best
	return Cert{Value: value + float64(s.gamma*s.constants), Gap: gap, Exact: true, Iterations: steps}
}
