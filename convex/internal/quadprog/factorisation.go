package quadprog

// factorisation factors the active rows in the metric of the Hessian H. There are two: [dense],
// for any H, and [rangeSpace], for a diagonal H in many dimensions. A third one implements this, is
// chosen in [Solver.Solve], and every use of [Solver.UsesRangeSpace] has to be reviewed for it.
// solveOverBall needs dense, whose columns it reads.
type factorisation interface {
	// setHessian sets σH to quad (n×n by rows, nil for 0) plus sigma·I on the first core
	// coordinates. It reports whether H has changed, so that begin has to follow, and returns
	// ErrCurvature if σH is not positive definite.
	setHessian(sigma float64, quad []float64, core int) (changed bool, err error)
	// begin removes all rows from the factorisation.
	begin()
	// project prepares the change of the multiplier of row i. It returns the squared norm of the
	// part of a_i that is orthogonal to the active rows, and whether a_i is linearly independent of
	// them.
	project(i int) (residual2 float64, independent bool)
	// push adds row i, which was projected last.
	push(i int)
	// drop removes the k-th active row.
	drop(k int)
	// rescale notes that the k-th active row is multiplied by ratio.
	rescale(k int, ratio float64)
	// fillMultipliers writes the changes of the multipliers of the active rows, per unit of that of
	// the row projected last, to y.
	fillMultipliers()
	// moveBy moves x as much as t units of the multiplier of the row projected last do.
	moveBy(t float64)
	// newtonStep takes a Newton step from x and the multipliers for the system
	//
	//	σHx + c + γ·onA + Σ_k μ_k a_k = 0,   a_k·x + b_k = 0,   k over the active rows.
	//
	// The system is linear, so that one step solves it. Further steps reduce the
	// rounding error.
	newtonStep()
}
