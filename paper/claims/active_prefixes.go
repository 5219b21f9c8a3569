package claims

import "fmt"

var activePrefixes = Claim{
	Name:  "active-prefixes",
	Place: "§4.2, below the definition of k",
	Sentence: `The least number $k_\tau$ of averages $\frac{1}{i}\sum_{k\le i} g_k^{(j)}$ that are $\ge 0$ at a point of the boundary of $\hat{X}^{\max}_\tau$ has $1\le k_\tau\le\tau$, ` +
		`and $k_\tau=\tau$ for fixed constraints.`,
	Statistic: `$k_\tau$ in every round, with exact ties: constraints have small integer coefficients on an interval`,
	Rule:      `$k_\tau<1$ or $k_\tau>\tau$, or with fixed constraints $k_\tau\ne\tau$`,
	Condition: `$m=1$ and the boundary is that relative to $D$ and not empty; for $m$ constraints $1\le k_\tau\le m\tau$, and $\tau\le k_\tau\le m\tau$ if they are fixed`,
	Proof: `A point $x$ of the boundary of $\hat{X}^{\max}_\tau$ relative to $D$ is the limit of points of $D$ at which one of finitely many averages is positive, so that some average is $\ge 0$ at $x$: $k_\tau\ge 1$. ` +
		`There are $m\tau$ averages. Fixed ones are the same function for all $i$: at $x$ all $\tau$ of some $j$ are active. ` +
		`Without the condition: at a point of the boundary of $D$ that is inside of all constraints, none is active. With $x\le 0$ on $[-4,4]$ the end $-4$ is one, and $k_\tau=0$. ` +
		`With $g^{(1)}=g^{(2)}$ fixed, $k_\tau=2\tau$. Where $\hat{X}^{\max}_\tau$ is empty, or is $D$, there is no boundary and no $k_\tau$.`,
	Cost: "3 × 200 streams × 40 rounds",
	Checks: []Check{{
		Role: Stated,
		What: `streams of two equal fixed constraints, with the boundary relative to $D$`,
		Run:  func(l *Lab) (Finding, error) { return countActive(l, 2, true) },
	}, {
		Role: Stated,
		What: `streams of one constraint, with the whole boundary of $\hat{X}^{\max}_\tau$`,
		Run:  func(l *Lab) (Finding, error) { return countActive(l, 1, false) },
	}, {
		Role: Amended,
		What: `streams of one constraint, with the boundary relative to $D$`,
		Run:  func(l *Lab) (Finding, error) { return countActive(l, 1, true) },
	}},
}

func countActive(l *Lab, m int, relative bool) (Finding, error) {
	rng := l.Rand(fmt.Sprint("active-prefixes ", m, relative))
	n, rounds, fixed := l.Repeat(200), 0, 0
	for range n {
		p := tied(rng, m, 40)
		if m == 2 { // equal and fixed
			for i := range p.slope {
				p.slope[i], p.shift[i] = []int64{p.slope[0][0], p.slope[0][0]}, []int64{p.shift[0][0], p.shift[0][0]}
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
					kind = map[bool]string{true: "with two equal fixed constraints", false: "with a fixed constraint"}[m == 2]
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
	return Finding{Outcome: Survives, Text: fmt.Sprintf(`with one constraint and the boundary relative to $D$, $1\le k_\tau\le\tau$ in %d rounds of %d streams, and $k_\tau=\tau$ in all %d of those with fixed constraints`, rounds, n, fixed)}, nil
}
