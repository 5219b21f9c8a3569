package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"ocobench/report/tex"
)

// A ruler is an axis with its ends.
type ruler struct {
	scale     Scale
	min, max  float64
	linthresh float64
}

// Normalize returns the position of x, from 0 at min to 1 at max, as a [plot.Normalizer] does.
func (r ruler) Normalize(min, max, x float64) float64 {
	lo := r.stretch(min)
	return (r.stretch(x) - lo) / (r.stretch(max) - lo)
}

// position returns the place of x along the axis, from 0 at its start to 1 at its end.
func (r ruler) position(x float64) float64 { return r.Normalize(r.min, r.max, x) }

// reaches reports whether the axis begins at x or below it.
func (r ruler) reaches(x float64) bool { return r.scale.holds(x) && r.position(x) >= 0 }

// stretch maps a number to a scale on which the axis is linear. On a SymLog axis the linear part,
// from zero to the threshold, is as long as a decade.
func (r ruler) stretch(x float64) float64 {
	switch r.scale {
	case Log:
		return math.Log10(x)
	case SymLog:
		if a := math.Abs(x); a > r.linthresh {
			return math.Copysign(1+math.Log10(a/r.linthresh), x)
		}
		return x / r.linthresh
	}
	return x
}

// unstretch returns the inverse of stretch.
func (r ruler) unstretch(u float64) float64 {
	switch r.scale {
	case Log:
		return math.Pow(10, u)
	case SymLog:
		if a := math.Abs(u); a > 1 {
			return math.Copysign(r.linthresh*math.Pow(10, a-1), u)
		}
		return u * r.linthresh
	}
	return u
}

// fitRuler returns the ruler of the axis that shows the given numbers, unless the axis has ends of
// its own. The fraction margin of its length is left free at each end.
func (a Axis) fitRuler(shown []float64, margin float64) ruler {
	lo, hi := 1.0, 10.0
	switch {
	case a.Min != 0 || a.Max != 0:
		lo, hi, margin = a.Min, a.Max, 0
	case len(shown) > 0:
		lo, hi = floats.Min(shown), floats.Max(shown)
	}
	r := ruler{scale: a.Scale, linthresh: a.Linthresh}
	if r.linthresh == 0 {
		r.linthresh = math.Pow10(decade(max(-lo, hi, 1e-300)) - 2)
	}
	from, to := r.stretch(lo), r.stretch(hi)
	least := 1e-280 // the magnitude of from below which a linear axis takes it for zero
	if a.Scale != Linear {
		least = 1 // a decade
	}
	if to-from <= 1e-9*max(math.Abs(from), math.Abs(to), least) {
		// One value, up to rounding: it is in the middle.
		half := 0.5
		if a.Scale == Linear && math.Abs(from) > least {
			half = math.Abs(from) / 2
		}
		from, to = from-half, to+half
	}
	margin *= to - from
	if a.Scale != Linear {
		margin = min(margin, 1) // a decade at most, because that of a huge range would overflow
	}
	r.min, r.max = r.unstretch(from-margin), r.unstretch(to+margin)
	return r
}

// decade returns the k for which 10^k ≤ x < 10^(k+1). It allows for the rounding of math.Log10,
// which is a little below 3 at 1000.
func decade(x float64) int { return int(math.Floor(math.Log10(x) + 1e-9)) }

// ticks returns the ticks in order, and the exponent of a power of ten that multiplies their labels
// and belongs into the label of the axis. A logarithmic axis that would have fewer than two labels
// gets the ticks of a linear axis.
func (r ruler) ticks() ([]plot.Tick, int) {
	var shown []plot.Tick
	switch r.scale {
	case Log:
		shown = r.visibleTicks(r.logTicks())
	case SymLog:
		shown = r.visibleTicks(r.symLogTicks())
	}
	if countLabels(shown) >= 2 {
		return shown, 0
	}
	all, exponent := r.linearTicks()
	return r.visibleTicks(all), exponent
}

