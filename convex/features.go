package convex

import (
	"slices"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/screen"
	"ocobench/convex/vec"
)

// featureHinges is a sum of hinges that are affine in common features,
//
//	Σ_i max(0, s_i·φ(x) + c_i),   φ(x) = (x, x_j x_k, φ_1(x), …, φ_K(x)),
//
// where the products x_j x_k are features only if some hinge has a quadratic
// part. A screen in the space of features finds the hinges that may have changed
// sign when x moves. The hinges that are positive add up to (Σ s_i)·φ + Σ c_i, so
// that these two sums suffice to evaluate them.
type featureHinges struct {
	set      Set
	n        int
	bases    []*Basis
	index    map[*Basis]int
	capacity int  // the number of bases that fit into the present layout of rows
	products bool // the products are features
	dim      int  // the number of features, with the unused capacity

	s          []float64 // rows×dim; s_i contains the weight
	c          []float64
	norm       []float64 // ‖s_i‖
	on         []bool    // whether the hinge is positive at x
	inModel    []bool    // whether the hinge is a row of the model
	repeats    quadprog.Repeats
	screen     *screen.Screen
	scale      float64 // a bound on ‖φ(x)‖, for tolerances
	mergeError float64 // a bound on the error of the sum due to merged hinges

	sum   []float64 // Σ s_i over the positive hinges
	sumC  float64
	flips int // changes of sum since it was last computed afresh

	x, phi    []float64 // the point evaluated last, and φ there
	jac       []float64 // dim×n: the gradients of the features
	modelRows []int     // the hinges that are rows of the model; after a step, of the next model
	lambda    []float64 // the coefficients of the features in the Lagrangian

	fixed          []float64 // sum, without the rows of the model
	fixedC         float64
	recentStep     float64 // the length of recent steps
	row, predicted []float64
	grad, step     []float64
}

// maxCoefficients bounds the numbers stored: each hinge has one for each basis,
// even if it is 0.
var maxCoefficients = 1 << 26

func newFeatureHinges(set Set) *featureHinges {
	f := &featureHinges{set: set, n: set.Dim(), index: map[*Basis]int{}}
	f.x, f.grad, f.step = make([]float64, f.n), make([]float64, f.n), make([]float64, f.n)
	f.layout(0, false)
	return f
}

// reset removes all hinges. It keeps the features and their coefficients in the
// Lagrangian.
func (f *featureHinges) reset() {
	f.s, f.c, f.norm, f.on, f.inModel = f.s[:0], f.c[:0], f.norm[:0], f.on[:0], f.inModel[:0]
	f.mergeError, f.modelRows = 0, f.modelRows[:0]
	f.resum()
	if f.screen != nil {
		f.screen.Truncate(0)
	}
}

// isEmpty reports whether there are no hinges; a nil f has none.
func (f *featureHinges) isEmpty() bool { return f == nil || len(f.c) == 0 }

func (f *featureHinges) coefficients(i int) []float64 { return f.s[i*f.dim : (i+1)*f.dim] }

// firstBasis is the index of the first basis among the features.
func (f *featureHinges) firstBasis() int { return f.dim - f.capacity }

// layout lays out the rows anew, for this number of bases, with or without
// products.
func (f *featureHinges) layout(capacity int, products bool) {
	n, old, first := f.n, f.dim, f.firstBasis()
	f.capacity, f.products = capacity, products
	f.dim = n + capacity
	if products {
		f.dim += n * (n + 1) / 2
	}
	copyRows := func(v []float64) []float64 {
		if old == 0 {
			return make([]float64, f.dim)
		}
		to := make([]float64, len(v)/old*f.dim)
		for i := range len(v) / old {
			from, row := v[i*old:(i+1)*old], to[i*f.dim:(i+1)*f.dim]
			copy(row, from[:min(first, f.firstBasis())])
			copy(row[f.firstBasis():], from[first:])
		}
		return to
	}
	if old > 0 {
		f.s = copyRows(f.s)
	}
	f.lambda, f.sum = copyRows(f.lambda), copyRows(f.sum)
	for _, v := range []*[]float64{&f.phi, &f.predicted, &f.row} {
		*v = make([]float64, f.dim)
	}
	f.jac = make([]float64, f.dim*n)
	f.measureScale()
	if !screen.Off {
		f.screen = screen.New(f.dim, f.scale)
	}
	for i := range f.c {
		f.screenRow(i)
	}
}

