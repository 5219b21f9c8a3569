package quadprog

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex/vec"
)

// findings are sentences that say what is wrong.
type findings []string

// expect adds a finding unless ok.
func (f *findings) expect(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// audit computes from the rows and their states alone what a solver keeps of them, and returns
// what differs: norms, lists, sums, the factorisation, the coordinates that are held, and
// the rows that are known to be satisfied.
func audit(p *Solver) (wrong findings) {
	rows := make([][]float64, len(p.b))
	onA, onB, mass, norms := make([]float64, p.n), 0.0, 0.0, 0.0
	for i := range rows {
		rows[i] = make([]float64, p.n)
		if c, s := p.unit(i); s != 0 {
			rows[i][c] = s
		} else {
			copy(rows[i], p.row(i))
		}
		wrong.auditRow(p, i, rows[i])
		st, size := p.state[i], vec.Norm(rows[i])
		wrong.expect(slices.Contains(p.active, i) == (st == kink || st == equality),
			"row %d: state %d, active are %v", i, st, p.active)
		if math.IsInf(p.w[i], 1) {
			wrong.expect(st != on, "constraint %d is on", i)
			continue
		}
		norms += p.w[i] * size
		mass += p.w[i] * (size + math.Abs(p.b[i]))
		if st == on {
			vec.Axpy(onA, p.w[i], rows[i])
			onB += p.w[i] * p.b[i]
		}
	}
	wrong.expect(vec.Dist(onA, p.onA) <= 1e-12*mass && math.Abs(onB-p.onB) <= 1e-12*mass,
		"the sum of the rows that are on is %v, %v, want %v, %v", p.onA, p.onB, onA, onB)
	wrong.expect(math.Abs(norms-p.hingeNorms) <= 1e-12*norms,
		"the norms of the hinges sum up to %v, want %v", p.hingeNorms, norms)
	wrong.expect(len(p.mu) == len(p.active), "%d rows are active, with %d multipliers", len(p.active),
		len(p.mu))
	free := wrong.auditHoldings(p)
	switch {
	case len(wrong) > 0: // what follows may panic
	case p.UsesRangeSpace():
		wrong.auditRangeSpace(p, rows)
	default:
		wrong.auditDense(p, rows, free)
	}
	wrong.auditWatch(p)
	return wrong
}

// auditRow checks what is kept of row i, and its products.
func (f *findings) auditRow(p *Solver, i int, row []float64) {
	size := vec.Norm(row)
	v, sum := make([]float64, p.n), make([]float64, p.n)
	for k := range row {
		v[k] = math.Sin(float64(i + 3*k))
	}
	f.expect(math.Abs(p.norm[i]-size) <= 1e-12*size, "the norm of row %d is %v, want %v", i, p.norm[i],
		size)
	for _, k := range []int{p.n, p.n / 2} { // of all coordinates, and of the first ones
		got, want := p.dot(i, v[:k]), vec.Dot(row[:k], v[:k])
		f.expect(math.Abs(got-want) <= 1e-13*(1+size), "row %d times %v is %v, want %v", i, v[:k], got,
			want)
		clear(sum)
		p.addTo(sum[:k], -2, i)
		vec.Axpy(sum[:k], 2, row[:k])
		f.expect(vec.Norm(sum) == 0, "−2 times row %d is added with the error %v", i, sum)
	}
}

// auditHoldings checks the view and returns the coordinates that are not held at a row.
func (f *findings) auditHoldings(p *Solver) (free []int) {
	at := make([]int, p.n) // how many rows hold a coordinate
	for i, st := range p.state {
		if c, s := p.unit(i); st == holding {
			at[c]++
			f.expect(math.Abs(s*p.x[c]+p.b[i]) <= 1e-15*p.scale, "coordinate %d is held by row %d at %v",
				c, i, p.x[c])
		}
	}
	for c, rows := range at {
		f.expect(rows <= 1, "coordinate %d is held by %d rows, want one", c, rows)
		if rows == 0 {
			free = append(free, c)
		}
	}
	if !p.view.holds() {
		f.expect(len(free) == p.n, "the view has all coordinates, but only %v are not held", free)
		return free
	}
	f.expect(slices.Equal(free, p.view.frees), "the view has %v, want %v", p.view.frees, free)
	for c, place := range p.view.places {
		f.expect(int(place) == slices.Index(free, c), "the place of coordinate %d is %d, want that in %v",
			c, place, free)
	}
	return free
}

// auditDense checks that JᵀHJ = I and Jᵀ·[active rows] = [R; 0] in the free coordinates.
func (f *findings) auditDense(p *Solver, rows [][]float64, free []int) {
	k, d := len(free), p.dense
	if f.expect(d.k == k, "the order of J is %d, want %d", d.k, k); d.k != k {
		return
	}
	image, sizes := make([]float64, k), make([]float64, k) // of a column under H
	for a := range k {
		copy(image, d.col(a))
		for r := range k {
			if d.chol != nil {
				image[r] = vec.Dot(d.h[r*k:(r+1)*k], d.col(a))
			}
			sizes[r] = math.Abs(image[r])
			for c := range k {
				if d.chol != nil {
					sizes[r] = max(sizes[r], math.Abs(d.h[r*k+c]*d.col(a)[c]))
				}
			}
		}
		for b := range k {
			got, size, want := 0.0, 1.0, 0.0
			for r, v := range d.col(b) {
				got += v * image[r]
				size += math.Abs(v * sizes[r])
			}
			if a == b {
				want = 1
			}
			f.expect(math.Abs(got-want) <= 1e-8*size, "entry %d, %d of JᵀHJ is %v, want %v", b, a, got, want)
		}
	}
	for q, i := range p.active {
		size := vec.Norm(d.j) * p.norm[i]
		for a := range k {
			want, got := 0.0, 0.0
			for r, c := range free {
				want += d.col(a)[r] * rows[i][c]
			}
			if a <= q {
				got = d.r[q*k+a]
			}
			f.expect(math.Abs(got-want) <= 1e-10*size, "entry %d, %d of R is %v, want %v", a, q, got, want)
		}
	}
}

// auditRangeSpace checks that LLᵀ = A D⁻¹ Aᵀ.
func (f *findings) auditRangeSpace(p *Solver, rows [][]float64) {
	s := p.rangeSpace
	fixed, others, plain := make([]bool, p.n), []int(nil), true
	for _, i := range p.active {
		if c, sign := p.unit(i); sign != 0 {
			fixed[c] = true
		} else {
			others = append(others, i)
		}
	}
	for _, h := range s.h {
		plain = plain && h == 1
	}
	f.expect(!s.plain || plain, "H is %v, want the identity", s.h)
	f.expect(slices.Equal(fixed, s.fixed), "the fixed coordinates are %v, want %v", s.fixed, fixed)
	f.expect(slices.Equal(others, s.others), "the rows of A are %v, want %v", s.others, others)
	for j, g := range s.others {
		for k, h := range s.others[:j+1] {
			want, size := 0.0, 0.0
			for c := range p.n {
				size += math.Abs(rows[g][c]*rows[h][c]) / s.h[c]
				if !fixed[c] {
					want += rows[g][c] * rows[h][c] / s.h[c]
				}
			}
			got := vec.Dot(s.l[j][:k+1], s.l[k][:k+1])
			f.expect(math.Abs(got-want) <= 1e-7*(1+size), "entry %d, %d of LLᵀ is %v, want %v", j, k, got,
				want)
		}
	}
}

// auditWatch checks that rows that a screen has placed are not violated. The screen checks itself
// in its own tests.
func (f *findings) auditWatch(p *Solver) {
	if p.screen == nil {
		return
	}
	for i := p.domainRows; i < len(p.b); i++ {
		pending := slices.Contains(p.screen.Pending, int32(i-p.domainRows))
		f.expect(pending || p.state[i] >= kink ||
			p.excess(i, p.screen.X) <= 1e-13*p.scale*p.norm[i],
			"row %d, state %d, is %v at the screen's point, and not pending", i, p.state[i],
			p.excess(i, p.screen.X))
	}
}

// auditSolution returns what is wrong with the solution of the last program: the gradient of the
// Lagrangian is 0 where coordinates are free, every row is on the side that its state says, and
// multipliers are within their bounds.
func auditSolution(p *Solver) (wrong findings) {
	g := slices.Clone(p.c)
	vec.Axpy(g, p.gamma, p.onA)
	for i, z := range p.domain.Center {
		g[i] -= 2 * p.nu * z
	}
	for k, i := range p.active {
		p.addTo(g, p.mu[k], i)
		s := p.dot(i, p.x) + p.b[i]
		wrong.expect(math.Abs(s) <= 1e-12*p.scale*p.norm[i], "active row %d is %v, want 0", i, s)
		wrong.expect(p.state[i] == equality || 0 <= p.mu[k] && p.mu[k] <= p.MaxMultiplier(i),
			"the multiplier of row %d is %v, want one up to %v", i, p.mu[k], p.MaxMultiplier(i))
	}
	force := p.force() + 1e-50
	for c := range p.n {
		place := p.view.place(c)
		if place < 0 {
			continue
		}
		v, d := p.x[c], p.dense
		switch {
		case p.UsesRangeSpace():
			v *= p.rangeSpace.h[c]
		case d.chol != nil:
			v = 0
			for r := range d.k {
				at := r
				if p.view.holds() {
					at = p.view.frees[r]
				}
				v += d.h[place*d.k+r] * p.x[at]
			}
			if p.view.holds() {
				v += p.view.slope[place]
			}
		}
		v = p.sigma*v + g[c]
		wrong.expect(math.Abs(v) <= 1e-11*force,
			"the gradient of the Lagrangian is %v in coordinate %d, want 0, of forces up to %v", v, c, force)
	}
	for i, st := range p.state {
		wrong.expect(st >= kink || p.excess(i, p.x) <= 1e-12*p.scale*p.norm[i],
			"row %d is violated by %v", i, p.excess(i, p.x))
	}
	return wrong
}
