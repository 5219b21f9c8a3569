package algorithms_test

import (
	"fmt"
	"log"

	"ocobench/algorithms"
	"ocobench/convex"
)

// A game by hand: the loss is (x−2)² on [−3, 3], and x ≤ 1 in every round. The
// gradient method is blind to that; Penalised FTRL ends at the constraint.
func Example() {
	set := convex.Cube(1, -3, 3)
	r := convex.Round{
		Loss:        &convex.HalfSquaredDistance{Weight: 2, Center: []float64{2}},
		Constraints: []convex.Func{&convex.Affine{A: []float64{1}, B: -1}},
	}
	for _, name := range []string{"penalised-ftrl", "ogd"} {
		a, _ := algorithms.Lookup(algorithms.All, name)
		l, err := a.Start(a.Params, algorithms.Setup{Set: set, Constraints: 1})
		if err != nil {
			log.Fatal(err)
		}
		x := make([]float64, 1)
		violation := 0.0
		for range 100 {
			l.Act(x)
			violation += r.Constraints[0].Value(x)
			if err := l.Observe(x, r); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Printf("%s (%s) ends at %.3f, Σg = %.1f\n", a.Name, a.Feedback, x, max(0, violation))
	}
	// Output:
	// penalised-ftrl (FI) ends at [1.000], Σg = 0.0
	// ogd (FO) ends at [2.000], Σg = 98.6
}
