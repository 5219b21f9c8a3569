package algorithms_test

import (
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/convex"
)

func TestAlgorithmsKeepAllLaws(t *testing.T) { algtest.Run(t, algorithms.All...) }

// TestVariantsKeepAllLaws checks the laws with parameters that change the claims, or what the
// learner is told.
func TestVariantsKeepAllLaws(t *testing.T) {
	for _, text := range []string{
		"vaze-sinha:projections=once", "vaze-sinha:losses=strongly-convex,curvature=0.5",
		"sinha-vaze:potential=quadratic", "sinha-vaze:anytime=true",
		"sinha-vaze:potential=quadratic,anytime=true",
		"sinha-vaze:losses=strongly-convex,anytime=true,curvature=0.5",
		"yu-neely-wei:tightening=0.02", "neely-yu:tightening=0.02", "yu-neely-wei:doubling=true",
	} {
		a, params := registeredWith(t, text)
		a.Params = params
		// A curvature, and the weights of these potentials, are in a unit.
		a.UnitFree = a.UnitFree && !strings.Contains(text, "curvature") &&
			!strings.Contains(text, "quadratic")
		t.Run(text, func(t *testing.T) { algtest.Run(t, a) })
	}
}

// TestAnytimeVariantsPlayWithoutTheHorizon: an algorithm that is anytime with some parameters only
// plays without the horizon with these.
func TestAnytimeVariantsPlayWithoutTheHorizon(t *testing.T) {
	a := registered(t, "sinha-vaze")
	setup := algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1,
		Facts: convex.Facts{LossLipschitz: 1, Curvature: 1}}
	for _, c := range []struct {
		params algorithms.SinhaVazeParams
		want   bool
	}{
		{algorithms.SinhaVazeParams{}, false},
		{algorithms.SinhaVazeParams{Potential: "quadratic"}, false},
		{algorithms.SinhaVazeParams{Anytime: true}, true},
		{algorithms.SinhaVazeParams{Anytime: true, Losses: "strongly-convex"}, true},
		{algorithms.SinhaVazeParams{Epochs: epochs}, true},
		{algorithms.SinhaVazeParams{Anytime: true, Epochs: epochs}, true},
	} {
		if _, err := a.Start(c.params, setup); a.AnytimeWith(c.params) != c.want ||
			(err == nil) != c.want {
			t.Errorf("%+v: anytime is %v, want %v; without the horizon the error is %v", c.params,
				a.AnytimeWith(c.params), c.want, err)
		}
	}
}

func TestRatesAreWrittenAsByHand(t *testing.T) {
	for _, c := range []struct {
		claim        algorithms.Claim
		rate, prints string
	}{
		{algorithms.Claim{}, "1", "1"},
		{algorithms.Claim{Exponent: 1}, "t^1", "t^1"},
		{algorithms.Claim{Exponent: 0.5}, "t^0.5", "t^(1/2)"},
		{algorithms.Claim{Exponent: 0.75, Log: 1}, "t^0.75 log t", "t^(3/4) log t"},
		{algorithms.Claim{Exponent: 2. / 3, Log: 0.5}, "t^0.667 log^0.5 t", "t^(2/3) log^0.5 t"},
		{algorithms.Claim{Exponent: (1 + 0.2) / 2}, "t^0.6", "t^(3/5)"},
		{algorithms.Claim{Exponent: 0.333}, "t^0.333", "t^0.333"},
		{algorithms.Claim{Log: 2}, "log^2 t", "log^2 t"},
	} {
		if got := c.claim.Rate(); got != c.rate {
			t.Errorf("%+v: rate %q, want %q", c.claim, got, c.rate)
		}
		if got := c.claim.ExactRate(); got != c.prints {
			t.Errorf("%+v: exact rate %q, want %q", c.claim, got, c.prints)
		}
	}
}

func TestEveryFeedbackIsExplained(t *testing.T) {
	for _, a := range algorithms.All {
		if a.Feedback.Doc() == "" {
			t.Errorf("%s: got no sentence for the feedback %q, want one", a.Name, a.Feedback)
		}
	}
}

// The laws hold with two-point feedback as well. The first action of polyak-feasibility
// has to be strictly feasible, which it is not in most of these games: it is played
// halfway to the centre of the domain.
func TestTwoPointFeedbackKeepsAllLaws(t *testing.T) {
	for _, a := range algorithms.All {
		if a.Name == "polyak-feasibility" {
			continue
		}
		if b, err := a.WithTwoPoint(); err == nil {
			algtest.Run(t, b)
		}
	}
}
