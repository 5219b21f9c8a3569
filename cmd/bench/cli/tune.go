package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/report"
)

type tuneCmd struct {
	storeFlags
	Experiment string   `arg:"" help:"The name of an experiment (bench list experiments) or a YAML file." placeholder:"EXPERIMENT|FILE.yaml" completes:"@experiment"`
	Metric     []string `help:"The metrics whose positive parts at the last round sum to the cost; default ${default}." default:"regret_xhat,violation_soft" placeholder:"NAMES" completes:"@metric"`
	Replicates count    `help:"The number of replicates of each game. Default: that of the experiment." placeholder:"R"`
	computeFlags
	externalFlags
	Out  path `help:"Write the experiment with the chosen parameters, for bench run." placeholder:"FILE.yaml"`
	JSON bool `help:"Print JSON, with every cost and rank."`
}

// Help implements the verb's help.
func (*tuneCmd) Help() string {
	return `The experiment has the grids. An algorithm with a list of values for a
parameter, such as {use: primal-dual, step: [0.5, 5, 50]}, is tuned: one of the
values is chosen. Other algorithms keep their parameters.

The games use a seed that is hashed from that of the experiment and the word
"tune", so that no round of the evaluation is used for tuning. Recorded rounds
are the same for every seed, and bench tune warns about them.

On each problem the points of a grid are ranked by their cost: the mean over the
replicates of max(0, regret) + max(0, violation) at the last horizon. The point
with the lowest mean rank over the problems is chosen, and among equal ones the
first of the grid. A point has the last rank where one of its games fails.

    bench tune quick.yaml --out tuned.yaml
    bench run tuned.yaml

The file names the grids and the seed of the tuning. The tables of its results
name the tuned parameters and the seed. bench run does not accept the file with
that seed.`
}

// Run implements the verb.
func (c *tuneCmd) Run(e *env) error {
	metrics, err := metricsOf("metric", c.Metric, func(m harness.Metric) bool { return m.Exported && m.Name != "loss" })
	if err != nil {
		return err
	}
	if err := ofPlay("metric", metrics); err != nil {
		return err
	}
	if err := c.Out.yaml("--out"); err != nil {
		return err
	}
	x, _, err := loadExperiment(c.Experiment)
	if err != nil {
		return err
	}
	for _, m := range metrics {
		if name := string(m); slices.Contains(spec.OnRequest, name) && !slices.Contains(x.Metrics, name) {
			x.Metrics = append(slices.Clone(x.Metrics), name)
		}
	}
	replicates := x.Replicates
	if c.Replicates > 0 {
		replicates = int(c.Replicates)
	}
	host := c.host(e)
	defer host.Close()
	tuning, err := e.catalog.Tuning(e.ctx, host, x, replicates)
	if err != nil {
		return err
	}
	unseeded, err := tuning.Unseeded(e.ctx)
	if err != nil {
		return err
	}
	for _, p := range unseeded {
		fmt.Fprintf(e.stderr, "bench: warning: %s has the same rounds for every seed: parameters are tuned on the rounds of the evaluation\n", p)
	}
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	e.sayUnmet(tuning.Plan)
	bar, failures, err := compute(e, tuning.Plan, s, shard{}, c.Workers, false)
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w; finished cells are stored, and the same command continues", errInterrupted)
	case err != nil:
		return err
	}
	r, err := harness.LoadExperiment(s, tuning.Plan.Experiment.Name)
	if err != nil {
		return err
	}
	scores, err := tuning.Scores(r, metrics)
	if err != nil {
		return &failedError{err}
	}
	for i, g := range tuning.Grids {
		if len(g.Points) > 1 {
			for _, w := range costless(tuning, g, scores[i], r, metrics) {
				fmt.Fprintf(e.stderr, "bench: warning: %s\n", w)
			}
		}
		for _, point := range scores[i] {
			if point.Chosen {
				for _, end := range g.Ends(point) {
					fmt.Fprintf(e.stderr, "bench: warning: %s of %s is at the end of its grid; a wider grid may have a better value\n", end, g.Use.Name)
				}
			}
		}
	}
	if c.Out != "" {
		write := func(w io.Writer) error { return writeTuned(w, tuning, metrics, scores, unseeded) }
		if err := writeFile(string(c.Out), write); err != nil {
			return fmt.Errorf("--out: %s: %w", c.Out, err)
		}
	}
	if c.JSON {
		err = json.NewEncoder(e.stdout).Encode(tuningOf(tuning, metrics, scores, unseeded))
	} else {
		err = e.show(report.Tuning(tuning, metrics, scores), 0)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s: %s computed, %d found in %s\n", tuning.Plan.Experiment.Name, plural(bar.computed, "cell"), bar.found, s.Dir())
	if len(failures) > 0 {
		return &failedError{fmt.Errorf("%d of %s failed; their points have the last rank", len(failures), plural(len(tuning.Plan.Cells), "cell"))}
	}
	return nil
}

