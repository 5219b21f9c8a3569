// Command peers measures ocobench side by side with what would be used
// instead of it, and what it costs by itself; scripts/peers.sh builds what it
// needs and runs it.
//
//	peers [-quick] [-doc FILE] -dir DIR        all measurements, as Markdown
//	peers -external -dir DIR                   only those of rounds in Python
//	peers -growth [-doc FILE] -dir DIR         how the cost of a round grows with n and m
//	peers game ALGORITHM PROBLEM T [SEEDS]     one game
//	peers hindsight PROBLEM T                  one hindsight at all checkpoints
//	peers sweep WORKERS REPLICATES             many cells
//	peers external WORKERS PROBLEM T COMMAND…  games with another program
//
// The last four are what is measured, each in a process of its own; they
// print a [result]. Two sides that are compared take turns, and medians are
// reported: what disturbs a machine for a second disturbs both. Seconds are of
// CPU time, summed over threads and processes, of the work alone; only the
// sweep's are of a clock.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ocobench/report/table"
)

func main() {
	if err := runTool(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "peers: %v\n", err)
		os.Exit(1)
	}
}

// runTool does the work named by the first argument in this process, or else starts the processes
// of a whole measurement, prints its tables and writes them to a document.
func runTool(args []string) error {
	if len(args) > 0 && work[args[0]] != nil {
		r, err := work[args[0]](args[1:])
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	}
	m := measurement{budget: 45 * time.Second}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.BoolVar(&m.quick, "quick", false, "shorter games, fewer repetitions: to see that it works")
	onlyExternal := flags.Bool("external", false,
		"only rounds with a program in Python; nothing is written")
	onlyGrowth := flags.Bool("growth", false, "only how a round grows with n and m, and its figure")
	flags.StringVar(&m.dir, "dir", "", "directory of the programs that peers.sh built")
	flags.StringVar(&m.python, "python", "/usr/bin/python3", "the Python with cvxopt and scipy")
	doc := flags.String("doc", "", "Markdown `FILE` to write the tables to, between its markers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if m.quick {
		m.budget = 6 * time.Second
	}
	if *onlyExternal {
		t, err := m.externalTable()
		if err != nil {
			return err
		}
		return table.WriteMarkdown(os.Stdout, t)
	}
	// part names the markers in the document between which the text goes.
	report, part := m.peersReport, "peers.sh"
	if *onlyGrowth {
		report, part = func() (string, error) { return m.growth(filepath.Dir(*doc)) }, "growth"
	}
	text, err := report()
	fmt.Print(text)
	if err != nil { // the document stays as it is if two sides disagree
		return err
	}
	if *doc != "" {
		return insert(*doc, part, text)
	}
	return nil
}
