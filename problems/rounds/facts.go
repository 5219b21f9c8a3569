package rounds

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
)

// Facts of the first line stand in the place of those that are computed from the rounds, which
// are bounds that are right but not those of the problem: a game played again on its rounds is then
// told what it was told. A number that is 0 is not declared.

var (
	// computed are the facts that have a value where the first line does not say them.
	computed = []string{"loss_lipschitz", "constraint_lipschitz", "loss_range", "constraint_bound",
		"fixed", "affine"}
	// ofRecordings are the facts that recorded rounds have of their own, whatever is declared.
	ofRecordings = []string{"diameter", "rounds", "adaptive", "deterministic", "known_optimum"}
)

// facts returns the facts of the rounds. It is an error if one that is declared is false.
func (s *scanned) facts() (convex.Facts, error) {
	facts := s.computed
	facts.LossRange = facts.LossLipschitz * facts.Diameter
	for _, v := range []*float64{
		&facts.LossLipschitz, &facts.ConstraintLipschitz, &facts.LossRange,
		&facts.ConstraintBound, &facts.Diameter,
	} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) { // numbers too large to bound
			*v = 0
		}
	}
	of, declared := reflect.ValueOf(&facts).Elem(), reflect.ValueOf(s.declared)
	was := facts
	for i, key := range wire.FactKeys {
		if s.given>>i&1 == 1 && !slices.Contains(ofRecordings, key) {
			of.Field(i).Set(declared.Field(i))
		}
	}
	return facts, s.contradiction(facts, was)
}

// contradiction returns an error if a fact is false of the rounds. Of slopes and values only those
// of affine functions are known exactly.
func (s *scanned) contradiction(facts, computed convex.Facts) error {
	said := ""
	switch {
	case facts.Fixed && !computed.Fixed && s.fixed != nil:
		said = "fixed is declared, and the expectation is not that of the constraints"
	case facts.Fixed && !computed.Fixed:
		said = "fixed is declared, and constraints change"
	case facts.Affine && !computed.Affine:
		said = "affine is declared, and a constraint is not affine"
	case facts.KnownConstraints && !facts.Fixed:
		said = "known_constraints is declared, and fixed is not"
	default:
		said = s.steep
	}
	if said == "" {
		return nil
	}
	return fmt.Errorf("%s: facts: %s; correct the fact, or leave it out", s.place, said)
}

// declaredAs returns the number that a fact of this key is declared to be, or 0.
func (s *scanned) declaredAs(key string, value float64) float64 {
	if s.given>>slices.Index(wire.FactKeys, key)&1 == 0 {
		return 0
	}
	return value
}

// bound is a Lipschitz constant of a function on the ball around the centre that contains the
// domain, the value at the centre, and whether the function is affine.
type bound struct {
	lipschitz, value float64
	affine           bool
}

// bound adds the function at the index to the facts.
func (s *scanned) bound(p *roundReader, f *wire.Function, index int) {
	b := s.boundsOf(p, f)
	what, most := "the loss", s.declaredAs("loss_lipschitz", s.declared.LossLipschitz)
	if index > 0 {
		what = fmt.Sprintf("constraint %d", index)
		most = s.declaredAs("constraint_lipschitz", s.declared.ConstraintLipschitz)
	}
	if b.affine && most != 0 && b.lipschitz > most*(1+1e-9) && s.steep == "" {
		s.steep = fmt.Sprintf("%s of round %d has a slope of length %v, more than the %v declared", what,
			p.t, b.lipschitz, most)
	}
	c := &s.computed
	if index == 0 {
		c.LossLipschitz = max(c.LossLipschitz, b.lipschitz)
		return
	}
	c.ConstraintLipschitz = max(c.ConstraintLipschitz, b.lipschitz)
	c.ConstraintBound = max(c.ConstraintBound, math.Abs(b.value)+float64(b.lipschitz*s.reach))
	c.Affine = c.Affine && b.affine
}

// boundsOf bounds a function as it was read.
func (s *scanned) boundsOf(p *roundReader, f *wire.Function) bound {
	if f.Other != nil {
		return s.boundOf(p, f.Other)
	}
	return s.quadratic(f.Const, f.Lin, f.Quad)
}

