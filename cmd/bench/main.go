// Command bench runs benchmarks of online convex optimisation with
// time-varying constraints. See bench --help.
package main

import (
	"os"

	"ocobench/algorithms"
	"ocobench/cmd/bench/cli"
	"ocobench/harness"
	"ocobench/problems"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr,
		harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}))
}
