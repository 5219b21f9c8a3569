package analysis

import "ocobench/algorithms"

// Beside holds the pairs of one store, the reference, against those of the other that
// have the same algorithm and problem.
type Beside struct {
	Sources     [2]string      `json:"sources"` // the names of both; the second is the reference
	Differences []BesideMetric `json:"differences"`
	Warnings    []string       `json:"warnings"` // such as different seeds
}

// BesideMetric is the difference of the final means of a pair, the first store's less
// the reference's.
type BesideMetric struct {
	Problem    string            `json:"problem"` // SPECs, without a source
	Algorithm  string            `json:"algorithm"`
	Metric     algorithms.Metric `json:"metric"`
	Mean       Number            `json:"mean"`
	Reference  Number            `json:"reference_mean"`
	Difference Difference        `json:"difference"`
	// Paired tells that the replicates play the same rounds, and the test is of pairs;
	// else it is of two samples. Equal tells that all final values are the same bits.
	Paired     bool `json:"paired"`
	Equal      bool `json:"equal"`
	Replicates int  `json:"replicates"` // that the test has
}
