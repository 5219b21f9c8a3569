package stats

import (
	"cmp"
	"math"
	"slices"

	"ocobench/convex/vec"
)

// Most resamples are near: fewer of their own standard errors away from the estimate than
// Student's interval reaches, which is part of the hull. How far they are changes no interval, and
// no p-value of a hypothesis that is farther away. That a sample is near is certain without its
// logarithms, and with some of its replicates.

// A screen tells which samples are near, in contrasts of logarithms of the same means,
//
//	θ* − θ = Σₖ wₖ log rₖ,    rₖ = ȳ*ₖ/ȳₖ.
//
// With s = (r−1)/(r+1),
//
//	log r = 2s + ⅔s³ + e,    |e| ≤ ½|s|⁵ for |s| ≤ ⅓,
//
// and the squared influences of some replicates are at most those of all.
type screen struct {
	near    float64     // in standard errors
	upwards bool        // lower is near, however far
	most    []float64   // how much each θ may rise in a sample that is near
	weights [][]float64 // of each θ
	sizes   []float64   // Σₖ |wₖ| of each
	order   []int       // of the replicates, those with large influences first

	logs, scaled []float64
}

// newScreen has these influences of every replicate on each θ in the data.
func newScreen(near float64, weights, influences [][]float64) *screen {
	s := &screen{near: near, weights: weights, sizes: make([]float64, len(weights)),
		most: slices.Repeat([]float64{math.Inf(1)}, len(weights)),
		logs: make([]float64, len(weights[0])), scaled: make([]float64, len(weights[0]))}
	share := make([]float64, len(influences[0]))
	for i, of := range influences {
		for _, w := range weights[i] {
			s.sizes[i] += math.Abs(w)
		}
		total := vec.Dot(of, of)
		for r, u := range of {
			share[r] = max(share[r], float64(u*u)/total)
		}
	}
	for r := range share {
		s.order = append(s.order, r)
	}
	slices.SortFunc(s.order, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	return s
}

// certain reports whether it is certain that a sample is near, which has these means, relative to
// those of the data, and these counts of the replicates. Row(i) is what replicate i contributes to
// the means. The margins are far above rounding errors.
func (s *screen) certain(means, r []float64, counts []int, row func(i int) []float64) bool {
	const margin = 1e-9
	largest := 0.0
	for k, m := range r {
		x := (m - 1) / (m + 1)
		square := float64(x * x)
		s.logs[k] = float64(x * (2 + float64(square*(2./3))))
		largest = max(largest, square)
	}
	if !(largest <= 1./9) {
		return false
	}
	off := float64(float64(largest*largest)*math.Sqrt(largest)*0.5) + margin
	n := float64(len(counts))
	for i, w := range s.weights {
		change, reach := vec.Dot(w, s.logs), float64(off*s.sizes[i])
		switch {
		case !(change+reach <= s.most[i]):
			return false
		case s.upwards && change+reach < 0:
			continue
		}
		least := max((math.Abs(change)+reach)/s.near, margin)
		enough := float64(float64(float64(least*least)*float64(n*(n-1))) * (1 + margin))
		for k, m := range means {
			s.scaled[k] = w[k] / m
		}
		sum := 0.0
		for _, j := range s.order {
			if counts[j] == 0 {
				continue
			}
			u := vec.Dot(s.scaled, row(j))
			if sum += float64(float64(counts[j]) * float64(u*u)); sum > enough {
				break
			}
		}
		if !(sum > enough) {
			return false
		}
	}
	return true
}
