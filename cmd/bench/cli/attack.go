package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/attack"
	"ocobench/harness/experiments"
	"ocobench/internal/input"
	"ocobench/report"
)

type attackCmd struct {
	storeFlags
	externalFlags
	computeFlags
	Algorithm  use      `help:"The algorithm that is attacked." placeholder:"SPEC" completes:"@algorithm"`
	Metric     string   `help:"The metric that is to be large. Default: the violation that the algorithm claims." placeholder:"METRIC" completes:"@metric"`
	Goal       string   `help:"bound: the largest value over the bound of the theorem; value: the value after T rounds; growth: its least exponent across T/64, T/16, T/4 and T; lead: the value less that of --against. Default: bound where there is one, else value." placeholder:"GOAL" completes:"bound,value,growth,lead"`
	Against    use      `help:"A rival on the same rounds: the goal is the lead." placeholder:"SPEC" completes:"@algorithm"`
	Horizon    count    `help:"The number of rounds T." placeholder:"T"`
	Problem    []string `help:"A problem with ranges, low..high in place of a value; may be repeated. Default: schedules (bench list schedule)." placeholder:"SPEC" sep:"none" completes:"@problem"`
	Dim        []count  `help:"The dimensions of schedules; default 1,2,3." placeholder:"N"`
	Margin     float64  `help:"The least slack of every constraint of a schedule at its feasible point: a Slater margin below 1." placeholder:"ε"`
	Replicates count    `help:"The replicates of instances that are drawn; default ${default}." default:"1" placeholder:"R"`
	Budget     string   `help:"The number of instances that are played, or a time such as 10m, with which the result depends on the machine; default ${default}." default:"2000" placeholder:"N|D"`
	Rounds     count    `help:"Up to this horizon, the rounds themselves are refined; default ${default}." default:"24" placeholder:"T"`
	Seed       *seed    `help:"The seed of the search; default 1." placeholder:"S"`
	Out        path     `help:"Write what was found as an experiment, for bench run, report and --verify." placeholder:"FILE.yaml"`
	Verify     []path   `help:"Measure the finding of a file anew, in place of a search; may be repeated." placeholder:"FILE.yaml" sep:"none"`
	Figure     picture  `help:"Draw what was found, to ten times the horizon: the metric, or its value over the bound." placeholder:"FILE.pdf|.svg|.png"`
}

// Help implements the verb's help.
func (*attackCmd) Help() string {
	return `bench attack searches for the rounds on which an algorithm looks worst: over
the parameters of problems within ranges, or over schedules of a few losses and
constraints, by CMA-ES with restarts and then by steps along coordinates. Every
instance has a point that is feasible in every round, and meets what the
algorithm assumes.

    bench attack --algorithm vaze-sinha --horizon 1000 --goal value
    bench attack --algorithm guo --horizon 1000 --budget 10m --out guo.yaml
    bench attack --algorithm ogd --problem 'iid:dim=2,radius=0.1..5' --horizon 300 --metric violation_hard
    bench attack --verify guo.yaml

What is found is the worst with this budget, and never the worst there is. It is
played again on a seed that the search has not seen, and to ten times the
horizon. A value over the bound above 1 says that something is false: the code,
the theorem, or what the problem declares; bench attack then exits with 1.

With the goal growth, a schedule with a scale is a family of instances, one for
each horizon: T rounds are played with the scale T.

The same seed and number of instances find the same, for any number of workers.
Games are cells of the store: an interrupted search begins again and finds them
there. bench store gc removes those of searches that are over.`
}

