package convex

import (
	"fmt"

	"ocobench/convex/internal/oracle"
)

// Sample holds the values of convex functions f, g_1, …, g_m at the point X, and a subgradient of
// each. Where constraints are the largest of many functions, it says which of them is largest at X.
type Sample = oracle.Sample

// Piece is one of the functions of which a constraint is the largest.
type Piece = oracle.Piece

// Tangent holds the value of a piece at a point, and a subgradient there.
type Tangent = oracle.Tangent

// Sampled is the convex program
//
//	min f(x)   over x in D with g_j(x) ≤ 0, j = 1, …, m
//
// of functions that are known by one call only, which returns all values and subgradients at a
// point. The method makes few calls: it uses cutting planes, the curvature of the Lagrangian by a
// secant method, and every sample that is known from before.
type Sampled struct {
	Set Set
	// Evaluate returns the sample at x. Its pieces include the given ones, which samples have named.
	Evaluate func(x []float64, pieces []Piece) (Sample, error)
	// Refine returns pieces at the point of a sample. It costs much less than Evaluate, and is needed
	// where samples name pieces.
	Refine func(x []float64, pieces []Piece) ([]Tangent, error)
	Known  []Sample // of these functions
	// Accuracy is the gap at which to stop, in units of max(1, |f|).
	Accuracy float64
}

// Minimize writes to dst the best sample that satisfies the constraints up to rounding, and
// certifies it by the cuts of all samples. It returns [ErrEmpty] if these leave no point of the
// domain, and the errors of Evaluate. The certificate has the gap that was reached, which is +Inf
// if no sample is feasible; Iterations is the number of calls.
func (p *Sampled) Minimize(dst []float64) (Solution, error) {
	checkLen("dst", len(dst), p.Set.Dim())
	for _, s := range p.Known {
		checkLen("a sample", len(s.X), p.Set.Dim())
		if len(s.Values) != len(p.Known[0].Values) || len(s.Values) != len(s.Subgrads) {
			panic(fmt.Sprintf("convex: a sample has %d values and %d subgradients", len(s.Values),
				len(s.Subgrads)))
		}
	}
	s, err := oracle.Problem{Domain: p.Set.domain(), Evaluate: p.Evaluate, Refine: p.Refine,
		Known: p.Known, Accuracy: p.Accuracy}.Minimize(dst)
	return Solution{s.Certificate, s.Residual}, err
}
