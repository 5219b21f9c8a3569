package report

import (
	"fmt"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/report/table"
)

// Tuning returns the table of the scores of a tuning, a row for each point of each
// grid: its mean rank, the number of problems on which its cost is the lowest of
// the grid, and the number of problems on which it has no cost, because a game
// failed or the assumptions of the algorithm are not met.
func Tuning(t *harness.Tuning, metrics []algorithms.Metric, scores [][]harness.Score) *table.Table {
	x := t.Plan.Experiment
	out := &table.Table{
		Title: table.Plain(fmt.Sprintf("Tuning of experiment %s", t.Experiment.Name)),
		Label: "tab:" + t.Experiment.Name + "-tuning",
		Columns: []table.Column{
			{Name: table.Plain("algorithm")}, {Name: table.Plain("mean rank"), Align: table.Right}, {Name: table.Plain("points"), Align: table.Right},
			{Name: table.Plain("lowest on"), Align: table.Right}, {Name: table.Plain("without cost on"), Align: table.Right}, {Name: table.Plain("")},
		},
	}
	for _, grid := range scores {
		for _, s := range grid {
			mark := ""
			switch {
			case len(grid) == 1:
				mark = "not tuned"
			case s.Chosen:
				mark = "chosen"
			}
			out.Rows = append(out.Rows, []table.Text{
				table.Plain(s.Spec), table.Number(s.Mean, 2), table.Plain(fmt.Sprint(len(grid))),
				table.Plain(fmt.Sprint(s.Lowest)), table.Plain(fmt.Sprint(s.NoCost)), table.Plain(mark),
			})
		}
	}
	problems := "1 problem"
	if n := len(t.Plan.Arenas); n != 1 {
		problems = fmt.Sprintf("%d problems", n)
	}
	var names []string
	for _, m := range metrics {
		names = append(names, string(m))
	}
	p := harness.Provenance()
	out.Notes = []table.Text{
		table.Plain(fmt.Sprintf("mean rank: mean over %s of the rank within the grid by the mean of max(0, %s) at T = %d.", problems, strings.Join(names, ") + max(0, "), x.Horizon[0])),
		table.Plain(fmt.Sprintf("Seed %d, hashed from seed %d of the experiment, which has other rounds; replicates: %d; ocobench %s, %s, %s.", x.Seed, t.Experiment.Seed, x.Replicates, p.Version, p.Go, p.GOARCH)),
	}
	return out
}
