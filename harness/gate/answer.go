package gate

import (
	"encoding/json"
	"slices"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/stats"
)

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

// MarshalJSON implements [json.Marshaler].
func (r *Report) MarshalJSON() ([]byte, error) {
	type change struct {
		Key
		Compared  string            `json:"compared"` // exponent or final
		Reference analysis.Estimate `json:"reference"`
		Current   analysis.Estimate `json:"current"`
		Change    analysis.Estimate `json:"change"`
		Margin    float64           `json:"margin"`
		P         analysis.Number   `json:"p"`
		Adjusted  analysis.Number   `json:"p_adjusted"`
		Answer    stats.Answer      `json:"answer"`
		Open      bool              `json:"open"`
	}
	changes := []change{}
	for _, c := range r.Changes {
		compared := "exponent"
		if c.Final {
			compared = "final"
		}
		changes = append(changes, change{
			c.Key, compared, analysis.EstimateOf(c.Before), analysis.EstimateOf(c.After),
			analysis.EstimateOf(c.Estimate), c.Margin, analysis.Number(c.P), analysis.Number(c.Adjusted),
			c.Answer, c.Open,
		})
	}
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
		Changes    []change      `json:"changes"`
	}{
		r.Experiment, r.Answer, r.Total, r.Same, r.Paired, r.Confidence, r.Reference, r.Current,
		append([]BrokenBound{}, r.Broken...), slices.Concat([]Key{}, r.Gone),
		slices.Concat([]Key{}, r.New), changes,
	})
}
