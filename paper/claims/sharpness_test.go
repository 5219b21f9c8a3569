package claims

import (
	"fmt"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/internal/race"
	"ocobench/problems"
)

func quickLab(t *testing.T) *Lab {
	return &Lab{Context: t.Context(), Catalog: experiment.Catalog{
		Algorithms: algorithms.All, Problems: problems.All,
	}, Quick: true}
}

// A planted error changes what a check says.
func TestPlantedErrorsChangeTheOutcome(t *testing.T) {
	race.Alone(t)
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
			return l.compareThreshold(func(p *program) float64 { return p.deep })
		}, Refutes},
		{"the threshold, a half", func(l *Lab) (Finding, error) {
			return l.compareThreshold(func(p *program) float64 { return 2 * p.slater })
		}, Refutes},
		{"the bounds of small steps, of gradient descent that is blind to constraints",
			func(l *Lab) (Finding, error) { return smallStepsKeep(l, "ogd") }, Refutes},
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

// Checks of an exact penalty refute a weight that is too small, of either sign. Both halves of
// the one about minimisers are looked at: the least value is below f*, and its place is not in X.
func TestExactPenaltyRefutes(t *testing.T) {
	l := quickLab(t)
	for what, run := range map[string]func() (Finding, error){
		"minimisers, a hundredth of γ_0": func() (Finding, error) { return penaltyMinimisers(l, 0.01) },
		"points, a hundredth of γ_0":     func() (Finding, error) { return penaltyPoints(l, 0.01) },
		"points, the sign of γ_0":        func() (Finding, error) { return penaltyPoints(l, -1) },
		"prefixes, the sign of γ_0":      func() (Finding, error) { return leastGamma(l, -1) },
		"prefixes, half of γ_0":          func() (Finding, error) { return leastGamma(l, 0.5) },
	} {
		f, err := run()
		if err != nil || f.Outcome != Refutes {
			t.Errorf("%s: %s: %s, %v", what, f.Outcome, f.Text, err)
		}
	}
	for what, run := range map[string]func(*Lab, float64) (Finding, error){
		"minimisers": penaltyMinimisers, "points": penaltyPoints, "prefixes": leastGamma,
	} {
		if f, err := run(l, 1); err != nil || f.Outcome != Survives {
			t.Errorf("%s, γ_0: %s: %s, %v", what, f.Outcome, f.Text, err)
		}
	}
	f, err := penaltyMinimisers(l, 0.01)
	for _, half := range []string{"sometimes below", "not always in"} {
		if !strings.Contains(f.Text, half) {
			t.Errorf("%q is not in %q, %v", half, f.Text, err)
		}
	}
	// The sign alone makes every threshold negative, and thus too small, where one is needed.
	f, err = leastGamma(l, -1)
	var below, streams int
	at := strings.Index(f.Text, " in ")
	if _, scan := fmt.Sscanf(f.Text[max(at, 0):], " in %d of %d", &below, &streams); scan != nil ||
		below != streams || streams < 100 {
		t.Errorf("%q, %v, %v", f.Text, scan, err)
	}
}

// Under the condition of Theorems 1 and 2 with a tenth of the threshold, prefixes are
// infeasible and the violation leaves its bound: the checks of the condition say so.
func TestConditionRefutes(t *testing.T) {
	race.Alone(t)
	l := quickLab(t)
	for what, run := range map[string]func(*Lab, float64) (Finding, error){
		"feasible prefixes": mendedPrefixes, "penalty violation": mendedPenalty,
	} {
		for scale, want := range map[float64]Outcome{0.1: Refutes, 1.001: Survives} {
			if f, err := run(l, scale); err != nil || f.Outcome != want {
				t.Errorf("%s, %v times the threshold: %s: %s, %v", what, scale, f.Outcome, f.Text, err)
			}
		}
	}
	const late = `a round after $m\eta/\beta$ adds`
	if f, err := mendedPenalty(l, 0.1); !strings.Contains(f.Text, late) {
		t.Errorf("no round is late: %s, %v", f.Text, err)
	}
}

// Frequencies that are a fifth off are some standard errors off, and so said.
func TestFrequenciesRefute(t *testing.T) {
	l := quickLab(t)
	for share, want := range map[float64]Outcome{0.08: Refutes, 0.1: Survives, 0.12: Refutes} {
		if f, err := frequencySumsDrawn(l, share); err != nil || f.Outcome != want {
			t.Errorf("the share %v: %s: %s, %v", share, f.Outcome, f.Text, err)
		}
	}
}

// The checks beside the conjecture depend on the steps: those of the clipped update that are
// small settle, and those of either update alternate if they are large.
func TestClippedRefutes(t *testing.T) {
	race.Alone(t)
	l := quickLab(t)
	for what, c := range map[string]struct {
		run  func(*Lab, float64) (Finding, error)
		step float64
		want Outcome
	}{
		"small steps settle":       {clippedSettles, 0.5, Survives},
		"long steps do not":        {clippedSettles, 5, Refutes},
		"steps 5/√t alternate":     {largeStepsAlternate, 5, Refutes},
		"small steps come to rest": {largeStepsAlternate, 0.3, Survives},
	} {
		if f, err := c.run(l, c.step); err != nil || f.Outcome != c.want {
			t.Errorf("%s: %s: %s, %v", what, f.Outcome, f.Text, err)
		}
	}
	// That x_t is 2 and −2 in turn is said where it is so.
	for step, want := range map[float64]bool{0.3: false, 5: true} {
		f, err := largeStepsAlternate(l, step)
		if err != nil || strings.Contains(f.Text, "$-2$") != want {
			t.Errorf("steps %v: %s, %v", step, f.Text, err)
		}
	}
}

// A leader that is a round late breaks the inequality of be-the-leader.
func TestLateLeaderBreaksTheInequality(t *testing.T) {
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
func TestBoundsThatCanBeAttainedAre(t *testing.T) {
	for _, run := range []func(l *Lab) (Finding, error){
		leaderSteps, func(l *Lab) (Finding, error) { return penaltyPoints(l, 1) }, func(l *Lab) (Finding, error) { return playLeaders(l, 5) },
	} {
		f, err := run(quickLab(t))
		ratio := f.Ratios.Ratio
		if f.Values != nil {
			ratio = f.Values[0].Value
		}
		if err != nil || !(ratio >= 0.99) {
			t.Errorf("%s: ratio %v, want 0.99 at least; %v", f.Text, ratio, err)
		}
	}
}
