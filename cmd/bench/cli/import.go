package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"ocobench/harness"
	"ocobench/internal/input"
	"ocobench/problems/rounds"
)

type importCmd struct {
	Portfolio     importPortfolio  `cmd:"" help:"Turn returns or prices of assets into rounds."`
	JobScheduling importJobs       `cmd:"" help:"Turn prices of power and a demand into rounds."`
	Regression    importRegression `cmd:"" help:"Turn features and labels that are numbers into rounds."`
	Logistic      importLogistic   `cmd:"" help:"Turn features and labels of two classes into rounds."`
	Experts       importExperts    `cmd:"" help:"Turn losses of experts into rounds."`
}

// importFlags are the flags of every kind of import.
type importFlags struct {
	File   path     `arg:"" help:"The CSV file, with a header." placeholder:"FILE.csv"`
	Ignore []string `help:"Columns that are not read. Dates are left out in any case." placeholder:"NAMES"`
	// where a number is missing nobody but the user knows whether the line may be left out
	Missing string `help:"What to do with a line that lacks a number (an empty cell, NA, N/A, NaN, null or -): error or skip; default ${default}." enum:"error,skip" default:"error" placeholder:"error|skip"`
	Out     path   `help:"The file of the rounds. Default: standard output." placeholder:"FILE.jsonl"`
}

// write writes the rounds, or nothing if a number is not finite, and says what they are.
func (f *importFlags) write(e *env, name string, r *rounds.Import) error {
	p := harness.Provenance()
	h := rounds.Header{Problem: "import " + name + " " + string(f.File), Version: p.Version, Go: p.Go,
		GOARCH: p.GOARCH}
	write := func(to io.Writer) error { return r.Write(to, h) }
	if err := write(io.Discard); err != nil {
		return fmt.Errorf("%s: %w; are its numbers in the right units?", input.Shown(string(f.File)), err)
	}
	if f.Out != "" {
		if err := f.Out.write("--out", write); err != nil {
			return err
		}
	} else {
		out := bufio.NewWriterSize(e.stdout, 1<<16)
		if err := errors.Join(write(out), out.Flush()); err != nil {
			return err
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintln(e.stderr, input.Message(note))
	}
	switch scarce, err := r.Scarce(); {
	case err != nil:
		fmt.Fprintf(e.stderr, "bench: warning: it could not be determined whether some fixed action "+
			"meets the constraints: %v\n", err)
	case scarce != "":
		e.warn(fmt.Errorf("no fixed action meets the constraints on average over the %s: X^max is "+
			"empty; %s", plural(r.Count, "round"), scarce))
	}
	fmt.Fprintf(e.stderr, "%s in %s with %s", plural(r.Count, "round"),
		plural(r.Domain.Dim(), "dimension"), plural(r.Constraints, "constraint"))
	if out := input.Shown(string(f.Out)); out != "" {
		fmt.Fprintf(e.stderr, " in %s; play them with --problem trace:file=%s --horizon %d", out, out,
			r.Count)
	}
	_, err := fmt.Fprintln(e.stderr)
	return err
}
