package sqp

import (
	"math"
	"slices"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/screen"
	"ocobench/convex/vec"
)

// Features is a sum of hinges that are affine in common features,
//
//	Σ_i max(0, s_i·φ(x) + c_i),   φ(x) = (x, x_j x_k, φ_1(x), …, φ_K(x)),
//
// where the products x_j x_k are features only if some hinge needs them. A hinge costs n + K
// numbers, and n(n+1)/2 more with products. In a minimisation
//
//  1. Value evaluates φ at a point. A screen in the space of features finds the hinges that may
//     have changed sign since, and flip keeps the sum of the positive ones, (Σ s_i)·φ + Σ c_i,
//     which suffices to evaluate all.
//  2. solveModel solves the model of a step, with φ linearised. A hinge is a row of the model if it
//     changes sign between the point and the model's minimiser. All others are in it as the sum of
//     the positive ones. The rows are found by iteration: findCrossings looks for hinges that
//     change sign on the way to the minimiser, addModelRow makes them rows, and the model is solved
//     again, until there are none.
//  3. setMultipliers makes the multipliers of the rows the coefficients λ of the features in the
//     Lagrangian, from which its gradient and its Hessian are computed. Rows at their kinks are
//     rows of the next model from the beginning.
type Features struct {
	domain quadprog.Domain
	n      int // the dimension of x

	// The features, and the order of their coefficients: x, the products, the bases, unused ones.
	bases    []Function // φ_1, …, φ_K
	capacity int        // the number of bases that fit into the present layout of rows
	products bool       // the products are features
	dim      int        // the number of coefficients

	// The hinges.
	s          []float64 // the s_i, dim numbers each, with the weight of the hinge
	c          []float64 // the c_i, likewise
	norm       []float64 // ‖s_i‖
	repeats    quadprog.Repeats
	mergeError float64 // a bound on the error of the sum due to merged hinges
	screen     *screen.Screen

	// At the point that was evaluated last.
	x, phi []float64 // the point, and φ there
	jac    []float64 // dim×n: the gradients of the features
	on     []bool    // whether the hinge is positive
	sum    []float64 // Σ s_i over the positive hinges
	sumC   float64   // Σ c_i over the positive hinges
	flips  int       // changes of sum since it was last computed anew
	scale  float64   // the largest ‖φ(x)‖ at any point so far, for tolerances

	// Of the model, and what it leaves to the next one.
	modelRows  []int     // the hinges that are rows; after a step, those of the next model
	inModel    []bool    // whether the hinge is a row
	restSum    []float64 // sum, without the rows
	restSumC   float64   // sumC, without the rows
	recentStep float64   // the length of recent steps, see findCrossings
	lambda     []float64 // the coefficients of the features in the Lagrangian

	row, predicted []float64 // scratch: coefficients, and φ predicted on the step
	grad, step     []float64 // scratch: a gradient, and the step of x
}

// NewFeatures returns the zero sum over the domain, whose features are the coordinates of x.
func NewFeatures(domain quadprog.Domain) *Features {
	f := &Features{domain: domain, n: domain.Dim()}
	f.x, f.grad, f.step = make([]float64, f.n), make([]float64, f.n), make([]float64, f.n)
	f.layout(0, false)
	return f
}

// Len returns the number of hinges; a nil f has none.
func (f *Features) Len() int {
	if f == nil {
		return 0
	}
	return len(f.c)
}

// Dim returns the number of coefficients of a hinge: those of x, of the products x_j x_k with j ≤ k
// in the order of (j, k) if there are products, and of the bases from [Features.FirstBasis] on.
func (f *Features) Dim() int { return f.dim }

// FirstBasis returns the number of the first basis among the features.
func (f *Features) FirstBasis() int { return f.dim - f.capacity }

// HasProducts reports whether the products x_j x_k are features.
func (f *Features) HasProducts() bool { return f.products }

// AddFeatures makes these functions features, and with products also the products x_j x_k.
func (f *Features) AddFeatures(bases []Function, products bool) {
	f.bases = append(f.bases, bases...)
	products = products || f.products
	switch {
	case len(f.bases) > f.capacity:
		f.layout(max(len(f.bases), 2*f.capacity), products)
	case products != f.products:
		f.layout(f.capacity, products)
	case len(bases) > 0:
		f.measureScale()
	}
}

