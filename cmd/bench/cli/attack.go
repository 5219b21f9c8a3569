package cli

import (
	"errors"
	"fmt"
	"math"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/attack"
	"ocobench/harness/experiment/spec"
	"ocobench/internal/input"
)

type attackCmd struct {
	storeFlags
	externalFlags
	computeFlags
	Algorithm  use      `help:"The algorithm that is attacked." placeholder:"SPEC" completes:"@algorithm"`
	Metric     string   `help:"The metric to make large; default: the violation that is claimed." placeholder:"METRIC" completes:"@metric"`
	Goal       string   `help:"bound, value (after T rounds), growth (the least exponent across T/64, T/16, T/4 and T) or lead (over --against); default: bound, else value." placeholder:"GOAL" completes:"bound,value,growth,lead"`
	Against    use      `help:"A rival on the same rounds: the goal is the lead." placeholder:"SPEC" completes:"@algorithm"`
	Horizon    count    `help:"The number of rounds T." placeholder:"T"`
	Problem    []string `help:"A problem with ranges, low..high; repeatable. Default: schedules (bench list schedule)." placeholder:"SPEC" sep:"none" completes:"@problem"`
	Dim        []count  `help:"The dimensions of schedules; default 1,2,3." placeholder:"N"`
	Margin     float64  `help:"The Slater margin of schedules, below 1." placeholder:"ε"`
	Replicates count    `help:"The replicates of an instance; default ${default}." default:"1" placeholder:"R"`
	Budget     string   `help:"The number of instances, or a time such as 10m; default ${default}." default:"2000" placeholder:"N|D"`
	Rounds     count    `help:"Refine single rounds up to this horizon; default ${default}." default:"24" placeholder:"T"`
	Seed       *seed    `help:"The seed of the search; default 1." placeholder:"S"`
	Out        path     `help:"Write what was found as an experiment, for bench run and --verify." placeholder:"FILE.yaml"`
	Verify     []path   `help:"Measure the finding of a file anew; repeatable." placeholder:"FILE.yaml" sep:"none"`
	Figure     picture  `help:"Draw the metric, or its value over the bound, to ten times the horizon." placeholder:"FILE.pdf|.svg|.png"`
}

// Run implements the verb.
func (c *attackCmd) Run(e *env) error {
	if c.Out != "" {
		if err := spec.CheckExperimentName(c.experimentName()); err != nil {
			return fmt.Errorf("--out: %s: the name of the file is that of an experiment: %w",
				input.Shown(string(c.Out)), err)
		}
	}
	if len(c.Verify) > 0 {
		return c.verifyFindings(e)
	}
	q := attack.Question{
		Algorithm: c.Algorithm.Use, Rival: c.Against.Use, Metric: algorithms.Metric(c.Metric),
		Goal:     attack.Goal(c.Goal),
		Problems: c.Problem, Horizon: int(c.Horizon), Margin: c.Margin, Replicates: int(c.Replicates),
		Seed: 1, Rounds: int(c.Rounds),
	}
	if c.Seed != nil {
		q.Seed = uint64(*c.Seed)
	}
	for _, d := range c.Dim {
		q.Dims = append(q.Dims, int(d))
	}
	q, err := q.Complete(e.catalog)
	if err != nil {
		return err
	}
	if err := c.Out.checkYAML("--out"); err != nil {
		return err
	}
	if err := errors.Join(c.Out.checkWritable("--out"),
		c.Figure.file.checkWritable("--figure")); err != nil {
		return err
	}
	evaluations, limit, err := attack.ParseBudget(c.Budget)
	if err != nil {
		return err
	}
	x, w, err := c.startSearch(e, q, evaluations)
	if err != nil {
		return err
	}
	defer w.host.Close()
	began, said := time.Now(), math.Inf(-1)
	if limit > 0 {
		x.Until = began.Add(limit)
	}
	x.Progress = func(x *attack.Search) {
		if x.Best.Score > said {
			said = x.Best.Score
			fmt.Fprintf(e.stderr, "attack: %.4g after %s, %s: %s\n", said, plural(x.Evaluations, "instance"),
				time.Since(began).Round(time.Second), x.Best.Family)
		}
	}
	found, err := x.Run(e.ctx)
	if e.ctx.Err() != nil {
		return fmt.Errorf("%w; finished games are stored, and the same command continues", errInterrupted)
	}
	if err != nil {
		return &failedError{err}
	}
	if x.Failed > 0 {
		e.warn(fmt.Errorf("%s failed, the first: %w", plural(x.Failed, "game"), x.Failure))
	}
	f, err := c.measureAgain(e, x, found, x.Evaluations)
	if f == nil {
		return err
	}
	return errors.Join(err, c.writeFigure(f))
}