// ticksAt returns ticks with labels at some values, and the other ticks without labels.
func (r ruler) ticksAt(values []float64, others []plot.Tick) (ticks []plot.Tick) {
	for _, t := range others {
		if !slices.Contains(values, t.Value) {
			ticks = append(ticks, plot.Tick{Value: t.Value})
		}
	}
	for _, v := range values {
		label := strconv.FormatFloat(v, 'f', -1, 64)
		if k := decade(v); v >= 1e5 && v == math.Round(v/math.Pow10(k-1))*math.Pow10(k-1) {
			label = strconv.FormatFloat(v/math.Pow10(k), 'f', -1, 64) + fmt.Sprintf(`\times10^{%d}`, k)
			label = strings.TrimPrefix(label, `1\times`)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: "$" + label + "$"})
	}
	slices.SortFunc(ticks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	return r.visibleTicks(ticks)
}

// visibleTicks returns the ticks that are on the axis. If ticks have the same value, as in a range
// near the rounding unit, it keeps the first one.
func (r ruler) visibleTicks(ticks []plot.Tick) []plot.Tick {
	ticks = slices.DeleteFunc(ticks, func(t plot.Tick) bool {
		u := r.position(t.Value)
		return !(u > -1e-9 && u < 1+1e-9)
	})
	return slices.CompactFunc(ticks, func(a, b plot.Tick) bool { return a.Value == b.Value })
}

// countLabels returns the number of ticks with a label.
func countLabels(ticks []plot.Tick) (n int) {
	for _, t := range ticks {
		if !t.IsMinor() {
			n++
		}
	}
	return n
}

// logTicks labels powers of ten, and if fewer than two of them are on the axis, their multiples as
// well.
func (r ruler) logTicks() (ticks []plot.Tick) {
	first, last := int(math.Floor(math.Log10(r.min))), int(math.Ceil(math.Log10(r.max)))
	step := (last-first)/7 + 1
	for _, labelled := range []string{"1", "125", "123456789"} {
		label := func(m, k int) string {
			switch {
			case k%step != 0 || !strings.Contains(labelled, strconv.Itoa(m)):
				return ""
			case labelled != "1" && r.min >= 0.01 && r.max < 10000:
				return "$" + strconv.FormatFloat(float64(m)*math.Pow10(k), 'f', max(0, -k), 64) + "$"
			case m == 1:
				return fmt.Sprintf("$10^{%d}$", k)
			default:
				return fmt.Sprintf(`$%d\times10^{%d}$`, m, k)
			}
		}
		ticks = nil
		for k := first; k <= last; k++ {
			for m := 1; m <= 9; m++ {
				if step > 1 && m > 1 {
					break // too many decades for minor ticks
				}
				ticks = append(ticks, plot.Tick{Value: float64(m) * math.Pow10(k), Label: label(m, k)})
			}
		}
		if countLabels(r.visibleTicks(slices.Clone(ticks))) >= 2 {
			break
		}
	}
	return ticks
}

