package cli

import (
	"bufio"
	"io"

	"ocobench/convex"
	"ocobench/harness/store"
	"ocobench/problems"
	"ocobench/problems/recorded"
)

// playCmd holds the flags of bench play, which plays one game and writes each round as a line of
// JSON.
type playCmd struct {
	Algorithm use `help:"The algorithm." required:"" placeholder:"SPEC" completes:"@algorithm"`
	streamFlags
	externalFlags
	IgnoreAssumptions bool `help:"Play even if the algorithm's assumptions are not met."`
	Out               path `help:"The file of the rounds, gzipped if it ends in .gz; default: standard output." placeholder:"FILE.jsonl"`
}

// Run implements the verb.
func (c *playCmd) Run(e *env) error {
	g, err := c.prepareGame(e, c.Algorithm)
	if err != nil {
		return err
	}
	if err := g.checkAssumptions(e, c.IgnoreAssumptions); err != nil {
		return err
	}
	if c.Out != "" {
		return c.Out.writeRounds("--out", func(to io.Writer) error { return recordGame(e, g, to) })
	}
	return recordGame(e, g, e.stdout)
}

// recordGame plays the game and writes its rounds.
func recordGame(e *env, g *singleGame, to io.Writer) error {
	out := bufio.NewWriterSize(to, 1<<16)
	w := recorded.NewWriter(out)
	err := g.play(e, func() error {
		p, facts := store.CurrentProvenance(), g.Stream.Facts()
		var expectation []convex.Func
		if s, ok := g.Stream.(problems.Expecter); ok {
			expectation = s.Expectation()
		}
		return w.Header(recorded.Header{
			Domain: g.Stream.Set(), Constraints: g.Stream.Constraints(), Facts: &facts,
			Expectation: expectation, Bases: problems.BasesOf(g.Stream),
			Algorithm: g.Algorithm.Spec, Problem: g.Problem.Spec, Seed: g.Seed, Replicate: g.Replicate,
			Version: p.Version, Go: p.Go, GOARCH: p.GOARCH,
		})
	}, w)
	if flushed := out.Flush(); flushed != nil { // the output failed, and not the game
		return flushed
	}
	return err
}
