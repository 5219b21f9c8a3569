package recorded

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

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
	// Order says how the columns of the uses are arranged. Without it they are resource after
	// resource, and refused unless their names say so.
	Order UseOrder
}

// UseOrder is the arrangement of the columns of uses.
type UseOrder string

// The arrangements: of two options a and b and two resources cpu and mem, cpu_a cpu_b mem_a mem_b,
// or cpu_a mem_a cpu_b mem_b.
const (
	ByResource UseOrder = "resource"
	ByOption   UseOrder = "option"
)

// Read implements [Kind]. Own are the columns of the uses, and Many those of the costs, in the
// order of the options.
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
	if err := checkChosen(s, n, 0, "option", "cost"); err != nil {
		return nil, err
	}
	if len(uses) != n*m {
		return nil, fmt.Errorf("%s:1:1: --use: %s for %s of %s (expected one for each option %s, in "+
			"their order, resource after resource, and one budget for each resource or for all)", s.Name,
			input.Plural(len(uses), "column"), input.Plural(m, "budget"), input.Plural(n, "option"),
			input.Few(options, ", "))
	}
	switch b.Order {
	case ByOption:
		read.sortByResource(n, m)
		uses = read.names[:read.own]
	case "":
		if err := checkUseOrder(uses, options); err != nil {
			return nil, fmt.Errorf("%s:1:1: --use: %w", s.Name, err)
		}
	}
	what, sign := "cost", 1.0
	if b.Rewards {
		what, sign = "reward", -1
	}
	usesOfFirst := make([]string, m) // the columns of what the first option uses
	for j := range usesOfFirst {
		usesOfFirst[j] = uses[j*n]
	}
	of := "column " + usesOfFirst[0] + " is"
	if m > 1 {
		of = "columns " + input.Few(usesOfFirst, ", ") + " are"
	}
	first := fmt.Sprintf("column %[1]s is the %[2]s of option %[1]s, and %[3]s what it uses of %[4]s",
		options[0], what, of, input.Plural(m, "resource"))
	if n > 1 {
		first += "; likewise " + input.Few(options[1:], ", ")
	}
	read.addNote("%s", first)
	leastMeanUses := make([]float64, m) // of each resource, by the option that uses least of it
	for j := range leastMeanUses {
		leastMeanUses[j] = math.Inf(1)
		for i := range n {
			mean, _ := meanAndDeviation(read.column(j*n + i))
			leastMeanUses[j] = min(leastMeanUses[j], mean)
		}
	}
	r := newImport(read, convex.Cube(n, 0, b.Upper), m, func(line []float64) convex.Round {
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
	})
	r.budgetText = func(float64) string {
		return fmt.Sprintf("--budget %v is the largest mean use of each resource; the options that "+
			"use least of it use %.4g on average", b.Budget, leastMeanUses)
	}
	return r, nil
}

// sortByResource puts the columns of the uses of n options, which are option after option, each
// with m resources, into the order resource after resource.
func (c *sheetNumbers) sortByResource(n, m int) {
	// column returns where column k of the result, resource k/n of option k%n, was before.
	column := func(k int) int { return k%n*m + k/n }
	names := slices.Clone(c.names)
	for k := range n * m {
		c.names[k] = names[column(k)]
	}
	for _, row := range c.rows {
		numbers := slices.Clone(row)
		for k := range n * m {
			row[k] = numbers[column(k)]
		}
	}
}

// checkUseOrder returns an error unless the names of the columns of the uses say that these are
// resource after resource, each in the order of the options. The words of a name say which option
// it is of, as b does in cpu_b, and the rest of them which resource. The uses of one resource may
// have names that say nothing: their order is that of the options.
func checkUseOrder(uses, options []string) error {
	n := len(options)
	if n < 2 {
		return nil
	}
	const remedy = "expected resource after resource, each with a column for every option in the " +
		"order %s; --order resource says that it is so, and --order option that they are option after " +
		"option"
	ofOption := make([]int, len(uses))
	ofResource := make([]string, len(uses))
	known := true
	keys := optionKeys(options)
	for k, use := range uses {
		ofOption[k], ofResource[k] = splitUse(use, keys)
		known = known && ofOption[k] >= 0
	}
	if !known {
		if len(uses) == n {
			return nil
		}
		return fmt.Errorf("the names %s do not say which option each column is of ("+remedy+")",
			input.Few(uses, ", "), input.Few(options, ", "))
	}
	for k, use := range uses {
		switch first := k - k%n; {
		case ofOption[k] != k%n:
			return fmt.Errorf("%s, column %d of them, is by its name of %s, where one of %s belongs ("+
				remedy+")", use, k+1, options[ofOption[k]], options[k%n], input.Few(options, ", "))
		case ofResource[k] != ofResource[first]:
			return fmt.Errorf("%s and %s stand for one resource, and have the names of two ("+remedy+")",
				uses[first], use, input.Few(options, ", "))
		}
	}
	return nil
}

// optionKeys returns the words of each option's name that not all of the options have, or nil if
// one of them has none.
func optionKeys(options []string) (keys [][]string) {
	common := nameWords(options[0])
	for _, option := range options[1:] {
		words := nameWords(option)
		common = slices.DeleteFunc(common, func(w string) bool { return !slices.Contains(words, w) })
	}
	for _, option := range options {
		key := slices.DeleteFunc(nameWords(option),
			func(w string) bool { return slices.Contains(common, w) })
		if len(key) == 0 {
			return nil
		}
		keys = append(keys, key)
	}
	return keys
}

// splitUse returns the only option whose words the name of a column has, or -1, and the rest of
// the name.
func splitUse(use string, keys [][]string) (option int, rest string) {
	option = -1
	words := nameWords(use)
	for i, key := range keys {
		if slices.ContainsFunc(key, func(w string) bool { return !slices.Contains(words, w) }) {
			continue
		}
		if option >= 0 {
			return -1, ""
		}
		option = i
		rest = strings.Join(slices.DeleteFunc(slices.Clone(words),
			func(w string) bool { return slices.Contains(key, w) }), " ")
	}
	return option, rest
}

// nameWords returns the words and the numbers of a name in small letters: cpu and 2 of cpu_2, and
// of CPU2.
func nameWords(name string) (words []string) {
	return wordOrNumber.FindAllString(strings.ToLower(name), -1)
}

// wordOrNumber matches a run of letters, or one of digits.
var wordOrNumber = regexp.MustCompile(`\p{L}+|\p{N}+`)
