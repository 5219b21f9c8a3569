package algorithms

import (
	"fmt"
	"math"

	"ocobench/convex"
)

// Declared returns the value of a parameter if it is not 0, and else the
// constant that the problem declares. If that is unknown, which is 0, it returns a [LackError]:
// "the problem declares no Slater margin; set slater", where what is "Slater margin"
// and parameter is "slater".
func Declared(value, constant float64, what, parameter string) (float64, error) {
	if value == 0 {
		value = constant
	}
	if !(value > 0) {
		return 0, &LackError{
			What:   fmt.Sprintf("a declared %s, or the parameter %s", what, parameter),
			Reason: fmt.Sprintf("the problem declares no %s; set %s", what, parameter),
		}
	}
	return value, nil
}

// LipschitzConstant is the parameter lipschitz of an algorithm that needs a bound of all
// subgradients, for embedding.
type LipschitzConstant struct {
	Lipschitz float64 `name:"lipschitz" doc:"G bounds the norms of all subgradients; 0 takes what the problem declares" min:"0"`
}

// G returns the parameter, or else the declared constant; see [Declared].
func (c LipschitzConstant) G(f convex.Facts) (float64, error) {
	return Declared(c.Lipschitz, f.G(), "Lipschitz constant", "lipschitz")
}

// constants returns the constant that the parameter states, or 0, for [provenBound].
func (c LipschitzConstant) constants() convex.Facts {
	return convex.Facts{LossLipschitz: c.Lipschitz, ConstraintLipschitz: c.Lipschitz}
}

// Constants are the parameters lipschitz and bound, for embedding in the
// parameters of an algorithm whose theorem computes others from them.
type Constants struct {
	LipschitzConstant
	Bound float64 `name:"bound" doc:"B bounds |g_{t,j}| on the domain; 0 takes what the problem declares" min:"0"`
}

// B returns the parameter bound, or else the declared constant; see [Declared].
func (c Constants) B(f convex.Facts) (float64, error) {
	return Declared(c.Bound, f.ConstraintBound, "bound of its constraints", "bound")
}

// constants returns the constants that the parameters state, or 0, for [provenBound].
func (c Constants) constants() convex.Facts {
	stated := c.LipschitzConstant.constants()
	stated.ConstraintBound = c.Bound
	return stated
}

// lossAndConstraint returns G and B.
func (c Constants) lossAndConstraint(f convex.Facts) (g, b float64, err error) {
	if g, err = c.G(f); err != nil {
		return 0, 0, err
	}
	b, err = c.B(f)
	return g, b, err
}

// LossConstants is the parameter lipschitz of an algorithm that needs the Lipschitz constant of the
// losses only, for embedding.
type LossConstants struct {
	Lipschitz float64 `name:"lipschitz" doc:"G bounds the norms of the losses' subgradients; 0 takes what the problem declares" min:"0"`
}

// constants returns the constants that the parameters state, or 0, for [provenBound].
func (p LossConstants) constants() convex.Facts {
	return convex.Facts{LossLipschitz: p.Lipschitz}
}

// proximalWeight returns G/Δ, the default of the parameter called name, if that is a weight of
// squared distances, or its inverse, if it is a step. If G is not known, the error says that
// lipschitz or that parameter must be set.
func (p LossConstants) proximalWeight(s Setup, name string) (float64, error) {
	g, err := Declared(p.Lipschitz, s.Facts.LossLipschitz, "Lipschitz constant of its losses",
		"lipschitz or "+name)
	if d := s.Set.Diameter(); d > 0 {
		g /= d // else the domain is a point
	}
	return g, err
}

// lossRange returns span, or the declared range of the losses.
func lossRange(span float64, f convex.Facts) (float64, error) {
	return Declared(span, f.LossRange, "range of its losses", "loss-range")
}

// lossCurvature returns sigma, or the declared curvature of the losses. It is for algorithms whose
// parameter losses may be convex, which needs no curvature.
func lossCurvature(sigma float64, f convex.Facts) (float64, error) {
	return Declared(sigma, f.Curvature, "curvature of its losses", "curvature, or losses=convex")
}

// jointLipschitz returns beta, or else √m times the declared Lipschitz constant of the constraints:
// a Lipschitz constant of the vector (g_1, …, g_m). If that is not known, the error says that beta
// or the parameter called name, which is computed from it, must be set. Without constraints it is
// not needed, and may be 0.
func jointLipschitz(beta float64, s Setup, name string) (float64, error) {
	if s.Constraints == 0 {
		return beta, nil
	}
	constant := math.Sqrt(float64(s.Constraints)) * s.Facts.ConstraintLipschitz
	return Declared(beta, constant, "Lipschitz constant of its constraints", "beta or "+name)
}
