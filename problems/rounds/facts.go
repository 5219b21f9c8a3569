package rounds

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// facts computes the facts of the rounds.
func (r *raw) facts() convex.Facts {
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
