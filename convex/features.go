package convex

import (
	"ocobench/convex/internal/sqp"
	"ocobench/convex/vec"
)

// featureHinges is a sum of hinges that are affine in x, in the products x_j x_k and in bases. The
// products are features only if some hinge has a quadratic part.
type featureHinges struct {
	*sqp.Features
	n     int
	bases []*Basis
	index map[*Basis]int // in bases
	row   []float64      // scratch: the coefficients of a hinge
}

// maxCoefficients bounds the numbers that are stored: each hinge has one for each basis, even if it
// is 0.
var maxCoefficients = 1 << 26 // tests change it

// newFeatureHinges returns the sum of no hinges on the set.
func newFeatureHinges(set Set) *featureHinges {
	return &featureHinges{Features: sqp.NewFeatures(set.domain()), n: set.Dim(),
		index: map[*Basis]int{}}
}

// isEmpty reports whether there are no hinges; a nil f has none.
func (f *featureHinges) isEmpty() bool { return f == nil || f.Len() == 0 }

// addFeatures adds the features that h needs, and returns false if there would be
// too many. A quadratic basis is a feature of its own as long as there are fewer
// bases than products.
func (f *featureHinges) addFeatures(h *Form) bool {
	if norm1FactorOfTerms(h.Terms) > 0 { // ‖x‖₁ is not smooth
		return false
	}
	known, products := len(f.bases), f.HasProducts() || h.hasQuad()
	for _, t := range h.Terms {
		if _, ok := f.index[t.Basis]; ok {
			continue
		}
		k := len(f.bases)
		_, quadratic := t.Basis.expansion(f.n)
		switch {
		case quadratic && k >= f.n*(f.n+1)/2:
			products = true
		case (k+1)*(f.Len()+1) > maxCoefficients:
			for _, b := range f.bases[known:] {
				delete(f.index, b)
			}
			f.bases = f.bases[:known]
			return false
		default:
			f.index[t.Basis] = k
			f.bases = append(f.bases, t.Basis)
		}
	}
	added := make([]sqp.Function, 0, len(f.bases)-known)
	for _, b := range f.bases[known:] {
		added = append(added, function{b})
	}
	f.AddFeatures(added, products)
	return true
}

// addHinge adds w·max(0, h), and returns false if that needs too many features.
func (f *featureHinges) addHinge(w float64, h *Form) bool {
	if !f.addFeatures(h) {
		return false
	}
	if len(f.row) != f.Dim() {
		f.row = make([]float64, f.Dim())
	}
	clear(f.row)
	c := f.addCoefficients(f.row, w, h)
	f.Add(f.row, c)
	return true
}

// addCoefficients adds the coefficients of w·h to the row, and returns its constant.
func (f *featureHinges) addCoefficients(row []float64, w float64, h *Form) (c float64) {
	vec.Axpy(row[:f.n], w, h.Lin)
	if h.hasQuad() {
		at := f.n
		for i := range f.n {
			row[at] += float64(float64(w*h.Quad[i*f.n+i]) / 2)
			at++
			for j := i + 1; j < f.n; j++ {
				row[at] += float64(w * h.Quad[i*f.n+j])
				at++
			}
		}
	}
	c = float64(w * h.Const)
	for _, t := range h.Terms {
		if k, ok := f.index[t.Basis]; ok {
			row[f.FirstBasis()+k] += float64(w * t.Scale)
		} else {
			form, _ := t.Basis.expansion(f.n)
			c += f.addCoefficients(row, float64(w*t.Scale), form)
		}
	}
	return c
}
