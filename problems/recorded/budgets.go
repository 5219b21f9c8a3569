package recorded

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/internal/input"
)

// Budgets makes rounds of linear losses under budgets of m resources. An action takes the amount
// x_i of option i, between 0 and Upper. c_t are the costs of the n options, and a_{t,j} the amounts
// of resource j that they use:
//
//	f_t(x)     = c_t·x, or −c_t·x where they are rewards
//	g_{t,j}(x) = a_{t,j}·x − budget_j
type Budgets struct {
	Rewards bool
	Upper   float64
	Budget  []float64 // one for each resource, or one for all
}

// Read implements [Kind]. Own are the columns of the uses, resource after resource, each in the
// order of the options, and Many those of the costs.
func (b Budgets) Read(s *input.Sheet, c Columns) (*Import, error) {
	number := input.Column{Expected: "a number"}
	read, err := c.read(s, number, number, nil)
	if err != nil {
		return nil, err
	}
	uses, options := read.names[:read.own], read.names[read.own:]
	n, m := len(options), len(b.Budget)
	if m == 1 && n > 0 && len(uses)%n == 0 {
		m = len(uses) / n
		b.Budget = slices.Repeat(b.Budget, m)
	}
	switch {
	case n > MaxImported:
		return nil, fmt.Errorf("%s:1:1: %d options chosen (expected at most %d; name them in --cost)",
			s.Name, n, MaxImported)
	case len(uses) != n*m:
		return nil, fmt.Errorf("%s:1:1: --use: %s for %s of %s (expected one for each option %s, in "+
			"their order, resource after resource, and one budget for each resource or for all)", s.Name,
			input.Plural(len(uses), "column"),
			input.Plural(m, "budget"), input.Plural(n, "option"), input.Few(options, ", "))
	}
	what, sign := "cost", 1.0
	if b.Rewards {
		what, sign = "reward", -1
	}
	usesOfFirst := make([]string, m) // the columns of what the first option uses
	for j := range usesOfFirst {
		usesOfFirst[j] = uses[j*n]
	}
	first := fmt.Sprintf("%s: the %s of an option, and %s what it uses of %s", options[0], what,
		input.Few(usesOfFirst, ", "), input.Plural(m, "resource"))
	if n > 1 {
		first += "; likewise " + input.Few(options[1:], ", ")
	}
	read.addNote("%s", first)
	least := make([]float64, m) // the mean use of each resource by the option that uses least of it
	for j := range least {
		least[j] = math.Inf(1)
		for i := range n {
			mean, _ := meanAndDeviation(read.column(j*n + i))
			least[j] = min(least[j], mean)
		}
	}
	cube := convex.Cube(n, 0, b.Upper)
	return &Import{Domain: cube, Constraints: m, Count: len(read.rows),
		Notes: slices.Clone(read.notes), table: read.rows,
		round: func(line []float64) convex.Round {
			costs := slices.Clone(line[n*m:])
			for i := range costs {
				costs[i] *= sign
			}
			r := convex.Round{Loss: &convex.Affine{A: costs}}
			for j, budget := range b.Budget {
				r.Constraints = append(r.Constraints,
					&convex.Affine{A: line[j*n : (j+1)*n], B: 0 - budget}) // 0, not −0, for the budget 0
			}
			return r
		},
		budgetText: func(float64) string {
			return fmt.Sprintf("--budget %v is the largest mean use of each resource; the options that "+
				"use least of it use %.4g on average", b.Budget, least)
		}}, nil
}
