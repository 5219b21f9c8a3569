package run_test

import (
	"fmt"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// The whole path of a cell, as a run computes it: generation, learner,
// metrics, trace. Of an iteration only whole games make sense: a round costs
// more the later it is. Run one of the long ones as
//
//	go test -run '^$' -bench 'FTRL/problem=iid/n=10/m=1/T=100000' -benchtime 1x ./harness

func BenchmarkPrimalDual(b *testing.B) {
	game(b, "problem=decaying-frequency", "primal-dual", "decaying-frequency", 10_000)
	game(b, "problem=iid/n=10/m=1", "primal-dual", "iid:dim=10", 10_000)
}

func BenchmarkGradient(b *testing.B) {
	for _, a := range []string{"ogd", "primal-dual-average"} {
		game(b, "algorithm="+a+"/problem=iid/n=10/m=1", a, "iid:dim=10", 10_000)
	}
}

func BenchmarkFTRL(b *testing.B) {
	for _, t := range []int{10_000, 100_000, 1_000_000} {
		game(b, "problem=decaying-frequency", "penalised-ftrl", "decaying-frequency", t)
	}
	for _, k := range []int{3, 5} {
		for _, t := range []int{1000, 10_000, 100_000} {
			game(b, fmt.Sprintf("problem=family/n=3/K=%d", k), "penalised-ftrl",
				fmt.Sprintf("family:dim=3,functions=%d,kind=quadratic", k), t)
		}
	}
	for _, n := range []int{2, 10, 50} {
		for _, m := range []int{1, 3} {
			for _, t := range []int{1000, 10_000, 100_000} {
				game(b, fmt.Sprintf("problem=iid/n=%d/m=%d", n, m), "penalised-ftrl",
					fmt.Sprintf("iid:dim=%d,constraints=%d", n, m), t)
			}
		}
	}
}

// BenchmarkNewton measures games whose rounds are minimisations by Newton steps, in
// many dimensions.
func BenchmarkNewton(b *testing.B) {
	for _, problem := range []string{"job-scheduling", "fog-offloading", "logistic", "portfolio"} {
		game(b, "problem="+problem, "penalised-ftrl", problem, 1000)
	}
}

func BenchmarkHindsight(b *testing.B) {
	for _, t := range []int{10_000, 100_000} {
		cells(b, "problem=iid/n=10/m=3", store.Hindsight, "ogd", "iid:dim=10,constraints=3", t)
	}
	for _, t := range []int{300, 3000} { // fixed constraints: the same memory
		cells(b, "problem=doubly-stochastic", store.Hindsight, "ogd", "doubly-stochastic", t)
	}
}

func game(b *testing.B, name, algorithm, problem string, horizon int) {
	cells(b, name, store.Game, algorithm, problem, horizon)
}

// cells computes cells of this kind, one an iteration.
func cells(b *testing.B, name, kind, algorithm, problem string, horizon int) {
	b.Run(fmt.Sprintf("%s/T=%d", name, horizon), func(b *testing.B) {
		if testing.Short() && horizon > 10_000 {
			b.Skip("a long game")
		}
		e := &spec.Experiment{Name: "bench", Horizon: []int{horizon}, Replicates: 1, Seed: 1}
		e.Algorithms, e.Problems = use(b, algorithm), use(b, problem)
		plan, err := run.NewPlan(experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All},
			e)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			for _, c := range plan.Cells {
				if c.Kind != kind {
					continue
				}
				if _, err := run.Compute(b.Context(), nil, c); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(horizon), "ns/round")
	})
}

func use(b *testing.B, text string) []spec.Use {
	u, err := spec.ParseSpec(text)
	if err != nil {
		b.Fatal(err)
	}
	return []spec.Use{u}
}
