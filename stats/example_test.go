package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ocobench/stats"
)

// Thirty random walks: no single path grows like √t, their mean distance from
// the origin does.
func Example() {
	rng := rand.New(rand.NewPCG(1, 1))
	curve := stats.Curve{T: []float64{1, 3, 10, 32, 100, 316, 1000, 3162, 10000}}
	for range 30 {
		var path []float64
		position, last := 0.0, 0.0
		for _, t := range curve.T {
			position += math.Sqrt(t-last) * rng.NormFloat64()
			path, last = append(path, math.Abs(position)), t
		}
		curve.Y = append(curve.Y, path)
	}

	fit, err := stats.Growth{}.Fit(curve)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, exponent %.2f in [%.2f, %.2f], %d points in %v\n",
		fit.Verdict, fit.Exponent, fit.Lower, fit.Upper, fit.Points, fit.Window)
	for _, p := range []float64{0.25, 0.5, 0.75} {
		fmt.Printf("O(t^%.2f) is %s\n", p, stats.Claim{Exponent: p}.Judge(fit))
	}
	// Output:
	// power, exponent 0.51 in [0.43, 0.59], 5 points in {100 10000}
	// O(t^0.25) is refuted
	// O(t^0.50) is inconclusive
	// O(t^0.75) is supported
}

// A metric that is zero from some time on has no exponent, and the fit says so
// instead of dropping points.
func ExampleGrowth_Fit_nonPositive() {
	curve := stats.Curve{
		T: []float64{1, 10, 100, 1000},
		Y: [][]float64{{5, 3, 0, 0}, {4, 3, 0, 0}},
	}
	fit, err := stats.Growth{}.Fit(curve)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fit.Verdict, fit.Exponent)
	for _, warning := range fit.Warnings {
		fmt.Println(warning)
	}
	// Output:
	// non-positive NaN
	// the mean is not positive at 2 of 3 points of the window
}
