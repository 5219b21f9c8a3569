package experiment_test

import (
	"math"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/internal/errtest"
)

// Formulas have values that were computed by hand.
func TestBoundFormulasByHand(t *testing.T) {
	setup := algorithms.Setup{
		Set: convex.Cube(3, 0, 1), Constraints: 2, Horizon: 400,
		Facts: convex.Facts{LossLipschitz: 5, Diameter: 2, Rounds: 1000},
	}
	params := map[string]float64{"step": 0.5, "first-step": 8}
	for _, c := range []struct {
		text string
		want float64 // at t = 100
	}{
		{"sqrt(t)", 10},
		{"2*loss_lipschitz*diameter*sqrt(t)", 200},
		{"(diameter*diameter/(2*step) + step*loss_lipschitz*loss_lipschitz)*sqrt(t)", 165},
		{"1 - 2 - 3*-t", 299},
		{"first_step/4/2", 1},
		{"t^1.5 + min(T, n) + max(m, 1e3)", 2003},
		{"G*Δ*(t^0.5) + Delta", 5*math.Sqrt(3)*10 + math.Sqrt(3)},
		{"log(t)/log(10)", 2},
		{"rounds/T", 2.5},
		{"-t", -100}, // which the law bounds finds
		{"1/(t - 100)", math.Inf(1)},
		{"-1/(t - 100)", math.Inf(1)},
		{"sqrt(-t)", math.Inf(1)},
	} {
		bound, err := experiment.ReadBound(c.text, params)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		b, err := bound(setup)
		if got := b(100); err != nil || math.Abs(got-c.want) > 1e-12*math.Abs(c.want) {
			t.Errorf("%s is %v, want %v, %v", c.text, got, c.want, err)
		}
	}
	bound, err := experiment.ReadBound("max(slater, 1)*t", params)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bound(setup); err == nil || err.Error() != "the problem declares no slater" {
		t.Errorf("got error %v, want the problem declares no slater", err)
	}
	for text, want := range map[string]string{
		"t**0.5": `unexpected "*"`, "": "an operand is missing", "sqrt": `unknown name "sqrt"`,
		"g*t":       `"g*t": unknown name "g" (expected numbers, T, n, m, G, B, Δ or Delta, `,
		"x_1*t":     "t, constraint_bound, constraint_lipschitz, curvature, diameter",
		"sqrt(t,2)": "sqrt of 2 operands", "f(t)": `unknown name "f"`, "t; t": `unexpected ";"`,
		"t.x": `unexpected ".x"`, "1e999": "1e999", "t t": `unexpected "t"`,
	} {
		t.Run(text, func(t *testing.T) {
			want, _, _ = strings.Cut(want, ".*")
			_, err = experiment.ReadBound(text, params)
			errtest.Contains(t, err, want, "%s", text)
		})
	}
}
