package claims

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

var beTheLeader = checks{
	"exact":   func(l *Lab) (Finding, error) { return playLeaders(l, 0) },
	"inexact": func(l *Lab) (Finding, error) { return playLeaders(l, 5) },
}

// playLeaders plays the leader on random tables. Leaders are worse than the best by less than
// slack.
func playLeaders(l *Lab, slack int) (Finding, error) {
	rng := l.Rand(fmt.Sprintf("be-the-leader %d", slack))
	tables, exact, most, ratio := l.Repeat(2000), 0, -1<<30, 0.0
	for range tables {
		d := runLeader(rng, slack, false)
		most, exact, ratio = max(most, d.most), exact+d.ties, max(ratio, d.ratio)
	}
	if slack == 0 {
		return Finding{Outcome: refutesIf(most > 0),
			Text: fmt.Sprintf(`in %d random tables $\sum_{i \le \tau} F_i(w_{i+1}) - \min_y \sum_{i \le \tau} F_i(y)$ is at most %d, and 0 in %d rounds`, tables, most, exact)}, nil
	}
	return Finding{Outcome: refutesIf(ratio > 1), Values: []Value{{"ratio", ratio}},
		Text: fmt.Sprintf("the difference is at most %.4g times the sum", ratio)}, nil
}

// leaderGame holds what a leader's game says of the lemma: the largest difference, the rounds in
// which it is 0, and the largest ratio to the sum of the leaders' faults.
type leaderGame struct {
	most, ties int
	ratio      float64
}

// runLeader plays a random table. A leader that is late plays w_i against F_i.
func runLeader(rng *rand.Rand, slack int, late bool) (d leaderGame) {
	points, rounds, spread := 2+rng.IntN(11), 1+rng.IntN(40), 1+rng.IntN(9)
	sum, f := make([]int, points), make([]int, points)
	d.most = -1 << 30
	before, total, faults := 0, 0, 0
	for range rounds {
		for k := range f {
			f[k] = rng.IntN(2*spread+1) - spread
			sum[k] += f[k]
		}
		least := slices.Min(sum)
		leader, adverse := -1, rng.IntN(2) == 0
		for _, k := range rng.Perm(points) { // among the leaders a random one, or the one that loses most
			if sum[k] <= least+slack && (leader < 0 || adverse && f[k] > f[leader]) {
				leader = k
			}
		}
		played := leader
		if late {
			played = before
		}
		before = leader
		total += f[played]
		faults += sum[leader] - least
		d.most = max(d.most, total-least)
		if total == least {
			d.ties++
		}
		if faults > 0 {
			d.ratio = max(d.ratio, float64(total-least)/float64(faults))
		}
	}
	return d
}
