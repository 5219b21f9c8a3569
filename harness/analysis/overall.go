package analysis

import (
	"ocobench/algorithms"
	"ocobench/stats"
)

// Standing is how a claim of an algorithm stands over the problems of an experiment
// that meet its assumptions.
type Standing struct {
	Algorithm string            `json:"algorithm"` // SPEC
	Metric    algorithms.Metric `json:"metric"`    // of the claim
	Claim     *algorithms.Claim `json:"claim"`
	// Problems is the number of problems that it is judged on, and the next four are how often
	// each verdict is given. Chance is how many problems are expected to be above or slowing if
	// the exponents equal the claim everywhere: 1 − confidence of those that are not without
	// chance.
	Problems  int    `json:"problems"`
	AtMost    int    `json:"at_most"`
	Above     int    `json:"above"`
	Slowing   int    `json:"slowing"`
	Undecided int    `json:"undecided"`
	Chance    Number `json:"above_by_chance"`
	// Held, Broken and Unsettled count the problems by what is said of the bound,
	// and Ratio is the largest value over the bound.
	Held      int    `json:"held"`
	Broken    int    `json:"broken"`
	Unsettled int    `json:"unsettled"`
	Ratio     Number `json:"ratio"`
}

// standings returns how every claim stands, by algorithm.
func (a *Analysis) standings() []Standing {
	all := []Standing{}
	for _, e := range a.Algorithms {
		for _, of := range []func(*Pair) *Judgement{
			func(p *Pair) *Judgement { return &p.Regret },
			func(p *Pair) *Judgement { return p.Dynamic },
			func(p *Pair) *Judgement { return &p.Violation },
		} {
			s := Standing{Algorithm: e.Spec, Ratio: none}
			for i := range a.Pairs {
				p := &a.Pairs[i]
				if j := of(p); p.Algorithm == e.Spec && len(p.Unmet) == 0 && j != nil && j.Claim != nil {
					s.Claim, s.Metric = j.Claim, j.Claim.Metric
					s.add(j)
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

// add counts the judgement on one problem.
func (s *Standing) add(j *Judgement) {
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

// Overall is how an algorithm compares with the baseline over all problems, by the
// final value of one metric.
type Overall struct {
	Algorithm string            `json:"algorithm"` // SPEC
	Metric    algorithms.Metric `json:"metric"`
	// Problems is the number of problems with a p-value. On Less of them the mean is
	// below that of the baseline, on More above it, both after the correction.
	Problems int `json:"problems"`
	Less     int `json:"less"`
	More     int `json:"more"`
	// P is the p-value of the hypothesis that there is no difference on any problem: the
	// smallest one of the problems, corrected for them by joint sign flips.
	P Number `json:"p"`
}

// overall sums up a comparison.
func (c *BaselineTable) overall(confidence float64) {
	type key struct {
		algorithm string
		metric    algorithms.Metric
	}
	at := make(map[key]int)
	var rows [][][]float64
	var ps [][]Number
	for _, v := range c.Versus {
		k := key{v.Algorithm, v.Metric}
		i, ok := at[k]
		if !ok {
			i = len(c.Overall)
			at[k], ps, rows = i, append(ps, nil), append(rows, nil)
			c.Overall = append(c.Overall, Overall{Algorithm: v.Algorithm, Metric: v.Metric})
		}
		o := &c.Overall[i]
		ps[i], rows[i] = append(ps[i], v.Final.P), append(rows[i], v.finals)
		if !v.Final.P.Defined() {
			continue
		}
		o.Problems++
		switch shown := v.Final.Adjusted <= Number(1-confidence); {
		case shown && v.Final.Value < 0:
			o.Less++
		case shown && v.Final.Value > 0:
			o.More++
		}
	}
	for i := range c.Overall {
		c.Overall[i].P = none
		for k, joint := range stats.JointFlips(rows[i]) {
			if p := max(Number(joint), ps[i][k]); !(c.Overall[i].P <= p) && p.Defined() {
				c.Overall[i].P = p
			}
		}
	}
}
