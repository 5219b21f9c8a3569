package run_test

import (
	"context"
	"fmt"
	"os"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// The whole way, from an experiment to regret and violation. On shrinking the
// constraint is x ≤ 1/√t and the loss −x, and ogd is blind to constraints: it
// plays 0 once and 1 ever after. After 100 rounds its loss is −99, against −10
// of the best action that satisfies all constraints, and it has violated them
// by Σ_{t=2}^{100} (1 − 1/√t).
func Example() {
	e, err := spec.Parse("example.yaml", []byte(`
name: example
horizon: 100
replicates: 1
problems: [{use: shrinking}]
algorithms: [{use: ogd}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := run.NewPlan(experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All},
		e)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	failures, err := run.Run(context.Background(), plan, s, run.Options{
		Workers: 2,
		Progress: func(c *experiment.Cell, found bool, err error) {
			if c.Kind == store.Game {
				fmt.Println(c, found, err)
			}
		},
	})
	if err != nil || len(failures) > 0 {
		fmt.Println(failures, err)
		return
	}
	results, err := run.LoadExperiment(s, "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range results.Games {
		for _, metric := range []algorithms.Metric{"loss", "regret_xmin", "violation_soft"} {
			values := g.Metric(metric)
			fmt.Printf("%s at t=%v: %.2f\n", metric, g.T()[len(g.T())-1], values[len(values)-1])
		}
	}
	// Output:
	// ogd on shrinking, horizon 100, replicate 1 false <nil>
	// loss at t=100: -99.00
	// regret_xmin at t=100: -89.00
	// violation_soft at t=100: 80.41
}
