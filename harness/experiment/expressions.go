package experiment

import (
	"errors"
	"fmt"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/game"
)

// A numeric parameter may be an expression: of an algorithm, in facts of the game, such as
// 0.5*Δ/(G*sqrt(T)); of a problem, in its horizon and size. While an expression has no value, the
// algorithm or problem is open. A plan binds it, that is, computes the values, on every problem
// and, if an expression names T, at every horizon. Cells have the numbers; records and tables keep
// the expressions, so that a sweep across T is one line. Outside of plans, [Algorithm.Learner]
// binds.

// Variables returns the values that expressions may name in a game. What the problem does not
// declare is left out.
func Variables(s algorithms.Setup) map[string]float64 {
	values := map[string]float64{
		"T": float64(s.Horizon), "n": float64(s.Set.Dim()), "m": float64(s.Constraints),
		"Δ": s.Set.Diameter(),
	}
	for name, fact := range map[string]float64{
		"G": s.Facts.LossLipschitz, "B": s.Facts.ConstraintBound,
	} {
		if fact > 0 {
			values[name] = fact
		}
	}
	return values
}

// Bind returns the algorithm with numbers for its expressions.
func (a Algorithm) Bind(values map[string]float64) (Algorithm, error) {
	if len(a.open) == 0 {
		return a, nil
	}
	var err error
	a.Params, err = a.bindExpressions(values)
	return a, err
}

// IsAnytime reports whether the game of T rounds is the beginning of the game of 2T rounds: the
// algorithm does not use T, and no expression of its parameters names it.
func (a Algorithm) IsAnytime() bool {
	return a.AnytimeWith(a.Params) && !slices.Contains(a.variables, "T")
}

// OwnClaims returns the claims at the parameters of the algorithm. Where parameters are
// expressions, claims have the rates of the default parameters, and a bound computes the
// expressions for the game that it is called for.
func (a Algorithm) OwnClaims() []algorithms.Claim {
	claims := slices.Clone(a.ClaimsOf(a.Params))
	for i := range claims {
		if len(a.open) > 0 {
			a.bindClaim(&claims[i])
		}
	}
	return claims
}

// bindClaim replaces the bound of a claim by one that first computes the expressions for the game
// that it is called for.
func (a Algorithm) bindClaim(claim *algorithms.Claim) {
	metric := claim.Metric
	// claimIn returns the claim on the same metric at the numbers of a game.
	claimIn := func(s algorithms.Setup, hasBound func(algorithms.Claim) bool) (algorithms.Claim,
		error) {
		bound, err := a.Bind(Variables(s))
		if err != nil {
			return algorithms.Claim{}, err
		}
		for _, candidate := range bound.ClaimsOf(bound.Params) {
			if candidate.Metric == metric && hasBound(candidate) {
				return candidate, nil
			}
		}
		return algorithms.Claim{}, errors.New("no bound is proven at these parameters")
	}
	if claim.Bound != nil {
		claim.Bound = func(s algorithms.Setup) (func(int) float64, error) {
			found, err := claimIn(s, func(claim algorithms.Claim) bool { return claim.Bound != nil })
			if err != nil {
				return nil, err
			}
			return found.Bound(s)
		}
	}
	if claim.Moving != nil {
		claim.Moving = func(s algorithms.Setup) (func(int, algorithms.Motion) float64, error) {
			found, err := claimIn(s, func(claim algorithms.Claim) bool { return claim.Moving != nil })
			if err != nil {
				return nil, err
			}
			return found.Moving(s)
		}
	}
}

// Bind returns the problem at a horizon, with numbers for its expressions. These may name T, the
// dimension n, and the number m of the constraints before they are combined. A parameter on which n
// or m depends itself must not name them: Bind starts the problem at its defaults to read n and m,
// and refuses if they are others with the values of the expressions.
func (p Problem) Bind(horizon int) (Problem, error) {
	if len(p.open) == 0 {
		return p, nil
	}
	values := map[string]float64{"T": float64(horizon)}
	namesSize := slices.Contains(p.variables, "n") || slices.Contains(p.variables, "m")
	if namesSize {
		var err error
		if values["n"], values["m"], err = p.sizeWith(p.Params); err != nil {
			return p, p.Use.Pos.Refuse(fmt.Errorf("%s: n and m are not known: with the defaults of the "+
				"parameters that are expressions, %w (write numbers in the place of n and m)", p.Spec, err))
		}
	}
	bound := p
	var err error
	if bound.Params, err = bound.bindExpressions(values); err != nil {
		return p, err
	}
	if namesSize {
		n, m, err := p.sizeWith(bound.Params)
		if err == nil && (n != values["n"] || m != values["m"]) {
			err = fmt.Errorf("n and m are %v and %v, and would be %v and %v with the values of the "+
				"expressions (write numbers in the place of n and m)", values["n"], values["m"], n, m)
		}
		if err != nil {
			return p, p.Use.Pos.Refuse(fmt.Errorf("%s: %w", p.Spec, err))
		}
	}
	return bound, nil
}

// sizeWith returns the dimension and the number of constraints of a stream, before these are
// combined.
func (p Problem) sizeWith(params any) (n, m float64, err error) {
	uncombined := Problem{Problem: p.Problem, Params: params,
		Configuration: Configuration{Spec: p.Spec}}
	if p.separate != nil {
		uncombined.New = p.separate
	}
	s, err := uncombined.Stream(1, 1) // the size does not depend on the seed
	if err != nil {
		return 0, 0, err
	}
	defer game.Close(s)
	return float64(s.Set().Dim()), float64(s.Constraints()), nil
}

// IsIndexed reports whether the problem depends on the horizon: one of its expressions names T.
func (p Problem) IsIndexed() bool { return slices.Contains(p.variables, "T") }
