package stats

import (
	"math"
	"slices"

	"ocobench/convex/vec"
)

// A claim is judged by the envelope of the mean, its largest positive value so far,
//
//	E(t) = max(0, max_{s ≤ t} ȳ(s)),
//
// over all checkpoints s of the curve, also those before the window. A bound c·t^p holds for
// the mean exactly if it holds for the envelope. The envelope exists where the mean is
// negative, and it is flat where the mean falls.
//
// What counts is how the envelope grows at the end of the window. The last two decades, or the
// whole window where it is shorter, are cut in two halves: the exponent is that of the second one,
// and the drift compares it with the first. Both are contrasts of log E, with the intervals of all
// contrasts here; the place of each maximum varies from resample to resample.
//
// [Growth.fitEnd] does this in three steps. newEnvelope chooses the two halves, and computes the
// weights of log E at each checkpoint. [envelope.evaluate] computes E, the exponent and the drift,
// with standard errors, of the replicates and of every resample. From these come the intervals,
// with three exceptions: replicates whose E says nothing of their spread have none, the upper end
// of the exponent is that of [End.exponentUpper], and its lower end is at most 0 where E may be 0.

// An End is the growth of the envelope at the end of a window.
type End struct {
	// From is the first checkpoint of the last half: one decade before the end of a window of two.
	From float64
	// Exponent is that of E over the last half: 0 where E is constant there, also where it is
	// zero. It is NaN where E is zero at From and positive later. Each of its ends is a bound of
	// the confidence that [Growth] has. Lower is that of the hull, and Upper the larger one of
	// Student's bound and of that below which so many exponents of the resamples lie: an envelope
	// has no exponent below 0, and resamples in which it is flat have no standard error, so that
	// bootstrap-t has no upper end. Where replicates of both signs make E(T), and their mean is not
	// shown to be positive, E may be 0 as well, and Lower is at most 0.
	Exponent Estimate
	// Secant is the exponent of E between the two ends of the last half,
	// log(E(T)/E(From)) / log(T/From). Exponent gives little weight to what E gains near these
	// ends; Secant counts all of it.
	Secant float64
	// Drift is Exponent less that of the half before, per decade. It is NaN where E is zero
	// at the beginning of that half.
	Drift Estimate
	// LogSlope is the exponent of log t over the last half; NaN where t ≤ 1.
	LogSlope float64
	// Positive reports whether E is positive in the whole window.
	Positive bool

	exponent    pivot     // of Exponent
	noGrowth    float64   // the p-value of the hypothesis that the mean that makes E(T) is ≤ 0
	tooFew      bool      // the replicates differ, and are too few to resample
	slopes      []float64 // the exponents of the resamples, +Inf for NaN, in ascending order
	t, envelope []float64 // the checkpoints of the window, and E there
}

// The part of a window that [End] describes, its two last halves, is at most endDecades long, and
// longer where this has fewer than endPoints checkpoints.
const (
	endDecades = 2
	endPoints  = 5
)

// noEnd returns the end of a window with too few points.
func noEnd() End {
	return End{From: math.NaN(), Exponent: noEstimate, Secant: math.NaN(), Drift: noEstimate,
		LogSlope: math.NaN(), exponent: noPivot}
}

// fitEnd estimates the growth of the envelope at the end of a window, of which the first
// checkpoint is number from. The checkpoints and the rows, in canonical order, are those of
// the whole curve up to the end of the window.
func (g Growth) fitEnd(t []float64, rows [][]float64, from int) End {
	v, ok := newEnvelope(t, rows, from)
	if !ok {
		return noEnd()
	}
	var whole envelopeSample
	v.evaluate(&whole, columnMeans(rows), nil)
	last := len(t) - 1
	atBorder, atEnd := whole.e[v.border], whole.e[last]
	e := End{From: t[v.border], Positive: whole.e[from] > 0, t: t[from:], envelope: whole.e[from:]}
	e.LogSlope = newLine(t[v.border:]).logSlope()
	if atBorder < atEnd {
		e.Secant = vec.Log(atEnd/atBorder) / vec.Log(t[last]/t[v.border])
	}
	if atEnd > 0 {
		e.noGrowth = notPositive(rows, whole.places[last], atEnd)
	}
	differ := slices.Compare(rows[0], rows[len(rows)-1]) != 0
	e.tooFew = differ && len(rows) < minBootstrap
	// Where one replicate makes all of E, a resample changes E by a factor only and keeps the
	// exponent: the interval has no known width.
	oneMakesAll := differ && whole.values[0] > negligible && whole.stdErrs[0] <= negligible &&
		slices.ContainsFunc(rows, func(y []float64) bool { return y[last] <= 0 })
	var pivots [numStatistics]pivot
	for i := range pivots {
		pivots[i] = pivot{value: whole.values[i], stdErr: whole.stdErrs[i],
			degrees: float64(len(rows) - 1), rounding: negligible}
		if len(rows) == 1 || oneMakesAll {
			pivots[i].stdErr = math.NaN()
		}
	}
	if len(rows) >= minBootstrap && !oneMakesAll && !math.IsNaN(whole.values[0]) && differ {
		delta, stdErr := resample(v.changesFrom(whole), numStatistics, len(rows), g.Resamples,
			seeded(t, rows))
		e.slopes = slopesOf(whole.values[0], delta[0])
		for i := range pivots {
			if pivots[i].stdErr > negligible {
				pivots[i].studentise(delta[i], stdErr[i])
			}
		}
	}
	e.exponent = pivots[0]
	e.Exponent = pivots[0].estimate(oneSided(g.Confidence))
	if e.noGrowth > 1-g.Confidence {
		e.Exponent.Lower = min(e.Exponent.Lower, 0) // or NaN
	}
	e.Exponent.Upper = e.exponentUpper(1 - g.Confidence)
	e.Drift = pivots[1].estimate(oneSided(g.Confidence))
	return e
}

