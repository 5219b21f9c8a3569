package paper

import (
	"fmt"
	"math"
	"strings"

	"ocobench/harness"
	"ocobench/paper/figure"
	"ocobench/paper/table"
	"ocobench/stats"
)

// Fitted is a curve, which may be anybody's, with its growth.
type Fitted struct {
	Name  string
	Curve stats.Curve
	Fit   stats.Fit
}

// Fits is the table of growth exponents of curves, of which there is one.
func Fits(title string, fits []Fitted) *table.Table {
	t := &table.Table{
		Title: table.Plain(title),
		Columns: []table.Column{
			{Name: table.Plain("series")}, {Name: table.Plain("exponent"), Align: table.Right}, {Name: table.Plain("verdict")},
			{Name: table.Plain("window")}, {Name: table.Plain("points"), Align: table.Right}, {Name: table.Plain("replicates"), Align: table.Right},
		},
	}
	for _, f := range fits {
		t.Rows = append(t.Rows, []table.Text{
			table.Plain(f.Name), growthText(f.Fit), table.Plain(string(f.Fit.Verdict)),
			table.Plain(fmt.Sprintf("%g … %g", f.Fit.Window.From, f.Fit.Window.To)),
			table.Plain(fmt.Sprint(f.Fit.Points)), table.Plain(fmt.Sprint(f.Fit.Replicates)),
		})
	}
	how := "along t"
	if fits[0].Fit.Design == stats.AcrossT {
		how = "across horizons, each with parameters of its own"
	}
	p := harness.Provenance()
	t.Notes = []table.Text{
		note(fmt.Sprintf("Exponent p of mean ~ t^p in the window, %s; %g %% interval over the replicates.", how, 100*fits[0].Fit.Confidence)),
		note(readings + "."),
		table.Plain(fmt.Sprintf("ocobench %s, %s, %s.", p.Version, p.Go, p.GOARCH)),
	}
	return t
}

// FitsFigure shows the mean of each curve with its band, and, on logarithmic
// axes, the power law fitted to it, drawn on beyond its window; and to the
// right of that the local exponents along the curve. A panel has no more curves
// than it can hold legibly.
func FitsFigure(fits []Fitted) (*figure.Figure, error) {
	f := &figure.Figure{Columns: 2, Width: 11, Height: 8}
	for len(fits) > 0 {
		n := min(len(fits), most)
		p, err := fitsPanel(fits[:n])
		if err != nil {
			return nil, err
		}
		slopes, err := slopesPanel(fits[:n])
		if err != nil {
			return nil, err
		}
		f.Panels, fits = append(f.Panels, p, slopes), fits[n:]
	}
	return f, nil
}

func fitsPanel(fits []Fitted) (figure.Panel, error) {
	p := figure.Panel{
		X: figure.Axis{Label: "$t$", Scale: figure.Log},
		Y: figure.Axis{Label: "mean value", Scale: figure.Log},
	}
	largest := 0.0
	for k, f := range fits {
		s, err := meanSeries(f.Curve, f.Fit.Confidence, figure.Escape(f.Name)+growthLabel(f.Fit), k)
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.Name, err)
		}
		for _, v := range s.Y {
			if v < 0 {
				p.Y.Scale = figure.SymLog
			}
			largest = max(largest, math.Abs(v))
		}
		p.Series = append(p.Series, s)
	}
	if p.Y.Scale == figure.SymLog {
		p.Y.Linthresh = largest / 1e4
		return p, nil
	}
	for _, f := range fits {
		if x := f.Fit.Window.To; !math.IsNaN(f.Fit.Exponent) {
			p.Guides = append(p.Guides, figure.Guide{Slope: f.Fit.Exponent, X: x, Y: f.Fit.At(x), Label: fmt.Sprintf("$t^{%.2f}$", f.Fit.Exponent)})
		}
	}
	return p, nil
}

// slopesPanel shows the local exponents of the curves.
func slopesPanel(fits []Fitted) (figure.Panel, error) {
	p := figure.Panel{
		X: figure.Axis{Label: "$t$", Scale: figure.Log},
		Y: figure.Axis{Label: "local exponent"},
	}
	for k, f := range fits {
		g := stats.Growth{Design: f.Fit.Design, Confidence: f.Fit.Confidence}
		band, err := g.Slopes(f.Curve)
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.Name, err)
		}
		s := figure.Series{X: band.T, Y: band.Mean, Style: k}
		if len(f.Curve.Y) > 1 {
			s.Lower, s.Upper = band.Lower, band.Upper
		}
		p.Series = append(p.Series, s)
	}
	return p, nil
}

// growthLabel is the exponent as it stands in a legend.
func growthLabel(f stats.Fit) string {
	sign := ""
	if f.Negated != nil {
		sign, f = "-", *f.Negated
	}
	if math.IsNaN(f.Exponent) {
		return ""
	}
	interval := ""
	if !math.IsNaN(f.Lower) {
		interval = strings.ReplaceAll(fmt.Sprintf(`\;[%.2f, %.2f]`, f.Lower, f.Upper), "Inf", `\infty`)
	}
	return fmt.Sprintf(": $%st^{%.2f}%s$", sign, f.Exponent, interval)
}
