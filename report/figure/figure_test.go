package figure

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocobench/internal/golden"
	"ocobench/report/tex"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false,
	"rewrite the golden digests; commit them only if you have looked at the figures")

// growthCurve returns a curve c·t^p with a band, at four points a decade.
func growthCurve(label string, style int, c, p float64) Series {
	s := Series{Label: label, Style: style}
	for k := 0; k <= 16; k++ {
		t := math.Pow(10, float64(k)/4)
		y := c * math.Pow(t, p)
		s.X, s.Y = append(s.X, t), append(s.Y, y)
		s.Lower, s.Upper = append(s.Lower, 0.8*y), append(s.Upper, 1.25*y)
	}
	return s
}

// testFigures returns figures that use every part of a figure, by name.
func testFigures() map[string]*Figure {
	broken := growthCurve(tex.Escape("primal-dual:step=5"), 1, 2, 0.75)
	broken.Y[3], broken.Y[4], broken.Y[9], broken.X[12] = -1, 0, math.NaN(), -5
	broken.Lower[10], broken.Upper[15] = -3, math.Inf(1)
	regret := growthCurve("OGD", 2, 3, 0.5)
	for i := range regret.Y {
		for _, y := range []*float64{&regret.Lower[i], &regret.Y[i], &regret.Upper[i]} {
			*y -= regret.X[i] / 50
		}
	}
	loglog := Panel{
		X:      Axis{Label: "round $t$", Scale: Log},
		Y:      Axis{Label: `violation $V_t$`, Scale: Log},
		Series: []Series{growthCurve(`penalised FTRL, $\gamma=25$`, 0, 3, 0.5), broken},
		Guides: []Guide{{Slope: 0.5, X: 10, Y: 2}, {Slope: 0.75, X: 1, Y: 9, Label: `$t^{\beta}$`}},
		Marks:  []Mark{{X: 1000, Label: "$T_0$"}, {X: 50}},
	}
	signed := Panel{
		Title:  "(b)",
		X:      Axis{Label: "$t$"},
		Y:      Axis{Label: `$\mathrm{Reg}_t(\hat{X}^{\max}_t)$`, Scale: SymLog, Linthresh: 1},
		Series: []Series{regret},
	}
	plane := Panel{
		Title:   "Plane",
		X:       Axis{Label: "violation"},
		Y:       Axis{Label: "regret", Scale: SymLog},
		Regions: []Region{{Min: 10, Max: 5000, Label: "feasible"}},
		Levels:  []Level{{Y: 10, Label: "$t^{1/2}$"}},
		Ends:    true,
	}
	for style, end := range []float64{4, 9, 16} {
		path := growthCurve(fmt.Sprintf("path %d", style), style, end, 0.5)
		path.Lower, path.Upper, path.Path, path.Faint = nil, nil, true, style == 2
		plane.Series = append(plane.Series, path)
	}
	var crowd Panel
	crowd.X, crowd.Y, crowd.Ends = loglog.X, loglog.Y, true
	for style := range 5 {
		crowd.Series = append(crowd.Series,
			growthCurve(fmt.Sprintf("curve %d", style), style, 1+0.1*float64(style), 0.5))
	}
	linear := signed
	linear.Title, linear.Y.Scale, linear.Y.Min, linear.Y.Max = "(c)", Linear, -50, 100
	return map[string]*Figure{
		"loglog": {Panels: []Panel{loglog}, Width: 7, Height: 5},
		"row": {Title: `Regret, $\sqrt{t}$`, Panels: []Panel{loglog, signed, linear}, Width: 5,
			Height: 4},
		"empty": {Panels: []Panel{{}}, Width: 4, Height: 3},
		"ends":  {Panels: []Panel{plane, crowd}, Width: 7, Height: 5},
	}
}

