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
// whose sum is the cost.
type Tuning struct {
	*run.Tuning
	Metrics  []algorithms.Metric
	Scores   [][]run.Score
	Unseeded []string // problems with the same rounds for every seed
}

// WriteExperiment writes the experiment with the chosen parameters, below comments that say
// how they were chosen.
func (t Tuning) WriteExperiment(w io.Writer) error {
	x := t.Plan.Experiment
	fmt.Fprintf(w, "# Parameters chosen by bench tune, ocobench %s, from the grids under tuned: "+
		"the\n# lowest mean rank by %s over %s of seed %d.\n"+
		"# The experiment itself has seed %d.\n",
		store.CurrentProvenance().Version, t.costText(" + "), input.Plural(x.Replicates, "replicate"),
		x.Seed, t.Experiment.Seed)
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

// MarshalJSON implements [json.Marshaler]. Costs and ranks are in the order of the problems.
// A cost is infinite if a game failed or was not played.
func (t Tuning) MarshalJSON() ([]byte, error) {
	type point struct {
		Algorithm string            `json:"algorithm"`
		Costs     []analysis.Number `json:"costs"`
		Ranks     []float64         `json:"ranks"`
		Mean      float64           `json:"mean_rank"`
		Chosen    bool              `json:"chosen"`
	}
	type grid struct {
		Grid   string  `json:"grid"`
		Points []point `json:"points"`
	}
	x := t.Plan.Experiment
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
	for i, g := range t.Grids {
		one := grid{Grid: g.Use.String()}
		for _, s := range t.Scores[i] {
			p := point{s.Spec, nil, s.Ranks, s.Mean, s.Chosen}
			for _, c := range s.Costs {
				p.Costs = append(p.Costs, analysis.Number(c))
			}
			one.Points = append(one.Points, p)
		}
		out.Grids = append(out.Grids, one)
	}
	return json.Marshal(out)
}

// hasTie reports whether the chosen point of a grid is tied.
func hasTie(grid []run.Score) bool {
	return slices.ContainsFunc(grid, func(s run.Score) bool { return s.Chosen && isTied(grid, s) })
}

// isTied reports whether another point of the grid has the same mean rank as this one.
func isTied(grid []run.Score, one run.Score) bool {
	equal := 0
	for _, s := range grid {
		if s.Mean == one.Mean {
			equal++
		}
	}
	return equal > 1
}

// Table returns the table of the scores, a row for each point of each
// grid: its mean rank, the number of problems on which its cost is the lowest of
// the grid, and the number of problems on which it has no cost, because a game
// failed or the assumptions of the algorithm are not met.
func (t Tuning) Table() *table.Table {
	x := t.Plan.Experiment
	out := &table.Table{
		Title: table.Plain(fmt.Sprintf("Tuning of experiment %s", t.Experiment.Name)),
		Label: "tab:" + t.Experiment.Name + "-tuning",
		Columns: []table.Column{
			{Name: table.Plain("algorithm")}, {Name: table.Plain("mean rank"), Align: table.Right},
			{Name: table.Plain("points"), Align: table.Right},
			{Name: table.Plain("lowest on"), Align: table.Right},
			{Name: table.Plain("without cost on"), Align: table.Right}, {Name: table.Plain("")},
		},
	}
	for k, grid := range t.Scores {
		for _, s := range grid {
			name, mark := s.Spec, ""
			if label := t.Grids[k].Use.Label; label != "" {
				name = label + " (" + name + ")"
			}
			switch {
			case len(grid) == 1:
				mark = "not tuned"
			case s.Chosen:
				if mark = "chosen"; isTied(grid, s) {
					mark = "chosen, tied"
				}
			}
			out.Rows = append(out.Rows, []table.Text{
				table.Plain(name), table.Number(s.Mean, math.NaN()), table.Plain(fmt.Sprint(len(grid))),
				table.Plain(fmt.Sprint(s.Lowest)), table.Plain(fmt.Sprint(s.NoCost)), table.Plain(mark),
			})
		}
	}
	p := store.CurrentProvenance()
	if slices.ContainsFunc(t.Scores, hasTie) {
		out.Notes = append(out.Notes, table.Plain("tied: others of the grid have the same mean rank, "+
			"and the first one is taken. What is concluded from it should hold for the others, too; "+
			"--json has the costs."))
	}
	out.Notes = append(out.Notes,
		table.Plain(fmt.Sprintf("mean rank: mean over %s of the rank within the grid by the cost, the "+
			"mean of max(0, %s) at T = %d.", input.Plural(len(t.Plan.Problems), "problem"),
			t.costText(") + max(0, "), x.Horizon[0])),
		table.Plain("points: size of the grid; lowest on: the problems on which no other point costs "+
			"less; without cost on: those where a game failed or was not played."),
		table.Plain(fmt.Sprintf("Seed %d, hashed from seed %d of the experiment, which has other "+
			"rounds; replicates: %d; ocobench %s, %s, %s.", x.Seed, t.Experiment.Seed, x.Replicates,
			p.Version, p.Go, p.GOARCH)),
	)
	return out
}
