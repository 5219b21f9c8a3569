package problems

import (
	"fmt"

	"ocobench/convex"
)

// Tolerance returns how far an action may be outside of a domain with diameter Δ:
// 10⁻⁹(1 + Δ). Projections leave rounding behind, in proportion to the domain.
func Tolerance(domain convex.Set) float64 { return 1e-9 * (1 + domain.Diameter()) }

// CheckAction returns an error unless x is an action of a domain: a point in its
// dimensions, and outside of it by at most [Tolerance].
func CheckAction(domain convex.Set, x []float64) error {
	if n := domain.Dim(); len(x) != n {
		return fmt.Errorf("the action has length %d, expected %d, the dimension of the domain", len(x), n)
	}
	r := domain.Residual(x)
	if r == 0 || r <= Tolerance(domain) { // mostly r is 0, and the tolerance is not computed
		return nil
	}
	for i, v := range x {
		if isFinite := v-v == 0; !isFinite {
			return fmt.Errorf("coordinate %d of the action is %v", i+1, v)
		}
	}
	return fmt.Errorf("the action is outside of the domain by %v", r)
}
