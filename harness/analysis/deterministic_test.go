package analysis

import (
	"encoding/json"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/problems"
)

// A pair without chance has no interval, wherever a number of its analysis has one; and one with
// chance has some.
func TestNoIntervalWithoutChance(t *testing.T) {
	c := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	_, a := analysedRun(t, c, "horizon: [100, 200, 400]\nreplicates: 5\nproblems: "+
		"[{use: shrinking}, {use: decaying-frequency}]\n"+
		"algorithms: [{use: penalised-ftrl}, {use: primal-dual}]")
	for i := range a.Pairs {
		p := &a.Pairs[i]
		for name, s := range p.Series {
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			var all any
			if err := json.Unmarshal(text, &all); err != nil {
				t.Fatal(err)
			}
			n := ends(all)
			if p.Deterministic && n > 0 || !p.Deterministic && s.Fit != nil && n == 0 {
				t.Errorf("%s of %s on %s has %d ends of intervals: %s", name, p.Algorithm, p.Problem, n, text)
			}
		}
	}
}

// ends counts the ends of intervals in a JSON value that are there.
func ends(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, w := range v {
			n += ends(w)
		}
	case map[string]any:
		for key, w := range v {
			if key == "lower" || key == "upper" {
				list, ok := w.([]any)
				if !ok {
					list = []any{w}
				}
				for _, end := range list {
					if end != nil {
						n++
					}
				}
			}
			n += ends(w)
		}
	}
	return n
}
