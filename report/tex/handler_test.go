package tex

import (
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// TestHandlerBoxesHaveAStrut: texts of one size are equally high and deep, unless they are higher
// or deeper than a strut, and blanks at their ends have no width.
func TestHandlerBoxesHaveAStrut(t *testing.T) {
	var h Handler
	size := font.Font{Size: 10}
	for _, c := range []struct {
		name, src string
		strut     bool
	}{
		{"a blank", " ", true},
		{"a digit", "$0$", true},
		{"a power", "$10^{3}$", true},
		{"roots", `$\sqrt{\sqrt{X_{t_0}^{2}}}$`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tight, err := LatinModern.Set(c.src, 10)
			if err != nil {
				t.Fatal(err)
			}
			w, height, depth := h.Box(" "+c.src+" ", size)
			want := tight.Width
			if c.src == " " {
				want = 0
			}
			if math.Abs(w.Points()-want) > 1e-9 {
				t.Errorf("%v wide, want %v", w, want)
			}
			if strut := math.Hypot(height.Points()-8.4, depth.Points()-1.8) < 1e-9; strut != c.strut {
				t.Errorf("%v high and %v deep; want the strut, 8.4 and 1.8: %v", height, depth, c.strut)
			}
		})
	}
}

// TestHandlerAligns: the ink of a text is in the rectangle that its style promises, at every
// alignment, also of a text that is turned.
func TestHandlerAligns(t *testing.T) {
	for _, rotation := range []float64{0, math.Pi / 2} {
		for _, align := range []float64{0, -0.5, -1} {
			sty := text.Style{Color: color.Black, Font: font.Font{Size: 10}, Rotation: rotation,
				XAlign: text.XAlignment(align), YAlign: text.YAlignment(align), Handler: Handler{}}
			at := vg.Point{X: 30, Y: 50}
			var c recorder.Canvas
			sty.Handler.Draw(&c, "$V_t$", sty, at)
			r := sty.Rectangle("$V_t$").Add(at)
			points := 0
			for _, a := range c.Actions {
				fill, ok := a.(*recorder.Fill)
				if !ok {
					continue
				}
				for _, part := range fill.Path {
					if p := part.Pos; part.Type != vg.CloseComp {
						points++
						if p.X < r.Min.X-0.5 || p.X > r.Max.X+0.5 || p.Y < r.Min.Y || p.Y > r.Max.Y {
							t.Fatalf("rotated by %v and aligned by %v: got ink at %v, want it within %v", rotation,
								align, p, r)
						}
					}
				}
			}
			if points == 0 {
				t.Error("got nothing drawn, want ink")
			}
		}
	}
}

// TestHandlerRefusesFaults: a source with a fault is no text of a plot.
func TestHandlerRefusesFaults(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error(`the box of a "$" without a second one has a size; want a panic`)
		}
	}()
	Handler{}.Box("$", font.Font{Size: 10})
}
