// Package figure draws the line figures of a paper: curves with bands on linear,
// logarithmic or signed logarithmic axes, as PDF, SVG and PNG.
//
// A [Figure] says what is shown. The package decides how it looks, so that all
// figures of a paper look the same. The colours are those of Okabe and Ito, which
// most colour-blind readers can distinguish. Each colour has its own dashes and
// marker, which remain visible in black and white. The legend is above the panels
// and covers no curve. The same figure always gives the same bytes.
//
// Intervals are bands. In a figure that has a panel with more than four of them they
// would bury each other, and are bars at the markers instead. A bar that goes on below the axis,
// such as one whose lower end is not positive on a logarithmic axis, ends in an arrow.
//
// Panels are plots of gonum/plot, which draws their axes and aligns their frames. The legend that
// they share, and the places of the labels in them, are made here.
//
// # Labels
//
// All labels are in the TeX of package tex, set in the font of the figure; [tex.Escape] makes one
// of plain text. [Figure.Validate] returns an error for a label with a fault. The label of a signed
// logarithmic axis says (symmetric log).
//
// # What cannot be drawn
//
// A NaN or an infinity interrupts its curve, and nothing is interpolated across
// it. On a logarithmic axis a value that is not positive interrupts it too. A
// chevron at its place points off the axis, and the legend explains the
// chevron. [Figure.HasChevrons] tells a caption to mention it.
package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ocobench/report/tex"
)

// A Figure is a row of panels, or a grid of them, under one legend.
type Figure struct {
	Title   string // the title above the figure; usually empty, because papers have captions
	Panels  []Panel
	Columns int // the number of panels in a row; all of them if zero

	// The size of one panel with its labels, in centimetres. Default 8.4 by 6,
	// the width of a column. Title and legend are added to the height.
	Width, Height float64

	Font tex.Font // of all labels
}

// A Panel is one pair of axes with the curves, guides and marks in it.
type Panel struct {
	Title   string
	X, Y    Axis
	Series  []Series
	Guides  []Guide
	Marks   []Mark
	Levels  []Level
	Regions []Region

	// Ends puts the labels of the curves to the right of the frame, at the heights
	// where the curves end, and not into the legend. Those of paths are a list.
	Ends bool
}

// An Axis maps numbers to positions.
type Axis struct {
	Label string
	Scale Scale

	// The ends of the axis. If both are zero, the axis is fitted to the curves and
	// their bands. On a logarithmic axis a band extends it by a decade at most.
	Min, Max float64

	// Ticks are the values that have ticks with labels, in place of those that the axis chooses.
	Ticks []float64

	// Linthresh is the absolute value up to which a SymLog axis is linear. Default
	// two decades below the largest value.
	Linthresh float64
}

// A Scale is the map from numbers to positions along an axis.
type Scale byte

// The scales of an axis.
const (
	Linear Scale = iota
	Log
	SymLog // logarithmic in both directions and linear around zero, for curves that change sign
)

// A Series is a curve, which may have a band around it. Curves of several panels
// with the same Label and Style share a line of the legend.
type Series struct {
	Label        string // if empty, the curve is not in the legend
	Name         string // what a file of the data calls the curve; not drawn
	X, Y         []float64
	Lower, Upper []float64 // the band; both nil, or both as long as X
	Style        int       // the number of the colour, dashes and marker, from 0
	Thin         bool      // a thin dotted line without markers, such as a bound
	Solid        bool      // of a thin line: it is not dotted, such as a fit
	Path         bool      // a thin line that ends in a marker, such as of a point that moves
	Points       bool      // markers without a line, whose intervals are bars
	Faint        bool      // light grey, behind all others
}

// A Guide is a dashed reference line y = Y·(x/X)^Slope through the point (X, Y),
// with its exponent as label. It needs two logarithmic axes.
type Guide struct {
	Slope float64
	X, Y  float64
	Label string // if empty, the power of t, such as $t^{1/2}$

	Claimants []string // the names, in TeX, of those that claim the slope, for a caption; not drawn
}

// A Mark is a dotted vertical line, such as a horizon.
type Mark struct {
	X     float64
	Label string
}

// A Level is a horizontal dashed line, such as a claimed exponent.
type Level struct {
	Y     float64
	Label string
}

// A Region is the part of a panel with Min ≤ x ≤ Max, shaded, such as a feasible set.
type Region struct {
	Min, Max float64
	Label    string
}

// Validate returns an error that names every fault of f. A figure without an error
// can be drawn, unless it is too large, or its panels are too small for their labels.
func (f *Figure) Validate() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("figure: "+format, args...))
	}
	// check records a fault of the label of a part, and another fault of the part unless it is nil.
	check := func(part, label string, fault error) {
		if _, err := f.Font.Set(label, labelSize); err != nil {
			fail("%s: %w", part, err)
		}
		if fault != nil {
			fail("%s: %w", part, fault)
		}
	}
	if len(f.Panels) == 0 {
		fail("it has no panels")
	}
	if f.Columns < 0 {
		fail("%d columns", f.Columns)
	}
	for _, side := range []float64{f.Width, f.Height} {
		if !(side == 0 || side >= 3 && side <= 100) {
			fail("a width or height of %.4g cm is not between 3 and 100", side)
		}
	}
	check("title", f.Title, nil)
	for i := range f.Panels {
		p, name := &f.Panels[i], fmt.Sprintf("panel %d, ", i+1)
		check(name+"title", p.Title, nil)
		check(name+"x axis", p.X.Label, p.X.validate())
		check(name+"y axis", p.Y.Label, p.Y.validate())
		for k, s := range p.Series {
			check(fmt.Sprintf("%sseries %d (%s)", name, k+1, s.Label), s.Label, s.validate())
		}
		for k, g := range p.Guides {
			check(fmt.Sprint(name, "guide ", k+1), g.Label, g.validate(p))
		}
		for k, m := range p.Marks {
			check(fmt.Sprint(name, "mark ", k+1), m.Label, p.X.Scale.checkPosition(m.X, "x"))
		}
		for k, l := range p.Levels {
			check(fmt.Sprint(name, "level ", k+1), l.Label, p.Y.Scale.checkPosition(l.Y, "y"))
		}
		for k, r := range p.Regions {
			check(fmt.Sprint(name, "region ", k+1), r.Label, r.validate(p.X.Scale))
		}
	}
	return errors.Join(errs...)
}

