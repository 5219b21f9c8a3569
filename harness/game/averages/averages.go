// Package averages computes the running averages of the constraints of a stream,
//
//	a_{t,j}(x) = (1/t) Σ_{i≤t} g_{i,j}(x),
//
// and from them the set X̂^max, on which all averages so far are ≤ 0, along a
// segment ([Segment]) and by its facets ([Facets]); the point at which they are least
// ([Deepest]); and the weight of their penalty that is enough ([Threshold]).
//
// Hindsight, the diagnosis of a problem and the checks of the paper's claims all observe a
// game with [Running], so that an average has the same bits in all of them. They keep sums
// in normal form, which cost O(n) numbers for an affine constraint and O(n²) for a quadratic
// one, however many rounds there are.
package averages

import (
	"math"

	"ocobench/convex"
)

// Running observes a game and sums up its constraints, or some of them.
type Running struct {
	Use []int // the constraints that are summed up, counted from 0
	// T is the number of rounds so far, and Sums holds Σ_{i≤T} g_{i,j} for each j of Use.
	T    int
	Sums []*convex.Form
	// Unit divides the constraints that are added from now on; 0 stands for 1.
	Unit float64
}

// New returns the sums of all m constraints on ℝⁿ, before the first round.
func New(n, m int) *Running {
	use := make([]int, m)
	for j := range use {
		use[j] = j
	}
	return Of(n, use)
}

// Of returns the sums of the constraints in use on ℝⁿ, before the first round.
func Of(n int, use []int) *Running {
	a := &Running{Use: use}
	for range use {
		a.Sums = append(a.Sums, convex.NewForm(n))
	}
	return a
}

// Round adds a round, as an observer of a game does. It allocates nothing for affine
// constraints.
func (a *Running) Round(_ int, _ []float64, r *convex.Round) error {
	a.T++
	scale := 1.0
	if a.Unit != 0 {
		scale /= a.Unit
	}
	for k, j := range a.Use {
		r.Constraints[j].AddTo(a.Sums[k], scale)
	}
	return nil
}

// Value returns the average at x of the constraint with index j in Sums.
func (a *Running) Value(j int, x []float64) float64 { return a.Sums[j].Value(x) / float64(a.T) }

// Max returns the largest average at x, or −∞ if there are none.
func (a *Running) Max(x []float64) float64 {
	largest := math.Inf(-1)
	for j := range a.Sums {
		largest = max(largest, a.Value(j, x))
	}
	return largest
}

// Hinges returns h_t(x) = Σ_j max(0, a_{t,j}(x)), the penalty term of penalised FTRL.
func (a *Running) Hinges(x []float64) float64 {
	h := 0.0
	for j := range a.Sums {
		h += max(0, a.Value(j, x))
	}
	return h
}

// Means returns copies of the averages, as functions.
func (a *Running) Means() []*convex.Form {
	means := make([]*convex.Form, len(a.Sums))
	for j, sum := range a.Sums {
		means[j] = Scaled(sum, 1/float64(a.T))
	}
	return means
}

// Scaled returns factor·f as a new form.
func Scaled(f *convex.Form, factor float64) *convex.Form {
	out := convex.NewForm(f.Dim())
	f.AddTo(out, factor)
	return out
}
