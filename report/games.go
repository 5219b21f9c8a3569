package report

import (
	"fmt"

	"ocobench/harness/game"
	"ocobench/internal/input"
	"ocobench/problems"
	"ocobench/report/table"
)

// This file has the tables of single games, outside of experiments: the best fixed actions on a
// problem, and the metrics of given actions. Their parameter origin is the note that says which
// rounds they are, and which program played them.

// HindsightTable returns the table of the best fixed actions on a problem after the rounds that h
// has seen, with the declared comparator and the best actions of single rounds unless these are
// nil.
func HindsightTable(
	problem string, horizon int, h *game.Hindsight, bests []game.Best, declared *game.Declared,
	moving *game.Moving, origin string,
) *table.Table {
	t := &table.Table{
		Title: table.Plain(fmt.Sprintf("Best fixed actions on %s after %s",
			problem, input.Plural(horizon, "round"))),
		Columns: table.Columns("set", ">value", ">gap", ">residual", "action"),
	}
	for _, b := range bests {
		if b.Empty {
			t.Rows = append(t.Rows, table.Plains(b.Set, emptySet, "", "", ""))
			continue
		}
		t.Rows = append(t.Rows, table.Plains(b.Set, table.Trimmed(b.Value, gameDigits),
			gapText(b.Gap, b.Value),
			gapDigits(b.Residual), coordinatesText(b.Action, 6, 6)))
	}
	if declared != nil {
		t.Rows = append(t.Rows, table.Plains("declared", table.Trimmed(declared.Value, gameDigits), "",
			"", coordinatesText(declared.Action, 6, 6)))
		over := "over a set of its own"
		if declared.Over != problems.OwnSet {
			over = "over " + declared.Over
		}
		t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("declared: the comparator of the problem "+
			"itself, %s; it is not certified.", over)))
	}
	if moving != nil {
		addMoving(t, moving)
	}
	if h.Window > 0 {
		t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("xk: every %s.",
			input.Plural(h.Window, "consecutive round"))))
	}
	if h.BurnIn > 0 {
		t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("xhat: prefixes of %s or more.",
			input.Plural(h.BurnIn, "round"))))
	}
	t.Notes = append(t.Notes, table.Plain(origin))
	return t
}

// addMoving adds the row and the note on the best actions of the single rounds.
func addMoving(t *table.Table, moving *game.Moving) {
	equals := "="
	if moving.Upper {
		equals = "≤"
	}
	varies := fmt.Sprintf("The constraints vary by V_T %s %s.", equals,
		table.Trimmed(moving.Variation, gameDigits))
	if moving.Empty > 0 {
		t.Rows = append(t.Rows, table.Plains("moving", emptySet, "", "", ""))
		t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("moving: no action is feasible in round %d. %s",
			moving.Empty, varies)))
		return
	}
	t.Rows = append(t.Rows, table.Plains("moving", table.Trimmed(moving.Value, gameDigits),
		gapText(moving.Gap, moving.Value), gapDigits(moving.Residual), ""))
	t.Notes = append(t.Notes, table.Plain(fmt.Sprintf("moving: the best action of each round, whose "+
		"path has the length P_T = %s. %s", table.Trimmed(moving.Path, gameDigits), varies)))
}

// ScoreTable returns the table of all metrics of given actions on a problem, in the order of
// [game.Metered]. A regret has the losses of the best fixed action beside it.
func ScoreTable(problem string, o *game.Outcome, origin string) *table.Table {
	t := &table.Table{
		Title:   table.Plain(fmt.Sprintf("Actions on %s after %s", problem, input.Plural(o.T, "round"))),
		Columns: table.Columns("metric", ">value", ">best fixed", ">gap"),
	}
	for _, m := range game.Metered {
		r, known := o.Regret[m.Set]
		switch {
		case m.Set == "":
			text := "not measured" // the penalty violation of opaque constraints
			if v, ok := o.Metrics[m.Name]; ok {
				text = table.Trimmed(v, gameDigits)
			}
			t.Rows = append(t.Rows, table.Plains(m.Title, text, "", ""))
		case known && r.Best.Empty:
			t.Rows = append(t.Rows, table.Plains(m.Title, emptySet, "", ""))
		case known:
			t.Rows = append(t.Rows, table.Plains(m.Title,
				table.Trimmed(zeroIfRounding(r.Value, r.Best.Value), gameDigits),
				table.Trimmed(r.Best.Value, gameDigits),
				gapText(r.Best.Gap, r.Best.Value)))
		}
	}
	t.Notes = append(t.Notes,
		table.Plain("best fixed: the losses of the best fixed action of the set; gap: how far it may "+
			"be from the least, as certified."),
		table.Plain(origin))
	return t
}
