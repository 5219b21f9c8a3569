package averages

import (
	"math"
	"slices"

	"ocobench/convex"
)

// Facets computes a lower bound on the number of averages that are active at a point of the
// boundary of X̂^max, whichever point that is. Theorem 1 of the paper asks that this number, k_τ,
// grow linearly (penalty growth, package diagnosis).
//
// It bounds the number by averages of one constraint that differ by a factor and a constant only,
//
//	a_i = c_i·(f + b_i),  c_i > 0.
//
// Those with the largest b_i bound X̂^max, and where one of these is active, all of them are: of
// x − 1, 2x − 2 and x − 3, the first two are active together, at 1, and the third nowhere. So each
// different f has a facet of the boundary with a count, and the bound is the least count. The zero
// value has counted none.
type Facets struct {
	facets  []*facet
	tooMany bool // there were more than maxFacets different functions, and nothing is known
}

// maxFacets limits the number of different functions f. With more, the bound is of no use.
const maxFacets = 4

// facet counts the averages that are multiples of one function, up to a constant, and bound
// X̂^max together.
type facet struct {
	function *convex.Form // f + b
	count    int
}

// Add adds the average of the rounds so far, by its multiple sum, the sum of the constraint over
// these rounds; rounding is the rounding error of the sum. An average that is nowhere positive on
// the set, up to rounding, bounds nothing and is left out. scratch has the dimension of the set.
func (s *Facets) Add(set convex.Set, sum *convex.Form, scratch []float64, rounding float64) {
	if highest, ok := Highest(set, sum, scratch); s.tooMany || ok && highest <= rounding {
		return
	}
	// Functions are compared after division by their largest coefficient.
	size := math.Abs(sum.Const)
	if lin, quad := maxAbs(sum.Lin), maxAbs(sum.Quad); max(lin, quad) > 0 || len(sum.Terms) > 0 {
		size = max(lin, quad)
		for _, t := range sum.Terms {
			size = max(size, math.Abs(t.Scale))
		}
	}
	for _, f := range s.facets {
		if f.isParallel(sum, size) {
			f.addConstant(sum.Const / size)
			return
		}
	}
	if s.tooMany = len(s.facets) == maxFacets; !s.tooMany {
		s.facets = append(s.facets, &facet{Scaled(sum, 1/size), 1})
	}
}

// Least returns the bound: at least this number of averages is active at every point where one of
// them bounds X̂^max. It is −1 if none bounds it, and 0, which is always true, if there are too
// many different functions.
func (s *Facets) Least() int {
	if s.tooMany {
		return 0
	}
	least := -1
	for _, f := range s.facets {
		if least < 0 || f.count < least {
			least = f.count
		}
	}
	return least
}

// coefficientTolerance is the largest difference of coefficients that are equal up to rounding.
const coefficientTolerance = 1e-10

// isParallel reports whether sum/size is the function of the facet, up to a constant.
func (f *facet) isParallel(sum *convex.Form, size float64) bool {
	equal := func(a, b []float64) bool {
		for i, v := range a {
			if math.Abs(v-b[i]/size) > coefficientTolerance {
				return false
			}
		}
		return true
	}
	if len(f.function.Quad) != len(sum.Quad) || len(f.function.Terms) != len(sum.Terms) ||
		!equal(f.function.Lin, sum.Lin) || !equal(f.function.Quad, sum.Quad) {
		return false
	}
	for _, t := range sum.Terms {
		k := slices.IndexFunc(f.function.Terms,
			func(own convex.Term) bool { return own.Basis == t.Basis })
		if k < 0 || math.Abs(f.function.Terms[k].Scale-t.Scale/size) > coefficientTolerance {
			return false
		}
	}
	return true
}

// addConstant counts an average whose function has the constant b. One with a larger constant than
// before takes the place of those that were counted, and one with a smaller constant is ignored.
func (f *facet) addConstant(b float64) {
	switch d := b - f.function.Const; {
	case d > float64(coefficientTolerance*max(1, math.Abs(b))):
		f.function.Const, f.count = b, 1
	case d >= -float64(coefficientTolerance*max(1, math.Abs(b))):
		f.count++
	}
}

// maxAbs returns the largest absolute value of the entries.
func maxAbs(v []float64) float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	return largest
}

// Highest returns the maximum of an affine f over the set, and writes a point at which it is
// attained to where. ok is false if f is not affine.
func Highest(set convex.Set, f *convex.Form, where []float64) (value float64, ok bool) {
	if len(f.Quad)+len(f.Terms) > 0 {
		return 0, false
	}
	return f.Const + set.Support(where, f.Lin), true
}
