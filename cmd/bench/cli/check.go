package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/experiments"
	"ocobench/harness/gate"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/stats"
)

type checkCmd struct {
	Baseline   path   `help:"The file of the reference. Default: that of the experiment ci, which comes with the program." placeholder:"FILE"`
	Experiment string `help:"The experiment to play. Default: that of the reference." placeholder:"EXPERIMENT|FILE.yaml" completes:"@experiment"`
	Strict     bool   `help:"Exit with 1 if anything has changed at all." xor:"strict"`
	Summary    path   `help:"Write the answer to a file, as Markdown for the summary of a job." placeholder:"FILE" xor:"summary"`
	Update     bool   `help:"Write a new reference to the file of --baseline." xor:"strict,summary"`
	Seed       *seed  `help:"Seed of the rounds. Default: that of the reference. With another seed replicates are not paired, and only large changes are detected." placeholder:"S"`
	computeFlags
	externalFlags
	JSON bool `help:"Print JSON."`
}

// Help implements the verb's help.
func (*checkCmd) Help() string {
	return `bench check plays an experiment without reading stored results, and compares
its curves with a reference: first bit for bit, then by statistics. A curve is
the regret or a violation of one algorithm on one problem. The answer is one of

    the same     no bit differs
    changed      bits differ, or curves are new, and no exponent has changed
                 significantly and by more than 0.05
    suspicious   a regret or a violation has fallen, significantly and by more
    regression   one has risen, significantly and by more, or a curve is gone

    bench check                                    the experiment ci
    bench check --strict --summary check.md        in CI
    bench check --update --experiment my.yaml --baseline my.json
                                                   make a reference of my.yaml
    bench check --baseline my.json                 check my.yaml against it

Exit codes: 0 the same or changed; 1 suspicious, a regression, or a broken bound
of a theorem; with --strict also if anything has changed; 2 bad input; 3 some
cells failed; 130 interrupted.`
}

// Run implements the verb.
func (c *checkCmd) Run(e *env) error {
	if c.Update && c.Baseline == "" {
		return errors.New("--update: no file is given; name it with --baseline FILE (that of the program is " + gate.BuiltinFile + ")")
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
	if c.Update {
		return c.update(e, x, source)
	}
	if err := ref.Comparable(x); err != nil {
		return fmt.Errorf("%s: %w; play that experiment, or make a new reference with --update --baseline FILE", c.name(), err)
	}
	if err := c.openSummary(); err != nil {
		return err
	}
	r, err := playAfresh(e, x, &c.computeFlags)
	if err != nil {
		return err
	}
	end := e.stage("%s: comparing", x.Name)
	defer end()
	outcome, err := ref.Compare(r, e.catalog)
	if err != nil {
		return err
	}
	if outcome.Broken, err = brokenBounds(e.catalog, r); err != nil {
		return err
	}
	end()
	if c.JSON {
		err = json.NewEncoder(e.stdout).Encode(checkJSON(outcome))
	} else {
		err = report.WriteCheck(e.stdout, outcome)
	}
	if err == nil && c.Summary != "" {
		err = c.writeSummary(func(w io.Writer) error { return report.WriteSummary(w, outcome, c.accept()) })
	}
	if err == nil && outcome.Failed(c.Strict) {
		err = &regressionError{errors.New(report.Summary(outcome) + c.remedy(outcome))}
	}
	return err
}

// brokenBounds finds the bounds of theorems that a run breaks.
func brokenBounds(c harness.Catalog, r *harness.Results) (broken []gate.BrokenBound, err error) {
	a, err := analysis.Bounds(c, r)
	if err != nil {
		return nil, err
	}
	for _, p := range a.Pairs {
		for _, j := range p.Judgements() {
			if b := j.Bound; b != nil && b.State == analysis.Broken {
				broken = append(broken, gate.BrokenBound{
					Algorithm: p.Algorithm, Problem: p.Problem, Metric: j.Metric,
					T: int(b.T), Horizon: b.Horizon, Replicate: b.Replicate, Ratio: float64(b.Ratio.Value),
				})
			}
		}
	}
	return broken, nil
}

// update plays the experiment and writes a new reference.
func (c *checkCmd) update(e *env, x *spec.Experiment, source []byte) error {
	r, err := playAfresh(e, x, &c.computeFlags)
	if err != nil {
		return err
	}
	ref := gate.NewReference(r, source)
	if len(ref.Curves) == 0 {
		return fmt.Errorf("experiment %s has no curve to compare: no metric is defined at two checkpoints of the window", x.Name)
	}
	err = writeFile(string(c.Baseline), func(w io.Writer) error {
		_, err := w.Write(ref.Encode())
		return err
	})
	if err != nil {
		return fmt.Errorf("--baseline: %s: %w", c.Baseline, err)
	}
	fmt.Fprintf(e.stderr, "%s: %s of experiment %s, seed %d\n", c.Baseline, plural(len(ref.Curves), "curve"), x.Name, x.Seed)
	return nil
}

// openSummary writes to the file of the summary that the check has not ended, so
// that a file that cannot be written is known before anything is played.
func (c *checkCmd) openSummary() error {
	if c.Summary == "" {
		return nil
	}
	if same(c.Summary, c.Baseline) {
		return fmt.Errorf("--summary: %s is the reference, and would be overwritten", c.Summary)
	}
	if info, err := os.Stat(string(c.Summary)); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil // a pipe or a device keeps what is written first
	}
	return c.writeSummary(func(w io.Writer) error {
		_, err := io.WriteString(w, report.Unfinished)
		return err
	})
}

