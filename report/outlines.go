package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/figure"
)

// comparatorOutlines returns the figure of the comparator sets in the plane, for an experiment
// whose problems differ only in the angle of a fixed linear loss. The best fixed actions are then
// support points of the sets, one for each angle. Joined in the order of the angles, they are the
// outlines of the sets. The figure is nil for other experiments.
func comparatorOutlines(v *analysisView) *figure.Figure {
	if !slices.Equal(experiment.Varying(v.problems), []string{"angle"}) ||
		v.Problems[0].Param("dim") != "2" {
		return nil
	}
	angle := func(p analysis.Problem) float64 {
		radians, err := strconv.ParseFloat(p.Param("angle"), 64)
		if err != nil {
			return math.NaN()
		}
		return radians
	}
	byAngle := slices.SortedStableFunc(slices.Values(v.Problems),
		func(p, q analysis.Problem) int { return cmp.Compare(angle(p), angle(q)) })
	p := figure.Panel{X: figure.Axis{Label: "$x_1$"}, Y: figure.Axis{Label: "$x_2$"}}
	extent := 0.0
	for k, set := range []string{"xmax", "xhat", "xmin"} {
		s := figure.Series{Label: setSymbols[set], Style: k}
		for _, problem := range byAngle {
			b := slices.IndexFunc(problem.Best, func(b analysis.Best) bool { return b.Set == set })
			if b < 0 || len(problem.Best[b].Action) != 2 { // dim may mean something else in a problem
				return nil
			}
			x := problem.Best[b].Action
			s.X, s.Y = append(s.X, float64(x[0])), append(s.Y, float64(x[1]))
		}
		if math.IsNaN(s.X[0]) { // an empty set has no outline
			continue
		}
		extent = max(extent, slices.Max(s.X), -slices.Min(s.X), slices.Max(s.Y), -slices.Min(s.Y))
		s.X, s.Y = append(s.X, s.X[0]), append(s.Y, s.Y[0]) // the outline is closed
		p.Series = append(p.Series, s)
	}
	if len(p.Series) == 0 {
		return nil
	}
	extent *= 1.05 // both axes have the same units, and some room
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -extent, extent, -extent, extent
	return &figure.Figure{Panels: []figure.Panel{p}, Width: 7, Height: 6.6}
}
