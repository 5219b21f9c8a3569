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
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"ocobench/harness"
	"ocobench/harness/spec"
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
	Default   defaultCmd   `cmd:"" default:"withargs" hidden:"" help:"Run the default experiments."`
	List      listCmd      `cmd:"" help:"List algorithms, problems and experiments."`
	Run       runCmd       `cmd:"" help:"Run an experiment, and write its tables and figures."`
	Play      playCmd      `cmd:"" help:"Play one game and print its rounds, a JSON line each."`
	Hindsight hindsightCmd `cmd:"" help:"Solve for the best fixed actions on one stream."`
	Export    exportCmd    `cmd:"" help:"Export the results of every experiment in the store."`
}

const description = `Benchmarks of online convex optimisation with time-varying constraints.

Without a verb, bench reproduces the figure and the growth exponents of the
paper: it runs the default experiments, prints the exponents and writes tables
and figures under out/. Results are kept under results/ and never computed
twice.

A SPEC is name or name:key=value,key=value, such as
penalised-ftrl:gamma=25,kappa=2. Names and parameters: bench list.

Exit codes: 0 done; 2 bad usage or bad input; 3 some cells failed;
130 interrupted.`

// env is what verbs work with.
type env struct {
	ctx            context.Context
	stdout, stderr io.Writer
	catalog        harness.Catalog
}

// failedError says that cells failed: exit code 3.
type failedError struct{ error }

// Main runs the command line args and returns the exit code.
func Main(args []string, stdout, stderr io.Writer, catalog harness.Catalog) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c command
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("bench"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 80}),
	)
	if err != nil {
		panic("cli: " + err.Error())
	}
	k, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n%s\n", err, usage(args))
		return exitBadInput
	}
	err = k.Run(&env{ctx, stdout, stderr, catalog})
	var failed *failedError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "bench: interrupted; what was finished is kept, and the same command goes on from there")
		return exitInterrupted
	case errors.As(err, &failed):
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitFailedCells
	}
	fmt.Fprintf(stderr, "bench: %v\n", err)
	return exitBadInput
}

// usage points to the help of the verb that was meant.
func usage(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			for _, f := range []string{"list", "run", "play", "hindsight", "export"} {
				if a == f {
					return "Try: bench " + a + " --help"
				}
			}
			break
		}
	}
	return "Try: bench --help"
}

// storeFlags are the flags of verbs that read or write results.
type storeFlags struct {
	Store string `help:"Where results are kept." default:"results" type:"path" placeholder:"DIR"`
}

// streamFlags choose one stream.
type streamFlags struct {
	Problem   string `help:"The problem." required:"" placeholder:"SPEC"`
	Horizon   string `help:"The number of rounds T." required:"" placeholder:"T"`
	Seed      uint64 `help:"From which all randomness is derived." default:"1"`
	Replicate int    `help:"Which of the independent repetitions." default:"1"`
}

// open resolves the flags.
func (f *streamFlags) open(e *env) (a harness.Arena, horizon int, err error) {
	if horizon, err = positive("--horizon", f.Horizon); err != nil {
		return a, 0, err
	}
	if f.Replicate < 1 {
		return a, 0, fmt.Errorf("--replicate %d: expected an integer ≥ 1", f.Replicate)
	}
	a, err = one("--problem", f.Problem, e.catalog.Arenas)
	return a, horizon, err
}

// one resolves a SPEC, which may not sweep.
func one[T any](flag, text string, resolve func(spec.Use) ([]T, error)) (v T, err error) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return v, fmt.Errorf("%s %w", flag, err)
	}
	all, err := resolve(u)
	switch {
	case err != nil:
		return v, fmt.Errorf("%s %w", flag, err)
	case len(all) != 1:
		return v, fmt.Errorf("%s %s: %d values are swept; give one", flag, text, len(all))
	}
	return all[0], nil
}

// positive reads an integer ≥ 1, such as 10000 or 1e4.
func positive(flag, text string) (int, error) {
	n, err := spec.ParseInt(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", flag, err)
	}
	if n < 1 {
		return 0, fmt.Errorf("%s %s: expected an integer ≥ 1", flag, text)
	}
	return n, nil
}
