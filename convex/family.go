package convex

import (
	"slices"

	"ocobench/convex/vec"
)

// family is a sum of hinges of functions that are affine in common features,
//
//	Σ_i max(0, s_i·φ(x) + c_i),   φ(x) = (x, x_j x_k, φ_1(x), …, φ_K(x)),
//
// the products being there only if there are quadratic parts to write down in
// them. As x moves, φ(x) moves, so that a watch in the space of features tells
// which of the hinges may have changed sign. Those that are positive are one
// function, of which the sums of their s_i and c_i are all that there is to
// know.
type family struct {
	set   Set
	n     int
	bases []*Basis
	index map[*Basis]int
	room  int  // how many bases there may be before rows are to be laid out anew
	pairs bool // the products are features
	dim   int  // the number of features, those that bases to come will be among them

	s       []float64 // rows×dim, the weights in them
	c       []float64
	norm    []float64 // ‖s_i‖
	on      []bool    // positive at x
	model   []bool    // a row of the model that is being solved
	repeats repeats
	watch   *watch
	scale   float64 // the size of numbers in φ
	blur    float64 // by how much hinges that joined others may be off

	sum     []float64 // Σ s_i over the hinges that are on
	sumC    float64
	flipped int // changes of these since they were summed afresh

	x, phi []float64 // the point visited last, and φ there
	jac    []float64 // dim×n: the gradients of the features
	near   []int     // the hinges that are rows of the model, or to be those of the next
	lambda []float64 // the factors of the features in the Lagrangian

	fixed      []float64 // sum without the hinges that are rows of the model
	fixedC     float64
	reach      float64 // how far the models' minimisers were of late
	row, move  []float64
	grad, step []float64
}

// maxTable bounds the numbers that bases cost: a hinge has one for each of them,
// be it 0.
var maxTable = 1 << 26

func newFamily(set Set) *family {
	f := &family{set: set, n: set.Dim(), index: map[*Basis]int{}}
	f.x, f.grad, f.step = make([]float64, f.n), make([]float64, f.n), make([]float64, f.n)
	f.layout(0, false)
	return f
}

// reset forgets all hinges, but no feature, nor what these were worth.
func (f *family) reset() {
	f.s, f.c, f.norm, f.on, f.model = f.s[:0], f.c[:0], f.norm[:0], f.on[:0], f.model[:0]
	f.blur, f.near = 0, f.near[:0]
	f.resum()
	if f.watch != nil {
		f.watch.truncate(0)
	}
}

// empty tells that there are no hinges.
func (f *family) empty() bool { return f == nil || len(f.c) == 0 }

func (f *family) at(i int) []float64 { return f.s[i*f.dim : (i+1)*f.dim] }

// first is the number of the first basis among the features.
func (f *family) first() int { return f.dim - f.room }

// layout gives rows room for that many bases, and products.
func (f *family) layout(room int, pairs bool) {
	n, old, first := f.n, f.dim, f.first()
	f.room, f.pairs = room, pairs
	f.dim = n + room
	if pairs {
		f.dim += n * (n + 1) / 2
	}
	relay := func(v []float64) []float64 {
		if old == 0 {
			return make([]float64, f.dim)
		}
		to := make([]float64, len(v)/old*f.dim)
		for i := range len(v) / old {
			from, row := v[i*old:(i+1)*old], to[i*f.dim:(i+1)*f.dim]
			copy(row, from[:min(first, f.first())])
			copy(row[f.first():], from[first:])
		}
		return to
	}
	if old > 0 {
		f.s = relay(f.s)
	}
	f.lambda, f.sum = relay(f.lambda), relay(f.sum)
	for _, v := range []*[]float64{&f.phi, &f.move, &f.row} {
		*v = make([]float64, f.dim)
	}
	f.jac = make([]float64, f.dim*n)
	f.measure()
	if !rescan {
		f.watch = newWatch(f.dim, f.scale)
	}
	for i := range f.c {
		f.begin(i)
	}
}

