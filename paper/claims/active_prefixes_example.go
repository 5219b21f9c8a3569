package claims

import "fmt"

// Claim 28: in the Example k_τ ≤ n_{2,τ}, the number of rounds so far that reveal x ≤ 0. The checks
// count both in every round from the first reveal on; a round with k_τ > n_{2,τ} refutes the claim.
// The Example has two constraints in §4.5, and one that alternates where it is introduced.
var activePrefixesExample = checks{
	"two":         func(l *Lab) (Finding, error) { return exampleTies(l, 2) },
	"alternating": func(l *Lab) (Finding, error) { return exampleTies(l, 1) },
}

// ties counts k_τ, the averages that are 0 at the upper end of X̂^max, in integers. After n_1
// rounds with the constant −0.01 and n_2 rounds that reveal x ≤ 0,
//
//   - one constraint that alternates has the sum n_2·x − 0.01·n_1, which is 0 at 0.01·n_1/n_2. The
//     upper end of X̂^max is the least of these zeros.
//   - of two constraints, one has the sum n_2·x, and the other the sum −0.01·n_1. The upper end is
//     0, where the first sum is 0 in every round, and the second one as long as n_1 = 0.
type ties struct {
	m, n1, n2        int
	leastN1, leastN2 int // n_1 and n_2 of the least zero so far, 0 and 0 before the first reveal
	k                int
	// Of two constraints: the first rounds in which n_1 = 0, and those in which n_2 = 0. The sum of
	// the second constraint, and of the first one, is 0 on all of D there.
	withoutConstant, withoutReveal int
}

// next adds round t. reveal is 1 if it reveals x ≤ 0, and else 0.
func (c *ties) next(t, reveal int) {
	c.n2 += reveal
	c.n1 += 1 - reveal
	if c.m == 2 {
		if c.n1 == 0 {
			c.withoutConstant = t
		}
		if c.n2 == 0 {
			c.withoutReveal = t
		}
		c.k = t + c.withoutConstant
		return
	}
	if c.n2 > 0 {
		// d has the sign of the zero of this round less the least one so far.
		switch d := c.n1*c.leastN2 - c.leastN1*c.n2; {
		case c.leastN2 == 0 || d < 0:
			c.leastN1, c.leastN2, c.k = c.n1, c.n2, 1
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
	return min(c.k, c.withoutReveal+c.withoutConstant)
}

// bounded reports whether X̂^max has a boundary relative to D: not without a reveal, and not if its
// upper end 0.01·n_1/n_2 is beyond 10, the end of D.
func (c *ties) bounded() bool { return c.n2 > 0 && (c.m == 2 || c.leastN1 < 1000*c.leastN2) }

// exampleTies compares k_τ with n_{2,τ} in every round of games of the Example with m constraints.
func exampleTies(l *Lab, m int) (Finding, error) {
	const horizon = 2000
	var worst Worst
	above, wholeAbove, rounds, revealShare := 0, 0, 0, 0.
	specs := exampleSpecs(m, 0.5, 0.75, 0.9)
	err := l.eachTrial(20, specs, func(p *trial) error {
		c := ties{m: m}
		for t := 1; t <= horizon; t++ {
			if c.next(t, bindingRevealed(*p.Reveal(t, nil))); !c.bounded() {
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
	f := worst.Finding(`with the bound $n_{2,\tau}$, $k_\tau$ is`, exact)
	f.Text += fmt.Sprintf(`; it is larger in %d of %d rounds, on the whole boundary in %d; $n_{2,\tau}/\tau$ is at most %.3g at $\tau=%d$`, above, rounds, wholeAbove, revealShare, horizon)
	return f, err
}
