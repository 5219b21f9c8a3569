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
		fit.Shape, fit.Exponent, fit.Lower, fit.Upper, fit.Points, fit.Window)
	for _, p := range []float64{0.25, 0.5, 0.75} {
		claim := stats.Claim{Exponent: p}
		v, _ := claim.Judge(fit)
		fmt.Printf("a claim of t^%.2f: %s\n", p, v)
	}
	// Output:
	// power, exponent 0.51 in [0.43, 0.59], 5 points in {100 10000}
	// a claim of t^0.25: above
	// a claim of t^0.50: undecided
	// a claim of t^0.75: at most
}

// Two algorithms on the same random numbers: what is chance in both cancels.
func ExampleGrowth_Compare() {
	rng := rand.New(rand.NewPCG(2, 1))
	a := stats.Curve{T: []float64{100, 316, 1000, 3162, 10000}}
	b := stats.Curve{T: a.T}
	for range 20 {
		chance := 0.5 + rng.Float64()
		var ya, yb []float64
		for _, t := range a.T {
			chance *= 0.8 + 0.4*rng.Float64()
			ya = append(ya, chance*math.Sqrt(t))
			yb = append(yb, chance*math.Pow(t, 0.6)*(0.95+0.1*rng.Float64()))
		}
		a.Y, b.Y = append(a.Y, ya), append(b.Y, yb)
	}
	c, err := stats.Growth{}.Compare(a, b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("exponent %.2f [%.2f, %.2f], p = %.3f\n", c.Exponent.Value, c.Exponent.Lower,
		c.Exponent.Upper, c.Exponent.P())
	fmt.Printf("a ends lower with probability %.2f [%.2f, %.2f]\n", c.Improvement.Value,
		c.Improvement.Lower, c.Improvement.Upper)
	// Output:
	// exponent -0.10 [-0.10, -0.09], p = 0.001
	// a ends lower with probability 1.00 [0.83, 1.00]
}

// A test in continuous integration: a new run against a stored reference.
func ExampleRegressionTest() {
	run := func(seed uint64, p float64) stats.Curve {
		rng := rand.New(rand.NewPCG(seed, 1))
		c := stats.Curve{T: []float64{100, 316, 1000, 3162, 10000}}
		for range 20 {
			chance := 1.0
			var y []float64
			for _, t := range c.T {
				chance *= 0.95 + 0.1*rng.Float64()
				y = append(y, chance*math.Pow(t, p))
			}
			c.Y = append(c.Y, y)
		}
		return c
	}
	reference := run(1, 0.5)
	report, err := stats.RegressionTest{}.Compare([]stats.Rerun{
		{Name: "same seed", Reference: reference, Current: run(1, 0.5), Paired: true},
		{Name: "new seed", Reference: reference, Current: run(2, 0.5)},
		{Name: "new seed, worse", Reference: reference, Current: run(3, 0.6)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.Changes {
		fmt.Printf("%s: %+.3f, %s\n", c.Name, c.Value, c.Answer)
	}
	fmt.Println(report.Answer)
	// Output:
	// same seed: +0.000, changed
	// new seed: -0.004, changed
	// new seed, worse: +0.103, regression
	// regression
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
	fmt.Println(fit.Shape, fit.Exponent)
	for _, warning := range fit.Warnings {
		fmt.Println(warning)
	}
	// Output:
	// non-positive NaN
	// the mean is not positive at 2 of 3 points of the window
}
