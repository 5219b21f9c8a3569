package convex

import (
	"slices"

	"ocobench/convex/internal/cuttingplane"
	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// maxComponents is the number of functions up to which each is a component of the cutting planes.
// Components of their own give a better model, but each is a variable of the model.
const maxComponents = 16

// components returns what the cutting planes must model: each basis in the sum of functions, the
// hinges of each basis, of each pair of bases and of features, and all others. Affine hinges are
// not among them, since they are rows of the model already. Where the functions have more than
// maxComponents bases, or the kinked hinges do, one component stands for all of these.
func (s *Sum) components() []cuttingplane.Component {
	var cs []cuttingplane.Component
	add := func(scale float64, f cuttingplane.Component) {
		cs = append(cs, cuttingplane.Component{
			Value: func(x []float64) float64 { return scale * f.Value(x) },
			Subgrad: func(dst, x []float64) {
				f.Subgrad(dst, x)
				vec.Scale(dst, scale)
			}, Pieces: f.Pieces})
	}
	if len(s.smooth.Terms) > maxComponents {
		all := newCombination(s.smooth.Terms, s.smooth.Dim())
		add(1, cuttingplane.Component{Value: all.Value, Subgrad: all.Subgrad})
	} else {
		for _, t := range s.smooth.Terms {
			add(t.Scale, cuttingplane.Component{Value: t.Basis.Value, Subgrad: t.Basis.Subgrad,
				Pieces: affinePieces(t.Basis, t.Scale, 0)})
		}
	}
	single := s.byBasis
	var kinked []cuttingplane.Component
	for _, h := range s.byBasis {
		if h.isKinked() {
			kinked = append(kinked, cuttingplane.Component{Value: h.valueAt, Subgrad: h.subgrad})
		}
	}
	if len(kinked) > maxComponents {
		single = slices.DeleteFunc(slices.Clone(single), (*basisHinges).isKinked)
		add(s.gamma, sumOfParts(kinked, s.n))
	}
	for _, h := range single {
		var pieces []quadprog.Quadratic
		if scale, c, ok := h.Single(); ok {
			if pieces = affinePieces(h.basis, float64(s.gamma*scale), float64(s.gamma*c)); pieces != nil {
				pieces = append(pieces, NewForm(s.n).quadratic()) // the 0 of max(0, ·)
			}
		}
		add(s.gamma, cuttingplane.Component{Value: h.valueAt, Subgrad: h.subgrad, Pieces: pieces})
	}
	for _, f := range s.byPair {
		add(s.gamma, cuttingplane.Component{Value: f.valueAt, Subgrad: f.subgrad})
	}
	if s.features != nil {
		add(s.gamma, cuttingplane.Component{Value: s.features.NonaffineValue,
			Subgrad: s.features.NonaffineSubgrad})
	}
	if len(s.others) > 0 {
		var others []cuttingplane.Component
		for _, h := range s.others {
			others = append(others, cuttingplane.Component{Value: h.value, Subgrad: h.subgrad})
		}
		add(s.gamma, sumOfParts(others, s.n))
	}
	return cs
}

// sumOfParts returns the sum of convex functions on ℝⁿ as one.
func sumOfParts(parts []cuttingplane.Component, n int) cuttingplane.Component {
	g := make([]float64, n)
	return cuttingplane.Component{
		Value: func(x []float64) (sum float64) {
			for _, p := range parts {
				sum += p.Value(x)
			}
			return sum
		},
		Subgrad: func(dst, x []float64) {
			clear(dst)
			for _, p := range parts {
				p.Subgrad(g, x)
				vec.Axpy(dst, 1, g)
			}
		}}
}

// value returns w·max(0, f(x)).
func (h hinge) value(x []float64) float64 { return float64(h.w * max(0, h.f.Value(x))) }

// subgrad writes a subgradient at x to dst.
func (h hinge) subgrad(dst, x []float64) {
	if !(h.f.Value(x) > 0) {
		clear(dst)
		return
	}
	h.f.Subgrad(dst, x)
	vec.Scale(dst, h.w)
}

// minimizeByCuts minimises any sum by cutting planes. It begins at dst, whose certificate is known,
// and at cutPoints, the points where the last minimisation ended with cuts. It is for sums that
// have a kink at the minimiser that is not the kink of a hinge: SQP then comes close to the
// minimiser, but cannot certify it. Examples are ‖x − c‖ with its minimum at c, as for a learner
// with a large multiplier of the constraint ‖x − c‖ ≤ r, and a user's own function such
// as |x_1| + |x_2|.
func (s *Sum) minimizeByCuts(dst []float64, prox Prox, known Cert) (Cert, error) {
	rows := s.rows
	if s.features != nil {
		rows = s.features.AffineRows(s.rows)
	}
	cert, points, err := cuttingplane.Problem{Domain: s.set.domain(), Objective: s.smooth.quadratic(),
		Prox: prox, Rows: rows, Components: s.components(), Accuracy: s.accuracy,
		Start: append([][]float64{dst}, s.cutPoints...)}.Minimize(dst, known)
	s.cutPoints = points
	return cert, err
}
