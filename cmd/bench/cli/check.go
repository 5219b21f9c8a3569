package cli

import (
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
	"ocobench/stats"
)

type checkCmd struct {
	Baseline   path   `help:"The file of the reference. Default: that of the experiment ci, which comes with the program." placeholder:"FILE"`
	Experiment string `help:"The experiment to play. Default: that of the reference." placeholder:"EXPERIMENT|FILE.yaml"`
	Update     bool   `help:"Write a new reference to the file of --baseline."`
	Seed       *seed  `help:"Seed of the rounds. Default: that of the reference. With another seed replicates are not paired, and only large changes are detected." placeholder:"S"`
	computeFlags
	JSON bool `help:"Print JSON."`
}

// Help implements the verb's help.
func (*checkCmd) Help() string {
	return `bench check plays an experiment without reading stored results, and compares
its curves with a reference: first bit for bit, then by statistics. A curve is
the regret or a violation of one algorithm on one problem.

    bench check                                    the experiment ci
    bench check --update --experiment my.yaml --baseline my.json
                                                   make a reference of my.yaml
    bench check --baseline my.json                 check my.yaml against it

Exit codes: 0 no curve has become worse; 1 a growth exponent has increased, or a
curve of the reference is missing; 2 bad input; 3 some cells failed; 130
interrupted.`
}

// Run implements the verb.
func (c *checkCmd) Run(e *env) error {
	if c.Update && c.Baseline == "" {
		return errors.New("--update: no file is given; name it with --baseline FILE (that of the program is paper/reference/exponents.json)")
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
			return fmt.Errorf("%s: %w; play that experiment, or make a new reference with --update --baseline FILE", c.name(), err)
		}
	}
	r, err := playAfresh(e, x, &c.computeFlags)
	if err != nil {
		return err
	}
	if c.Update {
		ref = gate.NewReference(r, source)
		if len(ref.Curves) == 0 {
			return fmt.Errorf("experiment %s has no curve to compare: no metric is defined at two checkpoints of the window", x.Name)
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
	report, err := ref.Compare(r, e.catalog)
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(e.stdout).Encode(checkJSON(x.Name, report))
	} else {
		err = e.printReport(x.Name, report)
	}
	switch n := report.Count(stats.Inconclusive); {
	case err != nil:
		return err
	case report.Failed():
		return &regressionError{fmt.Errorf("%s; if the change is intended, make a new reference: bench check --update --baseline FILE", paper.Summary(report))}
	case n > 0:
		fmt.Fprintf(e.stderr, "bench: warning: %s: an increase of the exponent by %g is not excluded; use more replicates\n", plural(n, "inconclusive curve"), stats.DefaultTolerance)
	}
	return nil
}

// name returns the name of the reference in messages.
func (c *checkCmd) name() string {
	if c.Baseline == "" {
		return "the reference of the program"
	}
	return string(c.Baseline)
}

// maxReference is the largest size of a reference in bytes.
const maxReference = 1 << 26

// reference reads the reference. It is nil if a new one is made that does not need
// the old one.
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
	case c.Update && c.Experiment != "": // the old content does not matter
		return nil, nil
	}
	return gate.Decode(string(c.Baseline), data)
}

// experiment returns the experiment to play and its file: the one that is named, or
// that of the reference, with the seed of the reference. Without --baseline it is
// the program's own ci, which may have changed since the reference was made.
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

// playAfresh plays an experiment with a new, temporary store. Stored results cannot
// be used, because the code of an algorithm may have changed without its version.
func playAfresh(e *env, x *spec.Experiment, f *computeFlags) (*harness.Results, error) {
	host := f.host(e)
	defer host.Close()
	plan, err := host.Plan(e.ctx, e.catalog, x)
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
	_, failures, err := compute(e, plan, s, shard{}, f.Workers, false)
	switch {
	case err != nil:
		return nil, err
	case len(failures) > 0:
		return nil, &failedError{fmt.Errorf("%d of %s failed, so nothing was compared", len(failures), plural(len(plan.Cells), "cell"))}
	}
	return harness.LoadExperiment(s, x.Name)
}

// printReport prints the table of the changes and a summary in one line.
func (e *env) printReport(name string, r *gate.Report) error {
	w := e.stdout
	for _, k := range r.Gone {
		fmt.Fprintf(w, "gone: %s\n", k)
	}
	for _, k := range r.New {
		fmt.Fprintf(w, "new: %s (not in the reference)\n", k)
	}
	if len(r.Changes) > 0 {
		if err := e.show(paper.Changes(name, r), 0); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", name, paper.Summary(r))
	return err
}

// checkJSON returns the report for JSON.
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
