package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/report"
)

// tuneCmd holds the flags of bench tune, which chooses parameters on rounds that are not used for
// evaluation.
type tuneCmd struct {
	storeFlags
	experimentArg
	Metric     []string `help:"The metrics that sum to the cost; default ${default}." default:"regret_xhat,violation_soft" placeholder:"NAMES" completes:"@metric"`
	Replicates count    `help:"The replicates; default: those of the experiment." placeholder:"R"`
	computeFlags
	externalFlags
	Out  path `help:"Write the experiment with the chosen parameters." placeholder:"FILE.yaml"`
	JSON bool `help:"Print JSON, with every cost and rank."`
}

// Run implements the verb.
func (c *tuneCmd) Run(e *env) error {
	metrics, err := metricsOfPlay(c.Metric,
		func(m game.Metric) bool { return m.Exported && m.Name != "loss" })
	if err != nil {
		return err
	}
	if err := c.Out.checkYAML("--out"); err != nil {
		return err
	}
	x, _, err := experiments.Load(c.Experiment)
	if err != nil {
		return err
	}
	for _, m := range metrics {
		if name := string(m); slices.Contains(spec.OnRequest, name) && !slices.Contains(x.Metrics, name) {
			x.Metrics = append(slices.Clone(x.Metrics), name)
		}
	}
	if err := c.Out.checkWritable("--out"); err != nil {
		return err
	}
	w, err := e.openForComputing(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	tuning, err := run.NewTuning(e.ctx, w.host, e.catalog, x, cmp.Or(int(c.Replicates), x.Replicates))
	if err != nil {
		return err
	}
	unseeded, err := tuning.Unseeded(e.ctx)
	if err != nil {
		return err
	}
	for _, p := range unseeded {
		e.warn(fmt.Errorf("%s has the same rounds for every seed: parameters are tuned on the rounds "+
			"of the evaluation", p))
	}
	for _, p := range tuning.Plan.Record().Problems {
		if p.HasWindows() && !slices.Contains(unseeded, p.Spec) {
			e.warn(fmt.Errorf("%s has windows of one file: tuning and evaluation share rounds", p.Spec))
		}
	}
	e.printUnmetCount(tuning.Plan)
	e.warn(run.HorizonWarnings(tuning.Plan, x.Horizon))
	r, p, err := w.computeAndLoad(tuning.Plan)
	if err != nil {
		return err
	}
	scores, err := tuning.Scores(r, metrics)
	if err != nil {
		return &failedError{err}
	}
	for _, warning := range tuning.ChoiceWarnings(scores, r, metrics) {
		e.warn(errors.New(warning))
	}
	answer := report.Tuning{Tuning: tuning, Metrics: metrics, Scores: scores, Unseeded: unseeded}
	if c.Out != "" {
		if err := c.Out.writeFile("--out", answer.WriteExperiment); err != nil {
			return err
		}
	}
	if c.JSON {
		err = json.NewEncoder(e.stdout).Encode(answer)
	} else {
		err = e.printTable(answer.Table(), contentWidth)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s: %s\n", tuning.Plan.Experiment.Name, p.countsText(w.store))
	return p.failedCells("; their points have the last rank")
}
