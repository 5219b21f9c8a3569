// Command cost draws the figure of the cost of a round: it reads the output of go test
// -bench on standard input, and writes cost.pdf, cost.svg and cost.png into the directory
// that it is given. scripts/cost.sh runs the benchmarks too.
package main

import (
	"fmt"
	"os"

	"ocobench/report/figure"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -run '^$' -bench … ./harness/... | cost DIR")
		os.Exit(2)
	}
	f, err := Cost(os.Stdin)
	if err == nil {
		_, err = f.Save(os.Args[1], "cost", figure.Formats...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
