package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/gate"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/paper"
	"ocobench/paper/table"
	"ocobench/stats"
)

type checkCmd struct {
	Baseline   path   `help:"The reference to hold the exponents against. Default: that of the experiment ci, which comes with the program." placeholder:"FILE"`
	Experiment string `help:"The experiment to play. Default: that of the reference." placeholder:"EXPERIMENT|FILE.yaml"`
	Update     bool   `help:"Write the reference anew, into the file that --baseline names."`
	Seed       *seed  `help:"Instead of the reference's seed: the rounds are others, and the comparison is less sharp." placeholder:"S"`
	Workers    count  `help:"How many cells are computed at once; results do not depend on it. Default: the number of processors." placeholder:"N"`
	JSON       bool   `help:"Print JSON."`
}

// Help implements the verb's help.
func (*checkCmd) Help() string {
	return `Plays an experiment afresh, nothing out of a store, and holds its growth
exponents against those of a reference: first bit for bit, then by statistics.

    bench check                                          the program itself
    bench check --update --experiment my.yaml --baseline my.json
    bench check --baseline my.json                       my.yaml, from then on

Exit codes: 0 nothing has become worse; 1 an exponent has grown, or a curve of
the reference is gone; 2 bad input; 3 some cells failed; 130 interrupted.`
}

// Run implements the verb.
func (c *checkCmd) Run(e *env) error {
	if c.Update && c.Baseline == "" {
		return errors.New("--update: which file? Name it with --baseline FILE (in the source of the program that is paper/reference/exponents.json)")
	}
	ref, err := c.reference()
	if err != nil {
		return err
	}
	x, source, err := c.experiment(e, ref)
	if err != nil {
		return err
	}
	if c.Seed != nil {
		x.Seed = uint64(*c.Seed)
	}
	if !c.Update {
		if err := ref.Comparable(x); err != nil {
			return fmt.Errorf("%s: %w; play that one, or make the reference anew with --update --baseline FILE", c.name(), err)
		}
	}
	r, err := playAfresh(e, x, c.Workers)
	if err != nil {
		return err
	}
	if c.Update {
		ref = gate.NewReference(r, source)
		if len(ref.Curves) == 0 {
			return fmt.Errorf("experiment %s has no curve to watch: no metric is defined at two checkpoints of the window", x.Name)
		}
		err := writeFile(string(c.Baseline), func(w io.Writer) error {
			_, err := w.Write(ref.Encode())
			return err
		})
		if err != nil {
			return fmt.Errorf("--baseline: %s: %w", c.Baseline, err)
		}
		fmt.Fprintf(e.stderr, "%s: %s of experiment %s, seed %d\n", c.Baseline, plural(len(ref.Curves), "curve"), x.Name, x.Seed)
		return nil
	}
	report, err := ref.Compare(r)
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(e.stdout).Encode(checkJSON(x.Name, report))
	} else {
		err = printReport(e.stdout, x.Name, report)
	}
	switch n := report.Count(stats.Inconclusive); {
	case err != nil:
		return err
	case report.Failed():
		return &regressionError{fmt.Errorf("%s; if that is meant, say so: bench check --update --baseline FILE", paper.GateSummary(report))}
	case n > 0:
		fmt.Fprintf(e.stderr, "bench: warning: of %s it is open whether they have become worse by %g: with more replicates it would show\n", plural(n, "curve"), stats.DefaultTolerance)
	}
	return nil
}

// name is how messages call the reference.
func (c *checkCmd) name() string {
	if c.Baseline == "" {
		return "the reference of the program"
	}
	return string(c.Baseline)
}

// maxReference is the largest size of a reference in bytes.
const maxReference = 1 << 26

// reference reads the reference: nil where one is to be made.
func (c *checkCmd) reference() (*gate.Reference, error) {
	if c.Baseline == "" {
		return paper.Reference()
	}
	data, err := input.ReadFile(string(c.Baseline), maxReference)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.Update:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("--baseline: %s: %w (expected a reference; make one with: bench check --update --experiment FILE.yaml --baseline %[1]s)", input.Shown(string(c.Baseline)), err)
	case c.Update && c.Experiment != "": // whatever it was
		return nil, nil
	}
	return gate.Decode(string(c.Baseline), data)
}

