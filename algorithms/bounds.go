package algorithms

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// boundInputs collects the constants of a problem from which a bound is made, and keeps the first
// reason why there is no bound. A constant that the problem does not declare is the value of the
// learner's parameter, where 0 stands for unknown.
type boundInputs struct {
	Setup
	err error
}

// require keeps an error with this text, unless ok, or unless there is an error already.
func (k *boundInputs) require(ok bool, format string, args ...any) {
	if !ok && k.err == nil {
		k.err = fmt.Errorf(format, args...)
	}
}

// requireConstant returns the constant that the problem declares, or else the parameter's value,
// and requires that one of them is known.
func (k *boundInputs) requireConstant(declared, parameter float64, what string) float64 {
	if declared == 0 {
		declared = parameter
	}
	k.require(declared > 0, "the problem declares no %s", what)
	return declared
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
	return radiusAbout(0, k.Set, x1)
}

// lossLipschitz returns the Lipschitz constant of the losses.
func (k *boundInputs) lossLipschitz(parameter float64) float64 {
	return k.requireConstant(k.Facts.LossLipschitz, parameter, "Lipschitz constant of its losses")
}

// constraintLipschitz returns the Lipschitz constant of the constraints, 0 without any.
func (k *boundInputs) constraintLipschitz(parameter float64) float64 {
	if k.Constraints == 0 {
		return 0
	}
	return k.requireConstant(k.Facts.ConstraintLipschitz, parameter,
		"Lipschitz constant of its constraints")
}

// largerLipschitz returns the larger of the Lipschitz constants of losses and of constraints.
func (k *boundInputs) largerLipschitz(parameter float64) float64 {
	return max(k.lossLipschitz(parameter), k.constraintLipschitz(parameter))
}

// constraintBound returns B, which bounds |g_{t,j}|, and 0 without constraints.
func (k *boundInputs) constraintBound(parameter float64) float64 {
	if k.Constraints == 0 {
		return 0
	}
	return k.requireConstant(k.Facts.ConstraintBound, parameter, "bound of its constraints")
}

// lossRange returns F, the range of the losses: the declared one or the parameter's, but at most
// lipschitz·Δ.
func (k *boundInputs) lossRange(parameter, lipschitz float64) float64 {
	f := k.Facts.LossRange
	if f == 0 {
		f = parameter
	}
	if steepest := lipschitz * k.Set.Diameter(); f == 0 || steepest > 0 && steepest < f {
		f = steepest
	}
	return f
}

// slaterMargin returns the margin by which one point satisfies all constraints of all rounds. Only
// a declared margin counts, not a parameter.
func (k *boundInputs) slaterMargin() float64 {
	k.require(k.Constraints > 0, "there are no constraints")
	return k.requireConstant(k.Facts.Slater, 0, "point that is strictly feasible in every round")
}

// requireNonemptyXMin requires that some action is feasible in every round, for a bound that does
// not contain the Slater margin. Only a declared margin says that there is one.
func (k *boundInputs) requireNonemptyXMin() { k.slaterMargin() }

// linearisedBound bounds ‖g_t(x_t) + ∂g_t(x_t)(y − x_t)‖ over the points y of D, where bound and
// lipschitz are constants of each constraint.
func (k *boundInputs) linearisedBound(bound, lipschitz float64) float64 {
	if !k.Facts.Affine {
		bound += float64(lipschitz * k.Set.Diameter())
	}
	return math.Sqrt(k.m()) * bound
}

