package quadprog

import (
	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// dense is the factorisation for any Hessian H, in the k coordinates of a view: H = LLᵀ,
// J = L⁻ᵀQ by columns, and R upper triangular by columns, with
//
//	L⁻¹·[active normals] = Q·[R; 0].
//
// It takes 2k² numbers. A row costs O(k²), and a new Hessian O(k³).
//
// Reference: Goldfarb and Idnani, A numerically stable dual method for solving
// strictly convex quadratic programs, 1983.
type dense struct {
	*partition
	view *view
	k    int       // the number of coordinates, the order of J and R
	chol []float64 // L, in the storage l; nil: H is the identity
	j, r []float64
	used bool // J may hold numbers other than 0; new storage does not

	h, l []float64 // H if it is not the identity, and the storage of L
	d, v []float64 // d = Jᵀa of the row projected last, and scratch
}

// col returns column k of J, without a copy.
func (f *dense) col(k int) []float64 { return f.j[k*f.k : (k+1)*f.k] }

// setHessian implements [factorisation].
func (f *dense) setHessian(sigma float64, quad []float64, core int) (changed bool, err error) {
	if quad == nil {
		f.sigma, f.maxDiag = sigma, 1
		changed, f.chol = f.chol != nil, nil
		return changed, nil
	}
	n := f.view.dim(f.n)
	if f.view.holds() {
		f.h = f.view.restrict(f.h[:0], quad, f.x)
	} else {
		f.h = append(f.h[:0], quad...)
	}
	for i := range min(n, core) {
		f.h[i*n+i] += sigma
	}
	f.l = append(f.l[:0], f.h...)
	if !matrix.Cholesky(f.l, n) {
		return false, ErrCurvature
	}
	f.sigma, f.maxDiag = 1, 0
	for i := range n {
		f.maxDiag = max(f.maxDiag, f.h[i*n+i])
	}
	f.chol = f.l
	return true, nil
}

// begin implements [factorisation].
func (f *dense) begin() {
	n := f.view.dim(f.n)
	if f.k = n; n*n > cap(f.j) {
		f.j, f.r, f.used = make([]float64, n*n), make([]float64, n*n), false
	}
	f.j, f.r = f.j[:n*n], f.r[:n*n]
	if n < Sizes.Big || f.used { // large new storage is 0: clearing it would take up its memory
		clear(f.j)
	}
	f.used = true
	for k := range n {
		col := f.col(k)
		col[k] = 1
		if f.chol != nil { // Lᵀ·col = e_k
			for i := k; i >= 0; i-- {
				if col[i] != 0 {
					col[i] /= f.chol[i*n+i]
					vec.Axpy(col[:i], -col[i], f.chol[i*n:i*n+i])
				}
			}
		}
	}
}

// independent is the smallest sine of the angle between a row and the span of the
// active rows at which the row counts as linearly independent of them. It is some
// orders of magnitude above the rounding error of the sine.
const independent = 1e-11

// project implements [factorisation]: it writes Jᵀa_i to d. The first q numbers of d belong to the
// active rows, and the others to the part of a_i that is orthogonal to them.
func (f *dense) project(i int) (float64, bool) {
	d := f.d[:f.k]
	if c, s := f.unit(i); s != 0 {
		c = f.view.place(c)
		for k := range d {
			d[k] = float64(s*f.j[k*f.k+c]) + 0 // + 0 makes −0 into 0, as a sum of products is
		}
	} else {
		a := f.row(i)
		if f.view.holds() {
			a = f.view.gather(a)
		}
		for k := range d {
			d[k] = vec.Dot(f.col(k), a)
		}
	}
	q := len(f.active)
	whole, residual := vec.Norm(d), vec.Norm(d[q:])
	return float64(residual * residual), residual > float64(independent*whole)
}

// push implements [factorisation] with a Householder reflection of the columns of J after those of
// the active rows.
func (f *dense) push(int) {
	q := len(f.active)
	v := f.d[q:f.k]
	if tail := vec.Norm(v[1:]); tail > 0 {
		alpha := vec.Norm(v)
		if v[0] > 0 {
			alpha = -alpha
		}
		head := v[0] - alpha
		v[0] = head
		beta := 2 / vec.Dot(v, v)
		sum := f.v[:f.k]
		clear(sum)
		if f.k < vec.Long {
			for k, vk := range v {
				vec.Axpy(sum, vk, f.col(q+k))
			}
			for k, vk := range v {
				vec.Axpy(f.col(q+k), -float64(beta*vk), sum)
			}
		} else {
			for k, vk := range v {
				vec.AxpyLong(sum, vk, f.col(q+k))
			}
			for k, vk := range v {
				vec.AxpyLong(f.col(q+k), -float64(beta*vk), sum)
			}
		}
		f.d[q] = alpha
	}
	copy(f.r[q*f.k:], f.d[:q+1])
}

// drop implements [factorisation] with a rotation for each later column of R.
func (f *dense) drop(k int) {
	n, q := f.k, len(f.active)
	for c := k; c < q-1; c++ { // column c+1 moves to c, one entry too long
		copy(f.r[c*n:c*n+c+2], f.r[(c+1)*n:(c+1)*n+c+2])
	}
	for c := k; c < q-1; c++ {
		pair := [2]float64{f.r[c*n+c], f.r[c*n+c+1]}
		h := vec.Norm(pair[:])
		if h == 0 {
			continue
		}
		cs, sn := pair[0]/h, pair[1]/h
		for e := c; e < q-1; e++ {
			s, t := f.r[e*n+c], f.r[e*n+c+1]
			f.r[e*n+c] = float64(cs*s) + float64(sn*t)
			f.r[e*n+c+1] = float64(cs*t) - float64(sn*s)
		}
		s, t := f.col(c), f.col(c+1)
		for i := range s {
			a, b := s[i], t[i]
			s[i] = float64(cs*a) + float64(sn*b)
			t[i] = float64(cs*b) - float64(sn*a)
		}
	}
}

// rescale implements [factorisation].
func (f *dense) rescale(k int, ratio float64) { vec.Scale(f.r[k*f.k:k*f.k+k+1], ratio) }

// fillMultipliers implements [factorisation].
func (f *dense) fillMultipliers() {
	q := len(f.active)
	copy(f.y[:q], f.d[:q])
	f.solveR(f.y[:q])
}

// solveR overwrites y by R⁻¹y.
func (f *dense) solveR(y []float64) {
	for k := len(y) - 1; k >= 0; k-- {
		col := f.r[k*f.k : k*f.k+k+1]
		y[k] /= col[k]
		vec.Axpy(y[:k], -y[k], col[:k])
	}
}

// moveBy implements [factorisation].
func (f *dense) moveBy(t float64) {
	q := len(f.active)
	s := f.v[:f.k-q]
	for k, d := range f.d[q:f.k] {
		s[k] = -float64(t*d) / f.sigma
	}
	f.moveAlong(q, s)
}

// moveAlong adds Σ_k s_k times column first + k of J to x.
func (f *dense) moveAlong(first int, s []float64) {
	switch {
	case f.view.holds():
		for k, v := range s {
			col := f.col(first + k)
			for r, c := range f.view.frees {
				f.x[c] += float64(v * col[r])
			}
		}
	case f.k < vec.Long:
		for k, v := range s {
			vec.Axpy(f.x, v, f.col(first+k))
		}
	default:
		for k, v := range s {
			vec.AxpyLong(f.x, v, f.col(first+k))
		}
	}
}

// newtonStep implements [factorisation].
func (f *dense) newtonStep() {
	n, q := f.k, len(f.active)
	v := f.stationarity()
	for k := range n {
		f.d[k] = vec.Dot(f.col(k), v) / f.sigma
	}
	// The step of x is Σ_k t_k col_k. For the active rows Rᵀt = −(a_k·x + b_k), so that these rows
	// hold after the step; for the other columns t = −d.
	t := f.y[:n]
	for k, i := range f.active {
		col := f.r[k*n : k*n+k+1]
		t[k] = -(f.dot(i, f.x) + f.b[i] + vec.Dot(col[:k], t[:k])) / col[k]
	}
	for k := q; k < n; k++ {
		t[k] = -f.d[k]
	}
	f.moveAlong(0, t)
	vec.Axpy(t[:q], 1, f.d[:q])
	f.solveR(t[:q])
	vec.Axpy(f.mu, -f.sigma, t[:q])
}

// stationarity returns σHx + c + γ·onA + Σ_k μ_k a_k in the coordinates that are
// not held.
func (f *dense) stationarity() []float64 {
	n, x, c, onA := f.k, f.x, f.c, f.onA
	v := f.v[:n]
	held := f.view.holds()
	if held {
		x, c, onA = f.view.gatherAll(f.x, f.c, f.onA)
	}
	if f.chol == nil {
		copy(v, x)
	} else {
		for i := range n { // with H itself, since LLᵀ differs from it by rounding
			v[i] = vec.Dot(f.h[i*n:(i+1)*n], x)
		}
	}
	vec.Scale(v, f.sigma)
	vec.Axpy(v, 1, c)
	vec.Axpy(v, f.gamma, onA)
	if !held {
		for k, i := range f.active {
			f.addTo(v, f.mu[k], i)
		}
		return v
	}
	if f.chol != nil {
		vec.Axpy(v, 1, f.view.slope[:n])
	}
	for k, i := range f.active {
		if c, s := f.unit(i); s != 0 {
			v[f.view.place(c)] += float64(f.mu[k] * s)
		} else {
			vec.Axpy(v, f.mu[k], f.view.gather(f.row(i)))
		}
	}
	return v
}
