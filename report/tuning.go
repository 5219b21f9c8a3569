package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report/table"
)

// A Tuning holds what bench tune shows: the scores of the points of all grids, and the metrics
// whose positive parts sum to the cost.
type Tuning struct {
	*run.Tuning
	Metrics  []algorithms.Metric
	Scores   [][]run.Score
	Unseeded []string // problems with the same rounds for every seed
}

// WriteExperiment writes the experiment with the chosen parameters, below comments that say
// how they were chosen.
func (t Tuning) WriteExperiment(w io.Writer) error {
	x := t.Plan.Experiment // the experiment with the tuning seed
	fmt.Fprintf(w, "# Parameters chosen by bench tune, ocobench %s, from the grids under tuned: "+
		"the\n# lowest mean rank by %s over %s of %s and seed\n# %d; among equals the least "+
		"violation, then the least regret.\n"+
		"# The experiment itself has seed %d.\n",
		store.CurrentProvenance().Version, t.costText(" + "), input.Plural(x.Replicates, "replicate"),
		input.Plural(x.Horizon[0], "round"), x.Seed, t.Experiment.Seed)
	for _, problem := range t.Unseeded {
		fmt.Fprintf(w, "# The rounds of this problem are the same for every seed, and were used for "+
			"tuning: %q.\n", problem)
	}
	_, err := io.WriteString(w, t.Tuned(t.Scores).YAML())
	return err
}

// costText joins the names of the metrics of the cost with a separator.
func (t Tuning) costText(between string) string {
	var names []string
	for _, m := range t.Metrics {
		names = append(names, string(m))
	}
	return strings.Join(names, between)
}

// MarshalJSON implements [json.Marshaler]. Costs and ranks are in the order of the problems, and
// metric_costs in the order of the metrics, each in that of the problems. A cost is infinite if a
// game failed or was not played.
func (t Tuning) MarshalJSON() ([]byte, error) {
	type point struct {
		Algorithm   string              `json:"algorithm"`
		MetricCosts [][]analysis.Number `json:"metric_costs"`
		Costs       []analysis.Number   `json:"costs"`
		Ranks       []float64           `json:"ranks"`
		Mean        float64             `json:"mean_rank"`
		Chosen      bool                `json:"chosen"`
	}
	type grid struct {
		Grid   string  `json:"grid"`
		Points []point `json:"points"`
	}
	x := t.Plan.Experiment // the experiment with the tuning seed
	out := struct {
		Experiment string              `json:"experiment"`
		Seed       uint64              `json:"seed"`
		TuningSeed uint64              `json:"tuning_seed"`
		Metrics    []algorithms.Metric `json:"metrics"`
		Horizon    int                 `json:"horizon"`
		Replicates int                 `json:"replicates"`
		Problems   []string            `json:"problems"`
		Unseeded   []string            `json:"unseeded"`
		Provenance any                 `json:"provenance"`
		Grids      []grid              `json:"grids"`
	}{
		Experiment: t.Experiment.Name, Seed: t.Experiment.Seed, TuningSeed: x.Seed, Metrics: t.Metrics,
		Horizon: x.Horizon[0], Replicates: x.Replicates, Unseeded: append([]string{}, t.Unseeded...),
		Provenance: store.CurrentProvenance(),
	}
	for _, a := range t.Plan.Problems {
		out.Problems = append(out.Problems, a.Spec)
	}
	numbers := func(values []float64) (all []analysis.Number) {
		for _, v := range values {
			all = append(all, analysis.Number(v))
		}
		return all
	}
	for i, g := range t.Grids {
		one := grid{Grid: g.Use.String()}
		for _, s := range t.Scores[i] {
			p := point{s.Spec, nil, numbers(s.Costs), s.Ranks, s.Mean, s.Chosen}
			for _, costs := range s.MetricCosts {
				p.MetricCosts = append(p.MetricCosts, numbers(costs))
			}
			one.Points = append(one.Points, p)
		}
		out.Grids = append(out.Grids, one)
	}
	return json.Marshal(out)
}

// isTied reports whether the k-th point of a grid has the same mean rank as another point.
func isTied(grid []run.Score, k int) bool {
	return slices.ContainsFunc(slices.Delete(slices.Clone(grid), k, k+1),
		func(other run.Score) bool { return other.Mean == grid[k].Mean })
}

// Table returns the table of the scores, a row for each point of each grid: its mean rank, the
// means of the metrics that sum to its cost, and, if there are any, the number of problems on
// which it has no cost, because a game failed or the assumptions of the algorithm are not met.
func (t Tuning) Table() *table.Table {
	x := t.Plan.Experiment // the experiment with the tuning seed
	withoutCost := slices.ContainsFunc(slices.Concat(t.Scores...),
		func(s run.Score) bool { return s.NoCost > 0 })
	headings := []string{"algorithm", ">mean rank"}
	for _, m := range t.Metrics {
		headings = append(headings, ">"+string(m))
	}
	if withoutCost {
		headings = append(headings, ">without cost on")
	}
	out := &table.Table{
		Title:   table.Plain(fmt.Sprintf("Tuning of experiment %s", t.Experiment.Name)),
		Label:   "tab:" + t.Experiment.Name + "-tuning",
		Columns: table.Columns(append(headings, "")...),
	}
	tied := false
	for i, grid := range t.Scores {
		for k, s := range grid {
			name, mark := s.Spec, ""
			if label := t.Grids[i].Use.Label; label != "" {
				name = label + " (" + name + ")"
			}
			switch {
			case len(grid) == 1:
				mark = "not tuned"
			case s.Chosen && isTied(grid, k):
				mark, tied = "chosen, tied", true
			case s.Chosen:
				mark = "chosen"
			}
			row := []table.Text{table.Plain(name), table.Number(s.Mean, math.NaN())}
			for m := range t.Metrics {
				row = append(row, table.Number(s.MetricMean(m), math.NaN()))
			}
			if withoutCost {
				row = append(row, table.Plain(fmt.Sprint(s.NoCost)))
			}
			out.Rows = append(out.Rows, append(row, table.Plain(mark)))
		}
	}
	problems := input.Plural(len(t.Plan.Problems), "problem")
	p := store.CurrentProvenance()
	for _, n := range []note{
		noteIf(tied, "tied: others of the grid have the same mean rank; the least violation is taken, "+
			"then the least regret, then the first of the grid. What is concluded should hold for the "+
			"others, too."),
		noteIf(true, "mean rank: mean over %s of the rank within the grid by the cost, the mean of "+
			"max(0, %s) at T = %d.", problems, t.costText(") + max(0, "), x.Horizon[0]),
		noteIf(true, "%s: these parts of the cost, on average over %s; --json has those of each "+
			"problem.", t.costText(", "), problems),
		noteIf(withoutCost, "without cost on: the problems where a game failed or was not played, "+
			"which the averages leave out."),
		noteIf(true, "Seed %d, hashed from seed %d of the experiment, which has other rounds; "+
			"replicates: %d; ocobench %s, %s, %s.", x.Seed, t.Experiment.Seed, x.Replicates, p.Version,
			p.Go, p.GOARCH),
	} {
		if n.when {
			out.Notes = append(out.Notes, table.Plain(n.fill()))
		}
	}
	return out
}
