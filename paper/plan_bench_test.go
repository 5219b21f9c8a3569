package paper

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/problems"
)

// BenchmarkPlan measures the planning of experiments, which plays the openings
// of all pairs.
func BenchmarkPlan(b *testing.B) {
	for _, name := range []string{"frequency", "classes", "rates"} {
		b.Run("experiment="+name, func(b *testing.B) {
			x, err := Experiment(name)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := harness.NewPlan(harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
