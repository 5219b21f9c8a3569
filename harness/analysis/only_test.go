package analysis

import (
	"slices"
	"testing"

	"ocobench/harness/experiment"
)

// A part names no algorithm and no problem that is not in it, and leaves the whole as it was.
func TestPartNamesOnlyWhatItHas(t *testing.T) {
	a := &Analysis{
		Problems: []Problem{{Entry: experiment.Entry{Spec: "p"}}, {Entry: experiment.Entry{Spec: "q"}}},
		Unmet: []experiment.Unmet{{Algorithm: "a", Problem: "p"}, {Algorithm: "a", Problem: "q"},
			{Algorithm: "c", Problem: "p"}},
		Equal: []Equal{{"p", []string{"a", "b", "c"}}, {"p", []string{"b", "c"}},
			{"q", []string{"a", "b"}}},
		Focus: Focus{Regret: "regret_xhat", Wanted: "regret_xhat",
			Views: []ProblemFocus{{"p", "regret_xhat", "v"}, {"q", "regret_xmax", "v"}},
			Notes: []string{"Regret is vs Xmax on q, where X̂max is not known."}},
	}
	for _, algorithm := range []string{"a", "b", "c"} {
		a.Algorithms = append(a.Algorithms, experiment.Entry{Spec: algorithm})
		for _, problem := range []string{"p", "q"} {
			a.Pairs = append(a.Pairs, Pair{Algorithm: algorithm, Problem: problem})
		}
	}
	part := a.Only([]string{"a", "b"}, []string{"p"})
	if len(part.Algorithms) != 2 || len(part.Problems) != 1 || len(part.Pairs) != 2 ||
		part.Pairs[1].Algorithm != "b" {
		t.Errorf("it has %v, %v and %v, want a and b on p", part.Algorithms, part.Problems, part.Pairs)
	}
	if len(part.Unmet) != 1 || part.Unmet[0].Algorithm != "a" {
		t.Errorf("not played are %v, want a on p", part.Unmet)
	}
	if len(part.Equal) != 1 || !slices.Equal(part.Equal[0].Algorithms, []string{"a", "b"}) {
		t.Errorf("equal are %v, want a and b on p", part.Equal)
	}
	if part.Focus.Notes != nil {
		t.Errorf("got notes %q, want none about q, which it lacks", part.Focus.Notes)
	}
	if len(a.Pairs) != 6 || len(a.Unmet) != 3 || len(a.Equal[0].Algorithms) != 3 ||
		len(a.Focus.Views) != 2 {
		t.Errorf("got a changed whole %+v, want it as before", a)
	}
}
