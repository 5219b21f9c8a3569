package cli

import (
	"bufio"

	"ocobench/harness"
	"ocobench/problems"
	"ocobench/problems/convex"
)

type playCmd struct {
	Algorithm string `help:"The algorithm." required:"" placeholder:"SPEC"`
	streamFlags
}

// Help implements the verb's help.
func (*playCmd) Help() string {
	return `The first line says what is played, and then every round is a line:

    {"t":1,"x":[…],"loss":{"value":…,"form":FORM},"constraints":[…]}

with FORM {"const":c,"lin":[…],"quad":[[…],…]}. The problem trace reads these
lines back, so that a recorded game can be played by another algorithm:

    bench play --algorithm ogd --problem iid --horizon 100 > rounds.jsonl
    bench play --algorithm primal-dual --problem trace:file=rounds.jsonl --horizon 100`
}

// Run implements the verb.
func (c *playCmd) Run(e *env) error {
	a, horizon, err := c.open(e)
	if err != nil {
		return err
	}
	g := game{Arena: a, Seed: c.Seed, Replicate: c.Replicate, Horizon: horizon}
	if g.Contender, err = one("--algorithm", c.Algorithm, e.catalog.Contenders); err != nil {
		return err
	}
	if g.Stream, err = a.Stream(c.Seed, c.Replicate); err != nil {
		return err
	}
	out := bufio.NewWriterSize(e.stdout, 1<<16)
	w := problems.NewRoundWriter(out)
	err = g.play(e, func() error {
		p := harness.Provenance()
		return w.WriteHeader(problems.RoundHeader{
			Domain: g.Stream.Set(), Constraints: g.Stream.Constraints(),
			Algorithm: g.Contender.Spec, Problem: a.Spec, Seed: c.Seed, Replicate: c.Replicate,
			Version: p.Version, Go: p.Go, GOARCH: p.GOARCH,
		})
	}, recorder{w})
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}

// recorder is the observer that writes rounds.
type recorder struct{ *problems.RoundWriter }

// Round implements [harness.Observer].
func (r recorder) Round(t int, x []float64, round convex.Round) error {
	return r.WriteRound(t, x, round)
}
