package diagnosis

import (
	"math"
	"slices"

	"ocobench/convex/vec"
	"ocobench/stats"
)

// The exponents of curves are fitted and judged here. [fitExponent] fits the mean over replicates,
// and [growthExponent] and [octaveExponent] also a single path, where replicates give no interval.
// A verdict compares the interval with a claimed exponent, and the exponent that the curve tends to
// ([Exponent.extrapolateLimit]). Convergence is judged on the oscillation over octaves, and
// corrected for a drift that noise may hide ([measurement.correctForDrift]).

const (
	confidence = 0.95
	// singlePathConfidence replaces confidence on a single path, which noise alone may bend.
	singlePathConfidence = 0.99
	// tolerance bounds the distance of a measured exponent from a claimed one that it agrees with.
	tolerance = stats.DefaultTolerance
	// rounding bounds the rounding error of a zero, in units of the averages.
	rounding = 1e-11
	// lastingRatio is the least ratio of the exponents of two successive decades at which growth, or
	// decay, does not come to an end.
	lastingRatio = 0.7
)

// shortestHorizon is the least horizon at which growth is judged, and longHorizon the least one
// at which it is said to continue beyond the horizon.
const shortestHorizon, longHorizon = 100, 3000

// judgeGrowth sets the verdict on growth of at most t^claimed. The claim fails only if the exponent
// that the curve tends to is above it too; see extrapolateLimit.
func (e *Exponent) judgeGrowth(claimed float64, horizon int) {
	limit := claimed + tolerance
	switch e.Verdict = Open; {
	case horizon < shortestHorizon:
	case e.Zero || e.Upper != nil && *e.Upper+e.wider <= limit:
		e.Verdict = Holds
	case e.Lower != nil && *e.Lower-e.wider > limit && e.limit > limit && horizon >= longHorizon:
		e.Verdict = Fails
	}
}

// extrapolateLimit sets the exponent that the mean of rows tends to. If the exponent falls by d,
// more than noise, from the first half of the window to the second, it is expected to fall by
// another d. The halves are of log t.
func (e *Exponent) extrapolateLimit(at []int, noise float64, rows ...[]float64) {
	mean := meanOf(rows)
	mid := int(math.Sqrt(float64(e.From) * float64(e.To)))
	a, b := pathExponent(at, mean, e.From, mid), pathExponent(at, mean, mid, e.To)
	switch e.limit = math.Inf(-1); {
	case a == nil || b == nil || e.Value == nil:
	case *a-*b <= noise:
		e.limit = *e.Value
	default:
		e.limit = *b - (*a - *b)
	}
}

// meanOf returns the mean of rows of the same length.
func meanOf(rows [][]float64) []float64 {
	mean := make([]float64, len(rows[0]))
	for k := range mean {
		for _, row := range rows {
			mean[k] += row[k] / float64(len(rows))
		}
	}
	return mean
}

// fitExponent fits the mean of rows, one for each replicate, over a window.
func fitExponent(at []int, rows [][]float64, from, to int) Exponent {
	e := Exponent{Confidence: confidence, From: from, To: to}
	c := stats.Curve{Y: rows}
	for _, t := range at[:len(rows[0])] {
		c.T = append(c.T, float64(t))
	}
	g := stats.Growth{Window: stats.Window{From: float64(from), To: float64(to)},
		Confidence: confidence}
	fit, err := g.Fit(c)
	if err != nil { // the horizon is too short for a curve
		return e
	}
	e.Value, e.Lower, e.Upper = finiteOrNil(fit.Exponent), finiteOrNil(fit.Lower),
		finiteOrNil(fit.Upper)
	e.Zero = fit.NeverPositive
	return e
}

// pathExponent returns the exponent of one curve over a window, or nil if the curve is not
// positive throughout or has too few points.
func pathExponent(at []int, y []float64, from, to int) *float64 {
	return fitExponent(at, [][]float64{y}, from, to).Value
}

