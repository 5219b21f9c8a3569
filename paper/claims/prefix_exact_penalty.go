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
	"sign":        expressionInProof,
}

// leastGamma compares the least γ that suffices with scale times the threshold.
func leastGamma(l *Lab, scale float64) (Finding, error) {
	var worst Worst
	streams := l.eachLeastGamma(func(stream, k int, least, threshold float64) {
		worst.Add(least/(scale*threshold), `stream %d, $k_t=%d$ of $t=%d$`, stream, k, leastGammaRounds)
	})
	if math.IsNaN(worst.Ratio) {
		return Finding{}, fmt.Errorf("a threshold is not a number")
	}
	f := worst.Finding("", rounding)
	f.Text = fmt.Sprintf(`on %d streams, the least $\gamma$ with $H\ge f^*$ reaches %.4g times the threshold, at %s`, streams, worst.Ratio, worst.At)
	return f, nil
}

// expressionInProof counts the streams on which the least γ is above the expression of the proof,
// which is −1 times the threshold.
func expressionInProof(l *Lab) (Finding, error) {
	above := 0
	streams := l.eachLeastGamma(func(_, _ int, least, threshold float64) {
		if least > -threshold {
			above++
		}
	})
	f := Finding{Outcome: Survives, Text: fmt.Sprintf(
		`it is below the least $\gamma$ in all of %d streams`, streams)}
	if above > 0 {
		f.Outcome = Refutes
		f.Text = fmt.Sprintf(`the expression is negative, and below the least $\gamma$ in %d of %d streams`, above, streams)
	}
	return f, nil
}

// leastGammaRounds is the number of rounds of the streams of [Lab.eachLeastGamma].
const leastGammaRounds = 24

// eachLeastGamma calls see with the number of a drawn stream, its k_t, the least γ that suffices
// and the threshold of the lemma. It returns how many streams it has looked at; those without a
// boundary inside of D or without a Slater point are left out.
func (l *Lab) eachLeastGamma(see func(stream, k int, least, threshold float64)) (streams int) {
	rng := l.Rand("prefix-exact-penalty")
	for n := range l.Repeat(1000) {
		p := drawTied(rng, 1+n%2, leastGammaRounds)
		slope := -float64(rng.IntN(100) - 50)
		f := func(x float64) float64 { return float64(slope * x) }
		pre := p.newPrefix()
		for range leastGammaRounds {
			pre.next()
		}
		k, ok := pre.leastActive(relativeBoundary)
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
		// The least γ is the largest (f* − f)/hinges on D outside of X̂^max, a ratio of functions that
		// are linear between breakpoints, and so largest at one of these.
		least := 0.
		visit := func(x float64) {
			inDomain := x >= float64(p.lo) && x <= float64(p.hi)
			outside := x < pre.lo.float() || x > pre.hi.float()
			if inDomain && outside && hinges(x) > 1e-9 {
				least = max(least, (best-f(x))/hinges(x))
			}
		}
		visit(float64(p.lo))
		visit(float64(p.hi))
		for _, s := range pre.sums {
			visit(-float64(s[1]) / float64(s[0]))
		}
		streams++
		see(n+1, k, least, (f(z.float())-best+1)/float64(float64(k)*eta))
	}
	return streams
}
