package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/store"
	"ocobench/report"
)

type compareCmd struct {
	storeFlags
	externalFlags
	Experiment string   `help:"The experiment in the store. Default: the only one." placeholder:"NAME" completes:"@stored"`
	Baseline   use      `help:"The algorithm that the others are compared with. Default: the first of the experiment." placeholder:"SPEC" completes:"@algorithm"`
	Metric     []string `help:"The metrics that are compared, as bench export names them; default ${default}." default:"regret_xhat,violation_soft,violation_penalty" placeholder:"NAMES" completes:"@metric"`
	JSON       bool     `help:"Print JSON."`
	Benchstat  path     `help:"Also write Go benchmark lines for benchstat, those of the baseline first." placeholder:"FILE.txt"`
}

// Help implements the verb's help.
func (*compareCmd) Help() string {
	return `All algorithms of an experiment play the same rounds, so that replicates are
compared in pairs. The table has for each problem, algorithm and metric:

    baseline       the mean of the baseline at the last round
    difference     the mean of the algorithm minus that of the baseline, with an
                   interval that resamples pairs; a smaller value is better
    of exponents   the difference of the growth exponents, with such an interval
    p of …         the p-value of the hypothesis of no such difference, adjusted
                   by Holm for all p-values of the table
    P(less)        the probability that a replicate of the algorithm ends below
                   its partner of the baseline, with the interval of Clopper and
                   Pearson

    bench run examples/quick.yaml
    bench compare --experiment quick --baseline primal-dual:step=5
    bench compare --experiment quick --benchstat quick.txt
    benchstat -col /algorithm quick.txt`
}

// Run implements the verb.
func (c *compareCmd) Run(e *env) error {
	metrics, err := metricsOf("metric", c.Metric, func(m harness.Metric) bool { return m.Exported })
	if err != nil {
		return err
	}
	if err := ofPlay("metric", metrics); err != nil {
		return err
	}
	r, damaged, err := c.load()
	if err != nil {
		return err
	}
	e.warn(damaged)
	e.warn(r.DamagedCells())
	if err := asked("metric", metrics, r.Name, measures(r.Record)); err != nil {
		return err
	}
	if len(r.Algorithms) < 2 {
		return fmt.Errorf("experiment %s has one algorithm, %s, and no other to compare with it", r.Name, r.Algorithms[0].Spec)
	}
	baseline := r.Algorithms[0].Spec
	if c.Baseline.Name != "" {
		b, err := one("--baseline", c.Baseline, e.catalog.Contenders)
		if err != nil {
			return err
		}
		wanted := e.catalog.AlgorithmSpec(b.Spec)
		k := slices.IndexFunc(r.Algorithms, func(a harness.Entrant) bool { return e.catalog.AlgorithmSpec(a.Spec) == wanted })
		if k < 0 {
			var specs []string
			for _, a := range r.Algorithms {
				specs = append(specs, a.Spec)
			}
			return fmt.Errorf("--baseline: %s is not in experiment %s (expected one of %s)", b.Spec, r.Name, strings.Join(specs, "; "))
		}
		baseline = r.Algorithms[k].Spec
	}
	end := e.stage("%s: comparing", r.Name)
	comparison, err := analysis.Compare(e.ctx, r, baseline, metrics)
	end()
	switch {
	case err != nil:
		return err
	case len(comparison.Versus) == 0:
		return fmt.Errorf("no problem of experiment %s was played by %s and another algorithm", r.Name, baseline)
	}
	if c.Benchstat != "" {
		games := slices.Clone(r.Games)
		slices.SortStableFunc(games, func(a, b *harness.Game) int { return rank(a.Algorithm, baseline) - rank(b.Algorithm, baseline) })
		write := func(w io.Writer) error { return benchmarks(w, r, games, metrics) }
		if err := writeFile(string(c.Benchstat), write); err != nil {
			return fmt.Errorf("--benchstat: %s: %w", c.Benchstat, err)
		}
	}
	a := analysis.Describe(r)
	if c.JSON {
		err = json.NewEncoder(e.stdout).Encode(comparisonAnswer{r.Name, r.Seed, r.Last(), r.Confidence, a.Computed, comparison})
	} else {
		err = e.show(report.Versus(a, comparison), 0)
		for _, v := range comparison.Versus {
			for _, w := range v.Warnings {
				fmt.Fprintf(e.stderr, "bench: warning: %s, %s, %s: %v\n", v.Problem, v.Algorithm, v.Metric, w)
			}
		}
	}
	if err == nil && r.Missing > 0 {
		return &failedError{fmt.Errorf("the store lacks %s of experiment %s; run it again to compute what is missing", plural(r.Missing, "cell"), r.Name)}
	}
	if err == nil && damaged != nil {
		return &failedError{errDamagedRecords}
	}
	return err
}

// rank is the order of games: the baseline first.
func rank(algorithm, baseline string) int {
	if algorithm == baseline {
		return 0
	}
	return 1
}

// load reads the results of the experiment. It also returns which records of others
// are damaged, where it had to look at them.
func (c *compareCmd) load() (r *harness.Results, damaged, err error) {
	s, err := store.Open(string(c.Store))
	if err != nil {
		return nil, nil, err
	}
	name := c.Experiment
	if name == "" {
		var records []store.Record
		records, damaged = s.Experiments()
		switch {
		case len(records) == 0 && damaged != nil:
			return nil, nil, damaged
		case len(records) == 0:
			return nil, nil, fmt.Errorf("no results in %s; run an experiment first, such as: bench run frequency", s.Dir())
		case len(records) > 1:
			var names []string
			for _, r := range records {
				names = append(names, r.Name)
			}
			return nil, nil, fmt.Errorf("there are several experiments in %s; name one with --experiment (one of %s)", s.Dir(), strings.Join(names, ", "))
		}
		name = records[0].Name
	}
	r, err = harness.LoadExperiment(s, name)
	return r, damaged, err
}

type comparisonAnswer struct {
	Experiment string             `json:"experiment" completes:"@stored"`
	Seed       uint64             `json:"seed"`
	Horizon    int                `json:"horizon"`
	Confidence float64            `json:"confidence"`
	Computed   []harness.Computed `json:"computed"`
	*analysis.Comparison
}
