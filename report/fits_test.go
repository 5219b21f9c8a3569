package report

import (
	"fmt"
	"io"
	"ocobench/harness/analysis"
	"ocobench/report/figure"
	"ocobench/stats"
	"testing"
)

// fitted returns the fit of a curve at t = 1, 10, …, 10⁴ with a row for each
// replicate.
func fitted(t *testing.T, name string, y ...[]float64) Fitted {
	t.Helper()
	c := stats.Curve{T: []float64{1, 10, 100, 1000, 10000}, Y: y}
	s, err := analysis.SeriesOf(c, stats.Growth{Decades: 4, Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	return Fitted{name, s}
}

// A panel has at most seven series. If all means are positive, each series has its
// power law; otherwise only the legend has the exponents. The panel to the right
// has the local exponents.
func TestFitsFigureHasAPowerLawPerPositiveCurve(t *testing.T) {
	var fits []Fitted
	for k := range maxLines {
		fits = append(fits, fitted(t, fmt.Sprintf("curve_%d", k), []float64{1, 10, 100, 1000, 10000},
			[]float64{2, 20, 200, 2000, 20000}))
	}
	fits = append(fits, fitted(t, "falling", []float64{-1, -100, -1e4, -1e6, -1e8}))
	f := FitsFigure(fits)
	if len(f.Panels) != 4 || len(f.Panels[0].Series) != maxLines || len(f.Panels[2].Series) != 1 {
		t.Fatalf("%d panels, want %d curves in the first and one in the third", len(f.Panels), maxLines)
	}
	straight, slopes, signed := f.Panels[0], f.Panels[1], f.Panels[2]
	if s := slopes.Series; len(s) != maxLines || len(s[0].Y) != 3 || s[0].Y[1] < 0.9999 ||
		s[0].Y[1] > 1.0001 {
		t.Errorf("the local exponents are %+v, want those of %d curves, all 1, at 3 of 5 checkpoints", s,
			maxLines)
	}
	if straight.Y.Scale != figure.Log || len(straight.Guides) != maxLines {
		t.Errorf("the positive curves are on scale %v with %d power laws, want a logarithmic one with %d",
			straight.Y.Scale, len(straight.Guides), maxLines)
	}
	// The mean is 1.5·t.
	if g := straight.Guides[0]; g.X != 10000 || g.Y < 14999 || g.Y > 15001 || g.Slope < 0.9999 ||
		g.Slope > 1.0001 || g.Label != "$t^{1.00}$" {
		t.Errorf("the power law is %+v, want t^1 through (10000, 15000)", g)
	}
	if s := straight.Series[0]; s.Label != `curve\_0: $t^{1.00}\;[1.00,\,1.00]$` || s.Lower == nil {
		t.Errorf("got legend %q and a band: %v, want the exponent with its interval, and a band", s.Label,
			s.Lower != nil)
	}
	if signed.Y.Scale != figure.SymLog || signed.Guides != nil ||
		signed.Series[0].Label != "falling: $-t^{2.00}$" || signed.Series[0].Lower != nil {
		t.Errorf("the negative curve: got %+v, want it on a symmetric axis with −t^2 and no line", signed)
	}
	if err := f.Write(io.Discard, figure.SVG); err != nil {
		t.Error(err)
	}
}
