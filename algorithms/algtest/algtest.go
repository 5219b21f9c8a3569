// Package algtest is the conformance suite of learners: the laws that package
// algorithms states, checked on small games.
//
// One line tests a registry, or a single algorithm:
//
//	func TestAlgorithmsKeepAllLaws(t *testing.T) { algtest.Run(t, myAlgorithms...) }
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
//
// The algorithm of another program, one with a Fingerprint, plays only the games whose facts it
// assumes, and only under the laws that can be told from its answers. The verb bench conform does
// so.
package algtest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// Law is a rule that every learner keeps.
type Law struct {
	Name   string
	Doc    string // the rule
	Remedy string // what to do where it is broken
	// Skip returns why the rule does not apply to this algorithm, or "". A nil Skip means that the
	// rule applies to every algorithm.
	Skip  func(algorithms.Algorithm) string
	Check func(algorithms.Algorithm) error
}

// Test checks the law, unless there is a reason to skip it. A panic breaks the law.
// The error is an [algorithms.FailedError] where the learner of another program failed.
func (l Law) Test(a algorithms.Algorithm) (skip string, err error) {
	if l.Skip != nil {
		if skip = l.Skip(a); skip != "" {
			return skip, nil
		}
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return "", l.Check(a)
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
					skip, err := law.Test(a)
					switch {
					case skip != "":
						t.Skip(skip)
					case err != nil:
						t.Errorf("%s breaks the law %q (%s): %v\n%s", a.Name, law.Name, law.Doc, err, law.Remedy)
					}
				})
			}
		})
	}
}

// isExternal reports whether an algorithm runs in another program.
func isExternal(a algorithms.Algorithm) bool { return a.Fingerprint != "" }

// errRefused is wrapped by the error of a game that the algorithm refuses to play.
var errRefused = errors.New("refused")

// startPlayer starts a game with the seed that all laws use, unless they are about seeds. An
// algorithm with doubling starts a new learner for every epoch of 1, 2, 4, … rounds
// ([algorithms.Algorithm.Start]).
func startPlayer(a algorithms.Algorithm, g *game) (*player, error) {
	return startSeed(a, g, seed)
}

// seed is the seed of learners. It has high and low bits, since the protocol of other programs
// sends the leading ones alone.
const seed = 7<<40 + 7

// startSeed starts a game whose learner draws from this seed.
func startSeed(a algorithms.Algorithm, g *game, seed uint64) (*player, error) {
	return newPlayer(a, g, a.Start, g.rounds, seed)
}

// startWith starts a game without doubling, whose learner is told this horizon even if it is
// anytime.
func startWith(a algorithms.Algorithm, g *game, horizon int) (*player, error) {
	return newPlayer(a, g, a.New, horizon, seed)
}

// newPlayer makes the player of a game with the learner that start returns. The error wraps
// errRefused if the learner refuses the game, or is of another program and assumes more than the
// game has.
func newPlayer(a algorithms.Algorithm, g *game,
	start func(any, algorithms.Setup) (algorithms.Learner, error), horizon int, seed uint64) (*player,
	error) {
	setup := g.setup(horizon)
	setup.Seed = seed
	if unmet := a.Unmet(setup.Facts); isExternal(a) && len(unmet) > 0 {
		return nil, fmt.Errorf("%w: it assumes %s", errRefused, strings.Join(unmet, " and "))
	}
	l, err := start(a.Params, setup)
	var failed *algorithms.FailedError
	switch {
	case errors.As(err, &failed):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %v", errRefused, err)
	case l == nil:
		return nil, errors.New("constructor New returned neither a learner nor an error")
	}
	return &player{learner: l, n: g.n, set: setup.Set}, nil
}

// setup returns what the learner is told about the game.
func (g *game) setup(horizon int) algorithms.Setup {
	return algorithms.Setup{Set: g.set(), Constraints: g.m, Facts: g.facts(), Horizon: horizon,
		Seed: seed}
}

// player is a learner in a game. Its errors name the round.
type player struct {
	learner algorithms.Learner
	set     convex.Set // what the learner was given
	n, t    int
	// keepsGap says that gap holds the largest gap that the learner certified.
	keepsGap bool
	gap      float64
}

// act returns the next action, with NaN for coordinates that the learner leaves out.
func (p *player) act() ([]float64, error) {
	x := slices.Repeat([]float64{math.NaN()}, p.n)
	p.learner.Act(x)
	return x, p.failure(p.t+1, nil)
}

