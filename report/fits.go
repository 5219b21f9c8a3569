package report

import (
	"encoding/json"
	"fmt"

	"ocobench/harness/analysis"
	"ocobench/harness/store"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// Fitted is a named series, such as a curve of a CSV file.
type Fitted struct {
	Name string
	analysis.Series
}

// MarshalJSON implements [json.Marshaler]: the form of bench fit --json.
func (f Fitted) MarshalJSON() ([]byte, error) {
	type window struct {
		From   float64 `json:"from"`
		To     float64 `json:"to"`
		Points int     `json:"points"`
	}
	fit := f.Fit
	return json.Marshal(struct {
		Series     string            `json:"series"`
		Exponent   analysis.Number   `json:"exponent"`
		Lower      analysis.Number   `json:"lower"`
		Upper      analysis.Number   `json:"upper"`
		Drift      analysis.Estimate `json:"drift"`
		Increments analysis.Estimate `json:"increments"`
		Confidence float64           `json:"confidence"`
		Window     window            `json:"window"`
		Replicates int               `json:"replicates"`
		Shape      stats.Shape       `json:"shape"`
		Warnings   []string          `json:"warnings"`
	}{
		f.Name, fit.Exponent.Value, fit.Exponent.Lower, fit.Exponent.Upper, fit.Drift, fit.Increments,
		fit.Confidence,
		window{fit.From, fit.To, fit.Points}, fit.Replicates, fit.Shape, fit.Warnings,
	})
}

// FitTable returns the table of the growth exponents of one or more fits.
func FitTable(title string, fits []Fitted, p store.Provenance) *table.Table {
	t := &table.Table{
		Title:   table.Plain(title),
		Columns: table.Columns("series", ">exponent", "shape", "window", ">points", ">replicates"),
	}
	t.Columns[1].CSV = windowFields("exponent")
	for _, f := range fits {
		t.Rows = append(t.Rows, []table.Text{
			table.Plain(f.Name), windowGrowth(&f.Series), table.Plain(string(f.Fit.Shape)),
			table.Plain(fmt.Sprintf("%g … %g", f.Fit.From, f.Fit.To)),
			table.Plain(fmt.Sprint(f.Fit.Points)), table.Plain(fmt.Sprint(f.Fit.Replicates)),
		})
	}
	variable, how := "t", "along t"
	if fits[0].Fit.Design == stats.AcrossT {
		variable, how = "T", "across horizons, each with parameters of its own"
	}
	t.Notes = showNotes([]note{
		noteIf(true, "Exponent p of mean ~ %s^p in the window, %s; %g %% interval over the replicates.",
			variable, how, 100*fits[0].Fit.Confidence),
		readingNote(t), emptyNote(t),
	}, table.Plain(fmt.Sprintf("ocobench %s, %s, %s.", p.Version, p.Go, p.GOARCH)))
	return t
}

// FitsFigure returns the figure of fits, with a row of two panels for every [maxLines] of them. The
// left panel shows the mean of each series with its band and, on logarithmic axes, the fitted power
// law, also outside its window. The right panel shows the local exponents.
func FitsFigure(fits []Fitted) *figure.Figure {
	f := &figure.Figure{Columns: 2, Width: 11, Height: 8}
	for len(fits) > 0 {
		n := min(len(fits), maxLines)
		f.Panels, fits = append(f.Panels, fitsPanel(fits[:n]), slopesPanel(fits[:n])), fits[n:]
	}
	return f
}

// fitsPanel shows the mean of each series with its band and the fitted power law.
func fitsPanel(fits []Fitted) figure.Panel {
	p := figure.Panel{
		X: figure.Axis{Label: "$t$", Scale: figure.Log},
		Y: figure.Axis{Label: "mean value", Scale: figure.Log},
	}
	for k, f := range fits {
		p.Series = append(p.Series, bandSeries(f.Mean, f.Replicates,
			tex.Escape(f.Name)+growthLabel(f.Fit), k))
	}
	if fitScale(&p.Y, 0, p); p.Y.Scale != figure.Log {
		return p
	}
	for _, f := range fits {
		if x, e := f.Fit.To, f.Fit.Exponent.Value; e.Defined() {
			p.Guides = append(p.Guides, figure.Guide{
				Slope: float64(e), X: x, Y: f.Fit.At(x), Label: "$t^{" + plainExponent(float64(e)) + "}$",
			})
		}
	}
	return p
}

// slopesPanel shows the local exponents of the series.
func slopesPanel(fits []Fitted) figure.Panel {
	p := figure.Panel{
		X: figure.Axis{Label: "$t$", Scale: figure.Log},
		Y: figure.Axis{Label: "local exponent"},
	}
	for k, f := range fits {
		s := figure.Series{Style: k}
		if f.Slopes != nil {
			s = bandSeries(*f.Slopes, f.Replicates, "", k)
		}
		p.Series = append(p.Series, s)
	}
	return p
}
