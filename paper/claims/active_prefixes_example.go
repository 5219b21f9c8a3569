package claims

import "fmt"

var activePrefixesExample = Claim{
	Name:       "active-prefixes-example",
	Place:      "§4.5, Necessity of Penalty Growth Condition",
	Sentence:   `In the Example, $k_\tau\le n_{2,\tau}$, the number of rounds so far that reveal $x\le 0$; as this is less than of order $\tau$, Condition 2 is violated.`,
	Hypothesis: `The reading of §4.5, with one constraint for each of the two values; $c<1$. The boundary is that relative to $D$, without which fixed constraints would not have $k_\tau=\tau$.`,
	Statistic:  `$k_\tau$ on the boundary of $\hat{X}^{\max}_\tau$ relative to $D$ and $n_{2,\tau}$ in every round from the first reveal on, with exact ties; and the largest margin $\eta$ of any $z$`,
	Rule:       `$k_\tau>n_{2,\tau}$`,
	Condition:  `one constraint that alternates between $x$ and $-0.01$`,
	Proof: `One constraint: the average of $i$ rounds is 0 at $r_i=0.01n_{1,i}/n_{2,i}$, and $\hat{X}^{\max}_\tau=[-10,\min_i r_i]$. Between reveals $r_i$ increases, so that the minimum is attained in rounds of a reveal only: $k_\tau\le n_{2,\tau}$. ` +
		`With $z<0$ there is a margin $\eta>0$, and Condition 2 fails because $n_{2,\tau}=o(\tau)$. ` +
		`Two constraints: the average of the second is $(n_{2,i}/i)x$, which is 0 at $x=0$, the only point of the boundary, for every $i$, be $n_{2,i}$ large or small: $k_\tau\ge\tau$, and the number is no obstacle. (The end $-10$, if the boundary of $D$ counts, has the averages before the first reveal, a number that does not depend on $n_{2,\tau}$.) ` +
		`The conclusion holds for another reason: the margin at $z\ge -10$ is at most $10n_{2,\tau}/\tau$, which tends to 0, so that no $\eta>0$ serves all $\tau$.`,
	Instead: `With two constraints, $k_\tau\ge\tau$, and Condition 2 is violated because there is no common Slater point.`,
	Cost:    "2 × 3 × 20 streams × 2000 rounds, not played",
	Checks: []Check{{
		Role:    Stated,
		What:    `two constraints, as §4.5 has it`,
		Command: "bench play --algorithm penalised-ftrl --problem decaying-frequency:c=0.75,constraints=2 --horizon 2000",
		Run:     func(l *Lab) (Finding, error) { return exampleTies(l, 2) },
	}, {
		Role:    Amended,
		What:    `one constraint that alternates, as the Example has it`,
		Command: "bench play --algorithm penalised-ftrl --problem decaying-frequency:c=0.75 --horizon 2000",
		Run:     func(l *Lab) (Finding, error) { return exampleTies(l, 1) },
	}},
}

// exampleTies counts ties in integers: with n_1 ordinary rounds and n_2 that reveal x ≤ 0,
// the average is 0 at 0.01·n_1/n_2 with one constraint, and with two at 0.
func exampleTies(l *Lab, m int) (Finding, error) {
	const horizon = 2000
	var worst Worst
	above, rounds, most := 0, 0, 0.
	for _, c := range []float64{0.5, 0.75, 0.9} {
		for replicate := 1; replicate <= l.Repeat(20); replicate++ {
			problem := fmt.Sprintf("decaying-frequency:c=%v,constraints=%d", c, m)
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return Finding{}, err
			}
			var n1, n2, best1, best2 int // the least n_1/n_2 so far, 0/0 if there was no reveal
			k, slack := 0, 0             // ties at it, and first rounds without an ordinary one
			for t := 1; t <= horizon; t++ {
				reveal := revealed(*s.Reveal(t, nil))
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
				worst.See(float64(k)/float64(n2), `$\tau=%d$ of \texttt{%s}, replicate %d, where $k_\tau=%d$ and $n_{2,\tau}=%d$`, t, problem, replicate, k, n2)
			}
			most = max(most, float64(n2)/horizon)
		}
	}
	f := worst.Finding(`with the bound $n_{2,\tau}$, $k_\tau$ is`, 0)
	f.Text += fmt.Sprintf(`; it is larger in %d of %d rounds, and $n_{2,\tau}/\tau$ is at most %.3g at $\tau=%d$`, above, rounds, most, horizon)
	return f, nil
}