// Reset removes all hinges. It keeps the features and their coefficients in the
// Lagrangian.
func (f *Features) Reset() {
	f.s, f.c, f.norm, f.on, f.inModel = f.s[:0], f.c[:0], f.norm[:0], f.on[:0], f.inModel[:0]
	f.mergeError, f.modelRows = 0, f.modelRows[:0]
	f.resum()
	if f.screen != nil {
		f.screen.Truncate(0)
	}
}

// coefficients returns s_i, without a copy.
func (f *Features) coefficients(i int) []float64 { return f.s[i*f.dim : (i+1)*f.dim] }

// layout lays out the coefficients of hinges anew, for this number of bases, with or
// without products.
func (f *Features) layout(capacity int, products bool) {
	n, oldDim, oldFirst := f.n, f.dim, f.FirstBasis()
	f.capacity, f.products = capacity, products
	f.dim = n + capacity
	if products {
		f.dim += n * (n + 1) / 2
	}
	copyRows := func(v []float64) []float64 {
		if oldDim == 0 {
			return make([]float64, f.dim)
		}
		to := make([]float64, len(v)/oldDim*f.dim)
		for i := range len(v) / oldDim {
			from, row := v[i*oldDim:(i+1)*oldDim], to[i*f.dim:(i+1)*f.dim]
			copy(row, from[:min(oldFirst, f.FirstBasis())])
			copy(row[f.FirstBasis():], from[oldFirst:])
		}
		return to
	}
	if oldDim > 0 {
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

// measureScale estimates the size of the features by their values at extreme points of the set, and
// overwrites the point evaluated last.
func (f *Features) measureScale() {
	n := f.n
	dir, x := make([]float64, n), make([]float64, n)
	for i := range n {
		for _, s := range []float64{-1, 1} {
			dir[i] = s
			f.domain.Support(x, dir)
			f.evaluate(x)
		}
		dir[i] = 0
	}
}

// screenRow adds row i, the next in number, to the screen.
func (f *Features) screenRow(i int) {
	if f.screen != nil {
		f.screen.Add(f.coefficients(i))
		f.screen.Recenter(f.coefficients)
	}
}

// evaluate computes φ and its derivatives at x.
func (f *Features) evaluate(x []float64) {
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

// gradient returns the gradient of feature k ≥ n.
func (f *Features) gradient(k int) []float64 { return f.jac[k*f.n : (k+1)*f.n] }

// addGrad adds w times the gradient of s·φ to dst.
func (f *Features) addGrad(dst []float64, w float64, s []float64) {
	vec.Axpy(dst, w, s[:f.n])
	for k := f.n; k < f.dim; k++ {
		if s[k] != 0 {
			vec.Axpy(dst, float64(w*s[k]), f.gradient(k))
		}
	}
}

// addHessian adds the Hessian of s·φ to dst.
func (f *Features) addHessian(dst, s []float64) {
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
			b.AddHessian(dst, f.x, s[at], nil)
		}
		at++
	}
}

// Add adds max(0, s·φ+c). If this is a multiple of a recent hinge, up to
// rounding, the two are merged, as in [quadprog.Solver.AddHinge].
func (f *Features) Add(s []float64, c float64) {
	size := vec.Norm(s)
	for i := range f.repeats.Candidates(0, len(f.c)) {
		if f.norm[i] == 0 {
			continue
		}
		ratio, row, dev := size/f.norm[i], f.coefficients(i), 0.0
		for k, v := range s {
			dev = max(dev, math.Abs(v-float64(ratio*row[k])))
		}
		dev = float64(dev*float64(float64(f.dim)*f.scale)) + math.Abs(c-float64(ratio*f.c[i]))
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

// TakeRows moves the affine hinges of p to f.
func (f *Features) TakeRows(p *quadprog.Solver) {
	clear(f.row)
	for i := p.First(); i < p.Len(); i++ {
		a, b, _ := p.Row(i)
		copy(f.row, a)
		f.Add(f.row, b)
	}
	f.mergeError += p.MergeError()
	p.Truncate(p.First())
}

// flip changes the sign of hinge i, and the sum of the positive hinges with it.
func (f *Features) flip(i int) {
	f.on[i] = !f.on[i]
	w := -1.0
	if f.on[i] {
		w = 1
	}
	vec.Axpy(f.sum, w, f.coefficients(i))
	f.sumC += float64(w * f.c[i])
	f.flips++
}

// resum computes the sum of the positive hinges anew.
func (f *Features) resum() {
	clear(f.sum)
	f.sumC, f.flips = 0, 0
	for i, on := range f.on {
		if on {
			vec.Axpy(f.sum, 1, f.coefficients(i))
			f.sumC += f.c[i]
		}
	}
}

// visitChanged calls visit with each hinge that may have changed sign since visit saw it last, and
// with its value v at φ = phi. If visit returns true, it sees the hinge next time in any case.
func (f *Features) visitChanged(phi []float64, visit func(i int, v float64) (again bool)) {
	see := func(i int) (margin float64, screened bool) {
		v := vec.Dot(f.coefficients(i), phi) + f.c[i]
		if visit(i, v) {
			return -1, true
		}
		return math.Abs(v), true
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

// Value evaluates the features and the signs at x, and returns the sum there.
func (f *Features) Value(x []float64) float64 {
	f.evaluate(x)
	f.visitChanged(f.phi, func(i int, v float64) bool {
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

// maxGradient returns the largest norm of a feature's gradient.
func (f *Features) maxGradient() (largest float64) {
	for k := f.n; k < f.dim; k++ {
		largest = max(largest, vec.Norm(f.gradient(k)))
	}
	return largest
}

// isAffine reports whether hinge i is affine.
func (f *Features) isAffine(i int) bool {
	return !slices.ContainsFunc(f.coefficients(i)[f.n:], func(v float64) bool { return v != 0 })
}

// solveModel minimises the model at the point evaluated last: the function of p
// plus the hinges, with the features linearised.
func (f *Features) solveModel(p *quadprog.Solver, sigma float64, quad []float64) error {
	f.restSum, f.restSumC = append(f.restSum[:0], f.sum...), f.sumC
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
func (f *Features) findCrossings() {
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
		f.visitChanged(f.predicted, func(i int, v float64) bool {
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
func (f *Features) addModelRow(p *quadprog.Solver, i int) {
	f.inModel[i] = true
	grad := f.grad
	clear(grad)
	f.addGrad(grad, 1, f.coefficients(i))
	p.AddRow(grad, vec.Dot(f.coefficients(i), f.phi)+f.c[i]-vec.Dot(grad, f.x), 1)
	if f.on[i] {
		vec.Axpy(p.Linear()[:f.n], -p.Gamma(), grad)
		vec.Axpy(f.restSum, -1, f.coefficients(i))
		f.restSumC -= f.c[i]
		p.BeginOn(p.Len() - 1)
	}
}

// setMultipliers sets lambda by the multipliers of the model that p has solved,
// whose rows from number first on are modelRows. It returns the constant of the
// Lagrangian. The next model begins with the hinges that are at their kinks.
func (f *Features) setMultipliers(p *quadprog.Solver, first int) (c float64) {
	clear(f.lambda)
	vec.Axpy(f.lambda, p.Gamma(), f.restSum)
	c = float64(p.Gamma() * f.restSumC)
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

// AffineRows returns a solver with the affine hinges as rows, and with the γ of another one.
func (f *Features) AffineRows(other *quadprog.Solver) *quadprog.Solver {
	p := quadprog.New(f.domain, f.n)
	p.SetGamma(other.Gamma())
	for i, c := range f.c {
		if f.isAffine(i) {
			p.AddRow(f.coefficients(i)[:f.n], c, 1)
		}
	}
	return p
}

// NonaffineValue returns the sum of the hinges that are not affine at x, by evaluating each.
func (f *Features) NonaffineValue(x []float64) (sum float64) {
	f.evaluate(x)
	for i, c := range f.c {
		if !f.isAffine(i) {
			sum += max(0, vec.Dot(f.coefficients(i), f.phi)+c)
		}
	}
	return sum
}

// NonaffineSubgrad writes a subgradient of [Features.NonaffineValue] at x to dst.
func (f *Features) NonaffineSubgrad(dst, x []float64) {
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
