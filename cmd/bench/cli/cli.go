// Package cli is the command line of bench. Each verb has a file of its name, with its flags and
// its method Run. [Main] starts one of them:
//
//	arguments → parser → runVerb → exit code
//
//	cli.go                     Main, the list of verbs, exit codes
//	flags.go, values.go        flags and types of values that several verbs have
//	workbench.go, output.go    the steps of verbs that run experiments, and what they write
//	progress.go, fitting.go    bars and lines of progress
//	print.go                   tables and JSON on standard output
//
// A program with more algorithms or problems is a main that passes longer registries
// to [Main].
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"ocobench/cmd/bench/completion"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/external"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/internal/build"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/export"
	"ocobench/report/table"
)

// The exit codes.
const (
	exitDone        = 0
	exitRegression  = 1 // a check failed, a replay differed, or a law is broken
	exitBadInput    = 2
	exitFailedCells = 3
	exitInterrupted = 130
)

// command is the root of the command line. A field is a verb; bench --help groups them by purpose.
type command struct {
	Default defaultCmd `cmd:"" name:"bench" default:"withargs" hidden:"" help:"Run the default experiments."`

	New    newCmd    `cmd:"" group:"experiments" help:"Write a folder with an experiment, a learner and a problem of your own."`
	List   listCmd   `cmd:"" group:"experiments" help:"List algorithms, problems and experiments."`
	Run    runCmd    `cmd:"" group:"experiments" help:"Run an experiment, and write its tables and figures."`
	Tune   tuneCmd   `cmd:"" group:"experiments" help:"Choose parameters on rounds that are not used for evaluation."`
	Table  tableCmd  `cmd:"" group:"experiments" help:"Print one table of an experiment in the store, for a terminal or an article."`
	Figure figureCmd `cmd:"" group:"experiments" help:"Draw one figure of an experiment in the store, for an article."`
	Report reportCmd `cmd:"" group:"experiments" help:"Make a page for a browser of what the store has, alone or beside another store."`
	Slurm  slurmCmd  `cmd:"" group:"experiments" help:"Run an experiment as a job array of a Slurm cluster."`
	Status statusCmd `cmd:"" group:"experiments" help:"Say how far an experiment is: cells done, failed and missing, and the time left."`

	Play      playCmd      `cmd:"" group:"games" help:"Play one game and print each round as a line of JSON."`
	Hindsight hindsightCmd `cmd:"" group:"games" help:"Solve for the best fixed actions in hindsight."`
	Diagnose  diagnoseCmd  `cmd:"" group:"games" help:"Measure which conditions of the theory a problem meets."`
	Score     scoreCmd     `cmd:"" group:"games" help:"Score actions that another program played."`

	Compare compareCmd `cmd:"" group:"judging" help:"Compare algorithms with a baseline on the same rounds."`
	Fit     fitCmd     `cmd:"" group:"judging" help:"Fit growth exponents to the curves in a CSV file."`
	Check   checkCmd   `cmd:"" group:"judging" help:"Compare the curves of an experiment with a reference."`
	Attack  attackCmd  `cmd:"" group:"judging" help:"Search for the rounds on which an algorithm looks worst."`
	Conform conformCmd `cmd:"" group:"judging" help:"Check the laws that every algorithm and every problem keeps."`

	Store  storeCmd  `cmd:"" group:"store" help:"List what a store has, show a cell, remove, and pack."`
	Export exportCmd `cmd:"" group:"store" help:"Export the results of every experiment in the store."`
	Verify verifyCmd `cmd:"" group:"store" help:"Compute cells of the store again and compare their numbers."`

	Claims claimsCmd `cmd:"" group:"paper" help:"Test the claims of the paper, and print a verdict for each."`
	Paper  paperCmd  `cmd:"" group:"paper" help:"Make the article about Penalised FTRL: its experiments, tables, figures and claims."`

	Import     importCmd     `cmd:"" group:"programs" help:"Turn a CSV file into rounds that algorithms can play."`
	Serve      serveCmd      `cmd:"" group:"programs" help:"Play rounds with another program over its standard input and output."`
	Completion completionCmd `cmd:"" group:"programs" help:"Print the script that completes command lines in a shell."`

	Debug   bool             `help:"Show stacks of panics, and the standard error of workers."`
	Version kong.VersionFlag `help:"Print the version."`
}

// verbGroups lists the groups of verbs in the help.
var verbGroups = []kong.Group{
	{Key: "experiments", Title: "Experiments:"},
	{Key: "games", Title: "Single games:"},
	{Key: "judging", Title: "Judging:"},
	{Key: "store", Title: "The store:"},
	{Key: "paper", Title: "The paper:"},
	{Key: "programs", Title: "Other programs:"},
}