// costless says on which problems the costs of a grid say nothing: a metric is
// undefined in every game, for a set or a round is empty, or the cost of every point is 0.
func costless(t *harness.Tuning, g harness.Grid, scores []harness.Score, r *harness.Results, metrics []algorithms.Metric) (warnings []string) {
	for k, arena := range t.Plan.Arenas {
		for _, m := range metrics {
			games, empty := 0, 0
			for _, game := range r.Games {
				if game.Problem != arena.Spec || !slices.ContainsFunc(scores, func(s harness.Score) bool { return s.Spec == game.Algorithm }) {
					continue
				}
				games++
				if v := game.Metric(m); len(v) > 0 && math.IsNaN(v[len(v)-1]) {
					empty++
				}
			}
			if games > 0 && empty == games {
				why := "against an empty set"
				if m == algorithms.RegretDynamic {
					why = "undefined, after an empty round,"
				}
				warnings = append(warnings, fmt.Sprintf("on %s %s is %s in every game of %s, and counts as 0", arena.Spec, m, why, g.Use))
			}
		}
		if !slices.ContainsFunc(scores, func(s harness.Score) bool { return s.Costs[k] != 0 }) {
			warnings = append(warnings, fmt.Sprintf("on %s every point of %s has the cost 0: it has no part in the choice", arena.Spec, g.Use))
		}
	}
	return warnings
}

// writeTuned writes the experiment with the chosen parameters.
func writeTuned(w io.Writer, t *harness.Tuning, metrics []algorithms.Metric, scores [][]harness.Score, unseeded []string) error {
	p := harness.Provenance()
	fmt.Fprintf(w, "# Parameters chosen by bench tune, ocobench %s, from the grids under tuned: the\n# lowest mean rank by %s over %s of seed %d.\n",
		p.Version, sum(metrics), plural(t.Plan.Experiment.Replicates, "replicate"), t.Plan.Experiment.Seed)
	for _, problem := range unseeded {
		fmt.Fprintf(w, "# The rounds of this problem are the same for every seed, and were used for tuning: %q.\n", problem)
	}
	_, err := io.WriteString(w, t.Tuned(scores).YAML())
	return err
}

// sum names the cost of a point.
func sum(metrics []algorithms.Metric) string {
	var names []string
	for _, m := range metrics {
		names = append(names, string(m))
	}
	return strings.Join(names, " + ")
}

type tuningAnswer struct {
	Experiment string              `json:"experiment" completes:"@experiment"`
	Seed       uint64              `json:"seed"`
	TuningSeed uint64              `json:"tuning_seed"`
	Metrics    []algorithms.Metric `json:"metrics"`
	Horizon    int                 `json:"horizon"`
	Replicates int                 `json:"replicates"`
	Problems   []string            `json:"problems"`
	Unseeded   []string            `json:"unseeded"` // problems with the same rounds for every seed
	Provenance any                 `json:"provenance"`
	Grids      []gridAnswer        `json:"grids"`
}

type gridAnswer struct {
	Grid   string        `json:"grid"`
	Points []pointAnswer `json:"points"`
}

// pointAnswer has costs and ranks in the order of the problems. The cost is infinite
// if a game failed or was not played.
type pointAnswer struct {
	Algorithm string            `json:"algorithm"`
	Costs     []analysis.Number `json:"costs"`
	Ranks     []float64         `json:"ranks"`
	Mean      float64           `json:"mean_rank"`
	Chosen    bool              `json:"chosen"`
}

func tuningOf(t *harness.Tuning, metrics []algorithms.Metric, scores [][]harness.Score, unseeded []string) tuningAnswer {
	x := t.Plan.Experiment
	out := tuningAnswer{
		Experiment: t.Experiment.Name, Seed: t.Experiment.Seed, TuningSeed: x.Seed, Metrics: metrics,
		Horizon: x.Horizon[0], Replicates: x.Replicates, Unseeded: list(unseeded), Provenance: harness.Provenance(),
	}
	for _, a := range t.Plan.Arenas {
		out.Problems = append(out.Problems, a.Spec)
	}
	for i, g := range t.Grids {
		grid := gridAnswer{Grid: g.Use.String()}
		for _, s := range scores[i] {
			p := pointAnswer{s.Spec, nil, s.Ranks, s.Mean, s.Chosen}
			for _, c := range s.Costs {
				p.Costs = append(p.Costs, analysis.Number(c))
			}
			grid.Points = append(grid.Points, p)
		}
		out.Grids = append(out.Grids, grid)
	}
	return out
}
