package cli

import (
	"encoding/json"
	"fmt"

	"ocobench/harness"
	"ocobench/report/table"
)

type hindsightCmd struct {
	streamFlags
	externalFlags
	Algorithm         use   `help:"The algorithm that plays, for an adaptive problem." placeholder:"SPEC" completes:"@algorithm"`
	IgnoreAssumptions bool  `help:"Play even if the problem does not meet the algorithm's assumptions."`
	Window            count `help:"Add the set X_K: the constraints of every K consecutive rounds sum to ≤ 0." placeholder:"K"`
	BurnIn            count `help:"X̂^max has only the prefixes of T₀ rounds or more; default 1." placeholder:"T₀"`
	Moving            bool  `help:"Add the best action of each round, the length of their path, and the variation of the constraints."`
	JSON              bool  `help:"Print JSON."`
}

// Help implements the verb's help.
func (*hindsightCmd) Help() string {
	return `bench hindsight prints the best fixed action of T rounds over each of these
sets, with a certified gap of its value and the largest violation of the
constraints of the set (residual):

    xmin   X^min: the constraints of every round are ≤ 0
    xhat   X̂^max: the constraints of every prefix of the rounds sum to ≤ 0
    xmax   X^max: the constraints of all rounds sum to ≤ 0
    xe     X^E: the expected constraints are ≤ 0, if the problem knows them
    xk     X_K: the constraints of every K consecutive rounds sum to ≤ 0, with
           --window K

With --moving it also solves every round by itself, for the best action of the
domain that is feasible in it: the sum of these least losses, the length P_T of
the path of the actions, and the variation V_T of the constraints. From an empty
round on there is no sum and no path.`
}

// Run implements the verb.
func (c *hindsightCmd) Run(e *env) error {
	g, err := c.game(e, c.Algorithm)
	if err != nil {
		return err
	}
	if g.Stream.Facts().Adaptive {
		if c.Algorithm.Name == "" {
			return fmt.Errorf("--problem: %s is adaptive, its rounds depend on the actions; name the algorithm with --algorithm SPEC", g.Arena.Spec)
		}
		if err := g.checkAssumptions(e, c.IgnoreAssumptions); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		flag  string
		value count
	}{{"--window", c.Window}, {"--burn-in", c.BurnIn}} {
		if f.value > c.Horizon {
			return fmt.Errorf("%s: %d is beyond the horizon %d, and would leave no constraint in the set", f.flag, f.value, c.Horizon)
		}
	}
	h := harness.NewHindsight(g.Stream)
	h.Window, h.BurnIn = int(c.Window), int(c.BurnIn)
	end := e.stage("%s: solving for the best fixed actions", g.Arena.Spec)
	defer end()
	observers := []harness.Observer{h}
	var moving *harness.Moving
	if c.Moving {
		moving = harness.NewMoving(g.Stream)
		observers = append(observers, moving)
	}
	if err := g.play(e, func() error { return nil }, observers...); err != nil {
		return err
	}
	bests, err := h.Solve()
	end()
	if err != nil {
		return &failedError{fmt.Errorf("%s: %w", g.Arena.Spec, err)}
	}
	if !c.JSON {
		return e.show(bestTable(g, h, bests, moving), 0)
	}
	type answer struct {
		Value    *float64  `json:"value,omitempty"`
		Action   []float64 `json:"action,omitempty"`
		Gap      *float64  `json:"gap,omitempty"`
		Residual *float64  `json:"residual,omitempty"`
		Empty    bool      `json:"empty"`
	}
	sets := make(map[string]answer)
	for _, b := range bests {
		if b.Empty {
			sets[b.Set] = answer{Empty: true}
		} else {
			sets[b.Set] = answer{&b.Value, b.Action, &b.Gap, &b.Residual, false}
		}
	}
	type path struct {
		Value     *float64 `json:"value,omitempty"`
		Gap       *float64 `json:"gap,omitempty"`
		Residual  *float64 `json:"residual,omitempty"`
		Length    *float64 `json:"path_length,omitempty"`
		Variation float64  `json:"constraint_variation"`
		Upper     bool     `json:"constraint_variation_is_upper_bound,omitempty"`
		Empty     int      `json:"empty,omitempty"` // the first round that is
	}
	var along *path
	switch {
	case moving == nil:
	case moving.Empty > 0:
		along = &path{Variation: moving.Variation, Upper: moving.Upper, Empty: moving.Empty}
	default:
		along = &path{&moving.Value, &moving.Gap, &moving.Residual, &moving.Path, moving.Variation, moving.Upper, 0}
	}
	return json.NewEncoder(e.stdout).Encode(struct {
		T          int               `json:"t"`
		Problem    string            `json:"problem"`
		Seed       uint64            `json:"seed"`
		Replicate  int               `json:"replicate"`
		Window     int               `json:"window,omitempty"`
		BurnIn     int               `json:"burn_in,omitempty"`
		Provenance any               `json:"provenance"`
		Sets       map[string]answer `json:"sets"`
		Moving     *path             `json:"moving,omitempty"`
	}{g.Horizon, g.Arena.Spec, g.Seed, g.Replicate, h.Window, h.BurnIn, harness.Provenance(), sets, along})
}