// validate returns an error if the guide cannot be drawn in the panel.
func (g Guide) validate(p *Panel) error {
	switch {
	case p.X.Scale != Log || p.Y.Scale != Log:
		return errors.New("a guide needs two logarithmic axes")
	case !isFinite(g.Slope) || !isFinite(g.X) || !isFinite(g.Y) || g.X <= 0 || g.Y <= 0:
		return fmt.Errorf("a slope of %v through (%v, %v) cannot be drawn", g.Slope, g.X, g.Y)
	}
	return nil
}

// validate returns an error if the region is no interval of the x axis.
func (r Region) validate(s Scale) error {
	if !(r.Min < r.Max && s.holds(r.Min) && s.holds(r.Max)) {
		return fmt.Errorf("from %v to %v is no part of the x axis", r.Min, r.Max)
	}
	return nil
}

// checkPosition returns an error unless v has a position on an axis.
func (s Scale) checkPosition(v float64, axis string) error {
	if !s.holds(v) {
		return fmt.Errorf("%v is not on the %s axis", v, axis)
	}
	return nil
}

// validate returns an error if the scale is unknown or has no place for the ends or ticks.
func (a Axis) validate() error {
	fitted := a.Min == 0 && a.Max == 0
	switch {
	case a.Scale > SymLog:
		return fmt.Errorf("unknown scale %d", a.Scale)
	case !fitted && !(a.Min < a.Max && a.Scale.holds(a.Min) && a.Scale.holds(a.Max)):
		return fmt.Errorf("it cannot run from %v to %v", a.Min, a.Max)
	case slices.ContainsFunc(a.Ticks, func(v float64) bool { return !a.Scale.holds(v) }):
		return fmt.Errorf("it has no place for some of the ticks %v", a.Ticks)
	case !(a.Linthresh >= 0) || math.IsInf(a.Linthresh, 1):
		return fmt.Errorf("its linear part cannot end at %v", a.Linthresh)
	}
	return nil
}

// validate returns an error if the lengths of the values differ or the style is negative.
func (s *Series) validate() error {
	n := len(s.X)
	switch {
	case len(s.Y) != n:
		return fmt.Errorf("%d x values and %d y values", n, len(s.Y))
	case (s.Lower == nil) != (s.Upper == nil):
		return errors.New("a band needs both Lower and Upper")
	case s.Lower != nil && (len(s.Lower) != n || len(s.Upper) != n):
		return fmt.Errorf("%d x values, %d lower and %d upper ends of the band", n, len(s.Lower),
			len(s.Upper))
	case s.Style < 0:
		return fmt.Errorf("style %d is negative", s.Style)
	}
	for i := range s.Lower {
		if s.Lower[i] > s.Upper[i] {
			return fmt.Errorf("at %v the lower end of the band, %v, is above the upper, %v", s.X[i],
				s.Lower[i], s.Upper[i])
		}
	}
	return nil
}

// isFinite reports whether x is a number within ±1e300, so that arithmetic on it does
// not overflow.
func isFinite(x float64) bool { return math.Abs(x) < 1e300 }

// holds reports whether x has a position on an axis of scale s. A logarithmic axis
// takes values up to 1e-300 as zero.
func (s Scale) holds(x float64) bool { return isFinite(x) && (s != Log || x > 1e-300) }

// offAxis reports whether point i of s is finite and not on a logarithmic axis.
func (p *Panel) offAxis(s *Series, i int) bool {
	return isFinite(s.X[i]) && isFinite(s.Y[i]) && !p.holds(s.X[i], s.Y[i])
}

// holds reports whether (x, y) has a position in p.
func (p *Panel) holds(x, y float64) bool { return p.X.Scale.holds(x) && p.Y.Scale.holds(y) }

// HasChevrons reports whether a chevron marks a point that is not on a logarithmic axis.
func (f *Figure) HasChevrons() bool {
	return slices.ContainsFunc(f.Panels, func(p Panel) bool { return p.hasChevrons() })
}

// HasArrows reports whether a bar ends in an arrow, because the interval goes on below the axis.
func (f *Figure) HasArrows() bool {
	if !f.Bars() {
		return false
	}
	d, err := f.layout()
	return err == nil && slices.ContainsFunc(d.panels, (*placedPanel).hasArrows)
}

// Bars reports whether intervals are bars at the markers, because there are points without a
// line, or because a panel has so many that bands would bury each other.
func (f *Figure) Bars() bool {
	return slices.ContainsFunc(f.Panels, func(p Panel) bool {
		bands := 0
		for _, s := range p.Series {
			switch {
			case s.Lower == nil:
			case s.Points:
				return true
			default:
				bands++
			}
		}
		return bands > mostBands
	})
}
