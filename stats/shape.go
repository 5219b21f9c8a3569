package stats

import (
	"math"
	"slices"
	"sync"

	"ocobench/convex/vec"
)

// This file classifies how a mean grows over a window. A [line] yields the weights of slopes over
// parts of the window: halves for the drift, halves and thirds for increments, and sections of a
// quarter decade for a slope that wavers. From these numbers [Fit.classify] chooses the [Shape], by
// the table in the package comment. [Growth.Slopes], local exponents for figures, and two warnings
// on replicates that dominate the mean follow.

// slopeWeights returns the weights of the slope on log t over checkpoints i to j
// inclusive; the others have weight zero.
func (l line) slopeWeights(i, j int) []float64 {
	weights := make([]float64, len(l.x))
	n := float64(j - i + 1)
	centre := vec.Sum(l.x[i:j+1]) / n
	var sxx float64
	for k := i; k <= j; k++ {
		weights[k] = l.x[k] - centre
		sxx += float64(weights[k] * weights[k])
	}
	for k := i; k <= j; k++ {
		weights[k] /= sxx
	}
	return weights
}

// parts cuts the window into n parts of about equal length in log t, and returns
// the weights of the slope over each. Adjacent parts share a checkpoint. There
// have to be more than n checkpoints.
func (l line) parts(n int) [][]float64 {
	last := len(l.x) - 1
	parts := make([][]float64, n)
	from := 0
	for p := range parts {
		border := l.x[0] + float64(float64(p+1)/float64(n)*(l.x[last]-l.x[0]))
		to := from + 1
		for to < last-(n-1-p) && math.Abs(l.x[to+1]-border) < math.Abs(l.x[to]-border) {
			to++
		}
		parts[p] = l.slopeWeights(from, to)
		from = to
	}
	return parts
}

// A shapeEvidence holds what tells shapes apart besides the exponent, Drift and Increments of a
// [Fit]. Few curves need bend and wavers, which are computed when they are first called.
type shapeEvidence struct {
	lateExponent float64 // exponent over the second half of the window
	// bend is the exponent of the increments over the last two thirds of the window minus that over
	// the first two: 0 for a + b·t^p and a + b·log t.
	bend   func() Estimate
	wavers func() bool // whether the local exponent is shown to go up and down
}

// drift returns the weights of the slope over the second half of the window minus that
// over the first.
func (l line) drift() []float64 {
	halves := l.parts(2)
	vec.Axpy(halves[1], -1, halves[0])
	return halves[1]
}

// evidence returns the evidence on the shape of the mean of rows.
func (g Growth) evidence(l line, rows [][]float64, means []float64) shapeEvidence {
	lateExponent := vec.Dot(l.parts(2)[1], logarithms(means))
	return shapeEvidence{lateExponent, sync.OnceValue(func() Estimate { return g.bend(l, rows) }),
		sync.OnceValue(func() bool { return g.wavers(l, rows, means) })}
}

// bend estimates the exponent of the increments over the last two thirds of the window minus that
// over the first two, with an interval like that of the exponent.
func (g Growth) bend(l line, rows [][]float64) Estimate {
	if len(l.x) <= minPoints {
		return noEstimate
	}
	c, value, ok := l.increments(rows, l.parts(3))
	if !ok {
		return noEstimate
	}
	pivots := oneSample([]float64{value}, bundle{c}, negligible, g.Resamples, seeded(l.t, rows))
	return pivots[0].estimate(g.Confidence) // the bootstrap interval of the one contrast
}

// Where the local exponent of a mean goes up and down, as if the mean was periodic in log t,
// the two halves of the window may have the same slope. So the slopes are looked at over sections
// of a quarter decade, each half of which is in the next one too.
const (
	halfSectionsPerDecade = 8
	minSections           = 7 // those of a window of one decade
)

// sections returns the weights of the slope over each section. There are none where the window is
// shorter than a decade, or a section has fewer than two steps.
func (l line) sections() (sections [][]float64) {
	last := len(l.x) - 1
	length := l.x[last] - l.x[0]
	n := int(math.Round(float64(halfSectionsPerDecade*length) / math.Ln10))
	border, k := make([]int, n+1), 0
	for i := range border {
		at := l.x[0] + float64(float64(i)/float64(n)*length)
		for k < last && math.Abs(l.x[k+1]-at) < math.Abs(l.x[k]-at) {
			k++
		}
		if border[i] = k; i > 1 && k-border[i-2] < 2 {
			return nil
		}
	}
	for i := 2; i <= n; i++ {
		sections = append(sections, l.slopeWeights(border[i-2], border[i]))
	}
	if len(sections) < minSections {
		return nil
	}
	return sections
}

