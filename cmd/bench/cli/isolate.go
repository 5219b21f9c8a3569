package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/run/process"
)

// workerVerb makes the program a worker of one that runs with --isolate. The help does not list it.
const workerVerb = "worker"

// computeFlags says how cells are computed; results do not depend on it.
type computeFlags struct {
	Workers     count    `help:"Compute so many cells at once, with the same results; default: the processors." placeholder:"N"`
	CellTimeout duration `help:"A cell that takes longer fails; default ${default}." default:"1h" placeholder:"D"`
	Isolate     bool     `help:"Compute in processes of their own, so that a crash fails one cell."`
}

// newHost returns the host that computes cells, in this process or in isolated ones.
func (f *computeFlags) newHost(e *env) *process.Host {
	h := &process.Host{Timeout: f.CellTimeout.Duration}
	if f.Isolate {
		flags := e.external
		flags.Actions = nil // recorded actions are played in this process
		h.Command = func() *exec.Cmd { return workerCommand(commandWords(&flags)...) }
		if e.debug {
			h.Stderr = e.stderr
		}
	}
	return h
}

// workerCommand returns the command that starts this program again as a worker, with flags of other
// programs and recorded actions.
func workerCommand(externals ...string) *exec.Cmd {
	program, err := os.Executable()
	if runtime.GOOS == "linux" {
		program = "/proc/self/exe" // the same program even if another has its name by now
	}
	return &exec.Cmd{Path: program, Args: append([]string{os.Args[0], workerVerb}, externals...),
		Err: err}
}

// runWorker serves requests for cells on standard input. Output of learners must not reach the
// replies, nor their reads the requests. It ignores interrupts, and ends with its standard input.
func runWorker(externals []string, stdout, stderr io.Writer, catalog experiment.Catalog) int {
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	in := process.Lifeline(os.Stdin, func() { os.Exit(exitFailedCells) })
	os.Stdin, _ = os.Open(os.DevNull)
	os.Stdout = os.Stderr
	// With debug, replies have stacks; the program that started the worker decides whether to show
	// them.
	e := &env{ctx: context.Background(), stderr: stderr, catalog: catalog, debug: true}
	flags, err := externalsOf(externals)
	end := func() {}
	if err == nil {
		end, err = e.startExternals(&flags, nil)
	}
	if err == nil {
		defer end()
		err = run.Serve(e.catalog, in, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitFailedCells
	}
	return exitDone
}
