package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ocobench/convex/vec"
)

// Defaults of Growth.
const (
	DefaultDecades    = 2    // length of the window, in decades of t
	DefaultResamples  = 1999 // bootstrap samples
	DefaultConfidence = 0.95 // of the two-sided interval
	DefaultTolerance  = 0.05 // an exponent below it counts as no growth
)

// A Design says what the checkpoints of a curve are.
type Design string

const (
	// AlongT: each replicate is one run, observed at several times. This is the
	// design for an algorithm whose parameters do not depend on the horizon.
	AlongT Design = "along-t"
	// AcrossT: each point is the end of another run, with parameters for that
	// horizon.
	AcrossT Design = "across-T"
)

// A Window is a range of checkpoints, both ends included.
type Window struct {
	From, To float64
}

// A Shape names the way in which a mean curve grows.
type Shape string

const (
	// Power: the exponent is positive, its interval excludes zero, and no
	// difference from a power law is shown.
	Power Shape = "power"
	// OffsetPower: the mean does not grow as a power law, but as a + b·t^p.
	// Fit.Increments is p.
	OffsetPower Shape = "offset-power"
	// Logarithmic: the mean does not grow as a power law, but as a + b·log t.
	Logarithmic Shape = "logarithmic"
	// Transient: the local exponent drifts along the window by more than the
	// tolerance, and neither an offset nor a logarithm explains the drift; or it goes up and
	// down. The exponent is that of the window and says little about the limit.
	Transient Shape = "transient"
	// Bounded: the whole interval lies below the tolerance. This includes
	// curves that decay.
	Bounded Shape = "bounded"
	// NonPositive: the mean is zero or negative somewhere in the window and has
	// no logarithm there.
	NonPositive Shape = "non-positive"
	// Undetermined: there are too few points or replicates, or the interval
	// contains both growth and no growth.
	Undetermined Shape = "undetermined"
)

// minPoints is the least number of points that need not lie on a line.
const minPoints = 3

// Growth says how an exponent is estimated. Its zero value is ready to use; a
// field that is zero has the stated default.
type Growth struct {
	// Design is copied to the Fit. Both designs are estimated in the same way.
	// Default AlongT.
	Design Design

	// Window is the range of t that is used. If To is zero the window ends with
	// the last checkpoint. If From is zero it begins Decades before its end.
	Window Window

	// Decades is the length of a window without From. Default DefaultDecades.
	Decades float64

	// Resamples is the number of bootstrap samples. Default DefaultResamples.
	// The best choice is one less than a multiple of 2/(1-Confidence).
	Resamples int

	// Confidence of the interval, which is two-sided with equal tails: each end
	// alone is a bound of confidence (1+Confidence)/2. Default
	// DefaultConfidence.
	Confidence float64

	// Tolerance: a curve with an exponent below it counts as bounded, and an
	// exponent whose drift is below it counts as constant. Default
	// DefaultTolerance: over two decades t^0.05 grows by 26 %, and the slope of
	// log t is larger than 0.05 until t exceeds 10⁹.
	Tolerance float64
}

// A Fit is the growth exponent of a mean curve.
type Fit struct {
	Design Design
	Shape  Shape

	// Exponent p of mean ≈ exp(Intercept) · t^p. It is NaN if the mean is not
	// positive throughout the window or the window has fewer than three points.
	Exponent  float64
	Intercept float64
	StdErr    float64 // of Exponent; NaN with one replicate

	// Lower and Upper are the ends of the interval of Exponent. They are NaN
	// where there is no interval, and infinite where the replicates do not bound
	// the exponent.
	Lower, Upper float64
	Confidence   float64

	Window     Window  // first and last checkpoint used
	Decades    float64 // of t that the window has: from its beginning, or from the first checkpoint
	Points     int     // checkpoints used
	Replicates int

	// Residual is the root mean square distance of log mean from the line.
	Residual float64
	// Drift is the exponent over the second half of the window minus that over
	// the first: 0 for a power law, −0.05 for log t between 10² and 10⁴.
	Drift Estimate
	// Increments is the exponent of the increments of the mean: p for
	// a + b·t^p with any a, and 0 for a + b·log t. It is NaN where the mean
	// falls or is constant in one half of the window.
	Increments Estimate
	// End is the growth of the envelope at the end of the window, by which a [Claim] judges.
	End End

	// NonPositive is the share of the points at which the mean is ≤ 0.
	NonPositive float64
	// NeverPositive reports whether no replicate is positive at any point.
	NeverPositive bool
	// Negated is the fit of −y, where the mean of y is ≤ 0 at every point.
	Negated *Fit

	Resamples int // bootstrap samples drawn
	Undefined int // those whose mean is not positive throughout

	Warnings []error

	zero bool // the mean is zero at every point
}

