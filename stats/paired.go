package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex/vec"
)

// A Difference is an estimate of a quantity of A minus that of B.
type Difference struct {
	Estimate
	// Warnings say why P or the interval may be wrong. They are also among those of the Comparison.
	Warnings []error
	test     locationTest
}

// P returns the two-sided p-value of the hypothesis that there is no difference. It
// is at most 1-Confidence exactly if the interval excludes zero, unless all pairs have the
// same difference: these show a sign and no spread, so that the interval is unbounded and P is
// that of the sign flips. P is NaN where there is no interval.
//
// P of n pairs is at least 2^(1−n), and with 12 pairs or more at least 2/10000 and 2/(Resamples
// + 1).
func (d Difference) P() float64 {
	return math.Min(1, 2*math.Min(d.test.above(0), d.test.below(0)))
}

// A Comparison compares two curves, A minus B.
type Comparison struct {
	// Final is the difference of the means at the last checkpoint of the window.
	Final Difference
	// Exponent is the difference of the growth exponents of the means. It is
	// NaN unless both means are positive throughout the window.
	Exponent Difference
	// Improvement is the probability that a replicate of A ends lower than its
	// partner of B. Equal ends count half.
	Improvement Estimate

	Confidence float64
	Window     Window
	Replicates int
	Warnings   []error
}

// Compare compares two curves whose replicates are paired: replicate r of both
// was played on the same random numbers. The noise that both have in common
// cancels in the differences. It returns an error unless g and both curves are
// valid and the curves have the same checkpoints and the same number of
// replicates.
//
// With fewer than 12 pairs Final is tested by exact sign flips. With dᵣ the final value of
// replicate r of A minus that of B, and all sᵣ = ±1,
//
//	P = 2^(−n) · number of s with |Σᵣ sᵣ dᵣ| ≥ |Σᵣ dᵣ|,
//
// and the interval has the values x for which the differences dᵣ − x are not rejected. P is at
// least 2^(1−n), so that with 3, 4 or 5 pairs no difference is significant at 5 % and no
// interval of 95 % is bounded ([LeastPairs]). From 12 pairs on, the flips are drawn, and the
// interval is the hull of theirs and of one like that of [Growth.Fit], with whole pairs
// resampled; P is the larger of the two. Differences that are symmetric about 0 are called
// different in at most α. A warning stands where a significant difference may be
// one of skewed differences. testdata/calibration.md has the levels.
//
// The difference of two exponents is one contrast of the logarithms of the means of pairs,
//
//	p(A) − p(B) = Σₖ wₖ log āₖ − Σₖ wₖ log b̄ₖ.
//
// It is tested likewise, with its value plus the influence of the pair for dᵣ, whose mean it is
// to first order.
//
// References: R. A. Fisher, The Design of Experiments, 1935, section 21; J. A. Hartigan, Using
// subsample values as typical values, Journal of the American Statistical Association 64 (1969).
//
// The interval of Improvement is that of Clopper and Pearson, whose coverage is
// at least the nominal one.
func (g Growth) Compare(a, b Curve) (Comparison, error) {
	g, err := g.withDefaults()
	if err != nil {
		return Comparison{}, err
	}
	v, err := g.newCurvePair(a, b, asPairs)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{
		Final:       Difference{noEstimate, nil, noPivot},
		Exponent:    Difference{noEstimate, nil, noPivot},
		Improvement: noEstimate,
		Confidence:  g.Confidence,
		Replicates:  len(a.Y),
	}
	if len(v.t) == 0 {
		c.Warnings = []error{errors.New("no points in the window")}
		return c, nil
	}
	c.Window = Window{v.t[0], v.t[len(v.t)-1]}
	c.Final = v.finalDifferences().test(v.final, "difference", g.Confidence)
	c.Warnings = c.Final.Warnings
	c.Improvement = v.improvement(g.Confidence)
	if !v.positive() {
		c.Warnings = append(slices.Clone(c.Warnings), fmt.Errorf("no exponents: a mean is not "+
			"positive throughout the window, or it has fewer than %d points", minPoints))
		return c, nil
	}
	c.Exponent = v.exponentDifferences().test(v.exponent, "difference of the exponents", g.Confidence)
	c.Warnings = slices.Concat(c.Warnings, c.Exponent.Warnings)
	return c, nil
}

