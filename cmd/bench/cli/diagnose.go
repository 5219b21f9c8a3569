package cli

import (
	"encoding/json"
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/diagnosis"
	"ocobench/paper"
	"ocobench/paper/table"
	"ocobench/problems"
)

type diagnoseCmd struct {
	Problem           use      `help:"The problem." required:"" placeholder:"SPEC"`
	Horizon           count    `help:"The number of rounds T; default ${default}." default:"10000" placeholder:"T"`
	Seed              seed     `help:"From which all randomness is derived; default ${default}." default:"1" placeholder:"S"`
	Replicate         count    `help:"Which of the independent repetitions is measured; default ${default}." default:"1" placeholder:"R"`
	Replicates        count    `help:"How many of them, from there on, exponents are averaged over; default ${default}." default:"50" placeholder:"N"`
	Algorithm         use      `help:"The algorithm to play against, where the problem is adaptive; elsewhere its points are looked at too." placeholder:"SPEC"`
	Gamma             positive `help:"The penalty positive γ in use; default ${default}." default:"25" placeholder:"γ"`
	Epsilon           positive `help:"Averages within ε/√i of 0 count as active; default a tenth of the Slater margin η." placeholder:"ε"`
	JSON              bool     `help:"Print JSON."`
	IgnoreAssumptions bool     `help:"Play even if the problem does not meet the algorithm's assumptions."`
	Figure            picture  `help:"Draw the averages, k_τ and their oscillation." placeholder:"FILE.pdf|.svg|.png"`
}

// Help implements the verb's help.
func (*diagnoseCmd) Help() string {
	return `Measured, of the problem's own rounds and of a file of yours alike: Lipschitz
constants beside the declared ones; a Slater point of the running averages;
the number k_τ of averages that are active on the boundary of X̂^max, and the
β of the Penalty Growth condition; how fast the averages converge; the γ that
Theorem 1 asks for; which comparator sets are empty. And in words: which
theorems of the paper apply, and by which condition another does not.

    bench diagnose --problem decaying-frequency:c=0.75 --horizon 1e5
    bench diagnose --problem trace:file=rounds.jsonl --horizon 1000 --json

What holds "at T" is a statement on T rounds: the theory is about the limit.`
}

// Run implements the verb.
func (c *diagnoseCmd) Run(e *env) error {
	f := streamFlags{c.Problem, c.Horizon, c.Seed, c.Replicate}
	g, err := f.game(e, c.Algorithm)
	if err != nil {
		return err
	}
	switch {
	case c.Algorithm.Name != "":
		if err := g.checkAssumptions(e, c.IgnoreAssumptions); err != nil {
			return err
		}
	case g.Stream.Facts().Adaptive:
		return fmt.Errorf("--problem: %s is adaptive, its rounds depend on who plays; say --algorithm SPEC", g.Arena.Spec)
	}
	if err := harness.CheckRounds(g.Stream, g.Horizon); err != nil {
		return err
	}
	start := func(replicate int) (problems.Stream, algorithms.Learner, error) {
		s, err := g.Arena.Stream(g.Seed, replicate)
		if err != nil || g.Contender.Name == "" {
			return s, nil, err
		}
		l, err := g.Contender.Learner(s, g.Seed, replicate, g.Horizon)
		return s, l, err
	}
	if _, _, err := start(g.Replicate); err != nil { // bad parameters are no failure
		return err
	}
	d, err := diagnosis.Measure(e.ctx, start, diagnosis.Options{
		Horizon: g.Horizon, Replicate: g.Replicate, Replicates: int(c.Replicates),
		Gamma: float64(c.Gamma), Epsilon: float64(c.Epsilon),
	})
	if err != nil {
		return &failedError{fmt.Errorf("%s: %w", g.Arena.Spec, err)}
	}
	if err := c.Figure.draw(paper.DiagnosisFigure(d), "a horizon so short has no curves to draw"); err != nil {
		return err
	}
	p := harness.Provenance()
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(struct {
			Problem    string `json:"problem"`
			Algorithm  string `json:"algorithm,omitempty"`
			Seed       uint64 `json:"seed"`
			Replicate  int    `json:"replicate"`
			Provenance any    `json:"provenance"`
			*diagnosis.Diagnosis
		}{g.Arena.Spec, g.Contender.Spec, g.Seed, g.Replicate, p, d})
	}
	fmt.Fprintf(e.stdout, "%s after %s, n = %d, m = %d\n\n", g.Arena.Spec, plural(g.Horizon, "round"), d.Dim, d.Constraints)
	tables := paper.Diagnosis(d)
	last := tables[len(tables)-1]
	last.Notes = []table.Text{table.Plain(fmt.Sprintf("Seed %d, replicate %d, %s; ocobench %s, %s, %s.", g.Seed, g.Replicate, plural(d.Paths, "path"), p.Version, p.Go, p.GOARCH))}
	for _, t := range tables {
		if err := table.WriteTerminal(e.stdout, t); err != nil {
			return err
		}
	}
	return nil
}