// growthExponent fits the mean of rows of sums over a window. If there is one row, the ends of the
// interval are the exponents of the two halves of the window.
func growthExponent(at []int, rows [][]float64, from, to int) Exponent {
	if len(rows) > 1 {
		return fitExponent(at, rows, from, to)
	}
	y := rows[0]
	e := Exponent{Confidence: confidence, From: from, To: to, Zero: y[len(y)-1] == 0}
	mid := int(math.Sqrt(float64(from) * float64(to)))
	e.Value = pathExponent(at, y, from, to)
	a, b := pathExponent(at, y, from, mid), pathExponent(at, y, mid, to)
	if e.Value != nil && a != nil && b != nil {
		e.Lower, e.Upper = finiteOrNil(min(*a, *b)), finiteOrNil(max(*a, *b))
	}
	return e
}

// octaveExponent fits a single path of oscillations. The values at checkpoints depend on each
// other, so that they do not give the error of a slope. The oscillations over octaves that do not
// overlap do: for independent noise they are nearly independent. The fit is the regression line
// through these, with Student's interval.
func octaveExponent(at []int, d []float64, from, to int) Exponent {
	e := Exponent{Confidence: confidence, From: from, To: to}
	largest := 0.0
	var x, y []float64
	next := math.MaxInt
	for k := len(d) - 1; k >= 0 && at[k] >= from; k-- {
		largest = max(largest, d[k])
		if at[k] > to || 2*at[k] > next {
			continue
		}
		next = at[k]
		x, y = append(x, vec.Log(float64(at[k]))), append(y, d[k])
	}
	if e.Zero = largest == 0; e.Zero {
		return e
	}
	for k, v := range y {
		if v == 0 { // no logarithm
			return e
		}
		y[k] = vec.Log(v)
	}
	line := stats.FitLineSlope(x, y)
	// Three points have one degree of freedom, and an interval that is too wide to be of use.
	if e.Value = finiteOrNil(line.Value); len(x) < 4 {
		return e
	}
	halfWidth := line.HalfWidth(confidence)
	e.Lower, e.Upper = finiteOrNil(line.Value-halfWidth), finiteOrNil(line.Value+halfWidth)
	e.wider = line.HalfWidth(singlePathConfidence) - halfWidth
	return e
}

// measureConvergence measures the rate of convergence of the averages, and returns it with the
// curve that it is fitted to.
func (m *measurement) measureConvergence(paths []*sampledAverages) (Convergence, Curve) {
	c := Convergence{Exponent: Exponent{
		Confidence: confidence, From: max(8, m.Horizon/2000), To: m.Horizon / 2,
	}, Of: "oscillation", Rate: string(Open)}
	if paths[0].expected != nil {
		c.Of = "expectation"
	}
	var rows [][]float64
	for _, p := range paths {
		d, roundingError := p.octaveDeviation(), float64(rounding*p.maxAbsAverage())
		for k := range d {
			if d[k] <= roundingError {
				d[k] = 0
			}
		}
		rows = append(rows, d)
	}
	before, _ := slices.BinarySearch(m.checkpoints, c.From)
	switch {
	case len(paths[0].value) == 0:
		c.Zero = true
	case len(rows[0])-before < 3:
	case len(paths) == 1:
		c.Exponent = octaveExponent(m.checkpoints, rows[0], c.From, c.To)
		c.extrapolateLimit(m.checkpoints, 0, rows...)
	default:
		c.Exponent = fitExponent(m.checkpoints, rows, c.From, c.To)
		c.extrapolateLimit(m.checkpoints, 0, rows...)
		m.correctForDrift(&c, paths)
	}
	c.judgeGrowth(-0.5, m.Horizon)
	switch {
	case c.Zero && c.Verdict == Holds:
		c.Rate = "constant"
	case c.Verdict == Fails:
		c.Rate = "slower"
	case c.Verdict == Holds && *c.Upper < -0.5-tolerance:
		c.Rate = "faster"
	case c.Verdict == Holds:
		c.Rate = "1/sqrt(t)"
	}
	curve := Curve{Name: c.Of}
	for _, v := range meanOf(rows) {
		curve.Y = append(curve.Y, finiteOrNil(v))
	}
	return c, curve
}

