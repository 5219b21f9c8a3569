package clients

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/harness/external"
	"ocobench/internal/long"
)

// brokenLaws returns which laws a learner in Python breaks.
func brokenLaws(t *testing.T, script string) (laws []string) {
	t.Helper()
	program, err := external.Start(t.Context(), "mine", []string{interpreter, script},
		external.Options{Timeout: time.Minute, Forgetful: true})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	all := append(slices.Clone(algtest.Laws),
		algtest.Law{Name: "messages", Check: func(a algorithms.Algorithm) error {
			return algtest.Equal(a, program.Reordered())
		}})
	for _, law := range all {
		if _, err := law.Test(program.Algorithm()); err != nil {
			laws = append(laws, law.Name)
			t.Logf("%s: %v", law.Name, err)
		}
	}
	return laws
}

// The examples keep all laws of learners. The sample leaves out those that
// TestExamplesPlayAsTheirAlgorithms plays.
func TestExamplesKeepAllLaws(t *testing.T) {
	if testing.Short() {
		t.Skip("plays hundreds of games in Python")
	}
	long.Run(t, func(t *testing.T, whole bool) {
		for _, c := range []struct {
			script, module string
			plays          bool // in TestExamplesPlayAsTheirAlgorithms, too
		}{
			{"../examples/mine.py", "json", false},
			{"../examples/penalty.py", "json", false},
			{"python/examples/ogd.py", "json", true},
			{"python/examples/primal_dual.py", "numpy", true},
			{"python/examples/penalised_ftrl.py", "scipy", true},
		} {
			if c.plays && !whole {
				continue
			}
			t.Run(filepath.Base(c.script), func(t *testing.T) {
				needs(t, c.module)
				t.Setenv("PYTHONPATH", "python")
				if laws := brokenLaws(t, c.script); laws != nil {
					t.Errorf("it breaks %v, want none", laws)
				}
			})
		}
	})
}
