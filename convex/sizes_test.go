package convex

import (
	"testing"

	"ocobench/convex/internal/quadprog"
)

// restoreSizes restores, at the end of the test, the numbers of dimensions from which on methods
// for many dimensions are used.
func restoreSizes(t *testing.T) {
	sizes, pairs, singles := quadprog.Sizes, pairFrom, largeSingles
	t.Cleanup(func() { quadprog.Sizes, pairFrom, largeSingles = sizes, pairs, singles })
}

// holdFrom makes quadratic programs hold coordinates from n dimensions on, where a share of them is
// at a bound, and from large dimensions on at once.
func holdFrom(n, large int, share float64) {
	quadprog.Sizes.Hold, quadprog.Sizes.Big, quadprog.Sizes.HoldShare = n, large, share
}
