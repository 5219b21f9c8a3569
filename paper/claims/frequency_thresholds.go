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
		for replicate := 1; replicate <= l.Repeat(20); replicate++ {
			var a averages
			n, after, inside, density := 0, 0, 0, 0.
			err := l.Play("penalised-ftrl", exampleSplit(c), replicate, frequencyHorizon, &a, Observe(func(t int, x []float64, r *convex.Round) error {
				if n > 0 {
					if after++; x[0] <= 1e-9 {
						inside++
					}
				}
				n += revealed(*r)
				density = max(density, float64(n)/sqrt(t))
				if n > 0 {
					worst.See(a.penalty/float64(20*density*sqrt(t)), `$t=%d$, $c=%v$, replicate %d`, t, c, replicate)
				}
				return nil
			}))
			if err != nil {
				return Finding{}, err
			}
			last = max(last, float64(inside)/float64(max(1, after)))
		}
	}
	f := worst.Finding(`with $c=0.3$ and $0.5$, and the bound $20\max_i(n_{2,i}/\sqrt{i})\sqrt{t}$, the violation is`, 1e-9)
	f.Text += fmt.Sprintf(`; $x_{\tau+1}>0$ in all but at most %.3g\,\%% of the rounds of a game after the first reveal`, 100*last)
	if last > 0.1 {
		f.Outcome = Refutes
	}
	return f, nil
}

func frequencyAbove(l *Lab) (Finding, error) {
	f := Finding{Outcome: Survives}
	least := math.Inf(1)
	for _, c := range []float64{0.75, 0.9} {
		early, late, reps := 0., 0., l.Repeat(20)
		for replicate := 1; replicate <= reps; replicate++ {
			var a averages
			n, slope, bound := 0, 0., 0. // n_2, S and what the proof has
			full := false                // the proof says that x = 10
			err := l.Play("penalised-ftrl", exampleSplit(c), replicate, frequencyHorizon, &a, Observe(func(t int, _ []float64, r *convex.Round) error {
				n += revealed(*r)
				if full {
					bound += 10 * float64(n) / float64(t)
				}
				slope += float64(n) / float64(t)
				full = float64(2*t) > float64(25*slope)+float64(20*sqrt(t))
				if bound > 0 {
					least = min(least, a.penalty/bound)
				}
				if t == frequencyHorizon/16 {
					early += a.penalty / (float64(reps) * sqrt(t))
				}
				return nil
			}))
			if err != nil {
				return Finding{}, err
			}
			late += a.penalty / (float64(reps) * sqrt(frequencyHorizon))
		}
		if !(late > 1.3*early) {
			f.Outcome = Refutes
		}
		if f.Text != "" {
			f.Text += "; "
		}
		f.Text += fmt.Sprintf(`with $c=%v$ the mean of the violation over $\sqrt{t}$ is %.4g at $t=%d$ and %.4g at $t=%d$`, c, early, frequencyHorizon/16, late, frequencyHorizon)
	}
	if !(least >= 1-1e-9) {
		f.Outcome = Refutes
	}
	f.Text += fmt.Sprintf(`; it is at least %.4g times $10\sum n_{2,i}/i$ over the rounds after $\tau_0$`, least)
	return f, nil
}