func bestTable(g *game, h *harness.Hindsight, bests []harness.Best, moving *harness.Moving) *table.Table {
	t := &table.Table{
		Title: table.Plain(fmt.Sprintf("Best fixed actions on %s after %s", g.Arena.Spec, plural(g.Horizon, "round"))),
		Columns: []table.Column{
			{Name: table.Plain("set")}, {Name: table.Plain("value"), Align: table.Right},
			{Name: table.Plain("gap"), Align: table.Right}, {Name: table.Plain("residual"), Align: table.Right}, {Name: table.Plain("action")},
		},
	}
	for _, b := range bests {
		if b.Empty {
			t.Rows = append(t.Rows, table.Plains(b.Set, "empty", "", "", ""))
			continue
		}
		t.Rows = append(t.Rows, table.Plains(b.Set, fmt.Sprintf("%.10g", b.Value), fmt.Sprintf("%.1e", b.Gap), fmt.Sprintf("%.1e", b.Residual), actionText(b.Action)))
	}
	if moving != nil {
		addMoving(t, moving)
	}
	if h.Window > 0 {
		t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("xk: every %s.", plural(h.Window, "consecutive round"))))
	}
	if h.BurnIn > 0 {
		t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("xhat: prefixes of %s or more.", plural(h.BurnIn, "round"))))
	}
	t.Notes = append(t.Notes, provenanceNote(g))
	return t
}

// addMoving adds the best actions of the rounds.
func addMoving(t *table.Table, moving *harness.Moving) {
	equals := "="
	if moving.Upper {
		equals = "≤"
	}
	varies := fmt.Sprintf("The constraints vary by V_T %s %.10g.", equals, moving.Variation)
	if moving.Empty > 0 {
		t.Rows = append(t.Rows, table.Plains("moving", "empty", "", "", ""))
		t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("moving: no action is feasible in round %d. %s", moving.Empty, varies)))
		return
	}
	t.Rows = append(t.Rows, table.Plains("moving", fmt.Sprintf("%.10g", moving.Value), fmt.Sprintf("%.1e", moving.Gap), fmt.Sprintf("%.1e", moving.Residual), ""))
	t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("moving: the best action of each round, whose path has the length P_T = %.10g. %s", moving.Path, varies)))
}

// provenanceNote says which rounds are played, and by which program.
func provenanceNote(g *game) table.Text {
	p := harness.Provenance()
	return table.Plain(fmt.Sprintf("Seed %d, replicate %d; ocobench %s, %s, %s.", g.Seed, g.Replicate, p.Version, p.Go, p.GOARCH))
}

// actionText formats the first coordinates of an action.
func actionText(x []float64) string {
	const shown = 6
	s := ""
	for i, v := range x {
		if i == shown {
			return s + fmt.Sprintf(" … (%d)", len(x))
		}
		if i > 0 {
			s += " "
		}
		s += fmt.Sprintf("%.6g", v)
	}
	return s
}
