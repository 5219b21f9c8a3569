package report

import (
	"ocobench/algorithms"
	"ocobench/harness/conform"
	"ocobench/harness/game"
	"ocobench/report/table"
	"strings"
	"testing"
)

// The best actions of rounds are a line of the table, unless some round has none.
func TestHindsightShowsTheBestActionsOfRounds(t *testing.T) {
	for _, c := range []struct {
		moving   game.Moving
		declared game.Declared
		burnIn   int
		want     []string
		without  string
	}{
		{game.Moving{Value: -7.5, Motion: algorithms.Motion{Path: 3}},
			game.Declared{Over: "xmin", Value: -3.25}, 0,
			[]string{"│ declared │ -3.25 │", "of the problem itself, over xmin", "│ moving   │  -7.5 │", "the length P_T = 3."}, "xhat:"},
		{game.Moving{Value: -7.5, Empty: 4}, game.Declared{Over: "own"}, 2,
			[]string{"│ moving   │ empty set │", "over a set of its own", "no action is feasible in round 4.", "xhat: prefixes of 2 rounds"},
			"P_T"},
	} {
		var out strings.Builder
		h := &game.Hindsight{BurnIn: c.burnIn}
		best := HindsightTable("iid", 9, h, nil, &c.declared, &c.moving, "here")
		if err := table.WriteTerminal(&out, best, 90); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) || strings.Contains(out.String(), c.without) {
				t.Errorf("%+v: the table is without %q, or with %q:\n%s", c.moving, want, c.without, &out)
			}
		}
	}
}

// A law that is not tested is printed with why not, and one that is broken with what is wrong.
func TestVerdictOfALawHasItsReason(t *testing.T) {
	for _, c := range []struct {
		verdict       string
		want, without string
	}{
		{conform.Skipped, "because", "the law"}, {conform.Broken, "the law", "\t"},
		{conform.Broken, "because", "\t"},
	} {
		var out strings.Builder
		WriteLawVerdict(conform.Verdict{Law: "short", Doc: "the law", Verdict: c.verdict, Reason: "because"},
			&table.Folded{W: &out, Width: 80})
		if !strings.Contains(out.String(), c.want) || strings.Contains(out.String(), c.without) {
			t.Errorf("%s: %q, want %q and not %q", c.verdict, &out, c.want, c.without)
		}
	}
}
