package algorithms

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// boundInputs collects the constants of a problem from which a bound is made, and keeps the first
// reason why there is no bound. [provenBound] makes it.
type boundInputs struct {
	Setup
	err error
}

// addStatedConstants takes a constant of these where the problem declares none, which is 0. They
// are those that the parameters of the learner state.
func (k *boundInputs) addStatedConstants(stated convex.Facts) {
	f := &k.Facts
	f.LossLipschitz = cmp.Or(f.LossLipschitz, stated.LossLipschitz)
	f.ConstraintLipschitz = cmp.Or(f.ConstraintLipschitz, stated.ConstraintLipschitz)
	f.ConstraintBound = cmp.Or(f.ConstraintBound, stated.ConstraintBound)
	f.LossRange = cmp.Or(f.LossRange, stated.LossRange)
}

// require keeps an error with this text, unless ok, or unless there is an error already.
func (k *boundInputs) require(ok bool, format string, args ...any) {
	if !ok && k.err == nil {
		k.err = fmt.Errorf(format, args...)
	}
}

// requireConstant returns a constant, and requires that it is known.
func (k *boundInputs) requireConstant(value float64, what string) float64 {
	k.require(value > 0, "the problem declares no %s", what)
	return value
}

// roundingSlack is by how much a condition may be exceeded that holds with equality at the default
// steps, because these are rounded.
const roundingSlack = 1 + 1e-12

// requireCurvature requires that the curvature for which the steps are made is not more than that
// of the losses.
func (k *boundInputs) requireCurvature(ofSteps float64) {
	declared := k.requireConstant(k.Facts.Curvature, "curvature of its losses")
	k.require(ofSteps <= declared*roundingSlack,
		"the steps are for losses of curvature %.3g, and the problem declares %.3g", ofSteps, declared)
}

// m returns the number m of constraints, as it stands in formulas.
func (k *boundInputs) m() float64 { return float64(k.Constraints) }

// diameter returns Δ, and requires that it is not 0: on a domain of one point there is nothing to
// bound.
func (k *boundInputs) diameter() float64 {
	d := k.Set.Diameter()
	k.require(d > 0, "the domain is one point")
	return d
}

// requireDiameter requires a domain of more than one point, for a bound that does not contain Δ.
func (k *boundInputs) requireDiameter() { k.diameter() }

// radiusFrom returns the largest distance of a point of the domain from x_1.
func (k *boundInputs) radiusFrom(x1 []float64) float64 {
	k.requireDiameter()
	return convex.LargestDistance(k.Set, x1)
}

// lossLipschitz returns the Lipschitz constant of the losses.
func (k *boundInputs) lossLipschitz() float64 {
	return k.requireConstant(k.Facts.LossLipschitz, "Lipschitz constant of its losses")
}

// constraintLipschitz returns the Lipschitz constant of the constraints, 0 without any.
func (k *boundInputs) constraintLipschitz() float64 {
	if k.Constraints == 0 {
		return 0
	}
	return k.requireConstant(k.Facts.ConstraintLipschitz, "Lipschitz constant of its constraints")
}

// largerLipschitz returns the larger of the Lipschitz constants of losses and of constraints.
func (k *boundInputs) largerLipschitz() float64 {
	return max(k.lossLipschitz(), k.constraintLipschitz())
}

// constraintBound returns B, which bounds |g_{t,j}|, and 0 without constraints.
func (k *boundInputs) constraintBound() float64 {
	if k.Constraints == 0 {
		return 0
	}
	return k.requireConstant(k.Facts.ConstraintBound, "bound of its constraints")
}

// lossRange returns F, which bounds |f_t(x) − f_t(y)|: the known one, but at most GΔ, with G the
// Lipschitz constant of the losses.
func (k *boundInputs) lossRange() float64 {
	f := k.Facts.LossRange
	if steepest := k.lossLipschitz() * k.Set.Diameter(); f == 0 || steepest > 0 && steepest < f {
		f = steepest
	}
	return f
}

// slaterMargin returns the margin by which one point satisfies all constraints of all rounds. Only
// a declared margin counts, not a parameter.
func (k *boundInputs) slaterMargin() float64 {
	k.require(k.Constraints > 0, "there are no constraints")
	return k.requireConstant(k.Facts.Slater, "point that is strictly feasible in every round")
}

// requireNonemptyXMin requires that some action is feasible in every round, for a bound that does
// not contain the Slater margin. Only a declared margin says that there is one.
func (k *boundInputs) requireNonemptyXMin() { k.slaterMargin() }

// linearisedBound bounds ‖g_t(x_t) + ρ + ∂g_t(x_t)(y − x_t)‖ over the points y of D, where the
// tightening ρ is added to every constraint.
func (k *boundInputs) linearisedBound(tightening float64) float64 {
	bound, lipschitz := k.constraintBound()+tightening, k.constraintLipschitz()
	if !k.Facts.Affine { // where they are affine, this is g_t(y) + ρ
		bound += float64(lipschitz * k.Set.Diameter())
	}
	return math.Sqrt(k.m()) * bound
}