// provenBound returns the field Bound or Moving of a [Claim] whose bound depends on the steps of
// the learner that start makes of the parameters p. It returns the error of start, or the first
// reason in k why there is no bound.
func provenBound[P any, L Learner, B any](start func(P, Setup) (Learner, error), p P,
	bound func(l L, k *boundInputs) B) func(Setup) (B, error) {
	return func(s Setup) (b B, err error) {
		l, err := start(p, s)
		if err != nil {
			return b, err
		}
		k := &boundInputs{Setup: s}
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

// gradientDescent returns the bound Δ²/(2η_t) + ½G²Σ_i η_i of the regret of projected gradient
// descent with the steps η_t = step/√t, where Σ_{i≤t} 1/√i ≤ 2√t − 1.
func gradientDescent(delta, g, step float64) func(t int) float64 {
	return func(t int) float64 {
		root := math.Sqrt(float64(t))
		return float64(delta*delta*root/(2*step)) + float64(g*g*step*(root-0.5))
	}
}

// followTheLeader bounds the regret of
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
func followTheLeader(kappa, reach, lipschitz float64) func(t int) float64 {
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
	return vec.Dist(x0, x1) + radiusAbout(0, set, x1), err
}

// noteStepsSetByHand returns the claims of a theorem about steps that are functions of the
// horizon. If one of the steps is set by hand, and not 0, each claim gets the note that its rate is
// not proven for it. The bounds still hold.
func noteStepsSetByHand(claims []Claim, steps ...float64) []Claim {
	for _, v := range steps {
		if v == 0 {
			continue
		}
		for i := range claims {
			claims[i] = claims[i].withNote(
				"the rate is that of the theorem's steps, not of those set by hand")
		}
		break
	}
	return claims
}

// withNote returns the claim with one more note.
func (c Claim) withNote(note string) Claim {
	if c.Note != "" {
		note = c.Note + "; " + note
	}
	c.Note = note
	return c
}

// overEpochs returns the claim of a learner that restarts on the epochs of [Algorithm.Start], of 1,
// 2, 4, … rounds. Its regret, and its soft, hard and squared violation, are at most the sums of
// those of the epochs, so that a constant becomes log t. Its largest violation is the largest one
// of an epoch. An epoch that is too short for the bound of the claim has the trivial one
// ([Claim.trivialBound]). A bound that depends on how the rounds move uses the motion of all rounds
// in each epoch, which is no less than that of the epoch.
func (c Claim) overEpochs() Claim {
	combine, combined := func(a, b float64) float64 { return a + b }, "Σ"
	switch {
	case c.Metric == MaxViolation:
		combine, combined = math.Max, "the largest"
	case c.Growth != "":
		if sum, ok := strings.CutPrefix(c.Growth, "1 + "); ok {
			c.Growth = "log t + " + sum
		}
	case c.Exponent == 0:
		c.Log++
	}
	if !c.Proven() {
		return c
	}
	ofEpoch := c
	c.Formula = combined + " over the epochs, of t rounds each, of " + c.Formula
	moving := func(s Setup) (func(t int, m Motion) float64, error) {
		if s.Horizon < 1 {
			return nil, errors.New("the horizon is not known")
		}
		var epochs []func(t int, m Motion) float64
		for played, length := 0, 1; played < s.Horizon; played, length = played+length, 2*length {
			epoch := s
			epoch.Horizon = length
			b, err := ofEpoch.Limit(epoch)
			if err != nil {
				if played+length >= s.Horizon { // the longest epoch is too short, too
					return nil, err
				}
				trivial, err := c.trivialBound(s)
				if err != nil {
					return nil, err
				}
				b = func(t int, _ Motion) float64 { return trivial(t) }
			}
			epochs = append(epochs, b)
		}
		return func(t int, m Motion) (joined float64) {
			for i, b := range epochs {
				length := min(t, 1<<i)
				if length == 0 {
					break
				}
				joined = combine(joined, b(length, m))
				t -= length
			}
			return joined
		}, nil
	}
	if c.Moving != nil {
		c.Moving = moving
		return c
	}
	c.Bound = func(s Setup) (func(t int) float64, error) {
		b, err := moving(s)
		if err != nil {
			return nil, err
		}
		return func(t int) float64 { return b(t, Motion{}) }, nil
	}
	return c
}

// trivialBound returns the largest value that the metric can have in any game: Ft, mBt, Bt, √mBt,
// mB²t or B.
func (c Claim) trivialBound(s Setup) (func(t int) float64, error) {
	k := boundInputs{Setup: s}
	switch c.Metric {
	case SoftViolation, HardViolation, PenaltyViolation:
		return affineBound(0, k.m()*k.constraintBound(0)), k.err
	case CCViolation:
		return affineBound(0, k.constraintBound(0)), k.err
	case NormViolation:
		return affineBound(0, math.Sqrt(k.m())*k.constraintBound(0)), k.err
	case SquaredViolation:
		return affineBound(0, k.m()*square(k.constraintBound(0))), k.err
	case MaxViolation:
		return constantBound(k.constraintBound(0)), k.err
	}
	return affineBound(0, k.lossRange(0, k.lossLipschitz(0))), k.err
}
