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
	"ocobench/paper"
	"ocobench/paper/table"
)

type compareCmd struct {
	storeFlags
	Experiment string   `help:"Which of the experiments in the store; default: the only one." placeholder:"NAME"`
	Baseline   use      `help:"The algorithm that the others are compared with; default: the first of the experiment." placeholder:"SPEC"`
	Metric     []string `help:"What is compared, less being better; default ${default}." default:"regret_xhat,violation_soft,violation_penalty" placeholder:"NAMES"`
	JSON       bool     `help:"Print JSON."`
	Benchstat  path     `help:"Write Go benchmark lines for benchstat too, those of the baseline first." placeholder:"FILE.txt"`
}

// Help implements the verb's help.
func (*compareCmd) Help() string {
	return `All algorithms of an experiment play on the same rounds, so that replicate can be
held against replicate. For each problem, algorithm and metric:

    difference     of the means at the last round, the algorithm's less the
                   baseline's, with an interval that resamples pairs
    of exponents   the same of the growth exponents
    p              of no difference, corrected by Holm for all p-values shown
    P(less)        the probability that a replicate ends below its partner, with
                   the interval of Clopper and Pearson

    bench run examples/quick.yaml
    bench compare --experiment quick --baseline primal-dual:step=5
    bench compare --experiment quick --benchstat quick.txt
    benchstat -col /algorithm quick.txt

Metrics are those of bench export.`
}

// Run implements the verb.
func (c *compareCmd) Run(e *env) error {
	metrics, err := metricsOf(c.Metric, func(m harness.Metric) bool { return m.Exported })
	if err != nil {
		return err
	}
	r, err := c.load()
	if err != nil {
		return err
	}
	if len(r.Algorithms) < 2 {
		return fmt.Errorf("experiment %s has one algorithm, %s, and nothing to compare it with", r.Name, r.Algorithms[0].Spec)
	}
	baseline := r.Algorithms[0].Spec
	if c.Baseline.Name != "" {
		b, err := one("--baseline", c.Baseline, e.catalog.Contenders)
		if err != nil {
			return err
		}
		baseline = b.Spec
	}
	if !slices.ContainsFunc(r.Algorithms, func(a harness.Entrant) bool { return a.Spec == baseline }) {
		var specs []string
		for _, a := range r.Algorithms {
			specs = append(specs, a.Spec)
		}
		return fmt.Errorf("--baseline: %s is not in experiment %s (expected one of %s)", baseline, r.Name, strings.Join(specs, "; "))
	}
	comparison, err := analysis.Compare(e.ctx, r, baseline, metrics)
	switch {
	case err != nil:
		return err
	case len(comparison.Versus) == 0:
		return fmt.Errorf("no problem of experiment %s was played by %s and another algorithm", r.Name, baseline)
	}
	if c.Benchstat != "" {
		games := slices.Clone(r.Games)
		slices.SortStableFunc(games, func(a, b *harness.Game) int { return rank(a.Algorithm, baseline) - rank(b.Algorithm, baseline) })
		write := func(w io.Writer) error {
			machine(w)
			return benchmarks(w, r, games, metrics)
		}
		if err := writeFile(string(c.Benchstat), write); err != nil {
			return fmt.Errorf("--benchstat: %s: %w", c.Benchstat, err)
		}
	}
	a := analysis.Describe(r)
	if c.JSON {
		err = json.NewEncoder(e.stdout).Encode(comparisonAnswer{r.Name, r.Seed, r.Last(), r.Confidence, a.Provenance, comparison})
	} else {
		err = table.WriteTerminal(e.stdout, paper.Versus(a, comparison))
		for _, v := range comparison.Versus {
			for _, w := range v.Warnings {
				fmt.Fprintf(e.stderr, "bench: warning: %s, %s, %s: %v\n", v.Problem, v.Algorithm, v.Metric, w)
			}
		}
	}
	if err == nil && r.Missing > 0 {
		return &failedError{fmt.Errorf("the store lacks %s of experiment %s; run it again to compute what is missing", plural(r.Missing, "cell"), r.Name)}
	}
	return err
}

// rank puts the baseline first.
func rank(algorithm, baseline string) int {
	if algorithm == baseline {
		return 0
	}
	return 1
}

func (c *compareCmd) load() (*harness.Results, error) {
	s, err := store.Open(string(c.Store))
	if err != nil {
		return nil, err
	}
	name := c.Experiment
	if name == "" {
		records, err := s.Experiments()
		switch {
		case err != nil:
			return nil, err
		case len(records) == 0:
			return nil, fmt.Errorf("no results in %s; run an experiment first, such as: bench run frequency", s.Dir())
		case len(records) > 1:
			var names []string
			for _, r := range records {
				names = append(names, r.Name)
			}
			return nil, fmt.Errorf("there are several experiments in %s; say --experiment NAME (one of %s)", s.Dir(), strings.Join(names, ", "))
		}
		name = records[0].Name
	}
	return harness.LoadExperiment(s, name)
}

type comparisonAnswer struct {
	Experiment string           `json:"experiment"`
	Seed       uint64           `json:"seed"`
	Horizon    int              `json:"horizon"`
	Confidence float64          `json:"confidence"`
	Provenance store.Provenance `json:"provenance"`
	*analysis.Comparison
}
