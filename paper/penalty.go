package paper

import (
	"ocobench/convex"
	"ocobench/report/figure"
)

// penaltyWeight is the γ of [PenaltySketch]. The penalty is exact for γ ≥ 1/2, the
// multiplier of the constraint.
const penaltyWeight = 2

// PenaltySketch returns the sketch of an exact penalty in one dimension:
//
//	f(x) = ½(x−2)²,  g(x) = x² − 1,  f(x) + γ max{0, g(x)} with γ = 2
//
// with the feasible set [−1, 1] shaded. The minimum of f on the set is at its end x = 1,
// where f′ = −1 and g′ = 2, so that γ = 2 is more than the multiplier 1/2, and the
// penalised function has its minimum there too.
//
// Reference: Leith and Iosifidis, Penalised FTRL With Time-Varying Constraints, section
// Exact penalties, Fig. 1.
func PenaltySketch() *figure.Figure {
	f := &convex.Quadratic{Q: []float64{1}, A: []float64{-2}, B: 2}
	g := &convex.Quadratic{Q: []float64{2}, A: []float64{0}, B: -1}
	hinge := func(x []float64) float64 { return max(0, g.Value(x)) }
	p := figure.Panel{
		X:       figure.Axis{Label: "$x$"},
		Y:       figure.Axis{Min: -1.5, Max: 6.5},
		Regions: []figure.Region{{Min: -1, Max: 1, Label: `$g(x) \le 0$`}},
	}
	for style, c := range []struct {
		label string
		value func(x []float64) float64
	}{
		{"$f$", f.Value},
		{"$g$", g.Value},
		{`$\max\{0, g\}$`, hinge},
		{`$f + \gamma\max\{0, g\}$`, func(x []float64) float64 {
			return f.Value(x) + float64(penaltyWeight*hinge(x))
		}},
	} {
		s := figure.Series{Label: c.label, Style: style}
		const steps = 160 // of 1/40, so that the kinks are points
		for k := range steps + 1 {
			x := float64(k)/40 - 2
			s.X, s.Y = append(s.X, x), append(s.Y, c.value([]float64{x}))
		}
		p.Series = append(p.Series, s)
	}
	return &figure.Figure{Panels: []figure.Panel{p}}
}
