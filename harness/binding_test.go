package harness

import (
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// On a domain with Δ = 2, at T = 16 and G = 4, the expressions of the left are the numbers of the
// right: they have the same SPEC, parameters and bounds.
func TestBind(t *testing.T) {
	setup := algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1, Horizon: 16,
		Facts: convex.Facts{LossLipschitz: 4, ConstraintLipschitz: 1, ConstraintBound: 1, LossRange: 8,
			Diameter: 2, Slater: 0.5}}
	for open, number := range map[string]string{
		"ogd:step=Δ/(G*sqrt(T))":                "ogd:step=0.125",
		"jenatton:beta=n/3":                     "jenatton:beta=0.3333333333333333",
		"penalised-ftrl:gamma=T+m":              "penalised-ftrl:gamma=17",
		"ogd:step=0*T":                          "ogd",
		"ogd:step=1/sqrt(T),feedback=two-point": "ogd:step=0.25,feedback=two-point",
	} {
		o, want := contender(t, open), contender(t, number)
		bound, err := o.Bind(variables(setup))
		if err != nil {
			t.Errorf("%s: %v", open, err)
			continue
		}
		if bound.playedAs() != want.Spec || bound.Resolved() != want.Resolved() || bound.Spec != o.Spec {
			t.Errorf("%s is played as %s, %s, labelled %s; want %s, %s", open, bound.playedAs(),
				bound.Resolved(), bound.Spec, want.Spec, want.Resolved())
		}
		for i, claim := range o.OwnClaims() {
			if claim.Bound == nil {
				continue
			}
			got, err := claim.Bound(setup)
			b, wanted := want.OwnClaims()[i].Bound(setup)
			if (err == nil) != (wanted == nil) || err == nil && got(16) != b(16) {
				t.Errorf("%s, %s: the bound is not that of %s (%v, %v)", open, claim.Metric, number, err,
					wanted)
			}
		}
	}
	setup.Facts.LossLipschitz = 0
	_, err := contender(t, "ogd:step=1/G").Bind(variables(setup))
	if want := "G, the declared Lipschitz constant of the losses, is not known here"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("without G: %v, want %s", err, want)
	}
}