// wavers reports whether the slope of log ȳ over sections is shown to rise by more than the
// tolerance, and to fall by as much: from one section to a later one in either case. A steady drift
// does one of the two. Each of the n(n − 1)/2 differences has Student's interval, of confidence
// 1 − α over their number.
func (g Growth) wavers(l line, rows [][]float64, means []float64) bool {
	sections := l.sections()
	if sections == nil {
		return false
	}
	z, logs := ratios(rows, means), logarithms(means)
	slopes, influences := make([]float64, len(sections)), make([][]float64, len(sections))
	for i, section := range sections {
		slopes[i] = vec.Dot(section, logs)
		for _, ratio := range z {
			influences[i] = append(influences[i], vec.Dot(section, ratio))
		}
	}
	pairs, degrees := float64(len(sections)*(len(sections)-1)/2), float64(len(rows)-1)
	quantile := studentQuantile(degrees, 1-float64((1-g.Confidence)/float64(2*pairs)))
	rises, falls := false, false
	for j := range sections {
		for i := range j {
			var sum float64
			for r, u := range influences[j] {
				d := u - influences[i][r]
				sum += float64(d * d)
			}
			halfWidth := float64(quantile * math.Sqrt(sum/float64(degrees*(degrees+1))))
			rises = rises || slopes[j]-slopes[i]-halfWidth > g.Tolerance
			falls = falls || slopes[i]-slopes[j]-halfWidth > g.Tolerance
		}
	}
	return rises && falls
}

// centres returns the points where ½x² has its slope over each part.
func (l line) centres(parts [][]float64) []float64 {
	squares, centres := make([]float64, len(l.x)), make([]float64, len(parts))
	for k, x := range l.x {
		squares[k] = float64(x * x)
	}
	for k, part := range parts {
		centres[k] = vec.Dot(part, squares) / 2
	}
	return centres
}

// increments returns the growth of the increments of the mean between parts of the window, as a
// contrast with its value. It does not exist where the mean falls over a part, or is flat. With D
// the slope of the mean itself on log t over a part, and c the centre of that part,
//
//	two parts      (log D₂ − log D₁) / (c₂ − c₁)
//	three parts    (log D₃ − log D₂) / (c₃ − c₂) − (log D₂ − log D₁) / (c₂ − c₁)
//
// For a mean of a + b·t^p the first is p and the second 0, up to terms of second
// order in p where the spacing of the checkpoints differs between parts.
func (l line) increments(rows, parts [][]float64) (c contrast, value float64, ok bool) {
	slopes := make([][]float64, len(rows))
	for r, y := range rows {
		slopes[r] = make([]float64, len(parts))
		for k, part := range parts {
			slopes[r][k] = vec.Dot(part, y)
		}
	}
	means, curve := columnMeans(slopes), columnMeans(rows)
	for k, part := range parts {
		size := 0.0
		for i, y := range curve {
			size += math.Abs(float64(part[i] * y))
		}
		if means[k] <= negligible*size { // of a part that is flat, rounding errors are left
			return c, math.NaN(), false
		}
	}
	centres, weights := l.centres(parts), make([]float64, len(parts))
	for k := 1; k < len(parts); k++ {
		gap := centres[k] - centres[k-1]
		sign := 1.0
		if k < len(parts)-1 {
			sign = -1
		}
		weights[k] += sign / gap
		weights[k-1] -= sign / gap
	}
	return contrast{weights, ratios(slopes, means)}, vec.Dot(weights, logarithms(means)), true
}

// classify returns the shape of a positive mean: the first row that applies in the table of the
// package comment, which gives the reasons.
func (f *Fit) classify(s shapeEvidence, tolerance float64) Shape {
	increments := f.Increments
	grows := f.Lower > 0
	drifts := f.Drift.shownOutside(tolerance)
	// The increments grow with one exponent over the whole window.
	steadyIncrements := func() bool { return grows && !s.bend().shownOutside(tolerance) }
	// There is a drift, and the exponent of the increments is not that of the mean.
	incrementsDiffer := f.Drift.shownOutside(negligible) &&
		math.Abs(increments.Value-f.Exponent) > tolerance
	switch {
	case f.Upper < tolerance && !(drifts && s.lateExponent > tolerance):
		return Bounded
	case incrementsDiffer && increments.Lower > tolerance && steadyIncrements() && !s.wavers():
		return OffsetPower
	case incrementsDiffer && !increments.shownOutside(tolerance) &&
		increments.shownInside(f.Exponent) && steadyIncrements() && !s.wavers():
		return Logarithmic
	case drifts && !(increments.Lower > tolerance && steadyIncrements()), grows && s.wavers():
		return Transient
	case grows:
		return Power
	}
	return Undetermined
}

