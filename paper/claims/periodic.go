package claims

import (
	"fmt"
	"math"
)

var periodic = checks{
	"no-slater": familyWithoutSlater,
	"visits":    periodicVisits,
	"patterns":  periodicPatterns,
	"bounds":    periodicBounds,
}

// frequencyError returns the largest τ·|p̂_τ − visits/period| over so many rounds, where round i is
// a visit if visited says so.
func frequencyError(rounds, visits, period int, visited func(i int) bool) (most float64) {
	n := 0
	for tau := 1; tau <= rounds; tau++ {
		if visited(tau) {
			n++
		}
		// exact in integers but for the last division
		apart := n*period - tau*visits
		most = max(most, math.Abs(float64(apart))/float64(period))
	}
	return most
}

func periodicVisits(*Lab) (Finding, error) {
	var worst Worst
	for period := 1; period <= 40; period++ {
		for offset := 1; offset <= period; offset++ {
			worst.See(frequencyError(2000, 1, period, func(i int) bool { return i%period == offset%period }),
				"period %d with offset %d", period, offset)
		}
	}
	return worst.Finding(`with the bound $1/\tau$ and all periods to 40, $|\hat{p}_\tau-1/T|$ is`, 0),
		nil
}

func periodicPatterns(l *Lab) (Finding, error) {
	var worst Worst
	rng, single := l.Rand("patterns"), 0.
	n := l.Repeat(500)
	for range n {
		period := 2 + rng.IntN(40)
		pattern, visits := make([]bool, period), 0
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
		single = max(single, most)
		worst.See(4*most/float64(period), "a pattern of period %d with %d visits", period, visits)
	}
	return worst.Finding(fmt.Sprintf(`of %d patterns the worst is off by $%.3g/\tau$, more than $1/\tau$; $|\hat{p}_\tau-p|$ is`, n, single), 1e-12), nil
}

func periodicBounds(l *Lab) (Finding, error) {
	return boundsToLimit(l, "periodic families", 10, []float64{3, 25}, "periodic:dim=1")
}
