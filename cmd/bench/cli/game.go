package cli

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/problems"
)

// singleGame holds a game that a verb plays outside of an experiment.
type singleGame struct {
	Algorithm experiment.Algorithm // no algorithm plays if the Name is empty
	Problem   experiment.Problem
	Stream    problems.Stream
	Seed      uint64
	Replicate int
	Horizon   int
}

// prepareGame prepares a game on the stream; the algorithm may be the zero value.
func (f *streamFlags) prepareGame(e *env, algorithm use) (*singleGame, error) {
	g := &singleGame{Seed: uint64(f.Seed), Replicate: int(f.Replicate), Horizon: int(f.Horizon)}
	var err error
	if g.Problem, err = resolveOne("--problem", f.Problem, e.catalog.ResolveProblems); err != nil {
		return nil, err
	}
	if algorithm.Name != "" {
		if g.Algorithm, err = resolveOne("--algorithm", algorithm,
			e.catalog.ResolveAlgorithms); err != nil {
			return nil, err
		}
	}
	if g.Problem, err = g.Problem.Bind(g.Horizon); err != nil {
		return nil, fmt.Errorf("--problem: %w", err)
	}
	g.Stream, err = g.Problem.Open(g.Seed, g.Replicate)
	return g, err
}

// resolveOne resolves a SPEC, and returns an error if it stands for several entries of a sweep.
func resolveOne[T any](flag string, u use, resolve func(spec.Use) ([]T, error)) (T, error) {
	v, err := experiment.One(u.Use, resolve)
	if err != nil {
		err = fmt.Errorf("%s: %w", flag, err)
	}
	return v, err
}

// origin says in JSON which game is played, and by which program.
type origin struct {
	Problem    string           `json:"problem"`
	Algorithm  string           `json:"algorithm,omitempty"`
	Seed       uint64           `json:"seed"`
	Replicate  int              `json:"replicate"`
	Window     int              `json:"window,omitempty"`
	BurnIn     int              `json:"burn_in,omitempty"`
	Provenance store.Provenance `json:"provenance"`
}

// origin returns the origin of the game, without the options of a hindsight.
func (g *singleGame) origin() origin {
	return origin{
		Problem: g.Problem.Spec, Algorithm: g.Algorithm.Spec, Seed: g.Seed, Replicate: g.Replicate,
		Provenance: store.CurrentProvenance(),
	}
}

// noteText returns the origin as a note below a table.
func (o origin) noteText() string {
	p := o.Provenance
	return fmt.Sprintf("Seed %d, replicate %d; ocobench %s, %s, %s.", o.Seed, o.Replicate, p.Version,
		p.Go, p.GOARCH)
}

// unknownActions returns the error of a game on an adaptive problem without an algorithm, whose
// actions would shape the rounds.
func (g *singleGame) unknownActions() error {
	return fmt.Errorf("--problem: %s is adaptive, its rounds depend on the actions; name the "+
		"algorithm with --algorithm SPEC", g.Problem.Spec)
}

// checkAssumptions returns an error if the problem does not meet the assumptions of
// the algorithm. If ignore is true, it prints a warning instead.
func (g *singleGame) checkAssumptions(e *env, ignore bool) error {
	unmet := g.Algorithm.Unmet(g.Stream.Facts())
	if len(unmet) == 0 {
		return nil
	}
	u := experiment.Unmet{Algorithm: g.Algorithm.Spec, Problem: g.Problem.Spec, Assumptions: unmet}
	if !ignore {
		return fmt.Errorf("%s; play nevertheless with --ignore-assumptions", u)
	}
	fmt.Fprintf(e.stderr, "bench: warning: %s\n", u)
	return nil
}

// play plays the game with the observers. It calls begin before the first round, if
// the game can start.
func (g *singleGame) play(e *env, begin func() error, observers ...game.Observer) error {
	who := "hindsight"
	var l algorithms.Learner
	if g.Algorithm.Name != "" {
		who = g.Algorithm.Spec
		var err error
		if l, err = g.Algorithm.Learner(g.Stream, g.Seed, g.Replicate, g.Horizon); err != nil {
			return err
		}
	}
	if err := game.CheckRounds(g.Stream, g.Horizon); err != nil {
		return err
	}
	if err := begin(); err != nil {
		return err
	}
	if err := game.Play(e.ctx, l, g.Stream, g.Horizon, observers...); err != nil {
		return &failedError{fmt.Errorf("%s on %s: %w", who, g.Problem.Spec, err)}
	}
	return nil
}
