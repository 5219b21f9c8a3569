package claims

import "fmt"

var activePrefixesExample = checks{
	"two":         func(l *Lab) (Finding, error) { return exampleTies(l, 2) },
	"alternating": func(l *Lab) (Finding, error) { return exampleTies(l, 1) },
}

// exampleTies counts ties in integers: with n_1 ordinary rounds and n_2 that reveal x ≤ 0,
// the average is 0 at 0.01·n_1/n_2 with one constraint, and with two at 0.
func exampleTies(l *Lab, m int) (Finding, error) {
	const horizon = 2000
	var worst Worst
	above, rounds, most := 0, 0, 0.
	specs := exampleSpecs(fmt.Sprintf(",constraints=%d", m), 0.5, 0.75, 0.9)
	err := l.trials(20, specs, func(p *trial) error {
		var n1, n2, best1, best2 int // the least n_1/n_2 so far, 0/0 if there was no reveal
		k, slack := 0, 0             // ties at it, and first rounds without an ordinary one
		for t := 1; t <= horizon; t++ {
			reveal := revealed(*p.Reveal(t, nil))
			n2 += reveal
			n1 += 1 - reveal
			if n1 == 0 {
				slack++ // the sum of −0.01 is the constant 0
			}
			if m == 2 {
				k = t + slack
			} else if n2 > 0 {
				switch d := n1*best2 - best1*n2; {
				case best2 == 0 || d < 0:
					best1, best2, k = n1, n2, 1
				case d == 0:
					k++
				}
			}
			// Without a reveal, or with r ≥ 10, X̂^max is D and has no boundary.
			if n2 == 0 || m == 1 && best1 >= 1000*best2 {
				continue
			}
			rounds++
			if k > n2 {
				above++
			}
			worst.See(float64(k)/float64(n2), `$\tau=%d$ of %v, where $k_\tau=%d$ and $n_{2,\tau}=%d$`, t, p,
				k, n2)
		}
		most = max(most, float64(n2)/horizon)
		return nil
	})
	f := worst.Finding(`with the bound $n_{2,\tau}$, $k_\tau$ is`, 0)
	f.Text += fmt.Sprintf(`; it is larger in %d of %d rounds, and $n_{2,\tau}/\tau$ is at most %.3g at $\tau=%d$`, above, rounds, most, horizon)
	return f, err
}
