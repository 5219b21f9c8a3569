package convex

import (
	"math"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// Difference bounds the difference of two functions over a set, such as the change of a
// constraint since the last round. It keeps its memory between calls.
type Difference struct {
	set  Set
	form *Form // f − g
	// z is the centre of the set: of a box or a ball the middle, of a simplex the mean
	// of its vertices.
	z []float64

	slope, maximiser, vertex []float64 // scratch
}

// NewDifference returns the differences over the set.
func NewDifference(set Set) *Difference {
	n := set.Dim()
	d := &Difference{set: set, form: NewForm(n)}
	for _, v := range []*[]float64{&d.z, &d.slope, &d.maximiser, &d.vertex} {
		*v = make([]float64, n)
	}
	switch set := set.(type) {
	case *Box:
		for i, lower := range set.Lower {
			d.z[i] = lower + float64((set.Upper[i]-lower)/2)
		}
	case *Ball:
		copy(d.z, set.Center)
	case *Simplex:
		for i := range d.z {
			d.z[i] = set.Scale / float64(set.N)
		}
	}
	return d
}

// Bounds returns numbers with
//
//	least ≤ f(x) − g(x) ≤ most   for all x of the set.
//
// Exact reports whether both are attained, up to rounding. They are if f − g is affine, if
// it is quadratic and has a diagonal matrix on a box or a multiple of the identity on a
// ball, and on a simplex if a vertex has the largest and a vertex the least value
// among the entries below. Otherwise they are bounds. With z the centre, s = x − z, and
// Q the matrix,
//
//	box      |Σ_{i<j} Q_ij s_i s_j| ≤ Σ_{i<j} |Q_ij| h_i h_j, h being half the sides
//	ball     |sᵀ(Q − wI)s| ≤ ‖Q − wI‖_F r², w being the mean of the diagonal
//	simplex  Σ_ij p_i p_j (c + ½S(b_i + b_j) + ½S²Q_ij), with p = x/S, S the scale and
//	         c + b·x the affine part, is between the least and the largest entry (in brackets)
//
// and a basis u in f − g is between its tangent T at z and T + R, where R is the
// largest value of u − T, a convex function, at the vertices of a polytope that
// contains the set: z ± n h_i e_i, z ± √n r e_i, or the simplex. If u is not finite
// there, the bounds are infinite. The difference of two [Max] of as many pieces is between
// the least and the largest difference of two pieces of the same number.
func (d *Difference) Bounds(f, g *Form) (least, most float64, exact bool) {
	if a, b := f.asMax(), g.asMax(); a != nil && b != nil && len(a.Pieces) == len(b.Pieces) {
		least, most = math.Inf(1), math.Inf(-1)
		for j, piece := range a.Pieces {
			lo, hi, _ := d.Bounds(piece, b.Pieces[j])
			least, most = min(least, lo), max(most, hi)
		}
		return least, most, false
	}
	d.form.Reset()
	f.AddTo(d.form, 1)
	g.AddTo(d.form, -1)
	form := d.form
	kept := form.Terms[:0]
	for _, t := range form.Terms {
		if t.Scale != 0 {
			kept = append(kept, t)
		}
	}
	form.Terms = kept
	form.expandTerms(2)

	below, above := 0.0, 0.0
	for _, t := range form.Terms {
		r := float64(abs(t.Scale) * d.addTangent(t))
		if t.Scale < 0 {
			below += r
		} else {
			above += r
		}
	}
	if form.hasQuad() {
		switch set := d.set.(type) {
		case *Box:
			least, most, exact = d.quadraticOnBox(set)
		case *Ball:
			least, most, exact = d.quadraticOnBall(set)
		case *Simplex:
			least, most, exact = d.quadraticOnSimplex(set)
		}
	} else {
		most = form.Const + d.set.Support(d.maximiser, form.Lin)
		copy(d.slope, form.Lin)
		vec.Scale(d.slope, -1)
		least, exact = form.Const-d.set.Support(d.maximiser, d.slope), true
	}
	return least - below, most + above, exact && len(form.Terms) == 0
}

// addTangent adds the tangent of the term at the centre to the affine part. It returns the number
// R of its basis, as [Difference.Bounds] defines it.
func (d *Difference) addTangent(t Term) float64 {
	t.Basis.Subgrad(d.slope, d.z)
	c := t.Basis.Value(d.z) - vec.Dot(d.slope, d.z)
	vec.Axpy(d.form.Lin, t.Scale, d.slope)
	d.form.Const += float64(t.Scale * c)
	largest := 0.0
	// bound raises largest to u − T at the vertex.
	bound := func() {
		r := t.Basis.Value(d.vertex) - c - vec.Dot(d.slope, d.vertex)
		if !finite(r) {
			r = math.Inf(1)
		}
		largest = max(largest, r)
	}
	n := float64(len(d.z))
	copy(d.vertex, d.z)
	for i, z := range d.z {
		reach := 0.0
		switch set := d.set.(type) {
		case *Box:
			reach = float64(n * ((set.Upper[i] - set.Lower[i]) / 2))
		case *Ball:
			reach = float64(math.Sqrt(n) * set.Radius)
		case *Simplex:
			clear(d.vertex)
			d.vertex[i] = set.Scale
			bound()
			continue
		}
		d.vertex[i] = z + reach
		bound()
		d.vertex[i] = z - reach
		bound()
		d.vertex[i] = z
	}
	return largest
}

// quadraticOnBox bounds the form without its terms. It moves the entries off the
// diagonal to the affine part, but for their bound.
func (d *Difference) quadraticOnBox(set *Box) (least, most float64, exact bool) {
	n, q := len(d.z), d.form.Quad
	offDiagonal := 0.0
	least = d.form.Const
	copy(d.slope, d.form.Lin)
	for i := range n {
		for j := range i {
			v := q[i*n+j]
			if v == 0 {
				continue
			}
			d.slope[i] += float64(v * d.z[j])
			d.slope[j] += float64(v * d.z[i])
			least -= float64(v * float64(d.z[i]*d.z[j]))
			offDiagonal += float64(abs(v) * float64(
				(set.Upper[i]-set.Lower[i])/2*((set.Upper[j]-set.Lower[j])/2)))
		}
	}
	most = least
	for i, b := range d.slope {
		lo, hi := parabola(q[i*n+i], b, set.Lower[i], set.Upper[i])
		least += lo
		most += hi
	}
	return least - offDiagonal, most + offDiagonal, offDiagonal == 0
}

// parabola returns the least and the largest value of ½qx² + bx on [lower, upper].
func parabola(q, b, lower, upper float64) (least, most float64) {
	value := func(x float64) float64 { return float64((float64(float64(q*x)/2) + b) * x) }
	u, v := value(lower), value(upper)
	least, most = min(u, v), max(u, v)
	if x := -b / q; lower < x && x < upper { // not for q = 0
		u = value(x)
		least, most = min(least, u), max(most, u)
	}
	return least, most
}

// quadraticOnBall bounds the form without its terms. For a multiple w of the identity
// the extreme values are on the line through z in the direction of the gradient
// there, at the distance t ≤ r from z.
func (d *Difference) quadraticOnBall(set *Ball) (least, most float64, exact bool) {
	n, q := len(d.z), d.form.Quad
	w, center := 0.0, d.form.Const+vec.Dot(d.form.Lin, d.z)+matrix.Value(q, d.z)
	for i := range n {
		w += q[i*n+i]
	}
	w /= float64(n)
	copy(d.slope, d.form.Lin)
	matrix.AddProduct(d.slope, q, d.z)
	squares := 0.0
	for i := range n {
		for j, v := range q[i*n : (i+1)*n] {
			if j == i {
				v -= w
			}
			squares += float64(v * v)
		}
	}
	offDiagonal := float64(float64(math.Sqrt(squares)*float64(set.Radius*set.Radius)) / 2)
	g := vec.Norm(d.slope)
	least, _ = parabola(w, -g, 0, set.Radius)
	_, most = parabola(w, g, 0, set.Radius)
	return center + least - offDiagonal, center + most + offDiagonal,
		offDiagonal <= float64(1e-15*float64(abs(w)*float64(set.Radius*set.Radius)))
}

// quadraticOnSimplex bounds the form without its terms by the entries of a matrix.
func (d *Difference) quadraticOnSimplex(set *Simplex) (least, most float64, exact bool) {
	n, s := len(d.z), set.Scale
	vertexLeast, vertexMost := math.Inf(1), math.Inf(-1)
	least, most = vertexLeast, vertexMost
	for i := range n {
		for j := range i + 1 {
			v := d.form.Const + float64(float64(s*(d.form.Lin[i]+d.form.Lin[j]))/2) +
				float64(float64(float64(s*s)*d.form.Quad[i*n+j])/2)
			least, most = min(least, v), max(most, v)
			if i == j {
				vertexLeast, vertexMost = min(vertexLeast, v), max(vertexMost, v)
			}
		}
	}
	return least, most, least == vertexLeast && most == vertexMost
}
