package report

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
	"ocobench/problems"
)

// BenchmarkPlan measures the planning of experiments, which plays the openings
// of all pairs.
func BenchmarkPlan(b *testing.B) {
	for _, name := range []string{"frequency", "classes", "rates"} {
		b.Run("experiment="+name, func(b *testing.B) {
			x, err := experiments.Read(name)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := run.NewPlan(experiment.Catalog{
					Algorithms: algorithms.All, Problems: problems.All,
				}, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
