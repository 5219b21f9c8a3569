package convex

import (
	"math"
)

// piecewise is a sum of hinges w·max(0, ½qx² + ax + b) of one variable: a piecewise
// quadratic function. It is stored as its leftmost piece and, for every
// breakpoint, the change of (q, a, b) there.
type piecewise struct {
	leftmost    increment // (q, a, b) to the left of all breakpoints
	breakpoints breakpoints
}

func (p *piecewise) reset() {
	p.leftmost = increment{}
	p.breakpoints.reset()
}

func (p *piecewise) add(w, q, a, b float64) {
	piece := increment{float64(w * q), float64(w * a), float64(w * b)}
	minus := increment{-piece.q, -piece.a, -piece.b}
	switch {
	case q < 0:
		panic("convex: a hinge of a concave function is not convex")
	case q == 0 && a > 0:
		p.breakpoints.add(-b/a, piece)
	case q == 0:
		p.leftmost = p.leftmost.plus(piece)
		p.breakpoints.add(-b/a, minus)
	default:
		p.leftmost = p.leftmost.plus(piece)
		// The parabola is positive outside of its roots, and everywhere if it
		// has none. The root of larger size is computed without cancellation,
		// and the other one from it.
		disc := float64(a*a) - float64(2*float64(q*b))
		if !(disc > 0) {
			return
		}
		far := -a - math.Copysign(math.Sqrt(disc), a)
		r1, r2 := far/q, 2*b/far
		p.breakpoints.add(min(r1, r2), minus)
		p.breakpoints.add(max(r1, r2), piece)
	}
}

func (p *piecewise) piece(x float64) increment {
	return p.leftmost.plus(p.breakpoints.sumBelow(x))
}

func (p *piecewise) value(x float64) float64 { return p.piece(x).at(x) }

// at evaluates a piece.
func (p increment) at(x float64) float64 {
	return float64((float64(float64(p.q*x)/2)+p.a)*x) + p.b
}

func (p *piecewise) slope(x float64) float64 {
	piece := p.piece(x)
	return float64(piece.q*x) + piece.a
}

// minimizeLine minimises in one dimension. The slope of the sum is nondecreasing,
// and linear between breakpoints, so that one search finds its zero.
func (s *Sum) minimizeLine(dst []float64, prox Prox) Cert {
	lo, hi := s.lo, s.hi
	slope := derivative{gamma: s.gamma}
	slope.q, slope.a = s.smoothSlope(prox)
	slope.q += float64(s.gamma * s.univariate.leftmost.q)
	slope.a += float64(s.gamma * s.univariate.leftmost.a)
	// The minimiser is on the piece that ends at the first breakpoint with a
	// slope ≥ 0 to its right or, if there is none, on the last piece.
	key, last, before, at, probes, ok := s.univariate.breakpoints.search(slope)
	end := math.Inf(1)
	if ok {
		end = key
	}
	// This piece is between last and end.
	x := end
	pq, pa := slope.q+float64(s.gamma*before.q), slope.a+float64(s.gamma*before.a)
	switch {
	case pq > 0:
		x = min(max(last, -pa/pq), end)
	case pa > 0:
		x = last
	}
	x = min(max(x, lo), hi)
	dst[0] = x

	// The sums of changes to the left and to the right of x. The search has
	// computed them unless x is an end of the interval.
	below, above := before, before
	switch {
	case last < x && x < end:
	case last < x && x == end:
		above = above.plus(at)
	default:
		below, above = s.univariate.breakpoints.sumBelow(x),
			s.univariate.breakpoints.sumBelow(math.Nextafter(x, math.Inf(1)))
	}
	// The subgradient at x of smallest size, where an end of the interval
	// contributes its normal cone.
	left, right := math.Inf(-1), math.Inf(1)
	if x > lo {
		left = slope.at(x, below)
	}
	if x < hi {
		right = slope.at(x, above)
	}
	g := max(left, min(right, 0))
	below = below.plus(s.univariate.leftmost)
	return Cert{
		Value:      s.smooth.Value(dst) + prox.value(dst) + float64(s.gamma*(s.consts+below.at(x))),
		Gap:        slopeGap(x, g, lo, hi),
		Exact:      true,
		Iterations: probes,
	}
}

// slopeGap bounds f(x) − min f over [lo, hi] for every convex f with slope g at x.
func slopeGap(x, g, lo, hi float64) float64 {
	switch {
	case g > 0:
		return float64(g * (x - lo))
	case g < 0:
		return float64(-g * (hi - x))
	}
	return 0
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

// bisect minimises any convex sum in one dimension by bisection with the sign of
// its slope. It stops when the tangents at the ends of the interval prove the gap,
// after about 50 evaluations.
func (s *Sum) bisect(dst []float64, prox Prox) Cert {
	smooth := Form{Const: s.smooth.Const, Lin: s.smooth.Lin, Quad: s.smooth.Quad}
	parts := s.components()
	var x, g, work [1]float64
	steps := 0
	at := func(point float64) (value, slope float64) {
		steps++
		x[0] = point
		value = smooth.Value(x[:]) + prox.value(x[:]) + float64(s.gamma*s.univariate.value(point))
		smooth.Subgrad(g[:], x[:])
		prox.addGrad(g[:], x[:])
		g[0] += float64(s.gamma * s.univariate.slope(point))
		for _, c := range parts {
			value += c.value(x[:])
			c.subgrad(work[:], x[:])
			g[0] += work[0]
		}
		return value, g[0]
	}
	// A minimiser is between a and b, and the tangents at a and b are lower bounds.
	a, b := s.lo, s.hi
	va, ga := at(a)
	vb, gb := at(b)
	lower := func() float64 {
		switch {
		case ga >= 0:
			return va
		case gb <= 0:
			return vb
		}
		// The tangents meet at a + m, up to rounding.
		m := min(max(0, (vb-va-float64(gb*(b-a)))/(ga-gb)), b-a)
		return min(va, vb, max(va+float64(ga*m), vb-float64(gb*(b-a-m))))
	}
	for ga < 0 && gb > 0 && min(va, vb)-lower() > max(s.accuracy, float64(1e-15*max(1, abs(va)))) {
		m := a + float64((b-a)/2)
		if m <= a || m >= b {
			break
		}
		if vm, gm := at(m); gm > 0 {
			b, vb, gb = m, vm, gm
		} else {
			a, va, ga = m, vm, gm
		}
	}
	dst[0] = a
	if vb < va || ga < 0 && gb <= 0 {
		dst[0] = b
	}
	value := min(va, vb)
	return Cert{Value: value + float64(s.gamma*s.consts), Gap: max(0, value-lower()), Exact: true,
		Iterations: steps}
}
