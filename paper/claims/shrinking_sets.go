package claims

import (
	"fmt"
	"math"

	"ocobench/harness/game"
)

// Claim 5: for x ≤ 1/√t on [0, 1], X^min_t is [0, 1/√t], and X^max_t and X̂^max_t are [0, 1]. The
// sets are intervals from 0 on, so that their largest actions, the best ones for f = −x, decide:
// one that differs from the claim refutes it. Beside it, closed-forms compares them with the
// correct ends 1/√t and the average of 1/√i.
var shrinkingSets = checks{
	"stated":       func(l *Lab) (Finding, error) { return shrinkingEnds(l, false) },
	"closed-forms": func(l *Lab) (Finding, error) { return shrinkingEnds(l, true) },
}

// shrinkingEnds compares the largest actions of the sets in every round with the closed forms, or
// with what the paper says. No algorithm plays.
func shrinkingEnds(l *Lab, closed bool) (Finding, error) {
	const T = 1000
	s, err := l.Stream("shrinking", 1)
	if err != nil {
		return Finding{}, err
	}
	sum, first, end := 0.0, 0, 0.0 // Σ 1/√i; the first round that differs, and the action there
	var last [3]float64            // the largest actions after the last round
	err = l.PlayLearner(nil, s, T, compareEvery(s, 1, func(t int, _ *sums, best []game.Best) {
		sum += 1 / sqrt(t)
		want := []float64{1 / sqrt(t), 1, 1}
		if closed {
			want[1], want[2] = sum/float64(t), sum/float64(t)
		}
		for k := range want {
			x := best[k].Action[0]
			last[k] = x
			if first == 0 && math.Abs(x-want[k]) > 1e-9 {
				first, end = t, x
			}
		}
	}))
	f := Finding{Outcome: refutesIf(first > 0),
		Text: fmt.Sprintf("they agree in %d rounds, up to rounding", T)}
	if first > 0 {
		f.Text = fmt.Sprintf(`at $t=%d$ the largest action of $\hat{X}^{\max}_t$ and $X^{\max}_t$ is %.4g, and at $t=%d$ it is %.4g, where that of $X^{\min}_t$ is %.4g`, first, end, T, last[2], last[0])
		f.Values = []Value{{"end-first", end}, {"end-last", last[2]}}
	}
	return f, err
}
