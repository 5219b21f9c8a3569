package regression

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/stats"
)

// Report holds the result of [Compare].
type Report struct {
	Experiment string `json:"experiment"`
	// Answer is the worst answer of all curves. A curve that is gone is a
	// regression, and a new one has changed.
	Answer stats.Answer `json:"answer"`
	// Total is the number of curves that both have. Same counts those of them that are the same, bit
	// for bit, and Rounding those whose values differ by no more than rounding does.
	Total    int `json:"curves"`
	Same     int `json:"same"`
	Rounding int `json:"rounding"`
	// Paired reports that replicates are compared in pairs, because the seeds are
	// the same.
	Paired bool `json:"paired"`
	// Confidence is the confidence of the test of the whole run.
	Confidence float64 `json:"confidence"`
	Reference  Run     `json:"reference"`
	Current    Run     `json:"current"`
	// Broken lists the bounds of theorems that the run breaks, and Unmet the pairs whose problem lacks
	// what the algorithm assumes. [Compare] leaves both empty: they are no matter of the reference.
	Broken []BrokenBound      `json:"broken"`
	Unmet  []experiment.Unmet `json:"-"`
	// Sensitivity is that of the reference. [Compare] leaves it out.
	Sensitivity Sensitivity `json:"-"`
	// Gone lists the curves that only the reference has, and New the curves that only the results
	// have.
	Gone []Key `json:"gone"`
	New  []Key `json:"new"`
	// Changes lists the curves that differ, the worst answers first, and else in the order of the
	// reference.
	Changes []Difference `json:"changes"`
}

// Run holds the seed and the program that curves were computed with.
type Run struct {
	Seed       uint64           `json:"seed"`
	Provenance store.Provenance `json:"provenance"`
}

// Failed reports whether the run fails the check: its answer is suspicious or
// regression, a bound is broken, or, if the check is strict, anything has changed by more than
// rounding.
func (r *Report) Failed(strict bool) bool {
	switch r.Answer {
	case NoChange, Rounding:
		return len(r.Broken) > 0
	case stats.Changed:
		return len(r.Broken) > 0 || strict
	}
	return true
}

// Count returns the number of changes that satisfy matches.
func (r *Report) Count(matches func(Difference) bool) (n int) {
	for _, d := range r.Changes {
		if matches(d) {
			n++
		}
	}
	return n
}

// BrokenBound describes a game in which a metric exceeds the explicit bound of a theorem.
type BrokenBound struct {
	Algorithm string            `json:"algorithm"`
	Problem   string            `json:"problem"` // SPECs
	Metric    algorithms.Metric `json:"metric"`
	T         int               `json:"t"` // the round at which the ratio is largest
	Horizon   int               `json:"horizon"`
	Replicate int               `json:"replicate"` // 0 if the bound is of the mean of all replicates
	// Ratio is the metric over its bound: above 1, and +Inf if the bound is not positive.
	Ratio analysis.Number `json:"ratio"`
}

// String says what is broken, where, and by how much.
func (b BrokenBound) String() string {
	who := fmt.Sprintf("in replicate %d", b.Replicate)
	if b.Replicate == 0 {
		who = "on average"
	}
	return fmt.Sprintf("%s of %s on %s is %.3g times its bound at t = %d of %d, %s", b.Metric,
		b.Algorithm, b.Problem, b.Ratio, b.T, b.Horizon, who)
}

// Broken finds the bounds of theorems that a run breaks.
func Broken(c experiment.Catalog, r *run.Results) ([]BrokenBound, error) {
	a, err := analysis.Bounds(c, r)
	if err != nil {
		return nil, err
	}
	broken := []BrokenBound{}
	for _, p := range a.Pairs {
		for _, j := range p.Judgements() {
			if b := j.Bound; b != nil && b.State == analysis.Broken {
				broken = append(broken, BrokenBound{
					Algorithm: p.Algorithm, Problem: p.Problem, Metric: j.Metric,
					T: int(b.T), Horizon: b.Horizon, Replicate: b.Replicate, Ratio: b.Ratio.Value,
				})
			}
		}
	}
	return broken, nil
}
