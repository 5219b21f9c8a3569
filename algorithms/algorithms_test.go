package algorithms_test

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
)

func TestConformance(t *testing.T) { algtest.Run(t, algorithms.All...) }

func TestRates(t *testing.T) {
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

func TestFeedbackDoc(t *testing.T) {
	for _, a := range algorithms.All {
		if a.Feedback.Doc() == "" {
			t.Errorf("%s: nothing explains the feedback %q", a.Name, a.Feedback)
		}
	}
}

// The laws hold with two-point feedback as well.
func TestTwoPointConformance(t *testing.T) {
	for _, a := range algorithms.All {
		if b, err := a.WithTwoPoint(); err == nil {
			algtest.Run(t, b)
		}
	}
}
