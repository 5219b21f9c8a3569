// Command own is bench with an algorithm and a problem of its own:
//
//	go run . list algorithms
//	go run . run own.yaml
//	go run . play --algorithm penalty-descent:rho=3 --problem turning --horizon 10
//
// The directory is a module of its own and imports exported names only. The
// file algorithm.go has the algorithm, problem.go the problem, and own_test.go
// runs the conformance suites on both.
package main

import (
	"os"
	"slices"

	"ocobench/algorithms"
	"ocobench/cmd/bench/cli"
	"ocobench/harness/experiment"
	"ocobench/problems"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, experiment.Catalog{
		Algorithms: append(slices.Clip(algorithms.All), penaltyDescent),
		Problems:   append(slices.Clip(problems.All), turning),
	}))
}
