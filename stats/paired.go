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
	pivot pivot
}

// P is the two-sided p-value of the hypothesis that there is no difference. It
// is at most 1-Confidence exactly if the interval excludes zero. It is NaN where
// there is no interval.
//
// A bootstrap of n samples gives no p-value below 2/(n+1). For a family of m
// hypotheses at level α Resamples has to be well above 2m/α.
func (d Difference) P() float64 { return d.pivot.twoSided(0) }

// Equivalence is the p-value of the hypothesis that the size of the difference is
// margin or more: the larger of the two one-sided p-values (the TOST procedure).
// If it is at most α the two are equivalent at level α, and the interval of
// confidence 1-2α lies within ±margin.
func (d Difference) Equivalence(margin float64) float64 {
	return math.Max(d.pivot.above(-margin), d.pivot.below(margin))
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
// The intervals of Final and Exponent are like those of [Growth.Fit], with whole
// pairs resampled. The difference of two exponents is one contrast of the
// logarithms of the means of pairs,
//
//	p(A) − p(B) = Σₖ wₖ log āₖ − Σₖ wₖ log b̄ₖ.
//
// The interval of Improvement is that of Clopper and Pearson, whose coverage is
// at least the nominal one.
func (g Growth) Compare(a, b Curve) (Comparison, error) {
	g, err := g.withDefaults()
	if err != nil {
		return Comparison{}, err
	}
	v, err := g.versus(a, b, true)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{
		Final:       Difference{Estimate: noEstimate, pivot: noPivot},
		Exponent:    Difference{Estimate: noEstimate, pivot: noPivot},
		Improvement: noEstimate,
		Confidence:  g.Confidence,
		Replicates:  len(a.Y),
	}
	if len(v.t) == 0 {
		c.Warnings = []error{errors.New("no points in the window")}
		return c, nil
	}
	c.Window = Window{v.t[0], v.t[len(v.t)-1]}
	p := v.final()
	c.Final = Difference{p.estimate(g.Confidence), p}
	c.Improvement = v.improvement(g.Confidence)
	if !v.positive() {
		c.Warnings = []error{fmt.Errorf("no exponents: a mean is not positive throughout the window, "+
			"or it has fewer than %d points", minPoints)}
		return c, nil
	}
	p = v.exponent()
	c.Exponent = Difference{p.estimate(g.Confidence), p}
	if len(a.Y) > 1 {
		c.Warnings = p.warnings("difference of the exponents", len(a.Y), g.Confidence)
	}
	return c, nil
}

// versus is two sets of replicates at common checkpoints, in pairs or not.
type versus struct {
	t       []float64
	a, b    [][]float64
	paired  bool
	samples int
}

func (g Growth) versus(a, b Curve, paired bool) (versus, error) {
	for _, c := range []Curve{a, b} {
		if err := c.Validate(); err != nil {
			return versus{}, err
		}
	}
	if !slices.Equal(a.T, b.T) {
		return versus{}, errors.New("stats: two curves with different checkpoints")
	}
	v := versus{paired: paired, samples: g.Resamples}
	v.t, v.a = g.cut(a)
	_, v.b = g.cut(b)
	if !paired {
		v.a, v.b = canonical(v.a), canonical(v.b)
		return v, nil
	}
	if len(v.a) != len(v.b) {
		return versus{}, fmt.Errorf("stats: %d replicates and %d are not pairs", len(v.a), len(v.b))
	}
	pairs := canonical(interleave(v.a, v.b))
	v.a, v.b = make([][]float64, len(pairs)), make([][]float64, len(pairs))
	for r, y := range pairs {
		v.a[r], v.b[r] = y[:len(v.t)], y[len(v.t):]
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

func (v versus) src() rand.Source { return seeded(v.t, slices.Concat(v.a, v.b)) }

// positive reports whether both have exponents.
func (v versus) positive() bool {
	return len(v.t) >= minPoints && slices.Min(columnMeans(v.a)) > 0 &&
		slices.Min(columnMeans(v.b)) > 0
}

// exponent is the difference of the exponents. It exists if positive is true.
func (v versus) exponent() pivot {
	slope := newLine(v.t).slope
	a, b := columnMeans(v.a), columnMeans(v.b)
	value := vec.Dot(slope, logarithms(a)) - vec.Dot(slope, logarithms(b))
	za, zb := ratios(v.a, a), ratios(v.b, b)
	if !v.paired {
		return twoSample(value, bundle{{slope, za}}, bundle{{slope, zb}}, negligible, v.samples, v.src())
	}
	weights := slices.Concat(slope, slope)
	vec.Scale(weights[len(slope):], -1)
	return oneSample([]float64{value}, bundle{{weights, interleave(za, zb)}}, negligible, v.samples,
		v.src())[0]
}

// finals are the values at the last checkpoint. There has to be one.
func (v versus) finals() (a, b []float64) {
	last := len(v.t) - 1
	for _, y := range v.a {
		a = append(a, y[last])
	}
	for _, y := range v.b {
		b = append(b, y[last])
	}
	return a, b
}

// final is the difference of the means at the last checkpoint.
func (v versus) final() pivot {
	a, b := v.finals()
	rounding := float64(negligible * max(slices.Max(a), -slices.Min(a), slices.Max(b), -slices.Min(b)))
	if !v.paired {
		levelA, meanA := newLevel(a)
		levelB, meanB := newLevel(b)
		return twoSample(meanA-meanB, levelA, levelB, rounding, v.samples, v.src())
	}
	vec.Axpy(a, -1, b)
	l, mean := newLevel(a)
	return oneSample([]float64{mean}, l, rounding, v.samples, v.src())[0]
}

// improvement is the share of the pairs in which a ends below b.
func (v versus) improvement(confidence float64) Estimate {
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