// notPositive returns Student's p-value of the hypothesis that the mean of the rows at checkpoint k
// is at most 0. It is 0 where no row is negative there: a mean of such values is positive if one of
// them is.
func notPositive(rows [][]float64, k int, mean float64) float64 {
	if !slices.ContainsFunc(rows, func(y []float64) bool { return y[k] < 0 }) {
		return 0
	}
	return pivot{value: mean, stdErr: columnStdErr(rows, k, mean),
		degrees: float64(len(rows) - 1)}.above(0)
}

// oneSided returns the confidence of the two-sided interval each end of which is a bound of the
// given confidence.
func oneSided(confidence float64) float64 { return max(0, 1-float64(2*(1-confidence))) }

// slopesOf returns the exponents of resamples that change value by delta, in ascending order; +Inf
// for NaN.
func slopesOf(value float64, delta []float64) []float64 {
	slopes := make([]float64, len(delta))
	for b, d := range delta {
		if slopes[b] = value + d; math.IsNaN(d) {
			slopes[b] = math.Inf(1)
		}
	}
	slices.Sort(slopes)
	return slopes
}

// exponentUpper returns the upper bound of the exponent of confidence 1 − alpha: the larger one of
// Student's bound and of the (1 − alpha)-quantile of the exponents of the resamples.
//
// The bound is infinite where the replicates differ, are too few to resample, and the envelope of
// their mean is flat: Student's error is then 0, as if the place of the maximum was certain.
func (e End) exponentUpper(alpha float64) float64 {
	p := e.exponent
	switch {
	case math.IsNaN(p.stdErr):
		return math.NaN()
	case e.tooFew && p.stdErr <= negligible:
		return math.Inf(1)
	}
	bound := p.value
	if p.stdErr > p.rounding {
		bound += float64(studentQuantile(p.degrees, 1-alpha) * p.stdErr)
	}
	if n := len(e.slopes); n > 0 {
		rank := int(math.Floor(float64(alpha*float64(n+1)) + 1e-9)) // counted from the largest
		if rank < 1 {
			return math.Inf(1)
		}
		bound = math.Max(bound, e.slopes[max(0, n-rank)])
	}
	return bound
}

// numStatistics is the number of statistics of an envelope: the exponent and the drift.
const numStatistics = 2

// An envelope computes the exponent and the drift of [End] from replicates.
type envelope struct {
	rows   [][]float64
	first  int // the checkpoint where the first of the two halves begins
	border int // the checkpoint where the last half begins
	// The weights of log E in the exponent and in the drift, from first on.
	exponentWeights, driftWeights []float64
}

// newEnvelope returns the envelope over the end of a window that begins at checkpoint from; ok is
// false with fewer than three points.
func newEnvelope(t []float64, rows [][]float64, from int) (v envelope, ok bool) {
	first, last := from, len(t)-1
	for last-first >= endPoints &&
		vec.Log(t[last])-vec.Log(t[first]) > float64(endDecades*math.Ln10)+1e-9 {
		first++
	}
	if last-first < minPoints-1 {
		return v, false
	}
	l := newLine(t[first:])
	parts := l.parts(2)
	v = envelope{rows: rows, first: first, border: first, exponentWeights: parts[1]}
	for v.exponentWeights[v.border-first] == 0 { // as all of the half before have
		v.border++
	}
	v.driftWeights = slices.Clone(parts[1])
	vec.Axpy(v.driftWeights, -1, parts[0])
	centres := l.centres(parts)
	vec.Scale(v.driftWeights, 1/((centres[1]-centres[0])/math.Ln10))
	return v, true
}

