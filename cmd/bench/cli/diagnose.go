package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"ocobench/harness/diagnosis"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/report"
	"ocobench/report/table"
)

// diagnoseCmd holds the flags of bench diagnose, which measures which conditions of the theory a
// problem meets.
type diagnoseCmd struct {
	Problem           use      `help:"The problem." required:"" placeholder:"SPEC" completes:"@problem"`
	Horizon           count    `help:"The number of rounds T; default ${default}." default:"10000" placeholder:"T"`
	Seed              seed     `help:"The seed of all randomness; default ${default}." default:"1" placeholder:"S"`
	Replicate         count    `help:"The replicate that is measured; default ${default}." default:"1" placeholder:"R"`
	Replicates        count    `help:"The replicates for exponents, from --replicate on; default ${default}." default:"50" placeholder:"N"`
	Moves             count    `help:"The replicates for the path length P_T; default: 10 in up to 10 dimensions, at most --replicates, else 1." placeholder:"N"`
	Algorithm         use      `help:"The algorithm that plays; an adaptive problem needs it." placeholder:"SPEC" completes:"@algorithm"`
	Gamma             positive `help:"The penalty weight γ in use; default ${default}." default:"25" placeholder:"γ"`
	Epsilon           positive `help:"An average within ε/√i of 0 is active; default: η/10 for the upper bound of k_τ, 0 for the lower." placeholder:"ε"`
	JSON              bool     `help:"Print JSON."`
	IgnoreAssumptions bool     `help:"Play even if the algorithm's assumptions are not met."`
	externalFlags
	Figure picture `help:"Draw the averages, k_τ and their oscillation." placeholder:"FILE.pdf|.svg|.png"`
}

// Run implements the verb.
func (c *diagnoseCmd) Run(e *env) error {
	f := streamFlags{c.Problem, c.Horizon, c.Seed, c.Replicate}
	g, err := f.prepareGame(e, c.Algorithm)
	if err != nil {
		return err
	}
	defer game.Close(g.Stream) // it serves the checks only; the measurement starts streams of its own
	if g.Stream.Facts().Opaque {
		return fmt.Errorf("--problem: the functions of %s are opaque, known by values and subgradients "+
			"alone; the conditions are measured on whole functions", g.Problem.Spec)
	}
	switch {
	case c.Algorithm.Name != "":
		if err := g.checkAssumptions(e, c.IgnoreAssumptions); err != nil {
			return err
		}
	case g.Stream.Facts().Adaptive:
		return g.unknownActions()
	}
	if err := game.CheckRounds(g.Stream, g.Horizon); err != nil {
		return err
	}
	cell := experiment.Cell{Problem: &g.Problem, Seed: g.Seed, Horizon: g.Horizon}
	if g.Algorithm.Name != "" {
		cell.Algorithm = &g.Algorithm
	}
	s, l, err := cell.Begin(g.Replicate)
	if err != nil { // started once here, so that bad parameters are bad input and no failed cell
		return err
	}
	game.Close(s)
	game.Close(l)
	if err := c.Figure.file.checkWritable("--figure"); err != nil {
		return err
	}
	end := e.showStage("%s: measuring", g.Problem.Spec)
	d, err := diagnosis.Measure(e.ctx, cell.Begin, diagnosis.Options{
		Horizon: g.Horizon, Replicate: g.Replicate, Replicates: int(c.Replicates), Moves: int(c.Moves),
		Gamma: float64(c.Gamma), Epsilon: float64(c.Epsilon),
	})
	end()
	var large *game.MemoryError
	if errors.As(err, &large) {
		return fmt.Errorf("%s: %w", g.Problem.Spec, err)
	} else if err != nil {
		return &failedError{fmt.Errorf("%s: %w", g.Problem.Spec, err)}
	}
	if err := c.printDiagnosis(e, g, d); err != nil {
		return err
	}
	return c.Figure.writeFigure(report.DiagnosisFigure(d), "the horizon is too short for a figure")
}

// printDiagnosis prints a diagnosis as JSON or as tables, with the origin of the game.
func (c *diagnoseCmd) printDiagnosis(e *env, g *singleGame, d *diagnosis.Diagnosis) error {
	o := g.origin()
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(struct {
			origin
			*diagnosis.Diagnosis
		}{o, d})
	}
	fmt.Fprintf(e.stdout, "%s after %s, n = %d, m = %d\n\n", g.Problem.Spec, plural(g.Horizon,
		"round"),
		d.Dim, d.Constraints)
	tables, p := report.DiagnosisTables(d), o.Provenance
	last := tables[len(tables)-1]
	last.Notes = []table.Text{
		table.Plain(fmt.Sprintf("Seed %d, replicate %d, %s;", g.Seed, g.Replicate,
			plural(d.Paths, "path"))),
		table.Plain(fmt.Sprintf("ocobench %s, %s, %s.", p.Version, p.Go, p.GOARCH)),
	}
	for _, t := range tables {
		if err := e.printTable(t, contentWidth); err != nil {
			return err
		}
	}
	return nil
}
