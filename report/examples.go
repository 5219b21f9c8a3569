package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/figure"
)

// outlines returns the figure of the comparator sets in the plane, for an
// experiment whose problems differ only in the angle of a fixed linear loss. The
// best fixed actions are then support points of the sets, one for each angle.
// Joined in the order of the angles they are the outlines of the sets. The figure
// is nil for other experiments.
func outlines(x *subject) *figure.Figure {
	if !slices.Equal(experiment.Varying(x.problems), []string{"angle"}) ||
		x.Problems[0].Param("dim") != "2" {
		return nil
	}
	angle := func(p analysis.Problem) float64 {
		v, err := strconv.ParseFloat(p.Param("angle"), 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	turning := slices.SortedStableFunc(slices.Values(x.Problems),
		func(p, q analysis.Problem) int { return cmp.Compare(angle(p), angle(q)) })
	p := figure.Panel{X: figure.Axis{Label: "$x_1$"}, Y: figure.Axis{Label: "$x_2$"}}
	extent := 0.0
	for k, set := range []string{"xmax", "xhat", "xmin"} {
		s := figure.Series{Label: setSymbols[set], Style: k}
		for _, problem := range turning {
			b := slices.IndexFunc(problem.Best, func(b analysis.Best) bool { return b.Set == set })
			if b < 0 || len(problem.Best[b].Action) != 2 { // another problem has its own dimension
				return nil
			}
			x := problem.Best[b].Action
			s.X, s.Y = append(s.X, float64(x[0])), append(s.Y, float64(x[1]))
		}
		if math.IsNaN(s.X[0]) { // an empty set has no outline
			continue
		}
		extent = max(extent, slices.Max(s.X), -slices.Min(s.X), slices.Max(s.Y), -slices.Min(s.Y))
		s.X, s.Y = append(s.X, s.X[0]), append(s.Y, s.Y[0])
		p.Series = append(p.Series, s)
	}
	if len(p.Series) == 0 {
		return nil
	}
	// Equal units on both axes.
	extent *= 1.05
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -extent, extent, -extent, extent
	return &figure.Figure{Panels: []figure.Panel{p}, Width: 7, Height: 6.6}
}

// exampleFigure shows the soft violation of Penalised FTRL beside that of the
// primal-dual algorithm on the paper's Example, with a line for each c.
//
// Reference: Leith and Iosifidis, Penalised FTRL With Time-Varying Constraints, Fig. 2.
func exampleFigure(x *subject) []namedFigure {
	k := slices.IndexFunc(x.sweeps, func(s *sweep) bool {
		return s.ofProblem && s.param == "c" && s.columns[0].Name == "decaying-frequency"
	})
	if k < 0 || len(x.sweeps[k].columns) > maxLines {
		return nil
	}
	m := x.Metric(algorithms.SoftViolation)
	f := &figure.Figure{Width: 8.4, Height: 6.2}
	for _, name := range []string{"penalised-ftrl", "primal-dual"} {
		i := slices.IndexFunc(x.Algorithms, func(e experiment.Entry) bool { return e.Name == name })
		if i < 0 {
			return nil
		}
		f.Panels = append(f.Panels, growthPanel(x, m,
			x.newView(x.Algorithms[i], x.sweeps[k].columns, false), false))
	}
	return []namedFigure{{name: "example", figure: f, metrics: []analysis.Metric{m},
		text: "on the Example of the paper"}}
}

// slack returns the round of the paper's Example from which on x = 10 satisfies
// the constraint on average, t = 100^{1/(1−c)}. A small violation after this round
// says nothing about an algorithm, because the cumulative constraint is slack. The
// round is 0 for other problems, and for c = 1.
func slack(problem experiment.Entry) (t float64, label string) {
	c, err := strconv.ParseFloat(problem.Param("c"), 64)
	if problem.Name != "decaying-frequency" || err != nil || c >= 1 {
		return 0, ""
	}
	return math.Pow(100, 1/(1-c)), fmt.Sprintf("slack, $c = %g$", c)
}