// symLogTicks labels zero and powers of ten from the threshold outwards.
func (r ruler) symLogTicks() []plot.Tick {
	first := int(math.Ceil(math.Log10(r.linthresh) - 1e-9))
	last := decade(max(-r.min, r.max, r.linthresh))
	room := 6 // labels on the axis, or on each side of zero
	if r.min < 0 && r.max > 0 {
		room = 3
	}
	step := max(0, last-first)/room + 1
	ticks := []plot.Tick{{Label: "$0$"}}
	for k := first; k <= last; k++ {
		for m := 1; m <= 9; m++ {
			t := plot.Tick{Value: float64(m) * math.Pow10(k)}
			minus := plot.Tick{Value: -t.Value}
			if m == 1 && (k-first)%step == 0 {
				t.Label, minus.Label = fmt.Sprintf("$10^{%d}$", k), fmt.Sprintf("$-10^{%d}$", k)
			}
			ticks = append(ticks, t, minus)
		}
	}
	slices.SortFunc(ticks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	return ticks
}

// linearTicks labels multiples of 1, 2 or 5 times a power of ten, about five of them, with minor
// ticks in between. It also returns the exponent of the power of ten that it leaves out of the
// labels.
func (r ruler) linearTicks() ([]plot.Tick, int) {
	rough := (r.max - r.min) / 5
	digit := decade(rough)
	lead, minor := 1.0, 5
	switch m := rough / math.Pow10(digit); {
	case m > 7:
		digit++
	case m > 3.5:
		lead = 5
	case m > 1.5:
		lead, minor = 2, 4
	}
	exponent := decade(max(-r.min, r.max))
	if -3 < exponent && exponent < 4 {
		exponent = 0
	}
	decimals := max(0, exponent-digit)

	// Ticks are multiples of the unit of the last digit, so that no label is
	// 0.30000000000000004.
	var ticks []plot.Tick
	step := lead * math.Pow10(digit)
	for k := math.Floor(r.min / step); k <= math.Ceil(r.max/step); k++ {
		label := strconv.FormatFloat(k*lead*math.Pow10(digit-exponent), 'f', decimals, 64)
		if k == 0 {
			label = "0"
		}
		ticks = append(ticks, plot.Tick{Value: k * step, Label: "$" + label + "$"})
		for m := 1; m < minor; m++ {
			ticks = append(ticks, plot.Tick{Value: (k + float64(m)/float64(minor)) * step})
		}
	}
	return ticks, exponent
}

// applyTo gives an axis of a plot its ends, its ticks and its label, and returns the ticks.
func (r ruler) applyTo(a *plot.Axis, axis Axis, labels tex.Handler) []plot.Tick {
	ticks, exponent := r.ticks()
	if axis.Ticks != nil {
		ticks, exponent = r.ticksAt(axis.Ticks, ticks), 0
	}
	a.Min, a.Max, a.Scale, a.Padding = r.min, r.max, r, 0
	a.LineStyle.Width = 0 // the frame is the line
	a.Tick.LineStyle, a.Tick.Length, a.Tick.Marker = frameStyle, majorTick, plot.ConstantTicks(ticks)
	a.Tick.Label.Font.Size, a.Tick.Label.Handler = tickSize, labels
	a.Label.Text = axis.labelText(exponent)
	a.Label.TextStyle.Font.Size, a.Label.TextStyle.Handler = labelSize, axisLabel{labels}
	return ticks
}

// labelText returns the label of the axis with the power of ten of its ticks. It says if the axis
// is signed logarithmic, which readers do not expect.
func (a Axis) labelText(exponent int) string {
	label := a.Label
	if exponent != 0 {
		label = fmt.Sprintf(`%s ($\times10^{%d}$)`, label, exponent)
	}
	if a.Scale == SymLog {
		label = strings.TrimPrefix(label+" (symmetric log)", " ")
	}
	return label
}

// An axisLabel sets the label of an axis. It says that the label has no width, because plot makes
// room for it around the middle value of the axis: on a logarithmic axis that is near an end, and
// the label is drawn around the middle of the axis.
type axisLabel struct{ tex.Handler }

// Box returns the height and the depth of the label, and 0 as its width.
func (h axisLabel) Box(src string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Handler.Box(src, f)
	return 0, height, depth
}

// omitLabels removes the labels that would be closer than gap to the label before, on an axis of
// the given length. Their ticks stay as long as they are.
func (r ruler) omitLabels(a *plot.Axis, length, gap vg.Length, extent func(string) vg.Length) {
	end := vg.Length(math.Inf(-1))
	ticks := a.Tick.Marker.Ticks(a.Min, a.Max)
	for i, t := range ticks {
		if t.IsMinor() {
			continue
		}
		middle, half := vg.Length(r.position(t.Value))*length, extent(t.Label)/2
		if middle-half < end+gap {
			ticks[i].Label = " "
			continue
		}
		end = middle + half
	}
}
