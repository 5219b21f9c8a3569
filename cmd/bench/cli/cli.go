// Package cli is the command line of bench: each verb is one small file.
//
// A program of one's own with more algorithms or problems is a main that
// passes longer registries to [Main].
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/internal/input"
)

// The exit codes.
const (
	exitDone        = 0
	exitRegression  = 1 // a check found a regression, or a replay differed
	exitBadInput    = 2
	exitFailedCells = 3
	exitInterrupted = 130
)

// command is what is typed.
type command struct {
	Default   defaultCmd   `cmd:"" name:"bench" default:"withargs" hidden:"" help:"Run the default experiments."`
	List      listCmd      `cmd:"" help:"List algorithms, problems and experiments."`
	Run       runCmd       `cmd:"" help:"Run an experiment, and write its tables and figures."`
	Tune      tuneCmd      `cmd:"" help:"Choose parameters on rounds that the evaluation does not have."`
	Play      playCmd      `cmd:"" help:"Play one game and print its rounds, a JSON line each."`
	Hindsight hindsightCmd `cmd:"" help:"Solve for the best fixed actions on one stream."`
	Diagnose  diagnoseCmd  `cmd:"" help:"Measure which conditions of the theory a problem meets."`
	Fit       fitCmd       `cmd:"" help:"Fit the growth exponents of curves of your own."`
	Compare   compareCmd   `cmd:"" help:"Compare algorithms with a baseline on the same rounds."`
	Export    exportCmd    `cmd:"" help:"Export the results of every experiment in the store."`
	Check     checkCmd     `cmd:"" help:"Hold the growth exponents of an experiment against a reference."`
	Verify    verifyCmd    `cmd:"" help:"Replay cells of the store, and compare their numbers."`
	Import    importCmd    `cmd:"" help:"Turn a CSV file of your own into rounds."`

	Version kong.VersionFlag `help:"Print the version."`
}

const description = `Benchmarks of online convex optimisation with time-varying constraints.

Without a verb, bench reproduces the figure and the growth exponents of the
paper: it runs the default experiments, prints the exponents and writes tables
and figures under out/. Results are kept under results/ and never computed
twice. It takes the flags --store, --out and --workers of bench run.

A SPEC is name or name:key=value,key=value, such as
penalised-ftrl:gamma=25,kappa=2. Names and parameters: bench list.

Exit codes: 0 done; 1 the check found a regression; 2 bad usage or bad input;
3 some cells failed; 130 interrupted.`

// env is what verbs work with.
type env struct {
	ctx            context.Context
	stdout, stderr io.Writer
	catalog        harness.Catalog
}

// failedError says that cells failed: exit code 3.
type failedError struct{ error }

// regressionError says that something has become worse: exit code 1.
type regressionError struct{ error }

// errInterrupted says that the user stopped a verb: exit code 130.
var errInterrupted = errors.New("interrupted")

// Main runs the command line args and returns the exit code.
func Main(args []string, stdout, stderr io.Writer, catalog harness.Catalog) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt kills
	var c command
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("bench"),
		kong.Description(description),
		kong.Vars{"version": fmt.Sprintf("ocobench %s", harness.Version)},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 80}),
	)
	if err != nil {
		panic("cli: " + err.Error())
	}
	verb, err := verbOf(parser, args)
	var k *kong.Context
	if err == nil {
		k, err = parser.Parse(args)
	}
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %s\nTry: bench %s--help\n", input.Message(err.Error()), verb)
		return exitBadInput
	}
	err = k.Run(&env{ctx, stdout, stderr, catalog})
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(stderr, "bench: %s\n", input.Message(err.Error()))
	var failed *failedError
	var regression *regressionError
	switch {
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &failed):
		return exitFailedCells
	case errors.As(err, &regression):
		return exitRegression
	}
	return exitBadInput
}

// verbOf returns the verb that the command line begins with, and a blank, or
// nothing where it begins with a flag.
func verbOf(parser *kong.Kong, args []string) (string, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "", nil
	}
	var verbs []string
	for _, n := range parser.Model.Children {
		if !n.Hidden {
			verbs = append(verbs, n.Name)
		}
	}
	if !slices.Contains(verbs, args[0]) {
		return "", spec.Unknown("verb", args[0], verbs, spec.Pos{})
	}
	return args[0] + " ", nil
}

// plural says how many there are of something.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
