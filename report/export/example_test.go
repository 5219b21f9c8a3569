package export_test

import (
	"context"
	"log"
	"os"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/problems"
	"ocobench/report/export"
)

// Two rounds of one game, in the long form.
func Example() {
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	contenders, err := catalog.ResolveAlgorithms(spec.Use{Name: "ogd"})
	if err != nil {
		log.Fatal(err)
	}
	arenas, err := catalog.ResolveProblems(spec.Use{Name: "shrinking"})
	if err != nil {
		log.Fatal(err)
	}
	const seed, replicate, horizon = 1, 1, 2
	stream, err := arenas[0].Stream(seed, replicate)
	if err != nil {
		log.Fatal(err)
	}
	learner, err := contenders[0].Learner(stream, seed, replicate, horizon)
	if err != nil {
		log.Fatal(err)
	}
	m := game.NewMeter(stream, game.Checkpoints(horizon))
	if err := game.Play(context.Background(), learner, stream, horizon, m); err != nil {
		log.Fatal(err)
	}
	x := export.Selection{
		Results: []*run.Results{{
			Record: experiment.Record{Name: "one"},
			Games:  []*game.Game{m.Game("ogd", "shrinking", replicate, horizon)},
		}},
		Metrics: []algorithms.Metric{"loss", "violation_hard"},
	}
	if err := export.CSV(os.Stdout, x); err != nil {
		log.Fatal(err)
	}
	// Output:
	// experiment,algorithm,problem,replicate,horizon,t,metric,value
	// one,ogd,shrinking,1,2,1,loss,0
	// one,ogd,shrinking,1,2,2,loss,-1
	// one,ogd,shrinking,1,2,1,violation_hard,0
	// one,ogd,shrinking,1,2,2,violation_hard,0.29289321881345254
}