// same tells whether two paths are those of one file.
func same(a, b path) bool {
	fileA, errA := os.Stat(string(a))
	fileB, errB := os.Stat(string(b))
	return errA == nil && errB == nil && os.SameFile(fileA, fileB)
}

func (c *checkCmd) writeSummary(write func(io.Writer) error) error {
	if err := writeFile(string(c.Summary), write); err != nil {
		return fmt.Errorf("--summary: %s: %w", c.Summary, err)
	}
	return nil
}

// accept returns the command that accepts a change.
func (c *checkCmd) accept() string {
	experiment, baseline := c.Experiment, string(c.Baseline)
	if baseline == "" {
		experiment, baseline = cmp.Or(experiment, experiments.CI), gate.BuiltinFile
	}
	command := "bench check --update --baseline " + baseline
	if experiment != "" {
		command += " --experiment " + experiment
	}
	return command
}

// remedy says what to do if the check fails.
func (c *checkCmd) remedy(r *gate.Report) string {
	if r.Answer == gate.Same { // a bound is broken
		return ""
	}
	return "; if the change is intended, make a new reference: " + c.accept()
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
		return gate.Builtin()
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
		name = experiments.CI
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
	plan, err := e.catalog.Plan(e.ctx, host, x)
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
	if len(plan.Unmet) > 0 { // which, the summary says
		fmt.Fprintln(e.stderr, notPlayed(plan))
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

// checkJSON returns the report for JSON.
func checkJSON(r *gate.Report) any {
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
		Answer    stats.Answer      `json:"answer"`
		Open      bool              `json:"open"`
	}
	type broken struct {
		Algorithm string            `json:"algorithm"`
		Problem   string            `json:"problem"`
		Metric    algorithms.Metric `json:"metric"`
		T         int               `json:"t"`
		Horizon   int               `json:"horizon"`
		Replicate int               `json:"replicate"` // 0: the mean
		Ratio     analysis.Number   `json:"ratio"`
	}
	changes := []change{}
	for _, c := range r.Changes {
		compared := "exponent"
		if c.Final {
			compared = "final"
		}
		changes = append(changes, change{c.Key, compared, analysis.EstimateOf(c.Before), analysis.EstimateOf(c.After), analysis.EstimateOf(c.Estimate), c.Margin, analysis.Number(c.P), analysis.Number(c.Adjusted), c.Answer, c.Open})
	}
	bounds := []broken{}
	for _, b := range r.Broken {
		bounds = append(bounds, broken{b.Algorithm, b.Problem, b.Metric, b.T, b.Horizon, b.Replicate, analysis.Number(b.Ratio)})
	}
	return struct {
		Experiment string       `json:"experiment"`
		Answer     stats.Answer `json:"answer"`
		Curves     int          `json:"curves"`
		Same       int          `json:"same"`
		Paired     bool         `json:"paired"`
		Confidence float64      `json:"confidence"`
		Reference  run          `json:"reference"`
		Current    run          `json:"current"`
		Broken     []broken     `json:"broken"`
		Gone       []gate.Key   `json:"gone"`
		New        []gate.Key   `json:"new"`
		Changes    []change     `json:"changes"`
	}{r.Experiment, r.Answer, r.Total, r.Same, r.Paired, r.Confidence, run(r.Reference), run(r.Current), bounds, list(r.Gone), list(r.New), changes}
}
