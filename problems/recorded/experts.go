package recorded

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/internal/input"
)

// Experts makes rounds of the losses ℓ_t of n experts and of the costs c_t of following them. An
// action x in the simplex holds the weights of the experts:
//
//	f_t(x) = ℓ_t·x
//	g_t(x) = c_t·x − budget, or −1 where there are no costs
type Experts struct {
	Budget float64
}

// Read implements [Kind]. Own are the columns of the costs, one for each expert or none, and Many
// those of the losses.
func (e Experts) Read(s *input.Sheet, c Columns) (*Import, error) {
	number := input.Column{Expected: "a number"}
	read, err := c.read(s, number, number, nil)
	if err != nil {
		return nil, err
	}
	experts, costs := read.names[read.own:], read.names[:read.own]
	n := len(experts)
	if err := checkChosen(s, n, 2, "expert", "experts"); err != nil {
		return nil, err
	}
	if len(costs) > 0 && len(costs) != n {
		return nil, fmt.Errorf("%s:1:1: --cost: %s of costs for the %d experts %s (expected one for "+
			"each, in their order)", s.Name, input.Plural(len(costs), "column"), n,
			input.Few(experts, ", "))
	}
	for k, cost := range costs {
		read.addNote("%s: the loss of an expert, and %s its cost", experts[k], cost)
	}
	if len(costs) == 0 {
		read.addNote("%s: losses of experts, without a constraint", input.Few(experts, ", "))
	}
	constraint := &convex.Affine{A: make([]float64, n), B: -1}
	if len(costs) > 0 {
		constraint.B = 0 - e.Budget // 0, not −0, for the budget 0
	}
	leastMeanCost := math.Inf(1) // of an expert
	for k := range costs {
		mean, _ := meanAndDeviation(read.column(k))
		leastMeanCost = min(leastMeanCost, mean)
	}
	r := newImport(read, &convex.Simplex{N: n, Scale: 1}, 1, func(line []float64) convex.Round {
		g := constraint
		if len(costs) > 0 {
			g = &convex.Affine{A: line[:n], B: constraint.B}
		}
		return convex.Round{Loss: &convex.Affine{A: line[len(costs):]}, Constraints: []convex.Func{g}}
	})
	// The least mean of the constraint is that of the cheapest expert less the budget.
	r.budgetText = func(float64) string {
		return fmt.Sprintf("--budget %v is the largest mean cost; that of the cheapest expert is %.4g",
			e.Budget, leastMeanCost)
	}
	return r, nil
}