// rendered returns the file of a figure; an error ends the test.
func rendered(t testing.TB, f *Figure, format Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// figureDigests returns a line with the digest of every figure in every format.
func figureDigests(t testing.TB, formats ...Format) []string {
	var lines []string
	for name, f := range testFigures() {
		for _, format := range formats {
			lines = append(lines, fmt.Sprintf("%s.%s %x", name, format,
				sha256.Sum256(rendered(t, f, format))))
		}
	}
	slices.Sort(lines)
	return lines
}

// Only the digests of the SVGs are stored. Those of the other formats depend on the
// compressor of the Go release.
func TestGolden(t *testing.T) {
	golden.File(t, "svg.sha256", strings.Join(figureDigests(t, SVG), "\n")+"\n", *update)
}

// The same figure gives the same bytes again, in many goroutines at the same time,
// and in another process.
func TestSameFigureGivesTheSameBytes(t *testing.T) {
	const child = "FIGURE_TEST_PRINT_DIGESTS"
	if os.Getenv(child) != "" {
		fmt.Println(strings.Join(figureDigests(t, Formats...), "\n"))
		return
	}
	drawn := make(chan []string)
	for range 2 {
		go func() { drawn <- figureDigests(t, Formats...) }()
	}
	want, again := <-drawn, <-drawn
	if !slices.Equal(want, again) {
		t.Errorf("a second drawing differs:\n%s\nfrom\n%s", strings.Join(again, "\n"),
			strings.Join(want, "\n"))
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSameFigureGivesTheSameBytes$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(out), strings.Join(want, "\n")+"\n") {
		t.Errorf("another process draws\n%s\nnot\n%s", out, strings.Join(want, "\n"))
	}
}

func TestSaveReplacesFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "figures")
	f := testFigures()["loglog"]
	f.Width, f.Height = 4, 3
	for range 2 { // the second time replaces the files of the first
		saved, err := f.Save(dir, "violation", Formats...)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, format := range Formats {
			want = append(want, filepath.Join(dir, "violation."+string(format)))
		}
		if !slices.Equal(saved, want) {
			t.Errorf("saved %q, want %q", saved, want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("got entries %v, error %v, want three", entries, err)
	}
	for _, format := range Formats {
		got, err := os.ReadFile(filepath.Join(dir, "violation."+string(format)))
		if err != nil || !bytes.Equal(got, rendered(t, f, format)) {
			t.Errorf("%s: got another file (error %v), want what Write writes", format, err)
		}
	}
}

func TestSaveLeavesNothingOfAnInvalidFigure(t *testing.T) {
	dir := t.TempDir()
	if _, err := (&Figure{}).Save(filepath.Join(dir, "invalid"), "f", Formats...); err == nil {
		t.Error("an invalid figure: got it saved, want an error")
	}
	if _, err := os.Stat(filepath.Join(dir, "invalid")); !errors.Is(err, os.ErrNotExist) {
		t.Error("an invalid figure: got a directory, want none")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := testFigures()["empty"].Save(file, "f", Formats...); err == nil {
		t.Error("a file in the place of the directory: got no error, want one")
	}
	if err := testFigures()["empty"].Write(&bytes.Buffer{}, "gif"); err == nil {
		t.Error("format gif: got no error, want one")
	}
}

func TestPNGHasItsResolution(t *testing.T) {
	content := rendered(t, testFigures()["row"], PNG)
	img, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if want := int(math.Round(3 * 5 / 2.54 * 300)); img.Bounds().Dx() != want {
		t.Errorf("three panels of 5 cm are %d pixels wide, want %d", img.Bounds().Dx(), want)
	}
	if !bytes.Contains(content, []byte("pHYs\x00\x00\x2e\x23\x00\x00\x2e\x23\x01")) {
		t.Error("got a PNG of another resolution, want 11811 pixels a metre")
	}
	if r, g, b, a := img.At(0, 0).RGBA(); r&g&b&a != 0xffff {
		t.Error("got a PNG without a white ground, want one")
	}
}

func TestInvalidFiguresAreRefused(t *testing.T) {
	nan := math.NaN()
	panel := func(p Panel) *Figure { return &Figure{Panels: []Panel{p}} }
	series := func(s Series) *Figure { return panel(Panel{Series: []Series{s}}) }
	one := []float64{1}
	for want, f := range map[string]*Figure{
		"no panels":                           {},
		"a width or height of 200 cm":         {Panels: make([]Panel, 1), Width: 200},
		"a width or height of NaN cm":         {Panels: make([]Panel, 1), Height: nan},
		`title: TeX "$": a $ without`:         {Panels: make([]Panel, 1), Title: "$"},
		"panel 1, title":                      panel(Panel{Title: "{"}),
		`panel 1, x axis: TeX "$\\x$"`:        panel(Panel{X: Axis{Label: `$\x$`}}),
		"panel 1, y axis: unknown scale":      panel(Panel{Y: Axis{Scale: 9}}),
		"x axis: it cannot run from 0 to 10":  panel(Panel{X: Axis{Scale: Log, Max: 10}}),
		"x axis: it cannot run from 2 to 1":   panel(Panel{X: Axis{Min: 2, Max: 1}}),
		"x axis: it cannot run from NaN to 1": panel(Panel{X: Axis{Min: nan, Max: 1}}),
		"linear part cannot end at -1":        panel(Panel{Y: Axis{Scale: SymLog, Linthresh: -1}}),
		"linear part cannot end at NaN":       panel(Panel{Y: Axis{Scale: SymLog, Linthresh: nan}}),
		"1 x values and 0 y values":           series(Series{X: one}),
		"both Lower and Upper":                series(Series{X: one, Y: one, Lower: one}),
		"0 lower and 1 upper": series(
			Series{X: one, Y: one, Lower: []float64{}, Upper: one}),
		"style -1 is negative": series(Series{Style: -1}),
		"at 1 the lower end of the band, 3, is": series(
			Series{X: one, Y: one, Lower: []float64{3}, Upper: []float64{2}}),
		`series 1 ($x^$): TeX`: series(Series{Label: "$x^$"}),
		"guide 1: a guide needs two logarithmic": panel(
			Panel{X: Axis{Scale: Log}, Guides: []Guide{{Slope: 1, X: 1, Y: 1}}}),
		"guide 1: a slope of NaN through (1, 1)": panel(
			Panel{X: Axis{Scale: Log}, Y: Axis{Scale: Log}, Guides: []Guide{{Slope: nan, X: 1, Y: 1}}}),
		"guide 1: a slope of 1 through (0, 1)": panel(
			Panel{X: Axis{Scale: Log}, Y: Axis{Scale: Log}, Guides: []Guide{{Slope: 1, Y: 1}}}),
		"guide 1: a slope of 1 through (+Inf, 1)": panel(Panel{X: Axis{Scale: Log},
			Y: Axis{Scale: Log}, Guides: []Guide{{Slope: 1, X: math.Inf(1), Y: 1}}}),
		"guide 1: a slope of 1 through (1, NaN)": panel(Panel{X: Axis{Scale: Log},
			Y: Axis{Scale: Log}, Guides: []Guide{{Slope: 1, X: 1, Y: nan}}}),
		"guide 1: a slope of 1 through (1, -1)": panel(Panel{X: Axis{Scale: Log},
			Y: Axis{Scale: Log}, Guides: []Guide{{Slope: 1, X: 1, Y: -1}}}),
		"mark 1: 0 is not on the x axis":   panel(Panel{X: Axis{Scale: Log}, Marks: []Mark{{}}}),
		`panel 1, mark 1: TeX "}"`:         panel(Panel{Marks: []Mark{{Label: "}"}}}),
		"level 1: 0 is not on the y axis":  panel(Panel{Y: Axis{Scale: Log}, Levels: []Level{{}}}),
		`panel 1, level 1: TeX "}"`:        panel(Panel{Levels: []Level{{Label: "}"}}}),
		"region 1: from 2 to 1 is no part": panel(Panel{Regions: []Region{{Min: 2, Max: 1}}}),
		"region 1: from 0 to 1 is no part": panel(
			Panel{X: Axis{Scale: Log}, Regions: []Region{{Max: 1}}}),
		`panel 1, region 1: TeX "}"`: panel(Panel{Regions: []Region{{Max: 1, Label: "}"}}}),
		`panel 1, guide 1: TeX "}"`: panel(
			Panel{X: Axis{Scale: Log}, Y: Axis{Scale: Log}, Guides: []Guide{{X: 1, Y: 1, Label: "}"}}}),
	} {
		t.Run(want, func(t *testing.T) {
			err := f.Validate()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("error %v, want %q", err, want)
			}
			var b bytes.Buffer
			if werr := f.Write(&b, SVG); werr == nil || b.Len() > 0 {
				t.Errorf("Write returns %v and writes %d bytes", werr, b.Len())
			}
		})
	}
	// The error names all faults.
	err := (&Figure{Title: "{", Panels: []Panel{{Title: "}"}}}).Validate()
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two faults: got error %q, want two lines", err)
	}
}