// At returns the fitted curve exp(Intercept) · t^Exponent, for drawing.
func (f Fit) At(t float64) float64 {
	return vec.Exp(f.Intercept + float64(f.Exponent*vec.Log(t)))
}

// Fit estimates the growth exponent of the mean of c. It returns an error if c
// or g is not valid. Everything else that may be wrong with a curve is a shape or a
// warning.
//
// The exponent is the least-squares slope of log mean against log t over the
// checkpoints in the window, all with the same weight,
//
//	p = Σₖ wₖ log ȳₖ,    wₖ = (xₖ - x̄) / Σⱼ (xⱼ - x̄)²,    xₖ = log tₖ,
//
// and its standard error is that of the delta method, from the influence Uᵣ of
// each replicate r,
//
//	se² = Σᵣ Uᵣ² / (R(R-1)),    Uᵣ = Σₖ wₖ y[r][k] / ȳₖ.
//
// The interval is the hull of two: Student's p ± t(R-1)·se, and the bootstrap-t
// interval. For the latter whole replicates are drawn with replacement, and p*
// and se* are computed from each sample:
//
//	[p - q(1-α/2)·se, p - q(α/2)·se],    q the quantiles of (p* - p) / se*.
//
// The package comment has the reasons and the measured coverage. The seed of the
// bootstrap is a hash of the data in the window. A sample whose mean is not
// positive throughout has no p*. It is counted in Undefined, and is +Inf in the
// upper quantile and −Inf in the lower, so that it widens the interval on both
// sides. If their share exceeds α/2, the exponent has no bound. Two to four
// replicates have only Student's interval, with a warning; one replicate has no
// interval.
//
// The result does not depend, to the last bit, on the order of the replicates, or on
// anything after the window. What is before the window counts for End only.
func (g Growth) Fit(c Curve) (Fit, error) {
	if err := c.Validate(); err != nil {
		return Fit{}, err
	}
	g, err := g.withDefaults()
	if err != nil {
		return Fit{}, err
	}
	first, last := g.windowRange(c.T)
	f := g.fit(c.T[first:last], canonical(between(c.Y, first, last)))
	f.Decades = g.decades(c.T, first, last)
	f.End = g.fitEnd(c.T[:last], canonical(between(c.Y, 0, last)), first)
	if f.NonPositive == 1 && !f.zero {
		negated := g.fit(c.T[first:last], negate(between(c.Y, first, last)))
		negated.Decades = f.Decades
		f.Negated = &negated
	}
	return f, nil
}

// between returns the columns first to last-1 of the rows.
func between(rows [][]float64, first, last int) [][]float64 {
	cut := make([][]float64, len(rows))
	for r, y := range rows {
		cut[r] = y[first:last]
	}
	return cut
}

// withDefaults returns g with its defaults in place of zeros, or an error if it is not valid.
func (g Growth) withDefaults() (Growth, error) {
	if g.Design == "" {
		g.Design = AlongT
	}
	if g.Decades == 0 {
		g.Decades = DefaultDecades
	}
	if g.Resamples == 0 {
		g.Resamples = DefaultResamples
	}
	if g.Confidence == 0 {
		g.Confidence = DefaultConfidence
	}
	if g.Tolerance == 0 {
		g.Tolerance = DefaultTolerance
	}
	switch {
	case g.Design != AlongT && g.Design != AcrossT:
		return g, fmt.Errorf("stats: unknown design %q", g.Design)
	case !(g.Decades > 0):
		return g, fmt.Errorf("stats: a window of %v decades", g.Decades)
	case !(g.Window.From >= 0) || !(g.Window.To >= 0) ||
		g.Window.To > 0 && g.Window.From > g.Window.To:
		return g, fmt.Errorf("stats: window from %v to %v", g.Window.From, g.Window.To)
	case !(g.Tolerance > 0):
		return g, fmt.Errorf("stats: tolerance must be positive, not %v", g.Tolerance)
	}
	if err := checkConfidence(g.Confidence); err != nil {
		return g, err
	}
	if g.Resamples < 1 || tailRank(g.Resamples, g.Confidence) < 1 {
		return g, fmt.Errorf("stats: %d resamples are too few for confidence %v", g.Resamples,
			g.Confidence)
	}
	return g, nil
}