// quadratic bounds const + lin·x + ½xᵀ quad x: ‖lin + quad c‖ + ‖quad‖·reach (Frobenius norm).
func (s *scanned) quadratic(constant float64, lin, quad []float64) bound {
	if lin == nil && quad == nil {
		return bound{0, constant, true}
	}
	c := s.center
	n := len(c)
	grad := make([]float64, n)
	copy(grad, lin)
	value := constant + vec.Dot(grad, c)
	if quad == nil {
		return bound{vec.Norm(grad), value, true}
	}
	for i := range c {
		g := vec.Dot(quad[i*n:(i+1)*n], c)
		grad[i] += g
		value += float64(float64(c[i]*g) / 2)
	}
	return bound{vec.Norm(grad) + float64(vec.Norm(quad)*s.reach), value, false}
}

// boundOf bounds any function that can be read.
func (s *scanned) boundOf(p *roundReader, f convex.Evaluator) bound {
	value := f.Value(s.center)
	curved := func(lipschitz float64) bound { return bound{lipschitz, value, false} }
	switch f := f.(type) {
	case *convex.Basis:
		b, ok := s.known[f]
		if !ok {
			b = s.boundOf(p, p.Content(f))
			if len(s.known) > 1<<16 { // names that mean other functions now
				clear(s.known)
			}
			s.known[f] = b
		}
		return b
	case *convex.Single:
		return s.boundOf(p, f.Of)
	case *convex.Shifted:
		b := s.boundOf(p, f.Base)
		b.value = value
		return b
	case *convex.Affine:
		return s.quadratic(f.B, f.A, nil)
	case *convex.Quadratic:
		return s.quadratic(f.B, f.A, f.Q)
	case *convex.Linear:
		return bound{vec.Norm(f.A), value, true}
	case *convex.Ridge:
		least, most := p.Reach(f.A)
		return curved(f.Weight * steepest(f.Curve, least+f.B, most+f.B) * vec.Norm(f.A))
	case *convex.Separable:
		lower, upper := p.Bounds()
		slopes := make([]float64, len(f.Rate))
		for k, rate := range f.Rate {
			u, v := float64(rate*lower[f.First+k]), float64(rate*upper[f.First+k])
			slopes[k] = rate * steepest(f.Curve, min(u, v)+f.Offset, max(u, v)+f.Offset)
		}
		return curved(f.Weight * vec.Norm(slopes))
	case *convex.LeastSquares:
		sum, n := 0.0, len(s.center)
		for k, y := range f.Y {
			row := f.H[k*n : (k+1)*n]
			least, most := p.Reach(row)
			sum += float64(vec.Norm(row) * max(math.Abs(least-y), math.Abs(most-y)))
		}
		return curved(sum)
	case *convex.Distance:
		return curved(f.Weight)
	case *convex.SquaredDistance:
		return curved(f.Weight * (vec.Dist(s.center, f.Center) + s.reach))
	case *convex.ElasticNet:
		return curved(float64(f.L1*math.Sqrt(float64(len(s.center)))) +
			float64(f.L2*(vec.Norm(s.center)+s.reach)))
	}
	return s.boundOfMany(p, f)
}

// boundOfMany bounds a function that is made of others.
func (s *scanned) boundOfMany(p *roundReader, f convex.Evaluator) bound {
	out := bound{value: f.Value(s.center), affine: true}
	add := func(scale float64, b bound) {
		out.lipschitz += float64(math.Abs(scale) * b.lipschitz)
		out.affine = out.affine && b.affine
	}
	switch f := f.(type) {
	case *convex.Max:
		for _, piece := range f.Pieces {
			out.lipschitz = max(out.lipschitz, s.boundOf(p, piece).lipschitz)
		}
		out.affine = false
	case *convex.Form:
		add(1, s.quadratic(0, f.Lin, nonzero(f.Quad)))
		for _, t := range f.Terms {
			add(t.Scale, s.boundOf(p, t.Basis))
		}
	case *convex.Composite:
		add(1, s.quadratic(0, f.Lin, f.Quad))
		if f.Diag != nil {
			slope := make([]float64, len(f.Diag))
			for i, d := range f.Diag {
				slope[i] = float64(d * s.center[i])
			}
			add(1, bound{lipschitz: vec.Norm(slope) + float64(slices.Max(f.Diag)*s.reach)})
		}
		for _, part := range f.Parts {
			add(part.Scale, s.boundOf(p, part.Func))
		}
	default:
		panic(fmt.Sprintf("rounds: a function of type %T was read", f))
	}
	return out
}

// steepest returns the largest slope of a curve, which is convex, from least to most.
func steepest(c convex.Curve, least, most float64) float64 {
	return max(math.Abs(c.Slope(least)), math.Abs(c.Slope(most)))
}

func nonzero(xs []float64) []float64 {
	if !slices.ContainsFunc(xs, func(x float64) bool { return x != 0 }) {
		return nil
	}
	return xs
}

