package convex

import (
	"ocobench/convex/internal/scalar"
	"ocobench/convex/vec"
)

// basisHinges is a sum of hinges max(0, s·φ(x) + c) of one basis φ, s > 0.
type basisHinges struct {
	basis *Basis
	scalar.Hinges
}

// valueAt returns the sum at x.
func (h *basisHinges) valueAt(x []float64) float64 { return h.Value(h.basis.Value(x)) }

// subgrad writes a subgradient at x to dst.
func (h *basisHinges) subgrad(dst, x []float64) {
	slope := h.Slope(h.basis.Value(x))
	h.basis.Subgrad(dst, x)
	vec.Scale(dst, slope)
}

// isKinked reports whether the basis contains a [Kinked] function.
func (h *basisHinges) isKinked() bool { return isKinked(h.basis) }

// manyHinges is the sum of hinges of many bases.
type manyHinges struct {
	hinges []*basisHinges
	work   []float64 // the subgradient of one of them
}

// kinkedHinges returns the sum of those hinges of one basis whose basis contains a [Kinked]
// function.
func (s *Sum) kinkedHinges() manyHinges {
	m := manyHinges{work: make([]float64, s.n)}
	for _, h := range s.byBasis {
		if h.isKinked() {
			m.hinges = append(m.hinges, h)
		}
	}
	return m
}

// value returns the sum at x.
func (m manyHinges) value(x []float64) (sum float64) {
	for _, h := range m.hinges {
		sum += h.valueAt(x)
	}
	return sum
}

// subgrad writes a subgradient of the sum to dst.
func (m manyHinges) subgrad(dst, x []float64) {
	clear(dst)
	for _, h := range m.hinges {
		h.subgrad(m.work, x)
		vec.Axpy(dst, 1, m.work)
	}
}

// pairHinges is a sum of hinges max(0, p·φ(x) + q·ψ(x)) of two bases, p, q ≥ 0.
type pairHinges struct {
	first, second *Basis
	scalar.PairHinges
}

// valueAt returns the sum at x.
func (h *pairHinges) valueAt(x []float64) float64 {
	return h.Value(h.first.Value(x), h.second.Value(x))
}

// subgrad writes a subgradient to dst.
func (h *pairHinges) subgrad(dst, x []float64) {
	p, q := h.Slopes(h.first.Value(x), h.second.Value(x))
	g := make([]float64, len(x))
	h.first.Subgrad(dst, x)
	vec.Scale(dst, p)
	h.second.Subgrad(g, x)
	vec.Axpy(dst, q, g)
}
