package algorithms_test

import (
	"math"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/errtest"
)

// The twin projects on the half-space of its own, and on D.
func TestPolyakFeasibilityAgreesWithTwin(t *testing.T) {
	t.Parallel()
	longTermScripts(t, domainKinds, constraintKinds, func(where string, s script) {
		s = s.feasible().fixedConstraints()
		rho, eta := 0.01, 0.05
		xs := [][]float64{nearestPoint(s.set, make([]float64, s.n))}
		for i, r := range s.rounds {
			x := xs[i]
			y := movedBy(x, -eta, r.loss.gradient(x))
			if s.m > 0 {
				g := r.constraints[worstOf(r, x)]
				slope := g.gradient(x)
				square, value := 0.0, g.value(x)+rho
				for k, v := range slope {
					square += v * v
					value += v * (y[k] - x[k])
				}
				if value > 0 {
					y = movedBy(y, -value/square, slope)
				}
			}
			xs = append(xs, nearestPoint(s.set, y))
		}
		l := newLearner(t, "polyak-feasibility",
			algorithms.PolyakFeasibilityParams{Tightening: rho, Step: eta, Slater: 1}, longTermSetup(s))
		checkTwin(t, where, l, s, xs, 1e-9)
	})
}

// A first action that is not strictly feasible ends the game in round 1, and the error
// names the remedy; one that is plays on. So does one whose constraint has no slope.
func TestPolyakFeasibilityChecksTheStart(t *testing.T) {
	s := algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1, Horizon: 100,
		Facts: convex.Facts{Slater: 1, LossLipschitz: 1, ConstraintLipschitz: 1}}
	for _, c := range []struct {
		x0   float64
		g    convex.Func
		want string
	}{
		{0.5, affine(0, 1), "set x0"},
		{-0.04, affine(0, 1), "at most −ρ = -0.05"},
		{-0.05, affine(0, 1), ""},
		{0, affine(math.NaN(), 1), "set x0"},
		{0, affine(0, 0), "set x0"},
	} {
		l := newLearner(t, "polyak-feasibility",
			algorithms.PolyakFeasibilityParams{
				Tightening: 0.05, FirstAction: algorithms.FirstAction{X0: []float64{c.x0}},
			}, s)
		x := make([]float64, 1)
		l.Act(x)
		err := l.Observe(x, newRound(affine(0, 1), c.g))
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("from %v: %v, want %q", c.x0, err, c.want)
		}
	}
	l := newLearner(t, "polyak-feasibility", nil, s)
	playedActions(t, l, 1, newRound(affine(0, 1), affine(-1, 1)))
	errtest.Contains(t, l.Observe([]float64{0}, newRound(affine(0, 1), affine(1, 0))), "no action",
		"a constraint that no action satisfies")
}

// epochParams claims a constant bound of one metric.
type epochParams struct {
	algorithms.Epochs
	metric algorithms.Metric
}

func (p epochParams) Claims() []algorithms.Claim {
	return []algorithms.Claim{{Metric: p.metric, Formula: "b",
		Bound: func(algorithms.Setup) (func(int) float64, error) {
			return func(int) float64 { return 1 }, nil
		}}}
}

// Over epochs a constant bound of a sum grows like log t, and that of the largest violation stays
// constant. A claim that is not proven is not proven over epochs either, whose rates are the same
// as of proven ones.
func TestEpochsChangeTheRatesOfViolations(t *testing.T) {
	for metric, want := range map[algorithms.Metric][2]string{ // the rate, and how the bound begins
		algorithms.HardViolation:    {"log t", "Σ"},
		algorithms.SquaredViolation: {"log t", "Σ"},
		algorithms.MaxViolation:     {"1", "the largest"},
	} {
		claim := algorithms.Algorithm{}.ClaimsOf(epochParams{epochs, metric})[0]
		if claim.Rate() != want[0] || !strings.HasPrefix(claim.Formula, want[1]) {
			t.Errorf("%s: the rate is %s and the bound %s, want %s and %s…", metric, claim.Rate(),
				claim.Formula, want[0], want[1])
		}
	}
	for rate, claim := range map[string]algorithms.Claim{
		"t^0.5": {Metric: algorithms.HardViolation, Exponent: 0.5},
		"log t": {Metric: algorithms.HardViolation},
		"1":     {Metric: algorithms.MaxViolation, NoBound: "nobody found one"},
	} {
		t.Run(rate, func(t *testing.T) {
			got := algorithms.Algorithm{Claims: []algorithms.Claim{claim}}.ClaimsOf(epochs)[0]
			if got.Proven() || got.Formula != "" || got.NoBound != claim.NoBound || got.Rate() != rate {
				t.Errorf("%s: got %+v, want one without proof and formula, of the rate %s", claim.Metric, got,
					rate)
			}
		})
	}
	// Each epoch of polyak-feasibility starts anew, and none of them violates.
	s := plainSetup()
	s.Horizon = 15
	claims := registered(t, "polyak-feasibility").ClaimsOf(
		algorithms.PolyakFeasibilityParams{Epochs: epochs})
	b, err := claims[1].Bound(s)
	if err != nil || b(15) != 0 || claims[1].Rate() != "1" || claims[0].Rate() != "t^0.5" {
		t.Errorf("polyak-feasibility over epochs: got %v (%v), want the rates t^0.5 and 1, and the "+
			"bound 0", claims, err)
	}
}