// measure finds how large features get, by their values far out in the set.
func (f *family) measure() {
	n := f.n
	dir, x := make([]float64, n), make([]float64, n)
	for i := range n {
		for _, s := range []float64{-1, 1} {
			dir[i] = s
			f.set.Support(x, dir)
			f.evaluate(x)
		}
		dir[i] = 0
	}
}

// begin has row i, the next in number, watched.
func (f *family) begin(i int) {
	if f.watch != nil {
		f.watch.add(f.at(i))
		f.watch.renew(f.at)
	}
}

// evaluate brings φ and its derivatives to x.
func (f *family) evaluate(x []float64) {
	n := f.n
	copy(f.x, x)
	copy(f.phi, x)
	at := n
	if f.pairs {
		for i := range n {
			for j := i; j < n; j++ {
				f.phi[at] = x[i] * x[j]
				grad := f.gradient(at)
				clear(grad)
				grad[i] += x[j]
				grad[j] += x[i]
				at++
			}
		}
	}
	for _, b := range f.bases {
		f.phi[at] = b.Value(x)
		b.Subgrad(f.gradient(at), x)
		at++
	}
	f.scale = max(f.scale, vec.Norm(f.phi))
}

// gradient is that of feature k, one beyond the coordinates.
func (f *family) gradient(k int) []float64 { return f.jac[k*f.n : (k+1)*f.n] }

// pull adds w times the gradient of s·φ to dst.
func (f *family) pull(dst []float64, w float64, s []float64) {
	vec.Axpy(dst, w, s[:f.n])
	for k := f.n; k < f.dim; k++ {
		if s[k] != 0 {
			vec.Axpy(dst, float64(w*s[k]), f.gradient(k))
		}
	}
}

// addHessian adds that of s·φ to dst.
func (f *family) addHessian(dst, s []float64) {
	n, at := f.n, f.n
	if f.pairs {
		for i := range n {
			for j := i; j < n; j++ {
				dst[i*n+j] += s[at]
				dst[j*n+i] += s[at]
				at++
			}
		}
	}
	for _, b := range f.bases {
		if s[at] != 0 {
			b.addHessian(dst, f.x, s[at])
		}
		at++
	}
}

