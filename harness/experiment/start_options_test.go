package experiment

import (
	"slices"
	"strings"
	"testing"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/harnesstest"
	"ocobench/internal/errtest"
)

// Start options stand in a SPEC after the parameters, and are recorded as values of parameters.
func TestStartOptionsStandAfterParameters(t *testing.T) {
	for text, want := range map[string][]string{
		"ogd:x0=random":                   {"ogd:x0=random"},
		"ogd:x0=random,step=2":            {"ogd:step=2,x0=random"},
		"ogd:x0=0.5":                      {"ogd:x0=[0.5]"},
		"ogd:x0=random,step=[1,2]":        {"ogd:step=1,x0=random", "ogd:step=2,x0=random"},
		"ogd:x0=random,step=1/T":          {"ogd:step=1/T,x0=random"},
		"sinha-vaze:doubling=warm":        {"sinha-vaze:doubling=warm"},
		"sinha-vaze:doubling=true":        {"sinha-vaze:doubling=true"},
		"sinha-vaze:doubling=[true,warm]": {"sinha-vaze:doubling=true", "sinha-vaze:doubling=warm"},
		"sinha-vaze:x0=random,feedback=two-point,doubling=warm": {
			"sinha-vaze:doubling=warm,x0=random,feedback=two-point",
		},
	} {
		t.Run(text, func(t *testing.T) {
			resolvedAlgorithms, err := all.ResolveAlgorithms(useOf(t, text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range resolvedAlgorithms {
				got = append(got, c.Spec)
				drawn, warm := strings.Contains(c.Spec, "random"), strings.Contains(c.Spec, "warm")
				if drawn != strings.Contains(c.Resolved(), `"x0":"random"`) || drawn && !c.Draws ||
					warm != strings.Contains(c.Resolved(), `"doubling":"warm"`) || warm && !c.IsAnytime() {
					t.Errorf("%s: got %s, draws %v, anytime %v, want them by the options in its name", c.Spec,
						c.Resolved(), c.Draws, c.IsAnytime())
				}
				again, err := all.ResolveAlgorithms(useOf(t, c.Spec))
				if err != nil || len(again) != 1 || again[0].Resolved() != c.Resolved() ||
					len(resolvedAlgorithms) == 1 && all.AlgorithmSpec(c.Spec) != c.Spec {
					t.Errorf("%s: got %+v, error %v, want it read back", c.Spec, again, err)
				}
				bound, err := c.Bind(map[string]float64{"T": 16})
				if err != nil || strings.Contains(bound.PlayedAs(), "x0=random") != drawn ||
					strings.Contains(bound.Resolved(), `"x0":"random"`) != drawn {
					t.Errorf("%s: got played as %s, error %v, want x0=random exactly if drawn", c.Spec,
						bound.PlayedAs(), err)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s is %v, want %v", text, got, want)
			}
		})
	}
	for text, want := range map[string]string{
		"ogd:x0=randm":                  `"randm" is not a number`,
		"ogd:doubling=warm":             "doubling: warm: ogd has no parameters doubling and x0",
		"polyak-feasibility:x0=random":  "x0: random: polyak-feasibility needs a first action that is strictly",
		"sinha-vaze:doubling=hot":       `"hot" is not a boolean at character 21`,
		"sinha-vaze:x0=random,x0=1":     "given twice",
		"sinha-vaze:doubling=warm,stp=": "missing value",
	} {
		t.Run(text, func(t *testing.T) {
			u, err := spec.ParseSpec(text)
			if err == nil {
				_, err = all.ResolveAlgorithms(u)
			}
			errtest.Contains(t, err, want, "%s", text)
		})
	}
}

// The first action differs between replicates, and depends on the seed but not on the rounds.
func TestRandomFirstActionIsOfTheReplicate(t *testing.T) {
	c := algorithmOf(t, "ogd:x0=random")
	first := func(problem string, seed uint64, replicate int) []float64 {
		s := harnesstest.Start(t, problem)
		l, err := c.Learner(s, seed, replicate, 10)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, s.Set().Dim())
		l.Act(x)
		return x
	}
	one := first("iid", 1, 1)
	if !slices.Equal(one, first("iid", 1, 1)) ||
		!slices.Equal(one, first("fixed:curvature=1", 1, 1)) ||
		slices.Equal(one, first("iid", 1, 2)) || slices.Equal(one, first("iid", 2, 1)) {
		t.Errorf("got %v, of another replicate %v, of another seed %v, want three that differ", one,
			first("iid", 1, 2), first("iid", 2, 1))
	}
}
