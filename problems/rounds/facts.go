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
func (r *raw) facts() (convex.Facts, error) {
	facts := r.compute()
	of, declared := reflect.ValueOf(&facts).Elem(), reflect.ValueOf(r.declared)
	was := facts
	for i, key := range wire.FactKeys {
		if r.given>>i&1 == 1 && !slices.Contains(ofRecordings, key) {
			of.Field(i).Set(declared.Field(i))
		}
	}
	return facts, r.contradiction(facts, was)
}

// contradiction returns an error if a fact is false of the rounds. Of slopes and values only those
// of affine functions are known exactly.
func (r *raw) contradiction(facts, computed convex.Facts) error {
	fails := func(format string, args ...any) error {
		return fmt.Errorf("%s: facts: %s; correct the fact, or leave it out", r.place,
			fmt.Sprintf(format, args...))
	}
	switch {
	case facts.Fixed && !computed.Fixed:
		return fails("fixed is declared, and constraints change")
	case facts.Affine && !computed.Affine:
		return fails("affine is declared, and a constraint is quadratic")
	case facts.KnownConstraints && !facts.Fixed:
		return fails("known_constraints is declared, and fixed is not")
	}
	center, _ := middle(r.domain)
	for i, f := range r.funcs {
		j, what, most := i%(1+r.m), "the loss", facts.LossLipschitz
		if j > 0 {
			what, most = fmt.Sprintf("constraint %d", j), facts.ConstraintLipschitz
		}
		if f.quad >= 0 || most == 0 {
			continue
		}
		if slope, _ := r.bounds(f, center, 0); slope > most*(1+1e-9) {
			return fails("%s of round %d has a slope of length %v, more than the %v declared", what,
				1+i/(1+r.m), slope, most)
		}
	}
	return nil
}

// compute computes the facts of the rounds.
func (r *raw) compute() convex.Facts {
	facts := convex.Facts{
		Diameter: r.domain.Diameter(),
		Rounds:   r.rounds(),
		Affine:   true,
		Fixed:    true,

		Deterministic: true,
	}
	center, reach := middle(r.domain)
	for i, f := range r.funcs {
		lipschitz, value := r.bounds(f, center, reach)
		j := i % (1 + r.m)
		if j == 0 {
			facts.LossLipschitz = max(facts.LossLipschitz, lipschitz)
			continue
		}
		facts.ConstraintLipschitz = max(facts.ConstraintLipschitz, lipschitz)
		facts.ConstraintBound = max(facts.ConstraintBound, math.Abs(value)+float64(lipschitz*reach))
		facts.Affine = facts.Affine && f.quad < 0
		facts.Fixed = facts.Fixed && f == r.funcs[j]
	}
	facts.LossRange = facts.LossLipschitz * facts.Diameter
	for _, v := range []*float64{
		&facts.LossLipschitz, &facts.ConstraintLipschitz, &facts.LossRange,
		&facts.ConstraintBound, &facts.Diameter,
	} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) { // numbers too large to bound
			*v = 0
		}
	}
	return facts
}

// bounds returns a Lipschitz constant of f on the ball around c with radius
// reach, ‖lin + quad c‖ + ‖quad‖·reach (Frobenius norm), and the value at c.
func (r *raw) bounds(f recorded, c []float64, reach float64) (lipschitz, value float64) {
	lin, quad := r.vectors(f)
	if lin == nil && quad == nil {
		return 0, f.constant
	}
	n := len(c)
	grad := make([]float64, n)
	copy(grad, lin)
	value = f.constant + vec.Dot(grad, c)
	if quad == nil {
		return vec.Norm(grad), value
	}
	for i := range c {
		g := vec.Dot(quad[i*n:(i+1)*n], c)
		grad[i] += g
		value += float64(float64(c[i]*g) / 2)
	}
	return vec.Norm(grad) + float64(vec.Norm(quad)*reach), value
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
