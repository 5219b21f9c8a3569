package claims

import "fmt"

var activePrefixes = checks{
	"fixed":          func(l *Lab) (Finding, error) { return countActive(l, 2, true) },
	"whole-boundary": func(l *Lab) (Finding, error) { return countActive(l, 1, false) },
	"relative":       func(l *Lab) (Finding, error) { return countActive(l, 1, true) },
}

func countActive(l *Lab, m int, relative bool) (Finding, error) {
	rng := l.Rand(fmt.Sprint("active-prefixes ", m, relative))
	n, rounds, fixed := l.Repeat(200), 0, 0
	for range n {
		p := drawTied(rng, m, 40)
		if m == 2 { // equal and fixed
			for i := range p.slope {
				p.slope[i], p.shift[i] = []int64{p.slope[0][0], p.slope[0][0]},
					[]int64{p.shift[0][0], p.shift[0][0]}
			}
		}
		same := true
		for i := range p.slope {
			for j := range m {
				same = same && p.slope[i][j] == p.slope[0][j] && p.shift[i][j] == p.shift[0][j]
			}
		}
		pre := p.prefix()
		var found *Finding // the last of the stream
		for t := 1; t <= 40; t++ {
			pre.next()
			k, ok := pre.least(relative)
			if !ok {
				continue
			}
			rounds++
			if same {
				fixed++
			}
			if k < 1 || k > t || same && k != t {
				kind := "with a constraint that recurs"
				if same {
					kind = map[bool]string{true: "with two equal fixed constraints",
						false: "with a fixed constraint"}[m == 2]
				}
				found = &Finding{
					Outcome: Refutes,
					Text:    fmt.Sprintf(`%s and the %s, $k_\tau=%d$ at $\tau=%d$, where $\hat{X}^{\max}_\tau=[%.4g,%.4g]$ of $D=[%d,%d]$`, kind, map[bool]string{true: "boundary relative to $D$", false: "whole boundary"}[relative], k, t, pre.lo.float(), pre.hi.float(), p.lo, p.hi),
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
