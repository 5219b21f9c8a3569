package claims

import (
	"fmt"
	"math"
)

// Claim 43: where a function is visited with period T, |p̂_τ − 1/T| ≤ 1/τ, so that Condition 3
// holds and with it regret and violation O(√t). A frequency further away, or values above the
// bounds at [convergence], refute it, and so does a function of period 1 without a Slater point.
// Beside it, for patterns that visit a function several times a period P, 1/τ is replaced by
// P/(4τ).
var periodic = checks{
	"no-slater": familyWithoutSlater,
	"visits":    periodicVisits,
	"patterns":  periodicPatterns,
	"bounds":    periodicBounds,
}

// frequencyError returns the largest τ·|p̂_τ − visits/period| over τ ≤ rounds, where p̂_τ is the
// share of the rounds 1, …, τ in which visited is true.
func frequencyError(rounds, visits, period int, visited func(i int) bool) (most float64) {
	n := 0
	for tau := 1; tau <= rounds; tau++ {
		if visited(tau) {
			n++
		}
		// exact in integers but for the last division
		difference := n*period - tau*visits
		most = max(most, math.Abs(float64(difference))/float64(period))
	}
	return most
}

// periodicVisits checks one visit a period, for all periods to 40 and all offsets.
func periodicVisits(*Lab) (Finding, error) {
	var worst Worst
	for period := 1; period <= 40; period++ {
		for offset := 1; offset <= period; offset++ {
			worst.Add(frequencyError(2000, 1, period, func(i int) bool { return i%period == offset%period }),
				"period %d with offset %d", period, offset)
		}
	}
	return worst.Finding(`with the bound $1/\tau$ and all periods to 40, $|\hat{p}_\tau-1/T|$ is`,
		exact), nil
}

// periodicPatterns checks drawn patterns. A quarter of them visit the first half of the period, the
// case that P/(4τ) is sharp for.
func periodicPatterns(l *Lab) (Finding, error) {
	var worst Worst
	rng, largest := l.Rand("patterns"), 0. // τ·|p̂_τ − p|
	n := l.Repeat(500)
	for range n {
		period := 2 + rng.IntN(40)
		pattern, visits := make([]bool, period), 0 // pattern[i]: round i+1 of a period visits
		clustered := rng.IntN(4) == 0
		for i := range pattern {
			if pattern[i] = rng.IntN(2) == 0; clustered {
				pattern[i] = i < period/2
			}
			if pattern[i] {
				visits++
			}
		}
		most := frequencyError(2000, visits, period, func(i int) bool { return pattern[(i-1)%period] })
		largest = max(largest, most)
		worst.Add(4*most/float64(period), "a pattern of period %d with %d visits", period, visits)
	}
	return worst.Finding(fmt.Sprintf(`of %d patterns the worst is off by $%.3g/\tau$, more than $1/\tau$; $|\hat{p}_\tau-p|$ is`, n, largest), rounding), nil
}

// periodicBounds checks the bounds of Penalised FTRL on periodic families.
func periodicBounds(l *Lab) (Finding, error) {
	return boundsToLimit(l, "periodic families", 10, []float64{3, 25}, "periodic:dim=1")
}
