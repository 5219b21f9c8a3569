package claims

import (
	"fmt"
	"math"

	"ocobench/convex"
)

var frequencyThresholds = checks{
	"below": frequencyBelow,
	"above": frequencyAbove,
}

const frequencyHorizon = 16000

func frequencyBelow(l *Lab) (Finding, error) {
	var worst Worst
	last := 0. // the largest share of rounds with x ≤ 0, of those after a reveal
	for _, c := range []float64{0.3, 0.5} {
		err := l.eachTrial(20, exampleSpecs(",constraints=2", c), func(p *trial) error {
			var a penalties
			n, after, inside, density := 0, 0, 0, 0.
			err := p.play("penalised-ftrl", frequencyHorizon, &a,
				roundObserver(func(t int, x []float64, r *convex.Round) {
					if n > 0 {
						if after++; x[0] <= 1e-9 {
							inside++
						}
					}
					n += revealed(*r)
					density = max(density, float64(n)/sqrt(t))
					if n > 0 {
						worst.See(a.penalty/float64(20*density*sqrt(t)), `$t=%d$, $c=%v$, replicate %d`, t, c,
							p.replicate)
					}
				}))
			last = max(last, float64(inside)/float64(max(1, after)))
			return err
		})
		if err != nil {
			return Finding{}, err
		}
	}
	f := worst.Finding(`with $c=0.3$ and $0.5$, and the bound $20\max_i(n_{2,i}/\sqrt{i})\sqrt{t}$, the violation is`, 1e-9)
	f.Text += fmt.Sprintf(`; $x_{\tau+1}>0$ in all but at most %.3g\,\%% of the rounds of a game after the first reveal`, 100*last)
	f.Outcome = refutesOr(last > 0.1, f.Outcome)
	return f, nil
}

func frequencyAbove(l *Lab) (Finding, error) {
	f := Finding{Outcome: Survives}
	least := math.Inf(1)
	for _, c := range []float64{0.75, 0.9} {
		early, late, n := 0., 0., float64(l.Repeat(20))
		err := l.eachTrial(20, exampleSpecs(",constraints=2", c), func(p *trial) error {
			var a penalties
			n2, slope, bound := 0, 0., 0. // n_2, S and what the proof has
			full := false                 // the proof says that x = 10
			err := p.play("penalised-ftrl", frequencyHorizon, &a,
				roundObserver(func(t int, _ []float64, r *convex.Round) {
					n2 += revealed(*r)
					if full {
						bound += 10 * float64(n2) / float64(t)
					}
					slope += float64(n2) / float64(t)
					full = float64(2*t) > float64(25*slope)+float64(20*sqrt(t))
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
