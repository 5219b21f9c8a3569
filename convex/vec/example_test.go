package vec_test

import (
	"fmt"

	"ocobench/convex/vec"
)

// A gradient step from x along g, of length 1/√t, and how far it went.
func Example() {
	x := []float64{1, 2}
	g := []float64{3, 4}
	t := 4.0

	y := make([]float64, 2)
	vec.AxpyTo(y, -vec.Pow(t, -0.5)/vec.Norm(g), g, x)
	fmt.Printf("%.2f\n", y)
	fmt.Printf("%.2f\n", vec.Dist(x, y))
	// Output:
	// [0.70 1.60]
	// 0.50
}
