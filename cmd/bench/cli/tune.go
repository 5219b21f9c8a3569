package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/paper"
	"ocobench/paper/table"
)

type tuneCmd struct {
	storeFlags
	Experiment string   `arg:"" help:"The name of an experiment (bench list experiments) or a YAML file." placeholder:"EXPERIMENT|FILE.yaml"`
	Metric     []string `help:"What is added up to a cost, at the last round, negative values as 0; default ${default}." default:"regret_xhat,violation_soft" placeholder:"NAMES"`
	Replicates count    `help:"How many replicates are tuned on; default: as many as the experiment has." placeholder:"R"`
	Workers    count    `help:"How many cells are computed at once; results do not depend on it. Default: the number of processors." placeholder:"N"`
	Out        path     `help:"Write the experiment with what was chosen, for bench run." placeholder:"FILE.yaml"`
	JSON       bool     `help:"Print JSON, with every cost and rank."`
}

// Help implements the verb's help.
func (*tuneCmd) Help() string {
	return `The grid is the experiment's own: an algorithm with a list of values for a
parameter is given the best of them, {use: primal-dual, step: [0.5, 5, 50]} one
step out of three. The others stay as they are.

Games are played on a seed hashed from that of the experiment and the word
"tune": what is chosen has not seen a round that it will be judged by. (A file
of recorded rounds is the same on every seed, which is warned of.)

On each problem the points of a grid are ranked by the mean over the replicates
of max(0, regret) + max(0, violation) at the last horizon; the lowest mean rank
over the problems is chosen, of equal ones the first of the grid. A point whose
games fail comes last.

    bench tune quick.yaml --out tuned.yaml
    bench run tuned.yaml

The file says from which grid and on which seed parameters were chosen, the
tables of its results say so too, and it is refused on that seed.`
}

// Run implements the verb.
func (c *tuneCmd) Run(e *env) error {
	metrics, err := metricsOf(c.Metric, func(m harness.Metric) bool { return m.Exported && m.Name != "loss" })
	if err != nil {
		return err
	}
	if ext := filepath.Ext(string(c.Out)); c.Out != "" && ext != ".yaml" && ext != ".yml" {
		return fmt.Errorf("--out: unknown ending of %s (expected .yaml)", input.Shown(string(c.Out)))
	}
	x, _, err := loadExperiment(c.Experiment)
	if err != nil {
		return err
	}
	replicates := x.Replicates
	if c.Replicates > 0 {
		replicates = int(c.Replicates)
	}
	tuning, err := harness.NewTuning(e.catalog, x, replicates)
	if err != nil {
		return err
	}
	unseeded, err := tuning.Unseeded()
	if err != nil {
		return err
	}
	for _, p := range unseeded {
		fmt.Fprintf(e.stderr, "bench: warning: %s has the same rounds on every seed: what is tuned on it has seen the evaluation\n", p)
	}
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	bar, failures, err := compute(e, tuning.Plan, s, shard{}, c.Workers, false)
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w; what was finished is kept, and the same command goes on from there", errInterrupted)
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
					fmt.Fprintf(e.stderr, "bench: warning: %s of %s is at the end of its grid; a wider one may have a better value\n", end, g.Use.Name)
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
		err = table.WriteTerminal(e.stdout, paper.Tuning(tuning, metrics, scores))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s: %s computed, %d found in %s\n", tuning.Plan.Experiment.Name, plural(bar.computed, "cell"), bar.found, s.Dir())
	if len(failures) > 0 {
		return &failedError{fmt.Errorf("%d of %s failed; their points come last", len(failures), plural(len(tuning.Plan.Cells), "cell"))}
	}
	return nil
}

// costless says on which problems the costs of a grid say nothing: a metric is
// against an empty set in every game, or the cost of every point is 0.
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
				warnings = append(warnings, fmt.Sprintf("on %s %s is against an empty set in every game of %s, and counts as 0", arena.Spec, m, g.Use))
			}
		}
		if !slices.ContainsFunc(scores, func(s harness.Score) bool { return s.Costs[k] != 0 }) {
			warnings = append(warnings, fmt.Sprintf("on %s every point of %s has the cost 0: it has no part in the choice", arena.Spec, g.Use))
		}
	}
	return warnings
}

// writeTuned writes the experiment with what was chosen.
func writeTuned(w io.Writer, t *harness.Tuning, metrics []algorithms.Metric, scores [][]harness.Score, unseeded []string) error {
	p := harness.Provenance()
	fmt.Fprintf(w, "# Parameters chosen by bench tune, ocobench %s, from the grids under tuned: the\n# lowest mean rank by %s over %s of seed %d.\n",
		p.Version, sum(metrics), plural(t.Plan.Experiment.Replicates, "replicate"), t.Plan.Experiment.Seed)
	for _, problem := range unseeded {
		fmt.Fprintf(w, "# The same on every seed, and seen before it is evaluated on: %q.\n", problem)
	}
	_, err := io.WriteString(w, t.Tuned(scores).YAML())
	return err
}

// sum is the cost that is tuned, in words.
func sum(metrics []algorithms.Metric) string {
	var names []string
	for _, m := range metrics {
		names = append(names, string(m))
	}
	return strings.Join(names, " + ")
}

type tuningAnswer struct {
	Experiment string              `json:"experiment"`
	Seed       uint64              `json:"seed"`
	TuningSeed uint64              `json:"tuning_seed"`
	Metrics    []algorithms.Metric `json:"metrics"`
	Horizon    int                 `json:"horizon"`
	Replicates int                 `json:"replicates"`
	Problems   []string            `json:"problems"`
	Unseeded   []string            `json:"unseeded"` // problems that are the same on every seed
	Provenance any                 `json:"provenance"`
	Grids      []gridAnswer        `json:"grids"`
}

type gridAnswer struct {
	Grid   string        `json:"grid"`
	Points []pointAnswer `json:"points"`
}

// pointAnswer has costs and ranks in the order of the problems; the cost of
// what failed or was not to be played is infinite.
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
