// Package convex is the kernel of the harness: convex sets, convex functions
// in a total normal form, sums of functions and hinges, and their
// minimisation with a certificate.
//
// A learner that needs "argmin over D of a regulariser plus everything seen
// so far" accumulates what it saw in a [Sum] and asks for [Sum.Minimize]; a
// comparator that needs "the best fixed action that satisfies these
// constraints" accumulates them in a [Program]. Neither asks for the types of
// the functions: every [Func] lowers itself to a [Form],
//
//	const + lin·x + ½xᵀQx + Σ_k scale_k·basis_k(x),
//
// forms add, and the shape of what was accumulated decides how it is solved.
// Every answer carries a [Cert]: a proven bound on how far the value found is
// from the least one, which does not depend on how the solver found it.
//
// Results have the same bits on every architecture: every product is rounded
// before it is added (package vec), and no map is iterated.
package convex

import "fmt"

// Round is what is revealed at the end of a round: one loss f_t and m
// constraints g_{t,j}, feasible where g_{t,j}(x) ≤ 0.
//
// A round and the functions in it belong to the stream that revealed them and
// are valid until its next round; whoever wants to keep one lowers it to a
// Form.
type Round struct {
	Loss        Func
	Constraints []Func
}

// Facts is what a problem declares of itself. Lengths are Euclidean. The zero
// value of a number means "not declared"; of a flag, "no".
type Facts struct {
	LossLipschitz       float64 `json:"loss_lipschitz,omitempty"`       // ‖∂f_t(x)‖ ≤ this on D
	ConstraintLipschitz float64 `json:"constraint_lipschitz,omitempty"` // ‖∂g_{t,j}(x)‖ ≤ this on D
	LossRange           float64 `json:"loss_range,omitempty"`           // |f_t(x)−f_t(y)| ≤ this on D
	ConstraintBound     float64 `json:"constraint_bound,omitempty"`     // |g_{t,j}(x)| ≤ this on D
	Diameter            float64 `json:"diameter,omitempty"`             // diam D
	Slater              float64 `json:"slater,omitempty"`               // some z in D has g_{t,j}(z) ≤ −this for all t, j
	Curvature           float64 `json:"curvature,omitempty"`            // every f_t is this-strongly convex
	Rounds              int     `json:"rounds,omitempty"`               // how many rounds there are; 0 without end

	Fixed            bool `json:"fixed,omitempty"`             // g_{t,j} does not depend on t
	Affine           bool `json:"affine,omitempty"`            // every g_{t,j} is affine
	Perturbed        bool `json:"perturbed,omitempty"`         // g_{t,j} is one function plus numbers b_{t,j}
	IID              bool `json:"iid,omitempty"`               // the constraints of rounds are independent, of one law, whatever the losses
	KnownConstraints bool `json:"known_constraints,omitempty"` // g is known as a function before play
	Adaptive         bool `json:"adaptive,omitempty"`          // a round may depend on the actions so far
	KnownOptimum     bool `json:"known_optimum,omitempty"`     // the best fixed action in hindsight is known in closed form, which the problem's documentation states
}

// G returns the larger of the two Lipschitz constants.
func (f Facts) G() float64 { return max(f.LossLipschitz, f.ConstraintLipschitz) }

// Cert certifies an answer of a minimisation.
type Cert struct {
	// Value is the objective at the point returned.
	Value float64
	// Gap bounds Value minus the least value from above; it is computed from
	// a dual bound, not from the solver's progress.
	Gap float64
	// Exact tells that the method ends after finitely many steps at the
	// minimiser, so that Gap holds rounding errors alone.
	Exact bool
	// Iterations counts the method's steps.
	Iterations int
}

// Relative returns Gap in units of max(1, |Value|).
func (c Cert) Relative() float64 { return c.Gap / max(1, abs(c.Value)) }

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

func checkLen(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("convex: %s has length %d, want %d", what, got, want))
	}
}
