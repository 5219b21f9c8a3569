package stats

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

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

// stdErr is the standard error of θ by the delta method (the infinitesimal
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

// size is the number of replicates.
func (c contrast) size() int { return len(c.ratios) }

// mover returns the function that resample calls. It returns the change of θ in
// the sample with these counts of the replicates, and the standard error of θ in
// that sample. Where a mean is not positive θ does not exist, and both are NaN.
func (c contrast) mover() func(counts []int) (delta, stdErr float64) {
	size := float64(len(c.ratios))
	means := make([]float64, len(c.weights))
	scaled := make([]float64, len(c.weights))
	return func(counts []int) (delta, stdErr float64) {
		c.weightedMeans(means, counts)
		if slices.Min(means) <= 0 {
			return math.NaN(), math.NaN()
		}
		for k, m := range means {
			delta += float64(c.weights[k] * vec.Log(m))
			scaled[k] = c.weights[k] / m
		}
		var sum float64
		for r, count := range counts {
			if count > 0 {
				u := vec.Dot(scaled, c.ratios[r])
				sum += float64(float64(count) * float64(u*u))
			}
		}
		return delta, math.Sqrt(sum / float64(size*(size-1)))
	}
}

func (c contrast) weightedMeans(means []float64, counts []int) {
	clear(means)
	for r, count := range counts {
		if count == 0 {
			continue
		}
		weight := float64(count)
		z := c.ratios[r][:len(means)]
		for k := range means {
			means[k] += float64(weight * z[k])
		}
	}
	n := float64(len(counts))
	for k := range means {
		means[k] /= n
	}
}

// A level is the mean of one number per replicate. The deviations from the mean
// are kept.
type level struct {
	deviations []float64
}

// newLevel returns the level of values, and their mean.
func newLevel(values []float64) (l level, mean float64) {
	n := float64(len(values))
	mean = vec.Sum(values) / n
	l.deviations = make([]float64, len(values))
	for r, v := range values {
		l.deviations[r] = v - mean
	}
	return l, mean
}

func (l level) size() int { return len(l.deviations) }

func (l level) stdErr() float64 {
	n := float64(len(l.deviations))
	return math.Sqrt(vec.Dot(l.deviations, l.deviations) / float64(n*(n-1)))
}

func (l level) mover() func(counts []int) (delta, stdErr float64) {
	n := float64(len(l.deviations))
	return func(counts []int) (delta, stdErr float64) {
		for r, count := range counts {
			delta += float64(float64(count) * l.deviations[r])
		}
		delta /= n
		var sum float64
		for r, count := range counts {
			d := l.deviations[r] - delta
			sum += float64(float64(count) * float64(d*d))
		}
		return delta, math.Sqrt(sum / float64(n*(n-1)))
	}
}

// A statistic is what can be resampled: a contrast or a level.
type statistic interface {
	size() int
	stdErr() float64
	mover() func(counts []int) (delta, stdErr float64)
}

// resample draws bootstrap samples of whole replicates. In sample b the statistic
// changes by delta[b] and has the standard error stdErr[b].
func resample(s statistic, samples int, src rand.Source) (delta, stdErr []float64) {
	rng := rand.New(src)
	counts := make([]int, s.size())
	move := s.mover()
	if s.size() <= fewReplicates {
		move = remembered(move)
	}
	delta = make([]float64, samples)
	stdErr = make([]float64, samples)
	for b := range delta {
		clear(counts)
		for range counts {
			counts[rng.IntN(len(counts))]++
		}
		delta[b], stdErr[b] = move(counts)
	}
	return delta, stdErr
}

// fewReplicates have few resamples: 126 different ones of 5 replicates, and 6435 of
// 8, so that most are drawn more than once.
const fewReplicates = 8

// remembered calls f once for all equal counts, which are at most fewReplicates.
func remembered(f func(counts []int) (delta, stdErr float64)) func(counts []int) (delta, stdErr float64) {
	known := make(map[uint64][2]float64)
	return func(counts []int) (delta, stdErr float64) {
		var code uint64
		for _, n := range counts {
			code = code*(fewReplicates+1) + uint64(n)
		}
		v, ok := known[code]
		if !ok {
			v[0], v[1] = f(counts)
			known[code] = v
		}
		return v[0], v[1]
	}
}

// seeded returns a generator whose seed is a hash of the data. The rows have to
// be in canonical order.
func seeded(t []float64, rows [][]float64) rand.Source {
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
