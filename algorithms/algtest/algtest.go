// Package algtest tests learners: the laws that every algorithm of a registry
// keeps, whoever wrote it.
//
//	func TestConformance(t *testing.T) {
//		algtest.Registry(t, myAlgorithms)
//		for _, a := range myAlgorithms {
//			t.Run(a.Name, func(t *testing.T) { algtest.Learner(t, a) })
//		}
//	}
//
// [Registry] looks at what entries say of themselves, [Learner] plays small
// games on boxes, balls and simplices in one to four dimensions with zero to
// three constraints: affine, quadratic, perturbed, fixed, and norms. A failure
// names the law, the game and the round. An algorithm may refuse a game, by an
// error of its New, but not every game of a law.
package algtest

import (
	"errors"
	"fmt"
	"testing"

	"ocobench/algorithms"
)

// Law is a rule that learners keep.
type Law struct {
	Name  string
	Doc   string
	Check func(algorithms.Algorithm) error
}

// Learner checks every law of [Laws] for the learner with its default
// parameters.
func Learner(t *testing.T, a algorithms.Algorithm) {
	t.Helper()
	for _, law := range Laws {
		t.Run(law.Name, func(t *testing.T) {
			if err := law.Check(a); err != nil {
				t.Errorf("%s breaks the law %q (%s): %v", a.Name, law.Name, law.Doc, err)
			}
		})
	}
}

// Registry checks what the entries of a registry say of themselves.
func Registry(t *testing.T, all []algorithms.Algorithm) {
	t.Helper()
	if err := CheckRegistry(all); err != nil {
		t.Error(err)
	}
}

// errRefused wraps what New returned.
var errRefused = errors.New("refused")

// start begins a game; the horizon is told to those only that declare it.
func start(a algorithms.Algorithm, g *game) (algorithms.Learner, error) {
	horizon := 0
	if !a.Anytime {
		horizon = g.rounds
	}
	return startFor(a, g, horizon)
}

func startFor(a algorithms.Algorithm, g *game, horizon int) (algorithms.Learner, error) {
	l, err := a.New(a.Params, algorithms.Setup{Set: g.set(), Constraints: g.m, Facts: g.facts(), Horizon: horizon, Seed: 7})
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
