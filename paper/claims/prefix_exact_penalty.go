package claims

import (
	"fmt"
	"math"
)

// Claim 19 (Lemma 6): f + γ·Σ_{i,j} hinges of the averages is at least f* = min f over X̂^max_t on
// D for γ ≥ (f(z) − f* + 1)/(k_tη). The check computes the least γ for which that is so, on lines
// with exact ties and linear f; one above the threshold refutes the lemma. Beside it, the
// expression in the paper's proof has the other sign, and the least γ is not below it.
var prefixExactPenalty = checks{
	"least-gamma": func(l *Lab) (Finding, error) { return leastGamma(l, 1) },
	"sign":        func(l *Lab) (Finding, error) { return leastGamma(l, -1) },
}

// leastGamma compares the least γ that suffices with scale times the threshold. A negative scale
// asks how often the least γ is above it.
func leastGamma(l *Lab, scale float64) (Finding, error) {
	const rounds = 24
	rng := l.Rand("prefix-exact-penalty")
	var worst Worst
	above, looked := 0, 0
	for n := range l.Repeat(1000) {
		p := drawTied(rng, 1+n%2, rounds)
		steep := float64(rng.IntN(100) - 50)
		f := func(x float64) float64 { return float64(-steep * x) }
		pre := p.prefix()
		for range rounds {
			pre.next()
		}
		k, ok := pre.leastActive(true)
		z, eta := pre.slaterPoint()
		if !ok || eta <= 0 {
			continue
		}
		best := min(f(pre.lo.float()), f(pre.hi.float()))
		hinges := func(x float64) float64 {
			h := 0.
			for i, s := range pre.sums {
				h += max(0, (float64(float64(s[0])*x)+float64(s[1]))/float64(pre.rounds[i]))
			}
			return h
		}
		// The least γ is the largest (f* − f)/hinges, a ratio of functions that are linear between
		// breakpoints, and so largest at one of these.
		least := 0.
		see := func(x float64) {
			inDomain := x >= float64(p.lo) && x <= float64(p.hi)
			outside := x < pre.lo.float() || x > pre.hi.float()
			if inDomain && outside && hinges(x) > 1e-9 {
				least = max(least, (best-f(x))/hinges(x))
			}
		}
		see(float64(p.lo))
		see(float64(p.hi))
		for _, s := range pre.sums {
			see(-float64(s[1]) / float64(s[0]))
		}
		looked++
		threshold := scale * (f(z.float()) - best + 1) / float64(float64(k)*eta)
		if scale < 0 {
			if least > threshold {
				above++
			}
			continue
		}
		worst.Add(least/threshold, `stream %d, $k_t=%d$ of $t=%d$`, n+1, k, rounds)
	}
	if scale < 0 {
		f := Finding{Outcome: Survives, Text: fmt.Sprintf(
			`it is below the least $\gamma$ in all of %d streams`, looked)}
		if above > 0 {
			f.Outcome = Refutes
			f.Text = fmt.Sprintf(`the expression is negative, and below the least $\gamma$ in %d of %d streams`, above, looked)
		}
		return f, nil
	}
	if math.IsNaN(worst.Ratio) {
		return Finding{}, fmt.Errorf("a threshold is not a number")
	}
	f := worst.Finding("", 1e-9)
	f.Text = fmt.Sprintf(`on %d streams, the least $\gamma$ with $H\ge f^*$ reaches %.4g times the threshold, at %s`, looked, worst.Ratio, worst.At)
	return f, nil
}
