package averages

import (
	"math"
	"slices"

	"ocobench/convex"
)

// Facets counts the averages of one constraint that are active together on the boundary of
// X̂^max. Averages that differ by a factor and a constant only,
//
//	a_i = c_i·(f + b_i),  c_i > 0,
//
// bound X̂^max by the largest b_i: where one of them is active, all with this b_i are.
// The least number of these, over all f, is at most the number of averages that are
// active at any point of the boundary. It is known while there are few f. The zero value has
// counted none.
type Facets struct {
	list []*facet
	many bool // there were more than maxFacets different functions, and nothing is known
}

// maxFacets limits the different functions that are told apart: with more, the bound is of no use.
const maxFacets = 4

// facet counts the averages that are multiples of one function, up to a constant, and bound
// X̂^max together.
type facet struct {
	f     *convex.Form // f + b
	count int
}

// Add adds the average of which cum is the sum. An average that is nowhere positive on the set,
// up to the rounding error of cum, bounds nothing and is left out.
func (s *Facets) Add(set convex.Set, cum *convex.Form, scratch []float64, rounding float64) {
	if top, ok := Highest(set, cum, scratch); s.many || ok && top <= rounding {
		return
	}
	// Functions are compared after division by their largest coefficient.
	size := math.Abs(cum.Const)
	if lin, quad := maxAbs(cum.Lin), maxAbs(cum.Quad); max(lin, quad) > 0 || len(cum.Terms) > 0 {
		size = max(lin, quad)
		for _, t := range cum.Terms {
			size = max(size, math.Abs(t.Scale))
		}
	}
	for _, f := range s.list {
		if f.isParallel(cum, size) {
			f.addConstant(cum.Const / size)
			return
		}
	}
	if s.many = len(s.list) == maxFacets; !s.many {
		s.list = append(s.list, &facet{Scaled(cum, 1/size), 1})
	}
}

// Least returns the least number of averages that bound X̂^max together, −1 if none bounds it,
// and 0 if there are too many different functions.
func (s *Facets) Least() int {
	if s.many {
		return 0
	}
	least := -1
	for _, f := range s.list {
		if least < 0 || f.count < least {
			least = f.count
		}
	}
	return least
}

// coefficientTolerance is the largest difference of coefficients that are equal up to rounding.
const coefficientTolerance = 1e-10

// isParallel reports whether cum is a multiple of f, up to the constant.
func (f *facet) isParallel(cum *convex.Form, size float64) bool {
	equal := func(a, b []float64) bool {
		for i, v := range a {
			if math.Abs(v-b[i]/size) > coefficientTolerance {
				return false
			}
		}
		return true
	}
	if len(f.f.Quad) != len(cum.Quad) || len(f.f.Terms) != len(cum.Terms) ||
		!equal(f.f.Lin, cum.Lin) || !equal(f.f.Quad, cum.Quad) {
		return false
	}
	for _, t := range cum.Terms {
		k := slices.IndexFunc(f.f.Terms, func(own convex.Term) bool { return own.Basis == t.Basis })
		if k < 0 || math.Abs(f.f.Terms[k].Scale-t.Scale/size) > coefficientTolerance {
			return false
		}
	}
	return true
}

// addConstant counts an average with the constant b.
func (f *facet) addConstant(b float64) {
	switch d := b - f.f.Const; {
	case d > float64(coefficientTolerance*max(1, math.Abs(b))):
		f.f.Const, f.count = b, 1
	case d >= -float64(coefficientTolerance*max(1, math.Abs(b))):
		f.count++
	}
}

// maxAbs returns the largest absolute value of the entries.
func maxAbs(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}
