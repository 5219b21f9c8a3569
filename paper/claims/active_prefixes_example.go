package claims

import "fmt"

// Claim 28: in the Example k_τ ≤ n_{2,τ}, the number of rounds so far that reveal x ≤ 0. The checks
// count both in every round from the first reveal on; a round with k_τ > n_{2,τ} refutes the claim.
// The Example has two constraints in §4.5, and one that alternates where it is introduced.
var activePrefixesExample = checks{
	"two":         func(l *Lab) (Finding, error) { return exampleTies(l, 2) },
	"alternating": func(l *Lab) (Finding, error) { return exampleTies(l, 1) },
}

// ties counts the averages that are 0 on the boundary relative to D, in integers: with n_1 ordinary
// rounds and n_2 that reveal x ≤ 0, the average is 0 at 0.01·n_1/n_2 with one constraint, and with
// two at 0.
type ties struct {
	m, n1, n2    int
	best1, best2 int // the least n_1/n_2 so far, 0/0 if there was no reveal
	k, slack     int // ties at it, and first rounds without an ordinary one
	end          int // ties at the lower end of D
}

// next adds round t, which reveals x ≤ 0 or, with 0, does not.
func (c *ties) next(t, reveal int) {
	c.n2 += reveal
	c.n1 += 1 - reveal
	if c.n1 == 0 {
		c.slack++ // the sum of −0.01 is the constant 0
	}
	if c.m == 2 {
		if c.n2 == 0 { // the sum of x is 0 so far
			c.end = t
		}
		c.k = t + c.slack
	} else if c.n2 > 0 {
		switch d := c.n1*c.best2 - c.best1*c.n2; {
		case c.best2 == 0 || d < 0:
			c.best1, c.best2, c.k = c.n1, c.n2, 1
		case d == 0:
			c.k++
		}
	}
}

// wholeBoundaryActive returns k_τ on the whole boundary of X̂^max, to which the lower end of D
// belongs.
func (c *ties) wholeBoundaryActive() int {
	if c.m == 1 {
		return 0 // every average is negative there
	}
	return min(c.k, c.end+c.slack)
}

// bounded reports whether X̂^max has a boundary. Without a reveal, or with r ≥ 10, it is D.
func (c *ties) bounded() bool { return c.n2 > 0 && (c.m == 2 || c.best1 < 1000*c.best2) }

// exampleTies compares k_τ with n_{2,τ} in every round of games of the Example with m constraints.
func exampleTies(l *Lab, m int) (Finding, error) {
	const horizon = 2000
	var worst Worst
	above, wholeAbove, rounds, revealShare := 0, 0, 0, 0.
	specs := exampleSpecs(fmt.Sprintf(",constraints=%d", m), 0.5, 0.75, 0.9)
	err := l.eachTrial(20, specs, func(p *trial) error {
		c := ties{m: m}
		for t := 1; t <= horizon; t++ {
			if c.next(t, revealed(*p.Reveal(t, nil))); !c.bounded() {
				continue
			}
			rounds++
			if c.k > c.n2 {
				above++
			}
			if c.wholeBoundaryActive() > c.n2 {
				wholeAbove++
			}
			worst.Add(float64(c.k)/float64(c.n2), `$\tau=%d$ of %v, where $k_\tau=%d$ and $n_{2,\tau}=%d$`,
				t, p, c.k, c.n2)
		}
		revealShare = max(revealShare, float64(c.n2)/horizon)
		return nil
	})
	f := worst.Finding(`with the bound $n_{2,\tau}$, $k_\tau$ is`, 0)
	f.Text += fmt.Sprintf(`; it is larger in %d of %d rounds, on the whole boundary in %d; $n_{2,\tau}/\tau$ is at most %.3g at $\tau=%d$`, above, rounds, wholeAbove, revealShare, horizon)
	return f, err
}
