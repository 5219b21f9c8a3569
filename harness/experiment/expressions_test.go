package experiment

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/errtest"
)

// On a domain with Δ = 2, at T = 16 and G = 4, the SPECs with expressions on the left equal the
// SPECs with numbers on the right: in SPEC, parameters and bounds.
func TestBoundExpressionsEqualNumbers(t *testing.T) {
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
		t.Run(open, func(t *testing.T) {
			o, want := algorithmOf(t, open), algorithmOf(t, number)
			bound, err := o.Bind(Variables(setup))
			if err != nil {
				t.Fatal(err)
			}
			if bound.PlayedAs() != want.Spec || bound.Resolved() != want.Resolved() || bound.Spec != o.Spec {
				t.Errorf("%s is played as %s, %s, labelled %s; want %s, %s", open, bound.PlayedAs(),
					bound.Resolved(), bound.Spec, want.Spec, want.Resolved())
			}
			for i, claim := range o.OwnClaims() {
				if claim.Bound == nil {
					continue
				}
				got, err := claim.Bound(setup)
				b, wanted := want.OwnClaims()[i].Bound(setup)
				if (err == nil) != (wanted == nil) || err == nil && got(16) != b(16) {
					t.Errorf("%s: the bound is not that of %s (%v, %v)", claim.Metric, number, err, wanted)
				}
			}
		})
	}
	setup.Facts.LossLipschitz = 0
	_, err := algorithmOf(t, "ogd:step=1/G").Bind(Variables(setup))
	const unknown = "G, the declared Lipschitz constant of the losses, is not known here"
	errtest.Contains(t, err, unknown, "without G")
}

// At T = 16 the problems with expressions on the left equal the problems with numbers on the right:
// in SPEC, parameters and rounds.
func TestBoundProblemExpressionsEqualNumbers(t *testing.T) {
	for open, number := range map[string]string{
		"schedule:scale=T":                              "schedule:scale=16",
		"iid:dim=log(T)/log(2)":                         "iid:dim=4",
		"iid:radius=1/sqrt(n),dim=4":                    "iid:dim=4,radius=0.5",
		"iid:constraints=3,margin=0.3/m,combine=max":    "iid:constraints=3,margin=0.09999999999999999,combine=max",
		"iid:margin=0.1*T/16":                           "iid",
		"decaying-frequency:c=1-1/sqrt(T),combine=none": "decaying-frequency:c=0.75",
	} {
		t.Run(open, func(t *testing.T) {
			a, want := problemOf(t, open), problemOf(t, number)
			_, err := a.Stream(1, 1)
			errtest.Contains(t, err, "have no values", "%s starts without values", open)
			bound, err := a.Bind(16)
			if err != nil {
				t.Fatal(err)
			}
			if bound.PlayedAs() != want.Spec || bound.Resolved() != want.Resolved() ||
				bound.Spec != a.Spec ||
				all.ProblemSpec(open) != a.Spec {
				t.Errorf("%s is played as %s, %s, labelled %s; want %s, %s", open, bound.PlayedAs(),
					bound.Resolved(), bound.Spec, want.Spec, want.Resolved())
			}
			first, err := bound.Stream(1, 1)
			second, wrong := want.Stream(1, 1)
			if err != nil || wrong != nil || first.Facts() != second.Facts() ||
				first.Set().Dim() != second.Set().Dim() {
				t.Errorf("%s: got other rounds (%[3]v), want those of %[2]s", open, number, err)
			}
		})
	}
	for open, want := range map[string]string{
		"iid:dim=2*n":          "n and m are 2 and 1, and would be 4 and 1 with the values of the expressions",
		"iid:dim=sqrt(T)-0.5":  "dim: sqrt(T)-0.5 at T = 16: 3.5 is not an integer",
		"iid:radius=1/(T-16)":  "radius: 1/(T-16) at T = 16 is not finite",
		"iid:radius=16-T":      "radius: 16-T at T = 16: 0 is out of range",
		"iid:radius=G":         "radius: G: G, the declared Lipschitz constant of the losses, is not known here",
		"iid:margin=T":         "margin 16 is more than slack 0.25",
		"iid:margin=0.1,dim=B": "is not known here",
	} {
		t.Run(open, func(t *testing.T) {
			_, err := problemOf(t, open).Bind(16)
			errtest.Contains(t, err, want, "%s", open)
		})
	}
}
