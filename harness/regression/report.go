package regression

import (
	"encoding/json"
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/stats"
)

// Report is the result of a comparison.
type Report struct {
	Experiment         string
	Reference, Current Run
	// Differences has every curve, in the order of the reference and then those that are new.
	Differences []Difference
	// Broken are the bounds of theorems that the run breaks. [Compare] leaves them empty: bounds are
	// no matter of the reference.
	Broken []BrokenBound
	// Unmet are the pairs of the run whose problem lacks what the algorithm assumes.
	Unmet []experiment.Unmet
	// Paired reports that replicates are compared in pairs, because the seeds are
	// the same.
	Paired bool
	// Confidence is that of the test of the whole run.
	Confidence float64
	// Answer is the worst answer of all curves. A curve that is gone is a
	// regression, and a new one has changed.
	Answer stats.Answer
}

// Run is what the curves were computed with.
type Run struct {
	Seed       uint64           `json:"seed"`
	Provenance store.Provenance `json:"provenance"`
}

// Failed reports whether the run fails the check: its answer is suspicious or
// regression, a bound is broken, or, if the check is strict, anything has changed.
func (r *Report) Failed(strict bool) bool {
	return len(r.Broken) > 0 || r.Answer != Same && (strict || r.Answer != stats.Changed)
}

// With returns the differences with one of these answers, in this order of the answers.
func (r *Report) With(answers ...stats.Answer) []Difference {
	all := []Difference{}
	for _, a := range answers {
		for _, d := range r.Differences {
			if d.Answer == a {
				all = append(all, d)
			}
		}
	}
	return all
}

// Changes returns the curves that differ, the worst answers first.
func (r *Report) Changes() []Difference {
	return r.With(stats.Regression, stats.Suspicious, stats.Changed)
}

// Keys returns the names of the curves with this answer.
func (r *Report) Keys(a stats.Answer) []Key {
	all := []Key{}
	for _, d := range r.With(a) {
		all = append(all, d.Key())
	}
	return all
}

// Total returns the number of curves that both have.
func (r *Report) Total() int { return len(r.With(Same)) + len(r.Changes()) }

// Open returns the number of changes that are open.
func (r *Report) Open() (n int) {
	for _, d := range r.Changes() {
		if d.Open {
			n++
		}
	}
	return n
}

// MarshalJSON implements [json.Marshaler].
func (r *Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Experiment string        `json:"experiment"`
		Answer     stats.Answer  `json:"answer"`
		Curves     int           `json:"curves"`
		Same       int           `json:"same"`
		Paired     bool          `json:"paired"`
		Confidence float64       `json:"confidence"`
		Reference  Run           `json:"reference"`
		Current    Run           `json:"current"`
		Broken     []BrokenBound `json:"broken"`
		Gone       []Key         `json:"gone"`
		New        []Key         `json:"new"`
		Changes    []Difference  `json:"changes"`
	}{
		r.Experiment, r.Answer, r.Total(), len(r.With(Same)), r.Paired, r.Confidence, r.Reference,
		r.Current, append([]BrokenBound{}, r.Broken...), r.Keys(Gone), r.Keys(New), r.Changes(),
	})
}

// BrokenBound is a game that breaks the explicit bound of a theorem.
type BrokenBound struct {
	Algorithm string            `json:"algorithm"`
	Problem   string            `json:"problem"` // SPECs
	Metric    algorithms.Metric `json:"metric"`
	T         int               `json:"t"` // the round at which the ratio is largest
	Horizon   int               `json:"horizon"`
	Replicate int               `json:"replicate"` // 0 if the bound is of the mean of all replicates
	// Ratio is that of the metric to its bound: above 1, and +Inf if the bound is not
	// positive.
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
func Broken(c experiment.Catalog, r *run.Results) (broken []BrokenBound, err error) {
	a, err := analysis.Bounds(c, r)
	if err != nil {
		return nil, err
	}
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
