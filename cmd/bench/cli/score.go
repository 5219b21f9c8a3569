package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/problems/recorded"
	"ocobench/report"
	"ocobench/report/export"
)

// scoreCmd holds the flags of bench score, which scores actions that another program played.
type scoreCmd struct {
	File      path   `arg:"" help:"The actions, a line of JSON each." placeholder:"FILE.jsonl"`
	Problem   use    `help:"The problem." required:"" placeholder:"SPEC" completes:"@problem"`
	Horizon   count  `help:"Score the first T actions; default: all." placeholder:"T"`
	Seed      seed   `help:"The seed of all randomness; default ${default}." default:"1" placeholder:"S"`
	Replicate count  `help:"The replicate; default ${default}." default:"1" placeholder:"R"`
	JSON      bool   `help:"Print JSON."`
	Curve     path   `help:"Also write all curves, in the long form of bench export." placeholder:"FILE.csv"`
	Name      string `help:"The algorithm in the curves; default: the name of the file." placeholder:"NAME"`
	externalFlags
}

// Run implements the verb.
func (c *scoreCmd) Run(e *env) error {
	if c.Name != "" && c.Curve == "" {
		return errors.New("--name: names the algorithm in the curves; give --curve FILE.csv too")
	}
	f := streamFlags{Problem: c.Problem, Seed: c.Seed, Replicate: c.Replicate}
	g, err := f.prepareGame(e, use{})
	if err != nil {
		return err
	}
	actions, err := recorded.OpenActions(string(c.File), g.Stream.Set().Dim(), int(c.Horizon))
	if err != nil {
		return err
	}
	if err := actions.CheckHorizon(int(c.Horizon)); err != nil {
		return err
	}
	g.Horizon = actions.Len()
	m := game.NewMeter(g.Stream, game.Checkpoints(g.Horizon))
	environment, err := game.NewEnvironment(g.Stream, g.Horizon, m)
	if err != nil {
		return err
	}
	defer environment.Close()
	for t := 1; t <= g.Horizon; t++ {
		if t%256 == 0 && e.ctx.Err() != nil {
			return errInterrupted
		}
		x := actions.At(t)
		if err := environment.Check(x); err != nil {
			return fmt.Errorf("%s: %w (expected a point of the domain of %s)", actions.Place(t), err,
				g.Problem.Spec)
		}
		if _, err := environment.Step(x); err != nil {
			return &failedError{fmt.Errorf("%s: round %d: %w", g.Problem.Spec, t, err)}
		}
	}
	o, err := m.Outcome(g.Horizon)
	if err != nil {
		return &failedError{fmt.Errorf("%s: %w", g.Problem.Spec, err)}
	}
	if c.Curve != "" {
		if err := c.writeCurve(m, g); err != nil {
			return err
		}
	}
	if !c.JSON {
		return e.printTable(report.ScoreTable(g.Problem.Spec, o, g.origin().noteText()), contentWidth)
	}
	return json.NewEncoder(e.stdout).Encode(struct {
		*game.Outcome
		origin
	}{o, g.origin()})
}

// writeCurve writes the metrics at the checkpoints to the file of --curve.
func (c *scoreCmd) writeCurve(m *game.Meter, g *singleGame) error {
	name := c.Name
	if name == "" {
		base := filepath.Base(string(c.File))
		name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	x := export.Selection{Results: []*run.Results{{
		Record: experiment.Record{Name: "score"},
		Games:  []*game.Game{m.Game(name, g.Problem.Spec, g.Replicate, g.Horizon)},
	}}}
	for _, metric := range game.Select(func(m game.Metric) bool { return m.Exported }) {
		x.Metrics = append(x.Metrics, metric.Name)
	}
	return c.Curve.writeFile("--curve", func(w io.Writer) error { return export.CSV(w, x) })
}