// cut returns the checkpoints in the window and the values of the replicates there.
func (g Growth) cut(c Curve) (t []float64, rows [][]float64) {
	first, last := g.windowRange(c.T)
	return c.T[first:last], between(c.Y, first, last)
}

// windowRange returns the checkpoints in the window: those from number first to last − 1.
func (g Growth) windowRange(t []float64) (first, last int) {
	to := g.Window.To
	if to == 0 {
		to = t[len(t)-1]
	}
	from := g.logFrom(to) - 1e-9 // so that 100 is two decades before 10000
	in := func(t float64) bool { return vec.Log(t) >= from && t <= to }
	if g.Window.From > 0 {
		in = func(t float64) bool { return t >= g.Window.From && t <= to }
	}
	last = len(t)
	for first < last && !in(t[first]) {
		first++
	}
	for last > first && !in(t[last-1]) {
		last--
	}
	return first, last
}

// logFrom returns log From of the window, if that ends at to.
func (g Growth) logFrom(to float64) float64 {
	if g.Window.From > 0 {
		return vec.Log(g.Window.From)
	}
	return vec.Log(to) - float64(g.Decades*math.Ln10)
}

// decades returns the length in decades of the window with the checkpoints first to last − 1. The
// window begins at its From if the curve has a checkpoint before it, and otherwise at the first
// checkpoint.
func (g Growth) decades(t []float64, first, last int) float64 {
	if first == last {
		return 0
	}
	to := t[last-1]
	if g.Window.To > 0 {
		to = min(g.Window.To, t[len(t)-1])
	}
	begin := vec.Log(t[first])
	if first > 0 {
		begin = g.logFrom(to)
	}
	return (vec.Log(to) - begin) / math.Ln10
}

// WindowOf returns the points of the window of a fit at these checkpoints, and its length in
// decades, as [Growth.Fit] counts them. Nothing is fitted. There must be a checkpoint.
func (g Growth) WindowOf(t []float64) Fit {
	first, last := g.windowRange(t)
	f := Fit{Design: g.Design, Points: last - first, Decades: g.decades(t, first, last)}
	if first < last {
		f.Window = Window{t[first], t[last-1]}
	}
	return f
}

// fit does the work of Fit on the points of the window.
func (g Growth) fit(t []float64, rows [][]float64) (f Fit) {
	f = Fit{
		Design:     g.Design,
		Shape:      Undetermined,
		Exponent:   math.NaN(),
		Intercept:  math.NaN(),
		StdErr:     math.NaN(),
		Lower:      math.NaN(),
		Upper:      math.NaN(),
		Confidence: g.Confidence,
		Points:     len(t),
		Replicates: len(rows),
		Residual:   math.NaN(),
		Drift:      noEstimate,
		Increments: noEstimate,
		End:        noEnd(),
	}
	if len(t) > 0 {
		f.Window = Window{t[0], t[len(t)-1]}
	}
	if len(t) < minPoints {
		f.warn("%d points in the window, %d are needed", len(t), minPoints)
		return f
	}
	l := newLine(t)
	means := columnMeans(rows)
	f.judgeSign(means, rows)
	if f.Shape == NonPositive { // no logarithms: only increments are left
		if len(rows) == 1 {
			return f
		}
		if c, value, ok := l.increments(rows, l.parts(2)); ok {
			f.Increments = oneSample([]float64{value}, bundle{c}, negligible, g.Resamples,
				seeded(t, rows))[0].estimate(g.Confidence)
		}
		return f
	}
	f.setLine(l, means)
	if len(rows) == 1 {
		f.warn("one replicate: the exponent has no interval")
		return f
	}
	f.warnOfDominantReplicates(t, rows)
	f.warnOfJumps(rows, means)
	z, drift := ratios(rows, means), l.drift()
	values := []float64{f.Exponent, vec.Dot(drift, logarithms(means))}
	contrasts := bundle{{l.slope, z}, {drift, z}}
	if c, value, ok := l.increments(rows, l.parts(2)); ok {
		values, contrasts = append(values, value), append(contrasts, c)
	}
	pivots := oneSample(values, contrasts, negligible, g.Resamples, seeded(t, rows))
	f.setInterval(pivots[0])
	f.Drift = pivots[1].estimate(g.Confidence)
	for _, p := range pivots[2:] { // none if the increments have no exponent
		f.Increments = p.estimate(g.Confidence)
	}
	f.Shape = f.classify(g.evidence(l, rows, means), g.Tolerance)
	return f
}

