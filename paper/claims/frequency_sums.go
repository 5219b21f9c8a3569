package claims

import (
	"fmt"
	"math"

	"ocobench/convex/vec"
)

// Claim 36: for 0 ≤ c ≤ 1, c·Σ_{τ≤t} τ^(c−1) ≈ t^c, so that E[n_{2,t}] ≈ 0.1t^c in the Example, and
// Σ_{i≤t} i^(−c) ≤ t^(1−c)/(1−c). At c = 0 the first sum is 0 and t^c is 1, which refutes the claim
// (end). For c > 0 the two differ by at most 1, and both sums are computed in every round (inside).
// Beside it, drawn compares counts of the streams with their expectation.
var frequencySums = checks{
	"end":    frequencySumsEnd,
	"inside": frequencySumsInside,
	"drawn":  func(l *Lab) (Finding, error) { return frequencySumsDrawn(l, 0.1) },
}

// frequencySum returns c·Σ_{τ≤t} τ^{c−1}.
func frequencySum(c float64, t int) (sum float64) {
	for tau := 1; tau <= t; tau++ {
		sum += float64(c * vec.Pow(float64(tau), c-1))
	}
	return sum
}

// frequencySumsEnd computes the first sum at the end c = 0 of the interval.
func frequencySumsEnd(*Lab) (Finding, error) {
	const t = 1000
	sum := frequencySum(0, t)
	return Finding{Outcome: refutesIf(sum == 0),
		Text: fmt.Sprintf(`with $c=0$ the sum is %v at $t=%d$, and $t^c=1$`, sum, t)}, nil
}

// frequencySumsInside computes both sums for c = 0.1, …, 1 in every round.
func frequencySumsInside(l *Lab) (Finding, error) {
	var worst Worst
	horizon := l.Repeat(200000)
	share := math.Inf(1)
	for k := 1; k <= 10; k++ {
		c := float64(k) / 10
		var first, second float64
		for t := 1; t <= horizon; t++ {
			n := float64(t)
			power := vec.Pow(n, c) // so that the terms are c·n^c/n and 1/n^c
			first += float64(c*power) / n
			second += 1 / power
			short := power - first // within [1−c, 1)
			slack := float64(1e-9 * power)
			worst.Add(short-slack, `$t=%d$ of $c=%v$, the first sum`, t, c)
			worst.Add((1-c)/(short+slack), `$t=%d$ of $c=%v$, the first sum`, t, c)
			if c < 1 {
				worst.Add(second*(1-c)*power/n, `$t=%d$ of $c=%v$, the second sum`, t, c)
			}
			if t == horizon {
				share = min(share, first/power)
			}
		}
	}
	return worst.Finding(fmt.Sprintf(`at $t=%d$ the first sum is at least %.4g of $t^c$; in every round $1-c\le t^c-c\sum\tau^{c-1}\le1$ and the bound of the second sum are kept: the worst is`, horizon, share), rounding), nil
}

// frequencySumsDrawn compares the number of rounds that reveal x ≤ 0 with share times the first
// sum, its expectation. A mean more than 4 standard errors away refutes; the variance of a count
// is at most its mean.
func frequencySumsDrawn(l *Lab, share float64) (Finding, error) {
	const horizon = 10000
	worstZ, worstC, n := 0., 0., l.Repeat(20)
	for _, c := range []float64{0.5, 0.75, 1} {
		drawn := 0.
		err := l.eachTrial(20, exampleSpecs(1, c), func(p *trial) error {
			o, err := p.playLine("", horizon, nil)
			if err != nil {
				return err
			}
			drawn += o.sumSlope // the slope is 1 in a round that reveals x ≤ 0, and else 0
			return nil
		})
		if err != nil {
			return Finding{}, err
		}
		mean := float64(share * frequencySum(c, horizon))
		if z := (drawn/float64(n) - mean) / math.Sqrt(mean/float64(n)); math.Abs(z) > math.Abs(worstZ) {
			worstZ, worstC = z, c
		}
	}
	return Finding{
		Outcome: refutesIf(math.Abs(worstZ) > 4),
		Text:    fmt.Sprintf(`the means over %d streams are at most %.2g standard errors from $0.1c\sum\tau^{c-1}$, at $c=%v$`, n, math.Abs(worstZ), worstC),
	}, nil
}
