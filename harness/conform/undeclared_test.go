package conform

import (
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// still is a stream whose rounds nobody asks for.
type still struct{ problems.Instance }

func (s *still) Reveal(int, []float64) *convex.Round { return nil }

// TestUndeclaredFactsNameWhomTheyExclude: a declared fact excludes nobody, and one that is not
// declared excludes the algorithms that need it.
func TestUndeclaredFactsNameWhomTheyExclude(t *testing.T) {
	facts := convex.Facts{ConstraintLipschitz: 1, ConstraintBound: 1, LossRange: 1, Slater: 1,
		Curvature: 1, Diameter: 1, Affine: true, Fixed: true}
	stream := func(f convex.Facts) problems.Stream {
		return &still{problems.Instance{Domain: convex.Cube(1, 0, 1), M: 1, Declared: f}}
	}
	got := undeclaredFacts(stream(facts), algorithms.All)
	if len(got) != 1 || got[0].Fact != "loss_lipschitz" ||
		!slices.Contains(got[0].Excludes, "guo") || slices.Contains(got[0].Excludes, "yu-neely") {
		t.Errorf("without loss_lipschitz: %v, want that fact, which excludes guo and not yu-neely", got)
	}
	facts.LossLipschitz = 1
	if got := undeclaredFacts(stream(facts), algorithms.All); len(got) > 0 {
		t.Errorf("with all facts: %v, want none", got)
	}
}
