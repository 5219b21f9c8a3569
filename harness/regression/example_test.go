package regression_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// A snapshot of the results is taken once. After a change of the code the experiment is played
// again and compared with it. Here the change sets the weight γ of the penalty to
// zero.
func Example() {
	source := []byte("name: tiny\nhorizon: 1000\nreplicates: 5\nproblems: [{use: " +
		"shrinking}]\nalgorithms: [{use: penalised-ftrl}]")
	play := func(catalog experiment.Catalog) *run.Results {
		dir, err := os.MkdirTemp("", "regression-")
		if err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(dir)
		x, err := spec.Parse("tiny.yaml", source)
		if err != nil {
			log.Fatal(err)
		}
		plan, err := run.NewPlan(catalog, x)
		if err != nil {
			log.Fatal(err)
		}
		s, err := store.Open(dir)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := run.Run(context.Background(), plan, s, run.Options{Workers: 1}); err != nil {
			log.Fatal(err)
		}
		results, err := run.LoadExperiment(s, "tiny")
		if err != nil {
			log.Fatal(err)
		}
		return results
	}
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	reference := regression.Take(play(catalog), false)

	broken := algorithms.All[0] // penalised-ftrl
	start := broken.New
	broken.New = func(params any, s algorithms.Setup) (algorithms.Learner, error) {
		p := params.(algorithms.PenalisedFTRLParams)
		p.Gamma.Value = 0
		return start(p, s)
	}
	catalog.Algorithms = []algorithms.Algorithm{broken}
	now := regression.Take(play(catalog), false)
	report, err := regression.Compare(context.Background(), now, reference)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d of %d curves are the same\n", report.Answer, report.Same, report.Total)
	for _, d := range report.Changes {
		was, is := d.Reference.Value, d.Current.Value
		if d.Compared == "final" { // a mean that is not positive has no exponent
			fmt.Printf("%s: %.0f was %.0f, %s\n", d.Metric, is, was, d.Answer)
			continue
		}
		fmt.Printf("%s: t^%.2f was t^%.2f, %s\n", d.Metric, is, was, d.Answer)
	}
	// Output:
	// regression: 0 of 3 curves are the same
	// violation_penalty: t^1.21 was t^0.48, regression
	// violation_hard: t^1.14 was t^0.72, regression
	// regret_xhat: -936 was -53, suspicious
}
