package claims

import (
	"fmt"
	"math"

	"ocobench/convex"
)

// Claim 29: in the Example, with n_{2,i} ≤ O(√i), Theorem 1 fails but the penalty violation is
// O(√t); with n_{2,i} above O(√i) the violation is above O(√t).
//
//   - below, c ≤ ½: a violation above the bound of the proof, or actions that are mostly feasible,
//     as Theorem 1 says, refute the claim.
//   - above, c > ½: a violation below the lower bound of the proof, or whose mean over √t does not
//     grow, refutes it.
var frequencyThresholds = checks{
	"below": frequencyBelow,
	"above": frequencyAbove,
}

// frequencyHorizon is the number of rounds of the games of both checks.
const frequencyHorizon = 16000

// frequencyBelow plays the Example with two constraints and c = 0.3 and 0.5. Actions x ≤ 0, in
// X̂^max, in more than a tenth of the rounds after the first reveal count as mostly feasible.
func frequencyBelow(l *Lab) (Finding, error) {
	var worst Worst
	feasibleShare := 0. // the largest share of a game's rounds with x ≤ 0, after the first reveal
	for _, c := range []float64{0.3, 0.5} {
		err := l.eachTrial(20, exampleSpecs(2, c), func(p *trial) error {
			var a penaltyObserver
			var count revealCounter
			density := 0. // max n_{2,i}/√i
			err := p.play("penalised-ftrl", frequencyHorizon, &a, &count,
				roundObserver(func(t int, _ []float64, _ *convex.Round) {
					density = max(density, float64(count.reveals)/sqrt(t))
					if count.reveals > 0 {
						worst.Add(a.penalty/float64(20*density*sqrt(t)), `$t=%d$, $c=%v$, replicate %d`, t, c,
							p.replicate)
					}
				}))
			feasibleShare = max(feasibleShare, float64(count.feasible)/float64(max(1, count.after)))
			return err
		})
		if err != nil {
			return Finding{}, err
		}
	}
	f := worst.Finding(`with $c=0.3$ and $0.5$, and the bound $20\max_i(n_{2,i}/\sqrt{i})\sqrt{t}$, the violation is`, rounding)
	f.Text += fmt.Sprintf(`; $x_{\tau+1}>0$ in all but %.3g\,\%% of the rounds after the first reveal`, 100*feasibleShare)
	f.Outcome = refutesOr(feasibleShare > 0.1, f.Outcome)
	return f, nil
}

// frequencyAbove plays the Example with two constraints and c = 0.75 and 0.9. The objective at t
// has the slope 25·Σ_{i≤t} n_{2,i}/i − 2t, plus 20√t of the regulariser at x = 10. While that is
// negative, x is 10 and the next penalty is 10n_{2,t}/t: the sum of these is the lower bound. From
// t to 16t, √t grows by 4; the mean violation over √t has to grow by 1.3 besides.
func frequencyAbove(l *Lab) (Finding, error) {
	f := Finding{Outcome: Survives}
	least := math.Inf(1)
	for _, c := range []float64{0.75, 0.9} {
		early, late, n := 0., 0., float64(l.Repeat(20))
		err := l.eachTrial(20, exampleSpecs(2, c), func(p *trial) error {
			var a penaltyObserver
			n2, slope, bound := 0, 0., 0. // n_{2,t}, Σ n_{2,i}/i, and the lower bound of the violation
			atEnd := false                // the proof says that x_{t+1} = 10
			err := p.play("penalised-ftrl", frequencyHorizon, &a,
				roundObserver(func(t int, _ []float64, r *convex.Round) {
					n2 += bindingRevealed(*r)
					if atEnd {
						bound += 10 * float64(n2) / float64(t)
					}
					slope += float64(n2) / float64(t)
					atEnd = float64(2*t) > float64(25*slope)+float64(20*sqrt(t))
					if bound > 0 {
						least = min(least, a.penalty/bound)
					}
					if t == frequencyHorizon/16 {
						early += a.penalty / (n * sqrt(t))
					}
				}))
			late += a.penalty / (n * sqrt(frequencyHorizon))
			return err
		})
		if err != nil {
			return Finding{}, err
		}
		f.Outcome = refutesOr(!(late > 1.3*early), f.Outcome)
		f.addSentence("; ", `with $c=%v$ the mean of the violation over $\sqrt{t}$ is %.4g at $t=%d$ and %.4g at $t=%d$`, c, early, frequencyHorizon/16, late, frequencyHorizon)
	}
	f.Outcome = refutesOr(!(least >= 1-1e-9), f.Outcome)
	f.Text += fmt.Sprintf(`; it is at least %.4g times $10\sum n_{2,i}/i$ over the rounds after $\tau_0$`, least)
	return f, nil
}