// An envelopeSample is what [envelope.evaluate] computes of one sample of the replicates. The next
// sample may overwrite it.
type envelopeSample struct {
	e       []float64 // E at every checkpoint
	places  []int     // the checkpoint at which the mean has the value E
	inverse []float64 // 1/E, from first on; 0 where E is 0
	values  [numStatistics]float64
	stdErrs [numStatistics]float64 // NaN where the value is
}

// evaluate sets s to the envelope of the sample with these means, in which row r is counted
// counts[r] times (nil: once), and to its exponent and drift. An envelope that is constant over a
// part has exponent 0 there; one that begins with 0 has none, NaN.
func (v envelope) evaluate(s *envelopeSample, means []float64, counts []int) {
	s.setMaxima(means)
	s.values, s.stdErrs = [numStatistics]float64{}, [numStatistics]float64{}
	e, last := s.e, len(s.e)-1
	if e[v.first] == e[last] {
		return
	}
	v.setValues(s)
	v.setStdErrs(s, counts)
	switch {
	case e[v.border] == e[last]:
		s.values[0], s.stdErrs[0] = 0, 0
	case e[v.border] == 0:
		s.values[0], s.stdErrs[0] = math.NaN(), math.NaN()
	}
	if e[v.first] == 0 {
		s.values[1], s.stdErrs[1] = math.NaN(), math.NaN()
	}
}

// setMaxima sets e and places for these means.
func (s *envelopeSample) setMaxima(means []float64) {
	if s.e == nil {
		s.e, s.places = make([]float64, len(means)), make([]int, len(means))
	}
	largest, at := 0.0, 0
	for k, v := range means {
		if v > largest {
			largest, at = v, k
		}
		s.e[k], s.places[k] = largest, at
	}
}

// setValues sets the exponent and the drift, Σ_k w_k log(E/E(T)), and inverse. The sums leave out
// the checkpoints where E is 0.
func (v envelope) setValues(s *envelopeSample) {
	if s.inverse == nil {
		s.inverse = make([]float64, len(v.exponentWeights))
	}
	last := s.e[len(s.e)-1]
	// 1/E and log E/E(T) at the checkpoint before are kept, since an envelope is often flat.
	previous, inverse, log := 0.0, 0.0, 0.0
	for k := range s.inverse {
		s.inverse[k] = 0
		if at := s.e[v.first+k]; at > 0 {
			if at != previous {
				previous, inverse, log = at, 1/at, vec.Log(at/last)
			}
			s.inverse[k] = inverse
			s.values[0] += float64(v.exponentWeights[k] * log)
			s.values[1] += float64(v.driftWeights[k] * log)
		}
	}
}

// setStdErrs sets the standard errors of the exponent and the drift by the delta method. Where the
// maximum is at checkpoint s, row r has the share y_r(s)/E in log E, up to a constant.
func (v envelope) setStdErrs(s *envelopeSample, counts []int) {
	var n float64
	places := s.places[v.first:]
	points := len(places)
	exponentWeights, driftWeights := v.exponentWeights[:points], v.driftWeights[:points]
	inverse := s.inverse[:points]
	for r, y := range v.rows {
		count := 1.0
		if counts != nil {
			count = float64(counts[r])
		}
		if n += count; count == 0 {
			continue
		}
		var exponent, drift float64
		for k, at := range places {
			share := float64(y[at] * inverse[k])
			exponent += float64(exponentWeights[k] * share)
			drift += float64(driftWeights[k] * share)
		}
		s.stdErrs[0] += float64(count * float64(exponent*exponent))
		s.stdErrs[1] += float64(count * float64(drift*drift))
	}
	for i, sum := range s.stdErrs {
		s.stdErrs[i] = math.Sqrt(sum / float64(n*(n-1)))
	}
}

// changesFrom returns the evaluator of the exponent and the drift, whose values of all replicates
// are those of whole.
func (v envelope) changesFrom(whole envelopeSample) evaluator {
	means := make([]float64, len(whole.e))
	var s envelopeSample
	return func(counts []int, delta, stdErr []float64) {
		weightedMeans(means, v.rows, counts)
		v.evaluate(&s, means, counts)
		for i, value := range s.values {
			delta[i], stdErr[i] = value-whole.values[i], s.stdErrs[i]
		}
	}
}
