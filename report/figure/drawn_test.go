package figure

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ocobench/internal/golden"
)

// randomFigure returns a figure of one to six panels with curves, bands, gaps, guides, marks,
// levels and regions, of any size.
func randomFigure(rng *rand.Rand) *Figure {
	labels := []string{"", "$t$", `$\hat{X}^{\max}_{t_0}$`, "a label", strings.Repeat("long ", 9)}
	label := func() string { return labels[rng.IntN(len(labels))] }
	flag := func() bool { return rng.IntN(3) == 0 }
	f := &Figure{Title: label(), Columns: rng.IntN(4)}
	if flag() {
		f.Width, f.Height = 4+float64(6*rng.Float64()), 3+4*rng.Float64()
	}
	for range 1 + rng.IntN(6) {
		p := Panel{Title: label(), Ends: flag()}
		for _, a := range []*Axis{&p.X, &p.Y} {
			a.Label, a.Scale = label(), Scale(rng.IntN(3))
			if a.Scale == SymLog && flag() {
				a.Linthresh = 10
			}
		}
		size := math.Pow(10, 4*rng.Float64()-1)
		for style := range rng.IntN(9) {
			s := Series{Label: label(), Style: style, Path: flag(), Faint: flag(), Thin: flag()}
			slope, band := 2*rng.Float64()-0.5, flag()
			for k := range rng.IntN(30) {
				x := math.Pow(1.5, float64(k)) - rng.Float64()/2
				y := size * math.Pow(x, slope) * (0.5 + rng.Float64())
				switch {
				case p.Y.Scale != Log && flag() || rng.IntN(20) == 0:
					y = -y
				case rng.IntN(20) == 0:
					y = math.NaN()
				}
				s.X, s.Y = append(s.X, x), append(s.Y, y)
				if band {
					s.Lower = append(s.Lower, y-float64(math.Abs(y)*2*rng.Float64()))
					s.Upper = append(s.Upper, y+float64(math.Abs(y)*rng.Float64()))
				}
			}
			p.Series = append(p.Series, s)
		}
		if flag() {
			p.Marks = append(p.Marks, Mark{1 + float64(50*rng.Float64()), label()})
		}
		if flag() {
			p.Levels = append(p.Levels, Level{size * rng.Float64(), label()})
		}
		if flag() {
			p.Regions = append(p.Regions, Region{2, 3 + float64(50*rng.Float64()), label()})
		}
		for p.X.Scale == Log && p.Y.Scale == Log && flag() {
			p.Guides = append(p.Guides, Guide{Slope: float64(3*rng.Float64()) - 1, X: 10, Y: size})
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// TestDrawn freezes random figures as TestGolden does those that were made by hand.
func TestDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 22))
	var out strings.Builder
	for k := range 34 {
		f := randomFigure(rng)
		if err := f.Validate(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%d panels %x\n", len(f.Panels), sha256.Sum256(render(t, f, SVG)))
		if gaps := f.Gaps(); k%4 == 0 {
			fmt.Fprintf(&out, "%+v\n", gaps)
		}
	}
	golden.File(t, "drawn.sha256", out.String(), *update)
}