// A curve is interrupted only at points that cannot be drawn.
func TestCurveBreaksOnlyAtUndrawablePoints(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	s := Series{
		X: []float64{1, 2, 3, 4, 5, 6, 7, 8, 0, 10},
		Y: []float64{1, 2, nan, 4, 0, -1, 7, inf, 9, 10},
	}
	for _, c := range []struct {
		x, y Scale
		runs []int // how many points in each
	}{
		{Linear, Linear, []int{2, 4, 2}},
		{Log, Log, []int{2, 1, 1, 1}},
		{Linear, SymLog, []int{2, 4, 2}},
		{Log, Linear, []int{2, 4, 1}},
	} {
		f := &Figure{Panels: []Panel{{X: Axis{Scale: c.x}, Y: Axis{Scale: c.y}, Series: []Series{s}}}}
		d, err := f.layout()
		if err != nil {
			t.Fatal(err)
		}
		var runs []int
		for _, run := range d.panels[0].runsBetweenGaps(&s) {
			runs = append(runs, len(run))
		}
		if !slices.Equal(runs, c.runs) {
			t.Errorf("scales %d and %d: runs of %v points, want %v", c.x, c.y, runs, c.runs)
		}
	}
}

// A point that is not positive on a logarithmic axis is shown as a chevron at the end
// of the axis, each curve with a line a little above the one before, whatever its style, and the
// legend explains the chevron. Points are side by side, and all their chevrons at the end.
// Beside the range of the axis there is neither.
func TestPointsThatAreNotPositiveAreChevrons(t *testing.T) {
	log, decades := Axis{Scale: Log}, []float64{1, 10, 100}
	two := func(points bool) []Series {
		return []Series{
			{X: decades, Y: []float64{1, -1, 10}, Points: points},
			{X: decades, Y: []float64{1, 0, 10}, Style: 5, Points: points},
		}
	}
	first := Series{X: decades, Y: []float64{-1, 1, 10}}
	thin, path := first, first
	thin.Thin, path.Path = true, true
	const legend = 1e3 // the chevron of the legend is far above the axis
	for _, c := range []struct {
		name   string
		x, y   Axis
		series []Series
		want   []float64 // heights above the axis
	}{
		{"curves", log, log, two(false), []float64{0, chevronStep, legend}},
		{"points", log, log, two(true), []float64{0, 0, legend}},
		{"all points can be drawn", log, Axis{Scale: SymLog}, two(true), nil},
		{"at the beginning", log, log, []Series{first}, []float64{0, legend}},
		{"a thin line", log, log, []Series{thin}, nil},
		{"a path", log, log, []Series{path}, nil},
		{"beside the range of the axis", Axis{Scale: Log, Min: 5, Max: 100}, log, []Series{first}, nil},
		{"close to each other", log, log, []Series{{X: []float64{1, 10, 10.1, 10.2, 100},
			Y: []float64{1, -1, -1, -1, 1}}}, []float64{0, legend}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &Figure{Panels: []Panel{{X: c.x, Y: c.y, Series: c.series}}}
			got := chevrons(t, f)
			if f.HasChevrons() != (c.want != nil) || !slices.EqualFunc(got, c.want,
				func(g, w float64) bool { return math.Abs(g-w) <= 1e-9 || w == legend && g >= 100 }) {
				t.Errorf("got chevrons at %v above the axis, HasChevrons = %v, want %v", got,
					f.HasChevrons(), c.want)
			}
		})
	}
}