// provenBound returns the field Bound or Moving of a [Claim] whose bound depends on the steps of
// the learner that start makes of the parameters p. The constants that p states, by a method
// constants, are assumed where the problem declares none. The error of the field is that of start,
// or the first reason in k why there is no bound.
func provenBound[P any, L Learner, B any](start func(P, Setup) (Learner, error), p P,
	bound func(l L, k *boundInputs) B) func(Setup) (B, error) {
	return func(s Setup) (b B, err error) {
		l, err := start(p, s)
		if err != nil {
			return b, err
		}
		k := &boundInputs{Setup: s}
		if c, ok := any(p).(interface{ constants() convex.Facts }); ok {
			k.addStatedConstants(c.constants())
		}
		b = bound(l.(L), k)
		return b, k.err
	}
}

// affineBound returns the bound fixed + perRound·t.
func affineBound(fixed, perRound float64) func(t int) float64 {
	return func(t int) float64 { return fixed + float64(perRound*float64(t)) }
}

// constantBound returns the bound b at every t.
func constantBound(b float64) func(t int) float64 { return affineBound(b, 0) }

// sqrtBound returns the bound factor·√t.
func sqrtBound(factor float64) func(t int) float64 {
	return func(t int) float64 { return factor * math.Sqrt(float64(t)) }
}

// violationFromRegret returns the bound [S]₊ ≤ √(weight(t)·(Ft + regret(t))) of a violation [S]₊
// that is added to the regret in
//
//	Σ_t (f_t(x_t) − f_t(u)) + [S]₊²/weight(t) ≤ regret(t),
//
// where the sum is at least −Ft.
func violationFromRegret(weight, regret func(t int) float64, F float64) func(t int) float64 {
	return func(t int) float64 {
		return math.Sqrt(weight(t) * (float64(F*float64(t)) + regret(t)))
	}
}

// scaledBound returns the bound c·b.
func scaledBound(c float64, b func(t int) float64) func(t int) float64 {
	return func(t int) float64 { return c * b(t) }
}

// powerSumBound returns 1 + ∫_1^t u^{−p} du, a bound of Σ_{i≤t} i^{−p} for p ≥ 0.
func powerSumBound(t int, p float64) float64 {
	if p == 1 {
		return 1 + vec.Log(float64(t))
	}
	return 1 + (vec.Pow(float64(t), 1-p)-1)/(1-p)
}

// square returns v² rounded to a float64, so that no fused multiply-add follows.
func square(v float64) float64 { return float64(v * v) }

// gradientDescentBound returns the bound Δ²/(2η_t) + ½G²Σ_i η_i of the regret of projected gradient
// descent with the steps η_t = step/√t, where Σ_{i≤t} 1/√i ≤ 2√t − 1.
func gradientDescentBound(delta, g, step float64) func(t int) float64 {
	return func(t int) float64 {
		root := math.Sqrt(float64(t))
		return float64(delta*delta*root/(2*step)) + float64(g*g*step*(root-0.5))
	}
}

// followTheLeaderBound bounds the regret of
//
//	x_{t+1} = argmin κ√t‖x−x_0‖² + Σ_{i≤t} ℓ_i(x),   x_1 = Π(x_0),
//
// with ℓ_i of the Lipschitz constant L. From x_2 on, x may be restricted to one convex part of the
// domain, which contains u. Let H_t be the objective, and the reach ρ ≥ ‖u − x_0‖ for all u. As x_t
// minimises H_{t−1}, which is 2κ√(t−1)-strongly convex,
//
//	Σ_t ℓ_t(x_t) − ℓ_t(u) ≤ κ√T ρ² + Σ_t ((H_{t−1} + ℓ_t)(x_t) − (H_{t−1} + ℓ_t)(x_{t+1}))
//	                      ≤ κ√T ρ² + L²/(4κ)·(1 + Σ_{t>1} 1/√(t−1)),
//
// where round 1 costs at most L‖x_1−x_2‖ − κ‖x_1−x_2‖² ≤ L²/(4κ), since ‖x_1−x_2‖ ≤ ‖x_0−x_2‖.
// This is at most κ√T ρ² + L²(1 + 2√T)/(4κ).
func followTheLeaderBound(kappa, reach, lipschitz float64) func(t int) float64 {
	return func(t int) float64 {
		root := math.Sqrt(float64(t))
		return float64(kappa*root*reach*reach) +
			float64(lipschitz*lipschitz*(1+float64(2*root))/(4*kappa))
	}
}

// firstActionReach returns a bound on the distances of the points of the domain from x_0.
func firstActionReach(p FirstAction, set convex.Set) (float64, error) {
	x0, err := p.Point(set.Dim())
	if err != nil {
		return 0, err
	}
	x1, err := p.Project(set)
	return vec.Dist(x0, x1) + convex.LargestDistance(set, x1), err
}

// noteStepsSetByHand returns the claims of a theorem about certain steps. If a parameter sets one
// of the steps, which is then not 0, every claim gets the note that its rate is not proven for it.
// The bounds hold for all steps.
func noteStepsSetByHand(claims []Claim, steps ...float64) []Claim {
	if !slices.ContainsFunc(steps, func(v float64) bool { return v != 0 }) {
		return claims
	}
	for i, c := range claims {
		claims[i] = c.withNote("the rate is that of the theorem's steps, not of those set by hand")
	}
	return claims
}
