package analysis

import (
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/game"
)

// Algorithms may play the same games: two values of a parameter that never matters, or two
// projections onto a set that is never left. Equal games count once in ranks and in families of
// hypotheses.

// distinctGames returns for each pair the index of the first pair with equal games, bit for bit,
// which may be its own, and the number n of pairs that are the first.
func distinctGames(pairs []*Pair) (first []int, n int) {
	for i, p := range pairs {
		firstEqual := i
		for k := range i {
			if first[k] == k && haveEqualGames(pairs[k], p) {
				firstEqual = k
				break
			}
		}
		if first = append(first, firstEqual); firstEqual == i {
			n++
		}
	}
	return first, n
}

// haveEqualGames reports whether two pairs have the same means along t and the same final values in
// every replicate, by all metrics, bit for bit. A metric on request is compared where both have it.
func haveEqualGames(p, q *Pair) bool {
	if p.Problem != q.Problem || p.Deterministic != q.Deterministic ||
		len(p.Series) != len(q.Series) {
		return false
	}
	played := false
	for m, a := range p.Series {
		b := q.Series[m]
		if onlyOneMeasured(m, a, b) {
			continue
		}
		if b == nil || a.State != b.State || !haveSameBits(a.Finals, b.Finals) ||
			!haveSameBits(a.Mean.Value, b.Mean.Value) {
			return false
		}
		played = played || a.Known() && slices.ContainsFunc(a.Finals, Number.Defined)
	}
	return played
}

// Equal lists algorithms whose games on a problem are equal bit for bit: two or more, in the order
// of the experiment. They count once in ranks and in the joint sign flips of comparisons.
type Equal struct {
	Problem    string   `json:"problem"` // SPECs
	Algorithms []string `json:"algorithms"`
}

// equalAlgorithms returns the groups of algorithms with equal games on a problem, for every
// problem.
func (a *Analysis) equalAlgorithms() []Equal {
	all := []Equal{}
	for _, problem := range a.Problems {
		pairs := a.pairsOn(problem.Spec)
		first, _ := distinctGames(pairs)
		for i := range pairs {
			var specs []string
			for k, p := range pairs {
				if first[k] == i {
					specs = append(specs, p.Algorithm)
				}
			}
			if len(specs) > 1 {
				all = append(all, Equal{problem.Spec, specs})
			}
		}
	}
	return all
}

// onlyOneMeasured reports whether a metric on request was recorded for only one of two pairs.
func onlyOneMeasured(name algorithms.Metric, a, b *Series) bool {
	m, _ := game.MetricNamed(name)
	return m.OnRequest && b != nil && (a.State == Missing) != (b.State == Missing)
}

// haveSameBits reports whether numbers have the same bits. Two undefined numbers do.
func haveSameBits(a, b []Number) bool {
	return slices.EqualFunc(a, b, func(x, y Number) bool {
		return math.Float64bits(float64(x)) == math.Float64bits(float64(y)) ||
			!x.Defined() && !y.Defined()
	})
}
