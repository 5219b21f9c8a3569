package quadprog

import (
	"math"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// Set is a convex and bounded set of ℝⁿ.
type Set interface {
	// Dim returns n.
	Dim() int
	// Project writes the point of the set nearest to x to dst, which may be x.
	Project(dst, x []float64)
	// Support writes to dst a point of the set at which dir·x is largest, and returns that value.
	Support(dst, dir []float64) float64
	// Diameter returns the largest distance between two points of the set.
	Diameter() float64
}

// Domain is a set with its inequalities, in one of three shapes:
//
//	box      Lower ≤ x ≤ Upper
//	simplex  x ≥ 0, Σ x_i = Scale, where Scale > 0
//	ball     ‖x − Center‖ ≤ Radius, where Radius > 0
type Domain struct {
	Set
	Lower, Upper []float64
	Scale        float64
	Center       []float64
	Radius       float64
}

// Magnitude returns the largest coordinate of the domain's points in size: within a factor
// of √n, the largest norm.
func (d *Domain) Magnitude() float64 {
	m := d.Scale
	for i, lower := range d.Lower {
		m = max(m, math.Abs(lower), math.Abs(d.Upper[i]))
	}
	for _, c := range d.Center {
		m = max(m, math.Abs(d.Radius-c), math.Abs(d.Radius+c))
	}
	return max(m, 1e-300)
}

// Rows returns how many rows the domain has at most.
func (d *Domain) Rows() int {
	switch {
	case d.Lower != nil:
		return 2 * len(d.Lower)
	case d.Scale > 0:
		return d.Dim() + 1
	}
	return 0
}

// addDomain adds the rows of the domain.
func (p *Solver) addDomain() {
	d := p.domain
	for i, lower := range d.Lower {
		if upper := d.Upper[i]; lower < upper {
			p.addUnit(i, 1, -upper)
			p.addUnit(i, -1, lower)
		} else {
			p.addUnit(i, 1, -lower)
			p.equate(len(p.b) - 1)
		}
	}
	if d.Scale > 0 {
		a := p.scratch.gradient
		clear(a)
		n := d.Dim()
		for i := range n {
			a[i] = 1
		}
		p.addEquality(a, -d.Scale)
		for i := range n {
			p.addUnit(i, -1, 0)
		}
	}
}

// Quadratic is the function Const + Lin·x + ½xᵀQx, where Q is positive semidefinite, n×n by rows,
// and empty if it is 0.
type Quadratic struct {
	Const  float64
	Lin, Q []float64
}

// Value returns the value at x; O(n²), or O(n) without a matrix.
func (f *Quadratic) Value(x []float64) float64 {
	v := f.Const + vec.Dot(f.Lin, x)
	if len(f.Q) > 0 && !matrix.IsZero(f.Q, len(x)) {
		v += matrix.Value(f.Q, x)
	}
	return v
}

// Gradient writes the gradient at x to dst.
func (f *Quadratic) Gradient(dst, x []float64) {
	copy(dst, f.Lin)
	if !matrix.IsZero(f.Q, len(x)) {
		matrix.AddProduct(dst, f.Q, x)
	}
}

// Prox is the regulariser Weight·‖x − Center‖². The zero value is the zero function.
type Prox struct {
	Weight float64
	Center []float64 // may be nil where Weight is 0
}

// Value returns the regulariser at x.
func (r Prox) Value(x []float64) float64 {
	if r.Weight == 0 {
		return 0
	}
	d := vec.Dist(x, r.Center)
	return float64(r.Weight * float64(d*d))
}

// AddGradient adds the gradient of the regulariser at x to g.
func (r Prox) AddGradient(g, x []float64) {
	if r.Weight > 0 {
		for i, c := range r.Center {
			g[i] += float64(2 * r.Weight * (x[i] - c))
		}
	}
}

// Certificate is what is known of the value at the point that a minimisation returns.
type Certificate struct {
	Value float64
	// Gap bounds the difference of Value to the least value. It is computed from a dual bound.
	Gap float64
	// Exact reports whether the method reaches the minimiser in finitely many steps.
	Exact bool
	// Iterations is the number of the method's steps.
	Iterations int
}

// Tolerance is the relative gap up to which a result is accepted; above it another method is tried.
const Tolerance = 1e-10

// Feasible is the violation up to which a point counts as feasible, in units of the size of the
// constraint on the domain.
const Feasible = 1e-10

// Relative returns the gap in units of max(1, |Value|).
func (c Certificate) Relative() float64 { return c.Gap / max(1, math.Abs(c.Value)) }

// TangentGap returns max over y in the set of s·(x−y) − ½σ‖y−x‖². It bounds f(x) − min f
// over the set for every σ-strongly convex f with the subgradient s at x. y and d
// are scratch.
func TangentGap(set Set, x, s []float64, sigma float64, y, d []float64) float64 {
	if sigma > 0 {
		vec.AxpyTo(d, -1/sigma, s, x)
		set.Project(y, d)
	} else {
		copy(d, s)
		vec.Scale(d, -1)
		set.Support(y, d)
	}
	vec.SubTo(d, x, y)
	return max(0, vec.Dot(s, d)-float64(float64(sigma/2)*vec.Dot(d, d)))
}
