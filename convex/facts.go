package convex

// Facts are the properties that a problem declares. Norms are Euclidean. A number
// that is 0 is not declared, and a flag that is false says no.
type Facts struct {
	LossLipschitz       float64 `json:"loss_lipschitz,omitempty"`       // ‖∂f_t(x)‖ ≤ this on D
	ConstraintLipschitz float64 `json:"constraint_lipschitz,omitempty"` // ‖∂g_{t,j}(x)‖ ≤ this on D
	LossRange           float64 `json:"loss_range,omitempty"`           // |f_t(x)−f_t(y)| ≤ this on D
	ConstraintBound     float64 `json:"constraint_bound,omitempty"`     // |g_{t,j}(x)| ≤ this on D
	Diameter            float64 `json:"diameter,omitempty"`             // diam D
	// some z in D has g_{t,j}(z) ≤ −this for all t, j
	Slater    float64 `json:"slater,omitempty"`
	Curvature float64 `json:"curvature,omitempty"` // every f_t is this-strongly convex
	Rounds    int     `json:"rounds,omitempty"`    // the number of rounds; 0: no limit

	// for every t some z in D has g_{t,j}(z) ≤ 0 for all j
	Feasible bool `json:"feasible,omitempty"`
	Fixed    bool `json:"fixed,omitempty"`  // g_{t,j} does not depend on t
	Affine   bool `json:"affine,omitempty"` // every g_{t,j} is affine
	// g_{t,j} is one function plus numbers b_{t,j}
	Perturbed bool `json:"perturbed,omitempty"`
	// the constraints of rounds are i.i.d., whatever the losses
	IID              bool `json:"iid,omitempty"`
	KnownConstraints bool `json:"known_constraints,omitempty"` // g is known as a function before play
	// a round may depend on the actions so far
	Adaptive bool `json:"adaptive,omitempty"`
	// nothing is drawn: the rounds are the same on every seed
	Deterministic bool `json:"deterministic,omitempty"`
	// the best fixed action in hindsight is known in closed form, which the problem's documentation
	// states
	KnownOptimum bool `json:"known_optimum,omitempty"`
	// functions of rounds are known by values and subgradients alone
	Opaque bool `json:"opaque,omitempty"`
}

// G returns the larger of the two Lipschitz constants.
func (f Facts) G() float64 { return max(f.LossLipschitz, f.ConstraintLipschitz) }