// Slopes returns the local exponents of the mean along the curve, for drawing.
// The local exponent at checkpoint t is the exponent over the checkpoints between
// t/1.8 and 1.8·t (half a decade), and over the two adjacent ones at least, with
// the pointwise interval p ± t(R-1)·se of Student. Checkpoints for which this
// range extends beyond the curve are left out. The slope is NaN where the mean is
// not positive, and the intervals are NaN with one replicate. The window of g is
// not used.
func (g Growth) Slopes(c Curve) (Band, error) {
	if err := c.Validate(); err != nil {
		return Band{}, err
	}
	g, err := g.withDefaults()
	if err != nil {
		return Band{}, err
	}
	b := Band{Confidence: g.Confidence}
	last := len(c.T) - 1
	for k := 1; k < last; k++ {
		low, high := c.T[k]/1.8, float64(c.T[k]*1.8)
		if low < c.T[0] || high > c.T[last] {
			continue
		}
		from, to := k-1, k+1
		for from > 0 && c.T[from-1] >= low {
			from--
		}
		for to < last && c.T[to+1] <= high {
			to++
		}
		e := g.slope(c.T[from:to+1], canonical(between(c.Y, from, to+1)))
		b.T = append(b.T, c.T[k])
		b.Mean = append(b.Mean, e.Value)
		b.StdErr = append(b.StdErr, e.StdErr)
		b.Lower = append(b.Lower, e.Lower)
		b.Upper = append(b.Upper, e.Upper)
	}
	return b, nil
}

// slope estimates the exponent over the checkpoints t.
func (g Growth) slope(t []float64, rows [][]float64) Estimate {
	means := columnMeans(rows)
	if slices.Min(means) <= 0 {
		return noEstimate
	}
	weights := newLine(t).slope
	const resamples = 0 // Student's interval alone
	pivots := oneSample([]float64{vec.Dot(weights, logarithms(means))},
		bundle{{weights, ratios(rows, means)}}, negligible, resamples, nil)
	return pivots[0].estimate(g.Confidence)
}

// warnOfDominantReplicates warns where at most a fifth of the replicates make up half of
// the mean at the end. How frequent such replicates are is then hardly known from
// the sample, and the interval may be too short.
func (f *Fit) warnOfDominantReplicates(t []float64, rows [][]float64) {
	last := len(t) - 1
	values := make([]float64, len(rows))
	var total float64
	for r, y := range rows {
		values[r] = y[last]
		total += y[last]
	}
	slices.Sort(values)
	count, sum := 0, 0.0
	for r := len(values) - 1; float64(2*sum) < total; r-- {
		count++
		sum += values[r]
	}
	if 5*count <= len(rows) {
		f.warn("%d of %d replicates are half of the mean at t = %v or more", count, len(rows), t[last])
	}
}

// warnOfJumps warns where replicates jump at times of their own: at least a fifth of them, and
// two, make half of their variation in the window between two checkpoints, and the mean at most a
// quarter of its. Few such jumps say little of when the next one comes, and the interval may be
// too short.
func (f *Fit) warnOfJumps(rows [][]float64, means []float64) {
	// largestShare returns the largest step of y as a share of its variation Σ_k |y_k − y_{k−1}|.
	largestShare := func(y []float64) float64 {
		step, variation := 0.0, 0.0
		for k := 1; k < len(y); k++ {
			step = max(step, y[k]-y[k-1])
			variation += math.Abs(y[k] - y[k-1])
		}
		if variation == 0 {
			return 0
		}
		return step / variation
	}
	count := 0
	for _, y := range rows {
		if largestShare(y) >= 0.5 {
			count++
		}
	}
	if count >= 2 && 5*count >= len(rows) && largestShare(means) <= 0.25 {
		f.warn("%d of %d replicates make half of their way in one step: jumps at random times, and an "+
			"interval that may be too short", count, len(rows))
	}
}
