package claims

import "fmt"

// Claim 18: the least number k_τ of averages that are ≥ 0 at a point of the boundary of X̂^max_τ
// has 1 ≤ k_τ ≤ τ, and k_τ = τ for fixed constraints. A round in which it does not refutes the
// claim. The checks count on lines with small integers ([drawTied]), where ties of averages are
// exact. Two equal fixed constraints give 2τ, and the boundary of D, at which no average need be
// active, gives 0; with one constraint and the boundary relative to D the claim holds.
var activePrefixes = checks{
	"fixed":          func(l *Lab) (Finding, error) { return countActive(l, 2, relativeBoundary) },
	"whole-boundary": func(l *Lab) (Finding, error) { return countActive(l, 1, wholeBoundary) },
	"relative":       func(l *Lab) (Finding, error) { return countActive(l, 1, relativeBoundary) },
}

// countActive looks for a round that refutes the claim on random streams of m constraints: two
// equal fixed ones for m = 2, and for m = 1 one that recurs or is fixed.
func countActive(l *Lab, m int, kind boundaryKind) (Finding, error) {
	rng := l.Rand(fmt.Sprint("active-prefixes ", m, kind == relativeBoundary))
	const horizon = 40
	n, rounds, fixedRounds := l.Repeat(200), 0, 0 // rounds looked at, those with fixed constraints
	for range n {
		p := drawTied(rng, m, horizon)
		if m == 2 { // equal and fixed
			for i := range p.slope {
				p.slope[i], p.shift[i] = []int64{p.slope[0][0], p.slope[0][0]},
					[]int64{p.shift[0][0], p.shift[0][0]}
			}
		}
		fixed := true // all rounds have the constraints of round 1
		for i := range p.slope {
			for j := range m {
				fixed = fixed && p.slope[i][j] == p.slope[0][j] && p.shift[i][j] == p.shift[0][j]
			}
		}
		pre := p.newPrefix()
		var found *Finding // of the last round that refutes
		for t := 1; t <= horizon; t++ {
			pre.next()
			k, ok := pre.leastActive(kind)
			if !ok {
				continue
			}
			rounds++
			if fixed {
				fixedRounds++
			}
			if k < 1 || k > t || fixed && k != t {
				constraints := "with a constraint that recurs"
				switch {
				case fixed && m == 2:
					constraints = "with two equal fixed constraints"
				case fixed:
					constraints = "with a fixed constraint"
				}
				boundary := "whole boundary"
				if kind == relativeBoundary {
					boundary = "boundary relative to $D$"
				}
				found = &Finding{
					Outcome: Refutes,
					Text:    fmt.Sprintf(`%s and the %s, $k_\tau=%d$ at $\tau=%d$, where $\hat{X}^{\max}_\tau=[%.4g,%.4g]$ of $D=[%d,%d]$`, constraints, boundary, k, t, pre.lo.float(), pre.hi.float(), p.lo, p.hi),
					Values:  []Value{{"k", float64(k)}, {"tau", float64(t)}},
				}
			}
		}
		if found != nil {
			return *found, nil
		}
	}
	if rounds == 0 || fixedRounds == 0 {
		return Finding{Outcome: Undecided, Text: "no boundary was looked at"}, nil
	}
	return Finding{Outcome: Survives, Text: fmt.Sprintf(
		`with one constraint and the boundary relative to $D$, $1\le k_\tau\le\tau$ in %d rounds of %d streams, and $k_\tau=\tau$ in all %d of those with fixed constraints`, rounds, n, fixedRounds)}, nil
}
