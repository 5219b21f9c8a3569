package tex

import (
	"fmt"
	"slices"
	"strings"
)

// Unique returns the names of the texts, made different from each other. Of several texts with one
// name, the first in alphabetical order keeps it, and the k-th gets a suffix. So a name depends on
// which texts there are, and not on their order.
func Unique(texts, names []string, suffix func(k int) string) []string {
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(texts[i], texts[j]) })
	unique, used := make([]string, len(texts)), make(map[string]bool)
	for _, i := range order {
		unique[i] = names[i]
		for k := 2; used[unique[i]]; k++ {
			unique[i] = names[i] + suffix(k)
		}
		used[unique[i]] = true
	}
	return unique
}

// Numbered returns the suffix of the k-th name of a file or a column: -2, -3, ….
func Numbered(k int) string { return fmt.Sprintf("-%d", k) }
