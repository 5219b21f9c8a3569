package paper

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"ocobench/harness"
	"ocobench/paper/figure"
)

// setSymbols are the comparator sets as a figure names them.
var setSymbols = map[string]string{
	"xmin": `$X^{\min}_t$`,
	"xhat": `$\hat{X}^{\max}_t$`,
	"xmax": `$X^{\max}_t$`,
	"xe":   `$X^E$`,
}

// outlines is the figure of the comparator sets in the plane. Where the
// problems of an experiment differ in the angle of a fixed linear loss alone,
// the best fixed actions are the sets' support points in all directions, and
// joined in order of the angle they are the sets' outlines. It is nil for
// other experiments.
func outlines(r *harness.Results) *figure.Figure {
	if !slices.Equal(harness.Varying(r.Problems), []string{"angle"}) || r.Problems[0].Param("dim") != "2" {
		return nil
	}
	angle := make(map[string]float64)
	for _, p := range r.Problems {
		v, err := strconv.ParseFloat(p.Param("angle"), 64)
		if err != nil {
			return nil
		}
		angle[p.Spec] = v
	}
	last := r.Horizon[len(r.Horizon)-1]
	var games []*harness.Game
	for _, g := range r.Games {
		if g.Algorithm == r.Algorithms[0].Spec && g.Replicate == 1 && g.Horizon == last {
			games = append(games, g)
		}
	}
	slices.SortStableFunc(games, func(a, b *harness.Game) int { return cmp.Compare(angle[a.Problem], angle[b.Problem]) })
	p := figure.Panel{X: figure.Axis{Label: "$x_1$"}, Y: figure.Axis{Label: "$x_2$"}}
	extent := 0.0
	for k, set := range []string{"xmax", "xhat", "xmin"} {
		s := figure.Series{Label: setSymbols[set], Style: k}
		for _, g := range games {
			x, y := g.Metric(set+"_x1"), g.Metric(set+"_x2")
			if x == nil || y == nil {
				return nil
			}
			s.X, s.Y = append(s.X, x[len(x)-1]), append(s.Y, y[len(y)-1])
			extent = max(extent, math.Abs(x[len(x)-1]), math.Abs(y[len(y)-1]))
		}
		if len(s.X) == 0 || math.IsNaN(s.X[0]) { // an empty set has no outline
			continue
		}
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
