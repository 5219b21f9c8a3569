package analysis

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/stats"
)

// The outcome follows from the planted exponents: regrets are s·t^p and violations t^p/2.
func TestOutcomeFollowsPlantedExponents(t *testing.T) {
	_, a := wallPlays(t)
	for _, c := range []struct {
		first, second string
		want          Outcome
	}{
		{"slow", "fast", FirstKeeps},
		{"fast", "slow", SecondKeeps},
		{"slow", "slow-beyond", BothKeep},
		{"fast-beyond", "fast", NeitherKeeps},
		{"fast", "none", NotJudged},
	} {
		if got := a.Outcome(c.first, c.second, "walled"); got != c.want {
			t.Errorf("%s against %s: %q, want %q", c.first, c.second, got, c.want)
		}
	}
}

// If one algorithm keeps both and the other is undecided, they tie unless the other is shown to end
// with more of a metric on which it is undecided.
func TestTieIfNotShownToHaveMore(t *testing.T) {
	regret, soft := algorithms.RegretXHat, algorithms.SoftViolation
	for _, c := range []struct {
		name         string
		root         stats.Verdict // of b, as of its regret and violation
		regret, soft stats.Verdict
		signs        [2]int // of b − a
		state        State
		want         Outcome
	}{
		{"no more violation", stats.Undecided, stats.AtMost, stats.Undecided, [2]int{1, 0}, Measured, Tie},
		{"less violation", stats.Undecided, stats.AtMost, stats.Undecided, [2]int{1, -1}, Measured, Tie},
		{"more violation", stats.Undecided, stats.AtMost, stats.Undecided, [2]int{-1, 1}, Measured, FirstKeeps},
		{"above", stats.Above, stats.AtMost, stats.Above, [2]int{0, 0}, Measured, FirstKeeps},
		{"more of one of both", stats.Undecided, stats.Undecided, stats.Undecided, [2]int{1, 0}, Measured, FirstKeeps},
		{"no more of both", stats.Undecided, stats.Undecided, stats.Undecided, [2]int{0, -1}, Measured, Tie},
		{"not measured", stats.Undecided, stats.AtMost, stats.Undecided, [2]int{0, 0}, Empty, FirstKeeps},
		{"keeps both", stats.AtMost, stats.AtMost, stats.AtMost, [2]int{0, 1}, Measured, BothKeep},
	} {
		t.Run(c.name, func(t *testing.T) {
			pair := func(algorithm string, root, ofRegret, ofSoft stats.Verdict) Pair {
				return Pair{Problem: "p", Algorithm: algorithm, SqrtVerdict: root,
					Series: map[algorithms.Metric]*Series{regret: {SqrtVerdict: ofRegret}, soft: {SqrtVerdict: ofSoft}}}
			}
			a := &Analysis{Focus: Focus{Regret: regret, Violation: soft}, Pairs: []Pair{
				pair("a", stats.AtMost, stats.AtMost, stats.AtMost), pair("b", c.root, c.regret, c.soft),
			}}
			for k, m := range []algorithms.Metric{regret, soft} {
				a.Comparisons.Rows = append(a.Comparisons.Rows, Comparison{Problem: "p", A: "b", B: "a",
					Metric: m, State: c.state, Sign: c.signs[k], Paired: true})
			}
			turned := map[Outcome]Outcome{FirstKeeps: SecondKeeps}
			want, back := c.want, c.want
			if of, ok := turned[want]; ok {
				back = of
			}
			if got := a.Outcome("a", "b", "p"); got != want {
				t.Errorf("a against b: %q, want %q", got, want)
			}
			if got := a.Outcome("b", "a", "p"); got != back {
				t.Errorf("b against a: %q, want %q", got, back)
			}
		})
	}
}