// valueOf returns the value at x of a function as it was read, and the size of the terms that add
// up to it, as far as they may cancel.
func (p *roundReader) valueOf(f *wire.Function, x []float64) (v, size float64) {
	if f.Other != nil {
		v = f.Other.Value(x)
		return v, math.Abs(v) + p.sizeOf(f.Other, x)
	}
	n := len(x)
	v, size = f.Const, math.Abs(f.Const)
	add := func(term float64) {
		v += float64(term)
		size += math.Abs(term)
	}
	for i, a := range f.Lin {
		add(float64(a * x[i]))
	}
	if f.Quad != nil {
		for i, xi := range x {
			add(xi * vec.Dot(f.Quad[i*n:(i+1)*n], x) / 2)
		}
	}
	return v, size
}

// sizeOf is the size at x of the terms of a function.
func (p *roundReader) sizeOf(f convex.Evaluator, x []float64) (size float64) {
	product := func(a, x []float64) (sum float64) {
		for i, v := range a {
			sum += math.Abs(v * x[i])
		}
		return sum
	}
	switch f := f.(type) {
	case *convex.Basis:
		return p.sizeOf(p.Content(f), x)
	case *convex.Single:
		return p.sizeOf(f.Of, x)
	case *convex.Shifted:
		return math.Abs(f.Shift) + p.sizeOf(f.Base, x)
	case *convex.Affine:
		_, size = p.valueOf(&wire.Function{Const: f.B, Lin: f.A}, x)
	case *convex.Quadratic:
		_, size = p.valueOf(&wire.Function{Const: f.B, Lin: f.A, Quad: f.Q}, x)
	case *convex.Form:
		_, size = p.valueOf(&wire.Function{Const: f.Const, Lin: f.Lin, Quad: nonzero(f.Quad)}, x)
		for _, t := range f.Terms {
			size += float64(math.Abs(t.Scale) * p.sizeOf(t.Basis, x))
		}
	case *convex.Linear:
		return product(f.A, x[f.First:])
	case *convex.Ridge:
		u := vec.Dot(f.A, x) + f.B
		return math.Abs(f.Value(x)) +
			float64(f.Weight*math.Abs(f.Curve.Slope(u))*(product(f.A, x)+math.Abs(f.B)))
	case *convex.Separable:
		for k, rate := range f.Rate {
			u := float64(rate * x[f.First+k])
			slope := float64(math.Abs(f.Curve.Slope(u+f.Offset)) * (math.Abs(u) + math.Abs(f.Offset)))
			size += float64(f.Weight * (math.Abs(f.Curve.Value(u+f.Offset)) + slope))
		}
	case *convex.LeastSquares:
		for k, y := range f.Y {
			r := product(f.H[k*len(x):(k+1)*len(x)], x) + math.Abs(y)
			size += float64(r * r / 2)
		}
	case *convex.Distance:
		return math.Abs(f.Offset) + float64(f.Weight*(vec.Norm(x)+vec.Norm(f.Center)))
	case *convex.SquaredDistance:
		r := vec.Norm(x) + vec.Norm(f.Center)
		return math.Abs(f.Offset) + float64(f.Weight*r*r/2)
	case *convex.ElasticNet:
		return math.Abs(f.Value(x)) + math.Abs(f.Offset)
	case *convex.Max:
		for _, piece := range f.Pieces {
			size = max(size, p.sizeOf(piece, x))
		}
	case *convex.Composite:
		_, size = p.valueOf(&wire.Function{Const: f.Const, Lin: f.Lin, Quad: f.Quad}, x)
		for i, d := range f.Diag {
			size += float64(d * float64(x[i]*x[i]))
		}
		for _, part := range f.Parts {
			size += float64(math.Abs(part.Scale) * p.sizeOf(part.Func, x))
		}
	}
	return size
}

// middle returns a point and a bound of the distances of the points of the set
// from it.
func middle(set convex.Set) (center []float64, reach float64) {
	n := set.Dim()
	center = make([]float64, n)
	switch d := set.(type) {
	case *convex.Box:
		for i := range center {
			center[i] = float64(d.Lower[i]/2) + float64(d.Upper[i]/2)
		}
		return center, vec.Dist(d.Lower, d.Upper) / 2
	case *convex.Ball:
		copy(center, d.Center)
		return center, d.Radius
	case *convex.Simplex:
		for i := range center {
			center[i] = d.Scale / float64(n)
		}
		return center, d.Scale * math.Sqrt(1-1/float64(n))
	}
	panic(fmt.Sprintf("rounds: a domain of type %T", set))
}
