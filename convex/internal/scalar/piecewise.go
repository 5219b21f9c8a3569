package scalar

import "math"

// Piecewise is a sum of hinges w·max(0, ½qx² + ax + b) of one variable: a piecewise
// quadratic function. It is stored as its leftmost piece and, for every
// breakpoint, the change of (q, a, b) there. The zero value is the zero function.
type Piecewise struct {
	leftmost    Increment // (q, a, b) to the left of all breakpoints
	breakpoints Breakpoints
}

// Reset removes all hinges.
func (p *Piecewise) Reset() {
	p.leftmost = Increment{}
	p.breakpoints.Reset()
}

// Add adds a hinge; O(log t). Its function must not be constant: q or a is not 0. It panics where q
// is negative.
func (p *Piecewise) Add(w, q, a, b float64) {
	piece := Increment{float64(w * q), float64(w * a), float64(w * b)}
	minus := Increment{-piece.Q, -piece.A, -piece.B}
	switch {
	case q < 0:
		panic("convex: a hinge of a concave function is not convex")
	case q == 0 && a > 0:
		p.breakpoints.Add(-b/a, piece)
	case q == 0:
		p.leftmost = p.leftmost.Plus(piece)
		p.breakpoints.Add(-b/a, minus)
	default:
		p.leftmost = p.leftmost.Plus(piece)
		// The parabola is positive outside of its roots, and everywhere if it
		// has none. The root of larger size is computed without cancellation,
		// and the other one from it.
		disc := float64(a*a) - float64(2*float64(q*b))
		if !(disc > 0) {
			return
		}
		stable := -a - math.Copysign(math.Sqrt(disc), a) // the two terms have one sign
		r1, r2 := stable/q, 2*b/stable
		p.breakpoints.Add(min(r1, r2), minus)
		p.breakpoints.Add(max(r1, r2), piece)
	}
}

// piece returns the piece of the sum at x; O(log t).
func (p *Piecewise) piece(x float64) Increment {
	return p.leftmost.Plus(p.breakpoints.sumBelow(x))
}

// Value returns the sum at x; O(log t).
func (p *Piecewise) Value(x float64) float64 { return p.piece(x).Value(x) }

// Value evaluates a piece.
func (p Increment) Value(x float64) float64 {
	return float64((float64(float64(p.Q*x)/2)+p.A)*x) + p.B
}

// Slope returns a subgradient at x; O(log t).
func (p *Piecewise) Slope(x float64) float64 {
	piece := p.piece(x)
	return float64(piece.Q*x) + piece.A
}

// Minimize returns the minimiser x over [lo, hi] of γ times the sum plus a function whose slope is
// qx + a, the piece of the sum at x, a bound on how far the value there is above the least, and the
// number of breakpoints looked at. The slope of the whole is nondecreasing, and linear between
// breakpoints, so that one search finds its zero.
func (p *Piecewise) Minimize(gamma, q, a, lo, hi float64) (x float64, piece Increment, gap float64,
	probes int) {
	slope := derivative{gamma: gamma}
	slope.q = q + float64(gamma*p.leftmost.Q)
	slope.a = a + float64(gamma*p.leftmost.A)
	// The minimiser is on the piece that ends at the first breakpoint with a
	// slope ≥ 0 to its right or, if there is none, on the last piece.
	// It is between last and end; before is the sum of changes on it, and at the change at its end.
	key, last, before, at, probes, ok := p.breakpoints.search(slope)
	end := math.Inf(1)
	if ok {
		end = key
	}
	x = end
	pq, pa := slope.q+float64(gamma*before.Q), slope.a+float64(gamma*before.A)
	switch {
	case pq > 0:
		x = min(max(last, -pa/pq), end)
	case pa > 0: // the slope is positive all along the piece, as it is only to the left of all others
		x = last // −Inf, up to rounding
	}
	x = min(max(x, lo), hi)

	// The sums of changes to the left and to the right of x. The search has
	// computed them unless x is an end of the interval.
	below, above := before, before
	switch {
	case last < x && x < end:
	case last < x && x == end:
		above = above.Plus(at)
	default:
		below, above = p.breakpoints.sumBelow(x),
			p.breakpoints.sumBelow(math.Nextafter(x, math.Inf(1)))
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
	return x, below.Plus(p.leftmost), SlopeGap(x, g, lo, hi), probes
}
