package cli

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/attack"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/internal/file"
	"ocobench/internal/input"
	"ocobench/report"
)

// attackCmd holds the flags of bench attack, which searches for the rounds on which an algorithm
// looks worst, or measures findings of earlier searches anew.
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
	Rounds     count    `help:"Refine the best instance round by round up to this horizon; default ${default}." default:"24" placeholder:"T"`
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
	began, printedScore := time.Now(), math.Inf(-1)
	if limit > 0 {
		x.Until = began.Add(limit)
	}
	x.Progress = func(x *attack.Search) {
		if x.Best.Score > printedScore {
			printedScore = x.Best.Score
			fmt.Fprintf(e.stderr, "attack: %.4g after %s, %s: %s\n", printedScore,
				plural(x.Evaluations, "instance"),
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

// verifyFindings measures the findings of the files of --verify anew, and compares them with what
// the files say.
func (c *attackCmd) verifyFindings(e *env) error {
	if c.Out != "" && len(c.Verify) > 1 {
		return fmt.Errorf("--out takes one finding, and --verify has %d", len(c.Verify))
	}
	if err := errors.Join(c.Out.checkWritable("--out"),
		c.Figure.file.checkWritable("--figure")); err != nil {
		return err
	}
	var all []*attack.Finding
	var broken error // findings above the bound
	for _, file := range c.Verify {
		f, err := c.verifyFile(e, string(file))
		if f == nil {
			return errors.Join(broken, err)
		}
		all, broken = append(all, f), errors.Join(broken, err)
	}
	return errors.Join(broken, c.writeFigure(all...))
}

// verifyFile measures the finding of a file anew. It returns an error if a measured number differs
// from that of the file.
func (c *attackCmd) verifyFile(e *env, name string) (*attack.Finding, error) {
	file, _, err := experiments.Load(name)
	if err != nil {
		return nil, err
	}
	q, found, evaluations, err := attack.Read(e.catalog, file)
	if err != nil {
		return nil, err
	}
	x, w, err := c.startSearch(e, q, evaluations)
	if err != nil {
		return nil, err
	}
	defer w.host.Close()
	var changed *attack.ChangedError
	switch err := x.Verify(e.ctx, found); {
	case errors.As(err, &changed):
		return nil, &regressionError{fmt.Errorf("%s: %w", input.Shown(name), err)}
	case err != nil:
		return nil, &failedError{fmt.Errorf("%s: %w", input.Shown(name), err)}
	}
	f, err := c.measureAgain(e, x, found, evaluations)
	if err != nil {
		err = fmt.Errorf("%s: %w", input.Shown(name), err)
	}
	if f != nil {
		f.Name = file.Name
	}
	return f, err
}

// startSearch prepares a search and the workbench whose host it plays on. The caller closes the
// host.
func (c *attackCmd) startSearch(e *env, q attack.Question, evaluations int) (*attack.Search,
	*workbench, error) {
	w, err := e.openForComputing(c.storeFlags, &c.computeFlags)
	if err != nil {
		return nil, nil, err
	}
	w.options.Warn = e.warn
	x, err := attack.New(e.catalog, w.store, w.options, q, evaluations)
	if err != nil {
		w.host.Close()
	}
	return x, w, err
}

// experimentName returns the name of the experiment in the file --out: that of the file, without
// its ending.
func (c *attackCmd) experimentName() string {
	return strings.TrimSuffix(filepath.Base(string(c.Out)), filepath.Ext(string(c.Out)))
}

// writeFigure draws findings to the file of --figure.
func (c *attackCmd) writeFigure(all ...*attack.Finding) error {
	return c.Figure.writeFigure(report.FindingsFigure(all), "no value that was measured can be drawn")
}

// measureAgain plays an instance again, writes it to --out, and prints what was measured. The
// finding is nil if it cannot be measured. If a value is above the bound, it returns the finding
// and an error.
func (c *attackCmd) measureAgain(e *env, x *attack.Search, found attack.Instance,
	evaluations int) (*attack.Finding, error) {
	end := e.showStage("attack: playing %s again, and to T = %d", input.Clip(found.Spec, 60),
		10*x.Horizon)
	f, err := x.Measure(e.ctx, found)
	end()
	if err != nil {
		return nil, err
	}
	f.Evaluations = evaluations
	if c.Out != "" {
		text, err := f.YAML(c.experimentName())
		if err == nil {
			err = c.Out.writeFile("--out", file.Bytes(text))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := e.printTable(report.FindingTable(&f), contentWidth); err != nil {
		return nil, err
	}
	fmt.Fprintf(e.stdout, "bench play --algorithm '%s' --problem '%s' --horizon %d --seed %d%s\n",
		x.Attacked().Spec, found.Spec, f.Horizon, f.Question.Seed, e.external.commandText())
	if f.Falsifies() {
		return &f, &regressionError{fmt.Errorf("a value is above the bound: the code, the theorem or " +
			"what the problem declares is wrong")}
	}
	return &f, nil
}
