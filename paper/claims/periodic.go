package claims

import (
	"fmt"
	"math"
)

var periodic = Claim{
	Name:       "periodic",
	Place:      "§4.6, Periodic Constraints",
	Sentence:   `Where function $k$ is visited with period $T_k$, $|\hat{p}_{k,\tau}-1/T_k|\le1/\tau$, so that Condition 3 holds and with it regret and violation $O(\sqrt{t})$.`,
	Hypothesis: `$I_{k,i}=1$ for $i=nT_k$; for the rates $R_\tau=\sqrt{\tau}\,\|x\|^2$, a convex $D$ and $\gamma$ large enough. The section asks for no Slater point.`,
	Statistic:  `$\tau|\hat{p}_\tau-1/T|$ in every round for all periods to 40 and all offsets; on drawn patterns $4\tau|\hat{p}_\tau-p|/P$; the penalty violation and the regret over the bounds of \texttt{families-rate}`,
	Rule:       `a value above 1, or above its bound; without a Slater point as in \texttt{families-rate}`,
	Condition:  `for the rates, the limits have a Slater point, or $D$ is a polytope and all functions are affine, as for families in general`,
	Proof: `Visits at $i=o+nT$, $0<o\le T$: their number up to $\tau$ is the integer part of $1+(\tau-o)/T$, within 1 of $\tau/T$. The formula itself, with $o=T$ for all $k$, describes no family of two functions or more, for round 1 needs a $T_k=1$; with offsets, such as periods 2, 4, 4, it does. ` +
		`In any pattern of period $P$ with $c$ visits the number is off by at most $c(1-c/P)\le P/4$: after $s$ rounds of a period there were between $\max(0,s-P+c)$ and $\min(s,c)$. Either way the averages converge at the rate $1/\tau$, $S_t=O(\log t)$, and the proof of \texttt{families-rate} gives $O(\sqrt{t})$; the violation is even $O(\log^2t)$. A fixed constraint has period 1, and $x^2$ is the counterexample of \texttt{families-rate}.`,
	Cost: "820 visiting schemes and 500 patterns of 2000 rounds; 23 games of 10000",
	Checks: []Check{{
		Role:    Stated,
		What:    `one function, $x^2$, of period 1, whose set $\{0\}$ has no interior`,
		Command: "bench play --algorithm penalised-ftrl --problem drifting-average:kind=quadratic,amplitude=0 --horizon 10000",
		Run:     familyWithoutSlater,
	}, {
		Role: Amended,
		What: `frequencies of all periods to 40 and all offsets`,
		Run:  periodicVisits,
	}, {
		Role: Beside,
		What: `frequencies of drawn patterns, with the bound $P/(4\tau)$ in place of $1/\tau$`,
		Run:  periodicPatterns,
	}, {
		Role:    Amended,
		What:    `Penalised FTRL on periodic families`,
		Command: "bench play --algorithm penalised-ftrl --problem periodic:dim=1 --horizon 10000",
		Run:     periodicBounds,
	}},
}

// off is the largest τ·|p̂_τ − visits/period| over so many rounds, where round i is a visit
// if visited tells so.
func off(rounds, visits, period int, visited func(i int) bool) (most float64) {
	n := 0
	for tau := 1; tau <= rounds; tau++ {
		if visited(tau) {
			n++
		}
		// exact in integers but for the last division
		apart := n*period - tau*visits
		most = math.Max(most, math.Abs(float64(apart))/float64(period))
	}
	return most
}

func periodicVisits(*Lab) (Finding, error) {
	var worst Worst
	for period := 1; period <= 40; period++ {
		for offset := 1; offset <= period; offset++ {
			worst.See(off(2000, 1, period, func(i int) bool { return i%period == offset%period }), "period %d with offset %d", period, offset)
		}
	}
	return worst.Finding(`with the bound $1/\tau$ and all periods to 40, $|\hat{p}_\tau-1/T|$ is`, 0), nil
}

func periodicPatterns(l *Lab) (Finding, error) {
	var worst Worst
	rng, single := l.Rand("patterns"), 0.
	n := l.Repeat(500)
	for range n {
		period := 2 + rng.IntN(40)
		pattern, visits := make([]bool, period), 0
		clustered := rng.IntN(4) == 0
		for i := range pattern {
			if pattern[i] = rng.IntN(2) == 0; clustered {
				pattern[i] = i < period/2
			}
			if pattern[i] {
				visits++
			}
		}
		most := off(2000, visits, period, func(i int) bool { return pattern[(i-1)%period] })
		single = math.Max(single, most)
		worst.See(4*most/float64(period), "a pattern of period %d with %d visits", period, visits)
	}
	return worst.Finding(fmt.Sprintf(`of %d patterns the worst is off by $%.3g/\tau$, more than $1/\tau$; $|\hat{p}_\tau-p|$ is`, n, single), 1e-12), nil
}

func periodicBounds(l *Lab) (Finding, error) {
	all := convergence{}
	for replicate := 1; replicate <= l.Repeat(10); replicate++ {
		for _, all.gamma = range []float64{3, 25} {
			if err := all.playToLimit(l, "periodic:dim=1", replicate, 10000); err != nil {
				return Finding{}, err
			}
		}
	}
	return all.finding("periodic families"), nil
}
