package analysis

import "ocobench/algorithms"

// Comparison compares A with B on one problem by one metric, of which less is better. A and B are
// two algorithms of an experiment, or the same one in two stores.
type Comparison struct {
	Problem string            `json:"problem"` // SPECs
	A       string            `json:"a"`
	B       string            `json:"b"`
	Metric  algorithms.Metric `json:"metric"`
	// State is [Measured] if both have the metric, and otherwise what one of them has in its place.
	State State `json:"state"`
	// Paired reports that replicate r of A and replicate r of B play the same rounds, and the test is
	// of pairs; otherwise it is of two independent samples.
	Paired bool `json:"paired"`
	// Replicates is the number of pairs, and Of the number that was to be played. Of two samples it is
	// the number of A, and ReplicatesB that of B; of pairs ReplicatesB is 0.
	Replicates  int `json:"replicates"`
	ReplicatesB int `json:"replicates_b,omitempty"`
	Of          int `json:"of"`
	// MeanA and MeanB are the means at the last round of the replicates that are compared.
	MeanA Number `json:"mean_a"`
	MeanB Number `json:"mean_b"`
	// Difference is the mean of A − B at the last round.
	Difference Difference `json:"difference"`
	// Less is the probability that a replicate of A ends below its partner of B.
	Less Estimate `json:"probability_less"`
	// Equal reports that both play the same games, bit for bit: there is nothing to test.
	Equal bool `json:"equal,omitempty"`
	// Sign is −1 if A is shown to have less than B, 1 if it is shown to have more, and 0 otherwise.
	// A difference is shown if its adjusted p-value is at most 1 − confidence. One between games
	// without chance is shown if it is not 0.
	Sign     int      `json:"sign"`
	Warnings []string `json:"warnings,omitempty"`
}
