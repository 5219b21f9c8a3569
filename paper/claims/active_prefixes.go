package claims

import "fmt"

// Claim 18: the least number k_τ of averages that are ≥ 0 at a point of the boundary of X̂^max_τ
// has 1 ≤ k_τ ≤ τ, and k_τ = τ for fixed constraints. A round in which it does not refutes the
// claim. The checks count on lines with small integers ([drawTied]), where ties of averages are
// exact. Two equal fixed constraints give 2τ, and the boundary of D, at which no average need be
// active, gives 0; with one constraint and the boundary relative to D the claim holds.
var activePrefixes = checks{
	"fixed":          func(l *Lab) (Finding, error) { return countActive(l, 2, true) },
	"whole-boundary": func(l *Lab) (Finding, error) { return countActive(l, 1, false) },
	"relative":       func(l *Lab) (Finding, error) { return countActive(l, 1, true) },
}

// countActive looks for a round that refutes the claim on random streams of m constraints: two
// equal fixed ones for m = 2, and for m = 1 one that recurs or is fixed. The boundary is that
// relative to D, or the whole one.
func countActive(l *Lab, m int, relative bool) (Finding, error) {
	rng := l.Rand(fmt.Sprint("active-prefixes ", m, relative))
	const horizon = 40
	n, rounds, fixed := l.Repeat(200), 0, 0 // rounds looked at, those with fixed constraints
	for range n {
		p := drawTied(rng, m, horizon)
		if m == 2 { // equal and fixed
			for i := range p.slope {
				p.slope[i], p.shift[i] = []int64{p.slope[0][0], p.slope[0][0]},
					[]int64{p.shift[0][0], p.shift[0][0]}
			}
		}
		same := true // as in round 1, in all rounds
		for i := range p.slope {
			for j := range m {
				same = same && p.slope[i][j] == p.slope[0][j] && p.shift[i][j] == p.shift[0][j]
			}
		}
		pre := p.prefix()
		var found *Finding // the last of the stream
		for t := 1; t <= horizon; t++ {
			pre.next()
			k, ok := pre.leastActive(relative)
			if !ok {
				continue
			}
			rounds++
			if same {
				fixed++
			}
			if k < 1 || k > t || same && k != t {
				kind := "with a constraint that recurs"
				switch {
				case same && m == 2:
					kind = "with two equal fixed constraints"
				case same:
					kind = "with a fixed constraint"
				}
				boundary := "whole boundary"
				if relative {
					boundary = "boundary relative to $D$"
				}
				found = &Finding{
					Outcome: Refutes,
					Text:    fmt.Sprintf(`%s and the %s, $k_\tau=%d$ at $\tau=%d$, where $\hat{X}^{\max}_\tau=[%.4g,%.4g]$ of $D=[%d,%d]$`, kind, boundary, k, t, pre.lo.float(), pre.hi.float(), p.lo, p.hi),
					Values:  []Value{{"k", float64(k)}, {"tau", float64(t)}},
				}
			}
		}
		if found != nil {
			return *found, nil
		}
	}
	if rounds == 0 || fixed == 0 {
		return Finding{Outcome: Undecided, Text: "no boundary was looked at"}, nil
	}
	return Finding{Outcome: Survives, Text: fmt.Sprintf(
		`with one constraint and the boundary relative to $D$, $1\le k_\tau\le\tau$ in %d rounds of %d streams, and $k_\tau=\tau$ in all %d of those with fixed constraints`, rounds, n, fixed)}, nil
}