// chevrons returns how far above the axis the chevrons of a figure of one panel are.
func chevrons(t *testing.T, f *Figure) (tips []float64) {
	t.Helper()
	d, err := f.layout()
	if err != nil {
		t.Fatal(err)
	}
	var c recorder.Canvas
	d.draw(&c)
	for _, a := range c.Actions {
		if line, ok := a.(*recorder.Stroke); ok && len(line.Path) == 3 &&
			line.Path[0].Pos.Y == line.Path[2].Pos.Y {
			tips = append(tips, float64(line.Path[1].Pos.Y-d.panels[0].frame.Min.Y))
		}
	}
	return tips
}

// Intervals are bands in a figure of which no panel has more than four, and else bars at
// the markers, in all panels.
func TestManyIntervalsAreBars(t *testing.T) {
	f := &Figure{Panels: []Panel{{}, {}}}
	for style := range mostBands + 1 {
		if f.Panels[1].Series = append(f.Panels[1].Series,
			growthCurve("", style, 1, 0.5)); f.Bars() != (style == mostBands) {
			t.Errorf("%d bands: got bars %v, want %v", style+1, f.Bars(), style == mostBands)
		}
	}
	// A bar is from the lower to the upper end, at the place of a marker.
	d, err := f.layout()
	if err != nil {
		t.Fatal(err)
	}
	var c recorder.Canvas
	d.draw(&c)
	bars := 0
	for _, a := range c.Actions {
		line, ok := a.(*recorder.Stroke)
		if !ok || len(line.Path) != 2 {
			continue
		}
		p, q := line.Path[0].Pos, line.Path[1].Pos
		for i, x := range f.Panels[1].Series[0].X {
			lower, upper := f.Panels[1].Series[0].Lower[i], f.Panels[1].Series[0].Upper[i]
			if p == d.panels[1].pointAt(x, lower) && q == d.panels[1].pointAt(x, upper) {
				bars++
			}
		}
	}
	if bars < mostBands+1 {
		t.Errorf("got %d bars, want one for each of %d curves", bars, mostBands+1)
	}
}