// env holds what a verb needs from the process: its outputs, the catalog, and the programs started.
type env struct {
	ctx              context.Context
	stdout, stderr   io.Writer
	catalog          experiment.Catalog
	debug            bool
	external         externalFlags          // of the verb that runs
	programs         []*external.Program    // that these flags started, in their order
	atEnd            []func()               // what removes temporary files of the verb
	clearProgressBar atomic.Pointer[func()] // removes the bar on the terminal; nil if there is none
}

// printError prints an error, and the stack of a panic if it is asked for.
func (e *env) printError(err error) { io.WriteString(e.stderr, e.errorText(err)) }

// errorText returns the text of [env.printError].
func (e *env) errorText(err error) string {
	text := fmt.Sprintf("bench: %s\n", input.Message(err.Error()))
	var crash *game.CrashError
	if e.debug && errors.As(err, &crash) {
		text += crash.Stack
	}
	return text
}

// failedError reports failed cells: exit code 3.
type failedError struct{ error }

// Unwrap returns the error that says what failed.
func (e *failedError) Unwrap() error { return e.error }

// regressionError reports an unwanted change that a check or a replay found, or a broken law: exit
// code 1.
type regressionError struct{ error }

// errInterrupted reports an interrupted verb: exit code 130.
var errInterrupted = errors.New("interrupted")

// heapFloor reserves memory that is never touched. The garbage collector counts it and so runs less
// often; without it, collection took a tenth of the time of a short run.
var heapFloor = sync.OnceValue(func() []byte { return make([]byte, 64<<20) })

// Main runs the command line args and returns the exit code. With --isolate the
// program starts itself again, with os.Args[0] and the arguments that make it a
// worker: a main of one's own passes os.Args[1:], and does nothing before that a
// worker should not do.
func Main(args []string, stdout, stderr io.Writer, catalog experiment.Catalog) (code int) {
	defer runtime.KeepAlive(heapFloor())
	if len(args) > 0 && args[0] == workerVerb {
		return runWorker(args[1:], stdout, stderr, catalog)
	}
	if n, err := strconv.Atoi(os.Getenv("SLURM_CPUS_PER_TASK")); err == nil && n > 0 &&
		os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(n) // the processors that Slurm gives; the workers are as many
	}
	signals := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(os.Interrupt) { // by nohup, or for a background job
		signals = append(signals, os.Interrupt)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	args = helpAsFlag(args)
	var c command
	exited := -1
	parser := c.newParser(stdout, stderr, func(code int) { exited = code }, hideOtherVerbs(args)...)
	if len(args) > 0 && args[0] == completeVerb {
		for _, c := range completion.Complete(parser.Model.Node, args[1:], catalog) {
			fmt.Fprintf(stdout, "%s\t%s\n", c.Word, c.Doc)
		}
		return exitDone
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
		fmt.Fprintf(stderr, "bench: %s\nTry: bench %s--help\n",
			input.Message(input.Clip(err.Error(), maxMessageChars)), verb)
		return exitBadInput
	}
	out := &stdoutWriter{Writer: stdout}
	e := &env{ctx: ctx, stdout: out, stderr: stderr, catalog: catalog, debug: c.Debug}
	err = runVerb(k, e)
	for _, f := range e.atEnd {
		f()
	}
	if err == nil {
		err = out.err
	}
	if err == nil {
		return exitDone
	}
	e.printError(err)
	return exitCode(err)
}

// maxMessageChars limits the characters shown of a message about the command line, which may have
// many lines.
const maxMessageChars = 1000

// stdoutWriter wraps standard output and keeps the first error of a write, so that a verb that
// could not write all of its data does not end with exit code 0.
type stdoutWriter struct {
	io.Writer
	err error
}

// Write implements [io.Writer].
func (o *stdoutWriter) Write(p []byte) (n int, err error) {
	n, err = o.Writer.Write(p)
	o.err = cmp.Or(o.err, err)
	return n, err
}

// exitCode returns the exit code of an error. An error of the store or a full disk is bad input,
// even where it interrupts cells.
func exitCode(err error) int {
	var store *run.StoreError
	var failed *failedError
	var crash *game.CrashError
	var regression *regressionError
	switch {
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &store), errors.Is(err, syscall.ENOSPC):
		return exitBadInput
	case errors.As(err, &failed), errors.As(err, &crash):
		return exitFailedCells
	case errors.As(err, &regression):
		return exitRegression
	}
	return exitBadInput
}

// helpAsFlag rewrites the arguments help VERB to VERB --help, and version to --version.
func helpAsFlag(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "version":
		return []string{"--version"}
	}
	return args
}