// observe reveals a round to the learner, and keeps the gap that the learner certifies. Its error
// names the round.
func (p *player) observe(x []float64, r convex.Round) error {
	p.t++
	err := p.learner.Observe(x, r)
	if c, ok := p.learner.(algorithms.Certified); ok && p.keepsGap {
		p.gap = max(p.gap, c.Cert().Gap)
	}
	return p.failure(p.t, err)
}

// failure returns the error of round t: a FailedError if the learner can fail and did, or else err,
// which Observe returned.
func (p *player) failure(t int, err error) error {
	if f, ok := p.learner.(algorithms.Fallible); ok && f.Err() != nil {
		err = &algorithms.FailedError{Reason: f.Err().Error()}
	}
	if err != nil {
		return fmt.Errorf("round %d: %w", t, err)
	}
	return nil
}

// close ends the game of a learner that holds resources, so that a process can play the
// next game.
func (p *player) close() {
	if c, ok := p.learner.(io.Closer); ok {
		c.Close()
	}
}

// actionsOf plays a game, and returns the actions x_1, …, x_T.
func actionsOf(a algorithms.Algorithm, g *game) ([][]float64, error) {
	return g.playAll(startPlayer(a, g))
}

// playAll plays a game to its end with a learner that was just started, closes it, and returns the
// actions, as in g.playAll(startPlayer(a, g)). An error of the start is returned as it is.
func (g *game) playAll(p *player, err error) (actions [][]float64, _ error) {
	if err != nil {
		return nil, err
	}
	defer p.close()
	err = g.play(p, func(_ int, x []float64) error {
		actions = append(actions, x)
		return nil
	}, nil)
	return actions, err
}

// play plays a game. It calls show with each action before the round is revealed, and then, unless
// seen is nil, seen with the action and the round as the learner left them.
func (g *game) play(p *player, show func(t int, x []float64) error,
	seen func(t int, x []float64, r convex.Round) error) error {
	for t := 1; t <= g.rounds; t++ {
		x, err := p.act()
		if err == nil {
			err = show(t, x)
		}
		r := g.reveal(t)
		if err == nil {
			err = p.observe(x, r)
		}
		if err == nil && seen != nil {
			err = seen(t, x, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Equal returns an error if two algorithms do not play some game bit for bit alike.
func Equal(a, b algorithms.Algorithm) error {
	return eachGame(a, fewGames(12), func(g *game) error {
		first, err := actionsOf(a, g)
		if err != nil {
			return err
		}
		second, err := actionsOf(b, g)
		if errors.Is(err, errRefused) {
			return fmt.Errorf("one plays it, and the other: %v", err)
		}
		if err != nil {
			return err
		}
		return firstDifference(first, second, 0)
	})
}

// eachGame calls check for every game, and returns the first error that is not a refusal. It is an
// error, too, if the algorithm refuses all games.
func eachGame(a algorithms.Algorithm, games []*game, check func(*game) error) error {
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

// eachPlayer calls check, as eachGame does, with a player that begins the game, and then closes it.
func eachPlayer(a algorithms.Algorithm, games []*game, check func(*game, *player) error) error {
	return eachGame(a, games, func(g *game) error {
		p, err := startPlayer(a, g)
		if err != nil {
			return err
		}
		defer p.close()
		return check(g, p)
	})
}

// eachReplay calls check, as eachPlayer does, and with the actions that were played when the game
// was played before.
func eachReplay(a algorithms.Algorithm, games []*game,
	check func(g *game, p *player, want [][]float64) error) error {
	return eachGame(a, games, func(g *game) error {
		want, err := actionsOf(a, g)
		if err != nil {
			return err
		}
		p, err := startPlayer(a, g)
		if err != nil {
			return err
		}
		defer p.close()
		return check(g, p, want)
	})
}

// firstDifference returns an error that names the first round in which a coordinate of two lists of
// actions differs by more than tol, or nil.
func firstDifference(a, b [][]float64, tol float64) error {
	for t := range min(len(a), len(b)) {
		for i := range a[t] {
			if d := a[t][i] - b[t][i]; !(d <= tol && d >= -tol) {
				return fmt.Errorf("action %d is %v and %v", t+1, a[t], b[t])
			}
		}
	}
	return nil
}
