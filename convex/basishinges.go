package convex

import (
	"math"

	"ocobench/convex/internal/scalar"
	"ocobench/convex/vec"
)

// basisHinges is a sum of hinges max(0, s·φ(x) + c) of one basis φ, s > 0. It is a
// convex, nondecreasing and piecewise linear function H of u = φ(x), with the
// breakpoints −c/s.
type basisHinges struct {
	basis       *Basis
	breakpoints scalar.Breakpoints
}

func (h *basisHinges) add(s, c float64) { h.breakpoints.Add(-c/s, scalar.Increment{A: s, B: c}) }

// homogeneous reports whether all constants c are 0, and then returns Σ s.
func (h *basisHinges) homogeneous() (float64, bool) {
	key, sum, ok := h.breakpoints.Single()
	return sum.A, ok && key == 0
}

// single reports whether all hinges have one kink, and then returns their sum s·φ + c.
func (h *basisHinges) single() (s, c float64, ok bool) {
	_, sum, ok := h.breakpoints.Single()
	return sum.A, sum.B, ok
}

func (h *basisHinges) value(x []float64) float64 { return h.at(h.basis.Value(x)) }

// at returns H(u).
func (h *basisHinges) at(u float64) float64 {
	sum := h.breakpoints.SumBelow(u)
	return max(0, float64(sum.A*u)+sum.B)
}

// subgrad writes a subgradient of H(φ(x)) to dst.
func (h *basisHinges) subgrad(dst, x []float64) {
	sum := h.breakpoints.SumBelow(h.basis.Value(x))
	h.basis.Subgrad(dst, x)
	vec.Scale(dst, sum.A)
}

// isKinked reports whether the basis is [Kinked].
func (h *basisHinges) isKinked() bool { return isKinked([]Term{{h.basis, 1}}) }

// manyHinges is the sum of hinges of many bases.
type manyHinges struct {
	of   []*basisHinges
	work []float64
}

// kinkedHinges is the sum of those hinges of one basis each whose basis is [Kinked].
func (s *Sum) kinkedHinges() manyHinges {
	m := manyHinges{work: make([]float64, s.n)}
	for _, h := range s.byBasis {
		if h.isKinked() {
			m.of = append(m.of, h)
		}
	}
	return m
}

func (m manyHinges) value(x []float64) (sum float64) {
	for _, h := range m.of {
		sum += h.value(x)
	}
	return sum
}

// subgrad writes a subgradient of the sum to dst.
func (m manyHinges) subgrad(dst, x []float64) {
	clear(dst)
	for _, h := range m.of {
		h.subgrad(m.work, x)
		vec.Axpy(dst, 1, m.work)
	}
}

// pairHinges is a sum of hinges max(0, p·φ(x) + q·ψ(x)) of two bases, p, q ≥ 0. The
// sign of a hinge depends only on θ = q/(p+q) and on the direction of
// (u, v) = (φ(x), ψ(x)): the hinge is positive if u + θ(v−u) > 0.
type pairHinges struct {
	first, second *Basis
	breakpoints   scalar.Breakpoints // by θ
}

func (h *pairHinges) add(p, q float64) { h.breakpoints.Add(q/(p+q), scalar.Increment{A: p, B: q}) }

// sumActive returns the sums of p and q over the hinges that are positive.
func (h *pairHinges) sumActive(u, v float64) scalar.Increment {
	switch {
	case u >= 0 && v >= 0:
		return h.breakpoints.Total()
	case u <= 0 && v <= 0:
		return scalar.Increment{}
	case u > 0:
		return h.breakpoints.SumBelow(u / (u - v))
	}
	sum, less := h.breakpoints.Total(), h.breakpoints.SumBelow(math.Nextafter(u/(u-v), 2))
	return scalar.Increment{A: sum.A - less.A, B: sum.B - less.B}
}

// at returns the value for φ(x) = u and ψ(x) = v.
func (h *pairHinges) at(u, v float64) float64 {
	sum := h.sumActive(u, v)
	return max(0, float64(sum.A*u)+float64(sum.B*v))
}

func (h *pairHinges) value(x []float64) float64 { return h.at(h.first.Value(x), h.second.Value(x)) }

// subgrad writes a subgradient to dst.
func (h *pairHinges) subgrad(dst, x []float64) {
	sum := h.sumActive(h.first.Value(x), h.second.Value(x))
	g := make([]float64, len(x))
	h.first.Subgrad(dst, x)
	vec.Scale(dst, sum.A)
	h.second.Subgrad(g, x)
	vec.Axpy(dst, sum.B, g)
}