// A bar whose lower end is below the axis ends in an arrow, 9 points below the marker or at the
// frame. One whose upper end is far beyond the axis ends at the frame.
func TestBarsThatGoOnBelowTheAxisEndInArrows(t *testing.T) {
	for _, c := range []struct {
		name     string
		y, lower float64
		hasArrow bool
	}{
		{"negative", 2, -3, true},
		{"zero", 2, 0, true},
		{"positive and below the axis", 2, 1e-9, true},
		{"below a marker near the frame", 0.52, 0, true},
		{"on the axis", 2, 0.5, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &Figure{Panels: []Panel{{X: Axis{Scale: Log}, Y: Axis{Scale: Log, Min: 0.5, Max: 30},
				Series: []Series{{X: []float64{1, 7.5, 100}, Y: []float64{1, c.y, 3},
					Lower: []float64{0.6, c.lower, 2}, Upper: []float64{2, 1e6, 4}, Points: true}}}}}
			d, err := f.layout()
			if err != nil {
				t.Fatal(err)
			}
			var canvas recorder.Canvas
			d.draw(&canvas)
			p := d.panels[0]
			want := p.pointAt(7.5, c.lower)
			if c.hasArrow {
				want.Y = max(p.pointAt(7.5, c.y).Y-9, p.frame.Min.Y)
			}
			bars, arrows := 0, 0
			for _, a := range canvas.Actions {
				line, ok := a.(*recorder.Stroke)
				switch {
				case !ok:
				case len(line.Path) == 2 && line.Path[0].Pos == want &&
					line.Path[1].Pos == vg.Point{X: want.X, Y: p.frame.Max.Y}:
					bars++
				case len(line.Path) == 3 && line.Path[1].Pos == want:
					arrows++
				}
			}
			if bars != 1 || arrows > 1 || (arrows == 1) != c.hasArrow || f.HasArrows() != c.hasArrow {
				t.Errorf("%d bars from %v to the top of the frame and %d arrows there, HasArrows %v; "+
					"want one bar, and an arrow: %v", bars, want, arrows, f.HasArrows(), c.hasArrow)
			}
		})
	}
}

// Of a long curve some points have a bar. An interval that goes on below the axis at another point
// has no arrow.
func TestOnlyBarsHaveArrows(t *testing.T) {
	f := &Figure{Panels: []Panel{{X: Axis{Scale: Log}, Y: Axis{Scale: Log}}}}
	for range mostBands + 1 {
		f.Panels[0].Series = append(f.Panels[0].Series, growthCurve("", 0, 1, 0.5))
	}
	d, err := f.layout()
	if err != nil {
		t.Fatal(err)
	}
	s := &f.Panels[0].Series[0]
	marked := d.panels[0].markedPoints(s)
	for k := range s.X {
		lower := s.Lower[k]
		s.Lower[k] = 0
		if want := slices.Contains(marked, k); f.HasArrows() != want {
			t.Errorf("an interval down to 0 at point %d: HasArrows is %v, want %v", k, !want, want)
		}
		s.Lower[k] = lower
	}
}

// The label of a guide keeps clear of the markers and bars of points, which are on both sides of it
// where the label of an empty panel would be.
func TestLabelsKeepClearOfMarkersAndBars(t *testing.T) {
	panel := Panel{X: Axis{Scale: Log, Min: 100, Max: 10000}, Y: Axis{Scale: Log, Min: 1, Max: 100},
		Guides: []Guide{{Slope: 0.5, X: 100, Y: 3}}}
	place := func() (*placedPanel, vg.Rectangle) {
		d, err := (&Figure{Panels: []Panel{panel}}).layout()
		if err != nil {
			t.Fatal(err)
		}
		return d.panels[0], d.panels[0].frameLabels[0].rectangle()
	}
	_, free := place()
	points := Series{Points: true}
	for _, x := range []float64{5000, 6000, 7000, 8000} {
		y := 3 * math.Sqrt(x/100)
		points.X, points.Y = append(points.X, x), append(points.Y, y)
		points.Lower, points.Upper = append(points.Lower, y/1.5), append(points.Upper, 1.5*y)
	}
	panel.Series = []Series{points}
	p, got := place()
	covers := func(label vg.Rectangle) bool {
		return slices.ContainsFunc(p.markedPoints(&points), func(k int) bool {
			bar, _ := p.barAt(&points, k)
			at := p.markerAt(&points, k)
			overlaps := func(low, high vg.Point) bool {
				return label.Min.X < high.X && low.X < label.Max.X && label.Min.Y < high.Y &&
					low.Y < label.Max.Y
			}
			half := vg.Point{X: markerSize, Y: markerSize}
			return overlaps(bar[0], bar[1]) || overlaps(at.Sub(half), at.Add(half))
		})
	}
	if !covers(free) || covers(got) {
		t.Errorf("bars cover the label: %v, want false; and where it is without them: %v, want true",
			covers(got), covers(free))
	}
}

