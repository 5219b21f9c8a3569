package algtest_test

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/convex"
)

// stubborn always plays the same.
type stubborn struct{ algorithms.Learner }

func (stubborn) Observe([]float64, convex.Round) error { return nil }

// Laws can be checked one by one; [Run] checks all of them in a test.
func Example() {
	a := algorithms.All[0]
	right := a.New
	a.New = func(p any, s algorithms.Setup) (algorithms.Learner, error) {
		l, err := right(p, s)
		return stubborn{l}, err
	}
	for _, law := range algtest.Laws {
		if law.Name == "act" || law.Name == "reaction" {
			fmt.Printf("%s: %v\n", law.Name, law.Check(a))
		}
	}
	// Output:
	// act: <nil>
	// reaction: in the game box/affine/n=2/m=1: it plays the same whether x_1 − x_2/2 ≤ 10 or ≤ −0.1, up to [0 0]
}
