// Package algtest is the conformance suite of learners: the laws that package
// algorithms states, checked on small games.
//
// One line tests a registry, or a single algorithm:
//
//	func TestConformance(t *testing.T) { algtest.Run(t, myAlgorithms...) }
//
// [Run] looks at what the entries say of themselves and then plays games with
// each learner at the parameters of its entry, on boxes, balls and simplices in
// one to four dimensions with zero to three constraints: affine, quadratic,
// perturbed, fixed, and norms. A failure names the law, the game and the round,
// and says what to do. An algorithm may refuse a game, by an error of its New,
// but not every game of a law. Other parameters are tested by another entry:
//
//	a.Params = MyParams{Step: 3}
//	algtest.Run(t, a)
package algtest

import (
	"errors"
	"fmt"
	"testing"

	"ocobench/algorithms"
)

// Law is a rule that learners keep.
type Law struct {
	Name   string
	Doc    string // the rule
	Remedy string // what to do where it is broken
	Check  func(algorithms.Algorithm) error
}

// Run checks the entries with [Registry], and every law of [Laws] for each of
// them, in subtests NAME/LAW.
func Run(t *testing.T, all ...algorithms.Algorithm) {
	t.Helper()
	if err := Registry(all); err != nil {
		t.Error(err)
	}
	for _, a := range all {
		t.Run(a.Name, func(t *testing.T) {
			for _, law := range Laws {
				t.Run(law.Name, func(t *testing.T) {
					if err := law.Check(a); err != nil {
						t.Errorf("%s breaks the law %q (%s): %v\n%s", a.Name, law.Name, law.Doc, err, law.Remedy)
					}
				})
			}
		})
	}
}

// errRefused wraps what New returned.
var errRefused = errors.New("refused")

// start starts a game as every program does.
func start(a algorithms.Algorithm, g *game) (algorithms.Learner, error) {
	return started(a.Start(a.Params, g.setup(g.rounds)))
}

// startWith makes a learner that is told a horizon, anytime or not.
func startWith(a algorithms.Algorithm, g *game, horizon int) (algorithms.Learner, error) {
	return started(a.New(a.Params, g.setup(horizon)))
}

func (g *game) setup(horizon int) algorithms.Setup {
	return algorithms.Setup{Set: g.set(), Constraints: g.m, Facts: g.facts(), Horizon: horizon, Seed: 7}
}

func started(l algorithms.Learner, err error) (algorithms.Learner, error) {
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errRefused, err)
	}
	if l == nil {
		return nil, errors.New("constructor New returned neither a learner nor an error")
	}
	return l, nil
}

// play returns the actions x_1, …, x_{T+1} of a game.
func play(a algorithms.Algorithm, g *game) ([][]float64, error) {
	l, err := start(a, g)
	if err != nil {
		return nil, err
	}
	return g.play(l)
}

func (g *game) play(l algorithms.Learner) ([][]float64, error) {
	actions := [][]float64{act(l, g.n)}
	for t := 1; t <= g.rounds; t++ {
		if err := l.Observe(actions[t-1], g.reveal(t)); err != nil {
			return nil, fmt.Errorf("round %d: %w", t, err)
		}
		actions = append(actions, act(l, g.n))
	}
	return actions, nil
}

func act(l algorithms.Learner, n int) []float64 {
	x := make([]float64, n)
	l.Act(x)
	return x
}

// each checks a rule in every game that the algorithm does not refuse.
func each(a algorithms.Algorithm, games []*game, check func(*game) error) error {
	played := 0
	var refusal error
	for _, g := range games {
		switch err := check(g); {
		case errors.Is(err, errRefused):
			refusal = err
		case err != nil:
			return fmt.Errorf("in the game %v: %w", g, err)
		default:
			played++
		}
	}
	if played == 0 {
		return fmt.Errorf("no game of %d was played; the last: %w", len(games), refusal)
	}
	return nil
}

// differ tells in which round two lists of actions part by more than tol.
func differ(a, b [][]float64, tol float64) error {
	for t := range min(len(a), len(b)) {
		for i := range a[t] {
			if d := a[t][i] - b[t][i]; !(d <= tol && d >= -tol) {
				return fmt.Errorf("action %d is %v and %v", t+1, a[t], b[t])
			}
		}
	}
	return nil
}
