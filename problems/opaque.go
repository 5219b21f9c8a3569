package problems

import "ocobench/convex"

// Oracle holds the value of a convex function at a point, and a subgradient there.
type Oracle struct {
	Value       float64
	Subgradient []float64
	Round       int // of a maximum over rounds: where it is reached, or 0 where that is not told
}

// Sums holds what is known at a point of the first rounds of an opaque stream: their losses added
// up and, of every constraint j, three convex functions of the point.
type Sums struct {
	Loss    Oracle   // Σ_t f_t
	Total   []Oracle // Σ_t g_{t,j}
	Largest []Oracle // max_t g_{t,j}
	Prefix  []Oracle // max_s Σ_{t≤s} g_{t,j}
}

// Evaluator is implemented by opaque streams, which declare the fact Opaque: their functions are
// known by values and subgradients alone, and have no normal form. The functions of a round know
// their value and a subgradient at the action that the round was revealed with, and cost an
// evaluation by the stream at other points.
type Evaluator interface {
	Stream
	// Evaluate returns, for each of these rounds, what is known at x of all rounds up to it. The
	// rounds increase, and were revealed. It costs one pass over the rounds up to the last of them.
	// It also returns the constraints of single rounds at x, which is asked for where sums have told
	// the round of a maximum.
	Evaluate(rounds, single []int, x []float64) ([]Sums, [][]Oracle, error)
}

// Opaque is a function of a round that is known by values and subgradients alone.
type Opaque interface {
	convex.Func
	// Opaque does nothing.
	Opaque()
}

// IsOpaque reports whether a function of a round is known by values and subgradients alone, so that
// sums of such functions are not evaluated at every action.
func IsOpaque(f convex.Func) bool {
	_, ok := f.(Opaque)
	return ok
}
