package cli

import (
	"encoding/json"
	"fmt"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/problems"
	"ocobench/report"
)

// hindsightCmd holds the flags of bench hindsight, which solves for the best fixed actions.
type hindsightCmd struct {
	streamFlags
	externalFlags
	Algorithm         use   `help:"The algorithm that plays, for an adaptive problem." placeholder:"SPEC" completes:"@algorithm"`
	IgnoreAssumptions bool  `help:"Play even if the algorithm's assumptions are not met."`
	Window            count `help:"Add the set X_K." placeholder:"K"`
	BurnIn            count `help:"X̂^max has the prefixes of T₀ rounds or more; default 1." placeholder:"T₀"`
	Moving            bool  `help:"Add the best action of each round, their path and the variation."`
	JSON              bool  `help:"Print JSON."`
}

// Run implements the verb.
func (c *hindsightCmd) Run(e *env) error {
	g, err := c.prepareHindsight(e)
	if err != nil {
		return err
	}
	newHindsight := func(s problems.Stream) (h *game.Hindsight) {
		h = game.NewHindsight(s)
		h.Window, h.BurnIn = int(c.Window), int(c.BurnIn)
		return h
	}
	if err := game.AffordHindsight(e.ctx, g.Stream, c.Moving, g.Horizon,
		func() (l algorithms.Learner, s problems.Stream, all []game.Observer, err error) {
			if s, err = g.Problem.Stream(g.Seed, g.Replicate); err != nil {
				return nil, nil, nil, err
			}
			if g.Algorithm.Name != "" {
				l, err = g.Algorithm.Learner(s, g.Seed, g.Replicate, g.Horizon)
			}
			return l, s, []game.Observer{newHindsight(s)}, err
		}); err != nil {
		return fmt.Errorf("%s: %w", g.Problem.Spec, err)
	}
	h := newHindsight(g.Stream)
	end := e.showStage("%s: solving for the best fixed actions", g.Problem.Spec)
	defer end()
	var bests []game.Best
	var declared *game.Declared
	// The sets are solved in the last round and not after the game, since a closed stream evaluates
	// nothing.
	solve := lastRound{g.Horizon, func() (err error) {
		if bests, err = h.Solve(); err == nil {
			declared, err = h.Declared(bests)
		}
		return err
	}}
	observers := []game.Observer{h, solve}
	var moving *game.Moving
	if c.Moving {
		moving = game.NewMoving(g.Stream)
		observers = append(observers, moving)
	}
	if err := g.play(e, func() error { return nil }, observers...); err != nil {
		return err
	}
	end()
	o := g.origin()
	if !c.JSON {
		t := report.HindsightTable(g.Problem.Spec, g.Horizon, h, bests, declared, moving, o.noteText())
		return e.printTable(t, contentWidth)
	}
	// The output describes the rounds, and does not name the algorithm.
	o.Algorithm, o.Window, o.BurnIn = "", h.Window, h.BurnIn
	sets := make(map[string]game.Best)
	for _, b := range bests {
		sets[b.Set] = b
	}
	return json.NewEncoder(e.stdout).Encode(struct {
		T int `json:"t"`
		origin
		Sets     map[string]game.Best `json:"sets"`
		Declared *game.Declared       `json:"declared,omitempty"`
		Moving   *game.Moving         `json:"moving,omitempty"`
	}{g.Horizon, o, sets, declared, moving})
}

// lastRound calls the function then in the last round of a game.
type lastRound struct {
	horizon int
	then    func() error
}

// Round implements [game.Observer].
func (l lastRound) Round(t int, _ []float64, _ *convex.Round) error {
	if t < l.horizon {
		return nil
	}
	return l.then()
}

// prepareHindsight prepares the game, and refuses flags that leave nothing to solve.
func (c *hindsightCmd) prepareHindsight(e *env) (*singleGame, error) {
	g, err := c.prepareGame(e, c.Algorithm)
	if err != nil {
		return nil, err
	}
	if g.Stream.Facts().Adaptive {
		if c.Algorithm.Name == "" {
			return nil, g.unknownActions()
		}
		if err := g.checkAssumptions(e, c.IgnoreAssumptions); err != nil {
			return nil, err
		}
	}
	if g.Stream.Facts().Opaque && (c.Moving || c.Window > 0 || c.BurnIn > 0) {
		return nil, fmt.Errorf("--problem: the functions of %s are opaque; leave out --moving, --window "+
			"and --burn-in, which need whole functions", g.Problem.Spec)
	}
	for _, f := range []struct {
		flag  string
		value count
	}{{"--window", c.Window}, {"--burn-in", c.BurnIn}} {
		if f.value > c.Horizon {
			return nil, fmt.Errorf("%s: %d is beyond the horizon %d, and would leave no constraint in "+
				"the set", f.flag, f.value, c.Horizon)
		}
	}
	return g, nil
}
