package cli

import (
	"context"
	"errors"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/paper"
	"ocobench/paper/claims"
	"ocobench/report/table"
)

type claimsCmd struct {
	storeFlags
	computeFlags
	externalFlags
	Name  string `arg:"" optional:"" help:"The name or the number of a claim, or the name of a published comparison. Default: all." completes:"@claim"`
	Of    string `help:"Play published figures and tables instead: those of a paper, or of all (published)." placeholder:"PAPER" completes:"@paper"`
	Quick bool   `help:"Fewer repetitions and replicates, for a look."`
	JSON  bool   `help:"Print JSON, with the evidence."`
	Out   path   `help:"With --of, also write a page of the experiments, published.md and published.json there." placeholder:"DIR"`
}

// Run implements the verb.
func (c *claimsCmd) Run(e *env) error {
	switch {
	case c.Of != "":
		return c.published(e)
	case c.Out != "":
		return errors.New("--out: bench paper writes the files of the claims (expected --of PAPER, too)")
	}
	chosen, err := claims.Choose(c.Name)
	if err != nil {
		return err
	}
	w, err := e.compute(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	w.paper = true
	var failed error
	measured := make(map[string]*analysis.Analysis)
	for _, name := range claims.Experiments(chosen) {
		x, err := paperExperiment(name, c.Quick)
		if err != nil {
			return err
		}
		if measured[name], _, err = w.measure(x, nil); measured[name] == nil {
			return err
		}
		failed = errors.Join(failed, err)
	}
	verdicts, err := e.judge(chosen, measured, c.Quick)
	switch {
	case err != nil:
		return err
	case c.JSON:
		err = paper.WriteVerdictsJSON(e.stdout, verdicts, c.Quick)
	case c.Name != "":
		err = paper.WriteVerdict(e.stdout, verdicts[0], e.width(table.Width))
	default:
		err = e.show(paper.Verdicts(verdicts, c.Quick), table.Width)
	}
	return errors.Join(err, failed)
}

// paperExperiment returns an experiment of the article. A quick one has fewer replicates.
func paperExperiment(name string, quick bool) (*spec.Experiment, error) {
	x, err := experiments.Read(name)
	if err == nil && quick {
		x.Replicates = experiments.QuickReplicates(x.Replicates)
	}
	return x, err
}

// judge runs the checks of claims.
func (e *env) judge(chosen []*claims.Claim, measured map[string]*analysis.Analysis,
	quick bool) ([]claims.Verdict, error) {
	defer e.stage("checking %s", plural(len(chosen), "claim"))()
	verdicts, err := claims.Judge(e.ctx, e.catalog, chosen, measured, quick)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	case err != nil:
		return nil, &failedError{err}
	}
	return verdicts, nil
}
