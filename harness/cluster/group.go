package cluster

import (
	"cmp"
	"container/heap"
	"slices"
)

// group distributes cells with these costs over at most n tasks, n ≥ 1, and returns the
// indices of the cells of each, in increasing order. The costliest come first, each to
// the task that has the least so far: no task costs more than the mean of all tasks and
// the costliest cell together. No task is empty.
func group(costs []float64, n int) [][]int {
	order := make([]int, len(costs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(costs[b], costs[a]) })
	tasks := make(loads, min(n, len(costs)))
	for _, i := range order {
		t := &tasks[0]
		t.cost += costs[i]
		t.cells = append(t.cells, i)
		heap.Fix(&tasks, 0)
	}
	groups := make([][]int, len(tasks))
	for k, t := range tasks {
		slices.Sort(t.cells)
		groups[k] = t.cells
	}
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return groups
}

// loads are tasks, one with the least cost and of these with the fewest cells first.
type loads []struct {
	cost  float64
	cells []int
}

func (l loads) Len() int { return len(l) }
func (l loads) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].cost, l[j].cost), cmp.Compare(len(l[i].cells), len(l[j].cells))) < 0
}
func (l loads) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l loads) Push(any)      { panic("cluster: the number of tasks is fixed") }
func (l loads) Pop() any      { panic("cluster: the number of tasks is fixed") }