// Run implements the verb.
func (c *attackCmd) Run(e *env) error {
	if len(c.Verify) > 0 {
		return c.verify(e)
	}
	q, err := c.question(e)
	if err != nil {
		return err
	}
	if err := c.Out.yaml("--out"); err != nil {
		return err
	}
	ctx, evaluations := e.ctx, math.MaxInt32
	if n, err := strconv.Atoi(c.Budget); err == nil && n > 0 {
		evaluations = n
	} else if d, err := time.ParseDuration(c.Budget); err == nil && d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
		evaluations = max(100, int(200*d.Seconds())) // at most: time ends it
	} else {
		return fmt.Errorf("--budget: %q is neither a number ≥ 1 nor a time such as 10m", input.Clip(c.Budget, 40))
	}
	x, end, err := c.search(e, q, evaluations)
	if err != nil {
		return err
	}
	defer end()
	began, said := time.Now(), math.Inf(-1)
	x.Progress = func(x *attack.Search) {
		if x.Best.Score > said {
			said = x.Best.Score
			fmt.Fprintf(e.stderr, "attack: %s after %s, %s: %s\n", short4(said), plural(x.Evaluations, "instance"), time.Since(began).Round(time.Second), x.Best.Family)
		}
	}
	found, err := x.Run(ctx)
	if e.ctx.Err() != nil {
		return fmt.Errorf("%w; finished games are stored, and the same command continues", errInterrupted)
	}
	if err != nil {
		return &failedError{err}
	}
	if x.Failed > 0 {
		fmt.Fprintf(e.stderr, "bench: warning: %s failed, the first: %v\n", plural(x.Failed, "game"), x.Failure)
	}
	f, err := c.measure(e, x, found, x.Evaluations)
	if f == nil {
		return err
	}
	return errors.Join(err, c.draw(f))
}

// draw draws findings.
func (c *attackCmd) draw(all ...*attack.Finding) error {
	return c.Figure.draw(report.FindingsFigure(all), "no value that was measured can be drawn")
}

// question is what the flags ask.
func (c *attackCmd) question(e *env) (attack.Question, error) {
	q := attack.Question{Problems: c.Problem, Horizon: int(c.Horizon), Replicates: int(c.Replicates), Seed: 1, Rounds: int(c.Rounds), Margin: c.Margin, Goal: attack.Goal(c.Goal)}
	q.Algorithm, q.Rival = c.Algorithm.Use, c.Against.Use
	if c.Algorithm.Name == "" || c.Horizon == 0 {
		return q, fmt.Errorf("attack needs --algorithm SPEC and --horizon T, or --verify FILE.yaml")
	}
	if c.Seed != nil {
		q.Seed = uint64(*c.Seed)
	}
	for _, d := range c.Dim {
		q.Dims = append(q.Dims, int(d))
	}
	if len(q.Dims) == 0 {
		q.Dims = []int{1, 2, 3}
	}
	if q.Rival.Name != "" {
		if q.Goal != "" && q.Goal != attack.Lead {
			return q, fmt.Errorf("--against: with a rival the goal is lead, not %s", q.Goal)
		}
		q.Goal = attack.Lead
	}
	all, err := e.catalog.Contenders(q.Algorithm)
	if err != nil {
		return q, err
	}
	claims := all[0].ClaimsOf(all[0].Params)
	q.Metric = algorithms.HardViolation
	if claim, ok := algorithms.Claimed(claims, algorithms.Violations); ok {
		q.Metric = claim.Metric
	}
	if c.Metric != "" {
		ms, err := metricsOf("metric", []string{c.Metric}, func(m harness.Metric) bool {
			_, claimed := algorithms.Claimed(claims, []algorithms.Metric{m.Name})
			return m.Exported || claimed
		})
		if err != nil {
			return q, err
		}
		q.Metric = ms[0]
	}
	if q.Goal == "" {
		q.Goal = attack.Value
		if claim, ok := algorithms.Claimed(claims, []algorithms.Metric{q.Metric}); ok && claim.Proven() {
			q.Goal = attack.Bound
		}
	}
	switch {
	case !(c.Margin >= 0 && c.Margin < 1):
		return q, fmt.Errorf("--margin: %v is not in [0, 1)", c.Margin)
	case !slices.Contains(attack.Goals, q.Goal):
		return q, fmt.Errorf("--goal: unknown goal %q (expected one of bound, value, growth, lead)", input.Clip(c.Goal, 40))
	case q.Goal == attack.Lead && q.Rival.Name == "":
		return q, fmt.Errorf("--goal: lead needs a rival, --against SPEC")
	case q.Goal == attack.Growth && q.Horizon < 640:
		return q, fmt.Errorf("--horizon: growth is across T/64, T/16, T/4 and T; give 640 or more")
	}
	return q, nil
}

