package stats

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/problems/convex/vec"
)

// A contrast is a weighted sum of the logarithms of column means,
//
//	θ(ȳ) = Σₖ wₖ log ȳₖ,    Σₖ wₖ = 0,
//
// of which the slope of log ȳ on log t is one. The replicates are kept as
// ratios z[r][k] = y[r][k] / ȳₖ, of which the resampled means m give the
// change of θ directly,
//
//	θ(ȳ*) − θ(ȳ) = Σₖ wₖ log mₖ,
//
// and replicate r has the influence Uᵣ = Σₖ wₖ z[r][k] on θ. Nothing here
// depends on the scale of y.
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

// resample draws len(delta) bootstrap samples of whole replicates. Sample b
// moves θ by delta[b] and has the standard error stdErr[b]; where one of its
// means is not positive θ does not exist, and both are NaN.
func (c contrast) resample(delta, stdErr []float64, src rand.Source) {
	rng := rand.New(src)
	n := len(c.ratios)
	size := float64(n)
	counts := make([]int, n)
	means := make([]float64, len(c.weights))
	scaled := make([]float64, len(c.weights))
	for b := range delta {
		clear(counts)
		for range n {
			counts[rng.IntN(n)]++
		}
		c.weightedMeans(means, counts)
		if slices.Min(means) <= 0 {
			delta[b], stdErr[b] = math.NaN(), math.NaN()
			continue
		}
		var moved float64
		for k, m := range means {
			moved += float64(c.weights[k] * vec.Log(m))
			scaled[k] = c.weights[k] / m
		}
		var sum float64
		for r, count := range counts {
			if count > 0 {
				u := vec.Dot(scaled, c.ratios[r])
				sum += float64(float64(count) * float64(u*u))
			}
		}
		delta[b], stdErr[b] = moved, math.Sqrt(sum/float64(size*(size-1)))
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

// negligible is a difference of exponents that rounding can make.
const negligible = 1e-12

// studentised turns resampled changes of an estimate and their standard errors
// into the bootstrap-t interval of the estimate, given as the two distances to
// go down and up from it:
//
//	down = se · q(1-α/2),   up = −se · q(α/2)
//
// with q the quantiles of delta/stdErr. A sample without a value (NaN) might
// have been anything, so it counts as +Inf in the upper quantile and as −Inf
// in the lower: the interval gets wider on both sides, and infinite when more
// than α/2 of the samples are so. undefined is their number. Both slices are
// overwritten.
func studentised(se float64, delta, stdErr []float64, confidence float64) (down, up float64, undefined int) {
	ratios := delta[:0]
	for b, d := range delta {
		switch {
		case math.IsNaN(d):
			undefined++
		case math.Abs(d) <= negligible:
			ratios = append(ratios, 0)
		default:
			ratios = append(ratios, d/stdErr[b])
		}
	}
	slices.Sort(ratios)
	rank := tailRank(len(delta), confidence) - undefined
	if rank < 1 || rank > len(ratios) {
		return math.Inf(1), math.Inf(1), undefined
	}
	low, high := ratios[rank-1], ratios[len(ratios)-rank]
	return float64(se * high), float64(-se * low), undefined
}

// tailRank is the rank, counted from one, of the order statistic among n that
// cuts off the lower tail of a two-sided interval: (n+1)α/2.
func tailRank(n int, confidence float64) int {
	return int(math.Floor(float64(float64(n+1)*(1-confidence)/2) + 1e-9))
}

// seeded returns a generator whose seed is a hash of the data. The rows are to
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