// admit makes features of what h needs, and tells whether they are not too
// many. A quadratic basis is one while there are fewer than products.
func (f *family) admit(h *Form) bool {
	if kinkedTerms(h.Terms) > 0 { // features are smooth
		return false
	}
	known, pairs := len(f.bases), f.pairs || h.curved()
	for _, t := range h.Terms {
		if _, ok := f.index[t.Basis]; ok {
			continue
		}
		k := len(f.bases)
		_, quadratic := t.Basis.Expand(f.n)
		switch {
		case quadratic && k >= f.n*(f.n+1)/2:
			pairs = true
		case (k+1)*(len(f.c)+1) > maxTable:
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
	switch {
	case len(f.bases) > f.room:
		f.layout(max(len(f.bases), 2*f.room), pairs)
	case pairs != f.pairs:
		f.layout(f.room, pairs)
	case len(f.bases) > known:
		f.measure()
	}
	return true
}

// add adds w·max(0, h), and tells whether it could.
func (f *family) add(w float64, h *Form) bool {
	if !f.admit(h) {
		return false
	}
	clear(f.row)
	c := f.lower(f.row, w, h)
	f.addRow(f.row, c)
	return true
}

// lower adds w·h to the row, and returns its constant.
func (f *family) lower(row []float64, w float64, h *Form) (c float64) {
	vec.Axpy(row[:f.n], w, h.Lin)
	if h.curved() {
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
			row[f.first()+k] += float64(w * t.Scale)
		} else {
			form, _ := t.Basis.Expand(f.n)
			c += f.lower(row, float64(w*t.Scale), form)
		}
	}
	return c
}

// addRow adds max(0, s·φ+c). Where that is a multiple of a recent hinge, but for
// rounding, it joins that one, as in activeSet.addHinge.
func (f *family) addRow(s []float64, c float64) {
	size := vec.Norm(s)
	for i := range f.repeats.among(0, len(f.c)) {
		if f.norm[i] == 0 {
			continue
		}
		ratio, row, dev := size/f.norm[i], f.at(i), 0.0
		for k, v := range s {
			dev = max(dev, abs(v-float64(ratio*row[k])))
		}
		dev = float64(dev*float64(float64(f.dim)*f.scale)) + abs(c-float64(ratio*f.c[i]))
		if dev <= float64(1e-13*float64(size*f.scale)) {
			vec.Axpy(row, 1, s)
			f.c[i] += c
			f.norm[i] = vec.Norm(row)
			f.blur += dev
			if f.on[i] {
				vec.Axpy(f.sum, 1, s)
				f.sumC += c
			}
			if f.watch != nil {
				f.watch.change(i, row)
			}
			return
		}
	}
	f.s = append(f.s, s...)
	f.c = append(f.c, c)
	f.norm = append(f.norm, size)
	f.on = append(f.on, false)
	f.model = append(f.model, false)
	f.begin(len(f.c) - 1)
}

// take moves the hinges among the rows, which are affine, here.
func (f *family) take(p *activeSet) {
	clear(f.row)
	for i := p.set; i < len(p.b); i++ {
		copy(f.row, p.row(i))
		f.addRow(f.row, p.b[i])
	}
	f.blur += p.blur
	p.truncate(p.set)
}

// flip turns hinge i on or off.
func (f *family) flip(i int) {
	f.on[i] = !f.on[i]
	w := -1.0
	if f.on[i] {
		w = 1
	}
	vec.Axpy(f.sum, w, f.at(i))
	f.sumC += float64(w * f.c[i])
	f.flipped++
}

// resum sums the hinges that are on afresh.
func (f *family) resum() {
	clear(f.sum)
	f.sumC, f.flipped = 0, 0
	for i, on := range f.on {
		if on {
			vec.Axpy(f.sum, 1, f.at(i))
			f.sumC += f.c[i]
		}
	}
}

// sift calls look with the hinges that may have changed sign since they were
// looked at, φ being phi now, and with their values. look tells those that
// are to be looked at again next time whatever happens.
func (f *family) sift(phi []float64, look func(i int, v float64) (again bool)) {
	see := func(i int) (margin float64, kept bool) {
		v := vec.Dot(f.at(i), phi) + f.c[i]
		if look(i, v) {
			return -1, true
		}
		return abs(v), true
	}
	if f.watch != nil {
		f.watch.scale = f.scale
		f.watch.sift(phi, see)
		return
	}
	for i := range f.c {
		see(i)
	}
}

// visit brings the features and the signs to x, and returns the sum there.
func (f *family) visit(x []float64) float64 {
	f.evaluate(x)
	f.sift(f.phi, func(i int, v float64) bool {
		if f.on[i] != (v > 0) {
			f.flip(i)
		}
		return false
	})
	if f.flipped > len(f.c)/2+8 {
		f.resum()
	}
	return max(0, vec.Dot(f.sum, f.phi)+f.sumC)
}

// steepest is the largest gradient of a feature.
func (f *family) steepest() (most float64) {
	for k := f.n; k < f.dim; k++ {
		most = max(most, vec.Norm(f.gradient(k)))
	}
	return most
}

// straight tells whether hinge i is affine.
func (f *family) straight(i int) bool {
	return !slices.ContainsFunc(f.at(i)[f.n:], func(v float64) bool { return v != 0 })
}

// solve minimises the model at the point visited last: what p has and, with
// the linear functions in the place of the features, the hinges.
func (f *family) solve(p *activeSet, sigma float64, quad []float64) error {
	f.fixed, f.fixedC = append(f.fixed[:0], f.sum...), f.sumC
	f.pull(p.c[:f.n], p.gamma, f.sum)
	for _, i := range f.near {
		f.enter(p, i)
	}
	defer func() {
		for _, i := range f.near {
			f.model[i] = false
		}
	}()
	for {
		if err := p.solveIn(f.set, sigma, quad); err != nil {
			return err
		}
		vec.SubTo(f.step, p.x[:f.n], f.x)
		known := len(f.near)
		f.ahead()
		if len(f.near) == known {
			f.reach = max(vec.Norm(f.step), f.reach/32)
			return nil
		}
		for _, i := range f.near[known:] {
			f.enter(p, i)
		}
	}
}

// ahead looks for hinges that change sign on the step: up to where steps ended
// of late and, if there are none, farther and farther. Where the model lacks
// the hinges that stop it, its minimiser is far beyond them and all others.
func (f *family) ahead() {
	length, known := vec.Norm(f.step), len(f.near)
	for reach := max(f.reach, float64(1e-9*f.scale)); ; reach *= 4 {
		part := 1.0
		if reach < length {
			part = reach / length
		}
		for k := range f.n {
			f.move[k] = f.x[k] + float64(part*f.step[k])
		}
		for k := f.n; k < f.dim; k++ {
			f.move[k] = f.phi[k] + float64(part*vec.Dot(f.gradient(k), f.step))
		}
		f.sift(f.move, func(i int, v float64) bool {
			if !f.model[i] && f.on[i] != (v > 0) {
				f.near = append(f.near, i)
				f.model[i] = true
			}
			return f.model[i]
		})
		if part == 1 || len(f.near) > known {
			return
		}
	}
}

// enter makes hinge i a row of the model.
func (f *family) enter(p *activeSet, i int) {
	f.model[i] = true
	grad := f.grad
	clear(grad)
	f.pull(grad, 1, f.at(i))
	p.addRow(grad, vec.Dot(f.at(i), f.phi)+f.c[i]-vec.Dot(grad, f.x), 1)
	if f.on[i] {
		vec.Axpy(p.c[:f.n], -p.gamma, grad)
		vec.Axpy(f.fixed, -1, f.at(i))
		f.fixedC -= f.c[i]
		p.is[len(p.is)-1] = on
		p.weigh(len(p.is)-1, 1)
	}
}

// multiply brings lambda to the multipliers of the model that p has solved,
// whose rows from the first-th on are hinges, and returns the constant of the
// Lagrangian. The next model is to begin with those that were kinks.
func (f *family) multiply(p *activeSet, first int) (c float64) {
	clear(f.lambda)
	vec.Axpy(f.lambda, p.gamma, f.fixed)
	c = float64(p.gamma * f.fixedC)
	add := func(row int, mu float64) {
		i := f.near[row-first]
		vec.Axpy(f.lambda, mu, f.at(i))
		c += float64(mu * f.c[i])
	}
	for row := first; row < len(p.b); row++ {
		if p.is[row] == on {
			add(row, p.gamma)
		}
	}
	for k, row := range p.active {
		if row >= first {
			add(row, p.mu[k])
		}
	}
	kept := f.near[:0]
	for k, i := range f.near {
		if p.is[first+k] == kink {
			kept = append(kept, i)
		}
	}
	f.near = kept
	return c
}

// The hinges in two parts, by looking at each of them: those that are affine
// as rows of an active set, and the others.

func (f *family) straightRows(like *activeSet) *activeSet {
	p := newActiveSet(f.n, f.set)
	p.gamma = like.gamma
	for i, c := range f.c {
		if f.straight(i) {
			p.addRow(f.at(i)[:f.n], c, 1)
		}
	}
	return p
}

func (f *family) curvedValue(x []float64) (sum float64) {
	f.evaluate(x)
	for i, c := range f.c {
		if !f.straight(i) {
			sum += max(0, vec.Dot(f.at(i), f.phi)+c)
		}
	}
	return sum
}

func (f *family) curvedSubgrad(dst, x []float64) {
	f.evaluate(x)
	clear(f.row)
	for i, c := range f.c {
		if !f.straight(i) && vec.Dot(f.at(i), f.phi)+c > 0 {
			vec.Axpy(f.row, 1, f.at(i))
		}
	}
	clear(dst)
	f.pull(dst, 1, f.row)
}
