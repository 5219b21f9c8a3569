package problems

import (
	"math"
	"math/rand/v2"

	"ocobench/convex"
)

var doublyStochastic = Problem{
	Name:  "doubly-stochastic",
	Title: "Doubly stochastic matrices",
	Doc: "estimating a doubly stochastic matrix from random permutations: many fixed " +
		"constraints, no Slater point, and a known optimum",
	Reference: "Jenatton, Huang, Archambeau, Adaptive algorithms for online convex optimization " +
		"with long-term constraints, ICML 2016, the experiment",
	Definition: []string{
		"$x = X ∈ ℝ^{p×p}$, by rows, with $p = size$, and $D$ is the ball $‖X‖ ≤ √p$ of the " +
			"Frobenius norm.",
		"$f_t(X) = ½‖X − Y_t‖²$",
		"with $Y_t$ a uniformly random permutation matrix, independent. The $m = p² + 4p$ " +
			"constraints $g_j(X)$ of every round are, in this order,",
		"$−X_{i,j},  Σ_j X_{i,j} − 1,  1 − Σ_j X_{i,j},  Σ_i X_{i,j} − 1,  1 − Σ_i X_{i,j}.$",
	},
	Version: 1,
	Params:  DoublyStochasticParams{Size: 8},
	New:     Typed(newDoublyStochastic),
}

// DoublyStochasticParams are the parameters of doubly-stochastic. The constraints
// make a matrix doubly stochastic. The ball is the smallest about 0 that contains these matrices:
// the permutation matrices are on its boundary. On it |g_j| ≤ p+1, more than the bound R of the
// paper.
//
// The best fixed action over X^min, X̂^max, X^max and D is (1/t)Σ_{i≤t} Y_i,
// because the mean of doubly stochastic matrices is doubly stochastic. With v =
// (1/t)Σ_i Y_i its value is ½t(p − ‖v‖²).
type DoublyStochasticParams struct {
	Size int `name:"size" doc:"rows and columns p of the matrices: n = p², m = p² + 4p" min:"2" max:"30"`
}

// doublyStochasticStream draws a permutation matrix Y_t in every round. The constraints are fixed.
type doublyStochasticStream struct {
	Instance
	rng    *rand.Rand
	perm   []int     // row i of Y_t has its 1 in column perm[i]
	center []float64 // Y_t
	loss   convex.HalfSquaredDistance
}

// newDoublyStochastic returns the stream at round 1.
func newDoublyStochastic(p DoublyStochasticParams, rng *rand.Rand) (Stream, error) {
	size := p.Size
	n := size * size
	radius := math.Sqrt(float64(size))
	ball, err := convex.NewBall(make([]float64, n), radius)
	if err != nil {
		return nil, err
	}
	s := &doublyStochasticStream{
		Instance: Instance{
			Domain: ball,
			M:      n + 4*size,
			Declared: convex.Facts{
				LossLipschitz: 2 * radius, LossRange: 2 * float64(size),
				ConstraintLipschitz: radius, ConstraintBound: float64(size) + 1,
				Diameter: ball.Diameter(), Curvature: 1,
				Feasible: true, Fixed: true, Affine: true, IID: true, KnownConstraints: true,
				KnownOptimum: true,
			},
		},
		rng:    rng,
		perm:   make([]int, size),
		center: make([]float64, n),
	}
	s.Round.Loss = &s.loss
	add := func(g *convex.Affine) {
		s.Round.Constraints = append(s.Round.Constraints, convex.Freeze(g))
	}
	for i := range n {
		g := &convex.Affine{A: make([]float64, n)}
		g.A[i] = -1
		add(g)
	}
	for _, sign := range []float64{1, -1} {
		for i := range size {
			row := &convex.Affine{A: make([]float64, n), B: -sign}
			for j := range size {
				row.A[i*size+j] = sign
			}
			add(row)
		}
	}
	for _, sign := range []float64{1, -1} {
		for j := range size {
			column := &convex.Affine{A: make([]float64, n), B: -sign}
			for i := range size {
				column.A[i*size+j] = sign
			}
			add(column)
		}
	}
	return s, nil
}

// Reveal implements [Stream].
func (s *doublyStochasticStream) Reveal(int, []float64) *convex.Round {
	clear(s.center)
	size := len(s.perm)
	for i := range s.perm { // the inside-out shuffle of Fisher and Yates
		k := s.rng.IntN(i + 1)
		s.perm[i] = s.perm[k]
		s.perm[k] = i
	}
	for i, j := range s.perm {
		s.center[i*size+j] = 1
	}
	s.loss = convex.HalfSquaredDistance{Weight: 1, Center: s.center}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
