package analysis

import "testing"

// An analysis that is read from JSON is one of increasing positive horizons.
func TestHorizonsOfAnAnalysisIncrease(t *testing.T) {
	for _, c := range []struct {
		name     string
		horizons []int
		valid    bool
	}{
		{"one", []int{10}, true}, {"increasing", []int{10, 20, 40}, true}, {"none", nil, false},
		{"zero", []int{0, 10}, false}, {"decreasing", []int{20, 10}, false},
		{"repeated", []int{10, 10}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Experiment{Name: "e", Horizon: c.horizons, Replicates: 1, Confidence: 0.95}
			if err := e.Validate(); (err == nil) != c.valid {
				t.Errorf("horizons %v give the error %v, want one: %v", c.horizons, err, !c.valid)
			}
		})
	}
}
