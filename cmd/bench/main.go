// Command bench runs benchmarks of online convex optimisation with
// time-varying constraints. See bench --help.
package main

import (
	"os"

	"ocobench/algorithms"
	"ocobench/cmd/bench/cli"
	"ocobench/harness/experiment"
	"ocobench/problems"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr,
		experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}))
}
