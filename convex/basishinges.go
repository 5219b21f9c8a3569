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
