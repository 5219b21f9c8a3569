package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Curve is one metric of several replicates at common checkpoints.
//
// The replicates are assumed to be independent. The checkpoints of one replicate
// are not independent, and nothing in this package assumes it.
type Curve struct {
	T []float64   // Checkpoints: positive and strictly increasing.
	Y [][]float64 // Y[r][k] is the value of replicate r at T[k].
}

// maxValue bounds the values of a curve, so that sums of them do not overflow.
const maxValue = 1e300

// FinalMean returns the mean of the last values of the replicates. It panics if a replicate has no
// value, and is NaN without replicates.
func (c Curve) FinalMean() float64 {
	sum := 0.0
	for _, y := range c.Y {
		sum += y[len(y)-1]
	}
	return sum / float64(len(c.Y))
}

// Validate returns an error unless the curve has at least two checkpoints,
// positive, finite and strictly increasing, and at least one replicate, each
// with one value at every checkpoint that is a number within ±1e300. The message
// counts replicates and checkpoints from zero.
func (c Curve) Validate() error {
	if len(c.T) < 2 {
		return fmt.Errorf("stats: a curve needs at least 2 checkpoints, this one has %d", len(c.T))
	}
	return c.check()
}

// check does the work of Validate for a curve that may have a single checkpoint.
func (c Curve) check() error {
	for k, t := range c.T {
		if !(t > 0) || math.IsInf(t, 1) {
			return fmt.Errorf("stats: checkpoint %d is at t = %v, not a positive number", k, t)
		}
		if k > 0 && t <= c.T[k-1] {
			return fmt.Errorf("stats: checkpoint %d is at t = %v, not after the one before it at %v", k, t,
				c.T[k-1])
		}
	}
	if len(c.Y) == 0 {
		return errors.New("stats: a curve needs at least one replicate")
	}
	for r, y := range c.Y {
		if len(y) != len(c.T) {
			return fmt.Errorf("stats: replicate %d has %d values at %d checkpoints", r, len(y), len(c.T))
		}
		for k, v := range y {
			if math.IsNaN(v) || math.Abs(v) > maxValue {
				return fmt.Errorf("stats: replicate %d is %v at t = %v, not a number within ±%g", r, v, c.T[k],
					maxValue)
			}
		}
	}
	return nil
}

// A Band is a line with an interval around each of its points: the mean of a
// curve, or the local slope of one.
type Band struct {
	T      []float64
	Mean   []float64
	StdErr []float64 // Standard error of the mean; NaN with one replicate.
	Lower  []float64
	Upper  []float64

	Confidence float64
}

// Band returns the mean of the curve, which may have a single checkpoint, and at
// each checkpoint its standard error and the interval
//
//	mean ± t(R-1, (1+confidence)/2) · sd / √R
//
// of Student's t over the R replicates. The intervals are pointwise: each covers
// the mean at its checkpoint, and not all of them together the curve. They are
// meant for figures; [Growth.Fit] gives the interval of an exponent. With one
// replicate the standard errors and both ends are NaN.
//
// The order of the replicates does not change a bit of the result.
func (c Curve) Band(confidence float64) (Band, error) {
	if err := c.check(); err != nil {
		return Band{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return Band{}, err
	}
	n := len(c.T)
	b := Band{
		T:          slices.Clone(c.T),
		Mean:       make([]float64, n),
		StdErr:     make([]float64, n),
		Lower:      make([]float64, n),
		Upper:      make([]float64, n),
		Confidence: confidence,
	}
	rows := canonical(c.Y)
	quantile := studentQuantile(float64(len(rows)-1), (1+confidence)/2)
	for k := range n {
		b.Mean[k] = columnMean(rows, k)
		b.StdErr[k] = columnStdErr(rows, k, b.Mean[k])
		half := float64(quantile * b.StdErr[k])
		b.Lower[k] = b.Mean[k] - half
		b.Upper[k] = b.Mean[k] + half
	}
	return b, nil
}

// canonical returns the rows in lexicographic order, so that what is computed
// from them does not depend on the order in which replicates arrived.
func canonical(y [][]float64) [][]float64 {
	rows := slices.Clone(y)
	slices.SortFunc(rows, slices.Compare[[]float64])
	return rows
}

// columnMeans returns the mean of every column.
func columnMeans(rows [][]float64) []float64 {
	means := make([]float64, len(rows[0]))
	for k := range means {
		means[k] = columnMean(rows, k)
	}
	return means
}

// columnMean returns the mean of column k.
func columnMean(rows [][]float64, k int) float64 {
	var sum float64
	for _, y := range rows {
		sum += y[k]
	}
	return sum / float64(len(rows))
}

// columnStdErr returns the standard error of the mean of column k, NaN with one row.
func columnStdErr(rows [][]float64, k int, mean float64) float64 {
	n := float64(len(rows))
	if n < 2 {
		return math.NaN()
	}
	var sum float64
	for _, y := range rows {
		d := y[k] - mean
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(n*(n-1)))
}

// checkConfidence returns an error unless 0 < p < 1.
func checkConfidence(p float64) error {
	if !(p > 0 && p < 1) {
		return fmt.Errorf("stats: confidence must lie between 0 and 1, not %v", p)
	}
	return nil
}
