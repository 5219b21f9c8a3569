package quadprog

// Sizes are the numbers of dimensions from which on a method for many dimensions is used. All are
// above the default dimensions of the problems of this program, so that results at these keep their
// bits. Tests change them.
var Sizes = struct {
	Lists              int // rows with few numbers have lists of their coordinates
	Watch              int // rows that were violated, or far from their kinks, are remembered
	RangeSpace         int // the range space serves a multiple of the identity
	RangeSpaceDiagonal int // the range space serves any diagonal Hessian
	Big                int // coordinates are held from the beginning, and zeros are not written

	Hold      int     // coordinates at a bound are held
	HoldShare float64 // the share of coordinates at a bound from which on they are held
}{Lists: 64, Watch: 64, RangeSpace: 64, RangeSpaceDiagonal: 128, Big: 512,
	Hold: 64, HoldShare: 0.75}
