package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// The theorem of primal-dual-average as printed (docs/mathematics.md, "The averaged primal-dual
// update") is checked with its constants, by hand.

// averagedConstants holds the constants of the theorem, for steps a/√t and averages that are at
// most −η at z from round late+1 on.
type averagedConstants struct {
	a, m, L, F, B, H, delta, eta, late float64
}

// slope returns η − a²mBH², by which multipliers are pushed back; the steps are small enough if
// it is positive.
func (c averagedConstants) slope() float64 { return c.eta - c.a*c.a*c.m*c.B*c.H*c.H }

// multipliers returns Λ, the bound of ‖λ_t‖.
func (c averagedConstants) multipliers() float64 {
	s := (c.F + 2*c.a*c.a*c.m*c.B*c.L*c.H + c.a*(c.L*c.L+c.m*c.B*c.B)/2) / c.slope()
	return math.Sqrt(c.delta*c.delta +
		max(s*s, 2*c.a*c.slope()*s, 4*c.a*c.a*c.m*c.B*c.B*c.late))
}

// regretBound returns the bound of the regret against X̂^max.
func (c averagedConstants) regretBound(t int) float64 {
	top := c.multipliers()
	steep := c.L + c.H*math.Sqrt(c.m)*top
	return math.Sqrt(float64(t)) *
		((c.delta*c.delta+top*top)/(2*c.a) + c.a*(steep*steep+c.m*c.B*c.B))
}

// Worked by hand, on D = [−2, 2] with f = −x: L = 1, Δ = 4.
//
//   - g = x, affine, so H = 0 and every step is small. z = −2: η = 2, F = 4, B = 2. With a = 1,
//     S = (4 + ½(1 + 4))/2 = 13/4, of which max{S², 2aηS} = max{169/16, 13} = 13, Λ² = 29, and the
//     regret is at most ((16 + 29)/2 + 1 + 4)√t = 27.5√t.
//   - g = |x| − ½, with subgradients −1 and 1: H = 2. z = 0: η = ½, F = 2, B = 3/2. With a = 1/6,
//     a²BH² = 1/6 and η' = 1/3; S = 3(2 + 2·(1/36)·(3/2)·2 + (1/12)(1 + 9/4)) = 117/16, and
//     Λ² = 16 + S².
func TestAveragedTheoremByHand(t *testing.T) {
	line := averagedConstants{a: 1, m: 1, L: 1, F: 4, B: 2, delta: 4, eta: 2}
	if got := line.multipliers(); math.Abs(got-math.Sqrt(29)) > 1e-12 {
		t.Errorf("g = x: got Λ = %v, want √29 by hand", got)
	}
	kink := averagedConstants{a: 1. / 6, m: 1, L: 1, F: 2, B: 1.5, H: 2, delta: 4, eta: 0.5}
	if got, want := kink.multipliers(), math.Sqrt(16+117*117./256); math.Abs(got-want) > 1e-12 {
		t.Errorf("g = |x| − ½: Λ = %v, by hand it is %v", got, want)
	}
	// The registry has the same bound: the problem declares F ≤ LΔ = 4, and 2G = 2.
	for _, c := range []struct {
		constants averagedConstants
		facts     convex.Facts
		want      float64 // of the regret at t = 4
	}{
		{line, convex.Facts{LossLipschitz: 1, LossRange: 4, ConstraintLipschitz: 1, ConstraintBound: 2,
			Slater: 2, Affine: true}, 55},
		{kink, convex.Facts{LossLipschitz: 1, LossRange: 2, ConstraintLipschitz: 1,
			ConstraintBound: 1.5, Slater: 0.5}, kink.regretBound(4)},
	} {
		claim := averageParams(c.constants.a, nil, false).Claims()[0]
		bound, err := claim.Bound(algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1,
			Facts: c.facts})
		if err != nil || math.Abs(bound(4)-c.want) > 1e-9 ||
			math.Abs(c.constants.regretBound(4)-c.want) > 1e-9 {
			t.Errorf("the bound of the regret at t = 4 is %v, %v, by hand %v (%v)", bound(4),
				c.constants.regretBound(4), c.want, err)
		}
	}
	// With a² = η/(mBH²) = 1/12 the theorem has no bound.
	claim := averageParams(math.Sqrt(1./12)+1e-9, nil, false).Claims()[0]
	if _, err := claim.Bound(algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1,
		Facts: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 1, ConstraintBound: 1.5,
			Slater: 0.5}}); err == nil {
		t.Error("steps that are too large: got a bound, want an error")
	}
}
