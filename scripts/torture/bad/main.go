// Command bad is bench with learners and problems that misbehave.
package main

import (
	"os"

	"ocobench/cmd/bench/cli"
	"ocobench/harness/harnesstest/misbehave"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, misbehave.Catalog())) }
