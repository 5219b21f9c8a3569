// Package convex is the kernel of the harness: convex sets, convex functions
// in a total normal form, sums of functions and hinges, and their
// minimisation with a certificate.
//
// A learner that minimises a regulariser plus the functions of all past rounds adds
// them to a [Sum] and calls [Sum.Minimize]. A comparator, the best fixed action
// that satisfies all constraints, adds the constraints to a [Program]. Neither
// needs to know the types of the functions: every [Func] has a normal form, a
// [Form]
//
//	const + lin·x + ½xᵀQx + Σ_k scale_k·basis_k(x),
//
// which can be added to others. The sum of forms determines the method of
// solution. Every solution has a [Cert]: a proven bound on the difference between
// its value and the least value, whatever the method.
//
// The methods are internal packages, one for each shape:
//
//	quadprog       affine hinges and constraints, quadratic objectives: a dual active set
//	sqp            smooth functions in objective, hinges and constraints: sequential programs
//	cuttingplane   any convex functions: a proximal bundle
//	oracle         convex functions that one expensive call evaluates together: a bundle with curvature
//	separable      one constraint or hinge of a sum over coordinates in a box: its multiplier
//	scalar         one dimension: breakpoints and bisection
//	screen, matrix what these share: rows that may have changed sign, symmetric matrices
//
// Here are the sets (set.go), the normal form (form.go), the functions (functions.go, composite.go,
// smooth.go, elasticnet.go, leastsquares.go, max.go), sums (sum.go) and programs (program.go,
// leastnorm.go), which choose the method, programs of sampled functions (oracle.go), and what
// sequential programs ask of functions (hessian.go, terms.go).
//
// Results have the same bits on every architecture: every product is rounded before it is added
// (package vec), and no map is iterated. That is why Cholesky's factorisation and other linear
// algebra are here and not gonum's, which also has no quadratic programs, and no constraints in
// optimize.
package convex

import (
	"fmt"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// Round is what is revealed at the end of a round: one loss f_t and m constraint
// functions g_{t,j}. An action x is feasible if g_{t,j}(x) ≤ 0 for all j.
//
// A round and its functions belong to the stream that revealed them, and are valid
// until its next round. [Lower] makes a copy that stays valid.
type Round struct {
	Loss        Func
	Constraints []Func
}

// Cert certifies the result of a minimisation: Value is the objective at the point returned, and
// Gap an upper bound of Value minus the least value, which is computed from a dual bound, not from
// the solver's progress. Exact reports whether the method reaches the minimiser in finitely many
// steps, so that Gap is due to rounding only; Iterations is the number of its steps. Relative
// returns Gap in units of max(1, |Value|).
type Cert = quadprog.Certificate

// ErrEmpty says that the constraints leave no point of the domain.
var ErrEmpty = quadprog.ErrEmpty

// Magnitude returns |f(x)| + ‖∂f(x)‖·size: how large the terms of f are at points as far from x as
// size. The subgradient is written to g. It costs an evaluation of f and of its subgradient.
func Magnitude(f Func, x []float64, size float64, g []float64) float64 {
	f.Subgrad(g, x)
	return abs(f.Value(x)) + float64(vec.Norm(g)*size)
}

// abs returns |x|.
func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// checkLen panics unless what has the length that is wanted.
func checkLen(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("convex: %s has length %d, want %d", what, got, want))
	}
}