// judgeSign counts the points at which the mean is not positive, and warns of
// them.
func (f *Fit) judgeSign(means []float64, rows [][]float64) {
	count := 0
	for _, m := range means {
		if m <= 0 {
			count++
		}
	}
	f.NonPositive = float64(count) / float64(len(means))
	f.NeverPositive = !slices.ContainsFunc(rows, func(y []float64) bool { return slices.Max(y) > 0 })
	if count == 0 {
		return
	}
	f.Shape = NonPositive
	f.zero = slices.Min(means) == 0 && slices.Max(means) == 0
	if f.zero {
		f.warn("the mean is zero at all %d points of the window", count)
	} else {
		f.warn("the mean is not positive at %d of %d points of the window", count, len(means))
	}
}

// setLine sets Exponent and Intercept to the least-squares line of log mean, and Residual to the
// distance of the means from it.
func (f *Fit) setLine(l line, means []float64) {
	logs := logarithms(means)
	var meanLog float64
	for _, v := range logs {
		meanLog += v
	}
	meanLog /= float64(len(logs))
	f.Exponent = vec.Dot(l.slope, logs)
	f.Intercept = meanLog - float64(f.Exponent*l.centre)
	var sum float64
	for k, x := range l.x {
		e := logs[k] - meanLog - float64(f.Exponent*x)
		sum += float64(e * e)
	}
	f.Residual = math.Sqrt(sum / float64(len(logs)))
}

// setInterval sets the interval of the exponent, and the warnings on it.
func (f *Fit) setInterval(p pivot) {
	e := p.estimate(f.Confidence)
	f.StdErr, f.Lower, f.Upper = e.StdErr, e.Lower, e.Upper
	f.Resamples, f.Undefined = p.samples(), p.undefined
	f.Warnings = append(f.Warnings, p.warnings("exponent", f.Replicates, f.Confidence, e)...)
}

// warn appends a warning.
func (f *Fit) warn(format string, args ...any) {
	f.Warnings = append(f.Warnings, fmt.Errorf(format, args...))
}

// A line holds the least-squares weights of a window: the slope of logarithms
// on log t is their scalar product with slope.
type line struct {
	t      []float64
	x      []float64 // log t, centred
	centre float64
	slope  []float64 // the weights w of the slope Σ_k w_k log ȳ_k
}

// newLine returns the line of the checkpoints t.
func newLine(t []float64) line {
	l := line{t: t, x: logarithms(t), slope: make([]float64, len(t))}
	for _, x := range l.x {
		l.centre += x
	}
	l.centre /= float64(len(t))
	var sxx float64
	for k := range l.x {
		l.x[k] -= l.centre
		sxx += float64(l.x[k] * l.x[k])
	}
	for k, x := range l.x {
		l.slope[k] = x / sxx
	}
	return l
}

// logSlope returns the slope of log log t on log t, the exponent of log t in the window. It is NaN
// if a checkpoint is at t ≤ 1.
func (l line) logSlope() float64 {
	var sum float64
	for k, x := range l.x {
		if l.centre+x <= 0 {
			return math.NaN()
		}
		sum += float64(l.slope[k] * vec.Log(l.centre+x))
	}
	return sum
}

// logarithms returns the logarithms of v.
func logarithms(v []float64) []float64 {
	logs := make([]float64, len(v))
	for k := range v {
		logs[k] = vec.Log(v[k])
	}
	return logs
}

// negate returns −y of every replicate, in canonical order.
func negate(rows [][]float64) [][]float64 {
	negated := make([][]float64, len(rows))
	for r, y := range rows {
		negated[r] = floats.ScaleTo(make([]float64, len(y)), -1, y)
	}
	return canonical(negated)
}

// ratios returns y[r][k] / means[k] for every replicate, by which [contrast] resamples.
func ratios(rows [][]float64, means []float64) [][]float64 {
	z := make([][]float64, len(rows))
	for r, y := range rows {
		z[r] = floats.DivTo(make([]float64, len(y)), y, means)
	}
	return z
}