// correctForDrift corrects the exponent c, which is that of noise and drift together, for a drift
// that the noise may hide:
//
//   - If the averages do not change at all, or c has no upper end, nothing is corrected.
//   - If the drift has no exponent, it may be slower than c. If it is shown to be there, and c
//     alone would agree with the claimed rate, c loses its upper end. I.i.d. constraints have no
//     drift.
//   - Otherwise the upper end becomes the larger one of both. A drift that is significantly slower
//     than c replaces it.
func (m *measurement) correctForDrift(c *Convergence, paths []*sampledAverages) {
	rows := m.octaveDrifts(paths)
	if rows == nil || c.Upper == nil {
		return
	}
	drift := m.fitDrift(rows)
	if drift.Lower == nil || drift.Upper == nil || c.Value == nil {
		agrees := *c.Upper <= -0.5+tolerance
		if agrees && !m.facts.IID && m.isDriftShown(rows, len(paths[0].value)) {
			c.Drift, c.Upper = true, nil
		}
		return
	}
	upper := max(*c.Upper, *drift.Upper)
	c.Drift = *drift.Value > *c.Value
	if *drift.Lower > *c.Value {
		c.Exponent = drift
		// The exponent of half of a window has 2√2 times the error h = (Upper − Lower)/2 of the whole
		// one, and the difference of both halves has 4h.
		c.extrapolateLimit(m.checkpoints, 2*(*drift.Upper-*drift.Lower), rows...)
	}
	c.Upper = &upper
}

// fitDrift fits the drifts of replicates over the longest of three windows in which the exponent
// has an interval: late rounds have less noise.
func (m *measurement) fitDrift(rows [][]float64) (drift Exponent) {
	for _, share := range []int{200, 60, 20} {
		drift = fitExponent(m.checkpoints, rows, max(8, m.Horizon/share), m.Horizon/2)
		if drift.Lower != nil && drift.Upper != nil {
			break
		}
	}
	return drift
}

// octaveDrifts returns a row for each replicate: the change of the average over the octave after
// each checkpoint, at the constraint and point where its mean over the replicates is largest in
// size, times the sign of that mean.
func (m *measurement) octaveDrifts(paths []*sampledAverages) [][]float64 {
	changes := make([][][]float64, len(paths))
	for r, p := range paths {
		changes[r] = p.octaveChanges()
	}
	best, bestPair, sign := 0.0, -1, 1.0
	for q := range paths[0].value {
		total := 0.0
		for k := range changes[0] {
			for _, c := range changes { // the factor √τ makes the noise of all octaves equally large
				total += float64(math.Sqrt(float64(m.checkpoints[k])) * c[k][q])
			}
		}
		if math.Abs(total) > best {
			best, bestPair, sign = math.Abs(total), q, math.Copysign(1, total)
		}
	}
	if bestPair < 0 {
		return nil
	}
	rows := make([][]float64, len(paths))
	for r, c := range changes {
		for k := range c {
			rows[r] = append(rows[r], float64(sign*c[k][bestPair]))
		}
	}
	return rows
}

// isDriftShown reports whether the sum over late octaves of √τ times the change has a mean over the
// replicates that differs from zero, by Student's test at level 0.01, which Bonferroni's correction
// divides by the number of tries: the rows were chosen from so many.
func (m *measurement) isDriftShown(rows [][]float64, tries int) bool {
	const level = 0.01
	var sums []float64
	for _, row := range rows {
		sum := 0.0
		for k, v := range row {
			if m.checkpoints[k] >= m.Horizon/200 {
				sum += float64(math.Sqrt(float64(m.checkpoints[k])) * v)
			}
		}
		sums = append(sums, sum)
	}
	return stats.MeanDiffers(sums, level/float64(tries))
}

// penaltyExponent measures the growth of Σ_{i≤τ} max_x max(0, a_{i,j}(x)), and judges whether it is
// O(√t), in which case Corollary 1 asks nothing else of constraint j. Where the maximum was taken
// over sampled points only, the sum may be too small: then the verdict is open in place of holds.
func (m *measurement) penaltyExponent(paths []*sampledAverages, j int) Exponent {
	rows := make([][]float64, len(paths))
	for r, p := range paths {
		for _, sums := range p.sums {
			rows[r] = append(rows[r], sums[j])
		}
	}
	e := growthExponent(m.checkpoints, rows, max(1, m.Horizon/100), m.Horizon)
	e.extrapolateLimit(m.checkpoints, 0, rows...)
	e.judgeGrowth(0.5, m.Horizon)
	if paths[0].sampled[j] && e.Verdict == Holds {
		e.Verdict = Open
	}
	return e
}
