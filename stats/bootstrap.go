package stats

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	mathbits "math/bits"
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

// A bundle is one or more contrasts of the same replicates. A sample is drawn for all of them.
// Its means and their logarithms are computed once for contrasts of the same ratios, which follow
// one another.
type bundle []contrast

// shares reports whether two contrasts are of the same ratios.
func (c contrast) shares(other contrast) bool { return &c.ratios[0] == &other.ratios[0] }

func (b bundle) size() int { return b[0].size() }

func (b bundle) stdErrs() []float64 {
	out := make([]float64, len(b))
	for i, c := range b {
		out[i] = c.stdErr()
	}
	return out
}

// mover implements [statistic]. Where a mean is not positive no θ exists.
func (b bundle) mover() func(counts []int, delta, stdErr []float64) {
	size := float64(b.size())
	points := 0
	for _, c := range b {
		points = max(points, len(c.weights))
	}
	means, logs, scaled := make([]float64, points), make([]float64, points), make([]float64, points)
	drawn := make([]int, 0, b.size())
	return func(counts []int, delta, stdErr []float64) {
		drawn = present(drawn, counts)
		for i, c := range b {
			if i == 0 || !c.shares(b[i-1]) {
				n := len(c.weights)
				means, logs, scaled = means[:n], logs[:n], scaled[:n]
				weightedMeans(means, c.ratios, counts, drawn)
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
			for _, r := range drawn {
				u := vec.Dot(scaled, c.ratios[r])
				sum += float64(float64(counts[r]) * float64(u*u))
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

// present returns the rows with a count, in the memory of drawn.
func present(drawn, counts []int) []int {
	drawn = drawn[:len(counts)]
	n := 0
	for r, count := range counts { // no branch, which would be guessed wrong
		drawn[n] = r
		n += min(count, 1)
	}
	return drawn[:n]
}

// weightedMeans sets means to those of the columns of a sample with these rows.
func weightedMeans(means []float64, rows [][]float64, counts, drawn []int) {
	weightedSums(means, rows, counts, drawn)
	n := float64(len(counts))
	for k := range means {
		means[k] /= n
	}
}

// weightedSums sets sums to those of the columns, of the chosen rows with these weights. A sum is
// read and written once for four rows, which are added in their order.
func weightedSums(sums []float64, rows [][]float64, weights, chosen []int) {
	clear(sums)
	for ; len(chosen) >= 4; chosen = chosen[4:] {
		a, b, c, d := chosen[0], chosen[1], chosen[2], chosen[3]
		wa, wb, wc, wd := float64(weights[a]), float64(weights[b]), float64(weights[c]),
			float64(weights[d])
		za, zb, zc, zd := rows[a][:len(sums)], rows[b][:len(sums)], rows[c][:len(sums)],
			rows[d][:len(sums)]
		for k, sum := range sums {
			sum += float64(wa * za[k])
			sum += float64(wb * zb[k])
			sum += float64(wc * zc[k])
			sums[k] = sum + float64(wd*zd[k])
		}
	}
	for _, r := range chosen {
		weight := float64(weights[r])
		z := rows[r][:len(sums)]
		for k := range sums {
			sums[k] += float64(weight * z[k])
		}
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
	l.deviations = slices.Clone(values)
	floats.AddConst(-mean, l.deviations)
	return l, mean
}

func (l level) size() int { return len(l.deviations) }

func (l level) stdErrs() []float64 {
	n := float64(len(l.deviations))
	return []float64{math.Sqrt(vec.Dot(l.deviations, l.deviations) / float64(n*(n-1)))}
}

func (l level) mover() func(counts []int, delta, stdErr []float64) {
	n := float64(len(l.deviations))
	return func(counts []int, delta, stdErr []float64) {
		var change, sum float64
		for r, count := range counts {
			change += float64(float64(count) * l.deviations[r])
		}
		change /= n
		for r, count := range counts {
			d := l.deviations[r] - change
			sum += float64(float64(count) * float64(d*d))
		}
		delta[0], stdErr[0] = change, math.Sqrt(sum/float64(n*(n-1)))
	}
}

// A statistic is what can be resampled: numbers that are computed from replicates. It is
// a [bundle], or a [level].
type statistic interface {
	size() int          // the number of replicates
	stdErrs() []float64 // the standard errors of the numbers
	// mover returns the function that resample calls. It sets the changes of the
	// numbers in the sample with these counts of the replicates, and their standard
	// errors in that sample; both are NaN where a number does not exist.
	mover() func(counts []int, delta, stdErr []float64)
}

// resample draws bootstrap samples of whole replicates. In sample b number i of the
// statistic changes by delta[i][b] and has the standard error stdErr[i][b].
func resample(s statistic, samples int, src *rand.PCG) (delta, stdErr [][]float64) {
	drawn, counts := make([]int, s.size()), make([]int, s.size())
	move := s.mover()
	if s.size() <= fewReplicates {
		move = remembered(move)
	}
	numbers := len(s.stdErrs())
	delta, stdErr = make([][]float64, numbers), make([][]float64, numbers)
	for i := range numbers {
		delta[i], stdErr[i] = make([]float64, samples), make([]float64, samples)
	}
	change, spread := make([]float64, numbers), make([]float64, numbers)
	for b := range samples {
		draw(src, drawn)
		clear(counts)
		for _, r := range drawn {
			counts[r]++
		}
		move(counts, change, spread)
		for i := range numbers {
			delta[i][b], stdErr[i][b] = change[i], spread[i]
		}
	}
	return delta, stdErr
}

// draw sets drawn to as many draws of IntN of [rand.Rand] from its length, without a call for each.
func draw(src *rand.PCG, drawn []int) {
	n := uint64(len(drawn))
	if n&(n-1) == 0 {
		for i := range drawn {
			drawn[i] = int(src.Uint64() & (n - 1))
		}
		return
	}
	least := -n % n
	for i := range drawn {
		hi, lo := mathbits.Mul64(src.Uint64(), n)
		for lo < least {
			hi, lo = mathbits.Mul64(src.Uint64(), n)
		}
		drawn[i] = int(hi)
	}
}

// fewReplicates have few resamples: 126 different ones of 5 replicates, and 6435 of
// 8, so that most are drawn more than once.
const fewReplicates = 8

// remembered calls f once for all equal counts, which are at most fewReplicates.
func remembered(f func(counts []int, delta, stdErr []float64)) func(counts []int, delta,
	stdErr []float64) {
	type moved struct{ delta, stdErr []float64 }
	known := make(map[uint64]moved)
	return func(counts []int, delta, stdErr []float64) {
		var code uint64
		for _, n := range counts {
			code = code*(fewReplicates+1) + uint64(n)
		}
		v, ok := known[code]
		if !ok {
			f(counts, delta, stdErr)
			known[code] = moved{slices.Clone(delta), slices.Clone(stdErr)}
			return
		}
		copy(delta, v.delta)
		copy(stdErr, v.stdErr)
	}
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
