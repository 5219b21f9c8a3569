package problems

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/convex"
)

// Draws of a family that are balanced depend on those before, and are not i.i.d.,
// unless the family is one function.
func TestBalancedFamiliesAreNotIID(t *testing.T) {
	for _, c := range []struct {
		draw           string
		spread, margin float64
		want           bool
	}{
		{"iid", 0.5, 0.1, true}, {"balanced", 0.5, 0.1, false}, {"balanced", 0, 0.1, false},
		{"balanced", 0.5, 0.25, false}, {"balanced", 0, 0.25, true},
	} {
		p := family.Params.(FamilyParams)
		p.Draw, p.Spread, p.Margin = c.draw, c.spread, c.margin
		facts := testInstance{"family", family, p}.stream(t, 1).Facts()
		if fixed := c.spread == 0 && c.margin == p.Slack; facts.IID != c.want || facts.Fixed != fixed {
			t.Errorf("%+v: got IID %v and fixed %v, want %v and %v", c, facts.IID, facts.Fixed, c.want,
				fixed)
		}
	}
}

// A round is empty sooner or later where Feasible is not declared, and no action does for
// all rounds where it is declared beyond the margins: the table says which is which.
func TestFeasibleIsDeclaredWhereRoundsAre(t *testing.T) {
	box := Space{Dim: 2, Set: "box", Radius: 1}
	noisy := func(kind string, amplitude float64) testInstance {
		return testInstance{"perturbed " + kind, perturbed,
			PerturbedParams{Space: box, Shapes: Shapes{1, kind, 0.25}, Noise: "adversarial",
				Amplitude: amplitude}}
	}
	random := func(margin, spread float64) testInstance {
		return testInstance{"iid", iid, IIDParams{
			Space: box, Constraints: 2, Slack: 0.25, Margin: margin, Spread: spread, Direction: "random",
		}}
	}
	drawn := func(constraints int, margin float64) testInstance {
		return testInstance{"family", family,
			FamilyParams{Space: box, Families: Families{constraints, 3, "affine", 0.25, margin, 1},
				Draw: "iid"}}
	}
	average := func(kind string, amplitude, turns float64) testInstance {
		return testInstance{"drifting-average " + kind, driftingAverage,
			DriftingAverageParams{kind, amplitude, 0.5, turns}}
	}
	budget := func(noise float64) testInstance {
		return testInstance{"gradual-slater", gradualSlater,
			GradualSlaterParams{Dim: 2, Margin: 0.3, Noise: noise, Period: 30, Targets: "switch"}}
	}
	jobs, fog := jobScheduling.Params.(JobSchedulingParams), fogOffloading.Params.(FogOffloadingParams)
	jobs.Jobs, fog.Cloud = 2000, 5
	for k, c := range []struct {
		problem testInstance
		want    bool
	}{
		{noisy("affine", 0.25), true}, {noisy("affine", 0.9), true}, {noisy("affine", 3), false},
		{noisy("norm", 0.25), true}, {noisy("norm", 1.5), false}, {noisy("quadratic", 2.5), false},
		{random(0, 3), true}, {random(-0.1, 0.2), true}, {random(-0.1, 1.5), false},
		{random(-3, 0), false},
		{drawn(1, 0), true}, {drawn(1, -0.1), true}, {drawn(1, -5), false}, {drawn(2, -5), false},
		{average("affine", 0.25, 0), true}, {average("quadratic", 0, 0), true},
		{average("quadratic", -0.25, 0), true},
		{average("quadratic", -0.25, 1), false}, {average("quadratic", 0.25, 0), false},
		{budget(0.3), true}, {budget(0.35), false},
		{testInstance{"conflicting", conflicting, conflicting.Params}, true},
		{testInstance{"pinned", pinned, nil}, true},
		{testInstance{"job-scheduling", jobScheduling, jobScheduling.Params}, true},
		{testInstance{"job-scheduling", jobScheduling, jobs}, false},
		{testInstance{"fog-offloading", fogOffloading, fogOffloading.Params}, true},
		{testInstance{"fog-offloading", fogOffloading, fog}, false},
	} {
		for seed := range uint64(3) {
			s := c.problem.stream(t, seed)
			if s.Facts().Feasible != c.want {
				t.Errorf("%d, %s, seed %d: every round is declared to be feasible: %v", k, c.problem.name, seed,
					!c.want)
			}
			if c.want {
				continue // the laws test it
			}
			empty := false
			for i := 1; i <= 3000 && !empty; i++ {
				program := convex.NewProgram(s.Set())
				for _, g := range s.Reveal(i, nil).Constraints {
					program.Constrain(convex.Lower(g, s.Set().Dim()))
				}
				_, err := program.Minimize(make([]float64, s.Set().Dim()), convex.NewForm(s.Set().Dim()))
				empty = errors.Is(err, convex.ErrEmpty)
			}
			if !empty {
				t.Errorf("%d, %s, seed %d: got no empty round, want one", k, c.problem.name, seed)
			}
		}
	}
}

// recordedIn writes lines to a file and returns its path.
func recordedIn(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// The constraints of a trace are affine if all of them are, in every round.
func TestTraceIsAffineIfAllRoundsAre(t *testing.T) {
	const header = `{"domain":{"box":{"lower":[-1],"upper":[1]}},"constraints":2}`
	affine, curved := `{"form":{"lin":[1]}}`, `{"form":{"quad":[[2]]}}`
	for _, c := range []struct {
		first, second [2]string
		want          bool
	}{
		{[2]string{affine, affine}, [2]string{affine, affine}, true},
		{[2]string{curved, affine}, [2]string{affine, affine}, false},
		{[2]string{affine, curved}, [2]string{affine, affine}, false},
		{[2]string{affine, affine}, [2]string{affine, curved}, false},
	} {
		lines := []string{header}
		for k, g := range [][2]string{c.first, c.second} {
			lines = append(lines, fmt.Sprintf(`{"t":%d,"loss":%s,"constraints":[%s,%s]}`, k+1, curved, g[0],
				g[1]))
		}
		s := testInstance{"trace", trace, TraceParams{File: recordedIn(t, lines...)}}.stream(t, 1)
		if got := s.Facts().Affine; got != c.want {
			t.Errorf("%v, %v: got affine %v, want %v", c.first, c.second, got, c.want)
		}
	}
}