// measureScale bounds the features by their values at extreme points of the set.
func (f *featureHinges) measureScale() {
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

// screenRow adds row i, the next in number, to the screen.
func (f *featureHinges) screenRow(i int) {
	if f.screen != nil {
		f.screen.Add(f.coefficients(i))
		f.screen.Recenter(f.coefficients)
	}
}

// evaluate computes φ and its derivatives at x.
func (f *featureHinges) evaluate(x []float64) {
	n := f.n
	copy(f.x, x)
	copy(f.phi, x)
	at := n
	if f.products {
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

// gradient is the gradient of feature k ≥ n.
func (f *featureHinges) gradient(k int) []float64 { return f.jac[k*f.n : (k+1)*f.n] }

// addGrad adds w times the gradient of s·φ to dst.
func (f *featureHinges) addGrad(dst []float64, w float64, s []float64) {
	vec.Axpy(dst, w, s[:f.n])
	for k := f.n; k < f.dim; k++ {
		if s[k] != 0 {
			vec.Axpy(dst, float64(w*s[k]), f.gradient(k))
		}
	}
}

// addHessian adds the Hessian of s·φ to dst.
func (f *featureHinges) addHessian(dst, s []float64) {
	n, at := f.n, f.n
	if f.products {
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

// addFeatures adds the features that h needs, and returns false if there would be
// too many. A quadratic basis is a feature of its own as long as there are fewer
// bases than products.
func (f *featureHinges) addFeatures(h *Form) bool {
	if norm1FactorOfTerms(h.Terms) > 0 { // ‖x‖₁ is not smooth
		return false
	}
	known, products := len(f.bases), f.products || h.hasQuad()
	for _, t := range h.Terms {
		if _, ok := f.index[t.Basis]; ok {
			continue
		}
		k := len(f.bases)
		_, quadratic := t.Basis.expansion(f.n)
		switch {
		case quadratic && k >= f.n*(f.n+1)/2:
			products = true
		case (k+1)*(len(f.c)+1) > maxCoefficients:
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
	case len(f.bases) > f.capacity:
		f.layout(max(len(f.bases), 2*f.capacity), products)
	case products != f.products:
		f.layout(f.capacity, products)
	case len(f.bases) > known:
		f.measureScale()
	}
	return true
}

// add adds w·max(0, h), and returns false if that needs too many features.
func (f *featureHinges) add(w float64, h *Form) bool {
	if !f.addFeatures(h) {
		return false
	}
	clear(f.row)
	c := f.addCoefficients(f.row, w, h)
	f.addRow(f.row, c)
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
			row[f.firstBasis()+k] += float64(w * t.Scale)
		} else {
			form, _ := t.Basis.expansion(f.n)
			c += f.addCoefficients(row, float64(w*t.Scale), form)
		}
	}
	return c
}

// addRow adds max(0, s·φ+c). If this is a multiple of a recent hinge, up to
// rounding, the two are merged, as in [quadprog.Solver.AddHinge].
func (f *featureHinges) addRow(s []float64, c float64) {
	size := vec.Norm(s)
	for i := range f.repeats.Candidates(0, len(f.c)) {
		if f.norm[i] == 0 {
			continue
		}
		ratio, row, dev := size/f.norm[i], f.coefficients(i), 0.0
		for k, v := range s {
			dev = max(dev, abs(v-float64(ratio*row[k])))
		}
		dev = float64(dev*float64(float64(f.dim)*f.scale)) + abs(c-float64(ratio*f.c[i]))
		if dev <= float64(1e-13*float64(size*f.scale)) {
			vec.Axpy(row, 1, s)
			f.c[i] += c
			f.norm[i] = vec.Norm(row)
			f.mergeError += dev
			if f.on[i] {
				vec.Axpy(f.sum, 1, s)
				f.sumC += c
			}
			if f.screen != nil {
				f.screen.Change(i, row)
			}
			return
		}
	}
	f.s = append(f.s, s...)
	f.c = append(f.c, c)
	f.norm = append(f.norm, size)
	f.on = append(f.on, false)
	f.inModel = append(f.inModel, false)
	f.screenRow(len(f.c) - 1)
}

// takeRows moves the affine hinges of p to f.
func (f *featureHinges) takeRows(p *quadprog.Solver) {
	clear(f.row)
	for i := p.First(); i < p.Len(); i++ {
		a, b, _ := p.Row(i)
		copy(f.row, a)
		f.addRow(f.row, b)
	}
	f.mergeError += p.MergeError()
	p.Truncate(p.First())
}

// flip notes that hinge i changed sign.
func (f *featureHinges) flip(i int) {
	f.on[i] = !f.on[i]
	w := -1.0
	if f.on[i] {
		w = 1
	}
	vec.Axpy(f.sum, w, f.coefficients(i))
	f.sumC += float64(w * f.c[i])
	f.flips++
}

// resum computes the sum of the positive hinges afresh.
func (f *featureHinges) resum() {
	clear(f.sum)
	f.sumC, f.flips = 0, 0
	for i, on := range f.on {
		if on {
			vec.Axpy(f.sum, 1, f.coefficients(i))
			f.sumC += f.c[i]
		}
	}
}

// lookAtChanged calls look with the hinges that may have changed sign since look
// saw them last, and with their values at φ = phi. If look returns true, it sees
// the hinge again next time in any case.
func (f *featureHinges) lookAtChanged(phi []float64, look func(i int, v float64) (again bool)) {
	see := func(i int) (margin float64, screened bool) {
		v := vec.Dot(f.coefficients(i), phi) + f.c[i]
		if look(i, v) {
			return -1, true
		}
		return abs(v), true
	}
	if f.screen != nil {
		f.screen.Scale = f.scale
		f.screen.Update(phi, see)
		return
	}
	for i := range f.c {
		see(i)
	}
}

// sumAt evaluates the features and the signs at x, and returns the sum there.
func (f *featureHinges) sumAt(x []float64) float64 {
	f.evaluate(x)
	f.lookAtChanged(f.phi, func(i int, v float64) bool {
		if f.on[i] != (v > 0) {
			f.flip(i)
		}
		return false
	})
	if f.flips > len(f.c)/2+8 {
		f.resum()
	}
	return max(0, vec.Dot(f.sum, f.phi)+f.sumC)
}

// maxGradient is the largest norm of a feature's gradient.
func (f *featureHinges) maxGradient() (most float64) {
	for k := f.n; k < f.dim; k++ {
		most = max(most, vec.Norm(f.gradient(k)))
	}
	return most
}

// isAffine reports whether hinge i is affine.
func (f *featureHinges) isAffine(i int) bool {
	return !slices.ContainsFunc(f.coefficients(i)[f.n:], func(v float64) bool { return v != 0 })
}

// solveModel minimises the model at the point evaluated last: the function of p
// plus the hinges, with the features linearised.
func (f *featureHinges) solveModel(p *quadprog.Solver, sigma float64, quad []float64) error {
	f.fixed, f.fixedC = append(f.fixed[:0], f.sum...), f.sumC
	f.addGrad(p.Linear()[:f.n], p.Gamma(), f.sum)
	for _, i := range f.modelRows {
		f.addModelRow(p, i)
	}
	defer func() {
		for _, i := range f.modelRows {
			f.inModel[i] = false
		}
	}()
	for {
		if err := p.Solve(sigma, quad); err != nil {
			return err
		}
		vec.SubTo(f.step, p.X()[:f.n], f.x)
		known := len(f.modelRows)
		f.findCrossings()
		if len(f.modelRows) == known {
			f.recentStep = max(vec.Norm(f.step), f.recentStep/32)
			return nil
		}
		for _, i := range f.modelRows[known:] {
			f.addModelRow(p, i)
		}
	}
}

// findCrossings looks for hinges that change sign on the step. It looks first
// within the length of recent steps and, while it finds none, four times as far
// each time: a model without the hinges that bound its step has a minimiser far
// away, beyond very many hinges.
func (f *featureHinges) findCrossings() {
	length, known := vec.Norm(f.step), len(f.modelRows)
	for reach := max(f.recentStep, float64(1e-9*f.scale)); ; reach *= 4 {
		part := 1.0
		if reach < length {
			part = reach / length
		}
		for k := range f.n {
			f.predicted[k] = f.x[k] + float64(part*f.step[k])
		}
		for k := f.n; k < f.dim; k++ {
			f.predicted[k] = f.phi[k] + float64(part*vec.Dot(f.gradient(k), f.step))
		}
		f.lookAtChanged(f.predicted, func(i int, v float64) bool {
			if !f.inModel[i] && f.on[i] != (v > 0) {
				f.modelRows = append(f.modelRows, i)
				f.inModel[i] = true
			}
			return f.inModel[i]
		})
		if part == 1 || len(f.modelRows) > known {
			return
		}
	}
}

// addModelRow makes hinge i a row of the model.
func (f *featureHinges) addModelRow(p *quadprog.Solver, i int) {
	f.inModel[i] = true
	grad := f.grad
	clear(grad)
	f.addGrad(grad, 1, f.coefficients(i))
	p.AddRow(grad, vec.Dot(f.coefficients(i), f.phi)+f.c[i]-vec.Dot(grad, f.x), 1)
	if f.on[i] {
		vec.Axpy(p.Linear()[:f.n], -p.Gamma(), grad)
		vec.Axpy(f.fixed, -1, f.coefficients(i))
		f.fixedC -= f.c[i]
		p.BeginOn(p.Len() - 1)
	}
}

// setMultipliers sets lambda by the multipliers of the model that p has solved,
// whose rows from number first on are modelRows. It returns the constant of the
// Lagrangian. The next model begins with the hinges that are at their kinks.
func (f *featureHinges) setMultipliers(p *quadprog.Solver, first int) (c float64) {
	clear(f.lambda)
	vec.Axpy(f.lambda, p.Gamma(), f.fixed)
	c = float64(p.Gamma() * f.fixedC)
	add := func(row int, mu float64) {
		i := f.modelRows[row-first]
		vec.Axpy(f.lambda, mu, f.coefficients(i))
		c += float64(mu * f.c[i])
	}
	for row := first; row < p.Len(); row++ {
		if p.IsOn(row) {
			add(row, p.Gamma())
		}
	}
	p.Active(func(row int, mu float64) {
		if row >= first {
			add(row, mu)
		}
	})
	kept := f.modelRows[:0]
	for k, i := range f.modelRows {
		if p.AtKink(first + k) {
			kept = append(kept, i)
		}
	}
	f.modelRows = kept
	return c
}

// affineRows returns an active set with the affine hinges as rows.
func (f *featureHinges) affineRows(like *quadprog.Solver) *quadprog.Solver {
	p := quadprog.New(f.set.domain(), f.n)
	p.SetGamma(like.Gamma())
	for i, c := range f.c {
		if f.isAffine(i) {
			p.AddRow(f.coefficients(i)[:f.n], c, 1)
		}
	}
	return p
}

// nonaffineValue returns the sum of the other hinges at x, by evaluating every hinge.
func (f *featureHinges) nonaffineValue(x []float64) (sum float64) {
	f.evaluate(x)
	for i, c := range f.c {
		if !f.isAffine(i) {
			sum += max(0, vec.Dot(f.coefficients(i), f.phi)+c)
		}
	}
	return sum
}

// nonaffineSubgrad writes a subgradient of the sum of the other hinges to dst.
func (f *featureHinges) nonaffineSubgrad(dst, x []float64) {
	f.evaluate(x)
	clear(f.row)
	for i, c := range f.c {
		if !f.isAffine(i) && vec.Dot(f.coefficients(i), f.phi)+c > 0 {
			vec.Axpy(f.row, 1, f.coefficients(i))
		}
	}
	clear(dst)
	f.addGrad(dst, 1, f.row)
}