// The horizontal axis spans all rounds, also those at which no value is positive.
func TestAxisSpansAllRounds(t *testing.T) {
	p := &Panel{X: Axis{Scale: Log}, Y: Axis{Scale: Log},
		Series: []Series{{X: []float64{10, 3000}, Y: []float64{0, -1}}}}
	if x, _ := p.rulers(); x.min > 10 || x.min < 5 || x.max < 3000 || x.max > 6000 {
		t.Errorf("the axis of a curve that is never positive is from %v to %v, want from 10 to 3000",
			x.min, x.max)
	}
}

func TestGuideNamesItsPower(t *testing.T) {
	for slope, want := range map[float64]string{
		0.5: "$t^{1/2}$", 1: "$t$", 2: "$t^{2}$", 0: "$t^{0}$", 0.75: "$t^{3/4}$", 1. / 3: "$t^{1/3}$",
		-0.5: "$t^{-1/2}$", 0.617: "$t^{0.62}$",
	} {
		if got := (Guide{Slope: slope}).labelText(); got != want {
			t.Errorf("slope %v is written %s, want %s", slope, got, want)
		}
	}
}

// A guide has its slope in decades per decade, and contains its point.
func TestGuideHasItsSlopeThroughItsPoint(t *testing.T) {
	f := testFigures()["loglog"]
	d, err := f.layout()
	if err != nil {
		t.Fatal(err)
	}
	p := d.panels[0]
	g := Guide{Slope: 0.5, X: 10, Y: 2}
	line := p.guideLine(g)
	for _, x := range []float64{p.xRuler.min, 10, 1000} {
		want := p.pointAt(x, g.Y*math.Pow(x/g.X, g.Slope))
		along := (want.X - line[0].X) / (line[1].X - line[0].X)
		got := line[0].Y + along*(line[1].Y-line[0].Y)
		if math.Abs(float64(got-want.Y)) > 1e-6 {
			t.Errorf("at %v the guide is at height %v, want %v", x, got, want.Y)
		}
	}
}

func TestRulersHoldTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Scale: Scale(rapid.IntRange(0, 2).Draw(t, "scale"))}
		lo := rapid.Float64Range(-1e12, 1e12).Draw(t, "lo")
		if rapid.Bool().Draw(t, "near zero") {
			lo *= 1e-12
		}
		if a.Scale == Log {
			lo = math.Abs(lo) + 1e-12
		}
		hi := lo + rapid.Float64Range(0, 1e12).Draw(t, "length")*math.Pow(10,
			float64(rapid.IntRange(-15, 0).Draw(t, "digits")))
		r := a.fitRuler([]float64{lo, hi}, 0.05)

		if !(r.position(r.min) == 0 && r.position(r.max) == 1) {
			t.Fatalf("%+v: got ends at %v and %v, want 0 and 1", r, r.position(r.min), r.position(r.max))
		}
		if !(0 <= r.position(lo) && r.position(lo) <= r.position(hi) && r.position(hi) <= 1) {
			t.Fatalf("%v and %v: got positions %v and %v, want them in order, in [0, 1]", lo, hi,
				r.position(lo), r.position(hi))
		}
		if back := r.unstretch(r.stretch(hi)); math.Abs(back-hi) > 1e-9*math.Abs(hi) {
			t.Fatalf("stretched and unstretched: want %v, got %v", hi, back)
		}
		ticks, _ := r.ticks()
		labels := map[string]bool{}
		for i, k := range ticks {
			if i > 0 && k.Value <= ticks[i-1].Value {
				t.Fatalf("got ticks at %v and then %v, want them to increase", ticks[i-1].Value, k.Value)
			}
			if k.Label == "" {
				continue
			}
			if labels[k.Label] {
				t.Fatalf("%+v: got two ticks of %s, want labels that differ", r, k.Label)
			}
			labels[k.Label] = true
		}
		if n := len(labels); n < 2 && a.Scale != SymLog || n < 1 || n > 12 {
			t.Fatalf("%+v: got %d labels, want 2 to 12: %v", r, n, labels)
		}
	})
}

