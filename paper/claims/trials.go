package claims

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/problems"
)

// Most checks look at replicates of problems, one after the other, and in each of them at
// every round. [Lab.eachTrial] calls the check with each replicate of each problem, as a trial.

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

// domainRadius returns the largest ‖x‖ of the domain, which contains 0.
func (p *trial) domainRadius() float64 {
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
