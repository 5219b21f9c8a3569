package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/problems/recorded"
)

type importCmd struct {
	Portfolio     importPortfolio  `cmd:"" help:"Turn returns or prices of assets into rounds."`
	JobScheduling importJobs       `cmd:"" help:"Turn prices of power and a demand into rounds."`
	Regression    importRegression `cmd:"" help:"Turn features and labels that are numbers into rounds."`
	Logistic      importLogistic   `cmd:"" help:"Turn features and labels of two classes into rounds."`
	Experts       importExperts    `cmd:"" help:"Turn losses of experts into rounds."`
	Budgets       importBudgets    `cmd:"" help:"Turn costs of options and what they use of resources into rounds."`
}

// importFlags are the flags of every kind of import.
type importFlags struct {
	File path `arg:"" help:"The CSV file, with a header." placeholder:"FILE.csv"`
	sheetFlags
	Time    []string `help:"The columns of the time, or none; default: those of dates, or named such as date." placeholder:"NAMES|none"`
	Reverse bool     `help:"Reverse the lines of a file whose time falls."`
	Out     path     `help:"The file of the rounds, gzipped if it ends in .gz; default: standard output." placeholder:"FILE.jsonl"`
}

// writeRounds writes the imported rounds and describes them. It writes nothing if a number is not
// finite.
func (f *importFlags) writeRounds(e *env, name string, r *recorded.Import) error {
	p := store.CurrentProvenance()
	h := recorded.Header{Problem: "import " + name + " " + string(f.File), Version: p.Version,
		Go: p.Go, GOARCH: p.GOARCH}
	write := func(to io.Writer) error { return r.Write(to, h) }
	if err := write(io.Discard); err != nil {
		return fmt.Errorf("%s: %w; are its numbers in the right units?", input.Shown(string(f.File)), err)
	}
	if f.Out != "" {
		if err := f.Out.writeRounds("--out", write); err != nil {
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
