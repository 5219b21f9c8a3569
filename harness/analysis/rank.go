package analysis

import "ocobench/algorithms"

// Rank is how an algorithm ranks by the final values of a metric, of which less is
// better, among those that have the metric on the problem: the mean of the ranks in
// the replicates that all of them have, with equal values at their mean rank.
type Rank struct {
	Problem   string            `json:"problem"` // SPEC; "" for the mean over the problems
	Metric    algorithms.Metric `json:"metric"`
	Algorithm string            `json:"algorithm"`
	Rank      Estimate          `json:"rank"`
	// Of is the number of algorithms that are ranked, and, of a mean over problems,
	// Problems their number.
	Of       int `json:"of,omitempty"`
	Problems int `json:"problems,omitempty"`
}

// Profile is the performance profile of an algorithm by the final means of a metric
// (Dolan and Moré, Math. Program. 91, 2002): Share[k] is the share of all problems on
// which max(mean, b) is at most Ratio[k] times the least of the algorithms, where b is
// what one round can cost or violate at most. A problem that the algorithm was not
// played on counts as one on which it never is.
type Profile struct {
	Metric    algorithms.Metric `json:"metric"`
	Algorithm string            `json:"algorithm"`
	Problems  int               `json:"problems"` // that it was played on, of Of
	Of        int               `json:"of"`
	Ratio     []Number          `json:"ratio"`
	Share     []Number          `json:"share"`
}
