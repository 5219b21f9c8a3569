package claims

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/problems"
)

func quickLab(t *testing.T) *Lab {
	return &Lab{Context: t.Context(), Catalog: harness.Catalog{
		Algorithms: algorithms.All, Problems: problems.All,
	}, Quick: true}
}

// A planted error changes what a check says.
func TestSharp(t *testing.T) {
	for _, c := range []struct {
		what string
		run  func(l *Lab) (Finding, error)
		want Outcome
	}{
		{"γ of fixed constraints, a fiftieth",
			func(l *Lab) (Finding, error) { return fixedActions(l, 0.02) }, Refutes},
		{"the regulariser of FTRL, a millionth",
			func(l *Lab) (Finding, error) { return leadersOnCubes(l, 1e-6) }, Refutes},
		{"X^E, of gradient descent that is blind to constraints",
			func(l *Lab) (Finding, error) { return conflictingMeans(l, "ogd") }, Survives},
		{"the threshold by the deepest constraint", func(l *Lab) (Finding, error) {
			return l.sufficient(func(p *program) float64 { return p.deep })
		}, Refutes},
		{"the threshold, a half", func(l *Lab) (Finding, error) {
			return l.sufficient(func(p *program) float64 { return 2 * p.slater })
		}, Refutes},
		{"the bounds of neely-yu, of gradient descent that is blind to constraints",
			func(l *Lab) (Finding, error) {
				return neelyYuBounds(l, "ogd")
			}, Survives},
	} {
		f, err := c.run(quickLab(t))
		if err != nil {
			t.Fatal(err)
		}
		if f.Outcome != c.want {
			t.Errorf("%s: %s: %s", c.what, f.Outcome, f.Text)
		}
	}
}

// A leader that is a round late breaks the inequality of be-the-leader.
func TestLateLeader(t *testing.T) {
	rng := quickLab(t).Rand("late")
	most := 0
	for range 20 {
		most = max(most, runLeader(rng, 0, true).most)
	}
	if most == 0 {
		t.Error("it does not")
	}
}

// Bounds that can be attained are.
func TestAttained(t *testing.T) {
	for _, run := range []func(l *Lab) (Finding, error){
		leaderSteps, penaltyPoints, func(l *Lab) (Finding, error) { return leaders(l, 5) },
	} {
		f, err := run(quickLab(t))
		if err != nil || f.Ratio == nil || *f.Ratio < 0.99 {
			t.Errorf("%s, %v", f.Text, err)
		}
	}
}
