package sqp

// Sizes are the numbers of dimensions from which on a method for many dimensions is used. All are
// above the default sizes of all problems: their results keep their bits. Tests change them.
var Sizes = struct {
	// LargeModel is where hinges that are slack do not lift the model, which costs eight times as
	// much; a program keeps the Hessian of its objective; and gaps are bounded with the curvature of
	// the objective's quadratic part.
	LargeModel int
	// FewShare bounds the share of the coordinates, as 1/FewShare, in which a gradient has few
	// numbers.
	FewShare int
}{LargeModel: 24, FewShare: 4}
