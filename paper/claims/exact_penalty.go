package claims

import (
	"fmt"

	"ocobench/convex/vec"
)

// Claim 8 (Lemma 1): with a Slater point there is a γ_0 such that F = f + γH, H the sum of the
// hinges, is at least f* on D for all γ ≥ γ_0, with equality only on X*. A value of F below f*
// refutes it.
//
//   - curve: on a D that is not convex there is one for every γ.
//   - minimisers, points: on random convex programs, at the minimiser of F and at points outside
//     of X, there must be none, and H/|G| must be at most F − f*, from which equality on X*
//     alone follows.
var exactPenalty = checks{
	"minimisers": func(l *Lab) (Finding, error) { return penaltyMinimisers(l, 1) },
	"points":     func(l *Lab) (Finding, error) { return penaltyPoints(l, 1) },
	"curve": func(*Lab) (Finding, error) {
		none := true
		for gamma := 1.; gamma <= 1<<30; gamma *= 2 {
			none = none && leastOnCurve(gamma) < 0
		}
		return Finding{Outcome: refutesIf(none),
			Text: `$F(s,s^2) = -s+\gamma s^2$ is $-1/(4\gamma) < f^*$ at $s=1/(2\gamma)$ for every $\gamma = 1, 2, 4, \dots, 2^{30}$`}, nil
	},
}

// leastOnCurve returns the least value of F(s, s²) = −s + γs² over 0 ≤ s ≤ 1, for γ ≥ ½: that
// at s = 1/(2γ), which is −1/(4γ).
func leastOnCurve(gamma float64) float64 {
	s := 1 / (2 * gamma)
	return -s + float64(gamma*s*s)
}

// eachProgram calls look with random programs, the same for every caller.
func (l *Lab) eachProgram(look func(k int, p *program) error) (int, error) {
	rng := l.Rand("programs")
	n := l.Repeat(400)
	for k := range n {
		p, err := drawProgram(rng)
		if err == nil {
			err = look(k+1, p)
		}
		if err != nil {
			return n, fmt.Errorf("program %d: %w", k+1, err)
		}
	}
	return n, nil
}

// penaltyMinimisers compares F with f* at its minimisers over D with γ = γ_0, 2γ_0 and 100γ_0,
// times scale; a test of the check passes a scale that is too small.
func penaltyMinimisers(l *Lab, scale float64) (Finding, error) {
	var below, outside Worst
	n, err := l.eachProgram(func(k int, p *program) error {
		x := make([]float64, len(p.z))
		for _, factor := range []float64{1, 2, 100} {
			cert, err := p.minimizePenalised(float64(scale*factor)*p.threshold(p.margin), x)
			if err != nil {
				return err
			}
			below.Add((p.least-cert.Value)/p.tol, "program %d", k)
			outside.Add(p.hinges(x)/(p.margin*(max(0, cert.Value-p.least)+p.tol)), "program %d", k)
		}
		return nil
	})
	return Finding{
		Outcome: refutesIf(!(below.Ratio <= 1 && outside.Ratio <= 1)),
		Text: fmt.Sprintf("in %d random programs, the least value of $F$ is %s $f^*$ by more than "+
			"certified gaps, and its minimiser is %s $X$ up to them", n,
			map[bool]string{true: "never below", false: "sometimes below"}[below.Ratio <= 1],
			map[bool]string{true: "always in", false: "not always in"}[outside.Ratio <= 1]),
	}.withWorst(&below, &outside), err
}

// penaltyPoints compares H/|G| with F − f* at points outside of X with γ = scale·γ_0. Points are
// drawn on segments from the minimiser of F, half of them within 5 % of it, where the bound is
// tightest.
func penaltyPoints(l *Lab, scale float64) (Finding, error) {
	var worst Worst
	rng := l.Rand("exact-penalty points")
	_, err := l.eachProgram(func(k int, p *program) error {
		gamma, solution := scale*p.threshold(p.margin), make([]float64, len(p.z))
		if _, err := p.minimizePenalised(gamma, solution); err != nil {
			return err
		}
		for range 50 {
			x := drawPoint(rng, p.set)
			near := vec.Exp(-6 * rng.Float64()) // the share of the way to x, from 1 to e^(−6)
			for i := range x {
				x[i] = solution[i] + float64(near*(x[i]-solution[i]))
			}
			if h := p.hinges(x); h > 1e-3 { // nearer, certified gaps outweigh the ratio
				worst.Add(h/p.margin/(p.f.Value(x)+float64(gamma*h)-p.least+p.tol), `a point of program %d`, k)
			}
		}
		return nil
	})
	f := worst.Finding("", exact)
	f.Text = fmt.Sprintf(`at points outside of $X$, $H$ reaches %.4g times $|G|(F-f^*)$, which bounds it, at %s`, worst.Ratio, worst.At)
	return f, err
}
