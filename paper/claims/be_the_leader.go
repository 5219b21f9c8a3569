package claims

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Claim 10 (Lemma 2): playing in every round the leader w_{i+1}, which minimises the sum of the
// functions up to this round's, costs no more than any fixed y. On a finite D all functions are
// tables of numbers, so that the check is exact on random tables of integers; a difference above 0
// refutes the lemma. Beside it, leaders that miss the minimum by ε_τ must cost at most Σ ε_τ
// more.
var beTheLeader = checks{
	"exact":   func(l *Lab) (Finding, error) { return playLeaders(l, 0) },
	"inexact": func(l *Lab) (Finding, error) { return playLeaders(l, 5) },
}

// playLeaders plays the leader on random tables. Leaders may miss the minimum by up to slack.
func playLeaders(l *Lab, slack int) (Finding, error) {
	rng := l.Rand(fmt.Sprintf("be-the-leader %d", slack))
	tables, ties, maxDifference, ratio := l.Repeat(2000), 0, -1<<30, 0.0
	for range tables {
		d := runLeader(rng, slack, nextLeader)
		maxDifference, ratio = max(maxDifference, d.maxDifference), max(ratio, d.ratio)
		ties += d.ties
	}
	if slack == 0 {
		return Finding{Outcome: refutesIf(maxDifference > 0),
			Text: fmt.Sprintf(`in %d random tables $\sum_{i \le \tau} F_i(w_{i+1}) - \min_y \sum_{i \le \tau} F_i(y)$ is at most %d, and 0 in %d rounds`, tables, maxDifference, ties)}, nil
	}
	return Finding{Outcome: refutesIf(ratio > 1), Values: []Value{{"ratio", ratio}},
		Text: fmt.Sprintf("the difference is at most %.4g times the sum", ratio)}, nil
}

// leaderRule says which leader is played against F_i: w_{i+1}, as in the lemma, or w_i, as in a
// game. The lemma does not hold for the latter, by which a test shows that the check can fail.
type leaderRule int

const (
	nextLeader leaderRule = iota
	previousLeader
)

// leaderGame holds what a leader's game says of the lemma: the largest difference, the rounds in
// which it is 0, and the largest ratio to the sum of the leaders' faults.
type leaderGame struct {
	maxDifference, ties int
	ratio               float64
}

// runLeader plays the leader on a random table of integers. Leaders are any points within slack of
// the minimum.
func runLeader(rng *rand.Rand, slack int, rule leaderRule) (d leaderGame) {
	points, rounds, spread := 2+rng.IntN(11), 1+rng.IntN(40), 1+rng.IntN(9)
	sum, f := make([]int, points), make([]int, points)
	d.maxDifference = -1 << 30
	previous, total, faults := 0, 0, 0
	for range rounds {
		for k := range f {
			f[k] = rng.IntN(2*spread+1) - spread
			sum[k] += f[k]
		}
		least := slices.Min(sum)
		leader, adverse := -1, rng.IntN(2) == 0
		// among the leaders a random one, or the one that loses most
		for _, k := range rng.Perm(points) {
			if sum[k] <= least+slack && (leader < 0 || adverse && f[k] > f[leader]) {
				leader = k
			}
		}
		played := leader
		if rule == previousLeader {
			played = previous
		}
		previous = leader
		total += f[played]
		faults += sum[leader] - least
		d.maxDifference = max(d.maxDifference, total-least)
		if total == least {
			d.ties++
		}
		if faults > 0 {
			d.ratio = max(d.ratio, float64(total-least)/float64(faults))
		}
	}
	return d
}
