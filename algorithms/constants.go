package algorithms

import (
	"fmt"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Constants are the parameters lipschitz and bound, for embedding in the parameters
// of an algorithm whose theorem computes others from them.
type Constants struct {
	Lipschitz float64 `name:"lipschitz" doc:"G bounds the norms of all subgradients; 0 takes what the problem declares" min:"0"`
	Bound     float64 `name:"bound" doc:"B bounds |g_{t,j}| on the domain; 0 takes what the problem declares" min:"0"`
}

// G returns the constant G that is set, or else the one that the problem declares.
// It is an error if there is neither.
func (c Constants) G(f convex.Facts) (float64, error) {
	g := c.Lipschitz
	if g == 0 {
		g = f.G()
	}
	if !(g > 0) {
		return 0, fmt.Errorf("the problem declares no Lipschitz constant; set lipschitz")
	}
	return g, nil
}

// B returns the bound B that is set, or else the one that the problem declares.
// It is an error if there is neither.
func (c Constants) B(f convex.Facts) (float64, error) {
	b := c.Bound
	if b == 0 {
		b = f.ConstraintBound
	}
	if !(b > 0) {
		return 0, fmt.Errorf("the problem declares no bound of its constraints; set bound")
	}
	return b, nil
}

// both returns G and B.
func (c Constants) both(f convex.Facts) (g, b float64, err error) {
	if g, err = c.G(f); err != nil {
		return 0, 0, err
	}
	b, err = c.B(f)
	return g, b, err
}

// LossConstants is the parameter lipschitz of an algorithm that needs the constant
// of the losses only, for embedding.
type LossConstants struct {
	Lipschitz float64 `name:"lipschitz" doc:"G bounds the norms of the losses' subgradients; 0 takes what the problem declares" min:"0"`
}

// stiffness returns G/Δ, the weight of squared distances from which steps are
// computed. Its error names the parameter that is to be set where G is unknown.
func (p LossConstants) stiffness(s Setup, parameter string) (float64, error) {
	g := p.Lipschitz
	if g == 0 {
		g = s.Facts.LossLipschitz
	}
	if !(g > 0) {
		return 0, fmt.Errorf("the problem declares no Lipschitz constant of its losses; set lipschitz or %s", parameter)
	}
	if d := s.Set.Diameter(); d > 0 {
		return g / d, nil
	}
	return g, nil // the domain is a point
}

// lossRange returns the range F that is set, or else the one that the problem
// declares.
func lossRange(set float64, f convex.Facts) (float64, error) {
	if set == 0 {
		set = f.LossRange
	}
	if !(set > 0) {
		return 0, fmt.Errorf("the problem declares no range of its losses; set loss-range")
	}
	return set, nil
}

// radiusAbout returns the radius if it is set, and else the largest distance of a
// point of the set from x, a point of the set. On a box or simplex, it is that of a
// vertex.
func radiusAbout(radius float64, set convex.Set, x []float64) float64 {
	if radius > 0 {
		return radius
	}
	switch set := set.(type) {
	case *convex.Ball:
		return vec.Dist(set.Center, x) + set.Radius
	case *convex.Box:
		far := make([]float64, len(x))
		for i, v := range x {
			far[i] = max(set.Upper[i]-v, v-set.Lower[i])
		}
		return vec.Norm(far)
	case *convex.Simplex:
		far := 0.0
		vertex := make([]float64, len(x))
		for i := range vertex {
			vertex[i] = set.Scale
			far = max(far, vec.Dist(vertex, x))
			vertex[i] = 0
		}
		return far
	}
	return set.Diameter()
}
