package convex

import (
	"slices"

	"ocobench/convex/internal/cuttingplane"
	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// components returns the parts of the sum that are not rows of the active set: the
// bases in the sum of functions, the hinges of each basis, those of each pair of
// bases, those of features, and all others.
func (s *Sum) components() []cuttingplane.Component {
	var cs []cuttingplane.Component
	smooth := func(f Evaluator, scale float64, pieces []quadprog.Quadratic) {
		cs = append(cs, cuttingplane.Component{
			Value: func(x []float64) float64 { return scale * f.Value(x) },
			Subgrad: func(dst, x []float64) {
				f.Subgrad(dst, x)
				vec.Scale(dst, scale)
			}, Pieces: pieces})
	}
	// One component for each basis gives a better model, but each component is a
	// variable of the model.
	const most = 16
	if len(s.smooth.Terms) > most {
		smooth(newCombination(s.smooth.Terms, s.smooth.Dim()), 1, nil)
	} else {
		for _, t := range s.smooth.Terms {
			smooth(t.Basis, t.Scale, affinePieces(t.Basis, 1, t.Scale, 0, false))
		}
	}
	hinge := func(value func(x []float64) float64, subgrad func(dst, x []float64),
		pieces []quadprog.Quadratic) {
		cs = append(cs, cuttingplane.Component{
			Value: func(x []float64) float64 { return s.gamma * value(x) },
			Subgrad: func(dst, x []float64) {
				subgrad(dst, x)
				vec.Scale(dst, s.gamma)
			}, Pieces: pieces})
	}
	single := s.byBasis
	if many := s.kinkedHinges(); len(many.of) > most {
		single = slices.DeleteFunc(slices.Clone(single), (*basisHinges).isKinked)
		hinge(many.value, many.subgrad, nil)
	}
	for _, r := range single {
		var pieces []quadprog.Quadratic
		if scale, c, ok := r.Single(); ok {
			pieces = affinePieces(r.basis, s.gamma, scale, c, true)
		}
		hinge(r.value, r.subgrad, pieces)
	}
	for _, f := range s.byPair {
		hinge(f.value, f.subgrad, nil)
	}
	if s.features != nil {
		hinge(s.features.NonaffineValue, s.features.NonaffineSubgrad, nil)
	}
	if len(s.others) > 0 {
		hinge(s.othersValue, s.othersSubgrad, nil)
	}
	return cs
}

func (s *Sum) othersValue(x []float64) float64 {
	v := 0.0
	for _, h := range s.others {
		v += float64(h.w * max(0, h.f.Value(x)))
	}
	return v
}

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

// minimizeByCuts minimises any sum by cutting planes. It begins at dst, with the
// certificate found there. It is for sums that have a kink at the minimiser that
// is not the kink of a hinge: SQP then comes close to the minimiser, but cannot
// certify it. Examples are ‖x − c‖ with its minimum at c, as for a learner with a
// large multiplier of the constraint ‖x − c‖ ≤ r, and a user's own function such
// as |x_1| + |x_2|.
func (s *Sum) minimizeByCuts(dst []float64, prox Prox, found Cert) (Cert, error) {
	rows := s.rows
	if s.features != nil {
		rows = s.features.AffineRows(s.rows)
	}
	cert, points, err := cuttingplane.Problem{Domain: s.set.domain(), Objective: s.smooth.quadratic(),
		Prox: quadprog.Prox(prox), Rows: rows, Components: s.components(), Accuracy: s.accuracy,
		Start: append([][]float64{dst}, s.cutPoints...)}.Minimize(dst, quadprog.Certificate(found))
	s.cutPoints = points
	return Cert(cert), err
}
