package claims

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/internal/race"
	"ocobench/paper"
	"ocobench/problems"
)

var errPlanted = errors.New("planted")

// failingLab returns a quick lab in which the n-th learner or stream that is started fails, and no
// other, and how many of them were started. It has no experiments.
func failingLab(t *testing.T, n int) (l *Lab, started *int) {
	started = new(int)
	fails := func() bool { *started++; return *started == n }
	l = quickLab(t)
	l.Catalog = experiment.Catalog{Algorithms: slices.Clone(algorithms.All),
		Problems: slices.Clone(problems.All)}
	for k := range l.Catalog.Algorithms {
		a := &l.Catalog.Algorithms[k]
		start := a.New
		a.New = func(params any, s algorithms.Setup) (algorithms.Learner, error) {
			if fails() {
				return nil, errPlanted
			}
			return start(params, s)
		}
	}
	for k := range l.Catalog.Problems {
		p := &l.Catalog.Problems[k]
		start := p.New
		p.New = func(params any, rng *rand.Rand) (problems.Stream, error) {
			if fails() {
				return nil, errPlanted
			}
			return start(params, rng)
		}
	}
	l.Experiment = func(string) (*analysis.Analysis, error) { return nil, errPlanted }
	return l, started
}

// A check says so if an experiment or one of the games that it plays first cannot be played, and
// does not stumble over it.
func TestFailuresAreReported(t *testing.T) {
	race.SkipSequential(t)
	for _, c := range All() {
		for _, check := range c.Checks {
			for n := 1; n <= 6; n++ {
				l, started := failingLab(t, n)
				alone := Claim{Entry: paper.Entry{Name: c.Name}, Checks: []Check{check}}
				_, err := alone.Judge(l)
				if err == nil && *started < n { // it plays no more
					break
				}
				if !errors.Is(err, errPlanted) {
					t.Errorf("%s, %s: of %d games the last fails: got error %v, want that failure", c.Name,
						check.Name, n, err)
				}
			}
		}
	}
}

// A game that is interrupted, and one against the best of no actions, are errors.
func TestGamesThatEndEarlyAreErrors(t *testing.T) {
	l := quickLab(t)
	var w Worst
	err := l.eachTrial(1, []string{"conflicting"}, func(p *trial) error {
		return p.compareWithBounds(&w, "ogd", 200, 1, 1)
	})
	if !errors.Is(err, errNoAction) || w.seen > 0 {
		t.Errorf("regret against no action: got error %v, %+v, want %v", err, w, errNoAction)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	l.Context = ctx
	for _, algorithm := range []string{"", "ogd"} {
		if _, err := l.playLine(algorithm, "shrinking", 1, 10, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%q, interrupted: got error %v, want %v", algorithm, err, context.Canceled)
		}
	}
}