// search starts a search.
func (c *attackCmd) search(e *env, q attack.Question, evaluations int) (*attack.Search, func(), error) {
	w, err := e.compute(c.storeFlags, &c.computeFlags)
	if err != nil {
		return nil, nil, err
	}
	w.options.Warn = e.warn
	x, err := attack.New(e.catalog, w.host, w.store, w.options, q, evaluations)
	if err != nil {
		w.host.Close()
		return nil, nil, err
	}
	return x, w.host.Close, nil
}

// verify measures findings anew.
func (c *attackCmd) verify(e *env) error {
	if c.Out != "" && len(c.Verify) > 1 {
		return fmt.Errorf("--out takes one finding, and --verify has %d", len(c.Verify))
	}
	var all []*attack.Finding
	var broken error // bounds
	for _, file := range c.Verify {
		f, err := c.verifyFile(e, string(file))
		if f == nil {
			return errors.Join(broken, err)
		}
		all, broken = append(all, f), errors.Join(broken, err)
	}
	return errors.Join(broken, c.draw(all...))
}

// verifyFile measures the finding of a file anew.
func (c *attackCmd) verifyFile(e *env, name string) (*attack.Finding, error) {
	file, _, err := experiments.Load(name)
	if err != nil {
		return nil, err
	}
	q, found, evaluations, err := attack.Read(e.catalog, file)
	if err != nil {
		return nil, err
	}
	x, end, err := c.search(e, q, evaluations)
	if err != nil {
		return nil, err
	}
	defer end()
	again, err := x.Replay(e.ctx, found)
	if err != nil {
		return nil, &failedError{fmt.Errorf("%s: %w", input.Shown(name), err)}
	}
	if !(math.Abs(again-found.Score) <= 1e-9*max(1, math.Abs(found.Score))) {
		return nil, &regressionError{fmt.Errorf("%s: %v was found, and is %v now", input.Shown(name), found.Score, again)}
	}
	f, err := c.measure(e, x, found, evaluations)
	if err != nil {
		err = fmt.Errorf("%s: %w", input.Shown(name), err)
	}
	if f != nil {
		f.Name = file.Name
	}
	return f, err
}

// measure plays what was found again, and says what came of it. The finding is nil if it
// cannot be measured.
func (c *attackCmd) measure(e *env, x *attack.Search, found attack.Instance, evaluations int) (*attack.Finding, error) {
	end := e.stage("attack: playing %s again, and to T = %d", input.Clip(found.Spec, 60), 10*x.Horizon)
	f, err := x.Measure(e.ctx, found)
	end()
	if err != nil {
		return nil, err
	}
	f.Evaluations = evaluations
	if c.Out != "" {
		name := strings.TrimSuffix(filepath.Base(string(c.Out)), filepath.Ext(string(c.Out)))
		file, err := f.Experiment(name)
		if err != nil {
			return nil, err
		}
		text := file.YAML()
		err = c.Out.text("--out", fmt.Appendf(nil, "# The worst that bench attack found with %s, ocobench %s.\n%s",
			plural(evaluations, "instance"), harness.Provenance().Version, text))
		if err != nil {
			return nil, err
		}
	}
	if err := e.show(report.Finding(&f), 0); err != nil {
		return nil, err
	}
	fmt.Fprintf(e.stdout, "bench play --algorithm '%s' --problem '%s' --horizon %d --seed %d\n", x.Contender().Spec, found.Spec, f.Horizon, f.Question.Seed)
	if f.Goal == attack.Bound && max(found.Score, f.Fresh.Score, f.Long.Score) > 1 {
		return &f, &regressionError{fmt.Errorf("a value is above the bound: the code, the theorem or what the problem declares is wrong")}
	}
	return &f, nil
}

func short4(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