// FinalDifferences returns what [JointFlips] tests: the final value of A minus that of B by
// replicate, with rounding errors set to 0. It is nil if the window has no checkpoint.
func (g Growth) FinalDifferences(a, b Curve) ([]float64, error) {
	g, err := g.withDefaults()
	if err != nil {
		return nil, err
	}
	v, err := g.newUnsortedCurvePair(a, b, asPairs)
	if err != nil || len(v.t) == 0 {
		return nil, err
	}
	d := v.finalDifferences()
	return zeroRounding(d.byPair, d.rounding), nil
}

// differences holds a number for each pair of replicates. [differences.test] tests whether their
// mean is 0.
type differences struct {
	byPair   []float64
	value    float64 // the estimate: their mean, to first order
	rounding float64 // a difference of at most this counts as 0
}

// test tests differences by flips, and from fewPairs on also by the pivot of the quantity:
//
//	one pair                   there is no interval and no P
//	all differences are 0      the interval is their value, and P is 1
//	all are equal, and not 0   the interval is unbounded, and P is that of the flips
//	fewer than fewPairs        interval and P are those of the flips
//	fewPairs or more           the interval contains those of flips and pivot, and P is the larger one
func (d differences) test(pivotOf func() pivot, quantity string, confidence float64) Difference {
	n := len(d.byPair)
	if n < 2 {
		p := pivotOf()
		return Difference{p.estimate(confidence), nil, p}
	}
	f := newFlipped(d.byPair, d.rounding)
	spread := f.stdErr > d.rounding
	if !spread && math.Abs(f.value) <= d.rounding {
		zero := pivot{value: d.value, rounding: d.rounding}
		return Difference{zero.estimate(confidence), nil, zero}
	}
	tests := strictest{f}
	var out Difference
	lower, upper := math.Inf(1), math.Inf(-1) // empty, which the flips widen to their own interval
	if n >= fewPairs && spread {
		p := pivotOf()
		e := p.estimate(confidence)
		tests, lower, upper = append(tests, p), e.Lower, e.Upper
		out.Warnings = p.warnings(quantity, n, confidence, e)
	}
	out.Estimate = f.widened(lower, upper, confidence)
	out.Value, out.test = d.value, tests
	if !spread {
		out.Lower, out.Upper = math.Inf(-1), math.Inf(1)
		out.Warnings = append(out.Warnings,
			fmt.Errorf("all pairs have the same %s: without a spread its interval is unbounded", quantity))
	}
	if out.P() <= 1-confidence {
		out.Warnings = append(out.Warnings, symmetryWarnings(d.byPair, d.rounding)...)
	}
	return out
}

// curvePair holds the replicates of two curves at their common checkpoints in the window.
// Replicates of the same number are pairs if paired is set.
type curvePair struct {
	t       []float64
	a, b    [][]float64
	paired  bool
	samples int // how many resamples are drawn
}

// Whether the replicates of a [curvePair] are paired.
const (
	asPairs       = true
	asIndependent = false
)

// newCurvePair returns the replicates in canonical order: of the pairs, or of each curve, so that
// results do not depend on the order in which the replicates are given.
func (g Growth) newCurvePair(a, b Curve, paired bool) (curvePair, error) {
	v, err := g.newUnsortedCurvePair(a, b, paired)
	if err != nil {
		return curvePair{}, err
	}
	if !paired {
		v.a, v.b = canonical(v.a), canonical(v.b)
		return v, nil
	}
	pairs := canonical(interleave(v.a, v.b))
	for r, y := range pairs {
		v.a[r], v.b[r] = y[:len(v.t)], y[len(v.t):]
	}
	return v, nil
}

// newUnsortedCurvePair does what newCurvePair does, but keeps the order in which the curves have
// the replicates.
func (g Growth) newUnsortedCurvePair(a, b Curve, paired bool) (curvePair, error) {
	for _, c := range []Curve{a, b} {
		if err := c.Validate(); err != nil {
			return curvePair{}, err
		}
	}
	if !slices.Equal(a.T, b.T) {
		return curvePair{}, errors.New("stats: two curves with different checkpoints")
	}
	v := curvePair{paired: paired, samples: g.Resamples}
	v.t, v.a = g.cut(a)
	_, v.b = g.cut(b)
	if paired && len(v.a) != len(v.b) {
		return curvePair{}, fmt.Errorf("stats: %d replicates and %d are not pairs", len(v.a), len(v.b))
	}
	return v, nil
}

// interleave returns rows that hold a row of a followed by the same row of b.
func interleave(a, b [][]float64) [][]float64 {
	rows := make([][]float64, len(a))
	for r := range rows {
		rows[r] = slices.Concat(a[r], b[r])
	}
	return rows
}

// src returns the generator of resamples, seeded by the data.
func (v curvePair) src() *rand.PCG { return seeded(v.t, slices.Concat(v.a, v.b)) }

