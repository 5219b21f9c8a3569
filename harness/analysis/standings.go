package analysis

import (
	"ocobench/algorithms"
	"ocobench/stats"
)

// Standing counts the verdicts on a claim of an algorithm over the problems of an experiment that
// meet its assumptions.
type Standing struct {
	Algorithm string            `json:"algorithm"` // SPEC
	Metric    algorithms.Metric `json:"metric"`    // of the claim
	Claim     *algorithms.Claim `json:"claim"`
	// Problems is the number of problems on which the growth is judged, and the next four count them
	// by verdict. Chance is how many problems are expected to be above or slowing if the exponent
	// equals the claim on all of them: 1 − confidence times the number with random games.
	Problems  int    `json:"problems"`
	AtMost    int    `json:"at_most"`
	Above     int    `json:"above"`
	Slowing   int    `json:"slowing"`
	Undecided int    `json:"undecided"`
	Chance    Number `json:"above_by_chance"`
	// Held, Broken and Unsettled count the problems by the state of the bound,
	// and Ratio is the largest ratio of a value to its bound.
	Held      int    `json:"held"`
	Broken    int    `json:"broken"`
	Unsettled int    `json:"unsettled"`
	Ratio     Number `json:"ratio"`
}

// claimStandings returns the verdicts on every claim over the problems, by algorithm.
func (a *Analysis) claimStandings() []Standing {
	all := []Standing{}
	for _, e := range a.Algorithms {
		for _, judgementOf := range []func(*Pair) *Judgement{
			func(p *Pair) *Judgement { return &p.Regret },
			func(p *Pair) *Judgement { return p.Dynamic },
			func(p *Pair) *Judgement { return &p.Violation },
		} {
			s := Standing{Algorithm: e.Spec, Ratio: none}
			for i := range a.Pairs {
				p := &a.Pairs[i]
				if p.Algorithm != e.Spec || len(p.Unmet) > 0 {
					continue
				}
				if j := judgementOf(p); j != nil && j.Claim != nil {
					s.Claim, s.Metric = j.Claim, j.Claim.Metric
					s.addJudgement(j)
					if j.P.Defined() {
						s.Chance += Number(1 - a.Experiment.Confidence)
					}
				}
			}
			if s.Claim != nil {
				all = append(all, s)
			}
		}
	}
	return all
}

// addJudgement counts the judgement on one more problem.
func (s *Standing) addJudgement(j *Judgement) {
	if n := map[stats.Verdict]*int{stats.AtMost: &s.AtMost, stats.Above: &s.Above,
		stats.Slowing: &s.Slowing, stats.Undecided: &s.Undecided}[j.Verdict]; n != nil {
		*n++
		s.Problems++
	}
	if j.Bound == nil {
		return
	}
	if n := map[BoundState]*int{Held: &s.Held, Broken: &s.Broken,
		Unsettled: &s.Unsettled}[j.Bound.State]; n != nil {
		*n++
		if !(s.Ratio >= j.Bound.Ratio.Value) {
			s.Ratio = j.Bound.Ratio.Value
		}
	}
}
