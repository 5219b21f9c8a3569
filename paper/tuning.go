package paper

import (
	"fmt"
	"math"
	"strings"

	"ocobench/harness"
	"ocobench/paper/table"
)

// Tuning is the table of the scores of a tuning, a row for each point of each
// grid: its mean rank, on how many problems it has the lowest cost of its grid,
// and on how many a game of it failed or was not to be played.
func Tuning(t *harness.Tuning, metrics []string, scores [][]harness.Score) *table.Table {
	x := t.Plan.Experiment
	out := &table.Table{
		Title: table.Plain(fmt.Sprintf("Tuning of experiment %s", t.Experiment.Name)),
		Label: "tab:" + t.Experiment.Name + "-tuning",
		Columns: []table.Column{
			{Name: table.Plain("algorithm")}, {Name: table.Plain("mean rank"), Align: table.Right}, {Name: table.Plain("of"), Align: table.Right},
			{Name: table.Plain("lowest on"), Align: table.Right}, {Name: table.Plain("without cost on"), Align: table.Right}, {Name: table.Plain("")},
		},
	}
	for _, grid := range scores {
		least := make([]float64, len(t.Plan.Arenas))
		for p := range least {
			least[p] = math.Inf(1)
			for _, s := range grid {
				least[p] = math.Min(least[p], s.Costs[p])
			}
		}
		for _, s := range grid {
			lowest, none := 0, 0
			for p, c := range s.Costs {
				switch {
				case math.IsInf(c, 1):
					none++
				case c == least[p]:
					lowest++
				}
			}
			mark := ""
			switch {
			case len(grid) == 1:
				mark = "not tuned"
			case s.Chosen:
				mark = "chosen"
			}
			out.Rows = append(out.Rows, []table.Text{
				table.Plain(s.Spec), table.Number(s.Mean, 2), table.Plain(fmt.Sprint(len(grid))),
				table.Plain(fmt.Sprint(lowest)), table.Plain(fmt.Sprint(none)), table.Plain(mark),
			})
		}
	}
	problems := "1 problem"
	if n := len(t.Plan.Arenas); n != 1 {
		problems = fmt.Sprintf("%d problems", n)
	}
	p := harness.Provenance()
	out.Notes = []table.Text{
		table.Plain(fmt.Sprintf("Mean over %s of the rank within the grid by the mean of max(0, %s) at T = %d.", problems, strings.Join(metrics, ") + max(0, "), x.Horizon[0])),
		table.Plain(fmt.Sprintf("Seed %d, hashed from seed %d of the experiment, whose rounds are others; replicates: %d; ocobench %s, %s, %s.", x.Seed, t.Experiment.Seed, x.Replicates, p.Version, p.Go, p.GOARCH)),
	}
	return out
}

// tunedNote says whose parameters were tuned, if any were.
func tunedNote(r *harness.Results) string {
	var tuned, defaults, given []string
	for _, a := range r.Algorithms {
		switch {
		case a.Tuned != "":
			tuned = append(tuned, a.Spec)
		case a.Spec == a.Name:
			defaults = append(defaults, a.Spec)
		default:
			given = append(given, a.Spec)
		}
	}
	if tuned == nil {
		return ""
	}
	note := fmt.Sprintf(" Parameters tuned on seed %d: %s.", r.TuningSeed, strings.Join(tuned, "; "))
	if defaults != nil {
		note += fmt.Sprintf(" Default: %s.", strings.Join(defaults, "; "))
	}
	if given != nil {
		note += fmt.Sprintf(" Given: %s.", strings.Join(given, "; "))
	}
	return note
}
