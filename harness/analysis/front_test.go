package analysis

import (
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
)

// The front has the algorithms that no other one dominates: a is beaten by b in both, c by b in
// regret with the same violation, e and f are equal, and g has no regret.
func TestFrontHasThePairsThatNoOtherBeats(t *testing.T) {
	a := &Analysis{Problems: []Problem{
		{Entry: experiment.Entry{Spec: "p"}}, {Entry: experiment.Entry{Spec: "empty"}},
	}}
	add := func(name string, violation, regret Number, state State) {
		series := func(v Number, state State) *Series {
			return &Series{State: state, Mean: Band{
				[]float64{1, 9}, []Number{0, v}, []Number{none, none}, []Number{none, none},
			}}
		}
		a.Pairs = append(a.Pairs, Pair{Algorithm: name, Problem: "p",
			Series: map[algorithms.Metric]*Series{
				algorithms.RegretXHat:    series(regret, state),
				algorithms.SoftViolation: series(violation, Measured),
			}})
	}
	add("a", 5, 5, Measured)
	add("b", 3, 2, Measured)
	add("c", 3, 3, Measured)
	add("d", 0, 7, Rounding)
	add("e", 8, -1, Measured)
	add("f", 8, -1, Measured)
	add("g", 0, 0, Empty)
	a.Focus = a.findFocus()
	fronts := a.paretoFronts()
	if len(fronts) != 2 || !slices.Equal(fronts[0].Algorithms, []string{"d", "b", "e", "f"}) ||
		len(fronts[1].Algorithms) != 0 {
		t.Errorf("the fronts are %+v, want d, b, e and f on the first, and none on the second", fronts)
	}
}