// The labels of some axes.
func TestTicksHaveTheLabelsByHand(t *testing.T) {
	for _, c := range []struct {
		axis     Axis
		want     string
		exponent int
	}{
		{Axis{Scale: Log, Min: 1, Max: 1000}, "$10^{0}$ $10^{1}$ $10^{2}$ $10^{3}$", 0},
		{Axis{Scale: Log, Min: 1, Max: 8}, "$1$ $2$ $5$", 0},
		{Axis{Scale: Log, Min: 2e5, Max: 8e5}, `$2\times10^{5}$ $5\times10^{5}$`, 0},
		{Axis{Scale: Log, Min: 310, Max: 319}, "$310$ $312$ $314$ $316$ $318$", 0},
		{Axis{Scale: Log, Min: 1, Max: 1e20},
			"$10^{0}$ $10^{3}$ $10^{6}$ $10^{9}$ $10^{12}$ $10^{15}$ $10^{18}$", 0},
		{Axis{Scale: SymLog, Linthresh: 10, Min: -1000, Max: 1000},
			"$-10^{3}$ $-10^{2}$ $-10^{1}$ $0$ $10^{1}$ $10^{2}$ $10^{3}$", 0},
		{Axis{Min: -1, Max: 1}, "$-1.0$ $-0.5$ $0$ $0.5$ $1.0$", 0},
		{Axis{Min: 0, Max: 10000}, "$0$ $0.2$ $0.4$ $0.6$ $0.8$ $1.0$", 4},
		{Axis{Min: 0, Max: 9999}, "$0$ $2000$ $4000$ $6000$ $8000$", 0},
		{Axis{Min: -3e-7, Max: 1e-7}, "$-3$ $-2$ $-1$ $0$ $1$", -7},
	} {
		ticks, exponent := c.axis.fitRuler(nil, 0).ticks()
		var got []string
		for _, k := range ticks {
			if k.Label != "" {
				got = append(got, k.Label)
			}
		}
		if s := strings.Join(got, " "); s != c.want || exponent != c.exponent {
			t.Errorf("from %v to %v, scale %d: %s times 10^%d, want %s times 10^%d", c.axis.Min, c.axis.Max,
				c.axis.Scale, s, exponent, c.want, c.exponent)
		}
	}
}

// paperChecker is a canvas that keeps the first fault: ink that is not on the paper, or text that
// is not drawn as outlines.
type paperChecker struct {
	recorder.Canvas
	width, height vg.Length
	fault         string
}

// checkPath checks that a path is on the paper.
func (c *paperChecker) checkPath(p vg.Path) {
	for _, part := range p {
		if part.Type == vg.CloseComp {
			continue
		}
		for _, q := range append([]vg.Point{part.Pos}, part.Control...) {
			if !(q.X >= 0 && q.X <= c.width && q.Y >= 0 && q.Y <= c.height) && c.fault == "" {
				c.fault = fmt.Sprintf("ink at %v, %v of %v by %v", q.X, q.Y, c.width, c.height)
			}
		}
	}
}

func (c *paperChecker) Fill(p vg.Path)                         { c.checkPath(p) }
func (c *paperChecker) Stroke(p vg.Path)                       { c.checkPath(p) }
func (c *paperChecker) FillString(font.Face, vg.Point, string) { c.fault = "text drawn as text" }
func (c *paperChecker) DrawImage(vg.Rectangle, image.Image)    { c.fault = "an image" }

// Everything is drawn on the paper, for any data and labels.
func TestEverythingIsOnThePaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-1e3, 1e5), rapid.Float64Range(1, 1e4), rapid.Float64(),
			rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e-320,
				math.MaxFloat64}))
		label := rapid.SampledFrom([]string{
			"", "$t$", `$\hat{X}^{\max}_{t_0}$`, `$\sqrt{R_T^{\sqrt{T}}}$`, strings.Repeat("long ", 25),
		})
		f := &Figure{Title: label.Draw(t, "title"), Columns: rapid.IntRange(0, 2).Draw(t, "columns")}
		for range rapid.IntRange(1, 3).Draw(t, "panels") {
			p := Panel{Title: label.Draw(t, "panel title")}
			for _, a := range []*Axis{&p.X, &p.Y} {
				a.Label = label.Draw(t, "axis")
				a.Scale = Scale(rapid.IntRange(0, 2).Draw(t, "scale"))
			}
			for style := range rapid.IntRange(0, 9).Draw(t, "series") {
				s := Series{Label: label.Draw(t, "series label"), Style: style}
				s.Path, s.Faint, s.Thin = rapid.Bool().Draw(t, "path"), rapid.Bool().Draw(t, "faint"),
					rapid.Bool().Draw(t, "thin")
				n := rapid.IntRange(0, 5).Draw(t, "n")
				s.X = rapid.SliceOfN(value, n, n).Draw(t, "x")
				s.Y = rapid.SliceOfN(value, n, n).Draw(t, "y")
				if rapid.Bool().Draw(t, "band") {
					s.Lower = rapid.SliceOfN(value, n, n).Draw(t, "lower")
					s.Upper = rapid.SliceOfN(value, n, n).Draw(t, "upper")
					for i, l := range s.Lower {
						if l > s.Upper[i] {
							s.Lower[i], s.Upper[i] = s.Upper[i], l
						}
					}
				}
				p.Series = append(p.Series, s)
			}
			if x := value.Draw(t, "mark"); p.X.Scale.holds(x) {
				p.Marks = append(p.Marks, Mark{x, label.Draw(t, "mark label")})
			}
			p.Ends = rapid.Bool().Draw(t, "ends")
			if y := value.Draw(t, "level"); p.Y.Scale.holds(y) {
				p.Levels = append(p.Levels, Level{y, label.Draw(t, "level label")})
			}
			if x := value.Draw(t, "region"); p.X.Scale.holds(x) && x < 1e6 {
				p.Regions = append(p.Regions, Region{x, 1e6, label.Draw(t, "region label")})
			}
			if x, y := value.Draw(t, "anchor x"), value.Draw(t, "anchor y"); p.X.Scale == Log &&
				p.Y.Scale == Log && Log.holds(x) && Log.holds(y) {
				p.Guides = append(p.Guides, Guide{Slope: rapid.Float64Range(-3, 3).Draw(t, "slope"), X: x,
					Y: y})
			}
			f.Panels = append(f.Panels, p)
		}
		if err := f.Validate(); err != nil {
			t.Fatal(err)
		}
		d, err := f.layout()
		if err != nil {
			t.Fatal(err)
		}
		c := &paperChecker{width: vg.Length(d.width), height: vg.Length(d.height)}
		d.draw(draw.NewCanvas(c, c.width, c.height))
		if c.fault != "" {
			t.Fatal(c.fault)
		}
	})
}

