package algorithms_test

import (
	"runtime"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// Learners allocate the solvers that they declare, and otherwise nothing that grows like n²: on a
// ball, since those of a box or a simplex take only what their free coordinates need.
func TestSolversAreDeclared(t *testing.T) {
	const n = 600
	ball, err := convex.NewBall(make([]float64, n), 10)
	if err != nil {
		t.Fatal(err)
	}
	loss := &convex.Affine{A: slices.Repeat([]float64{0.1}, n)}
	constraint := &convex.Affine{A: slices.Repeat([]float64{0.01}, n), B: -0.5}
	round := convex.Round{Loss: loss, Constraints: []convex.Func{constraint}}
	facts := convex.Facts{LossLipschitz: 10, ConstraintLipschitz: 10, LossRange: 500,
		ConstraintBound: 10, Diameter: 50, Slater: 0.5, Fixed: true, Affine: true, Feasible: true}
	measured := 0
	for _, a := range algorithms.All {
		setup := algorithms.Setup{Set: ball, Constraints: 1, Facts: facts, Horizon: 4}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		l, err := a.Start(a.Params, setup)
		if err != nil {
			t.Logf("%s: %v", a.Name, err)
			continue
		}
		x := make([]float64, n)
		l.Act(x)
		if err := l.Observe(x, round); err != nil {
			t.Logf("%s: %v", a.Name, err)
			continue
		}
		runtime.ReadMemStats(&after)
		measured++
		one := convex.Memory(ball)
		got := float64(after.TotalAlloc-before.TotalAlloc) / float64(one)
		if got > float64(a.Solvers)+0.2 || a.Solvers > 0 && got < 0.9 {
			t.Errorf("%s: got %.2f solvers allocated, want at most the %d declared, and 0.9 if any is",
				a.Name, got, a.Solvers)
		}
	}
	if measured < 20 {
		t.Errorf("got %d algorithms measured, want at least 20", measured)
	}
}
