package scalar

import "math"

// Hinges is a sum of hinges max(0, s·u + c), s > 0: a
// convex, nondecreasing and piecewise linear function of u, with the
// breakpoints −c/s. The zero value is the zero function.
type Hinges struct{ Breakpoints Breakpoints }

// Add adds a hinge; O(log t).
func (h *Hinges) Add(s, c float64) { h.Breakpoints.Add(-c/s, Increment{A: s, B: c}) }

// Value returns the sum at u; O(log t).
func (h *Hinges) Value(u float64) float64 {
	sum := h.Breakpoints.sumBelow(u)
	return max(0, float64(sum.A*u)+sum.B)
}

// Slope returns a subgradient at u; O(log t).
func (h *Hinges) Slope(u float64) float64 { return h.Breakpoints.sumBelow(u).A }

// Homogeneous returns Σ s if all constants c are 0; otherwise ok is false.
func (h *Hinges) Homogeneous() (s float64, ok bool) {
	key, sum, ok := h.Breakpoints.Single()
	return sum.A, ok && key == 0
}

// Single returns the s and c of the sum of all hinges, max(0, s·u + c), if they have one kink;
// otherwise ok is false.
func (h *Hinges) Single() (s, c float64, ok bool) {
	_, sum, ok := h.Breakpoints.Single()
	return sum.A, sum.B, ok
}

// PairHinges is a sum of hinges max(0, p·u + q·v) with p, q ≥ 0. The
// sign of a hinge depends only on θ = q/(p+q) and on the direction of
// (u, v): the hinge is positive if u + θ(v−u) > 0. The zero value is the zero function.
type PairHinges struct{ Breakpoints Breakpoints } // by θ

// Add adds a hinge; O(log t).
func (h *PairHinges) Add(p, q float64) { h.Breakpoints.Add(q/(p+q), Increment{A: p, B: q}) }

// Slopes returns the sums of p and q over the hinges that are positive: a subgradient; O(log t).
func (h *PairHinges) Slopes(u, v float64) (p, q float64) {
	var sum Increment
	switch {
	case u >= 0 && v >= 0:
		sum = h.Breakpoints.Total()
	case u <= 0 && v <= 0: // no hinge is positive
	case u > 0: // those with θ < u/(u−v) are
		sum = h.Breakpoints.sumBelow(u / (u - v))
	default: // those with θ > u/(u−v) are
		all, less := h.Breakpoints.Total(), h.Breakpoints.sumBelow(math.Nextafter(u/(u-v), 2))
		sum = Increment{A: all.A - less.A, B: all.B - less.B}
	}
	return sum.A, sum.B
}

// Value returns the sum at (u, v); O(log t).
func (h *PairHinges) Value(u, v float64) float64 {
	p, q := h.Slopes(u, v)
	return max(0, float64(p*u)+float64(q*v))
}