// A panel whose labels leave no room for curves is refused.
func TestTooSmallIsRefused(t *testing.T) {
	p := Panel{Ends: true, Y: Axis{Label: "$y$", Scale: Log, Min: 2e-250, Max: 8e-250},
		Series: []Series{{Label: strings.Repeat("long ", 9), X: []float64{1}, Y: []float64{5e-250}}}}
	for _, c := range []struct {
		name    string
		width   float64
		refused bool
	}{{"a column of an article", 8.4, false}, {"less than labels take", 3, true}} {
		t.Run(c.name, func(t *testing.T) {
			f := &Figure{Panels: []Panel{p}, Width: c.width, Height: 3}
			if err := f.Write(io.Discard, SVG); (err != nil) != c.refused {
				t.Errorf("%v, want an error: %v", err, c.refused)
			}
		})
	}
}

// A figure that no page of PDF holds is refused in every format, and a PNG of too many dots too,
// before memory is taken for it.
func TestTooLargeIsRefused(t *testing.T) {
	for _, c := range []struct {
		name     string
		panels   int
		side     float64 // of a panel, in centimetres
		pdf, png bool    // whether it is refused
	}{
		{"a page of an article", 28, 4, false, false},
		{"a panel of a metre", 1, 100, false, true},
		{"a panel of more than a metre", 1, 100.2, true, true},
		{"sixty rows", 120, 10, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &Figure{Columns: 2, Width: c.side, Height: c.side, Panels: make([]Panel, c.panels)}
			for _, want := range []struct {
				format  Format
				refused bool
			}{{PDF, c.pdf}, {PNG, c.png}} {
				if err := f.Write(io.Discard, want.format); (err != nil) != want.refused {
					t.Errorf("%s: %v, want an error: %v", want.format, err, want.refused)
				}
			}
		})
	}
}

// Points of several curves at one x are apart, around their place, and their fits are not.
func TestPointsAreDodged(t *testing.T) {
	points := func() Series { return Series{X: []float64{1}, Y: []float64{1}, Points: true} }
	p := Panel{Series: []Series{points(), {X: []float64{1}, Y: []float64{1}}, points(), points()}}
	var got []float64
	for k := range p.Series {
		got = append(got, float64(p.dodgeOffset(&p.Series[k])))
	}
	if want := []float64{-dodgeStep, 0, 0, dodgeStep}; !slices.Equal(got, want) {
		t.Errorf("they are %v to the right, want %v", got, want)
	}
}

// An axis with ticks of its own has labels at these alone.
func TestAxisHasLabelsAtItsOwnTicksAlone(t *testing.T) {
	r := ruler{scale: Log, min: 250, max: 400000}
	others, _ := r.ticks()
	var got []string
	for _, tick := range r.ticksAt([]float64{300, 3000, 300000}, others) {
		if !tick.IsMinor() {
			got = append(got, tick.Label)
		}
	}
	if want := []string{"$300$", "$3000$", `$3\times10^{5}$`}; !slices.Equal(got, want) {
		t.Errorf("the labels are %q, want %q", got, want)
	}
}