// helpVariables returns the values for ${} in the help of flags: lists that other packages hold.
func helpVariables() kong.Vars {
	values, _ := report.CellValues()
	return kong.Vars{
		"version": fmt.Sprintf("ocobench %s", build.Version), "values": strings.Join(values, ", "),
		"exports": strings.Join(export.Extensions(), "|"),
		"formats": strings.Join(report.ExtraFormats(), ", "),
		"tables":  strings.Join(table.Names(), ", "), "tablefiles": strings.Join(table.Extensions(), "|"),
	}
}

// hideOtherVerbs removes all verbs but the first of args from the grammar, if that is a verb:
// building the grammar of every verb takes a third of the start of the program.
func hideOtherVerbs(args []string) []kong.Option {
	var fields []string
	found := false
	for f := range reflect.TypeFor[command]().Fields() {
		_, verb := f.Tag.Lookup("cmd")
		_, hidden := f.Tag.Lookup("hidden")
		switch {
		case verb && !hidden && len(args) > 0 && args[0] == strings.ToLower(f.Name):
			found = true
		case verb:
			fields = append(fields, f.Name)
		}
	}
	if !found {
		return nil
	}
	return []kong.Option{kong.IgnoreFields(`^command\.(` + strings.Join(fields, "|") + `)$`)}
}

// newParser returns the parser of the command line. It calls exit after --help and --version.
func (c *command) newParser(stdout, stderr io.Writer, exit func(code int),
	options ...kong.Option) *kong.Kong {
	parser, err := kong.New(c, append(options,
		kong.Name("bench"),
		kong.Description(helpOf("bench")),
		helpVariables(),
		kong.ExplicitGroups(verbGroups),
		kong.Writers(stdout, stderr),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 80}),
	)...)
	if err != nil {
		panic("cli: " + err.Error())
	}
	for _, verb := range parser.Model.Leaves(true) {
		verb.Detail = helpOf(strings.ReplaceAll(verb.Path(), " ", "-"))
	}
	return parser
}

// cancelGracePeriod limits the time that an interrupted verb has to end by itself.
const cancelGracePeriod = 1500 * time.Millisecond

// runVerb runs the verb and returns its error. It returns errInterrupted once the user has
// interrupted the verb, whether or not that has ended. A panic becomes an error.
func runVerb(k *kong.Context, e *env) (err error) {
	done := make(chan error, 1)
	go func() {
		err := errors.New("the verb ended its goroutine") // unless it returns or panics
		defer func() {
			if v := recover(); v != nil {
				err = game.Panicked(v)
			}
			done <- err
		}()
		verb := k.Selected().Target.Addr().Interface()
		if v, ok := verb.(interface{ externals() *externalFlags }); ok {
			end, startErr := e.startExternals(v.externals(), verb)
			if startErr != nil {
				err = startErr
				return
			}
			defer end()
		}
		err = k.Run(e)
	}()
	select {
	case err = <-done:
	case <-e.ctx.Done():
		// A bar that is still there would be drawn over the message.
		if removeBar := e.clearProgressBar.Load(); removeBar != nil {
			(*removeBar)()
		}
		fmt.Fprintln(e.stderr, "bench: ending; a second interrupt ends at once")
		select {
		case err = <-done:
		case <-time.After(cancelGracePeriod):
		}
	}
	if e.ctx.Err() != nil && !errors.Is(err, errInterrupted) {
		return errInterrupted
	}
	return err
}

// verbOf returns the verb at the beginning of the command line with a blank at its end, such as
// "check " or "import budgets ". It returns "" if the command line begins with a flag.
func verbOf(parser *kong.Kong, args []string) (string, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "", nil
	}
	var verbs []string
	for _, n := range parser.Model.Children {
		if n.Hidden {
			continue
		}
		verbs = append(verbs, n.Name)
		if n.Name == args[0] && len(args) > 1 {
			for _, below := range n.Children {
				if below.Name == args[1] {
					return n.Name + " " + below.Name + " ", nil
				}
			}
		}
	}
	if !slices.Contains(verbs, args[0]) {
		return "", spec.Unknown("verb", args[0], verbs, spec.Pos{})
	}
	return args[0] + " ", nil
}

// warn prints a warning, or a line for each of the errors that it joins.
func (e *env) warn(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, part := range joined.Unwrap() {
			e.warn(part)
		}
	} else if err != nil {
		fmt.Fprintf(e.stderr, "bench: warning: %s\n", input.Message(err.Error()))
	}
}

// plural returns a number with a noun, such as "2 cells".
func plural(n int, noun string) string { return input.Plural(n, noun) }
