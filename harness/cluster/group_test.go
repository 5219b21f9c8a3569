package cluster

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every cell is in one task, no task is empty, and none costs more than the mean and the
// costliest cell together.
func TestGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		costs := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 60).Draw(t, "costs")
		n := rapid.IntRange(1, 70).Draw(t, "n")
		groups := group(costs, n)
		if want := min(n, len(costs)); len(groups) != want {
			t.Fatalf("%d tasks, want %d", len(groups), want)
		}
		var all []int
		var sum, largest float64
		for _, g := range groups {
			var cost float64
			for _, i := range g {
				cost += costs[i]
			}
			if len(g) == 0 || !slices.IsSorted(g) {
				t.Fatalf("a task is %v", g)
			}
			all, sum, largest = append(all, g...), sum+cost, max(largest, cost)
		}
		slices.Sort(all)
		for i := range costs {
			if len(all) != len(costs) || all[i] != i {
				t.Fatalf("the tasks have the cells %v, want each of %d once", all, len(costs))
			}
		}
		if bound := sum/float64(len(groups)) + slices.Max(costs); largest > bound+1e-9 {
			t.Fatalf("a task costs %g, want at most %g", largest, bound)
		}
	})
}

// By hand: 7 | 6 | 5, then 3 to the task of 5, 2 to that of 6, and 2 to that of 7.
func TestGroupByHand(t *testing.T) {
	got := group([]float64{2, 7, 6, 5, 2, 3}, 3)
	want := [][]int{{0, 2}, {1, 4}, {3, 5}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := group(make([]float64, 5), 2); len(got[0]) != 3 || len(got[1]) != 2 { // of unknown cost
		t.Errorf("got %v, want tasks of 3 and 2 cells", got)
	}
}
