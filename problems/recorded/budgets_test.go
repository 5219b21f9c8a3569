package recorded

import (
	"slices"
	"strings"
	"testing"
)

func TestUseOrderIsReadFromNames(t *testing.T) {
	for _, c := range []struct{ name, uses, options, want string }{
		{"resource after resource", "cpu_a cpu_b mem_a mem_b", "a b", ""},
		{"words in another order and case", "A-CPU B-CPU A-mem B-mem", "cost_a cost_b", ""},
		{"numbers", "cpu1 cpu2 mem1 mem2", "gain1 gain2", ""},
		{"one option", "x y z", "a", ""},
		{"one resource without names", "x y", "a b", ""},
		{"option after option", "cpu_a mem_a cpu_b mem_b", "a b", "mem_a, column 2 of them"},
		{"one resource in another order", "use_b use_a", "a b", "use_b, column 1 of them"},
		{"resources in turn", "cpu_a mem_b mem_a cpu_b", "a b", "cpu_a and mem_b stand for one resource"},
		{"no names", "x1 x2 x3 x4", "a b", "do not say which option"},
		{"names of two options", "a_b b_a a_c b_c", "a b", "do not say which option"},
		{"an option without a word of its own", "cost_b x y z", "cost cost_b", "do not say which option"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := checkUseOrder(strings.Fields(c.uses), strings.Fields(c.options))
			if got := ""; c.want == "" && err != nil || c.want != "" &&
				(err == nil || !strings.Contains(err.Error(), c.want)) {
				if err != nil {
					got = err.Error()
				}
				t.Errorf("the error is %q, want %q", got, c.want)
			}
		})
	}
}

// Of two options a, b and three resources, the columns a1 a2 a3 b1 b2 b3 become a1 b1 a2 b2 a3 b3.
func TestUsesAreSortedByResource(t *testing.T) {
	c := sheetNumbers{names: strings.Fields("a1 a2 a3 b1 b2 b3 cost"),
		rows: [][]float64{{11, 12, 13, 21, 22, 23, 7}}}
	c.sortByResource(2, 3)
	if want := strings.Fields("a1 b1 a2 b2 a3 b3 cost"); !slices.Equal(c.names, want) {
		t.Errorf("the columns are %v, want %v", c.names, want)
	}
	if want := []float64{11, 21, 12, 22, 13, 23, 7}; !slices.Equal(c.rows[0], want) {
		t.Errorf("the numbers are %v, want %v", c.rows[0], want)
	}
}
