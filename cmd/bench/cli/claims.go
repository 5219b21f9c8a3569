package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ocobench/harness/analysis"
	"ocobench/harness/experiments"
	"ocobench/harness/host"
	"ocobench/harness/spec"
	"ocobench/paper"
	"ocobench/paper/claims"
	"ocobench/report/table"
)

type claimsCmd struct {
	storeFlags
	computeFlags
	Name  string `arg:"" optional:"" help:"The name or the number of a claim. Default: all." completes:"@claim"`
	Quick bool   `help:"Fewer repetitions and replicates, for a look."`
	JSON  bool   `help:"Print JSON, with the evidence."`
}

// Help implements the verb's help.
func (*claimsCmd) Help() string {
	return `bench claims tests the claims of the paper and prints a verdict for each. With a
name it prints the claim, the evidence, and the commands that show it. Verdicts are
computed from the evidence:

    holds       no check has a counterexample, and there is a proof
    holds if    there is one, and none under the condition that is named and proved
    fails       there is a counterexample
    open        neither a counterexample nor a proof
    no verdict  of an opinion

The experiments that claims need are played if the store does not have them.`
}

// Run implements the verb.
func (c *claimsCmd) Run(e *env) error {
	chosen, err := chosenClaims(c.Name)
	if err != nil {
		return err
	}
	w, err := e.compute(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	var failed error
	measured := make(map[string]*analysis.Analysis)
	for _, name := range experimentsOf(chosen) {
		x, err := paperExperiment(name, c.Quick)
		if err != nil {
			return err
		}
		if measured[name], _, err = w.measure(x, nil); measured[name] == nil {
			return err
		}
		failed = errors.Join(failed, err)
	}
	verdicts, err := judge(e, chosen, measured, c.Quick)
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

// chosenClaims returns the claim with a name or a number, or all.
func chosenClaims(name string) ([]*claims.Claim, error) {
	if name == "" {
		return claims.All(), nil
	}
	if k, err := strconv.Atoi(name); err == nil {
		if k < 1 || k > len(claims.All()) {
			return nil, fmt.Errorf("no claim %d (expected a number from 1 to %d, or a name)", k, len(claims.All()))
		}
		return claims.All()[k-1 : k], nil
	}
	c, ok := claims.Lookup(name)
	if !ok {
		var known []string
		for _, c := range claims.All() {
			known = append(known, c.Name)
		}
		return nil, spec.Unknown("claim", name, known, spec.Pos{})
	}
	return []*claims.Claim{c}, nil
}

// experimentsOf are these experiments and those that claims need besides, each once.
func experimentsOf(chosen []*claims.Claim, names ...string) []string {
	for _, c := range chosen {
		for _, name := range c.Experiments {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// paperExperiment returns an experiment of the article. A quick one has fewer replicates.
func paperExperiment(name string, quick bool) (*spec.Experiment, error) {
	x, err := experiments.Read(name)
	if err == nil && quick {
		x.Replicates = experiments.QuickReplicates(x.Replicates)
	}
	return x, err
}

// judge runs the checks of claims. The error is that of the first by number.
func judge(e *env, chosen []*claims.Claim, measured map[string]*analysis.Analysis, quick bool) ([]claims.Verdict, error) {
	defer e.stage("checking %s", plural(len(chosen), "claim"))()
	lab := &claims.Lab{Context: e.ctx, Catalog: e.catalog, Quick: quick, Experiment: func(name string) (*analysis.Analysis, error) {
		if a := measured[name]; a != nil {
			return a, nil
		}
		return nil, fmt.Errorf("experiment %s is not among those of the claim", name)
	}}
	verdicts := make([]claims.Verdict, len(chosen))
	err := host.Each(e.ctx, len(chosen), func(i int) (err error) {
		verdicts[i], err = chosen[i].Judge(lab)
		return err
	})
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	case err != nil:
		return nil, &failedError{err}
	}
	return verdicts, nil
}
