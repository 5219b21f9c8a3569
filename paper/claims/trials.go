package claims

import (
	"fmt"
	"slices"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/problems"
)

// Most checks look at replicates of problems, one after the other, and in each of them at
// every round. [Lab.eachTrial] calls the check with each replicate of each problem, as a trial.
// Three observers call a function after rounds of a game: [roundObserver] with every round,
// [atTwoRounds] after two of them, and [compareEvery] with what has been played so far and the best
// actions in hindsight. Observers are called in the order in which they are given.

// trial holds a replicate of a problem: a stream that has revealed nothing yet, and the methods
// that play on other streams of the same replicate.
type trial struct {
	problems.Stream
	lab       *Lab
	problem   string // its SPEC
	replicate int
}

// eachTrial calls look with [Lab.Repeat] of n replicates of each problem, by its SPEC.
func (l *Lab) eachTrial(n int, specs []string, look func(p *trial) error) error {
	for _, problem := range specs {
		for replicate := 1; replicate <= l.Repeat(n); replicate++ {
			p := &trial{lab: l, problem: problem, replicate: replicate}
			var err error
			if p.Stream, err = l.Stream(problem, replicate); err != nil {
				return err
			}
			if err = look(p); err != nil {
				return fmt.Errorf("%s, replicate %d: %w", problem, replicate, err)
			}
		}
	}
	return nil
}

// String returns the problem and the replicate in TeX, for a finding.
func (p *trial) String() string {
	return fmt.Sprintf(`\texttt{%s}, replicate %d`, p.problem, p.replicate)
}

// repeatsFirstReplicate reports whether the trial repeats the rounds of the first replicate.
func (p *trial) repeatsFirstReplicate() bool { return p.Facts().Deterministic && p.replicate > 1 }

// radius returns the largest ‖x‖ of the domain, which contains 0.
func (p *trial) radius() float64 {
	set := p.Set()
	return convex.LargestDistance(set, make([]float64, set.Dim()))
}

// play plays an algorithm, by its SPEC, on another stream of the trial.
func (p *trial) play(algorithm string, horizon int, observers ...game.Observer) error {
	return p.lab.Play(algorithm, p.problem, p.replicate, horizon, observers...)
}

// learner starts an algorithm, by its SPEC, on the stream of the trial.
func (p *trial) learner(algorithm string, horizon int) (algorithms.Learner, error) {
	return p.lab.Learner(algorithm, p.Stream, p.replicate, horizon)
}

// playLine plays the trial by [Lab.playLine].
func (p *trial) playLine(algorithm string, horizon int, each func(o *line, t int)) (*line, error) {
	return p.lab.playLine(algorithm, p.problem, p.replicate, horizon, each)
}

// A roundObserver is called with every round of a game.
type roundObserver func(t int, x []float64, r *convex.Round)

// Round implements [game.Observer].
func (f roundObserver) Round(t int, x []float64, r *convex.Round) error {
	f(t, x, r)
	return nil
}

// atTwoRounds returns an observer that calls measure with 0 after round early, and with 1 after
// round late.
func atTwoRounds(early, late int, measure func(k int)) roundObserver {
	return func(t int, _ []float64, _ *convex.Round) {
		if k := slices.Index([]int{early, late}, t); k >= 0 {
			measure(k)
		}
	}
}

// The indices of the first three comparators that hindsight returns, and [compareEvery] passes on:
// the best actions over X^min, X̂^max and X^max.
const overXMin, overXHatMax, overXMax = 0, 1, 2

// compareEvery returns an observer that calls look, after every so many rounds, with the sums of
// what has been played and the best action in hindsight over each set of the stream.
func compareEvery(s problems.Stream, every int,
	look func(t int, played *sums, best []game.Best)) game.Observer {
	return &comparison{hindsight: game.NewHindsight(s), every: every, look: look}
}

// comparison is the observer of [compareEvery]. In a game without actions, x is nil and the sums
// stay 0.
type comparison struct {
	sums
	hindsight *game.Hindsight
	every     int
	look      func(t int, played *sums, best []game.Best)
}

// Round implements [game.Observer].
func (c *comparison) Round(t int, x []float64, r *convex.Round) error {
	if err := c.hindsight.Round(t, x, r); err != nil {
		return err
	}
	if x != nil {
		if err := c.sums.Round(t, x, r); err != nil {
			return err
		}
	}
	if t%c.every != 0 {
		return nil
	}
	best, err := c.hindsight.Solve()
	if err == nil {
		c.look(t, &c.sums, best)
	}
	return err
}