// experiment is the one to play: that of the reference, unless another is
// named, at the reference's seed. What the program calls ci it may have
// changed since the reference was made.
func (c *checkCmd) experiment(e *env, ref *gate.Reference) (*spec.Experiment, []byte, error) {
	name := c.Experiment
	switch {
	case name == "" && c.Baseline != "" && ref != nil:
		x, err := ref.Experiment(string(c.Baseline))
		if err == nil && !c.Update {
			if err = gate.Reduce(x, e.catalog); err != nil {
				err = fmt.Errorf("%s: %w", c.Baseline, err)
			}
		}
		return x, ref.Source, err
	case name == "":
		name = paper.CI
	}
	x, source, err := loadExperiment(name)
	if err == nil && ref != nil {
		x.Seed = ref.Seed
	}
	return x, source, err
}

// playAfresh plays an experiment in a store of its own: the code may have
// changed where the version of an algorithm has not.
func playAfresh(e *env, x *spec.Experiment, workers count) (*harness.Results, error) {
	plan, err := harness.NewPlan(e.catalog, x)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	_, failures, err := compute(e, plan, s, shard{}, workers, false)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	case err != nil:
		return nil, err
	case len(failures) > 0:
		return nil, &failedError{fmt.Errorf("%d of %s failed; nothing is compared", len(failures), plural(len(plan.Cells), "cell"))}
	}
	return harness.LoadExperiment(s, x.Name)
}

// printReport prints what has changed, and a line that sums it up.
func printReport(w io.Writer, name string, r *gate.Report) error {
	for _, k := range r.Gone {
		fmt.Fprintf(w, "gone: %s\n", k)
	}
	for _, k := range r.New {
		fmt.Fprintf(w, "new: %s (not in the reference)\n", k)
	}
	if len(r.Changes) > 0 {
		if err := table.WriteTerminal(w, paper.Gate(name, r)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", name, paper.GateSummary(r))
	return err
}

// checkJSON is the report as JSON has it.
func checkJSON(name string, r *gate.Report) any {
	type run struct {
		Seed       uint64           `json:"seed"`
		Provenance store.Provenance `json:"provenance"`
	}
	type change struct {
		gate.Key
		Compared  string            `json:"compared"` // exponent or final
		Reference analysis.Estimate `json:"reference"`
		Current   analysis.Estimate `json:"current"`
		Change    analysis.Estimate `json:"change"`
		Margin    float64           `json:"margin"`
		P         analysis.Number   `json:"p"`
		Adjusted  analysis.Number   `json:"p_adjusted"`
		Outcome   stats.Outcome     `json:"verdict"`
	}
	changes := []change{}
	for _, c := range r.Changes {
		compared := "exponent"
		if c.Final {
			compared = "final"
		}
		changes = append(changes, change{c.Key, compared, analysis.EstimateOf(c.Before), analysis.EstimateOf(c.After), analysis.EstimateOf(c.Estimate), c.Margin, analysis.Number(c.P), analysis.Number(c.Adjusted), c.Outcome})
	}
	verdict := r.Outcome
	if r.Failed() {
		verdict = stats.Regression
	}
	return struct {
		Experiment string        `json:"experiment"`
		Verdict    stats.Outcome `json:"verdict"`
		Curves     int           `json:"curves"`
		Same       int           `json:"same"`
		Paired     bool          `json:"paired"`
		Confidence float64       `json:"confidence"`
		Reference  run           `json:"reference"`
		Current    run           `json:"current"`
		Gone       []gate.Key    `json:"gone"`
		New        []gate.Key    `json:"new"`
		Changes    []change      `json:"changes"`
	}{name, verdict, r.Total, r.Same, r.Paired, r.Confidence, run(r.Reference), run(r.Current), list(r.Gone), list(r.New), changes}
}