// positive reports whether both means are positive at enough points to have exponents.
func (v curvePair) positive() bool {
	return len(v.t) >= minPoints && slices.Min(columnMeans(v.a)) > 0 &&
		slices.Min(columnMeans(v.b)) > 0
}

// exponent returns the difference of the exponents. It exists if positive is true.
func (v curvePair) exponent() pivot {
	slope := newLine(v.t).slope
	a, b := columnMeans(v.a), columnMeans(v.b)
	value := vec.Dot(slope, logarithms(a)) - vec.Dot(slope, logarithms(b))
	za, zb := ratios(v.a, a), ratios(v.b, b)
	if !v.paired {
		return twoSample(value, bundle{{slope, za}}, bundle{{slope, zb}}, negligible, v.samples, v.src())
	}
	weights := slices.Concat(slope, slope)
	vec.Scale(weights[len(slope):], -1)
	both := bundle{{weights, interleave(za, zb)}}
	return oneSample([]float64{value}, both, negligible, v.samples, v.src())[0]
}

// exponentDifferences returns, for each pair, the difference of the exponents plus the influence of
// the pair on it: numbers whose mean is the difference, to first order.
func (v curvePair) exponentDifferences() differences {
	slope := newLine(v.t).slope
	a, b := columnMeans(canonical(v.a)), columnMeans(canonical(v.b))
	d := differences{rounding: negligible,
		value: vec.Dot(slope, logarithms(a)) - vec.Dot(slope, logarithms(b))}
	za, zb := ratios(v.a, a), ratios(v.b, b)
	for r := range za {
		d.byPair = append(d.byPair, d.value+(vec.Dot(slope, za[r])-vec.Dot(slope, zb[r])))
	}
	return d
}

// finals returns the values at the last checkpoint. There has to be one.
func (v curvePair) finals() (a, b []float64) {
	last := len(v.t) - 1
	for _, y := range v.a {
		a = append(a, y[last])
	}
	for _, y := range v.b {
		b = append(b, y[last])
	}
	return a, b
}

// final returns the difference of the means at the last checkpoint.
func (v curvePair) final() pivot {
	a, b := v.finals()
	rounding := v.rounding()
	if !v.paired {
		statisticA, meanA := newMeanStatistic(a)
		statisticB, meanB := newMeanStatistic(b)
		return twoSample(meanA-meanB, statisticA, statisticB, rounding, v.samples, v.src())
	}
	vec.Axpy(a, -1, b)
	statistic, mean := newMeanStatistic(a)
	return oneSample([]float64{mean}, statistic, rounding, v.samples, v.src())[0]
}

// finalDifferences returns the differences of the values at the last checkpoint.
func (v curvePair) finalDifferences() differences {
	a, b := v.finals()
	vec.Axpy(a, -1, b)
	_, mean := newMeanStatistic(a)
	return differences{a, mean, v.rounding()}
}

// rounding returns a difference of final values that rounding errors can cause.
func (v curvePair) rounding() float64 {
	a, b := v.finals()
	return float64(negligible * max(slices.Max(a), -slices.Min(a), slices.Max(b), -slices.Min(b)))
}

// improvement returns the share of the pairs in which a ends below b.
func (v curvePair) improvement(confidence float64) Estimate {
	a, b := v.finals()
	n, better := float64(len(a)), 0.0
	for r := range a {
		switch {
		case a[r] < b[r]:
			better++
		case a[r] == b[r]:
			better += 0.5
		}
	}
	share := better / n
	return Estimate{
		Value:  share,
		StdErr: math.Sqrt(float64(share*(1-share)) / n),
		Lower:  betaQuantile(better, n-better+1, (1-confidence)/2),
		Upper:  betaQuantile(better+1, n-better, (1+confidence)/2),
	}
}

// Holm adjusts the p-values of a family of hypotheses. The adjusted p-values are
// compared with the level: the probability that any true hypothesis of the family
// is rejected is then at most that level, whatever the dependence of the
// p-values. In ascending order of the n p-values,
//
//	adjusted₍ᵢ₎ = min(1, max over j ≤ i of (n-j+1)·p₍ⱼ₎).
//
// A NaN belongs to no family: it is returned as it is and not counted in n.
//
// Reference: S. Holm, A simple sequentially rejective multiple test procedure,
// Scandinavian Journal of Statistics 6 (1979).
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	least := 0.0
	for rank, i := range order {
		least = min(1, max(least, float64(float64(len(order)-rank)*p[i])))
		adjusted[i] = least
	}
	return adjusted
}
