package claims

import (
	"fmt"
	"math"
	"slices"
)

// Claim 41: with i.i.d. draws |p̂_τ − p| ≤ 1/√τ with high probability, by Chebyshev's inequality,
// so that Condition 3, which is about all τ, holds with high probability. For a fair coin
// Chebyshev gives at least 3/4 at a single τ. The check computes the probability that the bound
// holds in all rounds from 101 to t; if it falls from decade to decade and is below 3/4 at t =
// 10⁵, the claim is refuted.
var iidConvergence = checks{
	"coin": func(l *Lab) (Finding, error) { return coinConvergence(l, 1) },
}

// coinStart is the last round in which the bound need not hold.
const coinStart = 100

// coinConvergence checks the bound c/√τ on averages of coin flips; that of the claim has c = 1.
// Random walks test the recursion: a share of them more than 4 standard errors away makes the check
// undecided.
func coinConvergence(l *Lab, c int) (Finding, error) {
	marks := []int{1000, 10000, 100000}
	kept := coinKept(c, marks)
	walks, stayed := l.Repeat(1000), 0
	rng := l.Rand("coin")
	for range walks {
		w := 0 // 2·heads − τ
		for tau := 1; ; tau++ {
			w += 2*rng.IntN(2) - 1
			if tau > coinStart && !coinWithin(c, w, tau) {
				break
			}
			if tau == marks[1] {
				stayed++
				break
			}
		}
	}
	share := float64(stayed) / float64(walks)
	if math.Abs(share-kept[1]) > 4*math.Sqrt(kept[1]*(1-kept[1])/float64(walks)) {
		return Finding{Outcome: Undecided, Text: fmt.Sprintf("of %d walks a share of %.3g keeps the "+
			"bound, and by recursion %.3g", walks, share, kept[1])}, nil
	}
	return Finding{
		Outcome: refutesOr(kept[2] < 0.75 && kept[2] < kept[1] && kept[1] < kept[0], Undecided),
		Text: fmt.Sprintf(`a fair coin keeps $|\hat{p}_\tau-\tfrac{1}{2}|\le%d/\sqrt{\tau}$ from $\tau=101$ to $10^3$ with probability %.3f, to $10^4$ with %.3f and to $10^5$ with %.3f; of %d walks to $10^4$ %d keep it`,
			c, kept[0], kept[1], kept[2], walks, stayed),
		Values: []Value{{"kept-1000", kept[0]}, {"kept-10000", kept[1]}, {"kept-100000", kept[2]}},
	}, nil
}

// coinWithin reports whether |p̂_τ − ½| ≤ c/√τ, that is |w| ≤ 2c√τ, where w = 2·heads − τ.
func coinWithin(c, w, tau int) bool { return w*w <= 4*c*c*tau }

// coinKept returns, for each of the marks, the probability that a fair coin keeps |p̂_τ − ½| ≤
// c/√τ in all rounds from coinStart + 1 to the mark. It is exact up to rounding: a recursion over
// the rounds carries the distribution of w = 2·heads − τ, and drops what leaves the bound.
func coinKept(c int, marks []int) (kept []float64) {
	last := marks[len(marks)-1]
	// The largest |w| in a round is coinStart, or that of the bound in the last round. One cell more
	// on each side, which stays 0, is a neighbour of these.
	reach := max(coinStart, int(float64(2*c)*sqrt(last))) + 1
	// p[reach+w] is the probability of w and of having kept the bound so far.
	p, next := make([]float64, 2*reach+1), make([]float64, 2*reach+1)
	p[reach] = 1
	for tau := 1; tau <= last; tau++ {
		sum := 0.
		for w := 1 - reach; w < reach; w++ {
			v := 0.
			if tau <= coinStart || coinWithin(c, w, tau) {
				v = (p[reach+w-1] + p[reach+w+1]) / 2
			}
			next[reach+w] = v
			sum += v
		}
		p, next = next, p
		if slices.Contains(marks, tau) {
			kept = append(kept, sum)
		}
	}
	return kept
}
