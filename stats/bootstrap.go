package stats

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ocobench/convex/vec"
)

// A contrast is a weighted sum of the logarithms of column means,
//
//	θ(ȳ) = Σₖ wₖ log ȳₖ,    Σₖ wₖ = 0,
//
// such as the slope of log ȳ on log t. The replicates are kept as ratios
// z[r][k] = y[r][k] / ȳₖ. The means m of resampled ratios give the change of θ,
//
//	θ(ȳ*) − θ(ȳ) = Σₖ wₖ log mₖ,
//
// and replicate r has the influence Uᵣ = Σₖ wₖ z[r][k] on θ. The scale of y has
// no effect.
type contrast struct {
	weights []float64
	ratios  [][]float64
}

// stdErr returns the standard error of θ by the delta method (the infinitesimal
// jackknife, with the R-1 of a sample variance):
//
//	se² = Σᵣ Uᵣ² / (R(R-1)).
func (c contrast) stdErr() float64 {
	n := float64(len(c.ratios))
	var sum float64
	for _, z := range c.ratios {
		u := vec.Dot(c.weights, z)
		sum += float64(u * u)
	}
	return math.Sqrt(sum / float64(n*(n-1)))
}

// size returns the number of replicates.
func (c contrast) size() int { return len(c.ratios) }

// A bundle is one or more contrasts of the same replicates. A sample is drawn for all of them.
// Its means and their logarithms are computed once for contrasts of the same ratios, which follow
// one another.
type bundle []contrast

// shares reports whether two contrasts are of the same ratios.
func (c contrast) shares(other contrast) bool { return &c.ratios[0] == &other.ratios[0] }

// size implements [statistic].
func (b bundle) size() int { return b[0].size() }

// stdErrs implements [statistic].
func (b bundle) stdErrs() []float64 {
	out := make([]float64, len(b))
	for i, c := range b {
		out[i] = c.stdErr()
	}
	return out
}

// evaluator implements [statistic]. Where a mean is not positive no θ exists.
func (b bundle) evaluator() evaluator {
	size := float64(b.size())
	points := 0
	for _, c := range b {
		points = max(points, len(c.weights))
	}
	means, logs, scaled := make([]float64, points), make([]float64, points), make([]float64, points)
	return func(counts []int, delta, stdErr []float64) {
		for i, c := range b {
			if i == 0 || !c.shares(b[i-1]) {
				n := len(c.weights)
				means, logs, scaled = means[:n], logs[:n], scaled[:n]
				weightedMeans(means, c.ratios, counts)
				logarithmsOf(logs, means)
			}
			if math.IsNaN(logs[0]) {
				delta[i], stdErr[i] = math.NaN(), math.NaN()
				continue
			}
			var change, sum float64
			for k, m := range means {
				change += float64(c.weights[k] * logs[k])
				scaled[k] = c.weights[k] / m
			}
			for r, count := range counts {
				if count > 0 {
					u := vec.Dot(scaled, c.ratios[r])
					sum += float64(float64(count) * float64(u*u))
				}
			}
			delta[i], stdErr[i] = change, math.Sqrt(sum/float64(size*(size-1)))
		}
	}
}

// logarithmsOf sets logs to the logarithms of means, and the first one to NaN if a mean is not
// positive.
func logarithmsOf(logs, means []float64) {
	if slices.Min(means) <= 0 {
		logs[0] = math.NaN()
		return
	}
	for k, m := range means {
		logs[k] = vec.Log(m)
	}
}

// weightedMeans sets means to the column means of the sample that has row r counts[r] times.
func weightedMeans(means []float64, rows [][]float64, counts []int) {
	weightedSums(means, rows, counts)
	n := float64(len(counts))
	for k := range means {
		means[k] /= n
	}
}

// weightedSums sets sums to the column sums of the rows, each multiplied by its weight.
func weightedSums(sums []float64, rows [][]float64, weights []int) {
	clear(sums)
	for r, weight := range weights {
		if weight != 0 {
			vec.AxpyLong(sums, float64(weight), rows[r])
		}
	}
}

// A meanStatistic is the mean of one number per replicate. The deviations from the mean are kept.
type meanStatistic struct {
	deviations []float64
}

// newMeanStatistic returns the statistic of values, and their mean.
func newMeanStatistic(values []float64) (m meanStatistic, mean float64) {
	n := float64(len(values))
	mean = vec.Sum(values) / n
	m.deviations = slices.Clone(values)
	floats.AddConst(-mean, m.deviations)
	return m, mean
}

// size implements [statistic].
func (m meanStatistic) size() int { return len(m.deviations) }

// stdErrs implements [statistic].
func (m meanStatistic) stdErrs() []float64 {
	n := float64(len(m.deviations))
	return []float64{math.Sqrt(vec.Dot(m.deviations, m.deviations) / float64(n*(n-1)))}
}

// evaluator implements [statistic].
func (m meanStatistic) evaluator() evaluator {
	n := float64(len(m.deviations))
	return func(counts []int, delta, stdErr []float64) {
		var change, sum float64
		for r, count := range counts {
			change += float64(float64(count) * m.deviations[r])
		}
		change /= n
		for r, count := range counts {
			d := m.deviations[r] - change
			sum += float64(float64(count) * float64(d*d))
		}
		delta[0], stdErr[0] = change, math.Sqrt(sum/float64(n*(n-1)))
	}
}

// A statistic is what can be resampled: numbers that are computed from replicates. It is
// a [bundle] or a [meanStatistic].
type statistic interface {
	size() int          // the number of replicates
	stdErrs() []float64 // the standard errors of the numbers
	evaluator() evaluator
}

// An evaluator sets the changes of the numbers of a statistic in the sample with these counts of
// the replicates, and their standard errors in that sample. Both are NaN where a number does not
// exist.
type evaluator func(counts []int, delta, stdErr []float64)

// resample draws bootstrap samples of whole replicates, and evaluates so many numbers in each. In
// sample b number i changes by delta[i][b] and has the standard error stdErr[i][b].
func resample(evaluate evaluator, numbers, replicates, samples int, src *rand.PCG) (delta,
	stdErr [][]float64) {
	rng, counts := rand.New(src), make([]int, replicates)
	delta, stdErr = make([][]float64, numbers), make([][]float64, numbers)
	for i := range numbers {
		delta[i], stdErr[i] = make([]float64, samples), make([]float64, samples)
	}
	change, spread := make([]float64, numbers), make([]float64, numbers)
	for b := range samples {
		clear(counts)
		for range counts {
			counts[rng.IntN(len(counts))]++
		}
		evaluate(counts, change, spread)
		for i := range numbers {
			delta[i][b], stdErr[i][b] = change[i], spread[i]
		}
	}
	return delta, stdErr
}

// seeded returns a generator whose seed is a hash of the data. The rows have to
// be in canonical order.
func seeded(t []float64, rows [][]float64) *rand.PCG {
	buf := make([]byte, 0, 8*(len(t)*(len(rows)+1)+2))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(len(rows)))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(len(t)))
	for _, v := range t {
		buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
	}
	for _, y := range rows {
		for _, v := range y {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v+0)) // -0 and 0 alike
		}
	}
	sum := sha256.Sum256(buf)
	return rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))
}
