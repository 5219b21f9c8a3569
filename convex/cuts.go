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
	addSmooth := func(f Evaluator, scale float64, pieces []quadprog.Quadratic) {
		cs = append(cs, cuttingplane.Component{
			Value: func(x []float64) float64 { return scale * f.Value(x) },
			Subgrad: func(dst, x []float64) {
				f.Subgrad(dst, x)
				vec.Scale(dst, scale)
			}, Pieces: pieces})
	}
	if len(s.smooth.Terms) > maxComponents {
		addSmooth(newCombination(s.smooth.Terms, s.smooth.Dim()), 1, nil)
	} else {
		for _, t := range s.smooth.Terms {
			addSmooth(t.Basis, t.Scale, affinePieces(t.Basis, t.Scale, 0))
		}
	}
	addHinge := func(value func(x []float64) float64, subgrad func(dst, x []float64),
		pieces []quadprog.Quadratic) {
		cs = append(cs, cuttingplane.Component{
			Value: func(x []float64) float64 { return s.gamma * value(x) },
			Subgrad: func(dst, x []float64) {
				subgrad(dst, x)
				vec.Scale(dst, s.gamma)
			}, Pieces: pieces})
	}
	single := s.byBasis
	if many := s.kinkedHinges(); len(many.hinges) > maxComponents {
		single = slices.DeleteFunc(slices.Clone(single), (*basisHinges).isKinked)
		addHinge(many.value, many.subgrad, nil)
	}
	for _, h := range single {
		var pieces []quadprog.Quadratic
		if scale, c, ok := h.Single(); ok {
			if pieces = affinePieces(h.basis, float64(s.gamma*scale), float64(s.gamma*c)); pieces != nil {
				pieces = append(pieces, NewForm(s.n).quadratic()) // the 0 of max(0, ·)
			}
		}
		addHinge(h.valueAt, h.subgrad, pieces)
	}
	for _, f := range s.byPair {
		addHinge(f.valueAt, f.subgrad, nil)
	}
	if s.features != nil {
		addHinge(s.features.NonaffineValue, s.features.NonaffineSubgrad, nil)
	}
	if len(s.others) > 0 {
		addHinge(s.othersValue, s.othersSubgrad, nil)
	}
	return cs
}

// othersValue returns Σ w·max(0, h(x)) over the hinges of more than two bases.
func (s *Sum) othersValue(x []float64) float64 {
	v := 0.0
	for _, h := range s.others {
		v += float64(h.w * max(0, h.f.Value(x)))
	}
	return v
}

// othersSubgrad writes a subgradient of othersValue at x to dst.
func (s *Sum) othersSubgrad(dst, x []float64) {
	g := make([]float64, len(x))
	clear(dst)
	for _, h := range s.others {
		if h.f.Value(x) > 0 {
			h.f.Subgrad(g, x)
			vec.Axpy(dst, h.w, g)
		}
	}
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
