package claims

import (
	"fmt"
	"math"
)

var prefixExactPenalty = Claim{
	Name:  "prefix-exact-penalty",
	Place: "Lemma 6",
	Sentence: `$H=f+\gamma\sum_{i,j} \max(0,\frac{1}{i}\sum_{k\le i} g_k^{(j)})\ge f^*=\min_{\hat{X}^{\max}_t} f$ on $D$ for all $\gamma\ge\gamma_0$, with equality only in $\hat{X}^{\max}_t$; ` +
		`$\gamma_0\ge(f^*-f(z)-1)/(-k_t\eta)$ suffices.`,
	Hypothesis: `$f$ and $g_i^{(j)}$ are convex, $D$ is convex and bounded, and the averages of all prefixes are $<-\eta<0$ at $z\in D$.`,
	Statistic:  `the least $\gamma$ with $H\ge f^*$ on $D$ over the threshold $(f(z)-f^*+1)/(k_t\eta)$, exact up to rounding, for linear $f$ and streams with exact ties; $k_t$ is that of the boundary relative to $D$`,
	Rule:       `a ratio above 1 by more than rounding`,
	Proof: `Let $w\in D$ be outside of $\hat{X}^{\max}_t$, and $v=\theta z+(1-\theta)w$ the last point of the chord from $z$ in $\hat{X}^{\max}_t$. It is in $D$ and on the boundary relative to $D$, so that at least $k_t$ averages are 0 at $v$; let $A$ be these. ` +
		`For $T=f+\gamma\sum_A g$ with such averages $g$: $T(v)=f(v)\ge f^*$, and $T(z)\le f(z)-\gamma k_t\eta\le f^*-1$. By convexity $T(w)\ge T(v)+\frac{\theta}{1-\theta}(T(v)-T(z))>f^*$, ` +
		`and $H(w)\ge T(w)$. Inside, $H=f\ge f^*$. ` +
		`The proof in the paper has $(f^*-f(z)-1)/(k_t\eta)$ in one place, which is negative: a slip of the sign. With the whole boundary in place of that relative to $D$, $k_t$ may be 0, and the threshold infinite.`,
	Cost: "1000 streams × 24 rounds",
	Checks: []Check{{
		Role: Stated,
		What: `random streams of one and of two constraints that recur with a period of up to four rounds, and linear $f$ of random slopes`,
		Run:  func(l *Lab) (Finding, error) { return leastGamma(l, 1) },
	}, {
		Role: Beside,
		What: `the expression as it stands in the proof, $(f^*-f(z)-1)/(k_t\eta)$ with its sign: is the least $\gamma$ below it?`,
		Run:  func(l *Lab) (Finding, error) { return leastGamma(l, -1) },
	}},
}

// leastGamma holds the least γ that suffices against a multiple of the threshold.
func leastGamma(l *Lab, scale float64) (Finding, error) {
	const rounds = 24
	rng := l.Rand("prefix-exact-penalty")
	var worst Worst
	above, looked := 0, 0
	for n := range l.Repeat(1000) {
		p := tied(rng, 1+n%2, rounds)
		steep := float64(rng.IntN(100) - 50)
		f := func(x float64) float64 { return float64(-steep * x) }
		pre := p.prefix()
		for range rounds {
			pre.next()
		}
		k, ok := pre.least(true)
		z, eta := pre.slater()
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
		// The ratio of two functions that are linear between breakpoints is largest at one.
		least := 0.
		at := func(x float64) {
			if outside := x < pre.lo.float() || x > pre.hi.float(); outside && x >= float64(p.lo) && x <= float64(p.hi) && hinges(x) > 1e-9 {
				least = max(least, (best-f(x))/hinges(x))
			}
		}
		at(float64(p.lo))
		at(float64(p.hi))
		for _, s := range pre.sums {
			at(-float64(s[1]) / float64(s[0]))
		}
		looked++
		threshold := scale * (f(z.float()) - best + 1) / float64(float64(k)*eta)
		if scale < 0 {
			if least > threshold {
				above++
			}
			continue
		}
		worst.See(least/threshold, `stream %d, $k_t=%d$ of $t=%d$`, n+1, k, rounds)
	}
	if scale < 0 {
		f := Finding{Outcome: Survives, Text: fmt.Sprintf(`it is below the least $\gamma$ in all of %d streams`, looked)}
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
